"""Checks that each link from a document of the project to another place in the project leads there.

links.py    checks files, and headings behind `#`
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import language

# What docs/build.py writes into the site, and checks there.
WRITTEN = re.compile(r"(?:\.\./)+(?:rust|javascript|python)/\S+\.html$")
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?[^)]*\)")


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as web pages of repositories and mdBook make them."""
    text = path.read_text()
    for pattern in language.BLOCKS[1:]:
        text = pattern.sub("", text)
    found: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        if count:
            found[f"{name}-{count}"] = 1
    return set(found)


def wrong(page: Path, text: str) -> list[tuple[int, str]]:
    """Line and address of each link that leads nowhere."""
    for pattern in [*language.BLOCKS, language.CODE]:
        text = pattern.sub(lambda match: language.blank(match[0]), text)
    problems = []
    for match in LINK.finditer(text):
        address = match[1]
        if re.match(r"[a-z]+:|//", address) or (WRITTEN.match(address) and "docs/src" in str(page)):
            continue
        name, _, anchor = unquote(address).partition("#")
        target = (page.parent / name).resolve() if name else page
        broken = not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target))
        if broken or language.ROOT not in target.parents:
            problems.append((text[: match.start()].count("\n") + 1, address))
    return problems


def unlisted() -> list[str]:
    """Pages of the book that its summary does not name."""
    source = language.ROOT / "docs/src"
    named = set(LINK.findall((source / "SUMMARY.md").read_text()))
    pages = {str(page.relative_to(source)) for page in source.rglob("*.md")} - {"SUMMARY.md"}
    return [f"docs/src/SUMMARY.md does not name {page}" for page in sorted(pages - named)]


def main() -> None:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = set(subprocess.run(listing, cwd=language.ROOT, check=True, capture_output=True, text=True).stdout.split())
    names = sorted(name for name in listed if (language.ROOT / name).is_file())
    problems = unlisted()
    for name in names:
        page = language.ROOT / name
        problems += [f"{name}:{line}: {address} leads nowhere" for line, address in wrong(page, page.read_text())]
    print(*problems, f"{len(names)} documents, {len(problems)} wrong links", sep="\n")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
