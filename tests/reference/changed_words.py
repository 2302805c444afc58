"""Counts how many words of texts section 5.1 would change, by the role of the word before: `python changed_words.py TABLE FILE…`

A rule helps if it changes many words of releases (`textveil privatize --as-drawn`) and few of texts that people wrote.
A file has a text a line. Words are looked up exactly; others count, and are never changed.
"""

import sys
import unicodedata
from collections import Counter
from pathlib import Path

from mending import Forms, mended
from reference import Table, lower, pieces, read_table, spaced


def changed(table: Table, text: str) -> tuple[int, Counter[str]]:
    """The number of words, and that of the changed ones by role."""
    parts = spaced(pieces(unicodedata.normalize("NFKC", text)))
    places = [place for place, piece in enumerate(parts) if piece.kind != "layout"]
    rows = [table.row_of.get(lower(parts[place].text)) for place in places]
    written = mended(table, rows, [place > 1 and parts[place - 1].text == " " for place in places])
    forms = Forms(table)
    roles = ["a/an" if forms.role(row) == "article" else forms.role(written[place - 1]) or "number"
             for place, row in enumerate(rows) if row != written[place]]
    return len(rows), Counter(roles)


def main() -> None:
    path, *files = sys.argv[1:]
    table = read_table(Path(path).read_bytes())
    for file in files:
        words, total = 0, Counter[str]()
        for text in Path(file).read_text(encoding="utf-8").splitlines():
            more, roles = changed(table, text)
            words, total = words + more, total + roles
        shares = ", ".join(f"{role} {count / words * 1e4:.1f}" for role, count in sorted(total.items()))
        print(f"{file}: {words} words; changed of 10,000: {shares}")


if __name__ == "__main__":
    main()
