"""Methods that uniffi's generator does not write."""

from __future__ import annotations

from typing import Any, NoReturn

from . import _native


def compares_with_its_own(record: Any) -> None:
    """Replaces the generated comparison, which takes any object for a record, and adds a hash."""
    alike = record.__eq__

    def equal(self: object, other: object) -> Any:
        return alike(self, other) if isinstance(other, record) else NotImplemented

    record.__eq__ = equal
    record.__hash__ = lambda self: hash(hashable(vars(self)))


def hashable(value: Any) -> Any:
    """A value with a hash. Equal values become equal ones."""
    if isinstance(value, dict):
        return frozenset((name, hashable(each)) for name, each in value.items())
    return tuple(map(hashable, value)) if isinstance(value, list) else value


def refuse_copies(self: object) -> NoReturn:
    """An object is a bare handle. A copy would free what the original uses, and another process cannot use it."""
    raise TypeError(f"{type(self).__name__}: an object of the library is not copied")


def complete() -> None:
    for kind in vars(_native).values():
        if isinstance(kind, type) and "__eq__" in vars(kind):
            compares_with_its_own(kind)
    for kind in (_native.TextVeil, _native.Ledger, _native.Statements, _native.Contributor):
        kind.__reduce__ = refuse_copies  # type: ignore[method-assign]
    # A readable str() and an empty repr(), except where the library has its own.
    shown = (_native.Budget, _native.Certificate, _native.ChoiceReport, _native.Claim, _native.Deniability)
    for record in (*shown, _native.Level, _native.Loss, _native.MechanismInfo, _native.Spent, _native.Statement, _native.WordList):
        record.__repr__ = record.__str__  # type: ignore[method-assign,assignment]
