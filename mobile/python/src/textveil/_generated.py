"""Results as uniffi's generator does not write them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from typing import Any, NoReturn

from . import _native
from ._errors import call
from ._native import textveil_mobile


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


OF_DATACLASSES = {"__dataclass_fields__", "__dataclass_params__", "__dict__", "__match_args__", "__replace__", "__weakref__"}


def with_slots(name: str, kind: Any, *bases: Any, fields: Iterable[str] = ()) -> Any:
    """The class anew, with its fields in slots.

    The generator's is a dataclass without fields, for which an encoder writes ``{}``. An encoder refuses what is no dataclass and
    has no ``__dict__``.
    """
    body = {each: value for each, value in vars(kind).items() if each not in OF_DATACLASSES}
    return type(name, bases, body | {"__slots__": tuple(fields)})


def record_of(name: str, kind: Any, *bases: Any) -> Any:
    record = with_slots(name, kind, *bases, fields=[*inspect.signature(kind.__init__).parameters][1:])
    compares_with_its_own(record)
    is_written_once(record)
    return record


def fields_of(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


def is_written_once(record: Any) -> None:
    """A field of a record is written when the record is made, and not again."""

    def write(self: object, name: str, value: Any) -> None:
        if name not in record.__slots__ or hasattr(self, name):
            raise AttributeError(f"a {record.__name__} cannot be changed")
        frozen = FROZEN.get(type(value))
        object.__setattr__(self, name, value if frozen is None else frozen(value))

    def delete(self: object, name: str) -> NoReturn:
        raise AttributeError(f"a {record.__name__} cannot be changed")

    record.__setattr__, record.__delattr__ = write, delete


def refuses_by_code(kind: Any, *methods: str) -> None:
    """Turns what these methods refuse into the package's own error."""

    def refusing(method: Any) -> Any:
        @functools.wraps(method)
        def refuses(*arguments: Any, **options: Any) -> Any:
            return call(method, *arguments, **options)

        return refuses

    for name in methods:
        setattr(kind, name, refusing(getattr(kind, name)))


def compares_with_its_own(record: Any) -> None:
    """Replaces the generated comparison, which takes any object for a record, and adds a hash."""
    alike = record.__eq__

    def equal(self: object, other: object) -> Any:
        return alike(self, other) if isinstance(other, record) else NotImplemented

    record.__eq__ = equal
    record.__hash__ = lambda self: hash(hashable(fields_of(self)))


def hashable(value: Any) -> Any:
    """A value with a hash. Equal values become equal ones."""
    if isinstance(value, dict):
        return frozenset((name, hashable(each)) for name, each in value.items())
    return tuple(map(hashable, value)) if isinstance(value, list) else value


def refuse_copies(self: object) -> NoReturn:
    """An object is a bare handle. A copy would free what the original uses, and another process cannot use it."""
    raise TypeError(f"{type(self).__name__}: an object of the library is not copied")


def complete() -> None:
    for name in textveil_mobile.__all__:
        kind: Any = getattr(_native, name)
        cases: list[Any] = [case for case in vars(kind).values() if is_dataclass(case)]
        if is_dataclass(kind):
            made = record_of(name, kind)
        elif cases:
            made = with_slots(name, kind)
            for case in cases:
                # The generator has put the enumeration behind the class of the case.
                setattr(made, case.__name__.rpartition(".")[2], record_of(case.__name__, case.__bases__[0], made))
        else:
            continue
        for module in (_native, textveil_mobile):
            setattr(module, name, made)
    refuses_by_code(_native.Guarantee, "describe", "loss", "short")
    for handle in (_native.Contributor, _native.Ledger, _native.Statements, _native.Sum, _native.TextVectors, _native.TextVeil):
        handle.__reduce__ = refuse_copies  # type: ignore[method-assign]
    # A readable str() and an empty repr(), except where the library has its own.
    shown = (_native.Budget, _native.Certificate, _native.ChoiceReport, _native.Claim, _native.Deniability)
    noise = (_native.ContributionGuarantee, _native.ContributionNoise.DEVICES, _native.ContributionNoise.SUM)
    for record in (*shown, *noise, _native.Level, _native.Loss, _native.MechanismInfo, _native.Spent, _native.Statement, _native.WordList):
        record.__repr__ = record.__str__  # type: ignore[method-assign,assignment]
    # Its bytes are for a file.
    snapshot: Any = _native.Snapshot
    snapshot.__repr__ = snapshot.__str__ = lambda self: f"Snapshot(sequence={self.sequence})"


complete()
