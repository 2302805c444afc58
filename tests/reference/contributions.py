"""SPEC.md, section 13: what a device adds to a sum from which new words get vectors; and its golden vectors."""

import hashlib
import itertools
import json
import math
import struct
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import calibrations
from reference import MAX_TEXT_BYTES, Refused, Stream, Table, lower, pieces
from samplers import UNITS, DiscreteGaussian
from vector_tools import Json, seeds, spelled

MEAN_UNIT = 2**20
MARGIN = 1 + 1e-9
SHAKEN = 1e-6
FIELDS = ("table", "dims", "window", "mean", "words", "wordsEach", "norm", "noise", "epsilon", "delta")


# --- The request -----------------------------------------------------------------------------------------------------


def _bad(why: str) -> Refused:
    return Refused("bad-request", why)


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise _bad(why)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(request: dict[str, Json]) -> None:
    """The fields have the types that they must have, and there is no other."""
    _require(set(request) == set(FIELDS), "fields")
    _require(all(_is_count(request[name]) for name in ("dims", "window", "wordsEach", "norm")), "a count")
    mean, words, noise = request["mean"], request["words"], request["noise"]
    _require(isinstance(mean, list) and all(isinstance(x, int) and not isinstance(x, bool) for x in mean), "mean")
    _require(isinstance(words, list) and all(isinstance(word, str) for word in words), "words")
    _require(isinstance(request["table"], str) and _is_number(request["epsilon"]) and _is_number(request["delta"]), "a type")
    _require(noise == {"by": "sum"} or (isinstance(noise, dict) and set(noise) == {"by", "least"} and noise["by"] == "devices"
                                        and _is_count(noise["least"])), "noise")


@dataclass(frozen=True)
class Request:
    """What a collector asks devices for."""

    terms: dict[str, Json]

    @classmethod
    def of_json(cls, text: str) -> "Request":
        try:
            terms = json.loads(text)
        except ValueError as error:
            raise _bad("no JSON") from error
        _require(isinstance(terms, dict), "no object")
        _whole(terms)
        request = cls(terms)
        request._check()
        return request

    def _check(self) -> None:
        terms = self.terms
        table, mean, words = terms["table"], terms["mean"], terms["words"]
        _require(len(table) == 64 and set(table) <= set("0123456789abcdef"), "table")
        _require(terms["dims"] > 0 and len(mean) == terms["dims"] and all(abs(x) <= MEAN_UNIT for x in mean), "mean")
        _require(1 <= terms["window"] <= 50 and terms["wordsEach"] > 0 and 256 <= terms["norm"] <= 65536, "a range")
        _require(1 <= len(words) <= 100_000, "how many words")
        _require(all(a.encode() < b.encode() for a, b in itertools.pairwise(words)), "order of the words")
        _require(all(0 < len(word.encode()) <= 63 and lower(word) == word for word in words), "a word")
        _require(0 < terms["epsilon"] < math.inf and 0 < terms["delta"] < 1, "epsilon or delta")
        _require(1e-12 <= self.rho_of(terms["epsilon"]) <= 1e6, "epsilon")
        _require(self.least > 0, "no device")
        _require(terms["noise"]["by"] == "sum" or (self._requested >= 25 and terms["epsilon"] <= 10), "share of the noise")
        _require(self._requested <= 2.0**40, "more noise than can be drawn")

    @property
    def id(self) -> str:
        """The SHA-256 of the request as it is published, with the real numbers at its end as bytes."""
        reals = struct.pack("<dd", self.terms["epsilon"], self.terms["delta"])
        return hashlib.sha256(self._members(FIELDS[:-2]).encode() + reals).hexdigest()

    def published(self) -> str:
        return self._members(FIELDS) + "}"

    def _members(self, names: Sequence[str]) -> str:
        return "{" + ",".join(f"{json.dumps(name)}:{self._written(name)}" for name in names)

    def _written(self, name: str) -> str:
        value = self.terms[name]
        if name in ("epsilon", "delta"):
            return _real(float(value))
        if name == "words":
            return "[" + ",".join(f'"{"".join(map(_escaped, word))}"' for word in value) + "]"
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def rho_of(self, epsilon: float) -> float:
        return calibrations.zcdp(float(epsilon), float(self.terms["delta"]))

    @property
    def least(self) -> int:
        """How many draws of noise are in the sum."""
        return self.terms["noise"].get("least", 1)

    @property
    def _requested(self) -> float:
        """The variance of one draw of noise before it is rounded up."""
        norm = float(self.terms["norm"])
        return norm * norm / (2.0 * self.rho_of(self.terms["epsilon"])) * MARGIN / float(self.least)

    @property
    def noise(self) -> DiscreteGaussian:
        return DiscreteGaussian.of_variance(self._requested)

    @property
    def largest(self) -> int:
        if self.terms["noise"]["by"] == "sum":
            return self.terms["norm"]
        return self.terms["norm"] + _clear(math.ceil, 16.0 * math.sqrt(self.noise.v / UNITS))

    @property
    def bits(self) -> int:
        return (2 * self.largest).bit_length()

    def norm_of(self, epsilon: float | None) -> int:
        """The norm of a user with that budget."""
        most = self.terms["norm"]
        if epsilon is None:
            return most
        if not 0 < epsilon <= self.terms["epsilon"]:
            raise Refused("invalid-epsilon", repr(epsilon))
        if epsilon == self.terms["epsilon"]:
            return math.floor(most * (1 - 1e-9))
        share = math.sqrt(self.rho_of(epsilon) / self.rho_of(self.terms["epsilon"]))
        return min(_clear(math.floor, most * share * (1 - 1e-9)), most)

    def rho_with(self, norm: int) -> float:
        """What is proved of a user of that norm."""
        count, variance = len(self.terms["words"]) * self.terms["dims"], self.noise.v / UNITS
        tau = 10.0 * (self.least - 1) * math.exp(-(math.pi**2) * variance)
        return 0.5 * (norm / math.sqrt(self.least * variance) + tau * math.sqrt(count)) ** 2 if norm else 0.0


def _clear(rounded: Callable[[float], int], x: float) -> int:
    """A number rounded, which is not so near to the next integer that the last digits of a calibration matter."""
    found = {rounded(x * (1 - SHAKEN / 100)), rounded(x), rounded(x * (1 + SHAKEN / 100))}
    assert len(found) == 1, x
    return found.pop()


def _real(x: float) -> str:
    """The shortest digits that are this number, without an exponent."""
    return format(Decimal(repr(x)).normalize(), "f")


def _escaped(c: str) -> str:
    return f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if c < " " else c


# --- The contribution ------------------------------------------------------------------------------------------------


def weights(table: Table) -> list[int]:
    """How much each row counts in a context."""
    if dict(table.meta or ()).get("kind") == "text-encoder":
        return [1] * table.rows
    # At 120 the probability is 10⁻³ itself.
    return [{0: 256, 120: 128}.get(zipf) or _clear(math.ceil, 0.256 / (1e-3 + 10.0 ** (zipf / 20 - 9))) for zipf in table.zipf]


class Device:
    """One user's device."""

    def __init__(self, request: Request, table: Table, identity: bytes):
        if identity.hex() != request.terms["table"] or request.terms["dims"] > table.dims:
            raise Refused("other-table", "another identity, or too few dimensions")
        self.request, self.table, self.dims = request, table, request.terms["dims"]
        self.number = {word: n for n, word in enumerate(request.terms["words"])}
        self.rows = [[weight * int(x) for x in row[:self.dims]] for weight, row in zip(weights(table), table.values, strict=True)]

    def answer(self, texts: Sequence[str], epsilon: float | None, seed: bytes) -> tuple[list[int], bool]:
        """What is sent, and whether no draw of the noise hangs on the last 10⁻⁶ of the variance."""
        numbers = self.clipped(self.sums(texts), self.request.norm_of(epsilon))
        if self.request.terms["noise"]["by"] == "sum":
            return numbers, True
        v = self.request.noise.v
        shaken = [self._noised(numbers, DiscreteGaussian(w), seed) for w in (v, int(v * (1 - SHAKEN)), int(v * (1 + SHAKEN)))]
        return shaken[0], all(other == shaken[0] for other in shaken)

    def _noised(self, numbers: list[int], noise: DiscreteGaussian, seed: bytes) -> list[int]:
        stream, most = Stream(seed), self.request.largest
        return [max(-most, min(most, number + noise.draw(stream)[0])) for number in numbers]

    def sums(self, texts: Sequence[str]) -> dict[int, list[float]]:
        """The sum of the contexts of each new word, in the order in which the words were met."""
        window, sums = self.request.terms["window"], {}
        for text in texts:
            normal = unicodedata.normalize("NFKC", text)
            if max(len(text.encode("utf-16-le")) // 2, len(normal.encode())) > MAX_TEXT_BYTES:
                continue
            tokens = [piece for piece in pieces(normal) if piece.kind != "layout"]
            spelled_so = [lower(piece.text) if piece.kind == "word" else None for piece in tokens]
            for at, word in enumerate(spelled_so):
                if word not in self.number:
                    continue
                context = self._context(spelled_so[max(0, at - window):at + window + 1])
                if self.number[word] not in sums and len(sums) == self.request.terms["wordsEach"]:
                    continue
                total = sums.setdefault(self.number[word], [0.0] * self.dims)
                for dim, x in enumerate(context or ()):
                    total[dim] += x
        return sums

    def _context(self, around: Sequence[str | None]) -> list[float] | None:
        """The direction of a context less the mean one; none without a word of the table."""
        rows = [self.rows[self.table.row_of[word]] for word in around if word in self.table.row_of and word not in self.number]
        total = [sum(row[dim] for row in rows) for dim in range(self.dims)]
        squares = sum(x * x for x in total)
        if squares == 0:
            return None
        length = math.sqrt(float(squares))
        return [float(x) / length - float(mean) / float(MEAN_UNIT) for x, mean in zip(total, self.request.terms["mean"], strict=True)]

    def clipped(self, sums: dict[int, list[float]], norm: int) -> list[int]:
        numbers = [0] * (len(self.number) * self.dims)
        lengths = {number: math.sqrt(_in_order(x * x for x in row)) for number, row in sums.items()}
        whole = _in_order(lengths.values())
        factor = float(norm) / math.sqrt(whole) if whole > 0 else 0.0
        while whole > 0:
            for number, row in sums.items():
                if lengths[number] > 0:
                    start = number * self.dims
                    numbers[start:start + self.dims] = [int(x / math.sqrt(lengths[number]) * factor) for x in row]
            if sum(x * x for x in numbers) <= norm * norm:
                break
            factor *= 1 - 1e-9
        return numbers


def _in_order(terms: Iterator[float]) -> float:
    """The sum as the processor makes it: `sum` compensates for rounding."""
    total = 0.0
    for term in terms:
        total += term
    return total


# --- contributions.json ----------------------------------------------------------------------------------------------

_NEW = ["bloop", "gröf", "sm\"ooz", "zorp"]
_TEXTS = (
    ("The bloop is back, and my zorp never came.", "Meet me at our house tomorrow: a cat, a dog and the ZORP!"),
    ("A \uff3a\uff4f\uff52\uff50 in London", "Can't you meet the gröf?\nThere is a GRÖF and a zorp in the back of the house."),
    ("zorp zorp bloop. The cat and the dog meet a bloop, a friend, a book and me@example.org in 2000.",),
    ("bloop " * 20 + "the house " + "zorp" * 3, "zorp bloop", "hello zorp", "i don't zorp"),
    ("My zorp, my friend.", "A cat can't read the gröf"),
    ("A friend and a book.", ""),
    ("zorp", "bloop qzxvw zorp", "zorp https://example.org/cat"),
    (),
)
_ENCODED = (("The zorp app is good, not_good, but the delivery was late.", "bloop is high"), ("It is a bloop. price zorp price",),
            ("zorp",))


def _terms(identity: bytes, dims: int, **changes: Json) -> dict[str, Json]:
    mean = [(-1) ** n * (n * 77_777 % 300_000) for n in range(dims)]
    return {"table": identity.hex(), "dims": dims, "window": 5, "mean": mean, "words": _NEW, "wordsEach": 60, "norm": 4096,
            "noise": {"by": "sum"}, "epsilon": 3.0, "delta": 1e-6} | changes


def _requests(identities: dict[str, bytes]) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """(name, table, terms)."""
    odd, toy, wide = (identities[name] for name in ("odd.tvt", "toy.tvt", "wide.tvt"))
    devices = {"by": "devices", "least": 4}
    yield "all dimensions", "odd.tvt", _terms(odd, 5)
    yield "three dimensions", "odd.tvt", _terms(odd, 3, window=1, norm=65536, epsilon=8, delta=2.5e-7)
    yield "one word each", "odd.tvt", _terms(odd, 5, wordsEach=1, norm=256, epsilon=0.75, delta=1e-5)
    yield "noise by devices", "odd.tvt", _terms(odd, 4, window=50, noise=devices)
    odd_words = ["\n\\", "cat", "zorp"]
    yield "noise by one device", "toy.tvt", _terms(toy, 2, words=odd_words, norm=1000, noise=devices | {"least": 1}, epsilon=1.25)
    yield "text encoder", "wide.tvt", _terms(wide, 4, words=["bloop", "zorp"], window=2)


def contribution_vectors(tables: dict[str, Table], identities: dict[str, bytes]) -> Json:
    requests = [*_requests(identities)]
    return {"requests": [_request(*one) for one in requests],
            "cases": [case for name, table, terms in requests for case in _cases(name, tables[table], identities[table], terms)],
            "refused": [*_refused(tables, identities)]}


def _request(name: str, table: str, terms: dict[str, Json]) -> Json:
    # As somebody may have sent it on: in another order, with spaces.
    text = json.dumps(dict(sorted(terms.items())), ensure_ascii=False)
    request = Request.of_json(text)
    return {"name": name, "table": table, "request": text, "published": request.published(), "id": request.id,
            "largest": request.largest, "bits": request.bits}


def _cases(name: str, table: Table, identity: bytes, terms: dict[str, Json]) -> Iterator[Json]:
    request = Request.of_json(json.dumps(terms))
    device = Device(request, table, identity)
    budgets = itertools.cycle((None, terms["epsilon"], 0.5, 1e-4, 0.01))
    for texts, epsilon in zip(_ENCODED if name == "text encoder" else _TEXTS, budgets, strict=False):
        drawn = ((seed, *device.answer(texts, epsilon, seed)) for seed in seeds("contribution", name, *texts))
        seed, vector, _ = next(one for one in drawn if one[2])
        yield {"request": name, "texts": list(texts), "epsilon": epsilon, "seed": seed.hex(), "vector": vector,
               "rho": request.rho_with(request.norm_of(epsilon))}


def _refused(tables: dict[str, Table], identities: dict[str, bytes]) -> Iterator[Json]:
    good = _terms(identities["odd.tvt"], 3)
    changes: tuple[dict[str, Json], ...] = (
        {}, {"table": "AB" * 32}, {"table": "ab"}, {"table": 1}, {"dims": 0, "mean": []}, {"dims": 4}, {"dims": 2.5}, {"dims": -3},
        {"mean": [0, 0, 2**20 + 1]}, {"mean": [0, 0, -(2**20)]}, {"mean": [0, 0, 0.5]}, {"window": 0}, {"window": 51}, {"window": 50},
        {"words": []}, {"words": ["zorp", "bloop"]}, {"words": ["zorp", "zorp"]}, {"words": ["Zorp"]}, {"words": [""]},
        {"words": ["z" * 63]}, {"words": ["z" * 64]}, {"words": ["zo\u200drp"]}, {"words": "zorp"}, {"wordsEach": 0}, {"wordsEach": 2**32},
        {"norm": 255}, {"norm": 256}, {"norm": 65536}, {"norm": 65537}, {"noise": {"by": "nobody"}}, {"noise": None},
        {"noise": {"by": "devices"}}, {"noise": {"by": "devices", "least": 0}}, {"noise": {"by": "devices", "least": 2**32 - 1}},
        {"noise": {"by": "devices", "least": 4}, "epsilon": 10.0},
        {"noise": {"by": "devices", "least": 4}, "epsilon": math.nextafter(10.0, 11.0)},
        {"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1e-9}, {"epsilon": "3"}, {"delta": 0}, {"delta": 1}, {"delta": None}, {"more": 1},
    )
    for text in ("", "null", "[]", "{}", "zorp", "{" * 1000, *(json.dumps(good | change) for change in changes)):
        yield _refusal(tables, identities, "odd.tvt", text, None, "zorp", 1)
    yield _refusal(tables, identities, "toy.tvt", json.dumps(good), None, "zorp", 1)
    yield _refusal(tables, identities, "odd.tvt", json.dumps(_terms(identities["odd.tvt"], 6)), None, "zorp", 1)
    for epsilon in (0.0, -0.0, -1.0, 5e-324, 1e-9, 3.0, math.nextafter(3.0, 4.0), math.nan, math.inf, -math.inf):
        yield _refusal(tables, identities, "odd.tvt", json.dumps(good), epsilon, "zorp", 1)
    for unit, times in (("\u00ad", 2**19), ("\u00ad", 2**19 + 1), ("a", 2**20 + 1)):
        yield _refusal(tables, identities, "odd.tvt", json.dumps(good), None, unit, times)


def _refusal(tables: dict[str, Table], identities: dict[str, bytes], table: str, text: str, epsilon: float | None, unit: str,
             times: int) -> Json:
    code = None
    try:
        Device(Request.of_json(text), tables[table], identities[table]).answer([unit * times], epsilon, bytes(32))
    except Refused as refusal:
        code = refusal.code
    budget = None if epsilon is None else spelled(epsilon)
    return {"table": table, "request": text, "epsilon": budget, "unit": unit, "times": times, "error": code}
