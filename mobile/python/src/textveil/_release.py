"""What may leave the machine, apart from what must not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from . import _native


class Release:
    """What may leave the machine, and the machine's own account of how it came about. Printed, it is the text.

    Two releases are equal if their texts and guarantees are equal: what may be sent. The account does not count. A release
    cannot be changed. A copy, and whatever is pickled, has no account; ``vars`` and the encoders of web frameworks, which ask
    it, see nothing.
    """

    __slots__ = ("_account", "guarantee", "text")

    text: str
    """The privatized text. This, and the guarantee, is what may be sent."""
    guarantee: _native.Guarantee
    """What is promised about ``text``."""
    _account: Sequence[_native.Entry]

    def __init__(self, text: str, guarantee: _native.Guarantee, account: Sequence[_native.Entry] = ()) -> None:
        for name, value in (("text", text), ("guarantee", guarantee), ("_account", account)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, *value: Any) -> NoReturn:
        raise AttributeError("a release cannot be changed")

    __delattr__ = __setattr__

    @property
    def account(self) -> Sequence[_native.Entry]:
        """Word by word, what became of the text. **For this machine only: it holds the words and must not be uploaded.**"""
        return self._account

    def __reduce__(self) -> tuple[type[Release], tuple[str, _native.Guarantee]]:
        return Release, self._sent()

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "guarantee": self.guarantee}

    def __eq__(self, other: object) -> bool:
        return self._sent() == other._sent() if isinstance(other, Release) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def _sent(self) -> tuple[str, _native.Guarantee]:
        return self.text, self.guarantee

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Release(text={self.text!r}, guarantee={self.guarantee!r})"
