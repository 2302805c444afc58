"""Shares of statements, choices, words and topics among what was released, with intervals.

How noise is drawn is public, so it is removed from shares on average. Counting what was released is wrong, however many releases
there are. A share describes all people, and those who answered are a sample of them. They are computed from releases alone, and
weaken no guarantee. ``textveil-collector estimate`` computes the same from files.
"""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _native
from ._columns import is_missing, library_of, text_of
from ._errors import TextVeilError, call
from ._files import File, contents
from ._generated import fields_of
from ._options import flag, guarantee_as_dict
from ._statements import texts_of

Releases = Iterable[str | None] | Mapping[str, int] | Mapping[str | None, int]
"""Texts, as a list or as a column of pandas, Polars or Arrow; or how often each text was released. What is missing (``None``,
``NaN``) is skipped."""

Guarantee = _native.Guarantee | Mapping[str, Any]
"""What is promised of all releases, as they came with it or as JSON has it; of words, that of the row with the most words."""

Topics = Mapping[str, Sequence[str]]
"""Words or statements whose share is asked for together, by a name."""


class Share(NamedTuple):
    """An estimated share, from 0 to 1."""

    name: str
    """The statement, word, topic or choice whose share it is."""
    estimate: float
    interval: tuple[float, float]
    """Where this share lies, with the confidence that was asked for."""
    together: tuple[float, float]
    """Where it lies, with that confidence for all shares of the list together."""
    released: float
    """What the releases themselves say, noise and all."""
    below_noise: bool
    """The releases do not tell it from 0."""


def statements(
    statement_list: File, releases: Releases, guarantee: Guarantee, *, topics: Topics | None = None, confidence: float = 0.95
) -> list[Share]:
    """The share of each statement of a list, or of topics of statements.

    The list is a ``.tvs``. A share counts the texts to which a statement is nearest; where k are near, each counts for 1/k.
    Missing releases are skipped. Without releases there are no shares.

    ``bad-guarantee``: it is not what textveil states, or is about something else. ``bad-release``: a text is no statement of the
    list. ``invalid-argument``: a topic names what the list lacks, or a number is out of its range.
    """
    asked = _native.Asked.STATEMENTS(contents(statement_list), topics_of(topics or {}))
    return shares(asked, releases, guarantee, confidence)


def choices(
    names: Iterable[str],
    reports: Iterable[_native.ChoiceReport | str | None] | Mapping[str, int],
    guarantee: Guarantee,
    *,
    confidence: float = 0.95,
) -> list[Share]:
    """The share of each value of a choice, from the reports of ``TextVeil.choice``, or from their bits as digits ("0100").

    The names are those of the values, in the order of their list. What is refused is as for :func:`statements`.
    """
    digits = reports if isinstance(reports, Mapping) else [digits_of(report) for report in reports]
    return shares(_native.Asked.CHOICES(texts_of(names)), digits, guarantee, confidence)


def words(
    topics: Topics,
    releases: Releases,
    guarantee: Guarantee,
    *,
    table: File | None = None,
    as_drawn: bool = False,
    confidence: float = 0.95,
) -> list[Share]:
    """The share of topics of words among all words. It takes half a minute of a core.

    All forms of a word count as one (say, says, said), because a release may write another form than was drawn. ``as_drawn``
    says that releases were asked for ``as_drawn``: then forms count apart. What is refused is as for :func:`statements`.
    """
    asked = _native.Asked.WORDS(None if table is None else contents(table), topics_of(topics), flag("as_drawn", as_drawn))
    return shares(asked, releases, guarantee, confidence)


def shares(asked: Any, releases: Releases, guarantee: Guarantee, confidence: float) -> list[Share]:
    counts, rows = counts_of(releases)
    if isinstance(guarantee, _native.Guarantee):
        guarantee = guarantee_as_dict(guarantee)
    if isinstance(guarantee, str | bytes):
        raise TypeError("a guarantee is an object or a mapping: json.loads makes one of JSON")
    equal = [_native.EqualReleases(text=text, count=count) for text, count in counts.items()]
    try:
        found = call(_native.shares, asked, equal, json.dumps(dict(guarantee)), confidence)
    except _native.SharesError as error:
        why: Any = error
        refused = TextVeilError(f"{why.code}: {why.reason}")
        if why.place is not None:
            refused.row = rows.get(equal[why.place].text)
        raise refused from None
    return [Share(**fields_of(share) | {name: tuple(getattr(share, name)) for name in ("interval", "together")}) for share in found]


def counts_of(releases: Releases) -> tuple[dict[str, int], dict[str, int]]:
    """How often each text was released, and the first row of it where there are rows."""
    if isinstance(releases, Mapping):
        return {text_of(text): operator.index(count) for text, count in releases.items() if not is_missing(text)}, {}
    if isinstance(releases, str | bytes):
        raise TypeError("releases are a list of texts, not one text")
    counts: Counter[str] = Counter()
    rows: dict[str, int] = {}
    for row, release in enumerate(rows_of(releases)):
        if not is_missing(release):
            text = text_of(release)
            counts[text] += 1
            rows.setdefault(text, row)
    return counts, rows


def rows_of(releases: Any) -> Iterable[Any]:
    rows: Iterable[Any] = releases
    match library_of(type(releases)):
        case "pandas":
            if releases.ndim != 1:
                raise TypeError("releases are one column, not a data frame")
            rows = (None if missing else row for row, missing in zip(releases, releases.isna(), strict=True))
        case "numpy":
            rows = releases.tolist()
        case "pyarrow":
            rows = releases.to_pylist()
    return rows


def digits_of(report: _native.ChoiceReport | str | None) -> str | None:
    if not isinstance(report, _native.ChoiceReport):
        return report
    return "".join(f"{byte:08b}" for byte in report.bits)[: report.bit_length]


def topics_of(topics: Topics) -> list[_native.Topic]:
    return [_native.Topic(name=text_of(name), entries=texts_of(entries)) for name, entries in topics.items()]
