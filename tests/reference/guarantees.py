"""SPEC.md, section 10: what is promised, from the parameters and numbers alone; and which parameters are refused."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import mpmath

from reference import Refused

UP, DOWN = 1 + 1e-15, 1 - 1e-15

# A parameter by its name in the vectors. `calibration` is `sound` or `published`.
Options = Mapping[str, object]

METRIC = ("exponential", "truncated-exponential", "metric-laplace", "lattice-laplace", "vickrey", "mahalanobis")
COORDINATE = ("laplace", "truncated-laplace", "gaussian", "discrete-gaussian")
BITS = ("sue", "oue", "ome", "randomized-response")
ENCODINGS = ("dpnr", "privunit2", *BITS)
CERTIFIED = ("certified", "plateau")
WORDS_ALONE = (*CERTIFIED, "nearest", "exponential", "truncated-exponential", "class-exponential", "vickrey")
PUBLISHED = ("laplace", "truncated-laplace", "gaussian", "dpnr", "sue", "oue", "ome")

_OWN = {
    "certified": {"level", "eta"}, "plateau": {"level", "eta"}, "nearest": {"level", "preset", "mass", "frequency_power"},
    "truncated-exponential": {"gamma"}, "vickrey": {"t"}, "mahalanobis": {"lambda"}, "ome": {"lambda"},
    "randomized-response": {"tilt"}, "laplace": {"clip"}, "truncated-laplace": {"clip", "delta"},
    "gaussian": {"clip", "delta"}, "discrete-gaussian": {"clip", "delta"},
}
_CODES: dict[str, tuple[str, Callable[[float], bool]]] = {
    "eta": ("invalid-eta", lambda x: x > 0),
    "level": ("invalid-level", lambda x: x >= 0 and x == int(x)),
    "epsilon": ("invalid-epsilon", lambda x: x > 0),
    "delta": ("invalid-delta", lambda x: 0 < x < 1),
    "clip": ("invalid-clip", lambda x: x > 0),
    "gamma": ("invalid-gamma", lambda x: x > 0),
    "lambda": ("invalid-lambda", lambda x: x >= 0),
    "t": ("invalid-t", lambda x: 0 <= x <= 1),
    "mass": ("invalid-mass", lambda x: 0 < x < 1),
    "frequency_power": ("invalid-frequency-power", lambda x: 0 <= x <= 1),
}


# --- Parameters ------------------------------------------------------------------------------------------------------


def check_names(mechanism: str, options: Options) -> None:
    """Refuses parameters that the mechanism does not take, and a published calibration that does not exist."""
    takes = {"epsilon", "calibration"} | _OWN.get(mechanism, set())
    takes |= {"eta"} if mechanism in METRIC else set()
    takes |= {"integer_bits", "fraction_bits"} if mechanism in BITS else set()
    if not takes.issuperset(options):
        raise Refused("invalid-options", f"{mechanism} takes no {', '.join(sorted(set(options) - takes))}")
    if len({"eta", "epsilon", "level", "preset"}.intersection(options)) > 1:
        raise Refused("invalid-options", "two strengths")
    if is_published(options) and mechanism not in PUBLISHED:
        raise Refused("invalid-calibration", mechanism)


def is_published(options: Options) -> bool:
    return options.get("calibration", "sound") == "published"


def number(options: Options, name: str) -> float:
    """A parameter that must be there and in its range."""
    code, holds = _CODES[name]
    value = options.get(name)
    if value is None or not math.isfinite(value) or not holds(value):
        raise Refused(code, repr(value))
    return value


def checked_eta(scale: float, eta: float) -> float:
    """η itself, or `Refused` as `invalid-eta`."""
    if not (math.isfinite(eta) and 1e-6 <= eta <= 1e6 / scale):
        raise Refused("invalid-eta", repr(eta))
    return eta


def eta_for_epsilon(scale: float, diameter: float, epsilon: float) -> float:
    """The η that spends ε on two words a diameter apart."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise Refused("invalid-epsilon", repr(epsilon))
    try:
        return checked_eta(scale, epsilon / (diameter * UP) * DOWN if diameter > 0 else math.inf)
    except Refused as refused:
        raise Refused("invalid-epsilon", repr(epsilon)) from refused


def metric_eta(scale: float, diameter: float, options: Options) -> float:
    """η as given, or from a requested ε a word."""
    if "eta" in options:
        return checked_eta(scale, options["eta"])
    return eta_for_epsilon(scale, diameter, number(options, "epsilon"))


# --- Words and texts -------------------------------------------------------------------------------------------------


# The words of a guarantee for a draw from a known seed.
KNOWN_SEED = {
    "notion": "known-seed",
    "statement": "A known seed decided this draw, so that it protects nothing: whoever knows the seed can repeat the draw for any "
                 "text, and see which texts it fits. The numbers of this guarantee are those of the same mechanism under a secret "
                 "seed.",
}


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ) of a word and of a text. A δ that is not compared is `None`."""

    epsilon_word: float
    delta_word: float | None
    epsilon_text: float
    delta_text: float | None


def off_by(variation: float, epsilon: float) -> float:
    """δ of draws whose law is so far, in total variation, from a law with δ = 0."""
    return float(min(1, (1 + mpmath.exp(epsilon)) * variation))


def product_up(n: int, x: float) -> float:
    """The least float that is not below n·x."""
    product = n * x
    return math.nextafter(product, math.inf) if Fraction(product) < n * Fraction(x) else product


def of_words(n: int, epsilon: float, delta: float | None) -> Guarantee:
    """A text of n private words, the word as unit."""
    delta_text = None if delta is None else min(1.0, product_up(n, delta))
    return Guarantee(epsilon, delta, product_up(n, epsilon), delta_text)


def of_noisy_text(n: int, epsilon: float, delta: float | None) -> Guarantee:
    """A text of n words under one noise: group privacy."""
    whole = of_words(n, epsilon, delta)
    if not delta:
        return whole
    growth = mpmath.expm1(n * mpmath.mpf(epsilon)) / mpmath.expm1(epsilon)
    return replace(whole, delta_text=float(min(1, delta * growth)))


# --- Dropout ---------------------------------------------------------------------------------------------------------


def after_bernoulli(rate: float, epsilon: float, delta: float | None) -> tuple[float, float | None]:
    """(ε, δ) of a word that is left out at that rate, before anything else."""
    mu = mpmath.mpf(rate)
    return float(mpmath.log(mu + (1 - mu) * mpmath.exp(epsilon))), delta and float((1 - mu) * delta)


def after_fixed(rate: float, epsilon: float, delta: float | None) -> tuple[float, float | None]:
    """(ε, δ) of a word where a fixed share of the words is left out and each of them is released by itself."""
    mu, growth = mpmath.mpf(rate), mpmath.exp(epsilon)
    if mu == 1:
        return 0.0, delta and 0.0
    if delta != 0 and (1 - mu) * (1 + growth) > 1:
        return epsilon, delta
    less = mpmath.log1p((1 - mu) * (growth - 1) / (mu / growth + 1 - mu))
    return float(less), delta and float((1 - mu) * (1 + growth) * delta)
