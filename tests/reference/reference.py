"""SPEC.md once more, in plain Python: slow, exact and independent of the Rust.

Here are its sections 1 to 6: table, tokens, rows, release text, randomness. `mending.py` is section 5.1, `samplers.py` is section 7,
`word_mechanisms.py` 8, `representations.py` 9, `choices.py` 9.1, `guarantees.py` 10; `calibrations.py` solves what 8.7 and 9 only state.
Integers are Python's, so nothing can overflow; numpy serves only for the exact int64 distances over all rows of a
table. `exp`, `ln`, `sin` and `cos` are rounded correctly by mpmath, so that the same bits come out on every machine.
Each draw also says whether it is *robust*: far enough from every edge that the last bits of another maths library
cannot change it. Golden vectors keep robust draws only.
"""

import hashlib
import itertools
import math
import re
import struct
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

import mpmath
import numpy as np
from uniseg.wordbreak import words as word_segments

from mending import FUNCTION_WORD, NAME, NEVER_OFFERED, mended

# For every module that computes a real number.
mpmath.mp.prec = 120


class Refused(Exception):
    """An error of the contract: `code` is the stable name, `why` is for people."""

    def __init__(self, code: str, why: str):
        super().__init__(f"{code}: {why}")
        self.code = code


# --- 1. Table file ---------------------------------------------------------------------------------------------------

MAGIC = b"TEXTVEIL"
VERSION = 1
MECHANISMS = ("exponential", "metric-laplace")
LANES = 16
HEADER, DIRECTORY_ENTRY, SECTION_ALIGNMENT = 64, 16, 16


@dataclass(frozen=True)
class Level:
    """A point of a `LEVL` section: a mechanism at η (per unit of distance) and its mean retentions."""

    mechanism: str
    eta: float
    retention_uniform: float
    retention_by_frequency: float


@dataclass(frozen=True)
class Classes:
    """A `CLAS` section: the classes' names, and the class of each row."""

    names: tuple[str, ...]
    of: tuple[int, ...]


@dataclass(frozen=True)
class Certificate:
    """A record of a `CERT` section."""

    beta: float
    cutoff: float
    near: float
    eta: float
    epsilon: float
    step: float
    retention: float
    retention_by_frequency: float
    support: float
    expected_distance: float
    inversion: float
    inversion_by_frequency: float


@dataclass(frozen=True)
class Certificates:
    """A `CERT` section: records, the codes of each one's g, and (row, stand-in) of the rows that are never offered."""

    levels: tuple[Certificate, ...]
    codes: tuple[bytes, ...]
    stand_ins: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Table:
    """A vocabulary with its int8 vectors (`values`, rows × dims, held as int64) on one scale."""

    words: tuple[str, ...]
    values: np.ndarray
    scale: float
    flags: tuple[int, ...]
    zipf: tuple[int, ...]
    levels: tuple[Level, ...] | None = None
    classes: Classes | None = None
    certificates: Certificates | None = None
    meta: tuple[tuple[str, str], ...] | None = None

    @property
    def rows(self) -> int:
        return len(self.words)

    @property
    def dims(self) -> int:
        return self.values.shape[1]

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def offered(self) -> np.ndarray:
        """The rows that may come out, ascending."""
        return np.array([row for row, flags in enumerate(self.flags) if not flags & NEVER_OFFERED])

    @cached_property
    def centre(self) -> list[int]:
        return centre(self.values)

    @cached_property
    def squared_radius(self) -> int:
        return squared_radius(self.values)

    @property
    def d_max(self) -> float:
        """An upper bound of the distance of any two rows, in real units."""
        return 2.0 * self.scale * math.sqrt(self.squared_radius)


def centre(values: np.ndarray) -> list[int]:
    """The lattice point nearest the mean of all rows (halves upwards)."""
    rows = len(values)
    return [(2 * int(total) + rows) // (2 * rows) for total in values.sum(axis=0)]


def squared_radius(values: np.ndarray) -> int:
    """R²: the largest squared lattice distance of a row from the centre."""
    return int(((values - np.array(centre(values))) ** 2).sum(axis=1).max())


def sections_of(table: Table) -> list[tuple[bytes, bytes]]:
    """The sections of a table as (tag, body), ready for `assemble`."""
    sections = [
        (b"ROWS", _rows_body(table.values)),
        (b"WORD", words_body([word.encode() for word in table.words])),
        (b"FLAG", bytes(table.flags)),
        (b"ZIPF", bytes(table.zipf)),
    ]
    if table.levels is not None:
        sections.append((b"LEVL", levels_body([
            (MECHANISMS.index(level.mechanism), 0, level.eta, level.retention_uniform, level.retention_by_frequency)
            for level in table.levels
        ])))
    if table.classes is not None:
        sections.append((b"CLAS", classes_body(table.classes.of, [name.encode() for name in table.classes.names])))
    if table.certificates is not None:
        records = [astuple(level) for level in table.certificates.levels]
        stand_ins = [stand_in for _, stand_in in table.certificates.stand_ins]
        sections.append((b"CERT", certificates_body(records, table.certificates.codes, stand_ins)))
    if table.meta is not None:
        sections.append((b"META", "\n".join(f"{key}={value}" for key, value in table.meta).encode()))
    return sections


def _rows_body(values: np.ndarray) -> bytes:
    rows, dims = values.shape
    padded = np.zeros((-(-rows // LANES) * LANES, dims + dims % 2), np.int8)
    padded[:rows, :dims] = values
    return padded.reshape(-1, LANES, padded.shape[1] // 2, 2).transpose(0, 2, 1, 3).tobytes()


def words_body(words: Sequence[bytes]) -> bytes:
    """The body of a `WORD` section: front-coded in blocks of 16 words."""
    offsets, coded = [], bytearray()
    for n, word in enumerate(words):
        shared = 0
        if n % LANES == 0:
            offsets.append(len(coded))
        else:
            shared = _common_prefix(words[n - 1], word)
        coded += bytes([shared, len(word) - shared]) + word[shared:]
    return struct.pack(f"<{1 + len(offsets)}I", len(offsets), *offsets) + coded


def levels_body(levels: Sequence[tuple[int, int, float, float, float]]) -> bytes:
    """The body of a `LEVL` section."""
    return struct.pack("<II", len(levels), 0) + b"".join(struct.pack("<IIddd", *level) for level in levels)


def classes_body(of: Sequence[int], names: Sequence[bytes]) -> bytes:
    """The body of a `CLAS` section."""
    return struct.pack("<II", len(names), 0) + bytes(of) + b"".join(name + b"\n" for name in names)


def certificates_body(records: Sequence[Sequence[float]], codes: Sequence[bytes], stand_ins: Sequence[int]) -> bytes:
    """The body of a `CERT` section."""
    return (struct.pack("<II", len(records), 0) + b"".join(struct.pack("<12d", *record) for record in records)
            + b"".join(codes) + struct.pack(f"<{len(stand_ins)}I", *stand_ins))


def assemble(dims: int, rows: int, scale: float, sections: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A sealed table file made of a header, a directory and `sections` in the order given."""
    directory, body = b"", b""
    start = HEADER + DIRECTORY_ENTRY * len(sections)
    for tag, content in sections:
        body += bytes(-(start + len(body)) % SECTION_ALIGNMENT)
        directory += struct.pack("<4sIII", tag, 0, start + len(body), len(content))
        body += content
    header = struct.pack("<8sHHIdII", MAGIC, VERSION, dims, rows, scale, len(sections), 0)
    return seal(header + bytes(32) + directory + body)


def seal(file: bytes) -> bytes:
    """`file` with the checksum that its other bytes call for."""
    return file[:32] + hashlib.sha256(file[:32] + file[64:]).digest() + file[64:]


def write_table(table: Table) -> bytes:
    """The table as a `.tvt` file."""
    return assemble(table.dims, table.rows, table.scale, sections_of(table))


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise Refused("bad-table", why)


def read_table(file: bytes) -> Table:
    """Reads a `.tvt` file; any violation of section 1 is `Refused` as `bad-table`."""
    _require(len(file) >= HEADER, "shorter than the header")
    magic, version, dims, rows, scale, count, zero = struct.unpack_from("<8sHHIdII", file)
    _require(magic == MAGIC, "magic")
    _require(version == VERSION, "version")
    _require(1 <= dims <= 384, "dims")
    _require(1 <= rows <= 131072, "rows")
    _require(math.isfinite(scale) and scale > 0, "scale")
    _require(1 <= count <= 16, "number of sections")
    _require(zero == 0, "reserved header field")
    _require(hashlib.sha256(file[:32] + file[64:]).digest() == file[32:64], "checksum")

    sections = _read_directory(file, count)
    for tag in (b"ROWS", b"WORD", b"FLAG", b"ZIPF"):
        _require(tag in sections, f"no {tag.decode()} section")
    flags, zipf = sections[b"FLAG"], sections[b"ZIPF"]
    _require(len(flags) == rows, "length of FLAG")
    _require(any(not flag & NEVER_OFFERED for flag in flags), "no row is offered")
    _require(len(zipf) == rows, "length of ZIPF")
    values = _read_rows(sections[b"ROWS"], rows, dims)
    return Table(
        words=_read_words(sections[b"WORD"], rows),
        values=values,
        scale=scale,
        flags=tuple(flags),
        zipf=tuple(zipf),
        levels=_read_levels(sections[b"LEVL"]) if b"LEVL" in sections else None,
        classes=_read_classes(sections[b"CLAS"], flags) if b"CLAS" in sections else None,
        certificates=_read_certificates(sections[b"CERT"], flags, scale, values) if b"CERT" in sections else None,
        meta=_read_meta(sections[b"META"]) if b"META" in sections else None,
    )


def _read_directory(file: bytes, count: int) -> dict[bytes, bytes]:
    end = HEADER + DIRECTORY_ENTRY * count
    _require(end <= len(file), "directory behind the end of the file")
    sections: dict[bytes, bytes] = {}
    for tag, zero, offset, length in struct.iter_unpack("<4sIII", file[HEADER:end]):
        _require(tag.isascii(), "tag is not ASCII")
        _require(tag not in sections, "tag twice")
        _require(zero == 0, "reserved directory field")
        _require(offset % SECTION_ALIGNMENT == 0, "misaligned section")
        _require(offset >= end, "sections overlap or are out of order")
        _require(offset + length <= len(file), "section behind the end of the file")
        _require(not any(file[end:offset]), "gap is not zero")
        sections[tag] = file[offset:offset + length]
        end = offset + length
    _require(end == len(file), "bytes behind the last section")
    return sections


def _read_rows(body: bytes, rows: int, dims: int) -> np.ndarray:
    blocks, pairs = -(-rows // LANES), -(-dims // 2)
    _require(len(body) == blocks * LANES * 2 * pairs, "length of ROWS")
    lanes = np.frombuffer(body, np.int8).reshape(blocks, pairs, LANES, 2)
    values = lanes.transpose(0, 2, 1, 3).reshape(blocks * LANES, 2 * pairs).astype(np.int64)
    _require(values.min() >= -127, "value −128")
    _require(not values[rows:].any() and not values[:, dims:].any(), "padding of ROWS is not zero")
    return values[:rows, :dims]


def _read_words(body: bytes, rows: int) -> tuple[str, ...]:
    blocks = -(-rows // LANES)
    _require(len(body) >= 4 + 4 * blocks, "length of WORD")
    count, *offsets = struct.unpack_from(f"<{1 + blocks}I", body)
    _require(count == blocks, "number of word blocks")
    coded = body[4 + 4 * blocks:]
    words: list[bytes] = []
    position = 0
    for row in range(rows):
        first = row % LANES == 0
        _require(not first or offsets[row // LANES] == position, "offset of a word block")
        _require(position + 2 <= len(coded), "words cut short")
        shared, rest = coded[position], coded[position + 1]
        position += 2
        _require(shared == 0 if first else shared <= len(words[-1]), "shared length")
        _require(rest >= 1 and shared + rest <= 63, "length of a word")
        _require(position + rest <= len(coded), "words cut short")
        word = (b"" if first else words[-1][:shared]) + coded[position:position + rest]
        position += rest
        _require(not words or words[-1] < word, "words do not ascend")
        words.append(word)
    _require(position == len(coded), "bytes behind the last word")
    try:
        decoded = tuple(word.decode() for word in words)
    except UnicodeDecodeError:
        raise Refused("bad-table", "a word is not UTF-8") from None
    _require(not any(c.isspace() or unicodedata.category(c) == "Cc" or ord(c) in IGNORABLE for word in decoded for c in word),
             "control character, white space or ignorable character in a word")
    return decoded


def _read_levels(body: bytes) -> tuple[Level, ...]:
    _require(len(body) >= 8, "length of LEVL")
    count, zero = struct.unpack_from("<II", body)
    _require(zero == 0, "reserved field of LEVL")
    _require(len(body) == 8 + 32 * count, "length of LEVL")
    entries = list(struct.iter_unpack("<IIddd", body[8:]))
    for mechanism, zero, eta, *retentions in entries:
        _require(mechanism < len(MECHANISMS), "mechanism of a level")
        _require(zero == 0, "reserved field of a level")
        _require(math.isfinite(eta) and eta > 0, "η of a level")
        _require(all(0 <= retention <= 1 for retention in retentions), "retention of a level")
    keys = [(mechanism, eta) for mechanism, _, eta, *_ in entries]
    _require(all(a < b for a, b in itertools.pairwise(keys)), "order of the levels")
    return tuple(Level(MECHANISMS[mechanism], eta, *retentions) for mechanism, _, eta, *retentions in entries)


def _read_classes(body: bytes, flags: bytes) -> Classes:
    _require(len(body) >= 8, "length of CLAS")
    count, zero = struct.unpack_from("<II", body)
    _require(1 <= count <= 64, "number of classes")
    _require(zero == 0, "reserved field of CLAS")
    _require(len(body) >= 8 + len(flags), "length of CLAS")
    of, names = body[8:8 + len(flags)], body[8 + len(flags):]
    _require(all(n < count for n in of), "class of a word")
    offered = {n for n, flag in zip(of, flags, strict=True) if not flag & NEVER_OFFERED}
    _require(len(offered) == count, "a class without an offered row")
    *lines, rest = names.split(b"\n")
    _require(rest == b"", "a class name does not end")
    _require(len(lines) == count, "number of class names")
    _require(all(re.fullmatch(rb"[a-z][a-z0-9-]{0,30}", line) for line in lines), "name of a class")
    _require(len(set(lines)) == count, "a class name twice")
    return Classes(tuple(line.decode() for line in lines), tuple(of))


def _read_certificates(body: bytes, flags: bytes, scale: float, values: np.ndarray) -> Certificates:
    rows = len(flags)
    apart = scale * max(0.0, math.sqrt(squared_radius(values)) - 0.5 * math.sqrt(values.shape[1]))
    never = [row for row, flag in enumerate(flags) if flag & NEVER_OFFERED]
    _require(len(body) >= 8, "length of CERT")
    count, zero = struct.unpack_from("<II", body)
    _require(1 <= count <= 64, "number of certificates")
    _require(zero == 0, "reserved field of CERT")
    _require(len(body) == 8 + (96 + rows) * count + 4 * len(never), "length of CERT")
    levels = []
    for record in struct.iter_unpack("<12d", body[8:8 + 96 * count]):
        level = Certificate(*record)
        _require(all(map(math.isfinite, record)), "a certificate is not finite")
        _require(1e-6 <= level.beta <= 1e6 / scale, "β of a certificate")
        _require(0 <= level.near < math.inf, "near of a certificate")
        _require(scale <= level.cutoff <= 28 / level.beta, "cutoff of a certificate")
        _require(level.near <= level.cutoff, "near of a certificate")
        _require(level.beta + 4e-14 / scale <= level.eta <= 2 * level.beta * (1 + 1e-9) + 8e-14 / scale,
                 "η of a certificate")
        least = level.beta * min(apart, level.cutoff - level.near) / (1 + 1e-9)
        _require(least <= level.epsilon <= level.eta * level.cutoff * (1 + 1e-9), "ε of a certificate")
        _require(0 <= level.step <= 1, "step of a certificate")
        _require(all(0 <= share <= 1 for share in (level.retention, level.retention_by_frequency, level.inversion,
                                                   level.inversion_by_frequency)), "share of a certificate")
        _require(1 <= level.support < math.inf, "support of a certificate")
        _require(0 <= level.expected_distance < math.inf, "distance of a certificate")
        levels.append(level)
    keys = [(level.near > 0, level.eta) for level in levels]
    _require(all(a < b for a, b in itertools.pairwise(keys)), "order of the certificates")
    start = 8 + 96 * count
    codes = tuple(body[start + rows * n:start + rows * (n + 1)] for n in range(count))
    stand_ins = struct.unpack(f"<{len(never)}I", body[start + rows * count:])
    _require(all(row < rows and not flags[row] & NEVER_OFFERED for row in stand_ins), "stand-in of a word")
    return Certificates(tuple(levels), codes, tuple(zip(never, stand_ins, strict=True)))


def _read_meta(body: bytes) -> tuple[tuple[str, str], ...]:
    try:
        lines = body.decode().removesuffix("\n").split("\n") if body else []
    except UnicodeDecodeError:
        raise Refused("bad-table", "META is not UTF-8") from None
    _require(all("=" in line for line in lines), "a META line is not key=value")
    return tuple((key, value) for key, _, value in (line.partition("=") for line in lines))


# --- 2. Text to tokens -----------------------------------------------------------------------------------------------

MAX_TEXT_BYTES = 1_048_576
LAYOUT = frozenset(" \t\n.,;:!?'\"()-/")
SYMBOLS = frozenset(r"#$%&*+<=>@[\]^_`{|}~")
CURRENCY = frozenset("$€£¥")
TAG_SIGNS = frozenset("#@")
SIGNS = CURRENCY | TAG_SIGNS
JOINER = "\u200d"


def _characters(*ranges: tuple[int, int]) -> list[int]:
    return [code for first, last in ranges for code in range(first, last + 1)]


IGNORABLE = frozenset(_characters(
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
))
CANONICAL_LAYOUT = (
    dict.fromkeys([0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029], "\n")
    | dict.fromkeys(_characters((0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F),
                                (0x3000, 0x3000)), " ")
    | dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x02BC], "'")
    | dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB], '"')
    | dict.fromkeys(_characters((0x2010, 0x2015), (0x2212, 0x2212)), "-")
    | {0x2026: "..."}
)


@dataclass(frozen=True)
class Piece:
    """A run of layout (`kind` is `layout`) or a token (`word`, `url`, `email`, `number`)."""

    kind: str
    text: str


def clean(text: str) -> str:
    """2.1: drops ignorable characters, then brings layout characters to their canonical form."""
    visible = "".join(c for c in text if ord(c) not in IGNORABLE)
    return visible.replace("\r\n", "\n").translate(CANONICAL_LAYOUT)


BLOCKS_SPECIAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-@")
URL = re.compile(r'(https?://|ftp://|www\.)[^ \t\n"<>]*', re.ASCII | re.IGNORECASE)
EMAIL_RUN = re.compile(r"""[^ \t\n"'<>()\[\]{},;:!?/\\|]+""")
LONG_NUMBER = re.compile(r"\+?\(?[0-9]+(?:(?:\)?(?: [-/] |[-.,'_ /])\(?|\)\(?|\()[0-9]+)*")
CONTINUES_NUMBER = re.compile(r"[A-Za-z0-9_]")


def special_at(text: str, i: int) -> tuple[str, int] | None:
    """2.2: the kind and the end of the special token that starts at position i of a cleaned text, if one does."""
    if i > 0 and text[i - 1] in BLOCKS_SPECIAL:
        return None
    if match := URL.match(text, i):
        end = i + len(match[0].rstrip(".,;:!?)'"))
        if end > match.end(1):
            return "url", end
    if match := EMAIL_RUN.match(text, i):
        run = match[0].rstrip(".-")
        local, at, domain = run.rpartition("@")
        if at and local and "." in domain[1:-1]:
            return "email", i + len(run)
    if match := LONG_NUMBER.match(text, i):
        digits = sum(c.isdigit() for c in match[0])
        if digits >= 7 and not CONTINUES_NUMBER.match(text, match.end()):
            return "number", match.end()
    return None


def pieces(text: str) -> list[Piece]:
    """Section 2: a text (after NFKC) as layout runs and tokens."""
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise Refused("text-too-long", "more than 1,048,576 bytes")
    text = clean(text)
    found: list[Piece] = []
    stretch_start = i = 0
    while i < len(text):
        special = special_at(text, i)
        if special is None:
            i += 1
            continue
        kind, end = special
        found += _stretch(text[stretch_start:i])
        found.append(Piece(kind, text[i:end]))
        stretch_start = i = end
    return found + _stretch(text[stretch_start:])


def _stretch(text: str) -> list[Piece]:
    """2.3: the pieces of a stretch of text without special tokens."""
    # A colon is inside no word, as CLDR has it: for the boundaries it is any character of no class.
    lengths = [0, *itertools.accumulate(len(segment) for segment in word_segments(text.replace(":", "!")))]
    segments = [text[start:end] for start, end in itertools.pairwise(lengths)]
    run = [Piece("layout" if LAYOUT.issuperset(segment) else "word", segment) for segment in segments]
    run = _join(run, "layout", lambda *_: True)
    run = _join(run, "word", lambda a, b: SYMBOLS.issuperset(a) and SYMBOLS.issuperset(b))
    run = _join(run, "word", lambda a, b: a in TAG_SIGNS or (a in CURRENCY and _starts_with_digit(b)))
    return _join(run, "word", lambda a, b: b == "%" and _starts_with_digit(a[1:] if a[0] in SIGNS else a))


def _join(run: list[Piece], kind: str, belong: Callable[[str, str], bool]) -> list[Piece]:
    """Joins neighbours of that kind, from the left, wherever the text so far and the next one belong together."""
    joined: list[Piece] = []
    for piece in run:
        if joined and joined[-1].kind == piece.kind == kind and belong(joined[-1].text, piece.text):
            joined[-1] = Piece(kind, joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined


def _starts_with_digit(s: str) -> bool:
    return s[:1].isascii() and s[:1].isdigit()


# --- 3. Token to row -------------------------------------------------------------------------------------------------

MAX_SPELLED_BYTES = 64
ASCII_BASE = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŋ": "n",
    "ŧ": "t", "ĸ": "k", "ŉ": "n", "ŀ": "l", "ĳ": "ij", "ſ": "s",
}


def lower(s: str) -> str:
    """Each character's own lower case, whatever stands around it; without zero-width joiners."""
    return "".join(c.lower() for c in s if c != JOINER)


def fold(s: str) -> str:
    """Drops combining marks and replaces Latin letters with diacritics by their ASCII base letters."""
    return "".join(_fold_character(c) for c in s if not 0x300 <= ord(c) <= 0x36F)


def _fold_character(c: str) -> str:
    if not 0xDF <= ord(c) <= 0x17F:
        return c
    base = unicodedata.normalize("NFD", c)[0]
    return base if base.isascii() and base.isalpha() else ASCII_BASE.get(c, c)


def look_up(table: Table, kind: str, token: str) -> tuple[int | None, str]:
    """The row that a token stands for, if any, and how it was found: `exact`, `near` or `unknown`."""
    s = lower(token)
    if kind == "word":
        if s in table.row_of:
            return table.row_of[s], "exact"
        near = _near(table, s)
        if near is not None:
            return near, "near"
    return None, "unknown"


def _near(table: Table, s: str) -> int | None:
    """Steps (b) to (g): the row of a spelling near `s`, if there is one."""
    s = s[1:] if s[:1] in SIGNS else s
    s = s.removesuffix("%")
    if s in table.row_of:
        return table.row_of[s]
    if len(s.encode()) > MAX_SPELLED_BYTES:
        return None
    s = fold(s)
    if s in table.row_of:
        return table.row_of[s]
    s = s.removesuffix("'s") if s.endswith("'s") else s.removesuffix("'")
    if _starts_with_digit(s):
        return _first_known(table, itertools.chain([s], _rounded_numbers(s)))
    shortened = (re.sub(r"(.)\1{2,}", replacement, s, flags=re.DOTALL) for replacement in (r"\1\1", r"\1"))
    row = _first_known(table, itertools.chain([s], shortened))
    return row if row is not None else _one_edit_away(table, s)


def _first_known(table: Table, candidates: Iterator[str]) -> int | None:
    return next((table.row_of[s] for s in candidates if s in table.row_of), None)


def _rounded_numbers(s: str) -> Iterator[str]:
    """The whole number that `s` starts with, then ever coarser ones."""
    digits = re.match("[0-9]+", s.replace(",", "").partition(".")[0])[0]
    digits = digits.lstrip("0") or "0"
    return (digits[:keep] + "0" * (len(digits) - keep) for keep in range(len(digits), 0, -1))


def _one_edit_away(table: Table, s: str) -> int | None:
    if not re.fullmatch("[a-z']{4,}", s):
        return None
    rows = [row for row, word in enumerate(table.words) if _edit_distance_is_one(s.encode(), word.encode())]
    return min(rows, key=lambda row: (-table.zipf[row], row), default=None)


def _edit_distance_is_one(a: bytes, b: bytes) -> bool:
    short, long = sorted((a, b), key=len)
    if len(long) > len(short) + 1:
        return False
    i = _common_prefix(short, long)
    if len(short) == len(long):
        substituted = short[i + 1:] == long[i + 1:]
        transposed = short[i:i + 2] == long[i:i + 2][::-1] and short[i + 2:] == long[i + 2:]
        return a != b and (substituted or transposed)
    return short[i:] == long[i + 1:]


def _common_prefix(a: bytes, b: bytes) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def sum_of_rows(encoder: Table, parts: Sequence[Piece]) -> list[float]:
    """SPEC.md, section 9.2: the vector of a text by a text encoder."""
    meta = dict(encoder.meta or ())
    negators, starters = (meta.get(key, "").split(" ") for key in ("negators", "clause-starters"))
    total = [0] * encoder.dims
    turned = False
    for piece in parts:
        if piece.kind == "layout":
            turned = turned and not any(c in ".,;:!?\n()" for c in piece.text)
            continue
        row = look_up(encoder, piece.kind, piece.text)[0]
        if row is None:
            continue
        turned = (turned and encoder.words[row] not in starters) != (encoder.words[row] in negators)
        *about, last = (int(x) for x in encoder.values[row])
        total = [a + b for a, b in zip(total, [*about, -last if turned else last], strict=True)]
    return [float(x) for x in total]


# --- 4.1. Another language -------------------------------------------------------------------------------------------

FEWEST_WORDS, LEAST_FREQUENCY = 6, 50
MANY, FREQUENT = 500, 100
# By whole blocks, so that no version of Unicode matters.
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") | frozenset(map(chr, _characters(
    (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x1FFF), (0x2C00, 0x2DFF), (0x3040, 0xD7FF), (0xF900, 0xFDFF), (0xFE70, 0xFEFC),
    (0xFF21, 0xFFDC), (0x10000, 0x1CFFF), (0x1E000, 0x1EFFF), (0x20000, 0x3FFFF),
)))


def is_of_other_language(table: Table, text: str) -> bool:
    """Whether a text (after NFKC) is mostly of words that the table does not know."""
    if sum(zipf >= FREQUENT for zipf in table.zipf) < MANY:
        return False
    words = [piece.text for piece in pieces(text) if piece.kind == "word" and _is_judged(piece.text)]
    rows = [(word, table.row_of.get(lower(word))) for word in words]
    frequencies = [0 if row is None else table.zipf[row] for word, row in rows if row is not None or not _is_named(word)]
    return len(words) >= FEWEST_WORDS and sum(frequencies) < LEAST_FREQUENCY * len(frequencies)


def _is_judged(word: str) -> bool:
    return not LETTERS.isdisjoint(word) and not any("0" <= c <= "9" for c in word)


def _is_named(word: str) -> bool:
    """Whether the first character is a capital, and no other."""
    return [c.lower() != c for c in word] == [True] + [False] * (len(word) - 1)


# --- 6. Randomness ---------------------------------------------------------------------------------------------------


class Stream:
    """The keystream of a release: ChaCha20, 64-bit block counter, stream number 0."""

    def __init__(self, seed: bytes):
        self.key = struct.unpack("<8I", seed)
        self.block = 0
        self.pending: list[int] = []

    def u64(self) -> int:
        """The next little-endian word of the keystream."""
        if not self.pending:
            self.pending = list(struct.unpack("<8Q", chacha20_block(self.key, self.block)))
            self.block += 1
        return self.pending.pop(0)

    def copy(self) -> "Stream":
        """Another reader at the same place."""
        other = copy(self)
        other.pending = list(self.pending)
        return other

    @property
    def position(self) -> int:
        """How many words have been read."""
        return 8 * self.block - len(self.pending)

    def uniform(self) -> float:
        """A multiple of 2⁻⁵³ in (0, 1]."""
        return ((self.u64() >> 11) + 1) * 2.0**-53


@lru_cache(maxsize=4096)
def chacha20_block(key: Sequence[int], counter: int) -> bytes:
    """One 64-byte block of ChaCha with 20 rounds and nonce 0."""
    initial = [*struct.unpack("<4I", b"expand 32-byte k"), *key, counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    state = list(initial)
    columns = [(i, i + 4, i + 8, i + 12) for i in range(4)]
    diagonals = [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]
    for _ in range(10):
        for quarter in columns + diagonals:
            _quarter_round(state, *quarter)
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(state, initial, strict=True)))


def _quarter_round(state: list[int], a: int, b: int, c: int, d: int) -> None:
    for target, source, mixed, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[target] = (state[target] + state[source]) & 0xFFFFFFFF
        x = state[mixed] ^ state[target]
        state[mixed] = ((x << bits) | (x >> (32 - bits))) & 0xFFFFFFFF


# --- 4 and 5. Options and release text -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """What is made public on request, whether texts of any language are taken, and whether words stay as they were drawn."""

    keep_function_words: bool = False
    placeholders: bool = False
    # In no seed's name: the draw is the same.
    any_language: bool = field(default=False, repr=False)
    plain_layout: bool = field(default=False, repr=False)
    as_drawn: bool = field(default=False, repr=False)


@dataclass
class Entry:
    """What became of one token: `fate` is `private`, `kept`, `placeholder` or `in-place`; `out` the drawn row, `written` the
    one that is written, `emitted` as it stands in the release."""

    token: str
    kind: str
    fate: str
    found: str | None = None
    row: int | None = None
    out: int | None = None
    written: int | None = None
    emitted: str = ""


@dataclass
class Release:
    """A release text with its account and whether every draw in it is robust."""

    text: str = ""
    account: list[Entry] = field(default_factory=list)
    robust: bool = True

    @property
    def private_tokens(self) -> int:
        return sum(entry.fate == "private" for entry in self.account)


class Capitals:
    """Section 5's public state: whether the next word stands at the start of a sentence or line."""

    def __init__(self):
        self.start, self.pending = True, False

    def after_layout(self, run: str) -> None:
        for c in run:
            if c == "\n":
                self.start = True
            elif c in ".!?":
                self.pending = True
            elif c in " \t":
                self.start |= self.pending
            elif c not in "\"')(":
                self.start = self.pending = False

    def after_token(self) -> None:
        self.start = self.pending = False

    def apply(self, word: str, is_name: bool) -> str:
        if self.start or is_name or word == "i" or word.startswith("i'"):
            return word[0].upper() + word[1:] if word[0].isascii() else word
        return word


@dataclass(frozen=True)
class Draw:
    """A drawn row, and whether the last bits of another maths library could not have changed it."""

    row: int
    robust: bool


class WordMechanism(Protocol):
    """A mechanism of section 8 on its table."""

    table: Table

    def draw(self, row: int | None, stream: Stream) -> Draw:
        """The output for the input `row`, or for any unknown word."""


def release(sampler: WordMechanism, text: str, seed: bytes, options: Options = Options()) -> Release:
    """Privatizes a text (after NFKC) with a mechanism on its table."""
    if not options.any_language and is_of_other_language(sampler.table, text):
        raise Refused("other-language", "most of its words are not the table's")
    return release_of(sampler, pieces(text), seed, options, sampler.table)


def release_of(sampler: WordMechanism, found: Sequence[Piece], seed: bytes, options: Options, offering: Table) -> Release:
    """The same of its pieces. Of `offering`, the flags say what may be written for a drawn word."""
    table, stream = sampler.table, Stream(seed)
    parts = spaced(plain(found) if options.plain_layout else found)
    emitted = [_emit(sampler, stream, piece, options, offering) for piece in parts if piece.kind != "layout"]
    result = Release(account=[entry for entry, _ in emitted], robust=all(robust for _, robust in emitted))
    joined = [place > 1 and parts[place - 1].text == " " for place, piece in enumerate(parts) if piece.kind != "layout"]
    written = mended(offering, [entry.out for entry in result.account], joined)
    for entry, row in zip(result.account, written, strict=True):
        entry.written = entry.out if options.as_drawn else row
    capitals, entries = Capitals(), iter(result.account)
    for piece in parts:
        if piece.kind == "layout":
            result.text += piece.text
            capitals.after_layout(piece.text)
            continue
        entry = next(entries)
        if entry.written is not None:
            entry.emitted = capitals.apply(table.words[entry.written], bool(table.flags[entry.written] & NAME))
        capitals.after_token()
        result.text += entry.emitted
    return result


def spaced(parts: Sequence[Piece]) -> list[Piece]:
    """The same, with a space between two tokens that have no layout between them."""
    found: list[Piece] = []
    for piece in parts:
        if found and piece.kind != "layout" and found[-1].kind != "layout":
            found.append(Piece("layout", " "))
        found.append(piece)
    return found


def plain(parts: Sequence[Piece]) -> list[Piece]:
    """4.2: the same tokens, with a space or a sentence's end between them and nothing else."""
    places = [place for place, piece in enumerate(parts) if piece.kind != "layout"]
    found = []
    for place, following in itertools.pairwise([*places, len(parts)]):
        ends = any(c in ".!?" for piece in parts[place + 1:following] for c in piece.text)
        behind = " " if following < len(parts) else ""
        found += [parts[place], Piece("layout", "." * ends + behind)]
    return [piece for piece in found if piece.text]


def _emit(sampler: WordMechanism, stream: Stream, piece: Piece, options: Options, offering: Table) -> tuple[Entry, bool]:
    table = sampler.table
    if piece.kind in ("redacted", "kept"):
        return Entry(piece.text, piece.kind, "in-place", emitted=piece.text), True
    if options.placeholders and piece.kind != "word":
        return Entry(piece.text, piece.kind, "placeholder", emitted=f"[{piece.kind}]"), True
    row, found = look_up(table, piece.kind, piece.text)
    if options.keep_function_words and found == "exact" and table.flags[row] & FUNCTION_WORD and offering.flags[row] == table.flags[row]:
        return Entry(piece.text, piece.kind, "kept", found, row, row), True
    draw = sampler.draw(row, stream)
    return Entry(piece.text, piece.kind, "private", found, row, draw.row), draw.robust
