"""Runs the commands that the book prints.

snippets.py TEXTVEIL TEXTVEIL-COLLECTOR

A comment above a block of code says what becomes of it: `<!-- run -->` runs it, `<!-- run, prints WORDS -->` also looks for
the words in what it prints, and `<!-- write FILE -->` writes it to a file. All blocks run in one folder, in the order of the summary.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARKED = re.compile(r"^<!-- (run|write)(?: (\S+)|, prints (.+?))? -->\n```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WORDS = {"good": "I like this film and its actors, a wonderful story.", "bad": "A boring film, a terrible waste of my time."}


def fixtures(folder: Path) -> None:
    """The files that pages take for granted."""
    (folder / "statements").mkdir()
    for name in ["product-feedback.tvs", "product-feedback.txt"]:
        for place in [folder, folder / "statements"]:
            shutil.copy(ROOT / "statements" / name, place)
    statements = (folder / "product-feedback.txt").read_text()
    sentences = "".join(f"{line}\n" for line in statements.splitlines() if not line.startswith("#"))
    for name in ["notes.txt", "my-texts.txt", "public-reviews.txt", "own-mail.txt"]:
        (folder / name).write_text(sentences)
    shutil.copy(folder / "product-feedback.txt", folder / "list.txt")
    (folder / "new-words.txt").write_text("zoomies\nrizz\n")
    shutil.copy(ROOT / "tests/data/french.vec.gz", folder / "vectors.vec.gz")
    with (folder / "reviews.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["review", "stars", "shop"])
        rows.writerows([WORDS["good" if i % 2 else "bad"], 5 if i % 2 else 1, "north" if i % 3 else "south"] for i in range(400))


def programs(folder: Path, paths: list[str]) -> dict[str, str]:
    """The environment in which the programs have the names that pages give them."""
    for path in paths:
        (folder / Path(path).name).symlink_to(Path(path).resolve())
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def run(page: str, kind: str, code: str, words: str | None, folder: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", code] if kind == "python" else ["bash", "-eu", "-o", "pipefail", "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or (words and words not in done.stdout + done.stderr):
        sys.exit(f"{page}: this fails, or does not print '{words}':\n{code}\n{done.stdout}{done.stderr}")


def main(paths: list[str]) -> None:
    summary = (ROOT / "docs/src/SUMMARY.md").read_text()
    count = 0
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as names:
        folder, environment = Path(place), programs(Path(names), paths)
        fixtures(folder)
        for page in re.findall(r"\]\(([^)]+)\)", summary):
            for act, file, words, kind, code in MARKED.findall((ROOT / "docs/src" / page).read_text()):
                if act == "write":
                    (folder / file).write_text(code)
                else:
                    run(page, kind, code, words or None, folder, environment)
                    print(json.dumps({"snippet": page, "ok": True}), flush=True)
                    count += 1
    if not count:
        sys.exit("no page has a block that is run")


if __name__ == "__main__":
    main([path for path in sys.argv[1:] if path != "--json"])
