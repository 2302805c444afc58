"""scikit-learn transformers: ``TextVeilPrivatizer().fit_transform(texts)``, and ``StatementsPrivatizer`` for whole texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._columns import Released
from ._errors import TextVeilError
from ._options import MechanismName
from ._owned import Owned
from ._statements import Statements
from ._veil import TextVeil

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from . import Guarantee


class RowMemory(Owned):
    """The releases of one column of one data set, so that each row is drawn once, in however many folds it stands.

    Give it to a transformer: ``TextVeilPrivatizer(memory=RowMemory())``. All clones of the transformer share it. A pandas
    column is needed, because its index says which row is which: **each row of the data set must have a label of its own**.
    A row is drawn once for each setting, so a grid search over ``epsilon`` draws it once for each ε.

    Why this tells no more than one release of each row: what comes out for a row depends on its own text and one draw, never on
    another row's text. All calls together are made of one release for each row, put where the labels say. (To remember by text
    would not do. If a fold has the row of one person and the next fold has the row of another, equal releases would show that
    the two wrote the same.)

    A label that comes back with another text is refused, and so is a label that two rows of a call share: the index does not
    say which row is which then. Texts and releases lie in memory, in plain text, for as long as this object lives. A copy is
    the same memory. It cannot be pickled, nor used by a process that was forked: that one would draw the rows again. Run folds in
    one process, or in its threads (``joblib.parallel_config(backend="threading")``).
    """

    # Out of sight of ``vars``, and of what encodes objects by their attributes.
    __slots__ = ("_drawn", "_lock", "_texts")

    _instead = "another process would draw its rows again: use threads, or set memory=None"

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: dict[Hashable, str | None] = {}
        self._drawn: dict[Hashable, dict[Hashable, tuple[str | None, Guarantee]]] = {}

    def __copy__(self) -> RowMemory:
        return self

    def __deepcopy__(self, copied: Any) -> RowMemory:
        return self

    def released(
        self, column: Any, terms: Hashable, draw: Callable[[list[str | None]], Released[list[str | None]]]
    ) -> Released[list[str | None]]:
        """The releases of a pandas column; only what is new on these terms is drawn."""
        self._own()
        if not hasattr(column, "index") or not hasattr(column, "isna"):
            raise ValueError("a RowMemory needs a pandas column, whose index says which row is which: pandas.Series(texts)")
        labels = list(column.index)
        # A label that is missing, or a part of one, equals no other, nor itself at the next call.
        if column.index.to_frame().isna().any(axis=None) or len({*labels}) < len(labels):
            raise ValueError("the index does not give each row a label of its own: reset_index(drop=True) on the whole data set")
        rows = (None if missing else text for text, missing in zip(column, column.isna(), strict=True))
        texts = dict(zip(labels, rows, strict=True))
        # One call at a time, so that two threads do not draw the same row.
        with self._lock:
            if any(self._texts.get(label, text) != text for label, text in texts.items()):
                raise ValueError("the index gives the label of one row to another: a RowMemory is for one column of one data set")
            known = self._drawn.setdefault(terms, {})
            new = [label for label in labels if label not in known]
            try:
                drawn = draw([texts[label] for label in new])
            except TextVeilError as error:
                error.row = None if error.row is None else labels.index(new[error.row])
                raise
            self._texts.update(texts)
            known.update((label, (value, drawn.guarantee)) for label, value in zip(new, drawn.values, strict=True))
            found = [known[label] for label in labels]
        guarantees = (guarantee for _, guarantee in found)
        return Released([value for value, _ in found], max(guarantees, key=lambda one: one.words, default=drawn.guarantee))


class ColumnPrivatizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the transformers share: one column goes in, and its releases come out."""

    threads: int
    memory: RowMemory | None
    guarantee_: Guarantee
    release_guarantee_: Guarantee
    _clones: Clones
    # Whatever is set for all transformers, what comes out is an array: a vectorizer reads a frame by the names of its columns.
    _sklearn_output_config: dict[str, str] = {"transform": "default"}  # noqa: RUF012 scikit-learn copies it

    def set_output(self, *, transform: str | None = None) -> Self:
        """As scikit-learn has it, for this transformer alone. ``set_config(transform_output=...)`` is not heard here."""
        self._sklearn_output_config = dict(self._sklearn_output_config)
        super().set_output(transform=transform)
        return self

    def _object(self) -> Any:
        """What draws."""
        raise NotImplementedError

    def _asked(self) -> dict[str, Any]:
        """The options of its calls."""
        raise NotImplementedError

    def _terms(self) -> Hashable:
        """What a :class:`RowMemory` tells settings apart by."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        # Of one column.
        tags.input_tags.two_d_array = True
        tags.non_deterministic = True
        tags.requires_fit = False
        # Fitting learns nothing, so that any later column is accepted.
        tags.no_validation = True
        return tags

    def __sklearn_clone__(self) -> ColumnPrivatizer:
        made: ColumnPrivatizer = super().__sklearn_clone__()
        self._clones = made._clones = getattr(self, "_clones", None) or Clones()
        return made

    def fit(self, X: Any, y: Any = None) -> Self:
        """Checks the options and that there is one column; the texts are not looked at."""
        only_column(X)
        if self.memory is None and not hasattr(self, "guarantee_"):
            self._warn_if_a_clone_was_fitted()
        self._name = name_of(X)
        self._veil = self._object()
        self.guarantee_ = self._veil.guarantee(**self._asked())
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """The releases of the texts."""
        if not hasattr(self, "guarantee_"):
            self.fit(X)
        asked = self._asked()

        def draw(texts: Any) -> Any:
            return self._veil.privatize_column(texts, threads=self.threads, **asked)

        column = only_column(X)
        released = draw(column) if self.memory is None else self.memory.released(column, self._terms(), draw)
        self.release_guarantee_ = released.guarantee
        return np.asarray(released.values, dtype=object).reshape(-1, 1).view(Texts)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The column's own name; ``text`` if its name is missing."""
        check_is_fitted(self, "guarantee_")
        return np.asarray([self._name] if input_features is None else input_features, dtype=object)

    def _warn_if_a_clone_was_fitted(self) -> None:
        clones = getattr(self, "_clones", None) or Clones()
        if clones.fitted:
            warnings.warn(
                f"A clone of this {type(self).__name__} was fitted before. Texts that it has drawn are drawn again and spend "
                "again, as in the folds of a cross-validation. Privatize them before the split, or give memory=RowMemory().",
                stacklevel=3,
            )
        clones.fitted = True


class TextVeilPrivatizer(ColumnPrivatizer):
    """Replaces each text by a release of it, as :meth:`textveil.TextVeil.privatize_column` does.

    Takes a column: a list, an array, a series, or a frame that has no other. What comes out is an array of one column. Its rows
    are texts to whatever goes through them, so that a vectorizer may follow, or ``ColumnTransformer`` put it next to others. It is
    an array also under ``set_config(transform_output="pandas")``. After ``set_output`` it is a frame, which no vectorizer reads.

    Learns nothing from the texts, so no fold tells another one anything if the texts are privatized before they are split: the
    simplest way to draw each row once. **Otherwise each call of ``transform`` draws anew, and spends again**, in each fold of a
    cross-validation and for each score. With ``memory`` each row is drawn once there too.

    Parameters
    ----------
    mechanism, level, preset, epsilon, eta, keep_function_words, placeholders : see ``textveil.Options``
    options : dict, the options that are not listed
    veil : the object that draws; by default a fresh one with the English table
    threads : how many; 0 for as many as the machine has
    memory : a :class:`RowMemory`, which draws each row of a data set once; without one, each call draws anew

    Attributes
    ----------
    guarantee_ : the guarantee of a text of one word
    release_guarantee_ : after ``transform``, that of the text with the most words; every text of the call keeps it. With a
        ``memory``, that of the text with the most words in any call that drew some of these.
    """

    def __init__(
        self,
        mechanism: MechanismName | None = None,
        level: float | None = None,
        preset: str | None = None,
        epsilon: float | None = None,
        eta: float | None = None,
        keep_function_words: bool = False,
        placeholders: bool = True,
        options: dict[str, Any] | None = None,
        veil: TextVeil | None = None,
        threads: int = 0,
        memory: RowMemory | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.level = level
        self.preset = preset
        self.epsilon = epsilon
        self.eta = eta
        self.keep_function_words = keep_function_words
        self.placeholders = placeholders
        self.options = options
        self.veil = veil
        self.threads = threads
        self.memory = memory

    def _object(self) -> TextVeil:
        return self.veil or TextVeil()

    def _asked(self) -> dict[str, Any]:
        named = ("mechanism", "level", "preset", "epsilon", "eta", "keep_function_words", "placeholders")
        given = {name: getattr(self, name) for name in named}
        return {name: value for name, value in given.items() if value is not None} | (self.options or {})

    def _terms(self) -> Hashable:
        # The same terms in other words have the same guarantee. It holds all of them but one.
        asked = self._asked()
        return self._veil.guarantee(**asked), bool(asked.get("as_drawn"))


class StatementsPrivatizer(ColumnPrivatizer):
    """Exchanges each text for a statement of a list, as :meth:`textveil.Statements.privatize_column` does.

    All else is as with :class:`TextVeilPrivatizer`: what it takes, what comes out, and when it draws anew.

    Parameters
    ----------
    statements : the :class:`textveil.Statements` that draw
    threads : how many; 0 for as many as the machine has
    memory : a :class:`RowMemory`, which draws each row of a data set once; without one, each call draws anew

    Attributes
    ----------
    guarantee_ : the guarantee of a text
    release_guarantee_ : the same, after ``transform``
    """

    def __init__(self, statements: Statements, threads: int = 0, memory: RowMemory | None = None) -> None:
        self.statements = statements
        self.threads = threads
        self.memory = memory

    def _object(self) -> Statements:
        return self.statements

    def _asked(self) -> dict[str, Any]:
        return {}

    def _terms(self) -> Hashable:
        # It names the list, ε, how many statements are near, and how many come out.
        return self.guarantee_


class Clones:
    """What a transformer and its clones know of each other, in one process."""

    fitted = False
    """Whether one of them was fitted without a memory."""


class Texts(np.ndarray[Any, Any]):
    """A matrix of one column, whose rows are its texts.

    ``ColumnTransformer`` wants a matrix, a vectorizer wants texts one by one, and a transformer cannot know which comes next.
    """

    def __iter__(self) -> Any:
        return iter(self[:, 0].tolist()) if self.ndim == 2 and self.shape[1] == 1 else super().__iter__()


def only_column(X: Any) -> Any:
    """The column of a frame or a matrix that has one."""
    if issparse(X):
        raise TypeError("a sparse matrix holds no texts")
    shape: tuple[int, ...] = getattr(X, "shape", (-1,))
    if len(shape) == 1:
        return X
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError("one column of texts is privatized at a time")
    return X.ravel() if isinstance(X, np.ndarray) else X[X.columns[0]]


def name_of(X: Any) -> str:
    return str(next(iter(getattr(X, "columns", ())), getattr(X, "name", None) or "text"))
