"""SPEC.md, section 8: mechanisms that put out a word, and the noise that representations share with them.

`Noise` is drawn in the steps of a `Space`: a table's rows (`TableSpace`), or a ball for the vectors of another encoder
(`representations.Ball`). A draw is robust if neither the last bits of a maths library nor the last 10⁻⁶ of a
calibration could change it: every coordinate is drawn again from calibrations shaken by as much.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import mpmath
import numpy as np

import calibrations
from guarantees import CERTIFIED, COORDINATE, ENCODINGS, UP, Options, check_names, is_published, metric_eta, number, off_by
from reference import Draw, Refused, Stream, Table
from samplers import DiscreteGaussian, DiscreteLaplace, Tail, two_words

WEIGHT_BITS = 96
MAX_EXPONENT = 28.0
EXPONENTIAL_CAP = 56 + 1e-12
MAX_COORDINATE = 16_383
FARTHEST = 2**30
CLEAR_OF_BOUNDARY = 1e-9
CLEAR_OF_TIE = 1e-7
SHAKE = 1e-6


def exp(x: float) -> float:
    return float(mpmath.exp(x)) if x < 710 else math.inf


def _ln(x: float) -> float:
    return float(mpmath.log(x))


def clamp(x, limit):
    return max(-limit, min(limit, x))


def rounded(values: Sequence[float]) -> tuple[list[int], bool]:
    """The nearest integers, ties to even, and whether all of them are clear of a tie. Beyond `FARTHEST`, where every
    output is cut off, none matters."""
    def clear(x: float) -> bool:
        return abs(x) > FARTHEST or abs(abs(x - math.trunc(x)) - 0.5) >= max(CLEAR_OF_TIE, 1e-13 * abs(x))

    return [round(x) for x in values], all(map(clear, values))


def normals(n: int, stream: Stream) -> list[float]:
    """n standard normal values, two at a time."""
    values: list[float] = []
    for _ in range(-(-n // 2)):
        u1, u2 = stream.uniform(), stream.uniform()
        m = math.sqrt(-2.0 * _ln(u1))
        angle = 2.0 * math.pi * u2
        values += [m * float(mpmath.cos(angle)), m * float(mpmath.sin(angle))]
    return values[:n]


def in_order(terms: Sequence[float]) -> float:
    """The sum of the terms, added one by one from 0."""
    total = 0.0
    for term in terms:
        total += term
    return total


# --- Public geometry -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bounds:
    """8.7: how far two clipped vectors can lie apart (steps), and the published bound of their norm."""

    d1: int
    d2_squared: int
    d_inf: int
    c_pub: float


class Space(Protocol):
    """Where noise is added: lattice vectors of `dims` coordinates, `scale` real units a step."""

    dims: int
    scale: float
    d_max: float
    bounds: Bounds
    factor: Callable[[float], list[list[float]]]
    diameter_in: Callable[[list[list[float]]], float]


def rounded_mean(values: np.ndarray) -> np.ndarray:
    """The lattice point nearest the mean of the rows (halves upwards)."""
    n = len(values)
    return np.array([(2 * int(total) + n) // (2 * n) for total in values.sum(axis=0)])


class TableSpace:
    """The rows of a table, clipped to a Euclidean norm on request (real units)."""

    def __init__(self, table: Table, clip: float | None = None):
        self.table = table
        self.dims, self.scale, self.d_max = table.dims, table.scale, table.d_max
        self.clip = None if clip is None else clip / table.scale
        if self.clip is not None and not (math.isfinite(self.clip) and self.clip >= 1):
            raise Refused("invalid-clip", repr(clip))
        self.values = table.values if clip is None else np.array([self._clipped(row) for row in table.values.tolist()])

    def _clipped(self, row: list[int]) -> list[int]:
        squares = sum(v * v for v in row)
        if squares <= self.clip * self.clip:
            return row
        f = self.clip / math.sqrt(squares) * (1 - 2.0**-50)
        return [math.trunc(v * f) for v in row]

    @cached_property
    def centre(self) -> np.ndarray:
        return rounded_mean(self.values)

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """By coordinate, the least and the largest value over the rows and 0."""
        return [(min(0, *column), max(0, *column)) for column in self.values.T.tolist()]

    @cached_property
    def bounds(self) -> Bounds:
        rows = [*self.values.tolist(), [0] * self.dims]
        around = [[v - c for v, c in zip(row, self.centre.tolist(), strict=True)] for row in rows]
        r1 = max(sum(abs(z) for z in row) for row in around)
        r2 = max(sum(z * z for z in row) for row in around)
        ranges = [high - low for low, high in self.ranges]
        measured = self.values.tolist() + ([self.centre.tolist()] if self.clip is None else [])
        longest = max(sum(v * v for v in row) for row in measured)
        d2_squared = 4 * min(r2, longest)
        d1 = min(2 * r1, sum(ranges), math.isqrt(self.dims * d2_squared))
        d_inf = min(max(ranges), math.isqrt(d2_squared))
        if d1 == 0:
            d1 = d2_squared = d_inf = 1
        return Bounds(d1, d2_squared, d_inf, (math.sqrt(longest) or 1.0) if self.clip is None else self.clip)

    @cached_property
    def covariance(self) -> list[list[float]]:
        """8.6: c_jk of the table's rows."""
        n = self.table.rows
        sums = [int(s) for s in self.table.values.sum(axis=0)]
        products = (self.table.values.T @ self.table.values).tolist()
        return [[float(n * products[j][k] - sums[j] * sums[k]) / float(n * n) for k in range(self.dims)]
                for j in range(self.dims)]

    def factor(self, share: float) -> list[list[float]]:
        """8.6: the Cholesky factor of the covariance mixed with the identity; `invalid-lambda` if it does not exist."""
        trace = in_order([self.covariance[j][j] for j in range(self.dims)]) / self.dims
        lower: list[list[float]] = []
        for j in range(self.dims):
            lower.append([])
            for k in range(j + 1):
                a = share * (self.covariance[j][k] / trace if trace else 0.0) + (1 - share if j == k else 0.0)
                for i in range(k):
                    a -= lower[j][i] * lower[k][i]
                if j == k and not a > 0:
                    raise Refused("invalid-lambda", repr(share))
                lower[j].append(math.sqrt(a) if j == k else a / lower[k][k])
        return lower

    def diameter_in(self, lower: list[list[float]]) -> float:
        """8.6: d_M, a bound of the distance of two rows in the norm of that factor."""
        largest = 0.0
        for row in (self.table.values - np.array(self.table.centre)).tolist():
            y: list[float] = []
            for j, z in enumerate(row):
                a = float(z)
                for k in range(j):
                    a -= lower[j][k] * y[k]
                y.append(a / lower[j][j])
            largest = max(largest, in_order([v * v for v in y]))
        return 2.0 * self.scale * math.sqrt(largest) * (1 + 1e-7)


# --- 8.4, 8.6: noise of a radius and a direction ---------------------------------------------------------------------


class Noise(Protocol):
    """Integer noise with the (ε, δ) of a word, η where there is one, and its calibrated numbers."""

    eta: float | None
    epsilon: float
    delta: float | None
    calibrated: dict[str, float]

    def draw(self, stream: Stream) -> tuple[list[int], bool]:
        """A lattice vector, and whether it is robust."""


class RadialNoise:
    """8.4: density ∝ e^{−η‖z‖}; 8.6 with a factor L: density ∝ e^{−η‖L⁻¹z‖}."""

    def __init__(self, dims: int, scale: float, diameter: float, eta: float, lower: list[list[float]] | None = None):
        self.dims, self.scale, self.eta, self.lower = dims, scale, eta, lower
        self.epsilon = eta * diameter * UP
        self.delta = off_by(self._variation(dims, 1 / (eta * scale)), self.epsilon)
        self.calibrated = {"eta": eta}

    def _variation(self, n: int, steps: float) -> float:
        """How far the computed noise may be from the ideal one, where 1/η is ``steps`` steps."""
        if self.lower is None:
            radius, angle = (2 * n + 96) * 2.0**-53, 2.0**-49
            return 2 * n * (radius * (n + math.sqrt(n) * steps) + angle * (32 * n + math.sqrt(2 * n) * steps))
        return 2.0**-52 * (3 * n + 128) * n * n * (32 * math.sqrt(n) + steps)

    def draw(self, stream: Stream) -> tuple[list[int], bool]:
        eta = self.eta if self.lower is None else self.eta / (1 + 1e-7)
        radius = in_order([-_ln(stream.uniform()) for _ in range(self.dims)]) / eta
        direction = normals(self.dims, stream)
        s = math.sqrt(in_order([g * g for g in direction]))
        if s == 0.0:
            return [0] * self.dims, True
        q = radius / (s * self.scale)
        noise = [q * g for g in direction]
        if self.lower is not None:
            noise = [in_order([a * b for a, b in zip(row, noise, strict=False)]) for row in self.lower]
        return rounded(noise)


class LatticeLaplace:
    """8.8: discrete Laplace noise on each coordinate, scaled to the distance."""

    def __init__(self, space: Space, options: Options):
        self.dims = space.dims
        self.eta = metric_eta(space.scale, space.d_max, options)
        self.sampler = DiscreteLaplace.of_scale(math.sqrt(space.dims) / (self.eta * space.scale) * UP)
        self.epsilon = min(self.eta * space.d_max * UP, space.bounds.d1 / self.sampler.b * (1 + 2.0**-50))
        self.delta = 0.0
        self.calibrated = {"eta": self.eta, "scale": self.sampler.b}

    def draw(self, stream: Stream) -> tuple[list[int], bool]:
        return [self.sampler.draw(stream)[0] for _ in range(self.dims)], True


# --- 8.7: noise by coordinate ----------------------------------------------------------------------------------------


Sampler = DiscreteLaplace | DiscreteGaussian | Tail


class CoordinateNoise:
    """8.7: independent draws, one a coordinate."""

    eta = None

    def __init__(self, mechanism: str, space: Space, options: Options):
        self.dims = space.dims
        self.epsilon = number(options, "epsilon")
        self.delta = 0.0 if mechanism == "laplace" else number(options, "delta")
        calibrate = {"laplace": self._laplace, "discrete-gaussian": self._discrete_gaussian, "gaussian": self._gaussian,
                     "truncated-laplace": self._truncated_laplace}[mechanism]
        self.sampler, self.shaken = calibrate(space.bounds, is_published(options))

    def _laplace(self, bounds: Bounds, published: bool) -> tuple[Sampler, list[Sampler]]:
        scale = 2 * bounds.c_pub * math.sqrt(self.dims) / self.epsilon if published else bounds.d1 / self.epsilon
        sampler = DiscreteLaplace.of_scale(scale)
        self.epsilon = bounds.d1 / sampler.b * (1 + 2.0**-50)
        self.calibrated = {"scale": sampler.b}
        return sampler, []

    def _discrete_gaussian(self, bounds: Bounds, _: bool) -> tuple[Sampler, list[Sampler]]:
        variance = bounds.d2_squared / (2 * calibrations.zcdp(self.epsilon, self.delta))
        sampler = DiscreteGaussian.of_variance(variance)
        self.calibrated = {"variance": sampler.v / 1024}
        shaken = _shaken(DiscreteGaussian.of_variance, variance)
        assert all(abs(law.v - sampler.v) <= 2 * SHAKE * sampler.v for law in shaken), "v hangs on the last 10⁻⁶"
        return sampler, shaken

    def _gaussian(self, bounds: Bounds, published: bool) -> tuple[Sampler, list[Sampler]]:
        apart = math.sqrt(bounds.d2_squared)
        if published:
            deviation = 2 * bounds.c_pub * math.sqrt(self.dims) / self.epsilon
            self.epsilon = calibrations.gaussian_epsilon(deviation / apart, self.delta)
        else:
            deviation = apart * calibrations.gaussian_ratio(self.epsilon, self.delta)
        self.calibrated = {"deviation": deviation}
        return Tail.gaussian(deviation), _shaken(Tail.gaussian, deviation)

    def _truncated_laplace(self, bounds: Bounds, published: bool) -> tuple[Sampler, list[Sampler]]:
        if published:
            rate, radius = calibrations.published_truncation(self.epsilon, self.delta, self.dims, bounds.c_pub)
            self.epsilon, self.delta = rate * bounds.d1, None
        else:
            rate = self.epsilon / bounds.d1
            radius = calibrations.truncated_radius(self.epsilon, self.delta, self.dims, bounds.d1, bounds.d2_squared,
                                                   bounds.d_inf)
        self.calibrated = {"rate": rate, "radius": radius}
        return Tail.truncated_laplace(rate, radius), _shaken(Tail.truncated_laplace, rate, radius)

    def draw(self, stream: Stream) -> tuple[list[int], bool]:
        start = stream.copy()
        drawn = [self.sampler.draw(stream) for _ in range(self.dims)]
        noise, robust = [k for k, _ in drawn], all(clear for _, clear in drawn)
        for sampler in self.shaken:
            again = start.copy()
            robust &= [sampler.draw(again)[0] for _ in range(self.dims)] == noise and again.position == stream.position
        return noise, robust


def _shaken(sampler: Callable[..., Sampler], *calibrated: float) -> list[Sampler]:
    """The sampler at every corner of a box of ±10⁻⁶ around its calibrated numbers."""
    corners = itertools.product((1 - SHAKE, 1 + SHAKE), repeat=len(calibrated))
    return [sampler(*(x * factor for x, factor in zip(calibrated, corner, strict=True))) for corner in corners]


def noise_of(mechanism: str, space: Space, options: Options) -> Noise:
    """The noise of an additive mechanism; also that of `vickrey`."""
    if mechanism in COORDINATE:
        return CoordinateNoise(mechanism, space, options)
    if mechanism == "lattice-laplace":
        return LatticeLaplace(space, options)
    if mechanism == "mahalanobis":
        share = number(options, "lambda")
        if share > 0.999:
            raise Refused("invalid-lambda", repr(share))
        lower = space.factor(share)
        diameter = space.diameter_in(lower)
        return RadialNoise(space.dims, space.scale, diameter, metric_eta(space.scale, diameter, options), lower)
    return RadialNoise(space.dims, space.scale, space.d_max, metric_eta(space.scale, space.d_max, options))


# --- Noise, then the nearest word ------------------------------------------------------------------------------------


def unknown_vector(table: Table, eta: float | None) -> list[int]:
    """8.12: where a word stands that the vocabulary lacks: at the centre for a metric, else at 0."""
    return [0] * table.dims if eta is None else list(table.centre)


class AdditiveMechanism:
    """8.4, 8.6, 8.7: noise, then the nearest offered row."""

    def __init__(self, space: TableSpace, noise: Noise):
        self.table, self.noise = space.table, noise
        self.values = space.values
        self.eta, self.epsilon, self.delta, self.calibrated = noise.eta, noise.epsilon, noise.delta, noise.calibrated
        self.unknown = unknown_vector(self.table, self.eta)

    def noisy(self, row: int | None, stream: Stream) -> tuple[list[int], bool]:
        """The offered rows' squared distances from the noisy point, in their order."""
        vector = self.unknown if row is None else self.values[row]
        noise, robust = self.noise.draw(stream)
        point = np.array([clamp(int(x) + k, MAX_COORDINATE) for x, k in zip(vector, noise, strict=True)], np.int64)
        difference = self.values[self.table.offered] - point
        return np.einsum("ij,ij->i", difference, difference).tolist(), robust

    def draw(self, row: int | None, stream: Stream) -> Draw:
        squared, robust = self.noisy(row, stream)
        return Draw(int(self.table.offered[squared.index(min(squared))]), robust)


class Vickrey(AdditiveMechanism):
    """8.5: the nearest offered row or the second nearest, by a coin."""

    def __init__(self, space: TableSpace, noise: Noise, t: float):
        super().__init__(space, noise)
        self.t = t

    def draw(self, row: int | None, stream: Stream) -> Draw:
        squared, robust = self.noisy(row, stream)
        u = stream.uniform()
        first, *others = sorted(range(len(squared)), key=lambda place: (squared[place], place))
        chosen = first
        if others:
            near, far = self.t * math.sqrt(squared[first]), (1 - self.t) * math.sqrt(squared[others[0]])
            if near + far != 0 and u * (near + far) <= near:
                chosen = others[0]
            robust &= abs(u * (near + far) - near) >= CLEAR_OF_BOUNDARY * (near + far)
        return Draw(int(self.table.offered[chosen]), robust)


# --- 8.1 to 8.3: exponential -----------------------------------------------------------------------------------------


class Exponential:
    """8.1: weights fall exponentially with distance; sampled with integers alone. 8.2: up to a distance γ."""

    delta = 0.0

    def __init__(self, table: Table, eta: float, epsilon: float, gamma: float = math.inf):
        self.table, self.eta, self.epsilon = table, eta, epsilon
        self.calibrated = {"eta": eta}
        self.beta = max(0.0, 0.5 * eta * (1 - 2.0**-50) - 2e-14 / table.scale)
        self.b = self.beta * table.scale
        # No product for no γ: 0·∞ is not a number.
        self.most = MAX_EXPONENT if gamma == math.inf else min(self.b * (gamma / table.scale), MAX_EXPONENT)
        self.start = 0.0
        self._known: dict[int, int] = {}

    def weight(self, squared_distance: int) -> int:
        """The integer weight of a row at that squared lattice distance."""
        if squared_distance not in self._known:
            x = min(max(self.b * math.sqrt(squared_distance) - self.start, 0.0), self.most)
            self._known[squared_distance] = int(math.ldexp(exp(-x), WEIGHT_BITS))
        return self._known[squared_distance]

    def candidates(self, row: int | None) -> np.ndarray:
        """The rows that may come out for the input `row`, ascending."""
        return self.table.offered

    def weights(self, row: int | None) -> list[int]:
        """The weights of the candidates, in their order."""
        if row is None:
            return [1 << WEIGHT_BITS] * len(self.candidates(None))
        difference = self.table.values[self.candidates(row)] - self.table.values[row]
        return [self.weight(d) for d in np.einsum("ij,ij->i", difference, difference).tolist()]

    def draw(self, row: int | None, stream: Stream) -> Draw:
        """The output for the input `row`; takes two words of the keystream."""
        weights = self.weights(row)
        total = sum(weights)
        t = (two_words(stream) * total) >> 128
        below = 0
        for place, weight in enumerate(weights):  # noqa: B007 used behind the loop
            if t < below + weight:
                break
            below += weight
        margin = min(t - below, below + weight - t)
        alone = len(weights) == 1
        return Draw(int(self.candidates(row)[place]), alone or margin > CLEAR_OF_BOUNDARY * total)


class ClassExponential(Exponential):
    """8.3: the exponential mechanism within the input's class."""

    def __init__(self, table: Table, epsilon: float):
        self._of = np.array(table.classes.of)
        diameter = max(self._diameter(table, n) for n in range(len(table.classes.names)))
        options = {"epsilon": epsilon}
        super().__init__(table, metric_eta(table.scale, diameter, options) if diameter else 0.0, epsilon)

    def _diameter(self, table: Table, n: int) -> float:
        rows = table.values[self._of == n]
        return 2.0 * table.scale * math.sqrt(int(((rows - rounded_mean(rows)) ** 2).sum(axis=1).max()))

    def candidates(self, row: int | None) -> np.ndarray:
        if row is None:
            return self.table.offered
        return np.array([y for y in self.table.offered if self._of[y] == self._of[row]])


class Certified(Exponential):
    """8.9: a base measure and a constant that the table certifies. 8.10: with a plateau."""

    def __init__(self, table: Table, mechanism: str, options: Options):
        level = self._level(table, mechanism, options)
        certificate = table.certificates.levels[level]
        super().__init__(table, 0.0, certificate.epsilon)
        self.eta, self.beta, self.b = certificate.eta, certificate.beta, certificate.beta * table.scale
        self.start = self.b * (certificate.near / table.scale)
        self.most = min(self.b * (certificate.cutoff / table.scale) - self.start, MAX_EXPONENT)
        self.calibrated = {"eta": certificate.eta, "beta": certificate.beta}
        base = [max(1, round(4095.0 * exp(-certificate.step * code))) for code in range(256)]
        self.base = [base[code] for code in table.certificates.codes[level]]
        self.stand_ins = dict(table.certificates.stand_ins)

    @staticmethod
    def _level(table: Table, mechanism: str, options: Options) -> int:
        """The place of the record asked for, or of the largest within η or ε."""
        records = enumerate(table.certificates.levels if table.certificates else ())
        levels = [(n, level) for n, level in records if (level.near > 0) == (mechanism == "plateau")]
        if "level" in options:
            within = [n for place, (n, _) in enumerate(levels) if place == number(options, "level")]
        else:
            name = "eta" if "eta" in options else "epsilon"
            most = number(options, name)
            within = [n for n, level in levels if getattr(level, name) <= most]
        if not within:
            raise Refused("invalid-level", repr(options))
        return within[-1]

    def candidates(self, row: int | None) -> np.ndarray:
        return np.arange(self.table.rows)

    def weights(self, row: int | None) -> list[int]:
        return [weight * g for weight, g in zip(super().weights(row), self.base, strict=True)]

    def draw(self, row: int | None, stream: Stream) -> Draw:
        drawn = super().draw(row, stream)
        return Draw(self.stand_ins.get(drawn.row, drawn.row), drawn.robust)


# --- 8.11: nearest ---------------------------------------------------------------------------------------------------


def _settled(integer: Callable[[float], int], x: float) -> tuple[int, bool]:
    """The integer that is made of e^x, and whether it is the same where e^x is two units of its last place off."""
    power = exp(x)
    return integer(power), len({integer(power + n * math.ulp(power)) for n in range(-2, 3)}) == 1


# ε, frequency power and mass of each level, and the level that is the usual one.
NEAREST_LEVELS = ((4.0, 0.25, 0.03), (5.0, 0.25, 0.03), (6.0, 0.25, 0.01), (7.0, 0.25, 0.01),
                  (8.0, 0.25, 0.003), (9.0, 0.5, 0.003), (10.0, 0.5, 0.003), (10.5, 0.5, 0.001),
                  (11.0, 0.5, 0.001), (12.0, 0.5, 0.0003), (13.0, 0.5, 0.0003), (14.0, 0.5, 0.0003))
NEAREST_USUAL = 5
NEAREST_PRESETS = {"statistics": 4, "balanced": NEAREST_USUAL, "readable": 7}


def nearest_settled(rows: int, options: Options) -> Options:
    """The options with the numbers that a level fills in; a small table has no levels."""
    served = rows * NEAREST_LEVELS[NEAREST_USUAL][2] >= 1
    levels = NEAREST_LEVELS if served else ()
    if "level" in options or "preset" in options:
        place = NEAREST_PRESETS[options["preset"]] if "preset" in options else number(options, "level")
        if place >= len(levels):
            raise Refused("invalid-level", repr(place))
        level = levels[int(place)]
    elif not served:
        return options
    elif "epsilon" in options:
        within = [level for level in levels if level[0] <= number(options, "epsilon")]
        level = within[-1] if within else levels[0]
    else:
        level = levels[NEAREST_USUAL]
    filled = dict(zip(("epsilon", "frequency_power", "mass"), level, strict=True))
    return {**filled, **{name: value for name, value in options.items() if name not in ("level", "preset")}}


class Nearest:
    """8.11: of the rows nearest to the input, as many as a mass holds are up to e^ε times as likely as others."""

    eta = None
    delta = 0.0
    LARGEST = 32767
    OUTSIDE = 2**20
    MOST_EPSILON = 20.0

    def __init__(self, table: Table, options: Options):
        self.table, self.calibrated = table, {}
        options = nearest_settled(table.rows, options)
        self.epsilon = number(options, "epsilon")
        mass, power = number(options, "mass"), number(options, "frequency_power")
        if self.epsilon > self.MOST_EPSILON:
            raise Refused("invalid-epsilon", repr(self.epsilon))
        offered = table.offered.tolist()
        highest = max(table.zipf[row] for row in offered)
        base = {row: self._base(power, highest - table.zipf[row]) for row in offered}
        self.q = [base[row][0] if row in base else 0 for row in range(table.rows)]
        self.mass = math.floor(mass * float(sum(self.q)))
        if not min(q for q in self.q if q > 0) <= self.mass < sum(self.q):
            raise Refused("invalid-mass", repr(mass))
        inside, clear = _settled(lambda w: max(math.floor(w * (1 - 2.0**-50) * 2.0**20), self.OUTSIDE), self.epsilon)
        self.extra = inside - self.OUTSIDE
        self.robust = clear and all(clear for _, clear in base.values())
        self.shift = next(h for h in itertools.count() if (4 * table.squared_radius) >> h <= self.LARGEST)

    def _base(self, power: float, below_highest: int) -> tuple[int, bool]:
        """q of an offered row, and whether it hangs on no last bit."""
        x = -(power * (math.log(10) / 20)) * below_highest
        return _settled(lambda share: max(1, round(self.LARGEST * share)), x)

    def inside(self, row: int) -> list[tuple[int, int]]:
        """The rows inside, in the order of the draw, with their units: the nearer ones, then those on the rim."""
        difference = self.table.values - self.table.values[row]
        distances = [min(d >> self.shift, self.LARGEST) for d in np.einsum("ij,ij->i", difference, difference).tolist()]

        def within(most: int) -> list[int]:
            return [y for y, d in enumerate(distances) if d <= most]

        rim = next(t for t in sorted(set(distances)) if sum(self.q[y] for y in within(t)) >= self.mass)
        units = [(y, self.q[y]) for y in within(rim - 1)]
        missing = self.mass - sum(q for _, q in units)
        for y in within(rim):
            if distances[y] == rim:
                units.append((y, min(self.q[y], missing)))
                missing -= units[-1][1]
        assert missing == 0
        return units

    def parts(self, row: int | None) -> list[tuple[int, int]]:
        """The line that a place is drawn on, from its start: rows and how much of it each takes, some of them twice."""
        more = [] if row is None else [(y, units * self.extra) for y, units in self.inside(row)]
        return more + [(y, q * self.OUTSIDE) for y, q in enumerate(self.q)]

    def weights(self, row: int | None) -> list[int]:
        """The weights of all rows, in their order."""
        weights = [0] * self.table.rows
        for y, part in self.parts(row):
            weights[y] += part
        return weights

    def draw(self, row: int | None, stream: Stream) -> Draw:
        """The output for the input `row`; takes two words of the keystream."""
        parts = self.parts(row)
        total = sum(part for _, part in parts)
        assert total == sum(self.q) * self.OUTSIDE + (0 if row is None else self.mass * self.extra)
        place = (two_words(stream) * total) >> 128
        for y, part in parts:
            if place < part:
                return Draw(y, self.robust)
            place -= part
        raise AssertionError("a place beyond the sum of all weights")


# --- Any of them -----------------------------------------------------------------------------------------------------


def word_mechanism(mechanism: str, table: Table, options: Options) -> AdditiveMechanism | Exponential | Nearest:
    """The mechanism of that name, or `Refused`."""
    if mechanism in ENCODINGS:
        raise Refused("not-offered", f"{mechanism} puts out no words")
    check_names(mechanism, options)
    if mechanism == "class-exponential":
        if table.classes is None:
            raise Refused("not-offered", "the table has no classes")
        return ClassExponential(table, number(options, "epsilon"))
    if mechanism in CERTIFIED:
        return Certified(table, mechanism, options)
    if mechanism == "nearest":
        return Nearest(table, options)
    if mechanism in ("exponential", "truncated-exponential"):
        gamma = number(options, "gamma") if mechanism == "truncated-exponential" else math.inf
        if gamma < table.scale:
            raise Refused("invalid-gamma", repr(gamma))
        diameter = min(gamma, table.d_max)
        eta = metric_eta(table.scale, diameter, options)
        return Exponential(table, eta, min(eta * diameter * UP, EXPONENTIAL_CAP), gamma)
    space = TableSpace(table, number(options, "clip") if "clip" in options else None)
    noise = noise_of(mechanism, space, options)
    return Vickrey(space, noise, number(options, "t")) if mechanism == "vickrey" else AdditiveMechanism(space, noise)
