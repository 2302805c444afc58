"""Writes a page of the book for each mechanism, from the head of the file that holds its claim and its proof.

mechanisms.py            writes the pages
mechanisms.py --check    fails if a page is not what the file says
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs/src/reference/mechanisms"


def page(file: Path) -> str:
    name = file.stem.replace("_", "-")
    head = [line[3:].removeprefix(" ") for line in file.read_text().splitlines() if line.startswith("//!")]
    # A heading of rustdoc is one level below the title of a page.
    body = re.sub(r"^# ", "## ", "\n".join(head), flags=re.MULTILINE)
    source = file.relative_to(ROOT)
    return f"# `{name}`\n\n{body}\n\nThis page is the head of [{source}](../../../../{source}), which also holds the code.\n"


pages = {PAGES / f"{file.stem.replace('_', '-')}.md": page(file) for file in sorted((ROOT / "core/src/mechanism").glob("*.rs"))}
if sys.argv[1:] == ["--check"]:
    wrong = {path for path, text in pages.items() if not path.exists() or path.read_text() != text}
    wrong |= set(PAGES.glob("*.md")) - pages.keys()
    if wrong:
        sys.exit(f"{sorted(path.name for path in wrong)}: not what core/src/mechanism says. python docs/mechanisms.py writes the pages")
else:
    PAGES.mkdir(exist_ok=True)
    for path, text in pages.items():
        path.write_text(text)
