"""Columns of texts, by their buffers: no row becomes a Python object on its way into the library and back."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any, Generic, NamedTuple, TypeVar, cast

from . import _native

Column = TypeVar("Column")
Privatize = Callable[[_native.TextColumn], _native.ReleaseColumn]

MOST_BYTES = 1 << 28
"""The largest part of a list that crosses at once; what crosses must stay below 2 GiB."""


class Released(NamedTuple, Generic[Column]):
    """A column of releases."""

    values: Column
    """The released texts, of the kind that the column was."""
    guarantee: _native.Guarantee
    """What is promised of the row with the most private words; every row keeps it."""


def text_of(text: str) -> str:
    """A text that UTF-8 can hold: half surrogate pairs become U+FFFD."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def column_of(column: Column, privatize: Privatize) -> Released[Column]:
    """The releases of a column of any kind."""
    guarantees: list[_native.Guarantee] = []

    def released(part: _native.TextColumn) -> _native.TextColumn:
        release = privatize(part)
        guarantees.append(release.guarantee)
        return release.column

    of_kind: Callable[[Any, Part], Any] = KINDS.get(library_of(column), of_list)
    values = cast(Column, of_kind(column, released))
    return Released(values, max(guarantees, key=lambda guarantee: guarantee.words))


def library_of(column: object) -> str:
    return type(column).__module__.partition(".")[0]


Part = Callable[[_native.TextColumn], _native.TextColumn]


def of_list(column: Any, privatize: Part) -> list[str | None]:
    if isinstance(column, str | bytes):
        raise TypeError("a column is a list of texts, not one")
    return [text for part in parts(column) for text in of_part(part, privatize)]


def parts(texts: Iterable[str | None]) -> Iterator[list[bytes | None]]:
    """The texts in UTF-8, in lists that are not too large. There is one at least."""
    part: list[bytes | None] = []
    size = 0
    for text in texts:
        row = None if text is None else text_of(text).encode()
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


def of_arrow(column: Any, privatize: Part) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        chunks = [of_arrow(chunk, privatize) for chunk in column.chunks or [pa.array([], column.type)]]
        return pa.chunked_array(chunks, column.type)
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise TypeError(f"a column of texts is of strings, not of {kind}")
    large = column.cast(pa.large_string())
    rows = len(large)
    if large.nbytes > MOST_BYTES and rows > 1:
        halves = [of_arrow(column.slice(*half), privatize) for half in ((0, rows // 2), (rows // 2,))]
        return pa.concat_arrays(halves)
    _, offsets, text = large.buffers()
    ends = memoryview(offsets).cast("B").cast("q")[large.offset : large.offset + rows + 1] if rows else array("q", [0])
    within = memoryview(text)[ends[0] : ends[-1]] if text else b""
    released = privatize(_native.TextColumn(text=bytes(within), offsets=ends.tobytes()))
    buffers = [None, pa.py_buffer(released.offsets), pa.py_buffer(released.text)]
    values = pa.Array.from_buffers(pa.large_string(), rows, buffers)
    if large.null_count:
        values = pc.if_else(large.is_valid(), values, pa.scalar(None, pa.large_string()))
    return values.cast(kind)


def of_pandas(column: Any, privatize: Part) -> Any:
    import pandas as pd
    import pyarrow as pa

    if not isinstance(column, pd.Series):
        raise TypeError("a column of a data frame is privatized, not the whole of it")
    released = of_arrow(pa.array(column, type=pa.large_string(), from_pandas=True), privatize)
    rows = released.to_numpy(zero_copy_only=False)
    return pd.Series(rows, index=column.index, name=column.name, dtype=column.dtype)


def of_polars(column: Any, privatize: Part) -> Any:
    import polars as pl

    if not isinstance(column, pl.Series) or column.dtype != pl.String:
        raise TypeError("a column of texts is a series of strings")
    return pl.Series(column.name, of_arrow(column.to_arrow(), privatize))


KINDS: dict[str, Callable[[Any, Part], Any]] = {"pyarrow": of_arrow, "pandas": of_pandas, "polars": of_polars}
"""By the library that a column is of; any other iterable is a list."""
