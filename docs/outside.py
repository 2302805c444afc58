"""A preprocessor of mdBook: links that leave the book lead to the repository.

Its address is in TEXTVEIL_REPOSITORY, or else in Cargo.toml.
"""

import json
import os
import re
import sys
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath

MANIFEST = tomllib.loads((Path(__file__).parent.parent / "Cargo.toml").read_text(encoding="utf-8"))
REPOSITORY = os.environ.get("TEXTVEIL_REPOSITORY") or MANIFEST["workspace"]["package"]["repository"]
LINK = re.compile(r"\]\((\.\./[^)\s]+)\)")


def outward(page: PurePosixPath, link: str) -> str:
    place = normpath(str(PurePosixPath("docs/src") / page.parent / link))
    return link if place.startswith("docs/src/") else f"{REPOSITORY}/blob/main/{place}"


def visit(part: object) -> None:
    """Changes every chapter, wherever this version of mdBook puts it."""
    if isinstance(part, list):
        for inner in part:
            visit(inner)
    elif isinstance(part, dict):
        if part.get("path") and "content" in part:
            page = PurePosixPath(part["path"])
            part["content"] = LINK.sub(lambda found: f"]({outward(page, found[1])})", part["content"])
        for inner in part.values():
            visit(inner)


if sys.argv[1:2] != ["supports"]:
    _, book = json.load(sys.stdin)
    visit(book)
    print(json.dumps(book))
