"""A preprocessor of mdBook: links that leave the book lead to the repository, whose address is in TEXTVEIL_REPOSITORY.

Without that address the links stay as they are, and lead to the files of a checkout.
"""

import json
import os
import re
import sys
from pathlib import PurePosixPath
from posixpath import normpath

REPOSITORY = os.environ.get("TEXTVEIL_REPOSITORY")
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
    if REPOSITORY:
        visit(book)
    print(json.dumps(book))
