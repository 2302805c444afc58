"""SPEC.md, section 9.2: a whole text is exchanged for a statement of a public list; and its golden vectors."""

import hashlib
import itertools
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from guarantees import number
from keys import Item, _count, _real, key
from reference import Piece, Refused, Stream, Table, is_of_other_language, pieces, sum_of_rows
from samplers import two_words
from vector_tools import Json, seeds
from word_mechanisms import _settled

MAGIC = b"TVEILSTM"
HEADER = 96
NONE = 2**32 - 1
OUTSIDE = 2**20
MOST_EPSILON, MOST_RELEASES = 20.0, 32

Vector = Sequence[float]


# --- The list --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatementList:
    """Statements and their vectors; `otherwise` is a statement's number, the least cosine of a text that fits, and how many of
    the last dimensions do not count for it.
    """

    statements: tuple[str, ...]
    vectors: tuple[tuple[int, ...], ...]
    encoder: bytes
    otherwise: tuple[int, float, int] | None

    @property
    def dims(self) -> int:
        return len(self.vectors[0])


def direction(vector: Vector) -> list[float] | None:
    """The vector with length 1, or nothing of a null vector."""
    if not all(math.isfinite(x) for x in vector):
        raise Refused("invalid-vector", "no number")
    largest = max(abs(x) for x in vector)
    if largest == 0:
        return None
    scaled = [x / largest for x in vector]
    length = math.sqrt(_in_order(x * x for x in scaled))
    return [x / length for x in scaled]


def _in_order(terms: Iterator[float]) -> float:
    """The sum as the processor makes it: `sum` compensates for rounding."""
    total = 0.0
    for term in terms:
        total += term
    return total


def of_vectors(statements: Sequence[str], vectors: Sequence[Vector], encoder: bytes,
               otherwise: tuple[int, float, int] | None) -> StatementList:
    def steps(vector: Vector) -> tuple[int, ...]:
        unit = direction(vector)
        if unit is None:
            raise Refused("invalid-vector", "null")
        largest = max(abs(x) for x in unit)
        return tuple(round(x / largest * 127.0) for x in unit)

    return StatementList(tuple(statements), tuple(steps(vector) for vector in vectors), encoder, otherwise)


def write_list(one: StatementList) -> bytes:
    head = MAGIC + struct.pack("<HHI", 1, one.dims, len(one.statements)) + one.encoder
    tail = struct.pack("<IId", *((one.otherwise[0], one.otherwise[2], one.otherwise[1]) if one.otherwise else (NONE, 0, 0.0)))
    tail += b"".join(struct.pack(f"{one.dims}b", *vector) for vector in one.vectors)
    tail += "".join(f"{statement}\n" for statement in one.statements).encode()
    return head + hashlib.sha256(head + tail).digest() + tail


# --- The parts of a text ---------------------------------------------------------------------------------------------


def sentences(parts: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each sentence."""
    found: list[list[Piece]] = [[]]
    end = None
    for place, piece in enumerate(parts):
        if piece.kind != "layout":
            if end is not None:
                found.append([])
                end = None
        elif any(part.kind != "layout" for part in parts[:place]) and ends_sentence(piece.text):
            end = place
        found[-1].append(piece)
    return found


def ends_sentence(run: str) -> bool:
    first = min((run.index(mark) for mark in ".!?" if mark in run), default=len(run))
    return "\n" in run or any(c in " \t" for c in run[first:])


# --- The release -----------------------------------------------------------------------------------------------------


class Statements:
    """A list at some ε, with ``near`` statements near to each text and ``releases`` statements for each text."""

    def __init__(self, statements: StatementList, epsilon: float, near: int | None = None, releases: int = 1):
        self.list, self.releases, self.count = statements, releases, len(statements.statements)
        self.epsilon = number({"epsilon": epsilon}, "epsilon")
        if epsilon > MOST_EPSILON:
            raise Refused("invalid-epsilon", repr(epsilon))
        self.near = max(1, min(self.count - 1, round(6.0 * self.count / math.exp(epsilon)))) if near is None else near
        if not 1 <= self.near < self.count:
            raise Refused("invalid-mass", repr(near))
        if not 1 <= releases <= MOST_RELEASES:
            raise Refused("invalid-argument", repr(releases))
        inside, self.robust = _settled(lambda w: max(math.floor(w * (1 - 2.0**-50) * 2.0**20), OUTSIDE), epsilon)
        self.extra = inside - OUTSIDE

    def nearest(self, vector: Vector) -> list[int]:
        if len(vector) != self.list.dims:
            raise Refused("dimension-mismatch", f"{len(vector)} dimensions")
        cosines = self._cosines(vector)
        otherwise = self.list.otherwise
        if otherwise and not any(x >= otherwise[1] for x in self._cosines(vector[:self.list.dims - otherwise[2]]) or ()):
            cosines = self._cosines(self._vector(otherwise[0]))
        return self._nearest(cosines)[:self.near]

    def around(self, chosen: int) -> list[int]:
        near = self._nearest(self._cosines(self._vector(chosen)))[:self.near]
        return near if chosen in near else [*near[:-1], chosen]

    def suggested(self, vector: Vector, count: int) -> list[int]:
        last = [self.list.otherwise[0]] if self.list.otherwise else []
        return [n for n in self._nearest(self._cosines(vector)) if n not in last][:count] + last

    def _nearest(self, cosines: list[float] | None) -> list[int]:
        return [] if cosines is None else sorted(range(self.count), key=lambda n: (-cosines[n], n))

    def _vector(self, n: int) -> list[float]:
        return [float(x) for x in self.list.vectors[n]]

    def _cosines(self, vector: Vector) -> list[float] | None:
        """In as many of the first dimensions as the vector has; none of it, or of a statement, that is null there."""
        unit = direction(vector)
        if unit is None:
            return None
        rows = [row for row in (row[:len(unit)] for row in self.list.vectors) if any(row)]
        return [_in_order(step * x for step, x in zip(row, unit, strict=True)) / math.sqrt(sum(step * step for step in row))
                for row in rows]

    def vectors_of(self, encoder: Table, text: str, any_language: bool = False) -> list[list[float]]:
        if not any_language and is_of_other_language(encoder, text):
            raise Refused("other-language", "most of its words are not the encoder's")
        parts = sentences(pieces(text))
        last = self.releases - 1
        parts[last:] = [list(itertools.chain(*parts[last:]))] if len(parts) > last else []
        return [sum_of_rows(encoder, part) for part in parts]

    def exchange(self, vectors: Sequence[Vector], stream: Stream) -> list[int]:
        """The numbers of the statements; two words of the keystream each."""
        if len(vectors) > self.releases:
            raise Refused("invalid-argument", "more vectors than statements")
        return self._exchange([self.nearest(vector) for vector in vectors], stream)

    def exchange_chosen(self, chosen: Sequence[int], stream: Stream) -> list[int]:
        return self._exchange([self.around(number) for number in chosen], stream)

    def _exchange(self, near: Sequence[list[int]], stream: Stream) -> list[int]:
        nothing = self.nearest([0.0] * self.list.dims)
        return [self._draw(one, stream) for one in [*near, *[nothing] * (self.releases - len(near))]]

    def _draw(self, near: list[int], stream: Stream) -> int:
        line = [(n, self.extra) for n in near] + [(n, OUTSIDE) for n in range(self.count)]
        place = two_words(stream) * sum(part for _, part in line) >> 128
        for n, part in line:
            if place < part:
                return n
            place -= part
        raise AssertionError("a place beyond the sum of all weights")

    def key(self, identity: bytes, text: str, field: str | None) -> str:
        return self._key(identity, [("text", text.encode())], field)

    def key_of_vectors(self, identity: bytes, vectors: Sequence[Vector], field: str | None) -> str:
        return self._key(identity, [("vector", b"".join(map(_real, vector))) for vector in vectors], field)

    def key_of_chosen(self, identity: bytes, text: str, chosen: Sequence[int], field: str | None) -> str:
        return self._key(identity, [("chosen", b"".join(map(_count, chosen))), ("text", text.encode())], field)

    def _key(self, identity: bytes, text: Sequence[Item], field: str | None) -> str:
        items: list[Item] = [("release", b"statements"), ("table", identity), ("mechanism", b"nearest"),
                             ("calibration", b"sound"), ("epsilon", _real(self.epsilon)),
                             ("mass", _real(self.near / self.count)), ("frequencyPower", _real(0.0)),
                             ("releases", _count(self.releases)), *text]
        return key(items if field is None else [*items, ("field", field.encode())])


# --- statements.json -------------------------------------------------------------------------------------------------

_LINES = ("The app crashes.", "The app is good.", "The delivery was late.", "Lieferung pünktlich.", "The price is high.",
          "This is about something else.")
_TEXTS = ("", "the app crashes", "It is NOT good! The delivery was late.", "not not good", "delivery late late app",
          "good. late. price. app.", "Приложение 我们", "write to anna@example.org now", "price\nprice? good", "goood app crashs",
          "e.g. this. And that", "...late", "never good app but late", "not late, good", "(not) late", "not unknown good",
          "crashes never not")
_OWN = ((1.0, 0.0, 0.5), (1e-300, -1e-300, 0.0), (0.0, -0.0, 0.0), (-3.5, 2.25, 1e300))


def statement_vectors(encoder: Table, encoder_id: bytes) -> Json:
    def sums(text: str) -> list[float]:
        return sum_of_rows(encoder, pieces(text))

    own = of_vectors(_LINES, [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 2), (-1, 1, 0.3), (-1, -1, -1)], bytes(range(32)), (5, 0.25, 0))
    texts = [*_LINES[:3], "late app", *_LINES[4:]]
    lists = {"plain": of_vectors(_LINES, [sums(line) for line in texts], encoder_id, None),
             "strict": of_vectors(_LINES, [sums(line) for line in texts], encoder_id, (5, 0.9, 0)), "own": own}
    files = {name: write_list(one) for name, one in lists.items()}
    left_out = of_vectors(_LINES, [*own.vectors[:5], (0, 0, -1)], bytes(range(32)), (5, 0.9, 1))
    return {"lists": [{"name": name, "file": file.hex(), "id": file[48:80].hex()} for name, file in files.items()],
            "left_out": {"file": write_list(left_out).hex(),
                         "nearest": [{"vector": vector, "nearest": Statements(left_out, 8.0, 5).nearest(vector)}
                                     for vector in [*map(sums, _TEXTS), (1, 0.1, 9), (0, 0, 1), (0.8, 0.6, 0)]]},
            "texts": [{"text": text, "sum": sums(text)} for text in _TEXTS],
            "suggested": [{"list": name, "text": text, "suggested": Statements(lists[name], 8.0).suggested(sums(text), 2)}
                          for name in ("plain", "strict") for text in _TEXTS],
            "chosen": [*_chosen(lists, files)],
            "releases": [*_releases(encoder, lists, files)],
            "refusals": [*_refusals(lists)]}


def _releases(encoder: Table, lists: Mapping[str, StatementList], files: Mapping[str, bytes]) -> Iterator[Json]:
    settings = ((0.5, None, 1), (4.0, 2, 1), (8.0, None, 3), (1.5, 3, 2), (20.0, 1, 1), (1e-9, 5, 4))
    for (name, one), (epsilon, near, releases) in itertools.product(lists.items(), settings):
        statements = Statements(one, epsilon, near, releases)
        assert statements.robust
        for n, text in enumerate(_TEXTS if name != "own" else ("",)):
            vectors = statements.vectors_of(encoder, text) if name != "own" else [*_OWN][:releases]
            seed = next(seeds("statements", name, epsilon, near, releases, n))
            field = (None, "comment")[n % 2]
            yield {"list": name, "epsilon": epsilon, "near": near, "releases": releases, "text": text, "vectors": vectors,
                   "nearest": [statements.nearest(vector) for vector in vectors], "field": field, "seed": seed.hex(),
                   "statements": statements.exchange(vectors, Stream(seed)), "usual_near": statements.near,
                   "key": statements.key(files[name][48:80], text, field),
                   "vector_key": statements.key_of_vectors(files[name][48:80], vectors, field)}


def _chosen(lists: Mapping[str, StatementList], files: Mapping[str, bytes]) -> Iterator[Json]:
    """Of the list "own" two statements have one direction: the second one is not the nearest of itself."""
    for name, (epsilon, near, releases) in itertools.product(lists, ((8.0, 1, 1), (0.5, 2, 1), (2.0, 4, 3))):
        statements = Statements(lists[name], epsilon, near, releases)
        choices = [[], *([n] for n in range(statements.count)), *([[3, 2], [5, 0, 0]] if releases > 1 else [])]
        for n, chosen in enumerate(choices):
            seed = next(seeds("chosen", name, epsilon, near, releases, n))
            text, field = _TEXTS[n], (None, "comment")[n % 2]
            yield {"list": name, "epsilon": epsilon, "near": near, "releases": releases, "text": text, "chosen": chosen,
                   "field": field, "seed": seed.hex(), "statements": statements.exchange_chosen(chosen, Stream(seed)),
                   "key": statements.key_of_chosen(files[name][48:80], text, chosen, field)}


def _refusals(lists: Mapping[str, StatementList]) -> Iterator[Json]:
    for epsilon, near, releases in ((0.0, None, 1), (-1.0, None, 1), (20.5, None, 1), (8.0, 0, 1), (8.0, 6, 1), (8.0, 1, 0),
                                    (8.0, 1, 33)):
        try:
            Statements(lists["plain"], epsilon, near, releases)
        except Refused as refused:
            yield {"list": "plain", "epsilon": epsilon, "near": near, "releases": releases, "code": refused.code}
