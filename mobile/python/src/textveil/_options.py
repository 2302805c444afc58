"""Options as keyword arguments, and names as JavaScript has them."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, TypeVar, cast

from . import _native
from ._columns import text_of
from ._errors import TextVeilError
from ._generated import fields_of

VectorMechanismName = Literal[
    "privunit2",
    "metric-laplace",
    "mahalanobis",
    "lattice-laplace",
    "laplace",
    "truncated-laplace",
    "gaussian",
    "discrete-gaussian",
    "dpnr",
]
BitMechanismName = Literal["sue", "oue", "ome", "randomized-response"]
MechanismName = Literal[
    "certified",
    "plateau",
    "nearest",
    "exponential",
    "truncated-exponential",
    "class-exponential",
    "vickrey",
    VectorMechanismName,
    BitMechanismName,
]
"""The mechanisms by name."""


class Strength(TypedDict, total=False):
    """How strongly: at most one of ``level``, ``preset``, ``epsilon`` and ``eta``."""

    calibration: Literal["sound", "published"] | _native.Calibration
    """How the noise follows from the parameters; by default ``sound``."""
    level: float
    """A level of the table: the ``index`` of one of ``levels()`` of the same mechanism."""
    epsilon: float
    """ε in nats, in the worst case: of one word, over any two words of the table (of one representation, for encodings)."""
    eta: float
    """η: nats per unit of distance in the table. Smaller is more private."""
    delta: float
    """δ: above 0 and below 1."""
    clip: float
    """The Euclidean norm that vectors are clipped to. Vectors of another encoder need it, except for ``privunit2``."""
    lambda_: float
    """λ, by this name because Python keeps the other: for ``ome`` at least 1; for ``mahalanobis`` from 0 to 0.999."""
    gamma: float
    """γ: the distance from which on all words count as equally far."""
    t: float
    """The second-nearest word's share, from 0 to 1."""
    integer_bits: float
    """Bits before the binary point of an encoded element, from 0 to 15; 4 by default."""
    fraction_bits: float
    """Bits after the binary point of an encoded element, from 0 to 15; 5 by default."""
    tilt: float
    """How much more of ε the high bits get than the low ones, from 0 to 1000; 0 by default."""
    mass: float
    """The share of a public base measure that the rows nearest to a word hold. Above 0 and below 1."""
    frequency_power: float
    """A row counts in that measure in proportion to its word's frequency to this power, from 0 (all words alike) to 1."""
    preset: Literal["statistics", "balanced", "readable"] | _native.Preset
    """A level of ``nearest`` by its name, instead of ``level``."""


class Terms(Strength, total=False):
    """By what mechanism, and how strongly: at most one of ``level``, ``preset``, ``epsilon`` and ``eta``."""

    mechanism: MechanismName | _native.Mechanism
    """Without one, the usual one."""


class Options(Terms, total=False):
    """What to do with a text."""

    keep_function_words: bool
    """Leave function words (the, of, and, …) in clear: which they are and where they stand becomes public."""
    placeholders: bool
    """``[url]``, ``[email]`` and ``[number]`` are sent for tokens of that kind, and where which stands is public, unless this is
    ``False``."""
    keep_words: Sequence[str]
    """Words that stay in clear where they stand, as they are written here (names of products): which stands where becomes public."""
    never_say: Sequence[str]
    """Words that never come out, in whatever case."""
    plain_layout: bool
    """Keep of the layout only where sentences end, with one space between words: less becomes public."""
    as_drawn: bool
    """Send words as they were drawn, to count them; without it, a word may take a form that agrees with the words next to it."""
    any_language: bool
    """Also privatize a text that is mostly not of the table's language; without it, ``other-language`` is raised."""


class Shape(TypedDict, total=False):
    """What a representation is of."""

    unit: Literal["text", "word"] | _native.Unit
    """``text`` (the default): one row, of the mean of the words' vectors. ``word``: one row for each word."""
    dropout: float
    """The share of words whose vector becomes null at random, at least 0 and below 1. It makes the guarantee stronger."""
    dropout_size: Literal["random", "fixed"]
    """``random`` (the default): a coin for each word. ``fixed``: that share of the words, rounded up."""
    mask: Sequence[bool]
    """Whether each word is left out; not with ``dropout``. It counts as public, and strengthens no guarantee."""
    any_language: bool
    """As in ``Options``. Not for vectors of another encoder."""


class RepresentationOptions(Terms, Shape, total=False):
    """How to represent a text, or vectors. Without a mechanism, by ``privunit2`` at the ``epsilon`` that is then needed."""


class BitOptions(Strength, Shape, total=False):
    """The same by a mechanism that gives bits."""

    mechanism: Required[BitMechanismName]


class VectorOptions(Strength, Shape, total=False):
    """The same by one that gives vectors."""

    mechanism: VectorMechanismName


Record = TypeVar("Record")


def record(kind: type[Record], options: Mapping[str, Any]) -> Record:
    """The library's record of these options. An unknown name is a ``TypeError``, as with any function."""
    given = dict(options)
    if "lambda_" in given:
        given["_lambda"] = given.pop("lambda_")
    for name, cases, code in NAMED:
        if isinstance(given.get(name), str):
            given[name] = case_of(cases, given[name], code)
        if not isinstance(given.get(name), cases | None):
            raise TypeError(f"{name} is a name, or one of {cases.__name__}")
    for name in ("keep_words", "never_say"):
        if isinstance(given.get(name), str):
            raise TypeError(f"{name} is a list of words")
        if name in given:
            given[name] = [text_of(word) for word in given[name]]
    for name in FLAGS:
        flag(name, given.get(name, False))
    rate, size, mask = (given.pop(name, None) for name in ("dropout", "dropout_size", "mask"))
    # A mask may be an array, which is compared entry by entry.
    if rate is not None or size is not None or mask is not None:
        given["dropout"] = dropout_of(rate, size, mask)
    return kind(**given)


def flag(name: str, given: object) -> bool:
    """uniffi takes any value for one that is true, also ``"no"``."""
    if not isinstance(given, bool):
        raise TypeError(f"{name} is True or False")
    return given


FLAGS = ("keep_function_words", "placeholders", "plain_layout", "as_drawn", "any_language")

NAMED: tuple[tuple[str, type[enum.Enum], str], ...] = (
    ("mechanism", _native.Mechanism, "invalid-mechanism"),
    ("calibration", _native.Calibration, "invalid-calibration"),
    ("preset", _native.Preset, "invalid-level"),
    ("unit", _native.Unit, "invalid-options"),
)


def detected(text: str, spans: Iterable[tuple[int, int, str]]) -> _native.Detected:
    """What a detector found, for the library. Places in a text whose half surrogate pairs make whole ones are not the library's."""
    if len(text_of(text)) != len(text):
        raise TextVeilError("invalid-span: the text is no Unicode")

    # A place that the library's number cannot hold is out of range.
    def place(given: int) -> int:
        return given if 0 <= given < 2**63 else 2**63

    found = []
    for span in spans:
        try:
            start, end, kind = span
        except ValueError:
            raise TypeError("a span is its start, its end and its kind") from None
        found.append(_native.DetectedSpan(start=place(start), end=place(end), kind=text_of(kind)))
    return _native.Detected(offsets=_native.Offsets.CODE_POINTS, spans=found)


def dropout_of(rate: float | None, size: str | None, mask: Sequence[bool] | None) -> _native.Dropout:
    if mask is not None and rate is None and size is None:
        return cast(_native.Dropout, _native.Dropout.MASK(mask=[bool(entry) for entry in mask]))
    if mask is not None or rate is None or size not in (None, "random", "fixed"):
        raise TextVeilError("invalid-options: dropout_size is 'random' or 'fixed', and says it of dropout; a mask stands alone")
    case = _native.Dropout.FIXED if size == "fixed" else _native.Dropout.RANDOM
    return cast(_native.Dropout, case(rate=rate))


def case_of(cases: type[enum.Enum], name: str, code: str) -> enum.Enum:
    for case in cases:
        if name_of(case) == name:
            return case
    raise TextVeilError(f"{code}: the names here are: {', '.join(map(name_of, cases))}")


def name_of(case: enum.Enum) -> str:
    """The name of a case in every language and file."""
    return case.name.lower().replace("_", "-")


def guarantee_as_dict(guarantee: _native.Guarantee) -> dict[str, Any]:
    """A guarantee as JSON has it, by the names that it has in JavaScript: for a database, a log, or metadata."""
    fields = {camel_case(name): plain(value) for name, value in fields_of(guarantee).items()}
    # Where no list is stated, JSON has no field.
    return {name: value for name, value in fields.items() if value is not None or name not in ("keptWords", "neverSaid")}


def plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return name_of(value)
    if isinstance(value, (_native.Claim, _native.WordList)):
        return {camel_case(name): plain(field) for name, field in fields_of(value).items()}
    if isinstance(value, dict):
        return {camel_case(name_of(key).replace("-", "_")): plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
