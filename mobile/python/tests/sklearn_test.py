"""The transformer: what it fits into, scikit-learn's own checks, and that a row is drawn once over the folds."""

from __future__ import annotations

import copy
import pickle
import threading
import time
import warnings
from collections import Counter
from typing import Any, ClassVar

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import textveil.sklearn
from columns_test import ROWS, SEEDED
from conftest import in_a_fork, list_file, recipe, study, table
from textveil import Statements, TextVeil, TextVeilError
from textveil.sklearn import RowMemory, StatementsPrivatizer, TextVeilPrivatizer

EXCHANGING = Statements(list_file("plain"), table("encoder.tvt"))
FRAME = pd.DataFrame({"review": ["kind words", "a bad film"], "stars": [5, 1]})


@SEEDED
def test_the_transformer_fits_into_a_pipeline() -> None:
    texts = [row for row in ROWS if row]
    transformer = clone(TextVeilPrivatizer(epsilon=12.0, veil=study()))
    released = transformer.fit_transform(texts)
    assert list(released) == study().privatize_column(texts, epsilon=12.0).values
    assert transformer.guarantee_.epsilon_word <= 12.0
    assert transformer.release_guarantee_.words == 9
    for vectorizer in (CountVectorizer(), TfidfVectorizer(), HashingVectorizer()):
        expected = clone(vectorizer).fit_transform(study().privatize_column(texts).values)
        for column in (texts, pd.Series(texts), np.array(texts), np.array(texts, dtype=object)):
            counts = make_pipeline(TextVeilPrivatizer(veil=study()), clone(vectorizer)).fit_transform(column)
            assert (counts != expected).nnz == 0


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
@pytest.mark.parametrize("column", ["review", ["review"]], ids=["a name", "a list of one name"])
def test_a_column_transformer_takes_one_name_or_a_list_of_one(column: str | list[str], output: str) -> None:
    columns = ColumnTransformer([("private", TextVeilPrivatizer(), column)], remainder="passthrough").set_output(transform=output)
    released = columns.fit_transform(FRAME)
    assert released.shape == (2, 2)
    assert list(columns.get_feature_names_out()) == ["private__review", "remainder__stars"]
    rows = released if output == "default" else released.to_numpy()
    assert [len(text.split()) for text in rows[:, 0]] == [2, 3]
    assert list(rows[:, 1]) == [5, 1]
    if output != "default":
        assert list(released.columns) == ["private__review", "remainder__stars"]


def test_a_column_transformer_takes_a_place_in_an_array_and_a_vectorizer_behind() -> None:
    columns = ColumnTransformer([("private", TextVeilPrivatizer(), 0)])
    assert columns.fit_transform(FRAME.to_numpy()).shape == (2, 1)
    counted = make_pipeline(TextVeilPrivatizer(), HashingVectorizer(n_features=64))
    assert ColumnTransformer([("private", counted, "review")]).fit_transform(FRAME).shape == (2, 64)


def test_the_transformer_takes_one_column_of_any_kind_and_keeps_its_name() -> None:
    missing = TextVeilPrivatizer().fit_transform(pd.Series(["kind", None]))
    assert missing.shape == (2, 1)
    assert pd.isna(missing[1, 0])
    names = FRAME[["review"]]
    for column in (names, names.to_numpy(), pl.DataFrame(names.to_dict("list")), FRAME["review"], list(FRAME["review"])):
        released = TextVeilPrivatizer().fit_transform(column)
        assert released.shape == (2, 1)
        assert [len(text.split()) for text in released] == [2, 3]
    assert TextVeilPrivatizer().fit_transform(pl.Series(["kind words"])).shape == (1, 1)
    assert TextVeilPrivatizer().fit_transform(pl.Series(["kind words"], dtype=pl.Categorical)).shape == (1, 1)
    assert TextVeilPrivatizer().fit_transform(pa.array(["kind words"])).shape == (1, 1)
    alone = TextVeilPrivatizer().set_output(transform="pandas").fit_transform(FRAME["review"])
    assert list(alone.columns) == ["review"]
    assert list(TextVeilPrivatizer().fit(["kind"]).get_feature_names_out()) == ["text"]
    with pytest.raises(TypeError):
        TextVeilPrivatizer().fit_transform("one text")
    for two in (FRAME, FRAME.to_numpy()):
        with pytest.raises(ValueError, match="one column"):
            TextVeilPrivatizer().fit(two)


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
@pytest.mark.parametrize("make", [TextVeilPrivatizer, lambda: StatementsPrivatizer(EXCHANGING)], ids=["words", "statements"])
def test_a_vectorizer_reads_the_texts_whatever_is_set_for_all_transformers(make: Any, output: str) -> None:
    texts = pd.Series(["kind words", "a bad film", "the food was cold"], name="review")
    with config_context(transform_output=output):
        for vectorizer in (TfidfVectorizer(), CountVectorizer()):
            counts = make_pipeline(make(), vectorizer).fit_transform(texts)
            assert counts.shape[0] == 3
            assert "review" not in vectorizer.get_feature_names_out()
        beside = ColumnTransformer([("private", make(), "review")], remainder="passthrough")
        released = beside.fit_transform(pd.DataFrame({"review": texts, "stars": [1, 2, 3]}))
    assert released.shape == (3, 2)
    assert output == "default" or list(released.columns) == ["private__review", "remainder__stars"]


def test_an_output_that_is_set_for_one_transformer_is_its_own() -> None:
    one, other = TextVeilPrivatizer().set_output(transform="pandas"), TextVeilPrivatizer()
    assert isinstance(one.fit_transform(FRAME["review"]), pd.DataFrame)
    assert isinstance(clone(one).fit_transform(FRAME["review"]), pd.DataFrame)
    assert isinstance(other.fit_transform(FRAME["review"]), np.ndarray)


class OfNumbers(TextVeilPrivatizer):
    """Writes out the numbers that scikit-learn's checks give, so that the checks come to what happens with texts."""

    def transform(self, X: Any) -> Any:
        return super().transform(np.asarray(X).astype(str).astype(object))


ONE_DIMENSIONAL = "the check reads a second dimension of X, which it has itself taken away"
FAILS_FOR_ANY = {
    "check_dont_overwrite_parameters": ONE_DIMENSIONAL,
    "check_f_contiguous_array_estimator": ONE_DIMENSIONAL,
    "check_transformer_general": ONE_DIMENSIONAL,
    "check_fit2d_1sample": ONE_DIMENSIONAL,
    "check_fit2d_1feature": ONE_DIMENSIONAL,
    "check_dict_unchanged": ONE_DIMENSIONAL,
    "check_estimator_sparse_array": ONE_DIMENSIONAL,
}
NUMBERS = "the check gives numbers for texts, which are refused"
FAILS_FOR_TEXTS = FAILS_FOR_ANY | {
    "check_fit_score_takes_y": NUMBERS,
    "check_estimators_dtypes": NUMBERS,
    "check_estimators_pickle": NUMBERS,
    "check_transformer_preserve_dtypes": NUMBERS,
    "check_transformers_unfitted_stateless": NUMBERS,
    "check_fit_idempotent": NUMBERS,
}
FAILS_FOR_NUMBERS = FAILS_FOR_ANY | {
    "check_estimators_pickle": "the check subtracts the texts that come out from each other",
    "check_fit_idempotent": "the check subtracts the texts that come out from each other",
    "check_transformer_preserve_dtypes": "texts are objects, whatever goes in",
}


@parametrize_with_checks(
    [TextVeilPrivatizer(threads=1), OfNumbers(threads=1), StatementsPrivatizer(EXCHANGING)],
    expected_failed_checks=lambda estimator: FAILS_FOR_NUMBERS if isinstance(estimator, OfNumbers) else FAILS_FOR_TEXTS,
    xfail_strict=True,
)
def test_scikit_learns_own_checks_pass_where_they_apply(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="A clone of this")
        check(estimator)


def test_the_tags_say_what_the_transformer_is() -> None:
    tags = TextVeilPrivatizer().__sklearn_tags__()
    taken = {name for name in tags.input_tags.__slots__ if getattr(tags.input_tags, name)}
    assert taken == {"one_d_array", "two_d_array", "string"}
    assert tags.non_deterministic
    assert tags.no_validation
    assert not tags.requires_fit
    assert TextVeilPrivatizer().transform(["kind words"]).shape == (1, 1)


class Counted(TextVeil):
    """Counts the rows that are drawn, over all copies."""

    drawn: ClassVar[Counter[str]] = Counter()

    def privatize_column(self, column: Any, **options: Any) -> Any:
        Counted.drawn.update(text for text in column if isinstance(text, str))
        return super().privatize_column(column, **options)


@pytest.fixture
def drawn() -> Counter[str]:
    Counted.drawn = Counter()
    return Counted.drawn


TWICE = [
    "The waiter was kind.",
    "A bad film.",
    "The doctor was kind to my mother on Monday, and to her sister.",
    "Never again, so cold.",
    "Lovely place.",
] * 6
"""Each text is written by six people."""
STARS = [5, 1, 5, 1, 5] * 6


def reviews() -> pd.Series:
    return pd.Series(TWICE, name="review", index=[f"row {n}" for n in range(len(TWICE))])


def learner(**options: Any) -> Pipeline:
    return make_pipeline(TextVeilPrivatizer(veil=Counted(), **options), HashingVectorizer(n_features=64), LogisticRegression())


@pytest.mark.parametrize("threads", [1, 2])
def test_with_a_memory_each_row_is_drawn_once_over_the_folds(drawn: Counter[str], threads: int) -> None:
    with joblib.parallel_config(backend="threading"):
        scores = cross_val_score(learner(memory=RowMemory()), reviews(), STARS, cv=5, n_jobs=threads, error_score="raise")
    assert len(scores) == 5
    assert drawn == Counter(TWICE)


def test_the_memory_reaches_through_a_column_transformer(drawn: Counter[str]) -> None:
    private = make_pipeline(TextVeilPrivatizer(memory=RowMemory(), veil=Counted()), HashingVectorizer(n_features=64))
    model = make_pipeline(ColumnTransformer([("text", private, "review")]), LogisticRegression())
    cross_val_score(model, reviews().to_frame(), STARS, cv=3, error_score="raise")
    assert drawn == Counter(TWICE)


def test_without_a_memory_each_fold_draws_anew_and_says_so(drawn: Counter[str]) -> None:
    with pytest.warns(UserWarning, match="drawn again and spend again"):
        cross_val_score(learner(), reviews(), STARS, cv=5, error_score="raise")
    assert drawn == {text: 5 * times for text, times in Counter(TWICE).items()}


def test_texts_that_are_privatized_before_the_split_are_drawn_once(drawn: Counter[str]) -> None:
    released = TextVeilPrivatizer(veil=Counted()).fit_transform(reviews())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(make_pipeline(HashingVectorizer(n_features=64), LogisticRegression()), released, STARS, cv=5)
    assert drawn == Counter(TWICE)


def test_the_readmes_recipe_draws_each_row_once_for_each_use(drawn: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textveil.sklearn, "TextVeil", Counted)
    frame = pd.DataFrame({"review": TWICE, "stars": STARS})
    exec(recipe("RowMemory"), globals() | {"frame": frame})
    assert drawn == {text: 3 * times for text, times in Counter(TWICE).items()}


def test_a_memory_gives_a_row_its_release_again_and_equal_rows_releases_of_their_own() -> None:
    original, texts = TextVeilPrivatizer(memory=RowMemory()), reviews()
    releases: dict[str, set[str]] = {label: set() for label in texts.index}
    for train, test in KFold(5, shuffle=True, random_state=7).split(texts):
        transformer = clone(original)
        for part, transform in ((texts.iloc[train], transformer.fit_transform), (texts.iloc[test], transformer.transform)):
            for label, release in zip(part.index, transform(part), strict=True):
                releases[label].add(release)
    assert {len(seen) for seen in releases.values()} == {1}
    mothers = [release for label, text in texts.items() if "mother" in text for release in releases[label]]
    assert len({*mothers}) == len(mothers) == 6


def test_a_memory_takes_options_that_are_lists(drawn: Counter[str]) -> None:
    memory = RowMemory()
    for word in ("doctor", "doctor", "mother"):
        TextVeilPrivatizer(memory=memory, veil=Counted(), options={"keep_words": [word]}).fit_transform(reviews())
    assert drawn == {text: 2 * times for text, times in Counter(TWICE).items()}


def test_a_memory_knows_terms_in_other_words(drawn: Counter[str]) -> None:
    memory = RowMemory()
    for options in ({}, {"mechanism": "nearest"}, {"preset": "balanced"}, {"epsilon": 9}, {"options": {"as_drawn": False}}):
        TextVeilPrivatizer(memory=memory, veil=Counted(), **options).fit_transform(reviews())
    assert drawn == Counter(TWICE)
    TextVeilPrivatizer(memory=memory, veil=Counted(), options={"as_drawn": True}).fit_transform(reviews())
    assert drawn == {text: 2 * times for text, times in Counter(TWICE).items()}
    fitted = TextVeilPrivatizer(memory=memory, veil=Counted()).fit(reviews())
    fitted.set_params(epsilon=12.0).transform(reviews())
    assert drawn == {text: 3 * times for text, times in Counter(TWICE).items()}


def test_a_search_draws_each_row_once_for_each_setting(drawn: Counter[str]) -> None:
    grid = {"textveilprivatizer__epsilon": [12.0, 20.0], "textveilprivatizer__placeholders": [False, True]}
    GridSearchCV(learner(memory=RowMemory()), grid, cv=3, error_score="raise").fit(reviews(), STARS)
    assert drawn == {text: 4 * times for text, times in Counter(TWICE).items()}


def test_a_memory_refuses_rows_that_their_labels_do_not_tell_apart(drawn: Counter[str]) -> None:
    transformer, texts = TextVeilPrivatizer(memory=RowMemory(), veil=Counted()), reviews()
    for column in (TWICE, np.array(TWICE, dtype=object), pl.Series(TWICE), pa.array(TWICE)):
        with pytest.raises(ValueError, match="pandas"):
            transformer.fit_transform(column)
    gap = float("nan")
    of_parts = pd.MultiIndex.from_tuples([("y", 1), ("y", gap)])
    for index in (["a", "a"], [1.0, gap], pd.to_datetime(["2026-01-01", None]), of_parts, pd.array([1, None], dtype="Int64")):
        with pytest.raises(ValueError, match="label of its own"):
            transformer.fit_transform(pd.Series(["kind", "kind"], index=index))
    assert not drawn
    transformer.fit_transform(texts[:3])
    before = Counter(drawn)
    for other in ("Another person's words.", None):
        with pytest.raises(ValueError, match="one column of one data set") as refused:
            transformer.transform(pd.Series([other, "new"], index=["row 0", "row 99"]))
        assert "words" not in str(refused.value)
    assert drawn == before
    assert list(transformer.transform(texts[:3])) == list(transformer.transform(texts[:3]))
    assert drawn == before


def test_a_memory_keeps_gaps_and_an_upper_bound_of_the_guarantee() -> None:
    transformer = TextVeilPrivatizer(memory=RowMemory())
    texts = pd.Series(["kind", None, "The doctor was kind", ""], index=[3, 1, 4, 5])
    released = transformer.fit_transform(texts[:2])
    assert [pd.isna(text) for text in released] == [False, True]
    assert transformer.release_guarantee_.words == 1
    again = transformer.transform(texts)
    assert again[0, 0] == released[0, 0]
    assert transformer.release_guarantee_.words == 4
    assert len(transformer.transform(texts[:0])) == 0


def test_a_row_that_is_refused_is_named_and_nothing_is_remembered() -> None:
    transformer = TextVeilPrivatizer(memory=RowMemory())
    transformer.fit_transform(pd.Series(["kind"], index=[1]))
    with pytest.raises(TextVeilError) as refused:
        transformer.transform(pd.Series(["new", "kind", "a" * (1 << 20) + "a"], index=[0, 1, 2]))
    assert (refused.value.code, refused.value.row) == ("text-too-long", 2)
    assert list(transformer.transform(pd.Series(["never drawn"], index=[0])))


def test_two_threads_do_not_draw_the_same_row(drawn: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    unhurried = Counted.privatize_column
    monkeypatch.setattr(Counted, "privatize_column", lambda *of, **options: (time.sleep(0.05), unhurried(*of, **options))[1])
    transformer = TextVeilPrivatizer(memory=RowMemory(), veil=Counted()).fit(reviews())
    threads = [threading.Thread(target=transformer.transform, args=(reviews(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawn == Counter(TWICE)


def test_a_copy_of_a_memory_is_the_memory_and_none_is_pickled() -> None:
    memory = RowMemory()
    transformer = TextVeilPrivatizer(memory=memory)
    assert copy.copy(memory) is memory
    assert clone(transformer).memory is copy.deepcopy(transformer).memory is memory
    for held in (memory, transformer, make_pipeline(transformer)):
        with pytest.raises(TypeError, match="memory=None"):
            pickle.dumps(held)
    with pytest.raises(TypeError, match="memory=None"):
        memory.__getstate__()
    assert "memory=None" in in_a_fork(lambda: transformer.fit_transform(pd.Series(["kind words"])))
    transformer.fit_transform(pd.Series(["xylophonist"]))
    stored = pickle.dumps(transformer.set_params(memory=None))
    assert b"xylophonist" not in stored
    assert pickle.loads(stored).transform(["kind words"]).shape == (1, 1)
    assert "xylophonist" not in f"{memory!r} {TextVeilPrivatizer(memory=memory)!r}"
    assert not hasattr(memory, "__dict__")


def test_processes_of_their_own_are_refused_with_a_memory(drawn: Counter[str]) -> None:
    with pytest.raises(pickle.PicklingError) as refused:
        cross_val_score(learner(memory=RowMemory()), reviews(), STARS, cv=2, n_jobs=2, error_score="raise")
    assert "a RowMemory belongs to the process that made it" in repr(refused.getrepr(chain=True)) + str(refused.value.__cause__)
    assert not drawn
