"""Files, by their bytes or by where they are."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

Buffer = bytes | bytearray | memoryview
File = str | PathLike[str] | Buffer
"""A file: its bytes, or where it is."""


def contents(file: File) -> bytes:
    return Path(file).read_bytes() if isinstance(file, str | PathLike) else memoryview(file).tobytes()
