"""SPEC.md, section 9: privatized vectors and bits of a text, a row for each word or one for all of them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import mpmath

import calibrations
from guarantees import (
    BITS,
    COORDINATE,
    METRIC,
    WORDS_ALONE,
    Guarantee,
    Options,
    after_bernoulli,
    after_fixed,
    check_names,
    is_published,
    number,
    of_noisy_text,
    of_words,
    off_by,
)
from reference import Refused, Stream, Table, look_up, pieces, sum_of_rows
from samplers import DiscreteLaplace, below, bernoulli
from word_mechanisms import (
    CLEAR_OF_BOUNDARY,
    CLEAR_OF_TIE,
    FARTHEST,
    SHAKE,
    Bounds,
    TableSpace,
    clamp,
    exp,
    in_order,
    noise_of,
    normals,
    unknown_vector,
)

RADIUS = 4096
GRID = 65536
SPHERE_GRID = 256
MOST_DELTA = 1e-5
MOST_POINTS = 32
USUAL_DIMS = 16
CLEAR_OF_COIN = 2**64 // 10**9


# --- Inputs ----------------------------------------------------------------------------------------------------------


class Ball:
    """The space of another encoder's vectors: a ball of 4096 steps."""

    centre = None

    def __init__(self, dims: int, clip: float):
        if not 1e-100 <= clip <= 1e100:
            raise Refused("invalid-clip", repr(clip))
        self.dims, self.clip = dims, clip
        self.scale, self.d_max = clip / RADIUS, 2 * clip
        d2_squared = 4 * RADIUS**2
        self.bounds = Bounds(math.isqrt(dims * d2_squared), d2_squared, 2 * RADIUS, float(RADIUS))
        self.ranges = [(-RADIUS, RADIUS)] * dims
        self.spread = [(0.0, RADIUS / math.sqrt(dims))] * dims
        self.usual = [0.0] * dims
        self.grid_radius = dims * GRID // 2

    def factor(self, share: float) -> list[list[float]]:
        raise Refused("not-offered", "no public covariance")

    def lattice(self, vector: Sequence[float], mechanism: str) -> list[int]:
        """The vector in steps, clipped: to the ball, for `dpnr` to the box; for `privunit2` brought to its surface."""
        if not vector or not all(math.isfinite(x) for x in vector):
            raise Refused("invalid-vector", repr(vector))
        if len(vector) != self.dims:
            raise Refused("dimension-mismatch", f"{len(vector)} for {self.dims}")
        norm = length(vector)
        if mechanism == "privunit2" and abs(norm - 1) > 1e-6:
            raise Refused("not-normalized", "not of length 1")
        shortened = mechanism == "privunit2" or (norm > self.clip and mechanism != "dpnr")
        f = RADIUS / norm * (1 - 2.0**-50) if shortened else RADIUS / self.clip
        return [clamp(math.trunc(x * f), RADIUS) for x in vector]


class Rows(TableSpace):
    """The space of a table's rows, with what encodings need to know of them."""

    @cached_property
    def spread(self) -> list[tuple[float, float]]:
        """Mean and standard deviation by coordinate."""
        sums = self.table.values.sum(axis=0)
        return [(int(s) / self.table.rows, math.sqrt(self.covariance[j][j])) for j, s in enumerate(sums)]

    @cached_property
    def usual(self) -> list[float]:
        """The mean of the rows, each as often as its word is used."""
        weights = [10.0 ** (step / 20) for step in self.table.zipf]
        total = in_order(weights)
        shares = [weight / total for weight in weights]
        return [in_order([share * v for share, v in zip(shares, column, strict=True)]) for column in self.values.T.tolist()]

    @cached_property
    def grid_radius(self) -> int:
        """R of `dpnr`: how far from the centre a row or 0 can lie, each coordinate in 1/65536 of its range."""
        def distance(row: list[int]) -> int:
            return sum(-(-GRID * abs(v - int(c)) // (high - low))
                       for v, c, (low, high) in zip(row, self.centre, self.ranges, strict=True) if high > low)

        return max(distance(row) for row in [*self.values.tolist(), [0] * self.dims])


@dataclass(frozen=True)
class Input:
    """Lattice vectors, a word each, in their space; none for an unknown word that is treated as left out."""

    space: Ball | Rows
    vectors: list[list[int] | None]


def length(vector: Sequence[float]) -> float:
    return math.sqrt(in_order([x * x for x in vector]))


def of_text(table: Table, text: str, mechanism: str, options: Options) -> Input:
    """The words of a text (after NFKC) by their rows in a table."""
    check(mechanism, options)
    space = Rows(table, number(options, "clip") if "clip" in options and mechanism in COORDINATE else None)
    rows = [look_up(table, piece.kind, piece.text)[0] for piece in pieces(text) if piece.kind != "layout"]
    unknown = unknown_vector(table, 1.0) if mechanism in METRIC else None
    return Input(space, [unknown if row is None else space.values[row].tolist() for row in rows])


def of_vectors(dims: int, clip: float, vectors: Sequence[Sequence[float]], mechanism: str, options: Options) -> Input:
    """Vectors of another encoder. The clip is the encoder's, never the mechanism's."""
    check(mechanism, options)
    if "clip" in options:
        raise Refused("invalid-options", "clip of a mechanism")
    space = Ball(dims, clip)
    if not vectors:
        raise Refused("invalid-vector", "none")
    return Input(space, [space.lattice(vector, mechanism) for vector in vectors])


def of_whole_text(encoder: Table, dims: int | None, text: str, mechanism: str, options: Options) -> Input:
    """A text (after NFKC) by the first coordinates of its vector, which is not brought to any lattice."""
    check(mechanism, options)
    dims = min(USUAL_DIMS, encoder.dims) if dims is None else dims
    if not 1 <= dims <= encoder.dims:
        raise Refused("dimension-mismatch", f"{dims} of {encoder.dims}")
    if mechanism != "privunit2":
        raise Refused("not-offered", f"{mechanism} for a whole text")
    return Input(Ball(dims, 1.0), [[int(x) for x in sum_of_rows(encoder, pieces(text))[:dims]]])


def check(mechanism: str, options: Options) -> None:
    """Refuses mechanisms that have no representation, and parameters that do not belong."""
    if mechanism in WORDS_ALONE:
        raise Refused("not-offered", f"{mechanism} puts out words alone")
    check_names(mechanism, options)


# --- Dropout ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dropout:
    """Words that become 0: `bernoulli` or `fixed` at a rate, a `mask`, or `none`."""

    kind: str = "none"
    rate: float = 0.0
    mask: tuple[bool, ...] = ()

    def check(self, mechanism: str, words: int) -> None:
        if not 0 <= self.rate < 1:
            raise Refused("invalid-dropout", repr(self.rate))
        if self.kind == "mask" and len(self.mask) != words:
            raise Refused("invalid-mask", f"{len(self.mask)} for {words}")
        if self.kind in ("bernoulli", "fixed") and self.rate > 0 and mechanism in METRIC:
            raise Refused("not-offered", "random dropout under metric privacy")

    def dropped(self, words: int) -> int:
        """z of fixed dropout."""
        return min(words, math.ceil(self.rate * words))

    def draw(self, words: int, stream: Stream) -> list[bool]:
        """Which words become 0."""
        if self.kind == "bernoulli":
            return [bernoulli(math.floor(self.rate * 2**64), stream) for _ in range(words)]
        if self.kind == "fixed":
            order, zero = list(range(words)), [False] * words
            for i in range(self.dropped(words)):
                j = i + below(words - i, stream)
                order[i], order[j] = order[j], order[i]
                zero[order[i]] = True
            return zero
        return list(self.mask) if self.kind == "mask" else [False] * words

    def amplified(self, unit: str, words: int, epsilon: float, delta: float | None) -> tuple[float, float | None]:
        """(ε, δ) of a word."""
        if self.kind == "bernoulli":
            return after_bernoulli(self.rate, epsilon, delta)
        if self.kind == "fixed":
            amplify = after_bernoulli if unit == "text" else after_fixed
            return amplify(self.dropped(words) / words if words else 0.0, epsilon, delta)
        return epsilon, delta


# --- Outputs ---------------------------------------------------------------------------------------------------------


@dataclass
class Representation:
    """Integers with the real value of 1 (`scale`), or bits as a string a row; and what they are worth."""

    guarantee: Guarantee
    calibrated: dict[str, float]
    scale: float | None = None
    integers: list[list[int]] = field(default_factory=list)
    bits: list[str] = field(default_factory=list)
    robust: bool = True


class _Noise:
    """S_j + K_j in steps."""

    def __init__(self, mechanism: str, space: Ball | Rows, options: Options, unit: str, words: int):
        self.noise = noise_of(mechanism, space, options)
        self.epsilon_word, self.delta, self.calibrated = self.noise.epsilon, self.noise.delta, self.noise.calibrated
        self.epsilon_text = None
        self.scale = space.scale / divisor(unit, words)

    def draw(self, total: list[int], m: int, kept: int, stream: Stream) -> tuple[list[int], bool]:
        noise, robust = self.noise.draw(stream)
        return [clamp(s + k, FARTHEST) for s, k in zip(total, noise, strict=True)], robust


class _Dpnr:
    """Coordinates brought into [0, 1] by their public ranges, with discrete Laplace noise."""

    delta = 0.0
    scale = 1 / GRID

    def __init__(self, space: Ball | Rows, options: Options, unit: str, words: int):
        epsilon = number(options, "epsilon")
        self.ranges = space.ranges
        live = max(1, sum(low < high for low, high in self.ranges))
        self.sampler = DiscreteLaplace.of_scale(GRID / epsilon if is_published(options) else live * GRID / epsilon)
        self.calibrated = {"scale": self.sampler.b}
        moved = 2 * space.grid_radius // divisor(unit, words) + live
        self.epsilon_text = live * GRID / self.sampler.b * (1 + 2.0**-50)
        self.epsilon_word = moved / self.sampler.b * (1 + 2.0**-50) if moved < live * GRID else self.epsilon_text

    def draw(self, total: list[int], m: int, kept: int, stream: Stream) -> tuple[list[int], bool]:
        shares = [GRID * (s - m * low) // (m * (high - low)) if high > low else 0
                  for s, (low, high) in zip(total, self.ranges, strict=True)]
        return [clamp(u + self.sampler.draw(stream)[0], FARTHEST) for u in shares], True


class _PrivUnit:
    """A random unit vector, more often in a cap around the direction in which the input lies from the usual."""

    def __init__(self, space: Ball | Rows, options: Options):
        if space.dims < 3:
            raise Refused("not-offered", "no sphere")
        self.n, self.centre = space.dims, space.usual
        epsilon = number(options, "epsilon")
        total_variation = SPHERE_GRID * 2.0**-51 * math.sqrt(self.n) * (96 + self.n)
        splits = list(self._splits(epsilon, total_variation))
        if not splits:
            raise Refused("invalid-epsilon", repr(epsilon))
        self.points, of_each = min(splits, key=lambda split: self._squared_error(*split))
        self.epsilon_word = self.epsilon_text = self.points * of_each
        self.delta = self.points * off_by(total_variation, of_each)
        self.cap = calibrations.best_cap(of_each, self.n)
        if self.cap.m < 1e-12:
            raise Refused("invalid-epsilon", repr(epsilon))
        self.shaken = [calibrations.best_cap(of_each, self.n, off) for off in (1 - SHAKE, 1 + SHAKE)]
        self.calibrated = {"p": self.cap.p, "area": self.cap.area, "m": self.cap.m}
        self.scale = 1 / (SPHERE_GRID * self.cap.m * self.points)

    @staticmethod
    def _splits(epsilon: float, total_variation: float) -> Iterator[tuple[int, float]]:
        """Each number of points that may be drawn, and ε of each."""
        for points in range(1, MOST_POINTS + 1):
            share = MOST_DELTA / (points * total_variation) - 1
            most = math.log(share) if share > 0 else -math.inf
            if most > 0:
                yield points, min(epsilon / points, most)
            if epsilon <= points * most:
                return

    def _squared_error(self, points: int, of_each: float) -> float:
        return (1 / calibrations.best_cap(of_each, self.n).m ** 2 - 1) / points

    def draw(self, total: list[int], m: int, kept: int, stream: Stream) -> tuple[list[int], bool]:
        centred = [s - kept * c for s, c in zip(total, self.centre, strict=True)]
        norm = length(centred)
        u = [d / norm for d in centred] if norm else [1.0] + [0.0] * (self.n - 1)
        drawn = [self._vector(u, stream) for _ in range(self.points)]
        return [sum(column) for column in zip(*(integers for integers, _ in drawn), strict=True)], all(robust for _, robust in drawn)

    def _vector(self, u: list[float], stream: Stream) -> tuple[list[int], bool]:
        coin, share, g = stream.uniform(), stream.uniform(), normals(self.n, stream)
        rounding = [stream.uniform() for _ in range(self.n)]
        along = in_order([a * b for a, b in zip(u, g, strict=True)])
        q = [b - along * a for a, b in zip(u, g, strict=True)]
        integers, robust = self._point(self.cap, coin, share, u, q, rounding)
        return integers, robust and all(self._point(cap, coin, share, u, q, rounding)[0] == integers
                                        for cap in self.shaken)

    def _point(self, cap: calibrations.Cap, coin: float, share: float, u: list[float], q: list[float],
               rounding: list[float]) -> tuple[list[int], bool]:
        cosine, sine = self._angle(cap, coin <= cap.p, share)
        reach = sine / length(q)
        points = [SPHERE_GRID * (cosine * a + reach * b) + up for a, b, up in zip(u, q, rounding, strict=True)]
        clear = all(abs(x - round(x)) > CLEAR_OF_TIE for x in points)
        return [math.floor(x) for x in points], clear and abs(coin - cap.p) > CLEAR_OF_BOUNDARY

    def _angle(self, cap: calibrations.Cap, inside: bool, share: float) -> tuple[float, float]:
        """Cosine and sine of the angle between input and output."""
        area, share = mpmath.mpf(cap.area), mpmath.mpf(share)
        near = share * area if inside else area + (1 - share) * (1 - area)
        h = calibrations.cap_height(near, self.n)
        return float(h), float(mpmath.sqrt(1 - h * h))


class _Bits:
    """z-scores as fixed-point code words, each bit sent by a coin of its own."""

    delta = 0.0
    scale = None

    def __init__(self, mechanism: str, space: Ball | Rows, options: Options):
        self.spread = space.spread
        self.whole, self.fraction = options.get("integer_bits", 4), options.get("fraction_bits", 5)
        self.width = 1 + self.whole + self.fraction
        self.coins = thresholds(self._coins(mechanism, number(options, "epsilon"), options))
        self.epsilon_word = self.epsilon_text = float(sum(max(coin_losses(*pair)) for pair in self.coins))
        self.calibrated = {}

    def _coins(self, mechanism: str, epsilon: float, options: Options) -> list[tuple[float, float]]:
        """By bit: the probability that it is sent as 1 if it is 1, and if it is 0."""
        n = len(self.spread)
        bits = self.width * n
        x, half = epsilon / bits, epsilon / (2 * n)
        published = is_published(options)
        if mechanism == "sue":
            return [symmetric(half if published else x)] * bits
        if mechanism == "oue":
            return [(0.5, 1 / (1 + exp(half)) if published else exp(-x) / 2)] * bits
        if mechanism == "ome":
            rate = number(options, "lambda")
            if rate < 1:
                raise Refused("invalid-lambda", repr(rate))
            q = 1 / (1 + rate * exp(x))
            by_parity = (rate / (1 + rate), 1 / (1 + rate**3)) if published else (1 / (1 + rate),) * 2
            return [(by_parity[i % 2], q) for i in range(bits)]
        weights = [1 + options["tilt"] * place for place in reversed(range(self.width))] * n
        return [symmetric(epsilon * (weight / in_order(weights))) for weight in weights]

    def draw(self, total: list[int], m: int, kept: int, stream: Stream) -> tuple[str, bool]:
        bits = ""
        for s, (mean, deviation) in zip(total, self.spread, strict=True):
            z = (s / m - mean) / deviation if deviation else 0.0
            k = min(round(abs(z) * 2**self.fraction), 2**(self.whole + self.fraction) - 1)
            sign = z < 0 and k > 0
            bits += format((sign << (self.width - 1)) + k, f"0{self.width}b")
        return send(bits, self.coins, stream)


Coin = tuple[int, int]


def symmetric(x: float) -> tuple[float, float]:
    """The probabilities that a 1 and that a 0 is sent as 1, if either stays with odds of e^x."""
    return 1 / (1 + exp(-x)), 1 / (1 + exp(x))


def thresholds(coins: Sequence[tuple[float, float]]) -> list[Coin]:
    """The same in 2⁻⁶⁴, none of them certain."""
    exact = [(math.floor(math.ldexp(p, 64)), math.floor(math.ldexp(q, 64))) for p, q in coins]
    if not all(0 < threshold < 2**64 for coin in exact for threshold in coin):
        raise Refused("invalid-epsilon", "a coin that always falls on one side")
    return exact


def coin_losses(p: int, q: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """What a bit loses by coming out as 1, and as 0."""
    other = 2**64
    return abs(mpmath.log(mpmath.mpf(p) / q)), abs(mpmath.log(mpmath.mpf(other - q) / (other - p)))


def send(bits: str, coins: Sequence[Coin], stream: Stream) -> tuple[str, bool]:
    """Each bit as its coin falls, and whether none hangs on a last bit."""
    sent, robust = "", True
    for bit, (p, q) in zip(bits, coins, strict=True):
        threshold = p if bit == "1" else q
        u = stream.u64()
        robust &= abs(u - threshold) > CLEAR_OF_COIN
        sent += "1" if u < threshold else "0"
    return sent, robust


def divisor(unit: str, words: int) -> int:
    """m: what a sum is divided by."""
    return max(words, 1) if unit == "text" else 1


def represent(given: Input, mechanism: str, options: Options, unit: str, dropout: Dropout,
              seed: bytes) -> Representation:
    """The privatized representation of an input."""
    words, space = len(given.vectors), given.space
    dropout.check(mechanism, words)
    if unit == "whole-text" and dropout != Dropout():
        raise Refused("not-offered", "a whole text is not left out")
    if mechanism in BITS:
        law = _Bits(mechanism, space, options)
    elif mechanism == "privunit2":
        law = _PrivUnit(space, options)
    elif mechanism == "dpnr":
        law = _Dpnr(space, options, unit, words)
    else:
        law = _Noise(mechanism, space, options, unit, words)
    stream = Stream(seed)
    zero = dropout.draw(words, stream)
    tokens = list(zip(given.vectors, zero, strict=True))
    result = Representation(_guarantee(law, unit, words, dropout), law.calibrated, law.scale)
    for of_row in [[token] for token in tokens] if unit == "word" else [tokens]:
        kept = [vector for vector, drop in of_row if not drop and vector is not None]
        total = [sum(column) for column in zip(*kept, strict=True)] or [0] * space.dims
        row, robust = law.draw(total, divisor(unit, words), len(kept), stream)
        (result.bits if mechanism in BITS else result.integers).append(row)
        result.robust &= robust
    return result


def _guarantee(law: _Noise | _Dpnr | _PrivUnit | _Bits, unit: str, words: int, dropout: Dropout) -> Guarantee:
    epsilon, delta = dropout.amplified(unit, words, law.epsilon_word, law.delta)
    if unit == "word":
        amplified_together = dropout.kind == "fixed" and (epsilon, delta) != (law.epsilon_word, law.delta)
        return (of_noisy_text if amplified_together else of_words)(words, epsilon, delta)
    if law.epsilon_text is None:
        return of_noisy_text(words, epsilon, delta)
    if words == 1:
        return Guarantee(epsilon, delta, epsilon, delta)
    return Guarantee(epsilon, delta, law.epsilon_text, law.delta)
