"""Methods that uniffi's generator does not write."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from . import _native
from ._errors import refusals


def refuse_change(self: object, *_: Any, **__: Any) -> NoReturn:
    raise TypeError("a result cannot be changed")


class FrozenList(list[Any]):
    """The list of a record."""

    __slots__ = ()
    append = clear = extend = insert = pop = remove = reverse = sort = refuse_change
    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse_change

    def __reduce__(self) -> tuple[type[FrozenList], tuple[tuple[Any, ...]]]:
        return FrozenList, (tuple(self),)


class FrozenDict(dict[Any, Any]):
    """The dictionary of a record."""

    __slots__ = ()
    clear = pop = popitem = setdefault = update = refuse_change
    __setitem__ = __delitem__ = __ior__ = refuse_change

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[tuple[tuple[Any, Any], ...]]]:
        return FrozenDict, (tuple(self.items()),)


FROZEN: dict[type, Callable[[Any], Any]] = {list: FrozenList, dict: FrozenDict}


def is_written_once(record: Any) -> None:
    """A field of a record is written when the record is made, and not again."""
    fields = {*inspect.signature(record.__init__).parameters} - {"self"}

    def write(self: object, name: str, value: Any) -> None:
        if name in vars(self) or name not in fields:
            raise AttributeError(f"a {record.__name__} cannot be changed")
        frozen = FROZEN.get(type(value))
        vars(self)[name] = value if frozen is None else frozen(value)

    def delete(self: object, name: str) -> NoReturn:
        raise AttributeError(f"a {record.__name__} cannot be changed")

    record.__setattr__, record.__delattr__ = write, delete


def refuses_by_code(kind: Any, *methods: str) -> None:
    """Turns what these methods refuse into the package's own error."""

    def refusing(method: Any) -> Any:
        @functools.wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            with refusals():
                return method(*arguments, **options)

        return call

    for name in methods:
        setattr(kind, name, refusing(getattr(kind, name)))


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
            is_written_once(kind)
    refuses_by_code(_native.Guarantee, "describe", "loss", "short")
    for kind in (_native.TextVeil, _native.Ledger, _native.Statements, _native.Contributor):
        kind.__reduce__ = refuse_copies  # type: ignore[method-assign]
    # A readable str() and an empty repr(), except where the library has its own.
    shown = (_native.Budget, _native.Certificate, _native.ChoiceReport, _native.Claim, _native.Deniability)
    for record in (*shown, _native.Level, _native.Loss, _native.MechanismInfo, _native.Spent, _native.Statement, _native.WordList):
        record.__repr__ = record.__str__  # type: ignore[method-assign,assignment]
