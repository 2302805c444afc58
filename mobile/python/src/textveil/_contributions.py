"""New words for a table, from the texts of many: a device's answer, and the sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import _native
from ._columns import text_of
from ._errors import call
from ._files import File, contents
from ._options import flag
from ._owned import Owned
from ._statements import texts_of


class Contributor(Owned):
    """Answers a request for new words, which a collector has published: what one user's texts say of the words that it names,
    as one vector for a sum over many users. To be called from any thread.

    **A user answers a request once**: every further answer would spend ε again, so an object refuses a second one. It is
    not copied, and a process that was forked cannot use it. It knows nothing of other objects and earlier runs: store
    ``id`` before the vector leaves, and answer no request whose ``id`` is stored.

    What a method refuses is a :class:`textveil.TextVeilError` with its ``code``; an argument of the wrong type is a
    ``TypeError``.
    """

    _inner: _native.Contributor
    _instead = "it answers once"

    def __init__(self, request: str, table: File | None = None, *, trusted_sum: bool = False) -> None:
        """With the request as the collector has published it (JSON), and the file of the table that it names; without one, it is
        the English table of the library. With ``trusted_sum`` it also answers a request whose noise is added to the sum, or
        shared by more than 10,000 devices: the answer then holds no noise, or next to none.

        ``noise-elsewhere``: such a request, if the sum is not trusted. ``bad-request``: it breaks a rule. ``other-table``:
        it names another table. ``bad-table``: the file is damaged.
        """
        file = None if table is None else contents(table)
        self._inner = call(_native.Contributor, text_of(request), file, flag("trusted_sum", trusted_sum))

    def contribute(self, texts: Iterable[str], *, epsilon: float | None = None) -> _native.Contribution:
        """Answers the request from all texts of the user. A user without anything to say answers as well, with ``[]``. A text
        longer than 1 MiB is left out.

        ``epsilon`` is the user's own budget in nats, at most the request's. ``already-contributed`` after an answer. After any
        other error nothing was answered.
        """
        self._own()
        return call(self._inner.contribute, texts_of(texts), epsilon)

    def guarantee(self, *, epsilon: float | None = None) -> _native.ContributionGuarantee:
        """What will be proved of a user with this budget of their own, or without one."""
        return call(self._inner.guarantee, epsilon)

    @property
    def id(self) -> str:
        """What the request is told apart by: a SHA-256 in hexadecimal."""
        return self._inner.id()


class Sum(Owned):
    """Adds up contributions to a request whose noise is added to the sum, for the collector. It shows its numbers under noise
    alone, and once.

    It depends on whoever runs it: they show nobody a single contribution.
    """

    _inner: Any
    _instead = "it is released once"

    def __init__(self, request: str) -> None:
        """Of nobody yet. ``bad-request``: the request breaks a rule. ``noise-elsewhere``: its noise comes from the devices."""
        self._inner = call(_native.Sum, text_of(request))

    def add(self, vector: Sequence[int]) -> None:
        """Adds the ``vector`` of one user's contribution. It cannot notice a repetition: add each user once.

        ``dimension-mismatch``, ``norm-exceeded``: it is no contribution to this request. ``already-released``.
        """
        self._own()
        call(self._inner.add, list(vector))

    def release(self) -> list[int]:
        """The sum under noise. ``already-released``: it is released once."""
        self._own()
        return list(call(self._inner.release))
