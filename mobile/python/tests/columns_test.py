"""Columns of every kind: a row stays in its place, and a study does not depend on how it is cut."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import has_seeds, study

from textveil import TextVeil, TextVeilError
from textveil import _columns
from textveil.polars import privatize
from textveil.sklearn import TextVeilPrivatizer

WARDS = ["fever", "heart", "child", "eye", "bone", "lung", "skin"]
ROWS: list[str | None] = [
    None if n % 11 == 10 else "" if n % 11 == 9 else f"The {WARDS[n % 7]} ward {n} was kind to my mother." for n in range(300)
]
SEEDED = pytest.mark.skipif(not has_seeds(), reason="the release library cannot be seeded")

KINDS: dict[str, Callable[[list[str | None]], Any]] = {
    "list": list,
    "tuple": tuple,
    "arrow": lambda rows: pa.array(rows, pa.string()),
    "large arrow": lambda rows: pa.array(rows, pa.large_string()),
    "arrow view": lambda rows: pa.array(rows, pa.string_view()),
    "arrow slice": lambda rows: pa.array([None, "before", *rows, "behind"], pa.string())[2:-1],
    "chunked arrow": lambda rows: pa.chunked_array([rows[:100], [], rows[100:]], pa.string()),
    "pandas": lambda rows: pd.Series(rows, index=range(7, 7 + len(rows)), name="review"),
    "pandas objects": lambda rows: pd.Series(rows, dtype=object),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.string())),
    "polars": lambda rows: pl.Series("review", rows, pl.String),
}


def as_list(column: Any) -> list[str | None]:
    rows = column.to_pylist() if isinstance(column, pa.Array | pa.ChunkedArray) else list(column)
    return [row if isinstance(row, str) else None for row in rows]


@SEEDED
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [ROWS, [], [None], ["kind"]], ids=["many", "none", "null", "one"])
def test_a_column_of_any_kind_is_what_the_plain_call_makes_of_its_rows(kind: str, rows: list[str | None]) -> None:
    plain = study()
    expected = [None if row is None else plain.privatize(row).text for row in rows]
    column = KINDS[kind](rows)
    released = study().privatize_column(column)
    assert as_list(released.values) == expected
    assert released.guarantee.words == max((plain.privatize(row).guarantee.words for row in rows if row), default=0)
    if kind not in ("list", "tuple"):
        assert type(released.values) is type(column)
        dtype = "type" if "arrow" in kind and "pandas" not in kind else "dtype"
        assert getattr(released.values, dtype) == getattr(column, dtype)
    if kind == "pandas":
        assert released.values.index.equals(column.index)
        assert released.values.name == column.name


@SEEDED
@pytest.mark.parametrize("threads", [1, 2, 7, 64])
def test_a_study_does_not_depend_on_the_threads(threads: int) -> None:
    assert study().privatize_column(ROWS, threads=threads) == study().privatize_column(ROWS)


@SEEDED
def test_a_study_does_not_depend_on_the_parts_that_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study().privatize_column(ROWS).values
    monkeypatch.setattr(_columns, "MOST_BYTES", 100)
    assert study().privatize_column(ROWS).values == whole
    assert as_list(study().privatize_column(pa.array(ROWS)).values) == whole


def test_equal_rows_are_drawn_each_for_itself_and_nothing_is_remembered() -> None:
    veil, rows = TextVeil(), ["The doctor was kind to my mother."] * 50
    first, second = veil.privatize_column(rows).values, veil.privatize_column(rows).values
    assert len({*first, *second}) == 100


@pytest.mark.parametrize("column", ["one text", b"bytes", [1, 2], pa.array([1]), pd.Series([1.5]), pd.DataFrame(), pl.Series([1])])
def test_what_is_no_column_of_texts_is_a_type_error(column: object) -> None:
    with pytest.raises((TypeError, pa.ArrowException)):
        TextVeil().privatize_column(column)


def test_one_row_that_is_too_long_fails_the_column() -> None:
    with pytest.raises(TextVeilError) as refused:
        TextVeil().privatize_column(["kind", "a" * (1 << 20) + "a"])
    assert refused.value.code == "text-too-long"


@SEEDED
def test_the_polars_expression_is_the_column() -> None:
    frame = pl.DataFrame({"review": ROWS}, schema={"review": pl.String})
    released = frame.lazy().with_columns(privatize("review", veil=study()).alias("released")).collect()
    assert released["released"].to_list() == study().privatize_column(ROWS).values
    with pytest.raises(TextVeilError):
        privatize("review", epsilon=-1)


@SEEDED
def test_the_transformer_fits_into_a_pipeline() -> None:
    from sklearn.base import clone
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    texts = [row for row in ROWS if row]
    transformer = clone(TextVeilPrivatizer(epsilon=12.0, veil=study()))
    released = transformer.fit_transform(texts)
    assert list(released) == study().privatize_column(texts, epsilon=12.0).values
    assert transformer.guarantee_.epsilon_word <= 12.0
    assert transformer.release_guarantee_.words == 9
    counts = make_pipeline(TextVeilPrivatizer(), CountVectorizer()).fit_transform(texts)
    assert counts.shape[0] == len(texts)


def test_a_column_and_the_plain_loop_by_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row for row in ROWS if row] * 10

    def rows_a_second(work: Callable[[], object]) -> float:
        start = time.perf_counter()
        work()
        return len(rows) / (time.perf_counter() - start)

    distinct = [f"{row} {place}" for place, row in enumerate(rows)]
    veil = TextVeil()
    veil.privatize("ready")
    loop = rows_a_second(lambda: [veil.privatize(row).text for row in distinct])
    alone = rows_a_second(lambda: veil.privatize_column(distinct, threads=1))
    column = rows_a_second(lambda: veil.privatize_column(distinct))
    with capsys.disabled():
        print(f"\nrows of 10 words a second: plain loop {loop:.0f}, column on one thread {alone:.0f}, on all {column:.0f}")
