"""Writes a table of every n-th word of a table file, without levels, classes and certificates.

    python smaller_table.py FILE ROWS OUT
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reference import Table, read_table, write_table


def smaller(table: Table, rows: int) -> Table:
    """`rows` of its words, spread evenly."""
    kept = [place * table.rows // rows for place in range(rows)]

    def part(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(values[row] for row in kept)

    return replace(table, words=part(table.words), values=table.values[kept], flags=part(table.flags),
                   zipf=part(table.zipf), levels=None, classes=None, certificates=None)


if __name__ == "__main__":
    source, rows, out = sys.argv[1:]
    Path(out).write_bytes(write_table(smaller(read_table(Path(source).read_bytes()), int(rows))))
