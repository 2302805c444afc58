"""What one process owns."""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn, Self


class Owned:
    """Belongs to the process that made it. A copy would answer, or spend, once more."""

    __slots__ = ("_process",)

    _process: int
    _instead: ClassVar[str]
    """What to do without a copy."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        owned = super().__new__(cls)
        owned._process = os.getpid()
        return owned

    def _own(self) -> None:
        """Refuses what a fork has copied."""
        if os.getpid() != self._process:
            self._refuse_copies()

    def _refuse_copies(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a {name} belongs to the process that made it, and is neither copied nor forked: {self._instead}")

    # Without the second, Python would give all fields to whoever asks.
    __reduce__ = __getstate__ = _refuse_copies
