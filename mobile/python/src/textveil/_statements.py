"""One ε for a whole text: it is exchanged for a statement of a public list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _native
from ._columns import Released, column_of, text_of
from ._errors import call
from ._files import Buffer, File, contents
from ._options import flag
from ._veil import Passing, bytes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Column = TypeVar("Column")
ENGLISH_ENCODER = Path(__file__).with_name("english-text.tvt")
"""The English text encoder, which the package brings."""


class Statements:
    """Exchanges whole texts for statements of a public list, under one ε. To be called from any thread.

    Any two texts that are not refused are protected from each other: nothing of a text leaves but the statements.

    A text is drawn **once**: for the life of the object, the same text for the same field gives the very same release, because
    every further draw would spend ε again. Texts and releases are remembered in memory, in plain text, for as long; a fresh
    object (a copy, an object that was pickled) forgets. Processes that are forked each draw anew. **One object is for one
    person's texts**: that equal texts have equal releases would show that two people wrote the same. :meth:`privatize_column`,
    for the texts of many, remembers nothing.

    What a method refuses is a :class:`textveil.TextVeilError` with its ``code``; an argument of the wrong type is a
    ``TypeError``.
    """

    _inner: _native.Statements

    def __init__(
        self,
        statements: File,
        encoder: File | None = ENGLISH_ENCODER,
        *,
        epsilon: float | None = None,
        near: int | None = None,
        per_sentence: int = 1,
        any_language: bool = False,
    ) -> None:
        """With the file of a list (``.tvs``) and the text encoder that it was made with (``None``: there are only vectors
        and choices).

        ``epsilon`` is that of one statement, in nats; without it 8, and 2 for a list of answers, which needs no encoder.
        ``near`` says how many statements are near to each text; without it, that follows from ε. ``per_sentence`` says how
        many statements each text is exchanged for, one for each of its first sentences: each costs ε. With ``any_language``,
        texts of other languages than the encoder's are taken, too: without it, they are refused (``other-language``).

        ``bad-statements``, ``bad-table``: the file is damaged or no such file. ``other-encoder``: the list was made with
        another encoder.
        """
        self._list = contents(statements)
        given: dict[str, Any] = {"epsilon": epsilon, "near": near, "per_sentence": per_sentence}
        given["any_language"] = flag("any_language", any_language)
        table = None if encoder is None else contents(encoder)
        # The English encoder is where the package is.
        self._given = given if encoder is ENGLISH_ENCODER else given | {"encoder": table}
        self._inner = call(_native.Statements, self._list, table, **given)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._given), (self._list,)

    def privatize(self, text: str, *, field: str | None = None) -> _native.StatementRelease:
        """Exchanges a whole text: the only thing that leaves should be the result's ``text`` (and its ``guarantee``).

        ``field`` is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn
        for itself, as equal releases for two fields would show that their texts are equal.
        """
        return call(self._inner.privatize, text_of(text), None if field is None else text_of(field))

    def privatize_vectors(
        self, vectors: Sequence[ArrayLike] | NDArray[Any], *, field: str | None = None
    ) -> _native.StatementRelease:
        """The same for the vectors that any other encoder gave: one for the text, or one for each sentence. (Needs numpy.)

        Only their direction counts. The same vectors for the same field are drawn once.
        """
        rows = [bytes_of(vector) for vector in vectors]
        return call(self._inner.privatize_vectors, rows, None if field is None else text_of(field))

    def privatize_chosen(self, text: str, chosen: Iterable[int], *, field: str | None = None) -> _native.StatementRelease:
        """Exchanges a text by what a person chose for it, for example from what :meth:`suggest` gave: the number of one statement,
        or of one for each sentence. Nothing else of the text is used.

        The same text with the same choice is drawn once for a field. Another choice spends ε again. So does an edited text, and
        :meth:`privatize` for the same text.

        Whether a person has chosen says something of the text. So make the object with ``any_language`` also for texts where
        none is chosen: then all releases have one guarantee.
        """
        return call(self._inner.privatize_chosen, text_of(text), list(chosen), None if field is None else text_of(field))

    def suggest(self, text: str, *, count: int = 5) -> list[_native.Statement]:
        """What a person may have meant: the ``count`` statements nearest to a text, from 1 to 1000, the nearest first. After them
        comes the one for texts that fit nothing, if the list has one.

        An app shows them, and :meth:`privatize_chosen` exchanges the one that the person chooses. Nothing is drawn, and no
        language is refused. **For this machine only**: they say more of the text than a release.
        """
        return call(self._inner.suggest, text_of(text), count)

    @overload
    def privatize_column(self, column: Passing, *, threads: int = 0) -> Released[list[str | None]]: ...
    @overload
    def privatize_column(self, column: Column, *, threads: int = 0) -> Released[Column]: ...
    def privatize_column(self, column: Any, *, threads: int = 0) -> Released[Any]:
        """Exchanges a column of texts of many people, as :meth:`textveil.TextVeil.privatize_column` does: each row is a release
        of its own, nothing is remembered, and **a second call spends again**. Rows of the same person add up.

        Of a list of answers, each row is an answer as the list spells it. Any other text is an error (``invalid-argument``,
        with its ``row``), and so is a missing row: who did not answer would show. Give the list an answer such as "No answer".
        """

        def exchange(part: _native.TextColumn) -> _native.ReleaseColumn:
            return call(self._inner.privatize_column, part, threads)

        def refused_row(part: _native.TextColumn) -> int | None:
            return call(self._inner.refused_row, part)

        return column_of(column, exchange, refused_row)

    def guarantee(self) -> _native.Guarantee:
        """What holds for every release, whatever the text."""
        return self._inner.guarantee()

    def statements(self) -> list[str]:
        """All statements of the list, in order."""
        return self._inner.statements()

    @property
    def list_id(self) -> str:
        """The list's public identity: its SHA-256 in hexadecimal."""
        return self._inner.list_id()

    @property
    def near(self) -> int:
        """How many statements are near to each text."""
        return self._inner.near()

    @staticmethod
    def build(
        lines: Iterable[str],
        encoder: File = ENGLISH_ENCODER,
        *,
        otherwise: str | None = None,
        least_cosine: float | None = None,
    ) -> bytes:
        """The file of a list from its statements, each encoded by a text encoder. The list is public.

        A line that begins with a space or a tab is another phrasing of the statement above it: a text that is near to it comes
        to that statement. Phrasings are never sent.

        ``otherwise`` is the statement for texts that fit nothing: those whose cosine to the nearest statement is below
        ``least_cosine`` (0.35 unless told). ``invalid-vector``: the encoder knows no word of a statement.
        ``bad-statements``: a line breaks a rule. The message of both names the line, from 1, and the rule.
        """
        return call(_native.build_statements, texts_of(lines), contents(encoder), otherwise, least_cosine)

    @staticmethod
    def build_of(
        lines: Iterable[str],
        vectors: Sequence[ArrayLike] | NDArray[Any],
        encoder_id: Buffer,
        *,
        otherwise: str | None = None,
        least_cosine: float | None = None,
    ) -> bytes:
        """The same with the vectors of any other encoder, one for each line. (Needs numpy.)

        ``encoder_id`` names that encoder: any 32 bytes, such as a digest of its model.
        """
        rows, name = [bytes_of(vector) for vector in vectors], memoryview(encoder_id).tobytes()
        return call(_native.build_statements_of, texts_of(lines), rows, name, otherwise, least_cosine)


def texts_of(lines: Iterable[str]) -> list[str]:
    if isinstance(lines, str | bytes):
        raise TypeError("a list of texts is asked for, not one text")
    return [text_of(line) for line in lines]
