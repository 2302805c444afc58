"""Builds the site: the book, and inside it the pages of the interfaces that tools write from the sources.

build.py [--only NAME]... [--python PYTHON]

The names are book, rust, javascript and python. PYTHON has the package textveil and pdoc; without it, both are installed into an
environment of their own, for which the library is compiled. The site is left in target/book.
"""

import argparse
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "target/book"
CRATES = ["textveil", "textveil-accounting", "textveil-contribute", "textveil-estimate"]
TYPEDOC, TYPESCRIPT, PDOC = "typedoc@0.28.20", "typescript@5.9.3", "pdoc==16.0.0"
MODULES = ["textveil", "textveil.estimate", "textveil.polars", "textveil.sklearn", "textveil.spark"]


def run(*command: object, folder: Path = ROOT) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=folder, check=True)


def book(_: argparse.Namespace) -> None:
    run("mdbook", "build", "docs")


def rust(_: argparse.Namespace) -> None:
    run("cargo", "doc", "--no-deps", "--lib", *(f"--package={crate}" for crate in CRATES))
    replace(ROOT / "target/doc", BOOK / "rust")


def javascript(_: argparse.Namespace) -> None:
    package = ROOT / "wasm/npm"
    entries = [name for name in sorted(package.glob("*.d.ts")) if name.stem.partition(".")[0] != "react"]
    files = [f"--entryPoints {name.relative_to(package)}" for name in [*entries, *sorted((package / "all").glob("*.d.ts"))]]
    how = ["--skipErrorChecking", "--disableSources", "--readme none", "--name textveil", f"--out {BOOK / 'javascript'}"]
    options = " ".join([*files, *how])
    run("npx", "--yes", f"--package={TYPEDOC}", f"--package={TYPESCRIPT}", "--call", f"typedoc {options}", folder=package)


def python(options: argparse.Namespace) -> None:
    interpreter = options.python or installed()
    run(interpreter, "-m", "pdoc", *MODULES, "-o", BOOK / "python")


def installed() -> Path:
    place = ROOT / "target/docs-python"
    venv.create(place, with_pip=True)
    interpreter = place / "bin/python"
    run(interpreter, "-m", "pip", "install", "--quiet", PDOC, f"{ROOT / 'mobile/python'}[arrow,pandas,polars,sklearn,spark]")
    return interpreter


def replace(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def check() -> None:
    """Each link from the page of the interfaces to a page that was written leads there."""
    page = ROOT / "docs/src/reference/apis.md"
    links = re.findall(r"\]\(\.\./((?:rust|javascript|python)/[^)\s#]*)", page.read_text())
    missing = [link for link in links if not (BOOK / unquote(link)).is_file()]
    if missing or not links:
        sys.exit(f"{page.relative_to(ROOT)} links to pages that are not there: {', '.join(missing)}")
    print(f"{len(links)} links to interfaces lead there")


def main() -> None:
    parts = {"book": book, "rust": rust, "javascript": javascript, "python": python}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=parts)
    parser.add_argument("--python", type=Path)
    options = parser.parse_args()
    for name in options.only or parts:
        parts[name](options)
    if not options.only:
        check()


if __name__ == "__main__":
    main()
