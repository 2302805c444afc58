"""SPEC.md, section 12: what a release is remembered by; and its golden vectors."""

from __future__ import annotations

import hashlib
import itertools
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from guarantees import BITS, CERTIFIED, METRIC, Options
from mechanism_vectors import (
    _CLIPS,
    _NEAREST,
    _NEAREST_TABLES,
    NORMALIZED,
    REPRESENTED,
    VECTORS,
    _dropout,
    _representation_options,
    _table_of,
    _word_options,
)
from reference import Options as Shown
from reference import Table
from representations import Ball, Dropout, Rows
from vector_tools import Json
from word_mechanisms import NEAREST_LEVELS, NEAREST_USUAL, metric_eta, nearest_settled, noise_of, word_mechanism

if TYPE_CHECKING:
    from redaction import Redacted

# In the order of the items, by their names in the vectors, with the names in the key.
_PARAMETERS = {"delta": "delta", "clip": "clip", "lambda": "lambda", "gamma": "gamma", "t": "t",
               "integer_bits": "integerBits", "fraction_bits": "fractionBits", "tilt": "tilt",
               "mass": "mass", "frequency_power": "frequencyPower"}
_USUAL_BITS = {"integer_bits": 4, "fraction_bits": 5}

Item = tuple[str, bytes]


def key(items: Sequence[Item]) -> str:
    parts = [part for name, value in items for part in (name.encode(), value)]
    return hashlib.sha256(b"".join(struct.pack("<Q", len(part)) + part for part in parts)).hexdigest()


def _real(value: float) -> bytes:
    return struct.pack("<d", value + 0.0)


def _count(value: int) -> bytes:
    return struct.pack("<Q", value)


def _law(release: str, identity: bytes | None, mechanism: str, options: Options, eta: float | None) -> list[Item]:
    items = [("release", release.encode())]
    if identity is not None:
        items.append(("table", identity))
    items += [("mechanism", mechanism.encode()), ("calibration", str(options.get("calibration", "sound")).encode())]
    items.append(("epsilon", _real(options["epsilon"])) if eta is None else ("eta", _real(eta)))
    return items


def _parameters(mechanism: str, options: Options) -> list[Item]:
    usual = _USUAL_BITS if mechanism in BITS else {}
    usual = {**usual, "tilt": 0} if mechanism == "randomized-response" else usual
    values = {**usual, **options}
    return [(named, _real(values[name])) for name, named in _PARAMETERS.items() if name in values]


def _eta_of_words(mechanism: str, table: Table, options: Options) -> float | None:
    if mechanism not in METRIC and mechanism not in CERTIFIED:
        return None
    if "level" in options and mechanism not in CERTIFIED:
        return [level.eta for level in table.levels if level.mechanism == mechanism][options["level"]]
    return word_mechanism(mechanism, table, options).eta


def of_words(table: Table, identity: bytes, mechanism: str, options: Options, text: str, field: str | None,
             keep_function_words: bool, placeholders: bool, plain_layout: bool = False, as_drawn: bool = False) -> str:
    if mechanism == "nearest":
        options = nearest_settled(table.rows, options)
    items = _law("words", identity, mechanism, options, _eta_of_words(mechanism, table, options))
    items += _parameters(mechanism, options)
    items += [("clear", b"function-words")] if keep_function_words else []
    items += [("clear", b"placeholders")] if placeholders else []
    items += [("layout", b"plain")] if plain_layout else []
    items += [("words", b"as-drawn")] if as_drawn else []
    items.append(("text", text.encode()))
    return key(items if field is None else [*items, ("field", field.encode())])


def of_redacted(table: Table, identity: bytes, options: Options, text: Redacted, lists: Mapping[str, Json], shown: Shown) -> str:
    """Of a text that a detector may have seen, under lists of words, by `exponential`."""
    items = _law("words", identity, "exponential", options, _eta_of_words("exponential", table, options))
    items += _parameters("exponential", options)
    items += [("clear", b"function-words")] if shown.keep_function_words else []
    items += [("clear", b"placeholders")] if shown.placeholders else []
    items += [("layout", b"plain")] if shown.plain_layout else []
    items += [("words", b"as-drawn")] if shown.as_drawn else []
    named = (("kept words", lists["kept_words"]), ("never said", lists["never_said"]))
    items += [(name, bytes.fromhex(one["digest"])) for name, one in named if one is not None]
    items += [] if text.kinds is None else [("clear", b"redactions")]
    between = [("redacted", f"[{kind}]".encode()) for kind in text.kinds or ()]
    for stretch, behind in itertools.zip_longest(text.stretches, between):
        items += [("text", stretch.encode()), *([] if behind is None else [behind])]
    return key(items)


def _left_out(dropout: Dropout) -> list[Item]:
    if dropout.kind == "bernoulli" and int(dropout.rate * 2**64) > 0:
        return [("random dropout", _count(int(dropout.rate * 2**64)))]
    if dropout.kind == "fixed" and dropout.rate > 0:
        return [("fixed dropout", _real(dropout.rate))]
    return [("mask", bytes(dropout.mask))] if any(dropout.mask) else []


def of_representation(space: Rows | Ball, identity: bytes | None, mechanism: str, options: Options, unit: str,
                      dropout: Dropout, inputs: Sequence[Item], field: str | None) -> str:
    eta = noise_of(mechanism, space, options).eta if mechanism in METRIC else None
    items = _law("representation", identity, mechanism, options, eta) + _parameters(mechanism, options)
    items.append(("unit", unit.encode()))
    if isinstance(space, Ball):
        items.append(("dimensions", _count(space.dims)))
        # Its vectors have length 1, whatever is said of their norm.
        items += [] if mechanism == "privunit2" else [("clip", _real(space.clip))]
    items += [*_left_out(dropout), *inputs]
    return key(items if field is None else [*items, ("field", field.encode())])


def of_choice(mechanism: str, options: Options, size: int, question: str, answer: int) -> str:
    items = _law("choice", None, mechanism, options, None)
    return key([*items, ("size", _count(size)), ("question", question.encode()), ("answer", _count(answer))])


# --- keys.json -------------------------------------------------------------------------------------------------------

_TEXTS = ("", "The nurse saw him.", "Café 我们 at 10:30", "a")
_FIELDS = (None, "", "comment", "größe")


def key_vectors(tables: Mapping[str, Table], identities: Mapping[str, bytes]) -> Json:
    vectors = {"words": [*_words(tables, identities)], "texts": [*_of_texts(tables, identities)],
               "vectors": [*_of_vectors()], "whole_texts": [*_of_whole_texts("wide.tvt", identities["wide.tvt"])],
               "choices": [*_choices()]}
    for name, cases in vectors.items():
        distinct = {case["key"] for case in cases}
        same = sum(case.get("same", False) for case in cases)
        assert len(distinct) == len(cases) - same, f"{name}: two laws with one key, or one with two"
    return vectors


def _words(tables: Mapping[str, Table], identities: Mapping[str, bytes]) -> Iterator[Json]:
    shown = itertools.cycle(itertools.product((False, True), repeat=2))
    inputs = itertools.cycle((text, field) for text in _TEXTS for field in _FIELDS)

    def case(name: str, mechanism: str, options: Options, text: str, field: str | None, clear: tuple[bool, bool],
             plain_layout: bool = False, as_drawn: bool = False) -> Json:
        found = of_words(tables[name], identities[name], mechanism, options, text, field, *clear, plain_layout, as_drawn)
        return {"table": name, "mechanism": mechanism, "options": options, "text": text, "field": field,
                "keep_function_words": clear[0], "placeholders": clear[1], "plain_layout": plain_layout,
                "as_drawn": as_drawn, "key": found}

    seen = set()
    for name in _CLIPS:
        for mechanism, options in _word_options(tables[name], _CLIPS[name]):
            for (text, field), clear in itertools.islice(zip(inputs, shown, strict=False), 2):
                one = case(name, mechanism, options, text, field, clear)
                # Two ways to say one strength may meet here by chance.
                yield {**one, "same": True} if one["key"] in seen else one
                seen.add(one["key"])
    for epsilon in (0.5, 4.0):
        yield case("classes.tvt", "class-exponential", {"epsilon": epsilon}, "a", None, (False, False))
    for name, options in itertools.product(_NEAREST_TABLES, _NEAREST):
        yield case(name, "nearest", options, "a", None, (False, False))
    for clear, *shape in itertools.product(itertools.product((False, True), repeat=2), (False, True), (False, True)):
        yield case("toy.tvt", "exponential", {"eta": 1.25}, "a", "plain", clear, *shape)
    # However one strength is put, it is one release.
    zeros = [("toy.tvt", "vickrey", [{"eta": 1.5, "t": t} for t in (0.0, -0.0)]),
             ("toy.tvt", "nearest", [{"epsilon": 1.5, "mass": 0.25, "frequency_power": power} for power in (0.0, -0.0)])]
    for name, mechanism, ways in (*_ways(tables), *_ways_of_nearest(), *zeros):
        for n, options in enumerate(ways):
            yield {**case(name, mechanism, options, "one text", "field", (True, True)), "same": n > 0}


def _ways(tables: Mapping[str, Table]) -> Iterator[tuple[str, str, list[Options]]]:
    for name, mechanism in itertools.product(("toy.tvt", "odd.tvt"), ("exponential", "metric-laplace")):
        levels = [level.eta for level in tables[name].levels or () if level.mechanism == mechanism]
        for n, eta in enumerate(levels):
            yield name, mechanism, [{"level": n}, {"eta": eta}]
    for name in ("toy.tvt", "odd.tvt"):
        if tables[name].certificates is not None:
            for mechanism in CERTIFIED:
                levels = [one for one in tables[name].certificates.levels if (one.near > 0) == (mechanism == "plateau")]
                for n, one in enumerate(levels[:-1]):
                    yield name, mechanism, [{"level": n}, {"eta": one.eta}, {"epsilon": one.epsilon}]
        epsilon = 7.0
        eta = metric_eta(tables[name].scale, tables[name].d_max, {"epsilon": epsilon})
        yield name, "exponential", [{"epsilon": epsilon}, {"eta": eta}]


def _ways_of_nearest() -> Iterator[tuple[str, str, list[Options]]]:
    """A level, its number left out where it is the usual one, its ε alone, and all that it stands for."""
    for place, (epsilon, power, mass) in enumerate(NEAREST_LEVELS):
        whole = {"epsilon": epsilon, "frequency_power": power, "mass": mass}
        usual = [{}] if place == NEAREST_USUAL else []
        yield "line.tvt", "nearest", [{"level": place}, *usual, {"epsilon": epsilon}, {"epsilon": epsilon, "mass": mass}, whole]
    least = NEAREST_LEVELS[0]
    yield "line.tvt", "nearest", [{"epsilon": 1.0}, {"epsilon": 1.0, "frequency_power": least[1], "mass": least[2]}]


def _dropouts(mechanism: str, words: int) -> list[tuple[Dropout, bool]]:
    """With whether it is the first again."""
    none = [(Dropout(), False), (Dropout("bernoulli", 0.0), True), (Dropout("fixed", 0.0), True),
            (Dropout("bernoulli", -0.0), True), (Dropout("mask", mask=(False,) * words), True)]
    mask = Dropout("mask", mask=tuple(place % 2 == 0 for place in range(words)))
    some = [] if mechanism in METRIC else [(Dropout("bernoulli", 2.0**-65), True), (Dropout("bernoulli", 0.3), False),
                                           (Dropout("fixed", 0.3), False), (Dropout("fixed", 0.29), False)]
    return [*none, *some, (mask, False)]


def _of_texts(tables: Mapping[str, Table], identities: Mapping[str, bytes]) -> Iterator[Json]:
    text, words = "The nurse saw him", 4
    mask = Dropout("mask", mask=(True,) + (False,) * (words - 1))

    def case(mechanism: str, options: Options, unit: str, dropout: Dropout, text: str, same: bool,
             field: str | None = None) -> Json:
        name = _table_of(mechanism)
        space, inputs = Rows(tables[name], options.get("clip")), [("text", text.encode())]
        found = of_representation(space, identities[name], mechanism, options, unit, dropout, inputs, field)
        return {"table": name, "mechanism": mechanism, "options": options, "unit": unit, "dropout": _dropout(dropout),
                "text": text, "field": field, "key": found, "same": same}

    for mechanism in REPRESENTED:
        for options, unit in itertools.product(_representation_options(mechanism), ("word", "text")):
            yield case(mechanism, options, unit, Dropout(), text, False)
        options = _representation_options(mechanism)[0]
        yield case(mechanism, options, "text", Dropout(), "", False)
        for dropout, same in _dropouts(mechanism, words):
            yield case(mechanism, options, "text", dropout, f"{text}!", same)
        for field in _FIELDS[1:]:
            yield case(mechanism, options, "text", Dropout(), text, False, field)
        yield case(mechanism, options, "text", mask, text, False, "comment")
        for more in _said_aloud(mechanism):
            yield case(mechanism, {**options, **more}, "text", Dropout(), text, True)


def _said_aloud(mechanism: str) -> list[Options]:
    """What holds unless told, told."""
    return [_USUAL_BITS, {"integer_bits": 4}, {"fraction_bits": 5}] if mechanism in BITS else []


def _of_vectors() -> Iterator[Json]:
    def case(mechanism: str, options: Options, dims: int, clip: float, vectors: Sequence[Sequence[float]], unit: str,
             dropout: Dropout, same: bool, field: str | None = None) -> Json:
        inputs = [("vector", b"".join(_real(x) for x in vector)) for vector in vectors]
        found = of_representation(Ball(dims, clip), None, mechanism, options, unit, dropout, inputs, field)
        return {"dims": dims, "clip": clip, "vectors": vectors, "mechanism": mechanism, "options": options,
                "unit": unit, "dropout": _dropout(dropout), "field": field, "key": found, "same": same}

    for mechanism in REPRESENTED:
        if mechanism == "mahalanobis":
            continue
        sets = NORMALIZED if mechanism == "privunit2" else VECTORS
        options = _representation_options(mechanism)[0]
        for (dims, clip, vectors), unit in itertools.product(sets, ("word", "text")):
            yield case(mechanism, options, dims, clip, vectors, unit, Dropout(), False)
        dims, clip, vectors = sets[0]
        # Another clip is another law, but where it says nothing.
        yield case(mechanism, options, dims, 2 * clip, vectors, "text", Dropout(), mechanism == "privunit2")
        negated = [[-0.0 if x == 0 else x for x in vector] for vector in vectors]
        yield case(mechanism, options, dims, clip, negated, "text", Dropout(), True)
        yield case(mechanism, options, dims, clip, vectors[:1], "text", Dropout(), False)
        for dropout, same in _dropouts(mechanism, len(vectors))[1:]:
            yield case(mechanism, options, dims, clip, vectors, "text", dropout, same)
        for field in _FIELDS[1:]:
            yield case(mechanism, options, dims, clip, vectors, "text", Dropout(), False, field)


def _of_whole_texts(name: str, identity: bytes) -> Iterator[Json]:
    def case(epsilon: float, dims: int | None, text: str, field: str | None) -> Json:
        options, inputs = {"epsilon": epsilon}, [("text", text.encode())]
        space = Ball(5 if dims is None else dims, 1.0)
        found = of_representation(space, identity, "privunit2", options, "whole-text", Dropout(), inputs, field)
        return {"encoder": name, "dims": dims, "mechanism": "privunit2", "options": options, "unit": "whole-text",
                "dropout": None, "text": text, "field": field, "key": found, "same": dims is None}

    for (epsilon, dims), text in itertools.product(((0.5, 3), (0.5, 5), (8.0, 5), (8.0, None)), _TEXTS):
        yield case(epsilon, dims, text, None)
    for text, field in itertools.product(_TEXTS, _FIELDS[1:]):
        yield case(8.0, 5, text, field)


def _choices() -> Iterator[Json]:
    for mechanism, calibration, epsilon in itertools.product(("sue", "oue"), ({}, {"calibration": "published"}), (0.5, 4.0)):
        options = {"epsilon": epsilon, **calibration}
        for question, size, value in (("q", 2, 0), ("q", 2, 1), ("q", 5, 1), ("", 5, 1), ("größe", 64, 63)):
            yield {"mechanism": mechanism, "options": options, "size": size, "value": value, "question": question,
                   "key": of_choice(mechanism, options, size, question, value)}
    options = {"epsilon": 4.0, "calibration": "sound"}
    yield {"mechanism": "oue", "options": options, "size": 5, "value": 1, "question": "q",
           "key": of_choice("oue", options, 5, "q", 1), "same": True}
