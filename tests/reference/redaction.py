"""SPEC.md, sections 2.4 and 4.2: spans that are taken out, words that are kept, and words that are never said; with golden vectors."""

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import keys
from mending import NEVER_OFFERED
from reference import (
    MAX_TEXT_BYTES,
    Draw,
    Options,
    Piece,
    Refused,
    Release,
    Stream,
    Table,
    WordMechanism,
    clean,
    lower,
    pieces,
    release_of,
)
from vector_tools import Json, code_of, seeds
from word_mechanisms import word_mechanism

MOST_WORDS, LONGEST_WORD = 1000, 64
Span = tuple[int, int, str]


class RefusedAt(Refused):
    """An error that names a place in a list."""

    def __init__(self, code: str, place: int):
        super().__init__(code, str(place))
        self.place = place


# --- 2.4. Spans that are taken out -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Redacted:
    """What stands before, between and behind the spans (each in NFKC), and their kinds; `None` where no detector saw the text."""

    stretches: tuple[str, ...]
    kinds: tuple[str, ...] | None


def taken_out(text: str, spans: Sequence[Span] | None) -> Redacted:
    """A text without its spans, which count code points."""
    named = [(start, end, _kind(kind), place) for place, (start, end, kind) in enumerate(spans or ())]
    for start, end, kind, place in named:
        if kind is None or not 0 <= start < end <= len(text):
            raise RefusedAt("invalid-span", place)
    whole: list[tuple[int, int, str, int]] = []
    for kind in sorted({kind for *_, kind, _ in named}):
        whole += _united(sorted(one for one in named if one[2] == kind))
    outer: list[tuple[int, int, str, int]] = []
    for one in sorted(whole, key=lambda one: (one[0], -one[1], one[2])):
        if not outer or one[0] >= outer[-1][1]:
            outer.append(one)
        elif one[1] > outer[-1][1] or one[:2] == outer[-1][:2]:
            raise RefusedAt("invalid-span", one[3])
    ends = [0, *(place for start, end, *_ in outer for place in (start, end)), len(text)]
    stretches = [text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    kinds = None if spans is None else tuple(kind for _, _, kind, _ in outer)
    return Redacted(tuple(unicodedata.normalize("NFKC", stretch) for stretch in stretches), kinds)


def _kind(name: str) -> str | None:
    small = name.lower().replace("_", "-") if name.isascii() else ""
    return small if re.fullmatch(r"[a-z][a-z0-9-]{0,23}", small) else None


def _united(spans: list[tuple[int, int, str, int]]) -> list[tuple[int, int, str, int]]:
    """Of spans of one kind, those that have a character in common as one, which has the place of the first."""
    united: list[tuple[int, int, str, int]] = []
    for start, end, kind, place in spans:
        if united and start < united[-1][1]:
            first = united.pop()
            united.append((first[0], max(first[1], end), kind, first[3]))
        else:
            united.append((start, end, kind, place))
    return united


def pieces_of(text: Redacted, kept: Mapping[str, str]) -> list[Piece]:
    """The pieces of a text; `redacted` and `kept` are kinds of tokens."""
    if sum(len(stretch.encode()) for stretch in text.stretches) > MAX_TEXT_BYTES:
        raise Refused("text-too-long", "more than 1,048,576 bytes")
    cleaned = [clean(stretch) for stretch in text.stretches]
    marks = [end - 1 for end in itertools.accumulate(len(stretch) + 1 for stretch in cleaned)][:-1]
    found: list[Piece] = []
    at = 0
    for piece in pieces("x".join(cleaned)):
        inside = [kind for mark, kind in zip(marks, text.kinds or (), strict=True) if at <= mark < at + len(piece.text)]
        at += len(piece.text)
        if inside:
            found += [Piece("redacted", f"[{kind}]") for kind in inside]
        elif piece.kind == "word" and lower(piece.text) in kept:
            found.append(Piece("kept", kept[lower(piece.text)]))
        else:
            found.append(piece)
    return found


# --- 4.2. Lists of words ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lists:
    """The form of each kept word, and the place of each that is never said, by spelling."""

    kept: Mapping[str, str]
    never: Mapping[str, int]


def lists_of(keep: Sequence[str], never: Sequence[str]) -> Lists:
    kept: dict[str, str] = {}
    for place, word in enumerate(keep):
        form = _one_word(word)
        if form is None or place >= MOST_WORDS or kept.setdefault(lower(form), form) != form:
            raise RefusedAt("invalid-keep-words", place)
    forbidden: dict[str, int] = {}
    for place, word in enumerate(never):
        form = _one_word(word)
        if form is None or place >= MOST_WORDS or lower(form) in kept:
            raise RefusedAt("invalid-never-say", place)
        forbidden.setdefault(lower(form), place)
    return Lists(kept, forbidden)


def _one_word(word: str) -> str | None:
    form = clean(unicodedata.normalize("NFKC", word))
    alone = [piece.kind for piece in pieces(form)] == ["word"]
    return form if alone and lower(form) and len(form.encode()) <= LONGEST_WORD else None


def list_id(words: Mapping[str, str]) -> Json:
    """How a guarantee names a list: words by spelling."""
    if not words:
        return None
    lines = "".join(f"{words[spelling]}\n" for spelling in sorted(words, key=str.encode))
    return {"words": len(words), "digest": hashlib.sha256(lines.encode()).hexdigest()}


@dataclass(frozen=True)
class Substituting:
    """A mechanism whose draws are replaced where they are words that are never said."""

    inner: WordMechanism
    said: Mapping[int, int]

    @property
    def table(self) -> Table:
        return self.inner.table

    def draw(self, row: int | None, stream: Stream) -> Draw:
        drawn = self.inner.draw(row, stream)
        return replace(drawn, row=self.said.get(drawn.row, drawn.row))


def substitutes(table: Table, never: Mapping[str, int]) -> dict[int, int]:
    """For each offered row that is never said, the nearest offered one that is said; the first of equals."""
    rows = {int(row): lower(table.words[row]) for row in table.offered}
    forbidden = [row for row, word in rows.items() if word in never]
    said = [row for row in rows if row not in forbidden]
    if forbidden and not said:
        raise RefusedAt("invalid-never-say", max(never[rows[row]] for row in forbidden))
    squared = lambda a, b: int(((table.values[a] - table.values[b]) ** 2).sum())  # noqa: E731
    return {row: min(said, key=lambda other: (squared(row, other), other)) for row in forbidden}


def redacted_release(sampler: WordMechanism, text: Redacted, lists: Lists, seed: bytes, options: Options) -> Release:
    said = substitutes(sampler.table, lists.never)
    flags = tuple(flag | NEVER_OFFERED if row in said else flag for row, flag in enumerate(sampler.table.flags))
    return release_of(Substituting(sampler, said), pieces_of(text, lists.kept), seed, options, replace(sampler.table, flags=flags))


# --- redaction.json --------------------------------------------------------------------------------------------------

_MENDED = "She went to a film with Jane Smith. I saw TextVeil and Canada, many apples, an hour; jane@my-site.example.com: 555-123-4567!"
_SPANS: tuple[tuple[str, list[Span] | None], ...] = (
    (_MENDED, None),
    (_MENDED, []),
    (_MENDED, [(24, 34, "PERSON")]),
    (_MENDED, [(24, 28, "person"), (29, 34, "person")]),
    (_MENDED, [(24, 26, "PERSON"), (85, 89, "user"), (112, 115, "PHONE_NUMBER")]),
    (_MENDED, [(85, 109, "EMAIL_ADDRESS"), (90, 109, "url"), (85, 89, "name"), (95, 109, "email-address")]),
    ("AnnaBella", [(4, 9, "second"), (0, 4, "first")]),
    ("Anna", [(0, 4, "name")]),
    ("Go! Éva\u0301 went. ﬁlm", [(4, 7, "name")]),
    ("a 😀 b, 我们去. he go", [(2, 3, "emoji"), (8, 9, "han")]),
    ("see https://example.org/u/jane-doe, #jane", [(26, 30, "name"), (37, 41, "name")]),
    ("\rhe go\r\nmany film", [(6, 7, "break")]),
)
_KEEP: tuple[tuple[str, ...], ...] = ((), ("TextVeil", "canada"), ("Smith", "ﬁlm", "Smith", "an"))
_NEVER: tuple[tuple[str, ...], ...] = ((), ("apples", "A", "not-a-word"[:3]), ("went", "go", "film", "an"))


def redaction_vectors(tables: Mapping[str, Table], identities: Mapping[str, bytes]) -> Json:
    return {"cases": [*_cases(tables, identities)], "refusals": [*_refusals(tables)]}


def _cases(tables: Mapping[str, Table], identities: Mapping[str, bytes]) -> Iterator[Json]:
    chosen = itertools.cycle(itertools.product((False, True), repeat=4))
    drawn_by = itertools.cycle((("mend.tvt", 0.1), ("mend.tvt", 1e4), ("odd.tvt", 3.0)))
    wordlists = [(keep, never) for keep, never in itertools.product(_KEEP, _NEVER) if not ("an" in keep and "an" in never)]
    for (text, spans), (keep, never) in itertools.product(_SPANS, wordlists):
        (functions, placeholders, plain_layout, as_drawn), (name, eta) = next(chosen), next(drawn_by)
        options = Options(functions, placeholders, True, plain_layout, as_drawn)
        yield _case(name, tables[name], identities[name], eta, (text, spans), (keep, never), options)


def _case(name: str, table: Table, identity: bytes, eta: float, given: tuple[str, Sequence[Span] | None],
          words: tuple[Sequence[str], Sequence[str]], options: Options) -> Json:
    sampler = word_mechanism("exponential", table, {"eta": eta})
    text, lists = taken_out(*given), lists_of(*words)
    tried = seeds("redaction", name, eta, *given, words, options)
    drawn = ((seed, redacted_release(sampler, text, lists, seed, options)) for seed in tried)
    seed, result = next((seed, result) for seed, result in drawn if result.robust)
    ids = {"kept_words": list_id(lists.kept), "never_said": list_id({word: word for word in lists.never})}
    clear = ["word-count", *(["sentence-ends"] if options.plain_layout else ["punctuation", "white-space"])]
    clear += ["function-words"] * options.keep_function_words + ["placeholders"] * options.placeholders
    clear += ["kept-words"] * bool(lists.kept) + ["language"] * (not options.any_language)
    clear += ["redactions"] * (text.kinds is not None)
    return {"table": name, "eta": eta, "text": given[0], "spans": given[1], "keep_words": words[0], "never_say": words[1],
            "options": asdict(options), "seed": seed.hex(), "release": result.text, "private_tokens": result.private_tokens,
            "account": [asdict(entry) for entry in result.account], "clear": clear, **ids,
            "key": keys.of_redacted(table, identity, {"eta": eta}, text, ids, options)}


def _refusals(tables: Mapping[str, Table]) -> Iterator[Json]:
    text = "é😀 Jane"
    good = (3, 7, "person")
    for bad in ((0, 0, "a"), (2, 1, "a"), (6, 9, "a"), (7, 8, "a"), (99, 100, "a"), (0, 1, ""), (0, 1, "1a"), (0, 1, "a b"), (0, 1, "a]"),
                (0, 1, "é"), (0, 1, "a" * 25), (3, 7, "name"), (2, 4, "name"), (6, 8, "name")):
        yield _refusal("toy.tvt", tables, text, [good, bad], (), ())
    for bad in ("", "new york", "coca-cola", "a.", "jane@example.com", "170 1234567", "\u200d", "a" * 65):
        yield _refusal("toy.tvt", tables, text, None, ("fine", bad), ())
        yield _refusal("toy.tvt", tables, text, None, (), ("fine", bad))
    yield _refusal("toy.tvt", tables, text, None, ("Fine", "fine"), ())
    yield _refusal("toy.tvt", tables, text, None, ("Fine",), ("other", "FINE"))
    words = sorted({lower(tables["toy.tvt"].words[row]) for row in tables["toy.tvt"].offered})
    yield _refusal("toy.tvt", tables, text, None, (), (*words, "more"))


def _refusal(name: str, tables: Mapping[str, Table], text: str, spans: Sequence[Span] | None, keep: Sequence[str],
             never: Sequence[str]) -> Json:
    places = []

    def refused() -> None:
        try:
            taken_out(text, spans)
            substitutes(tables[name], lists_of(keep, never).never)
        except RefusedAt as refusal:
            places.append(refusal.place)
            raise

    return {"table": name, "text": text, "spans": spans, "keep_words": keep, "never_say": never, "error": code_of(refused),
            "place": places[0]}
