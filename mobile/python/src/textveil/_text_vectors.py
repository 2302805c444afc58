"""One guarantee for a whole text, as a noisy vector."""

from __future__ import annotations

from typing import Any

from . import _native
from ._columns import text_of
from ._errors import call
from ._files import File, contents
from ._statements import ENGLISH_ENCODER
from ._veil import VectorRepresentation, as_arrays


class TextVectors:
    """Represents whole texts by noisy vectors of a text encoder: what a model on a server can learn from. (Needs numpy.)

    Any two texts are protected from each other, of whatever length: nothing of a text leaves but the vector.

    A text is drawn **once**: for the life of the object, the same text for the same field gives the very same vector, because
    every further draw would spend ε again. Texts and vectors are remembered in memory, in plain text, for as long; a fresh
    object (a copy, an object that was pickled) forgets. Processes that are forked each draw anew. **One object is for one
    person's texts**: that equal texts have equal vectors would show that two people wrote the same.

    What a method refuses is a :class:`textveil.TextVeilError` with its ``code``; an argument of the wrong type is a
    ``TypeError``.
    """

    _inner: _native.TextVectors

    def __init__(self, encoder: File = ENGLISH_ENCODER, *, epsilon: float = 8.0, dims: int | None = None) -> None:
        """With the file of a text encoder: that of the package, or one for the subject of the texts, as ``textveil table
        project`` makes it.

        ``epsilon`` is that of a text, in nats. ``dims`` says how many of the encoder's first coordinates are noised, from 3
        up: without it 16, or all of an encoder that has fewer.

        ``bad-table``: the file is damaged or no table. ``other-encoder``: it is no text encoder.
        """
        # The English encoder is where the package is.
        self._encoder = encoder if encoder is ENGLISH_ENCODER else contents(encoder)
        self._given = {"epsilon": epsilon, "dims": dims}
        self._inner = call(_native.TextVectors, contents(encoder), epsilon=epsilon, dims=dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), None if self._encoder is ENGLISH_ENCODER else self._encoder, self._given)

    def representation(self, text: str, *, field: str | None = None) -> VectorRepresentation:
        """Represents a text by one noisy vector.

        ``field`` is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn
        for itself, as equal vectors for two fields would show that their texts are equal.

        A text that is both represented and exchanged has been released twice, and the losses add up.
        """
        drawn = as_arrays(call(self._inner.representation, text_of(text), None if field is None else text_of(field)))
        assert isinstance(drawn, VectorRepresentation)
        return drawn

    def guarantee(self) -> _native.Guarantee:
        """What holds for every vector, whatever the text."""
        return self._inner.guarantee()

    @property
    def encoder_id(self) -> str:
        """The encoder's public identity: its SHA-256 in hexadecimal."""
        return self._inner.encoder_id()


def _made(kind: type[TextVectors], encoder: bytes | None, given: dict[str, Any]) -> TextVectors:
    return kind(ENGLISH_ENCODER if encoder is None else encoder, **given)
