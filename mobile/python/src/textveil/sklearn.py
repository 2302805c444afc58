"""A scikit-learn transformer: ``TextVeilPrivatizer().fit_transform(texts)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, TransformerMixin

from ._options import MechanismName
from ._veil import TextVeil

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import Guarantee


class TextVeilPrivatizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replaces each text by a release of it, as :meth:`textveil.TextVeil.privatize_column` does.

    Learns nothing from the texts. **Each call of ``transform`` draws anew, and spends again**: what is fitted more than once
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

    def fit(self, X: Sequence[str], y: Any = None) -> TextVeilPrivatizer:
        """Checks the options; the texts are not looked at."""
        self._veil = self.veil or TextVeil()
        self.guarantee_ = self._veil.guarantee(**self._asked())
        return self

    def transform(self, X: Sequence[str]) -> NDArray[Any]:
        """The releases of the texts, as an array of ``str``."""
        import numpy as np
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "guarantee_")
        released = self._veil.privatize_column(list(X), threads=self.threads, **self._asked())
        self.release_guarantee_ = released.guarantee
        return np.array(released.values, dtype=object)

    def _asked(self) -> Any:
        named = ("mechanism", "level", "epsilon", "eta", "keep_function_words", "placeholders")
        given = {name: getattr(self, name) for name in named}
        return {name: value for name, value in given.items() if value is not None} | (self.options or {})
