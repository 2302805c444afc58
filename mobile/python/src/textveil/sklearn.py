"""A scikit-learn transformer: ``TextVeilPrivatizer().fit_transform(texts)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._options import MechanismName
from ._veil import TextVeil

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import Guarantee


class TextVeilPrivatizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replaces each text by a release of it, as :meth:`textveil.TextVeil.privatize_column` does.

    Takes a column: a list, an array, a series, or a frame that has no other. What comes out is an array of ``str`` of the same
    shape. Learns nothing from the texts. **Each call of ``transform`` draws anew, and spends again**: what is fitted more than once
    (by a grid search, say) is best transformed before, once.

    Parameters
    ----------
    mechanism, level, epsilon, eta, keep_function_words, placeholders : see ``textveil.Options``
    options : dict, the options that are not listed
    veil : the object that draws; a fresh one with the English table unless told
    threads : how many; 0 for as many as the machine has

    Attributes
    ----------
    guarantee_ : the guarantee of a text of one word
    release_guarantee_ : after ``transform``, that of the text with the most words; every text of the call keeps it
    """

    guarantee_: Guarantee
    release_guarantee_: Guarantee

    def __init__(
        self,
        mechanism: MechanismName | None = None,
        level: float | None = None,
        epsilon: float | None = None,
        eta: float | None = None,
        keep_function_words: bool = False,
        placeholders: bool = False,
        options: dict[str, Any] | None = None,
        veil: TextVeil | None = None,
        threads: int = 0,
    ) -> None:
        self.mechanism = mechanism
        self.level = level
        self.epsilon = epsilon
        self.eta = eta
        self.keep_function_words = keep_function_words
        self.placeholders = placeholders
        self.options = options
        self.veil = veil
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> TextVeilPrivatizer:
        """Checks the options; the texts are not looked at."""
        self._name = name_of(X)
        self._veil = self.veil or TextVeil()
        self.guarantee_ = self._veil.guarantee(**self._asked())
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """The releases of the texts."""
        check_is_fitted(self, "guarantee_")
        released = self._veil.privatize_column(only_column(X), threads=self.threads, **self._asked())
        self.release_guarantee_ = released.guarantee
        return np.asarray(released.values, dtype=object).reshape(getattr(X, "shape", -1))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The column's own name; ``text`` if it has none."""
        check_is_fitted(self, "guarantee_")
        return np.asarray([self._name] if input_features is None else input_features, dtype=object)

    def _asked(self) -> Any:
        named = ("mechanism", "level", "epsilon", "eta", "keep_function_words", "placeholders")
        given = {name: getattr(self, name) for name in named}
        return {name: value for name, value in given.items() if value is not None} | (self.options or {})


def only_column(X: Any) -> Any:
    """The column of a frame or a matrix that has one."""
    shape: tuple[int, ...] = getattr(X, "shape", (-1,))
    if len(shape) == 1:
        return X
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError("one column of texts is privatized at a time")
    return X.ravel() if isinstance(X, np.ndarray) else X[X.columns[0]]


def name_of(X: Any) -> str:
    return str(next(iter(getattr(X, "columns", ())), getattr(X, "name", None) or "text"))
