"""Writes the reference of the command lines, from what `--help` prints.

commands.py TEXTVEIL TEXTVEIL-COLLECTOR            writes both pages
commands.py --check TEXTVEIL TEXTVEIL-COLLECTOR    fails if a page is not what the program prints
"""

import re
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).parent / "src/reference"
NAMES = {"cli.md": "textveil", "cli-collector.md": "textveil-collector"}


def printed(program: str, command: list[str]) -> str:
    text = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout
    return "\n".join(line.rstrip() for line in text.splitlines())


def sections(program: str, name: str, command: list[str]) -> list[str]:
    """The help of a command, and after it that of each command inside it."""
    text = printed(program, command)
    found = [f"{'#' * (len(command) + 2)} `{' '.join([name, *command])}`", "", "```text", text, "```", ""]
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    for inner in re.findall(r"^  (\S+)", listed[1] if listed else "", re.MULTILINE):
        if inner != "help":
            found += sections(program, name, [*command, inner])
    return found


def page(program: str, name: str) -> str:
    head = [f"# The command line: {name}", "", f"This page is what `{name} --help` prints, and the same for each of its commands.", ""]
    return "\n".join([*head, *sections(program, name, [])])


check, programs = sys.argv[1] == "--check", [argument for argument in sys.argv[1:] if argument != "--check"]
for (file, name), program in zip(NAMES.items(), programs, strict=True):
    if not check:
        (PAGES / file).write_text(page(program, name))
    elif page(program, name) != (PAGES / file).read_text():
        sys.exit(f"docs/src/reference/{file} is not what {name} prints: python docs/commands.py TEXTVEIL TEXTVEIL-COLLECTOR writes it")
