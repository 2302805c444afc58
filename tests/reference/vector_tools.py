"""What all golden vectors have in common: seeds, spellings of numbers, codes of errors."""

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping

from reference import Refused

Json = dict | list | str | float | int | None


def seeds(*name: object) -> Iterator[bytes]:
    """Endless seeds for a vector of that name."""
    for attempt in itertools.count():
        yield hashlib.sha256("\0".join(map(str, (*name, attempt))).encode()).digest()


def spelled(number: float) -> str:
    """A number as every language's parser reads it, JSON's missing ones included."""
    return repr(number).replace("inf", "Infinity").replace("nan", "NaN")


def all_spelled(value: object) -> Json:
    """The same for every number in it."""
    if isinstance(value, Mapping):
        return {key: all_spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [all_spelled(item) for item in value]
    return spelled(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def code_of(attempt: Callable[[], object]) -> str | None:
    """The code that an attempt is refused with, or nothing."""
    try:
        attempt()
    except Refused as refusal:
        return refusal.code
    return None
