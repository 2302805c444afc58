"""Prints the licence texts of all crates that the programs contain, as those who pass them on must.

licences.py TARGET    for the programs of that target
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
# Their packages hold no text of the licence that they name; the archive has that text in LICENSE-MIT and LICENSE-APACHE.
OURS = {"MIT", "Apache-2.0"}


def cargo(*arguments: str) -> str:
    command = [os.environ.get("CARGO", "cargo"), *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def contained(target: str) -> set[tuple[str, str]]:
    """Name and version of each crate inside the programs."""
    options = ["--edges=normal,no-proc-macro", "--prefix=none", f"--target={target}", "--format={p}"]
    tree = cargo("tree", "--locked", "--package=textveil-cli", "--package=textveil-collector", *options)
    return {(name, version) for name, version in re.findall(r"^(\S+) v(\S+)", tree, re.MULTILINE)}


def texts(folder: Path) -> list[str]:
    """The licence files of a crate, and of the C sources one folder below. Of several that one may choose, MIT, or the first."""
    files = sorted(file for file in [*folder.iterdir(), *folder.glob("*/*")] if NAMED.match(file.name) and file.is_file())
    names = {(file.parent, file.name.lower()) for file in files}
    other = {"license-apache": "license-mit", "license-apache-2.0": "license-mit", "copying": "license"}
    kept = [file for file in files if (file.parent, other.get(file.name.lower())) not in names]
    return [file.read_text(errors="replace").strip() for file in kept]


def main(target: str) -> None:
    packages = json.loads(cargo("metadata", "--locked", "--format-version=1"))["packages"]
    inside = contained(target)
    crates = [package for package in packages if package["source"] and (package["name"], package["version"]) in inside]
    without, holders = [], defaultdict(list)
    for package in sorted(crates, key=lambda package: package["name"]):
        name, found = f"{package['name']} {package['version']}", texts(Path(package["manifest_path"]).parent)
        offered = set(re.split(r" OR |/", package["license"] or ""))
        if not found and not offered & OURS:
            sys.exit(f"{name} is under {package['license']}, and its package has no text of that")
        if not found:
            without.append(f"{name} ({', '.join(package['authors']) or 'its authors'}): {package['license']}")
        for text in found:
            holders[text].append(name)
    print("The programs contain these crates. A text follows below the crates that it stands for.\n")
    print("They also contain Rust's standard library (MIT OR Apache-2.0, The Rust Project contributors), musl (MIT,")
    print("Copyright 2005-2020 Rich Felker, et al.) and SQLite (public domain).\n")
    print("Without a text of their own; see LICENSE-MIT and LICENSE-APACHE:", *without, sep="\n  ")
    for text, names in holders.items():
        print(f"\n{'=' * 80}\n{', '.join(dict.fromkeys(names))}\n\n{text}")


if __name__ == "__main__":
    main(sys.argv[1])
