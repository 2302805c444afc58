"""Shares: the numbers of ``textveil-collector estimate``, those of scipy, every kind of column, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import beta

from api_test import code_of
from conftest import ROOT
from textveil import Statements, TextVeil, TextVeilError, estimate, guarantee_as_dict
from textveil.estimate import Share

LIST = ROOT / "statements/product-feedback.tvs"
CASES = json.loads(Path(__file__).with_name("shares.json").read_text())
"""Counts of releases, and the shares that ``collector/tests/estimate.rs`` finds the program to say of them."""
PRICE = "It is too expensive."


def found(case: dict[str, Any]) -> list[Share]:
    counts, guarantee, confidence = case["counts"], case["guarantee"], case["confidence"]
    match case["asked"]:
        case "statements":
            return estimate.statements(LIST, counts, guarantee, topics=case["topics"], confidence=confidence)
        case "choices":
            return estimate.choices(case["topics"], counts, guarantee, confidence=confidence)
        case _:
            return estimate.words(case["topics"], counts, guarantee, confidence=confidence)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["asked"]))
def test_shares_are_those_of_the_command_line(case: dict[str, Any]) -> None:
    for share, expected in zip(found(case), case["shares"], strict=True):
        assert (share.name, share.below_noise) == (expected["name"], expected["belowNoise"])
        numbers = [share.estimate, share.released, *share.interval, *share.together]
        written = [expected["estimate"], expected["released"], *expected["interval"], *expected["together"]]
        assert numbers == pytest.approx(written, abs=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case["asked"] != "words"], ids=lambda case: str(case["asked"]))
def test_shares_are_those_of_the_formula(case: dict[str, Any]) -> None:
    """An entry comes out with probability p if it is near, else with q; the hits are binomial (Clopper and Pearson)."""
    epsilon, topics, counts = case["guarantee"]["epsilonWord"], case["topics"], case["counts"]
    reports = sum(counts.values())
    if case["asked"] == "choices":
        near, p, q, slots = 1, 0.5, 1 / (np.exp(epsilon) + 1), 1
        places = {name: place for place, name in enumerate(topics)}
        hits = {name: sum(count for bits, count in counts.items() if bits[places[name]] == "1") for name in topics}
    else:
        size = len(Statements(LIST).statements())
        near, slots = round(case["guarantee"]["parameters"]["mass"] * size), case["guarantee"]["words"]
        q = 1 / (near * np.exp(epsilon) + size - near)
        p = q * np.exp(epsilon)
        hits = {
            name: sum(count * text.count(entry) for text, count in counts.items() for entry in entries) / slots
            for name, entries in topics.items()
        }
    for share in found(case):
        entries = len(topics[share.name])
        start, slope, of = q * entries, (p - q) * near, hits[share.name]
        # A text that counts for several entries counts for a part of each.
        most = min(entries, near) / near
        assert share.estimate == pytest.approx(np.clip((of / reports - start) / slope, 0, most), abs=1e-5)
        for ends, tail in [(share.interval, 1 - case["confidence"]), (share.together, (1 - case["confidence"]) / len(topics))]:
            low = beta.ppf(tail / 2, of, reports - of + 1)
            high = beta.ppf(1 - tail / 2, of + 1, reports - of)
            assert ends == pytest.approx([np.clip((end - start) / slope, 0, most) for end in (low, high)], abs=1e-5)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        iter,
        lambda rows: np.array(rows, dtype=object),
        lambda rows: np.ma.array([row or "" for row in rows], mask=[row is None for row in rows]),
        pd.Series,
        lambda rows: pd.Series(rows, dtype="category"),
        pl.Series,
        pa.array,
        lambda rows: pa.chunked_array([rows, rows[:0]]),
    ],
)
def test_any_column_is_counted_without_its_gaps(kind: Callable[[list[str | None]], Any]) -> None:
    guarantee = Statements(LIST).guarantee()
    rows = [PRICE, None, "I love this app.", PRICE]
    expected = estimate.statements(LIST, {PRICE: 2, "I love this app.": 1}, guarantee_as_dict(guarantee))
    assert estimate.statements(LIST, kind(rows), guarantee) == expected
    assert len(expected) == len(Statements(LIST).statements())


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_counts_of_missing_rows_are_passed_over(missing: Any) -> None:
    guarantee = Statements(LIST).guarantee()
    counts = {PRICE: 2, "I love this app.": 1}
    assert estimate.statements(LIST, counts | {missing: 7}, guarantee) == estimate.statements(LIST, counts, guarantee)
    with pytest.raises(TypeError):
        estimate.statements(LIST, {7: 1}, guarantee)  # type: ignore[dict-item]


def test_as_drawn_is_true_or_false() -> None:
    with pytest.raises(TypeError, match="as_drawn is True or False"):
        estimate.words({"food": ["food"]}, ["food"], TextVeil().guarantee(), as_drawn="no")  # type: ignore[arg-type]


def test_a_frame_is_no_column_and_a_text_is_no_guarantee() -> None:
    guarantee = Statements(LIST).guarantee()
    with pytest.raises(TypeError, match="one column"):
        estimate.statements(LIST, pd.DataFrame({"released": [PRICE]}), guarantee)
    with pytest.raises(TypeError, match="mapping"):
        estimate.statements(LIST, [PRICE], json.dumps(guarantee_as_dict(guarantee)))  # type: ignore[arg-type]


def test_released_texts_and_choices_have_the_shares_of_their_people() -> None:
    statements, veil = Statements(LIST), TextVeil()
    released = statements.privatize_column(["It costs far too much."] * 300 + ["I love this app"] * 700)
    (price, praise) = estimate.statements(
        LIST, released.values, released.guarantee, topics={"price": [PRICE], "praise": ["I love this app."]}, confidence=0.9999
    )
    assert price.together[0] <= 0.3 <= price.together[1]
    assert praise.together[0] <= 0.7 <= praise.together[1]
    reports = [veil.choice(row % 4 // 3, 9, question=str(row), epsilon=3.0) for row in range(1000)]
    shares = estimate.choices(list("abcdefghi"), reports, reports[0].guarantee, confidence=0.9999)
    for share, truth in zip(shares, [0.75, 0.25, 0, 0, 0, 0, 0, 0, 0], strict=True):
        assert share.together[0] <= truth <= share.together[1]


def test_what_cannot_be_counted_is_refused_by_its_row_and_without_a_word_of_it() -> None:
    guarantee, of_words = guarantee_as_dict(Statements(LIST).guarantee()), TextVeil().guarantee()

    def of(releases: Any, guarantee: Any = guarantee, **options: Any) -> str:
        return code_of(estimate.statements, LIST, releases, guarantee, **options)

    with pytest.raises(TextVeilError, match=r"^bad-release: it is no statement of the list$") as refused:
        estimate.statements(LIST, [PRICE, None, "secret", "secret"], guarantee)
    assert refused.value.row == 2
    with pytest.raises(TextVeilError, match=r"^bad-release: ") as refused:
        estimate.statements(LIST, (row for row in [PRICE, None, "secret", "secret"]), guarantee)
    assert refused.value.row == 2
    with pytest.raises(TextVeilError, match=r"^bad-release: ") as refused:
        estimate.choices(["a", "b"], ["01", "02"], TextVeil().choice(0, 2, question="q", epsilon=1.0).guarantee)
    assert refused.value.row == 1
    assert of([PRICE], guarantee | {"epsilonText": 1.0}) == "bad-guarantee"
    assert of([PRICE], guarantee | {"unknown": 1.0}) == "bad-guarantee"
    assert of([PRICE], {}) == "bad-guarantee"
    assert of([PRICE], of_words) == "bad-guarantee"
    assert of({PRICE: 0}) == of({PRICE: -1}) == of({PRICE: 1 << 64}) == "invalid-argument"
    assert of({PRICE: 1, "I love this app.": 1 << 53}) == "bad-release"
    assert of([PRICE], confidence=1.0) == of([PRICE], topics={"price": ["secret"]}) == "invalid-argument"
    assert code_of(estimate.statements, b"secret", [PRICE], guarantee) == "bad-statements"
    assert code_of(estimate.words, {}, ["food"], of_words) == "invalid-argument"
    assert code_of(estimate.words, {"food": ["xqzzy"]}, ["food"], of_words) == "invalid-argument"
    assert code_of(estimate.words, {"food": ["food"]}, ["food"], of_words, table=b"secret") == "bad-table"
    assert estimate.statements(LIST, [], guarantee) == []
    for releases in (PRICE, {PRICE: 1.5}, [7]):
        with pytest.raises(TypeError):
            estimate.statements(LIST, releases, guarantee)  # type: ignore[arg-type]
