"""Columns of texts, by their buffers: no row becomes a Python object on its way into the library and back."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, Generic, NamedTuple, TypeVar, cast

from . import _native
from ._errors import TextVeilError

Column = TypeVar("Column")
Privatize = Callable[[_native.TextColumn], _native.ReleaseColumn]

MOST_BYTES = 1 << 18
"""The most bytes that cross at once: a few seconds of one core. An interrupt waits until they are done."""


class Released(NamedTuple, Generic[Column]):
    """A column of releases."""

    values: Column
    """The released texts, of the kind that the column was."""
    guarantee: _native.Guarantee
    """What is promised of the row with the most private words; every row keeps it."""


def is_missing(text: Any) -> bool:
    """Whether it is what stands for a missing text: ``None``, ``NaN``, or the ``NA`` or ``NaT`` of pandas."""
    if text is None or (isinstance(text, float) and math.isnan(text)):
        return True
    return library_of(type(text)) == "pandas" and type(text).__name__ in ("NAType", "NaTType")


def text_of(text: object) -> str:
    """A text that UTF-8 can hold: half surrogate pairs become U+FFFD."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def column_of(
    column: Column, privatize: Privatize, refused_row: Callable[[_native.TextColumn], int | None]
) -> Released[Column]:
    """The releases of a column of any kind."""
    guarantees: list[_native.Guarantee] = []
    rows = 0

    def released(part: _native.TextColumn) -> _native.TextColumn:
        nonlocal rows
        try:
            release = privatize(part)
        except TextVeilError as error:
            # Where the library crashed, it may crash again.
            within = None if error.code == "internal" else refused_row(part)
            error.row = None if within is None else rows + within
            raise
        guarantees.append(release.guarantee)
        rows += len(part.offsets) // 8 - 1
        return release.column

    of_kind = next(filter(None, map(KINDS.get, map(library_of, type(column).__mro__))), of_list)
    values = cast(Column, of_kind(column, released))
    return Released(values, max(guarantees, key=lambda guarantee: guarantee.words))


def library_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


Part = Callable[[_native.TextColumn], _native.TextColumn]


def of_list(column: Any, privatize: Part) -> list[str | None]:
    if isinstance(column, str | bytes | Mapping | set | frozenset):
        raise TypeError("a column is a list of texts: not one text, nor texts by name, nor a set, which has no order")
    return [text for part in parts(column) for text in of_part(part, privatize)]


def parts(texts: Iterable[Any]) -> Iterator[list[bytes | None]]:
    """The texts in UTF-8, in lists that are not too large. There is one at least."""
    part: list[bytes | None] = []
    size = 0
    for number, text in enumerate(texts):
        try:
            row = None if is_missing(text) else text_of(text).encode()
        except TypeError as error:
            raise TypeError(f"row {number}: {error}") from None
        size += len(row or b"")
        if part and size > MOST_BYTES:
            yield part
            part, size = [], len(row or b"")
        part.append(row)
    yield part


def of_part(part: list[bytes | None], privatize: Part) -> Iterator[str | None]:
    rows = [row or b"" for row in part]
    offsets = little_endian(array("q", accumulate(map(len, rows), initial=0)))
    released = privatize(_native.TextColumn(text=b"".join(rows), offsets=offsets.tobytes()))
    ends = little_endian(array("q", released.offsets))
    for row, (start, end) in zip(part, pairwise(ends), strict=True):
        yield None if row is None else released.text[start:end].decode()


def little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def of_numpy(column: Any, privatize: Part) -> Any:
    import numpy as np

    if column.ndim != 1:
        raise TypeError("a column of texts is an array of one dimension")
    released = of_list(column.tolist(), privatize)
    if isinstance(column, np.ma.MaskedArray):
        # A text lies under the mask. Only objects allow None in its place.
        return np.ma.array(released, dtype=object, mask=column.mask.copy())
    # What stands for a missing text is written by its type.
    gap = getattr(column.dtype, "na_object", None)
    # A type of fixed width is as wide as its longest text.
    kind = str if column.dtype.kind == "U" else column.dtype
    return np.array([gap if text is None else text for text in released], dtype=kind)


def of_arrow(column: Any, privatize: Part) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.Array | pa.ChunkedArray) and pa.types.is_null(column.type):
        # Nobody wrote: Arrow then knows of no type.
        column = column.cast(pa.string())
    if isinstance(column, pa.ChunkedArray):
        chunks = [of_arrow(chunk, privatize) for chunk in column.chunks or [pa.array([], column.type)]]
        return pa.chunked_array(chunks, plain(column.type))
    if not isinstance(column, pa.Array) or not is_of_strings(kind := plain(column.type)):
        raise TypeError("a column of texts is an array of strings")
    if isinstance(column, pa.DictionaryArray):
        # Each row is drawn, not each entry of the dictionary: equal rows get a release each.
        large = column.dictionary.cast(pa.large_string()).take(column.indices)
    else:
        large = column.cast(pa.large_string())
    return of_large_strings(large, privatize).cast(kind)


def plain(kind: Any) -> Any:
    """The type of the texts themselves, where a dictionary lists them."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_of_strings(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def of_large_strings(large: Any, privatize: Part) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = len(large)
    if large.nbytes > MOST_BYTES and rows > 1:
        halves = (large.slice(0, rows // 2), large.slice(rows // 2))
        return pa.concat_arrays([of_large_strings(half, privatize) for half in halves])
    # A null may cover bytes of any kind.
    texts = pc.fill_null(large, "")
    _, offsets, text = texts.buffers()
    ends = memoryview(offsets).cast("B").cast("q")[texts.offset : texts.offset + rows + 1] if rows else array("q", [0])
    within = memoryview(text)[ends[0] : ends[-1]] if text else b""
    released = privatize(_native.TextColumn(text=bytes(within), offsets=ends.tobytes()))
    buffers = [None, pa.py_buffer(released.offsets), pa.py_buffer(released.text)]
    values = pa.Array.from_buffers(pa.large_string(), rows, buffers)
    if large.null_count:
        values = pc.if_else(large.is_valid(), values, pa.scalar(None, pa.large_string()))
    return values


def of_pandas(column: Any, privatize: Part) -> Any:
    import pandas as pd

    if not isinstance(column, pd.Series):
        raise TypeError(f"a column of pandas is a Series, such as frame['review'], and not this {type(column).__name__}")
    # Row by row, because a string in Python may hold invalid Unicode.
    rows = (None if missing else row for row, missing in zip(column, column.isna(), strict=True))
    released = of_list(rows, privatize)
    # A type for strings is kept. Any other, such as a categorical one, lists the old texts.
    kind = column.dtype if is_for_strings(column.dtype) else None
    return pd.Series(released, index=column.index, name=column.name, dtype=kind)


def is_for_strings(kind: Any) -> bool:
    import pandas as pd

    if isinstance(kind, pd.ArrowDtype):
        return is_of_strings(kind.pyarrow_dtype)
    return isinstance(kind, pd.StringDtype) or bool(kind == object)  # noqa: E721 a dtype, which is equal to its type


def of_polars(column: Any, privatize: Part) -> Any:
    import polars as pl

    if not isinstance(column, pl.Series) or column.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise TypeError("a column of texts is a series of strings")
    # Each row is drawn, not each category: equal rows get a release each.
    return pl.Series(column.name, of_arrow(column.cast(pl.String).to_arrow(), privatize))


KINDS: Mapping[str, Callable[[Any, Part], Any]] = {
    "numpy": of_numpy,
    "pandas": of_pandas,
    "polars": of_polars,
    "pyarrow": of_arrow,
}
"""By the library that a column is of; any other iterable is a list."""
