"""The one object, and the ledger."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from . import _native
from ._columns import Released, column_of, text_of
from ._errors import TextVeilError, call
from ._files import Buffer, File, contents
from ._options import BitOptions, Options, RepresentationOptions, Terms, VectorOptions, detected, record
from ._owned import Owned
from ._release import Release

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Column = TypeVar("Column")
Passing = tuple[str | None, ...] | Iterator[str | None]
"""Texts whose releases come back as a list."""


class ByValue:
    """Equal if all fields are, arrays by their entries."""

    guarantee: _native.Guarantee

    def __eq__(self, other: object) -> bool:
        import numpy as np

        if type(self) is not type(other):
            return NotImplemented
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))

    def __hash__(self) -> int:
        return hash(self.guarantee)


@dataclass(frozen=True, eq=False)
class VectorRepresentation(ByValue):
    """What may leave the machine: noisy vectors and what is promised about them."""

    vectors: NDArray[np.float64]
    """A row for each word, or a single one."""
    guarantee: _native.Guarantee


@dataclass(frozen=True, eq=False)
class BitRepresentation(ByValue):
    """What may leave the machine: noisy bits and what is promised about them."""

    bits: NDArray[np.uint8]
    """A row for each word, or a single one: eight bits a byte, as ``numpy.unpackbits`` has them."""
    bit_length: int
    """How many bits a row has; the rest of its last byte is zero."""
    guarantee: _native.Guarantee


class TextVeil:
    """Privatizes texts over one table. To be called from any thread; a call releases the interpreter lock.

    A text is drawn **once**: for the life of the object, the same text for the same field under the same terms gives the very
    same release, because every further draw would spend privacy again. Texts and releases are remembered in memory, in plain text, for as
    long; a fresh object (a copy, an object that was pickled) forgets. **One object is for one person's texts**: that equal
    texts have equal releases would show that two people wrote the same. :meth:`privatize_column`, for the texts of many,
    remembers nothing.

    Processes that are forked do not know what the others draw: each draws the same text anew, and spends again. One that is
    forked while another thread is in a call may wait for that thread for ever: let ``multiprocessing`` start its processes by
    ``spawn`` or ``forkserver``.

    What a method refuses is a :class:`textveil.TextVeilError` with its ``code``; an argument of the wrong type, or an option
    that there is not, is a ``TypeError``.
    """

    _inner: _native.TextVeil

    def __init__(self, table: File | None = None) -> None:
        """With the English table of the package, or with a table file: its bytes, or where it is (``bad-table``)."""
        self._table = None if table is None else contents(table)
        self._inner = call(_native.TextVeil) if self._table is None else call(_native.TextVeil.from_table, self._table)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._table,)

    def privatize(
        self,
        text: str,
        *,
        field: str | None = None,
        spans: Iterable[tuple[int, int, str]] | None = None,
        **options: Unpack[Options],
    ) -> Release:
        """Privatizes a text: the only thing that leaves should be the result's ``text`` (and its ``guarantee``).

        ``field`` is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn
        for itself, as equal releases for two fields would show that their texts are equal. Any edit is another text and draws
        all its words anew: privatize the finished text, not each keystroke.

        ``spans`` are what a detector found: start and end as ``str`` counts, and a kind (a letter, then up to 23 letters, digits,
        ``-`` or ``_``). ``[kind]`` takes the place of each, and of the rest of a word that it touches. The guarantee says that a
        detector chose, also of an empty list. ``invalid-span``: the message has the place of the span in the list.
        """
        asked = record(_native.Options, options)
        found = None if spans is None else detected(text, spans)
        drawn = call(self._inner.privatize, text_of(text), asked, None if field is None else text_of(field), found)
        return Release(drawn.text, drawn.guarantee, drawn.account)

    @overload
    def privatize_column(self, column: Passing, *, threads: int = 0, **options: Unpack[Options]) -> Released[list[str | None]]: ...
    @overload
    def privatize_column(self, column: Column, *, threads: int = 0, **options: Unpack[Options]) -> Released[Column]: ...
    def privatize_column(self, column: Any, *, threads: int = 0, **options: Unpack[Options]) -> Released[Any]:
        """Privatizes a column of texts of many people on all cores, or on ``threads`` of them: a list, a pyarrow array, a
        pandas or polars series. What comes back is of the same kind; what is missing stays so. Categories (of pandas, of
        Polars, and Arrow's dictionaries) come back as plain strings.

        Each row is a release of its own, equal rows are drawn each for itself, and nothing is remembered: **a second call
        spends again**. Rows of the same person add up. A row that is refused fails the whole column; the error's ``row`` says
        which it was.
        """
        asked = record(_native.Options, options)

        def privatize(part: _native.TextColumn) -> _native.ReleaseColumn:
            return call(self._inner.privatize_column, part, asked, threads)

        def refused_row(part: _native.TextColumn) -> int | None:
            return call(self._inner.refused_row, part, asked)

        return column_of(column, privatize, refused_row)

    def guarantee(self, **options: Unpack[Options]) -> _native.Guarantee:
        """The guarantee that :meth:`privatize` would give for a text of one word, before anything is drawn."""
        asked = record(_native.Options, options)
        return call(self._inner.guarantee, asked)

    def levels(self) -> list[_native.Level]:
        """The levels of the table, for all mechanisms, each ordered from the most private on."""
        return call(self._inner.levels)

    def mechanisms(self) -> list[_native.MechanismInfo]:
        """Every mechanism, with its parameters."""
        return self._inner.mechanisms()

    @property
    def table_id(self) -> str:
        """The table's public identity: its SHA-256 in hexadecimal."""
        return self._inner.table_id()

    def alternatives(self, token: str, *, k: int = 10, **options: Unpack[Options]) -> _native.Alternatives:
        """The ``k`` likeliest outcomes of a token, from 1 to 1000, if it is drawn. **For this machine only**: they tell the word.

        Options that leave the token in clear do not count.
        """
        asked = record(_native.Options, options)
        return call(self._inner.alternatives, text_of(token), asked, k)

    def deniability(self, text: str, **options: Unpack[Options]) -> list[_native.TokenDeniability]:
        """What protects each word of a text, in its order. Nothing is released. **For this machine only.**

        To choose a level by it, choose once for all texts: a level that follows the text tells of it.
        """
        asked = record(_native.Options, options)
        return call(self._inner.deniability, text_of(text), asked)

    @overload
    def representation(self, text: str, *, field: str | None = None, **options: Unpack[BitOptions]) -> BitRepresentation: ...
    @overload
    def representation(self, text: str, *, field: str | None = None, **options: Unpack[VectorOptions]) -> VectorRepresentation: ...
    @overload
    def representation(
        self, text: str, *, field: str | None = None, **options: Unpack[RepresentationOptions]
    ) -> VectorRepresentation | BitRepresentation: ...
    def representation(
        self, text: str, *, field: str | None = None, **options: Any
    ) -> VectorRepresentation | BitRepresentation:
        """Represents a text by noisy vectors of the table, or by noisy bits: what a model can learn from. (Needs numpy.)

        Each ``field`` is drawn for itself, as by :meth:`privatize`.

        A text that is both privatized and represented has been released twice, and the losses add up.
        """
        asked = record(_native.RepresentationOptions, options)
        return as_arrays(call(self._inner.representation, text_of(text), asked, None if field is None else text_of(field)))

    @overload
    def representation_of(
        self, vectors: Sequence[ArrayLike] | NDArray[Any], *, field: str | None = None, **options: Unpack[BitOptions]
    ) -> BitRepresentation: ...
    @overload
    def representation_of(
        self, vectors: Sequence[ArrayLike] | NDArray[Any], *, field: str | None = None, **options: Unpack[VectorOptions]
    ) -> VectorRepresentation: ...
    @overload
    def representation_of(
        self, vectors: Sequence[ArrayLike] | NDArray[Any], *, field: str | None = None, **options: Unpack[RepresentationOptions]
    ) -> VectorRepresentation | BitRepresentation: ...
    def representation_of(
        self, vectors: Sequence[ArrayLike] | NDArray[Any], *, field: str | None = None, **options: Any
    ) -> VectorRepresentation | BitRepresentation:
        """The same for the vectors that any other encoder gave: one for each word, or one for the text. (Needs numpy.)

        Each is clipped to the norm ``clip`` (``dpnr``: each coordinate to ±``clip``) and cut to a lattice of ``clip``/4096.
        For ``privunit2``, and so without a mechanism, each must have length 1, and ``clip`` says nothing. **What is protected
        is a vector**: if the encoder looks at more than one word for a vector (as contextual ones do), what holds for a word
        is ``epsilon_text``.

        ``privunit2`` keeps the direction alone, and tells most where what all vectors have in common is subtracted first:
        their mean over public texts, **never over private ones**.
        """
        asked = record(_native.RepresentationOptions, options)
        rows = [bytes_of(vector) for vector in vectors]
        return as_arrays(call(self._inner.representation_of, rows, asked, None if field is None else text_of(field)))

    def representation_guarantee(
        self, words: int = 1, dims: int | None = None, **options: Unpack[RepresentationOptions]
    ) -> _native.Guarantee:
        """The guarantee of a representation of ``words`` words, with ``dims`` dimensions if they are another encoder's."""
        asked = record(_native.RepresentationOptions, options)
        return call(self._inner.representation_guarantee, asked, words, dims)

    def choice(self, index: int, size: int, *, question: str, **options: Unpack[Terms]) -> _native.ChoiceReport:
        """Reports one value of a public list of ``size`` as a noisy bit for each value; without a mechanism, by ``oue``.

        ``question`` is any name of what is answered, and stays here. An answer is drawn **once** for the life of the object.
        **A changed answer is another value, and a new release that spends again**: report the final answer.
        """
        asked = record(_native.ChoiceOptions, options)
        return call(self._inner.choice, index, size, text_of(question), asked)

    def choice_guarantee(self, size: int, **options: Unpack[Terms]) -> _native.Guarantee:
        """The guarantee of a report of one of ``size`` values, before anything is drawn."""
        asked = record(_native.ChoiceOptions, options)
        return call(self._inner.choice_guarantee, size, asked)


def bytes_of(vector: ArrayLike) -> bytes:
    import numpy as np

    row = None
    with suppress(ValueError):
        row = np.asarray(vector, dtype="<f8")
    if row is None:
        # Without a context: numpy's message quotes an entry that is not a number.
        raise TypeError("a vector is of numbers")
    if row.ndim != 1:
        raise TextVeilError("invalid-vector: these are not vectors in a list; a single one is given as [vector]")
    return row.tobytes()


def as_arrays(drawn: _native.Representation) -> VectorRepresentation | BitRepresentation:
    import numpy as np

    def matrix(rows: list[bytes], kind: str) -> NDArray[Any]:
        return np.frombuffer(b"".join(rows), dtype=kind).reshape(len(rows), -1 if rows else 0)

    values: Any = drawn.values
    if isinstance(values, _native.Values.VECTORS):
        return VectorRepresentation(matrix(values.rows, "<f8"), drawn.guarantee)
    return BitRepresentation(matrix(values.rows, "u1"), values.bit_length, drawn.guarantee)


def unpacked(report: _native.ChoiceReport | BitRepresentation) -> NDArray[np.bool_]:
    """The bits of a report, or of each row of a representation, one by one. (Needs numpy.)"""
    import numpy as np

    packed = np.frombuffer(report.bits, dtype="u1") if isinstance(report.bits, bytes) else report.bits
    return np.unpackbits(packed, axis=-1, count=report.bit_length).astype(np.bool_)


class Ledger(Owned):
    """What has been released so far, by scope: a form field, an app, whatever has a budget of its own.

    Store what :meth:`spend` returns before the release leaves: the bytes in one atomic write, then the sequence number in a
    second place. A crash in between loses budget and never gains it. Hold one lock from :meth:`spend` until both are stored.

    **A ledger does not see what another process spends.** If more than one process can spend, each does all of it under one lock,
    for each release: take the lock, read both places, open the ledger, spend, store both, release the lock. A ledger is not
    copied, and a process that was forked cannot use it.
    """

    _instead = "store its snapshot, and open another ledger with it"

    def __init__(self, budgets: Mapping[str, _native.Budget], stored: Buffer | None = None, sequence: int = 0) -> None:
        """Continues from the last snapshot. If there never was one, it starts anew.

        ``bad-ledger``: the state is damaged, old, or missing. Nothing may be released then: use :meth:`exhausted`.
        """
        state = None if stored is None else memoryview(stored).tobytes()
        self._inner = call(_native.Ledger, scopes(budgets), state, sequence)

    @classmethod
    def exhausted(cls, budgets: Mapping[str, _native.Budget], sequence: int, now: int | None = None) -> Ledger:
        """In place of a ledger that could not be restored: every budget counts as spent. One with a period is back in the next
        period. One without a period is spent for good.

        Name every scope that there has been. **Store its** :meth:`snapshot` **at once**, as after :meth:`spend`: otherwise the next
        start finds the damaged state again.
        """
        ledger = cls.__new__(cls)
        ledger._inner = call(_native.Ledger.exhausted, scopes(budgets), seconds(now), sequence)
        return ledger

    def spend(
        self, scope: str, loss: _native.Guarantee | _native.ContributionGuarantee | _native.Loss, now: int | None = None
    ) -> _native.Snapshot:
        """Records a release or a contribution, or refuses it (``budget-exhausted``) and changes nothing. ``now`` is in seconds, by
        default the clock's.

        ``invalid-options``: the fields of the guarantee contradict each other.
        """
        self._own()
        if isinstance(loss, (_native.Guarantee, _native.ContributionGuarantee)):
            loss = loss.loss()
        if not isinstance(loss, _native.Loss):
            raise TypeError(f"what is spent is a guarantee or a Loss, not a {type(loss).__name__}: release.guarantee")
        return call(self._inner.spend, text_of(scope), loss, seconds(now))

    def spent(self, scope: str, now: int | None = None) -> _native.Spent:
        """What a scope has spent in the period of ``now``."""
        self._own()
        return call(self._inner.spent, text_of(scope), seconds(now))

    def snapshot(self) -> _native.Snapshot:
        """The state as it is now."""
        self._own()
        return self._inner.snapshot()


def scopes(budgets: Mapping[str, _native.Budget]) -> list[_native.ScopeBudget]:
    if not isinstance(budgets, Mapping) or not all(isinstance(budget, _native.Budget) for budget in budgets.values()):
        raise TypeError("budgets are a mapping of scopes, each to its Budget")
    return [_native.ScopeBudget(scope=text_of(scope), budget=budget) for scope, budget in budgets.items()]


def seconds(now: int | None) -> int:
    return int(time.time()) if now is None else now
