"""SPEC.md, section 9.1: one value of a public list, sent as a noisy bit for each entry."""

from dataclasses import dataclass

from guarantees import Guarantee, Options, check_names, is_published, number
from reference import Refused, Stream
from representations import coin_losses, send, symmetric, thresholds
from word_mechanisms import exp

MOST_VALUES = 2**16
LEAST_EPSILON = 1e-5


@dataclass(frozen=True)
class Claim:
    """What the paper says of a report, and whether that is so."""

    epsilon: float
    delta: float
    holds: bool


class Choices:
    """A list of ``size`` values, under `sue` or `oue`."""

    def __init__(self, mechanism: str, size: int, options: Options):
        check_names(mechanism, options)
        if mechanism not in ("sue", "oue"):
            raise Refused("not-offered", f"{mechanism} of one-hot codes")
        if {"integer_bits", "fraction_bits"} & set(options):
            raise Refused("invalid-options", "a value of a list is no number")
        if not 2 <= size <= MOST_VALUES:
            raise Refused("invalid-argument", f"a list of {size}")
        epsilon, published = number(options, "epsilon"), is_published(options)
        if epsilon < LEAST_EPSILON:
            raise Refused("invalid-epsilon", repr(epsilon))
        optimized = 0.5, 1 / (1 + exp(epsilon / 2 if published else epsilon))
        [self.coin] = thresholds([symmetric(epsilon / 2) if mechanism == "sue" else optimized])
        self.size = size
        # Two one-hot codes differ in a 1 against a 0 and in a 0 against a 1.
        loss = float(sum(coin_losses(*self.coin)))
        self.guarantee = Guarantee(loss, 0.0, loss, 0.0)
        self.claim = Claim(epsilon, 0.0, loss <= epsilon * (1 + 1e-9)) if published else None

    def report(self, value: int, stream: Stream) -> tuple[str, bool]:
        """The bits as they are sent, and whether none hangs on a last bit."""
        if not 0 <= value < self.size:
            raise Refused("invalid-argument", f"value {value} of {self.size}")
        bits = "".join("1" if entry == value else "0" for entry in range(self.size))
        return send(bits, [self.coin] * self.size, stream)
