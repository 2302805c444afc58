"""The numbers that SPEC.md 8.7 and 9 define by an equation, solved with mpmath far beyond binary64.

An implementation reaches the last 10⁻⁶ of them as it likes: no vector hangs on that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import mpmath
from mpmath import mpf

from reference import Refused


def _least(holds: Callable[[mpf], bool], low: float, high: float) -> mpf:
    """The least x in [low, high] where a condition that stays true once it is true holds; to a relative 2⁻⁶⁰."""
    low, high = mpmath.log(low), mpmath.log(high)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(mpmath.exp(middle)) else (middle, high)
    return mpmath.exp(high)


# --- Gaussian --------------------------------------------------------------------------------------------------------


def _gaussian_delta(s: mpf, epsilon: mpf) -> mpf:
    """δ of the Gaussian mechanism of standard deviation s at sensitivity 1."""
    return mpmath.ncdf(1 / (2 * s) - epsilon * s) - mpmath.exp(epsilon) * mpmath.ncdf(-1 / (2 * s) - epsilon * s)


@cache
def gaussian_ratio(epsilon: float, delta: float) -> float:
    """The least standard deviation per unit of sensitivity that gives (ε, δ)."""
    return float(_least(lambda s: _gaussian_delta(s, mpf(epsilon)) <= delta, 1e-6, 1e12))


@cache
def gaussian_epsilon(ratio: float, delta: float) -> float:
    """The ε that this standard deviation per unit of sensitivity gives at δ."""
    return float(_least(lambda epsilon: _gaussian_delta(mpf(ratio), epsilon) <= delta, 1e-12, 1e6))


@cache
def zcdp(epsilon: float, delta: float) -> float:
    """The largest ρ with inf over α > 1 of ρα + ln(1 − 1/α) − ln(δα)/(α − 1) ≤ ε."""

    def rho(u: mpf) -> mpf:
        alpha = 1 + mpmath.exp(u)
        return (epsilon - mpmath.log(1 - 1 / alpha) + mpmath.log(delta * alpha) / (alpha - 1)) / alpha

    grid = [mpf(n) / 8 for n in range(-80, 240)]
    best = max(grid, key=rho)
    low, high = best - mpf(1) / 8, best + mpf(1) / 8
    for _ in range(60):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if rho(left) > rho(right) else (left, high)
    return float(rho((low + high) / 2))


# --- Truncated Laplace -----------------------------------------------------------------------------------------------


@cache
def truncated_radius(epsilon: float, delta: float, dims: int, d1: int, d2_squared: int, d_inf: int) -> float:
    """The sound radius: the smaller of the closed form and, where it is proved, the solution of the exact equation."""
    a = mpf(epsilon) / d1
    closed = mpmath.log1p(mpf(d1) / d_inf * mpmath.expm1(a * d_inf) / (2 * mpf(delta))) / a
    reach = mpmath.sqrt(d2_squared)
    share = 1 - (1 - mpf(delta)) ** (mpf(1) / dims)
    step = reach / mpmath.sqrt(dims)
    exact = _least(lambda radius: _leaving(a, radius, step) <= share, 1e-6, 2.0**40)
    # The condition's left side grows with t, so its end decides; the grid says so again.
    points = [reach * n / 64 for n in range(1, 65)]
    proved = all(_leaving(a, exact, t) < 1 and t * (a + _leaving_slope(a, exact, t) / (1 - _leaving(a, exact, t))) < 1
                 for t in points)
    return float(min(closed, exact) if proved else closed)


def _leaving(a: mpf, radius: mpf, t: mpf) -> mpf:
    """p(t): the mass of truncated Laplace noise that a shift by t moves out of its own support."""
    end = mpmath.exp(-a * radius)
    if t == 0:
        return mpf(0)
    if t <= radius:
        return (mpmath.exp(-a * (radius - t)) - end) / (2 * (1 - end))
    if t <= 2 * radius:
        return 1 - (mpmath.exp(-a * (t - radius)) - end) / (2 * (1 - end))
    return mpf(1)


def _leaving_slope(a: mpf, radius: mpf, t: mpf) -> mpf:
    """p′(t) for 0 < t < 2·radius."""
    return a * mpmath.exp(-a * abs(radius - t)) / (2 * (1 - mpmath.exp(-a * radius)))


def published_truncation(epsilon: float, delta: float, dims: int, c_pub: float) -> tuple[float, float]:
    """The published rate and radius."""
    d1, d_inf = 2 * mpf(c_pub) * mpmath.sqrt(dims), 2 * mpf(c_pub)
    inside = 1 - epsilon * d_inf / (2 * mpf(delta) ** (mpf(1) / dims) * d1)
    if inside <= 0:
        raise Refused("invalid-epsilon", repr(epsilon))
    return float(epsilon / d1), float(-d1 / epsilon * mpmath.log(inside))


# --- PrivUnit₂ -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cap:
    """How `privunit2` splits ε: with probability `p`, the output lies in the cap of that share of the sphere."""

    p: float
    area: float
    m: float


@cache
def best_cap(epsilon: float, dims: int, off: float = 1.0) -> Cap:
    """The cap that keeps most of the input's direction, at a height `off` times the best."""
    epsilon, half = mpf(epsilon), mpf(dims - 1) / 2
    beta, weight = mpmath.beta(half, 0.5), 1 / mpmath.expm1(epsilon)

    def mean(gamma: mpf) -> mpf:
        return (1 - gamma**2) ** half / ((dims - 1) * beta)

    # Newton from the left: c(γ) − γ·(1/(e^ε − 1) + A(γ)) falls and is convex, its slope is minus the last factor.
    gamma = mpf(0)
    for _ in range(200):
        gamma, before = mean(gamma) / (weight + _cap_share(gamma, half)), gamma
        if abs(gamma - before) < 1e-30:
            break
    else:
        raise ArithmeticError(f"no cap for {epsilon} in {dims} dimensions")
    gamma *= off
    area = _cap_share(gamma, half)
    p = 1 / (1 + mpmath.exp(min(epsilon, mpmath.log((1 - area) / area)) - epsilon))
    return Cap(float(p), float(area), float(mean(gamma) * (p / area - (1 - p) / (1 - area))))


def _cap_share(height: mpf, half: mpf) -> mpf:
    """A(h) for h ≥ 0."""
    return mpmath.betainc(half, 0.5, 0, 1 - height**2, regularized=True) / 2


def cap_height(share: mpf, dims: int) -> mpf:
    """The h with A(h) = share: the unit vectors v with ⟨v, u⟩ ≥ h make up that share of the sphere."""
    if share > 0.5:
        return -cap_height(1 - mpf(share), dims)
    # Newton in ln A over ln θ, h = cos θ: all but a straight line, and below the start's tangent cap.
    half = mpf(dims - 1) / 2
    beta = mpmath.beta(half, 0.5)
    angle = (share * (dims - 1) * beta) ** (1 / (2 * half))
    for _ in range(40):
        sine = mpmath.sin(angle)
        area = mpmath.betainc(half, 0.5, 0, sine**2, regularized=True) / 2
        step = mpmath.log(share / area) * area / (angle * sine ** (dims - 2) / beta)
        angle = min(angle * mpmath.exp(step), mpmath.pi / 2)
        if abs(step) < 1e-25:
            return mpmath.cos(angle)
    raise ArithmeticError(f"no height for a share of {share}")
