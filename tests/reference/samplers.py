"""SPEC.md, section 7: integers of a stated law out of the keystream.

Coins, discrete Laplace and discrete Gaussian use integers alone, so every draw of theirs is robust. A `Tail` compares
random bits with ⌊T(m)·2¹¹⁰⌋, and its draws say whether another maths library could have decided otherwise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import mpmath

from reference import Refused, Stream

UNITS = 1024
TAIL_BITS = 110
CLEAR_OF_TAIL = mpmath.mpf(2) ** -36


# --- 7.1 Coins and counts --------------------------------------------------------------------------------------------


def below(n: int, stream: Stream) -> int:
    """A uniform integer of 0…n−1, n < 2¹²⁸."""
    width = (n - 1).bit_length()
    if width == 0:
        return 0
    while True:
        result = stream.u64() >> (64 - width) if width <= 64 else two_words(stream) >> (128 - width)
        if result < n:
            return result


def two_words(stream: Stream) -> int:
    """The next two words of the keystream as one number, the first one on top."""
    high = stream.u64()
    return (high << 64) + stream.u64()


def bernoulli(p: int, stream: Stream) -> bool:
    """True with probability p/2⁶⁴."""
    return stream.u64() < p


def bernoulli_ratio(p: int, q: int, stream: Stream) -> bool:
    """True with probability p/q."""
    return below(q, stream) < p


def bernoulli_exp(p: int, q: int, stream: Stream) -> bool:
    """True with probability e^(−p/q)."""
    while p > q:
        if not _at_most_one(1, 1, stream):
            return False
        p -= q
    return _at_most_one(p, q, stream)


def _at_most_one(p: int, q: int, stream: Stream) -> bool:
    """True with probability e^(−p/q) for p ≤ q: the parity of the first failure of coins of probability p/(q·k)."""
    k = 1
    while bernoulli_ratio(p, q, stream) and below(k, stream) == 0:
        k += 1
    return k % 2 == 1


# --- 7.2 Discrete Laplace, 7.3 discrete Gaussian ---------------------------------------------------------------------


def units(requested: float, most: float) -> int:
    """A scale or variance in steps of 1/1024, rounded up; `Refused` as `invalid-scale` outside 0…most."""
    if not 0 < requested <= most:
        raise Refused("invalid-scale", repr(requested))
    return math.ceil(UNITS * requested)


def _laplace(t: int, s: int, stream: Stream) -> int:
    """L(t, s): P(y) ∝ e^(−|y|·s/t)."""
    while True:
        u = below(t, stream)
        if not bernoulli_exp(u, t, stream):
            continue
        v = 0
        while bernoulli_exp(1, 1, stream):
            v += 1
        y = (u + t * v) // s
        negative = below(2, stream) == 1
        if negative and y == 0:
            continue
        return -y if negative else y


@dataclass(frozen=True)
class DiscreteLaplace:
    """P(k) ∝ e^(−|k|/b) with b = t/1024."""

    t: int

    @classmethod
    def of_scale(cls, scale: float) -> "DiscreteLaplace":
        return cls(units(scale, 2.0**30))

    @property
    def b(self) -> float:
        return self.t / UNITS

    def draw(self, stream: Stream) -> tuple[int, bool]:
        return _laplace(self.t, UNITS, stream), True


@dataclass(frozen=True)
class DiscreteGaussian:
    """P(k) ∝ e^(−k²/2σ²) with σ² = v/1024."""

    v: int

    @classmethod
    def of_variance(cls, variance: float) -> "DiscreteGaussian":
        return cls(units(variance, 2.0**40))

    def draw(self, stream: Stream) -> tuple[int, bool]:
        t = math.isqrt(self.v // UNITS) + 1
        while True:
            y = _laplace(t, 1, stream)
            if bernoulli_exp((abs(y) * UNITS * t - self.v) ** 2, 2 * self.v * UNITS * t**2, stream):
                return y, True


# --- 7.4 Rounded noise from its tail ---------------------------------------------------------------------------------


class Tail:
    """Real noise rounded to integers, drawn by a search in P(|K| ≥ m) = T(m)."""

    def __init__(self, t: Callable[[mpmath.mpf], mpmath.mpf], most: int, compact: bool):
        self.most = most
        self._t = t
        self._compact = compact
        self.w = lru_cache(maxsize=None)(self._w)

    @classmethod
    def gaussian(cls, deviation: float) -> "Tail":
        """Gaussian noise of that standard deviation."""
        if not 2.0**-20 <= deviation <= 2.0**20:
            raise Refused("invalid-scale", repr(deviation))
        unit = mpmath.mpf(deviation) * mpmath.sqrt(2)
        return cls(lambda x: mpmath.erfc(x / unit), math.ceil(13 * deviation), False)

    @classmethod
    def truncated_laplace(cls, rate: float, radius: float) -> "Tail":
        """Density ∝ e^(−rate·|z|) on |z| ≤ radius."""
        if not (2.0**-40 <= rate <= 2.0**40 and 0 < radius <= 2.0**30):
            raise Refused("invalid-scale", f"{rate!r}, {radius!r}")
        a, end = mpmath.mpf(rate), mpmath.mpf(radius)

        def t(x: mpmath.mpf) -> mpmath.mpf:
            if x > end:
                return mpmath.mpf(0)
            return mpmath.exp(-a * x) * (mpmath.expm1(-a * (end - x)) / mpmath.expm1(-a * end))

        return cls(t, math.floor(radius + 0.5), True)

    def t(self, m: int) -> mpmath.mpf:
        """T(m), the probability of |K| ≥ m."""
        return mpmath.mpf(1) if m == 0 else self._t(m - mpmath.mpf(1) / 2)

    def _w(self, m: int) -> int:
        return int(mpmath.floor(mpmath.ldexp(self.t(m), TAIL_BITS)))

    @property
    def slack(self) -> float:
        """What a draw adds to ε."""
        rho = (2 * mpmath.mpf(2) ** -44 + mpmath.mpf(2) ** -50) / (1 - self.t(1) - 2 * mpmath.mpf(2) ** -44)
        return float(rho / (1 - rho))

    @property
    def beyond(self) -> float:
        """What a draw adds to δ."""
        if self._compact and self.t(self.most) >= 2.0**-59:
            return 0.0
        return 2.0**-60 * (1 + 2.0**-44)

    def draw(self, stream: Stream) -> tuple[int, bool]:
        """The integer, and whether it lies clear of every threshold it was compared with."""
        words = two_words(stream)
        r = words >> 18
        m, robust = 0, True
        for j in reversed(range(self.most.bit_length())):
            threshold = self.w(m + 2**j)
            robust &= abs(r - threshold) > CLEAR_OF_TAIL * threshold
            if r < threshold:
                m += 2**j
        return -m if words & 1 else m, robust
