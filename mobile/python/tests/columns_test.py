"""Columns of every kind: a row stays in its place, and a study does not depend on how it is cut."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import has_seeds, study
from textveil import TextVeil, TextVeilError, _columns, _native
from textveil.polars import privatize

WARDS = ["fever", "heart", "child", "eye", "bone", "lung", "skin"]
ROWS: list[str | None] = [
    None if n % 11 == 10 else "" if n % 11 == 9 else f"The {WARDS[n % 7]} ward {n} was kind to my mother." for n in range(300)
]
SEEDED = pytest.mark.skipif(not has_seeds(), reason="the release library cannot be seeded")


WITH_NAN = np.dtypes.StringDType(na_object=np.nan)


class OwnSeries(pd.Series):  # type: ignore[misc]
    pass


def masked(rows: list[str | None]) -> Any:
    return np.ma.array(["a raw text" if row is None else row for row in rows], dtype=object, mask=[row is None for row in rows])


KINDS: dict[str, Callable[[list[str | None]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy": lambda rows: np.array(rows, dtype=object),
    "numpy strings": lambda rows: np.array(rows, dtype=np.dtypes.StringDType(na_object=None)),
    "numpy strings with NaN": lambda rows: np.array([np.nan if row is None else row for row in rows], dtype=WITH_NAN),
    "masked numpy": masked,
    "arrow": lambda rows: pa.array(rows, pa.string()),
    "large arrow": lambda rows: pa.array(rows, pa.large_string()),
    "arrow view": lambda rows: pa.array(rows, pa.string_view()),
    "arrow slice": lambda rows: pa.array([None, "before", *rows, "behind"], pa.string())[2:-1],
    "chunked arrow": lambda rows: pa.chunked_array([rows[:100], [], rows[100:]], pa.string()),
    "pandas": lambda rows: pd.Series(rows, index=range(7, 7 + len(rows)), name="review"),
    "pandas objects": lambda rows: pd.Series(rows, dtype=object),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.string())),
    "pandas strings": lambda rows: pd.Series(rows, dtype="string"),
    "pandas categories": lambda rows: pd.Series(rows, dtype="category"),
    "pandas arrow categories": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "pandas subclass": OwnSeries,
    "polars": lambda rows: pl.Series("review", rows, pl.String),
    "polars categories": lambda rows: pl.Series("review", rows, pl.Categorical),
    "polars enum categories": lambda rows: pl.Series("review", rows, pl.Enum(distinct(rows))),
    "arrow categories": lambda rows: pa.array(rows, pa.string()).dictionary_encode(),
    "large arrow categories": lambda rows: pa.array(rows, pa.large_string()).dictionary_encode(),
    "arrow view categories": lambda rows: pa.DictionaryArray.from_arrays(*dictionary(rows, pa.string_view())),
    "arrow categories with a null": lambda rows: pa.DictionaryArray.from_arrays(*dictionary(rows, pa.string(), None)),
    "arrow slice of categories": lambda rows: pa.array([None, "before", *rows, "behind"], pa.string()).dictionary_encode()[2:-1],
    "chunked arrow categories": lambda rows: pa.chunked_array([rows[:100], [], rows[100:]], pa.string()).dictionary_encode(),
}


def distinct(rows: list[str | None]) -> list[str]:
    return list(dict.fromkeys(row for row in rows if row is not None))


def dictionary(rows: list[str | None], kind: pa.DataType, *missing: None) -> tuple[pa.Array, pa.Array]:
    """The indices into a list of the texts, and the list. With ``missing``, a null is one of the texts."""
    texts = [*distinct(rows), *missing]
    return pa.array([texts.index(row) if row in texts else None for row in rows], pa.int32()), pa.array(texts, kind)


TEXTS_OF = {
    "polars categories": pl.String,
    "polars enum categories": pl.String,
    "arrow categories": pa.string(),
    "large arrow categories": pa.large_string(),
    "arrow view categories": pa.string_view(),
    "arrow categories with a null": pa.string(),
    "arrow slice of categories": pa.string(),
    "chunked arrow categories": pa.string(),
}
"""What the releases of a column of categories are."""


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
    if kind == "numpy":
        assert isinstance(released.values, np.ndarray)
    if kind not in ("list", "tuple"):
        dtype = "type" if "arrow" in kind and "pandas" not in kind else "dtype"
        expected_type = TEXTS_OF.get(kind, getattr(column, dtype))
        assert (kind.startswith("pandas") and "categories" in kind) or getattr(released.values, dtype) == expected_type
        assert isinstance(column, pa.DictionaryArray | type(released.values))
    if kind == "pandas":
        assert released.values.index.equals(column.index)
        assert released.values.name == column.name
    if kind.startswith("pandas"):
        assert isinstance(released.values, pd.Series)


@pytest.mark.parametrize("kind", KINDS)
def test_a_released_column_brings_no_text_along(kind: str) -> None:
    released = TextVeil().privatize_column(KINDS[kind](["Xanthippe has diabetes", "a bad film", "Xanthippe has diabetes"]))
    assert b"Xanthippe has diabetes" not in pickle.dumps(released)


def test_the_gaps_of_a_numpy_column_come_back() -> None:
    strings = TextVeil().privatize_column(KINDS["numpy strings with NaN"](["kind", None])).values
    assert np.isnan(strings).tolist() == [False, True]
    masked = TextVeil().privatize_column(np.ma.array(["my sister", "a raw text"], mask=[False, True])).values
    assert (masked.mask.tolist(), masked.tolist()[1], masked.data[1]) == ([False, True], None, None)
    assert TextVeil().privatize_column(np.ma.array(["my sister"])).values.mask.tolist() is False


@pytest.mark.parametrize("kind", ["list", "pandas objects"])
def test_half_a_pair_in_a_column_is_text_like_any_other(kind: str) -> None:
    rows: list[str | None] = ["half \ud83d of a pair", None, "\ud83d\ude00"]
    first, missing, _ = as_list(TextVeil().privatize_column(KINDS[kind](rows)).values)
    assert first is not None
    assert missing is None


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


LONG = "The doctor was kind to my mother on Monday, and to her sister."
"""Long enough that no two of some hundred releases are equal by chance."""


def test_equal_rows_are_drawn_each_for_itself_and_nothing_is_remembered() -> None:
    veil, rows = TextVeil(), [LONG] * 50
    first, second = veil.privatize_column(rows).values, veil.privatize_column(rows).values
    assert len({*first, *second}) == 100


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "categories" in kind])
def test_equal_categories_are_drawn_row_by_row(kind: str) -> None:
    rows: list[str | None] = [LONG, None] * 50
    released = as_list(TextVeil().privatize_column(KINDS[kind](rows)).values)
    assert [row is None for row in released] == [row is None for row in rows]
    assert len({*released}) == 51


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("kind", [list, lambda rows: np.array(rows, dtype=object), lambda rows: pd.Series(rows, dtype=object)])
def test_what_counts_as_missing_does_not_depend_on_the_container(missing: object, kind: Callable[[list[object]], Any]) -> None:
    first, second = TextVeil().privatize_column(kind(["kind words", missing])).values
    assert isinstance(first, str)
    assert pd.isna(second)


def test_an_array_of_texts_is_as_wide_as_its_releases() -> None:
    released = TextVeil().privatize_column(np.array(["kind", "a bad film"])).values
    assert released.dtype.kind == "U"
    assert [len(text.split()) for text in released] == [1, 3]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([None, None]), pa.string()),
        (pa.chunked_array([pa.array([None]), pa.array([None])]), pa.string()),
        (pl.Series("review", [None, None]), pl.String),
    ],
    ids=["arrow", "chunked arrow", "polars"],
)
def test_a_column_in_which_nobody_wrote_stays_empty(column: Any, kind: object) -> None:
    released = TextVeil().privatize_column(column)
    assert as_list(released.values) == [None, None]
    assert getattr(released.values, "dtype", getattr(released.values, "type", None)) == kind
    assert released.guarantee.words == 0


def test_the_polars_expression_takes_a_column_in_which_nobody_wrote() -> None:
    released = pl.DataFrame({"review": [None, None]}).with_columns(privatize("review"))
    assert released.schema == {"review": pl.String}
    assert released["review"].null_count() == 2


def test_a_row_that_is_no_text_is_named() -> None:
    with pytest.raises(TypeError, match="row 2: a text must be a str, not int"):
        TextVeil().privatize_column(["kind", None, 7])
    with pytest.raises(TypeError, match="not this Index"):
        TextVeil().privatize_column(pd.Index(["a text"]))


NO_TEXTS = ["one text", b"bytes", [1, 2], {"a text": 1}, [["a text"]], np.array([["a text"]]), {"a text"}, np.array([1])]
OF_LIBRARIES = [pa.array([1]), pa.scalar("a text"), pa.table({"a": ["a text"]}), pa.array([1]).dictionary_encode()]
FRAMES = [pd.Series([1.5]), pd.DataFrame(), pd.Index(["a text"]), pl.Series([1]), pl.DataFrame({"a": ["a text"]})]


@pytest.mark.parametrize("column", [*NO_TEXTS, *OF_LIBRARIES, *FRAMES])
def test_what_is_no_column_of_texts_is_a_type_error(column: object) -> None:
    with pytest.raises(TypeError):
        TextVeil().privatize_column(column)


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow", "chunked arrow", "polars"])
def test_one_row_that_is_too_long_fails_the_column_and_is_named(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_columns, "MOST_BYTES", 1000)
    rows = [*["kind words"] * 250, None, "", "a" * (1 << 20) + "a", "never drawn"]
    with pytest.raises(TextVeilError) as refused:
        TextVeil().privatize_column(KINDS[kind](rows))
    assert (refused.value.code, refused.value.row) == ("text-too-long", 252)
    with pytest.raises(TextVeilError) as refused:
        TextVeil().privatize_column(["kind"], epsilon=-1)
    assert (refused.value.code, refused.value.row) == ("invalid-epsilon", None)


def test_a_row_that_is_no_utf_8_is_named() -> None:
    buffers = [None, pa.py_buffer(np.array([0, 1, 2], "<i4")), pa.py_buffer(b"a\xff")]
    with pytest.raises(TextVeilError) as refused:
        TextVeil().privatize_column(pa.Array.from_buffers(pa.string(), 2, buffers))
    assert (refused.value.code, refused.value.row) == ("invalid-argument", 1)


@pytest.mark.parametrize("hidden", [b"my mother", b"\xff", b"a" * (1 << 20) + b"a"], ids=["words", "no UTF-8", "too long"])
def test_what_lies_under_a_null_is_neither_read_nor_counted(hidden: bytes) -> None:
    offsets = np.cumsum([0, 4, len(hidden), 3]).astype("<i8")
    buffers = [pa.py_buffer(b"\5"), pa.py_buffer(offsets), pa.py_buffer(b"kind" + hidden + b"bad")]
    released = TextVeil().privatize_column(pa.Array.from_buffers(pa.large_string(), 3, buffers))
    assert [row is None for row in released.values.to_pylist()] == [False, True, False]
    assert released.guarantee.words == 1


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow", "polars"])
def test_an_interrupt_is_heard_after_the_most_that_crosses_at_once(kind: str) -> None:
    veil, crossed = TextVeil(), []

    def interrupted(part: _native.TextColumn) -> _native.ReleaseColumn:
        crossed.append(len(part.text))
        if len(crossed) == 3:
            raise KeyboardInterrupt
        empty = _native.TextColumn(text=b"", offsets=bytes(len(part.offsets)))
        return _native.ReleaseColumn(column=empty, guarantee=veil.guarantee())

    with pytest.raises(KeyboardInterrupt):
        _columns.column_of(KINDS[kind](["The doctor was kind to my mother."] * 200_000), interrupted, lambda _: None)
    assert max(crossed) <= _columns.MOST_BYTES


def test_a_crash_is_not_repeated_to_find_its_row() -> None:
    def crash(_: object) -> Any:
        raise TextVeilError("internal: a fault of textveil; nothing was released")

    with pytest.raises(TextVeilError, match="internal") as refused:
        _columns.column_of(["kind"], crash, lambda _: pytest.fail("it was asked for the row"))
    assert refused.value.row is None


def test_polars_draws_each_row_of_a_constant_column() -> None:
    one = pl.DataFrame({"review": ["The doctor was kind to my mother in the ward."]})
    constant = pl.DataFrame({"row": range(40)}).with_columns(review=pl.lit(one["review"][0]))
    for frame in (constant, constant.lazy(), one.sample(40, with_replacement=True), one.join(constant.select("row"), how="cross")):
        released = frame.lazy().with_columns(privatize("review")).collect()["review"]
        assert len(released) == 40 and released.n_unique() > 20


@SEEDED
def test_the_polars_expression_is_the_column() -> None:
    frame = pl.DataFrame({"review": ROWS}, schema={"review": pl.String})
    released = frame.lazy().with_columns(privatize("review", veil=study()).alias("released")).collect()
    assert released["released"].to_list() == study().privatize_column(ROWS).values
    categories = frame.with_columns(pl.col("review").cast(pl.Categorical)).lazy().with_columns(privatize("review", veil=study()))
    assert categories.collect().equals(frame.with_columns(privatize("review", veil=study())))
    assert categories.collect_schema() == {"review": pl.String}
    with pytest.raises(TextVeilError):
        privatize("review", epsilon=-1)
    long = pl.DataFrame({"review": ["Xanthippe " + "a" * (1 << 20)]})
    with pytest.raises((TextVeilError, pl.exceptions.ComputeError), match="text-too-long: ") as refused:
        long.with_columns(privatize("review"))
    assert "Xanthippe" not in str(refused.value)
