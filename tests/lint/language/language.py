"""Checks that documents, help texts and comments are in plain English.

language.py              checks every document and help text that people read, and the comments of all code
language.py FILE ...     checks these documents alone

A document fails if its sentences have more than 17 words on average, if fewer than nine in ten have at most 28, or if it has a
phrase of `phrases.txt`. `exempt.txt` names the documents that are not checked, or whose lengths are not, each with a reason.
Code, tables, headings, addresses and front matter are no sentences. A phrase is also looked for in tables and headings.

Comments are those that have lines to themselves, and the docstrings of Python. Their lengths count over all files of a folder at the
top. Phrases whose reason begins with "in documents" may stand in comments.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
MEAN, LONG, SHARE = 17, 28, 0.9
HELP = re.compile(r"derive\([^)]*\b(Parser|Args|Subcommand|ValueEnum)\b")
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|et al|vs|cf)\.")
# What is no prose: each match gives way to its group `keep`, if it has one, or to one word for code inside a sentence.
BLOCKS = [
    re.compile(r"\A---\n.*?\n---\n", re.DOTALL),
    re.compile(r"^(?P<indent> *(?:> ?)?)(?P<fence>```+|~~~+).*?^[ >]*(?P=fence)[^\n]*$", re.DOTALL | re.MULTILINE),
    re.compile(r"<!--.*?-->", re.DOTALL),
]
CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[(?P<keep>[^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
NOT_PROSE = [re.compile(r"^\[[^\]]+\]: .*$", re.MULTILINE), re.compile(r"<[^>]+>"), re.compile(r"https?://\S+")]
BLOCK_START = re.compile(r"^\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+")
NO_SENTENCE = re.compile(r"^\s*(?:>\s*)*(?:\||#)")
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_]*[^a-zà-ÿ\s])")
CODE_FILES = ["*.rs", "*.js", "*.mjs", "*.ts", "*.py", "*.kt", "*.swift"]
LINE_COMMENT = re.compile(r"\s*(?://[/!]?|#(?![!\[]))(?: (.*)|)$")
BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
# A tag of JSDoc begins a paragraph. Its type and its name are code, and so is a whole import.
TAG = re.compile(rf"@(?:import\b.*|(?:param|property|typedef)(?: {BRACES})? \S+|\w+(?: {BRACES})?)")
WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")


class Sentence(NamedTuple):
    line: int
    text: str

    @property
    def words(self) -> int:
        return len(WORD.findall(self.text))


def blank(text: str, word: str = "") -> str:
    """As many lines and characters as the text has, none of them a word except the one given."""
    return word + re.sub(r"[^\n]", " ", text)[len(word) :]


def prose(text: str) -> str:
    """The text with the same lines, without what is not English."""
    for pattern in BLOCKS:
        text = pattern.sub(lambda found: blank(found[0]), text)
    text = CODE.sub(lambda found: blank(found[0], "X"), text)
    text = LINK.sub(lambda found: found["keep"] + blank(found[0][len(found["keep"]) :]), text)
    for pattern in NOT_PROSE:
        text = pattern.sub(lambda found: blank(found[0]), text)
    return ABBREVIATIONS.sub(lambda found: found[0].replace(".", "").ljust(len(found[0])), text)


def help_text(source: str) -> str:
    """The lines of a Rust file that `--help` prints: the comments before and inside each type of the command-line parser."""
    lines = source.split("\n")
    shown = [""] * len(lines)
    inside = False
    for number, line in enumerate(lines):
        if HELP.search(line):
            inside, above = True, number - 1
            while above >= 0 and lines[above].startswith(("///", "#[")):
                shown[above] = comment(lines[above])
                above -= 1
        if inside:
            shown[number] = comment(line)
            inside = line not in ("}", ");")
    return "\n".join(shown)


def comment(line: str) -> str:
    found = re.match(r"\s*/// ?(.*)", line)
    return found[1] if found else ""


def docstring_lines(source: str) -> set[int]:
    """The lines of strings that are statements of their own in Python, from 1."""
    strings = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {line for node in strings for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def comments(name: str, source: str) -> str:
    """The comments and the docstrings of Python that have lines to themselves, with as many lines as the source. Help texts
    are documents, and left out."""
    shown, inside = [], False
    help_lines = help_text(source).split("\n") if name.endswith(".rs") else []
    docstrings = docstring_lines(source) if name.endswith(".py") else set()
    for number, line in enumerate(source.split("\n")):
        block = not name.endswith((".rs", ".py")) and (inside or re.match(r"\s*/\*", line))
        if number + 1 in docstrings:
            text = line.strip().strip('"')
        elif block:
            inside = "*/" not in line
            text = re.sub(r"^\s*(/\*+|\*(?!/))? ?|\s*\*+/.*", "", line)
        else:
            found = LINE_COMMENT.match(line) if name.endswith(".py") == line.lstrip().startswith("#") else None
            text = (found[1] or "") if found else ""
        if number < len(help_lines) and help_lines[number]:
            text = ""
        shown.append(TAG.sub(lambda tag: "" if "import" in tag[0] else "- ", text, count=1) if text.startswith("@") else text)
    return "\n".join(shown)


def blocks(text: str):
    """The first line and the lines of each paragraph and each item of a list."""
    start, block = 1, []
    for number, line in enumerate(text.split("\n"), 1):
        begins = BLOCK_START.match(line)
        if block and (begins or not line.strip() or NO_SENTENCE.match(line)):
            yield start, block
            block = []
        if not line.strip() or NO_SENTENCE.match(line):
            continue
        if not block:
            start = number
        block.append(line[begins.end() :] if begins else line)
    if block:
        yield start, block


def sentences(text: str) -> list[Sentence]:
    found = []
    for start, block in blocks(prose(text)):
        whole, begin = "\n".join(block), 0
        for end in [*(match.end() for match in SENTENCE_END.finditer(whole)), len(whole)]:
            sentence = Sentence(start + whole[:begin].count("\n"), whole[begin:end].strip())
            if sentence.words:
                found.append(sentence)
            begin = end
    return found


def listed(name: str) -> list[tuple[str, str]]:
    """The lines of a file next to this one: what stands before ` # `, and the reason behind it."""
    lines = (HERE / name).read_text().splitlines()
    pairs = [line.split(" # ", 1) for line in lines if line and not line.startswith("#")]
    for pair in pairs:
        if len(pair) != 2 or not pair[1].strip():
            raise SystemExit(f"{name}: a line without a reason: {pair[0]}")
    return [(what.strip(), reason.strip()) for what, reason in pairs]


@cache
def phrases() -> list[tuple[re.Pattern, str]]:
    return [(re.compile(what.replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE), reason) for what, reason in listed("phrases.txt")]


def wrong_phrases(text: str) -> list[tuple[int, str, str]]:
    """Line, words and reason of each forbidden phrase."""
    plain = prose(text)
    # A cell of a table may be a list, whose items a semicolon divides.
    cells = re.sub(r"^\s*\|.*$", lambda row: row[0].replace(";", ","), plain, flags=re.MULTILINE)
    found = [
        (cells[: match.start()].count("\n") + 1, " ".join(match[0].split()), reason)
        for pattern, reason in phrases()
        for match in pattern.finditer(cells)
    ]
    clauses = [sentence for sentence in sentences(text) if re.match(r"(What|Whatever|Whoever|Who)\b[^?]*[.!:]$", sentence.text, re.DOTALL)]
    return sorted(found + [(sentence.line, sentence.text.split()[0], "a person or a thing is the subject") for sentence in clauses])


def wrong_in_comments(text: str) -> list[tuple[int, str, str]]:
    clauses = "a person or a thing is the subject"
    return [wrong for wrong in wrong_phrases(text) if wrong[2] != clauses and not wrong[2].startswith("in documents")]


def wrong_lengths(found: list[Sentence]) -> list[str]:
    """What is wrong with the lengths, with the longest sentences."""
    if not found:
        return []
    counts = sorted(sentence.words for sentence in found)
    mean, short = sum(counts) / len(counts), sum(count <= LONG for count in counts) / len(counts)
    if mean <= MEAN and short >= SHARE:
        return []
    long = sorted(found, key=lambda sentence: -sentence.words)[:5]
    first = f"{mean:.1f} words a sentence (at most {MEAN}), {short:.0%} have at most {LONG} (at least {SHARE:.0%}); the longest:"
    return [first, *(f"  line {sentence.line}: {sentence.words} words: {' '.join(sentence.text.split())[:70]}" for sentence in long)]


def listing(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = sorted(set(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()))
    # A link is another name of a file that is read.
    return [name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]


def documents() -> list[str]:
    names = listing("*.md", "cli/*.rs", "collector/*.rs", "lab/*.rs", "xtask/*.rs")
    return [name for name in names if name.endswith(".md") or HELP.search((ROOT / name).read_text())]


def check(name: str, exempt: dict[str, str]) -> list[str]:
    text = (ROOT / name).read_text()
    text = help_text(text) if name.endswith(".rs") else text
    problems = [f"{name}:{line}: {phrase}: {reason}" for line, phrase, reason in wrong_phrases(text)]
    lengths = wrong_lengths(sentences(text))
    if name not in exempt:
        return problems + [f"{name}: {line}" for line in lengths]
    return problems if lengths else [*problems, f"{name}: its sentences are short enough: take it out of exempt.txt"]


def check_comments(names: list[str], exempt: set[str]) -> list[str]:
    problems, folders, right = [], defaultdict(list), set(exempt)
    for name in names:
        text = comments(name, (ROOT / name).read_text())
        wrong, path = wrong_in_comments(text), listed_path(name, exempt)
        if path is None:
            problems += [f"{name}:{line}: {phrase}: {reason}" for line, phrase, reason in wrong]
            folders[name.split("/")[0]] += sentences(text)
        elif wrong:
            right.discard(path)
    for folder, found in folders.items():
        problems += [f"comments of {folder}: {line}" for line in wrong_lengths(found)]
    return problems + [f"the comments of {path} are right: take it out of exempt.txt" for path in sorted(right)]


def listed_path(name: str, paths: set[str]) -> str | None:
    """The path that is this file or a folder around it."""
    return next((path for path in paths if name == path or name.startswith(f"{path}/")), None)


def main(names: list[str]) -> None:
    exempt = defaultdict(set)
    for what, _ in listed("exempt.txt"):
        kind, path = what.split(" ", 1)
        exempt[kind].add(path)
    unknown = sorted(name for names in exempt.values() for name in names if not (ROOT / name).exists())
    problems = [f"exempt.txt names {name}, which does not exist" for name in unknown]
    code = [] if names else listing(*CODE_FILES)
    names = names or [name for name in documents() if not listed_path(name, exempt["all"])]
    for name in names:
        problems += check(name, {name: ""} if listed_path(name, exempt["lengths"]) else {})
    problems += check_comments(code, exempt["comments"] if code else set())
    print(*problems, sep="\n" if problems else "")
    print(f"{len(names)} documents, comments of {len(code)} files, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
