"""Small tables for the golden vectors: good ones, and bad ones that each break a single rule of section 1."""

import hashlib
import math
import struct
from collections.abc import Iterator

import numpy as np

from certify import certify
from mending import FUNCTION_WORD, ING, NAME, NEVER_OFFERED, PARTICIPLE, PAST, PLURAL, THIRD_PERSON
from reference import (
    DIRECTORY_ENTRY,
    HEADER,
    Classes,
    Level,
    Table,
    assemble,
    certificates_body,
    classes_body,
    levels_body,
    seal,
    sections_of,
    words_body,
    write_table,
)


def _certified(table: Table, nats_a_step: float, cutoff: float) -> Table:
    """The table with three certified levels and two with a plateau, of codes out of each word's digest."""
    def codes(level: int) -> bytes:
        return bytes(hashlib.sha256(f"{word} {level}".encode()).digest()[0] // 4 for word in table.words)

    betas = [factor * nats_a_step / table.scale for factor in (1.0, 2.0, 4.0)]
    plain = [(beta, min(cutoff * table.scale, 28 / beta), 0.0, step, codes(level))
             for level, (beta, step) in enumerate(zip(betas, (0.02, 0.01, 0.0), strict=True))]
    return certify(table, plain + [(beta, cutoff * table.scale / 2, cutoff * table.scale / 8, 0.015, codes(3 + level))
                                   for level, beta in enumerate(betas[:2])])


TOY = _certified(Table(
    words=("bank", "cat", "damn", "dog", "river", "the", "tree", "veil"),
    values=np.array([(-90, 40), (60, 61), (5, -127), (64, 57), (-80, 52), (0, 0), (-31, 90), (127, -127)], np.int64),
    scale=0.05,
    flags=(0, 0, NEVER_OFFERED, 0, 0, FUNCTION_WORD, 0, 0),
    zipf=(98, 95, 85, 101, 92, 155, 97, 0),
    levels=(Level("exponential", 0.5, 0.2, 0.25), Level("exponential", 2.0, 0.75, 0.8),
            Level("metric-laplace", 1.0, 0.4, 0.5)),
    classes=Classes(("animal", "place", "word-2"), (1, 0, 2, 0, 1, 2, 1, 2)),
    meta=(("name", "toy"), ("language", "en"), ("source", "made up = invented"), ("license", "CC0-1.0")),
), 0.01, 150.0)

_F, _N = FUNCTION_WORD, NEVER_OFFERED
_ODD_WORDS = {
    # word: (Zipf × 20, flags)
    "#": (60, 0), "$5": (40, 0), "%": (61, 0), "&": (80, _F), "0": (90, 0), "1": (110, 0), "10": (100, 0),
    "100": (95, 0), "1990": (70, 0), "2": (109, 0), "2000": (85, 0), "2nd": (72, 0), "5%": (41, 0), "7": (99, 0),
    "a": (148, _F), "and": (149, _F), "back": (120, 0), "balloon": (70, 0), "bank": (100, 0), "book": (110, 0),
    "bunk": (100, 0), "cafe": (88, 0), "can't": (118, _F), "cat": (101, 0), "cats": (95, 0), "dog": (104, 0),
    "don't": (126, _F), "friend": (111, 0), "hello": (107, 0), "house": (116, 0), "i": (147, _F), "i'm": (130, _F),
    "john": (108, 0), "london": (105, 0), "meet": (106, 0), "our": (129, _F | _N), "strasse": (10, 0),
    "stupid": (100, _N), "the": (154, _F), "their": (127, _F), "there": (127, _F), "tomorrow": (104, 0),
    "www": (50, 0), "you": (145, _F), "über": (60, 0), "мир": (10, 0), "日": (0, 0), "😀": (20, 0),
}


def _scattered(words: list[str], dims: int) -> np.ndarray:
    """Coordinates in −127…127 out of each word's digest: arbitrary, and the same everywhere."""
    return np.array([[(byte % 255) - 127 for byte in hashlib.sha256(word.encode()).digest()[:dims]] for word in words],
                    np.int64)


def _odd() -> Table:
    words = sorted(_ODD_WORDS, key=str.encode)
    values = _scattered(words, 5)
    values[words.index("cats")] = values[words.index("cat")]
    return _certified(Table(
        words=tuple(words), values=values, scale=0.0123,
        flags=tuple(_ODD_WORDS[word][1] for word in words), zipf=tuple(_ODD_WORDS[word][0] for word in words),
    ), 0.015, 1000.0)


ODD = _odd()
ONE = Table(words=("alone",), values=np.array([(-127,)], np.int64), scale=1e-9, flags=(0,), zipf=(0,), levels=())

GOOD: dict[str, Table] = {"toy.tvt": TOY, "odd.tvt": ODD, "one.tvt": ONE}

_CLASS_WORDS = {
    # word: (class, flags); `red` is never offered, so that `colour` has a single word to put out
    "ant": (0, 0), "bear": (0, 0), "cat": (0, 0), "city": (2, 0), "cow": (0, _N), "dog": (0, 0), "green": (1, 0),
    "hill": (2, 0), "lake": (2, 0), "owl": (0, 0), "red": (1, _N), "town": (2, _N), "village": (2, 0), "yak": (0, 0),
}
CLASSES = Table(
    words=tuple(_CLASS_WORDS), values=_scattered(list(_CLASS_WORDS), 4), scale=0.02,
    flags=tuple(flags for _, flags in _CLASS_WORDS.values()), zipf=(80,) * len(_CLASS_WORDS),
    classes=Classes(("animal", "colour", "place"), tuple(n for n, _ in _CLASS_WORDS.values())),
)



def _line() -> Table:
    """Words on one line, so near that many are equally far from any of them; some are never offered."""
    words = sorted(f"{name}{n}" for n in range(60) for name in ("ash", "bee", "cod", "dew", "elm", "fig", "gum", "hop", "ivy", "jay",
                                                                "kid", "log", "map", "nut", "oak", "pea", "rye", "sap", "tar", "yew"))
    digests = [hashlib.sha256(word.encode()).digest() for word in words]
    return Table(words=tuple(words), values=_scattered(words, 1), scale=0.01, flags=tuple(digest[1] // 240 for digest in digests),
                 zipf=tuple(digest[2] * 160 // 256 for digest in digests))


LINE = _line()

_CAP, _PL, _3RD, _PAST, _PART, _ING = NAME, PLURAL, THIRD_PERSON, PAST, PARTICIPLE, ING
_MEND_WORDS = {
    # word: (Zipf × 20, flags)
    "11": (90, 0), "110": (60, 0), "1800": (60, 0), "2": (100, 0), "8th": (60, 0), "12": (95, 0), "1": (110, 0), "2000": (70, 0),
    "a": (148, _F), "am": (120, _F), "an": (135, _F), "another": (110, _F), "apple": (95, 0), "apples": (90, _PL), "are": (140, _F),
    "artists": (90, _PL | _N), "artist": (92, 0), "at": (140, _F), "be": (138, _F), "been": (125, _F | _PART), "bus": (98, 0),
    "buses": (88, _PL), "can": (130, _F), "canada": (100, _CAP), "child": (105, 0), "children": (110, _PL), "did": (125, _F | _PAST),
    "do": (135, _F), "does": (120, _F | _3RD), "doesn't": (115, _F), "don't": (126, _F), "eat": (100, 0), "eaten": (85, _PART),
    "eats": (80, _3RD), "eating": (95, _ING), "ate": (85, _PAST), "euro": (90, 0), "every": (115, _F), "film": (105, 0),
    "films": (98, _PL | _3RD), "go": (125, 0), "goes": (105, _3RD), "gone": (105, _PART), "going": (120, _ING), "went": (108, _PAST),
    "good": (125, 0), "goods": (92, _PL), "has": (128, _F | _3RD), "have": (135, _F), "he": (135, _F), "hero": (95, 0),
    "heroes": (92, _PL), "honest": (95, 0), "hope": (108, 0), "hop": (85, 0), "hoped": (90, _PAST | _PART), "hoping": (95, _ING),
    "hopped": (60, _PAST | _PART), "hour": (105, 0), "hours": (105, _PL), "house": (112, 0), "houses": (98, _PL | _3RD), "i": (147, _F),
    "i'm": (130, _F), "i've": (118, _F), "in": (145, _F), "is": (145, _F | _3RD), "it": (145, _F), "june": (100, _CAP), "like": (125, 0),
    "likes": (90, _3RD), "look": (115, 0), "looked": (105, _PAST | _PART), "looks": (108, _3RD), "make": (118, 0), "makes": (108, _3RD),
    "making": (108, _ING), "many": (120, _F), "mp3": (70, 0), "one": (128, _F), "people": (125, _PL), "person": (110, 0),
    "put": (110, _PAST | _PART), "see": (122, 0), "saw": (105, _PAST), "seen": (108, _PART), "she": (130, _F), "some": (130, _F),
    "stop": (112, 0), "stopped": (102, _PAST | _PART), "stopping": (85, _ING), "stops": (95, _3RD), "that": (145, _F), "the": (154, _F),
    "these": (120, _F), "they": (132, _F), "this": (138, _F), "time": (122, 0), "times": (110, _PL | _3RD), "to": (150, _F),
    "tries": (90, _3RD), "try": (112, 0), "tried": (102, _PAST | _PART), "two": (120, 0), "uncle": (90, 0), "union": (95, 0),
    "use": (115, 0), "used": (115, _PAST | _PART), "user": (95, 0), "was": (142, _F | _PAST), "we": (135, _F), "were": (130, _F | _PAST),
    "wife": (105, 0), "wives": (85, _PL), "will": (130, _F), "without": (118, _F), "you": (145, _F), "über": (60, 0), "😀": (20, 0),
}


def _mend() -> Table:
    """Words in many forms, which agree or do not."""
    words = sorted(_MEND_WORDS, key=str.encode)
    return Table(words=tuple(words), values=_scattered(words, 3), scale=0.02,
                 flags=tuple(_MEND_WORDS[word][1] for word in words), zipf=tuple(_MEND_WORDS[word][0] for word in words))


MEND = _mend()


def _encoder(dims: int, *lines: tuple[str, str]) -> Table:
    """A text encoder of a few words."""
    words = ("app", "bad", "but", "crashes", "delivery", "good", "high", "is", "it", "late", "never", "not", "price", "the", "was")
    lengths = {"is": 8, "it": 8, "the": 8, "was": 8}
    rows = zip(words, _scattered(list(words), dims), strict=True)
    values = [[step * lengths.get(word, 127) // 127 for step in row] for word, row in rows]
    return Table(words=words, values=np.array(values, np.int64), scale=0.01, flags=(0,) * len(words), zipf=(100,) * len(words),
                 meta=(("kind", "text-encoder"), ("name", "toy encoder"), *lines))


ENCODER = _encoder(3, ("negators", "never not"), ("clause-starters", "but so"))
# Without a polarity.
WIDE = _encoder(5)


def other_files() -> dict[str, bytes]:
    """Good tables for one purpose each: word classes, ties to count, words to mend, texts to encode."""
    good = {"encoder.tvt": ENCODER, "classes.tvt": CLASSES, "line.tvt": LINE, "mend.tvt": MEND, "wide.tvt": WIDE}
    return {name: write_table(table) for name, table in good.items()}


def good_files() -> dict[str, bytes]:
    """The good tables as files. `one.tvt` also carries a section that no reader knows, with a gap before it."""
    files = {name: write_table(table) for name, table in GOOD.items()}
    files["one.tvt"] = assemble(ONE.dims, ONE.rows, ONE.scale, [(b"xtra", b"\xff\x00?"), *sections_of(ONE)])
    return files


# --- Bad tables ------------------------------------------------------------------------------------------------------

_WORDS = ["ape", "bee", "cat", "cow", "dog", "eel", "elk", "emu", "fly", "fox", "gnu", "hen", "owl", "pig", "ram", "rat",
          "sow", "yak"]
_BASE = Table(tuple(_WORDS), _scattered(_WORDS, 3), 0.5, (0,) * 18, (80,) * 18, (Level("exponential", 1.0, 0.5, 0.5),),
              meta=(("name", "bad"),))
_FILE = write_table(_BASE)


def _patched(offset: int, replacement: bytes, file: bytes = _FILE) -> bytes:
    """`file` with bytes replaced and its checksum made right again."""
    return seal(file[:offset] + replacement + file[offset + len(replacement):])


def _u32(value: int) -> bytes:
    return struct.pack("<I", value)


def _f64(value: float) -> bytes:
    return struct.pack("<d", value)


def _with(tag: bytes, body: bytes) -> bytes:
    """The base table with another body for one section."""
    return assemble(3, 18, 0.5, [(t, body if t == tag else b) for t, b in sections_of(_BASE)])


def _body(tag: bytes) -> bytes:
    return dict(sections_of(_BASE))[tag]


def _with_words(change: dict[int, bytes]) -> bytes:
    return _with(b"WORD", words_body([change.get(n, word.encode()) for n, word in enumerate(_WORDS)]))


def _with_level(*levels: tuple[int, int, float, float, float]) -> bytes:
    return _with(b"LEVL", levels_body(levels))


def _with_classes(body: bytes, flags: bytes = bytes(18)) -> bytes:
    """The base table with a section of classes and perhaps other flags."""
    sections = [(tag, flags if tag == b"FLAG" else content) for tag, content in sections_of(_BASE)]
    return assemble(3, 18, 0.5, [*sections, (b"CLAS", body)])


def _entry(section: int, field: int) -> int:
    """The position of a u32 field (0 tag, 1 zero, 2 offset, 3 length) of a directory entry."""
    return HEADER + DIRECTORY_ENTRY * section + 4 * field


def bad_tables() -> Iterator[tuple[str, str, bytes]]:
    """(name, the rule that is broken, file)."""
    yield "empty", "shorter than the header", b""
    yield "magic-only", "shorter than the header", _FILE[:8]
    yield "one-byte-short-of-a-header", "shorter than the header", _FILE[:63]
    yield "other-magic", "magic", _patched(0, b"TEXTVEI1")
    yield "version-0", "version", _patched(8, b"\x00\x00")
    yield "version-2", "version", _patched(8, b"\x02\x00")
    yield "no-dims", "dims", _patched(10, b"\x00\x00")
    yield "385-dims", "dims", _patched(10, struct.pack("<H", 385))
    yield "no-rows", "rows", _patched(12, _u32(0))
    yield "131073-rows", "rows", _patched(12, _u32(131073))
    yield "4294967295-rows", "rows", _patched(12, _u32(0xFFFFFFFF))
    for name, scale in [("zero", 0.0), ("minus-zero", -0.0), ("negative", -0.5), ("nan", math.nan),
                        ("infinite", math.inf)]:
        yield f"{name}-scale", "scale", _patched(16, _f64(scale))
    yield "no-sections", "number of sections", _patched(24, _u32(0))
    yield "17-sections", "number of sections", assemble(
        3, 18, 0.5, sections_of(_BASE) + [(b"X%03d" % n, b"") for n in range(11)])
    yield "4294967295-sections", "number of sections", _patched(24, _u32(0xFFFFFFFF))
    yield "reserved-header-field-set", "reserved header field", _patched(28, _u32(1))
    yield "checksum-bit-flipped", "checksum", _FILE[:40] + bytes([_FILE[40] ^ 1]) + _FILE[41:]
    yield "content-changed-behind-the-checksum", "checksum", _FILE[:-1] + b"e"
    yield "header-changed-behind-the-checksum", "checksum", _FILE[:16] + _f64(0.25) + _FILE[24:]

    yield "header-alone", "directory behind the end of the file", seal(_FILE[:64])
    yield "directory-cut-short", "directory behind the end of the file", seal(_FILE[:64 + 16 * 6 - 1])
    yield "tag-not-ascii", "tag is not ASCII", _patched(_entry(5, 0), b"MET\xff")
    yield "tag-twice", "tag twice", assemble(3, 18, 0.5, [*sections_of(_BASE), (b"META", b"a=b")])
    yield "unknown-tag-twice", "tag twice", assemble(3, 18, 0.5, [*sections_of(_BASE), (b"WHAT", b"1"), (b"WHAT", b"2")])
    yield "reserved-directory-field-set", "reserved directory field", _patched(_entry(2, 1), _u32(1))
    yield "misaligned-section", "misaligned section", _misaligned()
    yield "section-inside-the-directory", "sections overlap or are out of order", _patched(_entry(0, 2), _u32(64))
    yield "section-at-offset-0", "sections overlap or are out of order", _patched(_entry(0, 2), _u32(0))
    yield "overlapping-sections", "sections overlap or are out of order", _overlapping()
    yield "sections-out-of-order", "sections overlap or are out of order", _out_of_order()
    yield "length-past-the-end", "section behind the end of the file", _patched(_entry(5, 3), _u32(9))
    yield "offset-past-the-end", "section behind the end of the file", _patched(_entry(5, 2), _u32(0xFFFFFFF0))
    yield "offset-plus-length-wraps-32-bits", "section behind the end of the file", _patched(
        _entry(5, 2), _u32(0xFFFFFFF0) + _u32(0x18))
    yield "last-byte-missing", "section behind the end of the file", seal(_FILE[:-1])
    yield "byte-behind-the-last-section", "bytes behind the last section", seal(_FILE + b"\x00")
    yield "gap-not-zero", "gap is not zero", _patched(_section_end(2), b"\x01")

    for tag in (b"ROWS", b"WORD", b"FLAG", b"ZIPF"):
        yield f"no-{tag.decode()}", f"no {tag.decode()} section", assemble(
            3, 18, 0.5, [section for section in sections_of(_BASE) if section[0] != tag])
    rows = _body(b"ROWS")
    yield "rows-too-short", "length of ROWS", _with(b"ROWS", rows[:-64])
    yield "rows-too-long", "length of ROWS", _with(b"ROWS", rows + bytes(64))
    yield "more-dims-than-rows-hold", "length of ROWS", _patched(10, struct.pack("<H", 5))
    yield "value-minus-128", "value −128", _with(b"ROWS", b"\x80" + rows[1:])
    yield "missing-dimension-not-zero", "padding of ROWS is not zero", _with(b"ROWS", rows[:33] + b"\x01" + rows[34:])
    yield "missing-row-not-zero", "padding of ROWS is not zero", _with(b"ROWS", rows[:68] + b"\x01" + rows[69:])

    words = _body(b"WORD")
    yield "words-empty", "length of WORD", _with(b"WORD", b"")
    yield "words-without-all-offsets", "length of WORD", _with(b"WORD", words[:11])
    yield "too-few-word-blocks", "number of word blocks", _with(b"WORD", _u32(1) + words[4:])
    yield "absurd-word-blocks", "number of word blocks", _with(b"WORD", _u32(0x40000000) + words[4:])
    yield "first-block-not-at-0", "offset of a word block", _with(b"WORD", words[:4] + _u32(1) + words[8:])
    yield "block-offset-elsewhere", "offset of a word block", _with(b"WORD", words[:8] + _u32(5) + words[12:])
    yield "block-offset-past-the-end", "offset of a word block", _with(
        b"WORD", words[:8] + _u32(0xFFFFFFFF) + words[12:])
    yield "words-cut-short", "words cut short", _with(b"WORD", words[:-1])
    yield "last-word-missing", "words cut short", _with(b"WORD", words[:-5])
    yield "bytes-behind-the-last-word", "bytes behind the last word", _with(b"WORD", words + b"\x00")
    yield "first-word-of-a-block-shares", "shared length", _with(b"WORD", words[:12] + b"\x01" + words[13:])
    yield "shares-more-than-the-word-before-has", "shared length", _with(b"WORD", words[:17] + b"\x04" + words[18:])
    yield "nothing-behind-the-shared-part", "length of a word", _with(b"WORD", _words_with_empty_rest())
    yield "word-of-64-bytes", "length of a word", _with_words({17: b"y" * 64})
    yield "words-descend", "words do not ascend", _with_words({1: b"cub", 2: b"cat"})
    yield "words-descend-across-blocks", "words do not ascend", _with_words({16: b"ra"})
    yield "word-twice-across-blocks", "words do not ascend", _with_words({16: b"rat"})
    yield "word-not-utf8", "a word is not UTF-8", _with_words({17: b"y\xe4k"})
    yield "word-with-a-surrogate", "a word is not UTF-8", _with_words({17: b"y\xed\xa0\x80"})
    yield "word-with-an-overlong-form", "a word is not UTF-8", _with_words({17: b"\xc1\xa1"})
    for name, character in [("nul", "\0"), ("newline", "\n"), ("delete", "\x7f"), ("c1-control", "\x9b"),
                            ("space", " "), ("no-break-space", "\xa0"), ("ideographic-space", "\u3000"),
                            ("soft-hyphen", "\xad"), ("direction-override", "\u202e")]:
        yield f"word-with-{name}", "control character, white space or ignorable character in a word", _with_words(
            {17: f"y{character}k".encode()})

    yield "flags-too-short", "length of FLAG", _with(b"FLAG", bytes(17))
    yield "flags-too-long", "length of FLAG", _with(b"FLAG", bytes(19))
    yield "no-row-offered", "no row is offered", _with(b"FLAG", b"\x01" * 9 + b"\x03" * 9)
    yield "zipf-too-short", "length of ZIPF", _with(b"ZIPF", bytes(17))
    yield "zipf-too-long", "length of ZIPF", _with(b"ZIPF", bytes(19))

    level = (0, 0, 1.0, 0.5, 0.5)
    yield "levels-without-count", "length of LEVL", _with(b"LEVL", b"\x01\x00\x00\x00")
    yield "more-levels-counted-than-held", "length of LEVL", _with(b"LEVL", _u32(2) + levels_body([level])[4:])
    yield "fewer-levels-counted-than-held", "length of LEVL", _with(b"LEVL", _u32(0) + levels_body([level])[4:])
    yield "level-bytes-wrap-32-bits", "length of LEVL", _with(b"LEVL", _u32(0x08000000) + _u32(0))
    yield "reserved-levels-field-set", "reserved field of LEVL", _with(
        b"LEVL", _u32(1) + _u32(1) + levels_body([level])[8:])
    yield "reserved-level-field-set", "reserved field of a level", _with_level((0, 1, 1.0, 0.5, 0.5))
    yield "unknown-mechanism", "mechanism of a level", _with_level((2, 0, 1.0, 0.5, 0.5))
    for name, eta in [("zero", 0.0), ("negative", -1.0), ("nan", math.nan), ("infinite", math.inf)]:
        yield f"level-with-{name}-eta", "η of a level", _with_level((0, 0, eta, 0.5, 0.5))
    for name, retention in [("negative", -0.1), ("above-1", 1.1), ("nan", math.nan)]:
        yield f"{name}-uniform-retention", "retention of a level", _with_level((1, 0, 1.0, retention, 0.5))
        yield f"{name}-frequency-retention", "retention of a level", _with_level((1, 0, 1.0, 0.5, retention))
    yield "levels-by-falling-eta", "order of the levels", _with_level((0, 0, 2.0, 0.5, 0.5), level)
    yield "levels-by-falling-mechanism", "order of the levels", _with_level((1, 0, 0.5, 0.5, 0.5), level)

    of, names = [0, 1, 2] * 6, [b"bird", b"fish", b"mammal"]
    classes = classes_body(of, names)
    yield "classes-empty", "length of CLAS", _with_classes(b"")
    yield "classes-without-count", "length of CLAS", _with_classes(classes[:7])
    yield "classes-of-too-few-rows", "length of CLAS", _with_classes(classes[:8 + 17])
    yield "classes-without-names", "number of class names", _with_classes(classes[:8 + 18])
    yield "no-classes", "number of classes", _with_classes(_u32(0) + classes[4:])
    yield "65-classes", "number of classes", _with_classes(
        _u32(65) + _u32(0) + bytes(of) + b"".join(b"n%d\n" % n for n in range(65)))
    yield "4294967295-classes", "number of classes", _with_classes(_u32(0xFFFFFFFF) + classes[4:])
    yield "reserved-classes-field-set", "reserved field of CLAS", _with_classes(_u32(3) + _u32(1) + classes[8:])
    yield "class-out-of-range", "class of a word", _with_classes(classes_body([3, *of[1:]], names))
    yield "class-without-a-row", "a class without an offered row", _with_classes(classes_body([0, 1] * 9, names))
    yield "class-of-rows-never-offered", "a class without an offered row", _with_classes(
        classes_body([2, *[0, 1] * 8, 2], names), b"\x01" + bytes(16) + b"\x03")
    yield "class-names-missing", "a class name does not end", _with_classes(classes[:8 + 18] + b"bird")
    yield "last-class-name-does-not-end", "a class name does not end", _with_classes(classes[:-1])
    yield "class-name-missing", "number of class names", _with_classes(classes[:-7])
    yield "class-name-too-many", "number of class names", _with_classes(classes + b"worm\n")
    yield "bytes-behind-the-class-names", "a class name does not end", _with_classes(classes + b"\x00")
    yield "class-name-twice", "a class name twice", _with_classes(classes_body(of, [b"bird", b"fish", b"bird"]))
    for name, spelling in [("empty", b""), ("of-32-bytes", b"m" * 32), ("capitalized", b"Mammal"),
                           ("with-digit-first", b"2nd"), ("with-hyphen-first", b"-mammal"), ("with-space", b"mam mal"),
                           ("with-return", b"mammal\r"), ("with-umlaut", "säuger".encode()), ("not-utf8", b"mamm\xe4l")]:
        yield f"class-name-{name}", "name of a class", _with_classes(classes_body(of, [*names[:2], spelling]))

    yield from _bad_certificates()

    yield "meta-not-utf8", "META is not UTF-8", _with(b"META", b"name=\xff")
    yield "meta-line-without-a-value", "a META line is not key=value", _with(b"META", b"name=bad\nlanguage")


def _bad_certificates() -> Iterator[tuple[str, str, bytes]]:
    """The base table, its last row never offered, with certificates that each break one rule."""
    flags = bytes(17) + bytes([NEVER_OFFERED])
    good = {"beta": 0.02, "cutoff": 60.0, "near": 0.0, "eta": 0.03, "epsilon": 1.5, "step": 0.01, "retention": 0.5,
            "retention_by_frequency": 0.5, "support": 3.0, "expected_distance": 1.0, "inversion": 0.5,
            "inversion_by_frequency": 0.5}
    codes = bytes(range(18))

    def file(body: bytes) -> bytes:
        sections = [(tag, flags if tag == b"FLAG" else content) for tag, content in sections_of(_BASE)]
        return assemble(3, 18, 0.5, [*sections, (b"CERT", body)])

    def body(*changes: dict[str, float], stand_in: int = 0) -> bytes:
        return certificates_body([tuple({**good, **change}.values()) for change in changes], [codes] * len(changes),
                                 [stand_in])

    fine = body({})
    yield "certificates-empty", "length of CERT", file(b"")
    yield "certificates-without-count", "length of CERT", file(fine[:7])
    yield "certificates-cut-short", "length of CERT", file(fine[:-1])
    yield "bytes-behind-the-certificates", "length of CERT", file(fine + b"\x00")
    yield "no-certificates", "number of certificates", file(_u32(0) + fine[4:])
    yield "65-certificates", "number of certificates", file(body(*({"eta": 0.02 + n / 5000} for n in range(1, 66))))
    yield "4294967295-certificates", "number of certificates", file(_u32(0xFFFFFFFF) + fine[4:])
    yield "reserved-certificates-field-set", "reserved field of CERT", file(fine[:4] + _u32(1) + fine[8:])
    bad = {
        "beta": ("β", (0.0, -1.0, math.nan, math.inf, 9e-7, 2.1e6)), "cutoff": ("cutoff", (0.49, 1401.0, math.nan, -1.0)),
        "near": ("near", (-1.0, 60.5, math.nan)),
        "eta": ("η", (0.02, 0.0401, math.nan, math.inf)), "epsilon": ("ε", (-0.1, 1.19, 1.81, math.nan)),
        "step": ("step", (-0.01, 1.01, math.nan)), "retention": ("share", (-0.1, 1.1, math.nan)),
        "retention_by_frequency": ("share", (1.1,)), "inversion": ("share", (-0.1,)),
        "inversion_by_frequency": ("share", (math.nan,)), "support": ("support", (0.9, math.inf, math.nan)),
        "expected_distance": ("distance", (-1.0, math.inf, math.nan)),
    }
    for name, (symbol, values) in bad.items():
        for n, value in enumerate(values):
            why = f"{symbol} of a certificate" if math.isfinite(value) else "a certificate is not finite"
            yield f"certificate-{name}-{n}", why, file(body({name: value}))
    yield "certificates-by-falling-eta", "order of the certificates", file(body({"eta": 0.035}, {}))
    yield "plateau-first", "order of the certificates", file(body({"near": 1.0}, {"eta": 0.035}))
    yield "certificates-of-one-eta", "order of the certificates", file(body({}, {}))
    yield "stand-in-out-of-range", "stand-in of a word", file(body({}, stand_in=18))
    yield "stand-in-never-offered", "stand-in of a word", file(body({}, stand_in=17))


def _section_end(section: int) -> int:
    offset, length = struct.unpack_from("<II", _FILE, _entry(section, 2))
    return offset + length


def _misaligned() -> bytes:
    """The last section moved eight bytes on, into a longer file."""
    offset, length = struct.unpack_from("<II", _FILE, _entry(5, 2))
    longer = _FILE[:offset] + bytes(8) + _FILE[offset:]
    return _patched(_entry(5, 2), _u32(offset + 8) + _u32(length), longer)


def _overlapping() -> bytes:
    """ZIPF told to start where FLAG starts."""
    return _patched(_entry(3, 2), _FILE[_entry(2, 2):_entry(2, 3)])


def _out_of_order() -> bytes:
    """The directory entries of FLAG and ZIPF exchanged; the sections stay where they are."""
    flag, zipf = (_FILE[_entry(n, 0):_entry(n + 1, 0)] for n in (2, 3))
    return _patched(_entry(2, 0), zipf + flag)


def _words_with_empty_rest() -> bytes:
    """The last word cut down to the part that it shares with the word before, whose name it repeats."""
    words = [*_WORDS[:-1], "sowx"]
    body = words_body([word.encode() for word in words])
    return body[:-2] + b"\x00"
