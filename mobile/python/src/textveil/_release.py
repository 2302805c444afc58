"""What may leave the machine, apart from what must not."""

from __future__ import annotations

from collections.abc import Sequence

from . import _native


class Release:
    """What may leave the machine, and the machine's own account of how it came about. Printed, it is the text.

    A copy, and whatever is pickled, has no account; ``vars`` and the encoders of web frameworks, which ask it, see nothing.
    """

    __slots__ = ("_account", "guarantee", "text")

    text: str
    """The privatized text. This, and the guarantee, is what may be sent."""
    guarantee: _native.Guarantee
    """What is promised about ``text``."""

    def __init__(self, text: str, guarantee: _native.Guarantee, account: Sequence[_native.Entry] = ()) -> None:
        self.text = text
        self.guarantee = guarantee
        self._account = account

    @property
    def account(self) -> Sequence[_native.Entry]:
        """Word by word, what became of the text. **For this machine only: it holds the words and must not be uploaded.**"""
        return self._account

    def __reduce__(self) -> tuple[type[Release], tuple[str, _native.Guarantee]]:
        return Release, (self.text, self.guarantee)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Release(text={self.text!r}, guarantee={self.guarantee!r})"
