"""Whole texts: golden vectors, what is drawn once, columns, and the list and the encoder."""

from __future__ import annotations

import copy
import pickle
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import textveil.polars
from api_test import code_of
from columns_test import KINDS, ROWS, SEEDED, as_list
from conftest import ROOT, list_file, recipe, statements_study, table, vectors
from textveil import Guarantee, Notion, Statement, StatementRelease, Statements, TextVeilError, Unit
from textveil._statements import ENGLISH_ENCODER
from textveil._veil import bytes_of
from textveil.sklearn import RowMemory, StatementsPrivatizer

LINES = ["The app crashes.", "The app is good.", "The delivery was late.", "The price is high."]
CASES = vectors("statements")["releases"]
SMALL = 0.1
"""An ε at which every statement comes out."""


def asked(case: dict[str, Any]) -> Statements:
    """What a case asks for. The list ``own`` was made with an encoder of an app's own."""
    encoder = None if case["list"] == "own" else table("encoder.tvt")
    options = {"epsilon": case["epsilon"], "near": case["near"], "per_sentence": case["releases"]}
    return Statements(list_file(case["list"]), encoder, **options)


def plain(**options: Any) -> Statements:
    return Statements(list_file("plain"), table("encoder.tvt"), **{"epsilon": SMALL, "per_sentence": 32} | options)


@SEEDED
def test_a_text_is_exchanged_for_the_references_statements_with_its_guarantee() -> None:
    identities = {one["name"]: one["id"] for one in vectors("statements")["lists"]}
    for case in CASES:
        statements, seed = asked(case), bytes.fromhex(case["seed"])
        if case["list"] == "own":
            release = statements._inner.privatize_vectors_seeded([bytes_of(vector) for vector in case["vectors"]], seed)
        else:
            release = statements._inner.privatize_seeded(case["text"], seed)
        assert [one.number for one in release.statements] == case["statements"], case
        assert [one.text for one in release.statements] == [statements.statements()[number] for number in case["statements"]]
        assert release.text == " ".join(one.text for one in release.statements)
        assert (statements.near, statements.list_id) == (case["usual_near"], identities[case["list"]])
        guarantee = release.guarantee
        assert (guarantee.unit, guarantee.notion) == (Unit.WHOLE_TEXT, Notion.KNOWN_SEED)
        assert (guarantee.words, guarantee.epsilon_word, guarantee.table) == (case["releases"], case["epsilon"], statements.list_id)


@SEEDED
def test_texts_and_vectors_are_remembered_by_the_references_keys() -> None:
    for case in CASES:
        inner, rows = asked(case)._inner, [bytes_of(vector) for vector in case["vectors"]]
        assert inner.key(case["text"], case["field"]) == case["key"], case
        assert inner.vectors_key(rows, case["field"]) == case["vector_key"], case


@pytest.mark.parametrize("wrong", ["no", 0, None])
def test_any_language_is_true_or_false(wrong: Any) -> None:
    with pytest.raises(TypeError, match="any_language is True or False"):
        Statements(list_file("plain"), table("encoder.tvt"), any_language=wrong)


def test_a_list_of_answers_has_its_own_defaults_and_needs_no_encoder() -> None:
    question = Statements(ROOT / "tests/data/answers.tvs")
    answer = question.privatize_chosen("", [2])
    assert (answer.guarantee.epsilon_text, question.near, answer.guarantee) == (2, 1, question.guarantee())
    assert answer.text in question.statements()
    assert code_of(question.privatize, "Never") == "other-encoder"


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_answers_is_drawn_row_by_row_and_has_one_in_each(kind: str) -> None:
    question = Statements(ROOT / "tests/data/answers.tvs", epsilon=1)
    released = question.privatize_column(KINDS[kind](["Never"] * 200))
    assert set(as_list(released.values)) == set(question.statements()), "each row is drawn for itself"
    assert released.guarantee == question.guarantee()
    for other in ("", "never", None):
        with pytest.raises(TextVeilError) as refused:
            question.privatize_column(KINDS[kind](["Never", other]))
        assert (refused.value.code, refused.value.row) == ("invalid-argument", 1)


def test_an_error_of_the_callers_own_lines_stays_what_it_is(tmp_path: Path) -> None:
    def lines() -> Any:
        yield LINES[0]
        raise ValueError("my own")

    with pytest.raises(ValueError, match=r"^my own$"):
        Statements.build(lines())
    file = tmp_path / "latin.txt"
    file.write_bytes("Das Café schließt.".encode("latin-1"))
    with file.open(encoding="utf-8") as opened, pytest.raises(UnicodeDecodeError):
        Statements.build(opened)
    with pytest.raises(ValueError, match="null"):
        Statements.build(LINES, "a\0b")


@pytest.mark.parametrize("case", vectors("statements")["refusals"])
def test_what_is_out_of_range_has_the_references_code(case: dict[str, Any]) -> None:
    assert code_of(asked, case) == case["code"]


@pytest.mark.parametrize("case", vectors("statements")["lists"])
def test_a_list_of_given_vectors_is_the_references_byte_for_byte(case: dict[str, Any]) -> None:
    file = bytes.fromhex(case["file"])
    statements = Statements(file, None).statements()
    number, _, least = struct.unpack_from("<IId", file, 80)
    otherwise = {"otherwise": statements[number], "least_cosine": least} if number < len(statements) else {}
    rows = np.frombuffer(file, "i1", 3 * len(statements), 96).reshape(-1, 3)
    assert Statements.build_of(statements, rows.astype(np.float32), file[16:48], **otherwise) == file


def test_a_list_of_lines_is_built_and_each_line_comes_to_itself() -> None:
    encoder = table("encoder.tvt")
    statements = Statements(Statements.build((f"{line}\n" for line in LINES), encoder), encoder, epsilon=20)
    assert statements.statements() == LINES
    assert [statements.privatize(line.upper()).text for line in LINES] == LINES
    with_rule = Statements.build(LINES, encoder, otherwise=LINES[3], least_cosine=1)
    assert {Statements(with_rule, encoder, epsilon=20).privatize("late late app").text} == {LINES[3]}


def test_what_is_no_list_of_statements_is_refused() -> None:
    encoder = table("encoder.tvt")
    assert code_of(Statements.build, [], encoder) == "bad-statements"
    assert code_of(Statements.build, ["good"], encoder) == "bad-statements"
    assert code_of(Statements.build, ["good", "good"], encoder) == "bad-statements"
    assert code_of(Statements.build, ["good", ""], encoder) == "bad-statements"
    assert code_of(Statements.build, ["good", "Lieferung"], encoder) == "invalid-vector"
    assert code_of(Statements.build, LINES, b"no table") == "bad-table"
    assert code_of(Statements.build, LINES, table("toy.tvt")) == "other-encoder"
    assert code_of(Statements.build, LINES, encoder, otherwise="Another.") == "invalid-argument"
    assert code_of(Statements.build, LINES, encoder, least_cosine=0.5) == "invalid-options"
    assert code_of(Statements.build, LINES, encoder, otherwise=LINES[0], least_cosine=2) == "bad-statements"
    assert code_of(Statements.build_of, LINES, np.ones((3, 2)), bytes(32)) == "dimension-mismatch"
    assert code_of(Statements.build_of, LINES, np.zeros((4, 2)), bytes(32)) == "invalid-vector"
    assert code_of(Statements.build_of, LINES, np.ones((4, 2)), bytes(31)) == "invalid-argument"
    for lines, rule in (
        (["good", "late", "good"], "line 3: a statement appears twice"),
        (["good", "\n"], "line 2: a statement is empty"),
        (["good", "Lieferung"], "line 2: its vector is null"),
        ([" good", "late"], "line 1: another phrasing"),
    ):
        with pytest.raises(TextVeilError, match=rule):
            Statements.build(lines, encoder)
    for wrong in ("one text", b"bytes", [1, 2], None):
        with pytest.raises(TypeError):
            Statements.build(wrong, encoder)  # type: ignore[arg-type]


def test_the_package_brings_the_english_encoder() -> None:
    assert ENGLISH_ENCODER.read_bytes() == (ROOT / "tables/data/english-text.tvt").read_bytes()
    lines = (ROOT / "statements/product-feedback.txt").read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    told = [line for line in lines if not line.startswith(" ")]
    file = Statements.build(lines, otherwise=told[-1])
    assert file == (ROOT / "statements/product-feedback.tvs").read_bytes()
    statements = Statements(file, epsilon=20)
    assert sum(statements.privatize(line).text == line for line in told) >= 0.9 * len(told)
    assert statements.privatize("Wwkjq xzqw.").text == told[-1]
    assert pickle.loads(pickle.dumps(statements)).privatize("Wwkjq xzqw.").text == told[-1]
    assert len(pickle.dumps(statements)) < 100_000
    assert Statements(ROOT / "statements/product-feedback.tvs").statements() == told


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, str, Path])
def test_a_list_and_an_encoder_are_bytes_or_a_path(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    files = {"list.tvs": list_file("plain"), "encoder.tvt": table("encoder.tvt")}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    statements, encoder = (kind(tmp_path / name if kind in (str, Path) else content) for name, content in files.items())
    assert Statements(statements, encoder).list_id == plain().list_id
    with pytest.raises(FileNotFoundError):
        Statements(tmp_path / "missing.tvs")
    for wrong in (7, ["list"], None):
        with pytest.raises(TypeError):
            Statements(wrong)  # type: ignore[arg-type]


def test_bad_files_and_another_lists_encoder_are_refused_at_once() -> None:
    file = list_file("plain")
    for damaged in (b"", file[:-1], bytes(200), file.replace(b"good", b"bad!")):
        assert code_of(Statements, damaged, table("encoder.tvt")) == "bad-statements"
    assert code_of(Statements, file, b"no table") == "bad-table"
    assert code_of(Statements, file, table("toy.tvt")) == "other-encoder"
    assert code_of(Statements, file) == "other-encoder"
    assert code_of(Statements, list_file("own"), table("encoder.tvt")) == "other-encoder"
    assert code_of(plain, epsilon=float("nan")) == "invalid-epsilon"
    assert code_of(plain, near=-1) == code_of(plain, per_sentence=-1) == "invalid-argument"


def test_bad_input_has_the_cores_codes() -> None:
    own, plain_ones = Statements(list_file("own"), None), plain()
    assert code_of(own.privatize, "good") == "other-encoder"
    assert code_of(own.privatize_column, ["good"]) == "other-encoder"
    assert code_of(own.privatize_vectors, [[1.0, float("nan"), 0.0]]) == "invalid-vector"
    assert code_of(own.privatize_vectors, np.ones((1, 2))) == "dimension-mismatch"
    assert code_of(own.privatize_vectors, np.ones((2, 3))) == "invalid-argument"
    assert code_of(own.privatize_vectors, np.ones(3)) == "invalid-vector"
    assert own.privatize_vectors([]).text in own.statements()
    for chosen in ([len(own.statements())], [-1], [1 << 32], [0, 0]):
        assert code_of(own.privatize_chosen, "", chosen) == "invalid-argument"
    assert own.privatize_chosen("", []).text in own.statements()
    assert code_of(own.suggest, "good") == "other-encoder"
    for count in (0, -1, 1001):
        assert code_of(plain_ones.suggest, "good", count=count) == "invalid-argument"
    for call in (plain_ones.privatize, plain_ones.suggest, lambda text: plain_ones.privatize_chosen(text, [0])):
        assert code_of(call, "a" * (1 << 20) + "a") == "text-too-long"
    for wrong in (None, 7, b"bytes", ["list"]):
        with pytest.raises(TypeError):
            plain_ones.privatize(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            plain_ones.suggest(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            plain_ones.privatize_chosen(wrong, [0])  # type: ignore[arg-type]
    for chosen in (None, 1, "1", [1.5], plain_ones.suggest("good")):
        with pytest.raises(TypeError):
            plain_ones.privatize_chosen("good", chosen)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        plain_ones.privatize("good", field=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("odd", ["", "\0", "\ud83d", "\ude00\ud83d x", "Приложение"])
def test_what_the_encoder_does_not_know_is_text_like_any_other(odd: str) -> None:
    statements = plain()
    release = statements.privatize(odd)
    assert len(release.statements) == 32
    assert statements.privatize(odd) == release


@pytest.mark.parametrize("make", [plain, pytest.param(lambda: statements_study(epsilon=SMALL, per_sentence=32), marks=SEEDED)])
def test_a_text_is_drawn_once_and_anew_for_another_field_and_so_are_vectors_and_choices(make: Callable[[], Statements]) -> None:
    statements, fields = make(), [None, "", "comment", "reply"]
    ways: list[Callable[[str | None], StatementRelease]] = [
        lambda field: statements.privatize("good", field=field),
        lambda field: statements.privatize_vectors(np.array([[1, 2, 3]]), field=field),
        lambda field: statements.privatize_chosen("good", [1], field=field),
        lambda field: statements.privatize_chosen("good", (np.uint32(2), 1), field=field),
        lambda field: statements.privatize_chosen("late", [1], field=field),
    ]
    releases = [way(field) for way in ways for field in fields]
    assert [way(field) for way in ways for field in fields] == releases
    assert len({release.text for release in releases}) == 20
    assert statements.privatize("\uff47ood") == releases[0]


@SEEDED
def test_what_was_chosen_follows_from_the_seed_in_a_study() -> None:
    study, again = statements_study(epsilon=SMALL, per_sentence=32), statements_study(epsilon=SMALL, per_sentence=32)
    for field in (None, "", "comment"):
        assert study.privatize_chosen("good", [1, 0], field=field) == again.privatize_chosen("good", [1, 0], field=field)


def test_a_choice_has_the_guarantee_of_a_text_of_any_language() -> None:
    statements, alone = plain(any_language=True), Statements(list_file("plain"), None, epsilon=SMALL, per_sentence=32)
    guarantees = {one.privatize_chosen("good", [0]).guarantee for one in (statements, alone, plain())}
    assert guarantees == {statements.privatize("good").guarantee}
    assert plain().guarantee() not in guarantees


def test_a_choice_comes_to_itself_at_a_large_epsilon() -> None:
    statements = Statements(list_file("plain"), None, epsilon=20, per_sentence=2)
    for number, line in enumerate(statements.statements()):
        first, second = statements.privatize_chosen("", [number, 0]).statements
        assert (first.text, second.number) == (line, 0)


def test_suggestions_have_what_was_typed_first_and_the_statement_for_all_else_last() -> None:
    encoder = table("encoder.tvt")
    statements = Statements(Statements.build(LINES, encoder, otherwise=LINES[2]), encoder)
    for number in (0, 1, 3):
        found = statements.suggest(LINES[number].upper(), count=2)
        assert (len(found), found[0]) == (3, Statement(number=number, text=LINES[number]))
        assert found[2] == Statement(number=2, text=LINES[2])
        assert {one.text for one in statements.suggest(LINES[number])} == {*LINES}
    assert [one.number for one in statements.suggest("Приложение")] == [2]
    assert [one.number for one in statements.suggest("\uff27ood")] == [one.number for one in statements.suggest("good")]
    english = Statements(ROOT / "statements/product-feedback.tvs")
    german = "Der Kundendienst hat mir drei Tage lang nicht geantwortet."
    assert code_of(english.privatize, german) == "other-language"
    assert len(english.suggest(german)) == 6


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_of_the_same_terms_and_forgets(copied: Callable[[Statements], Statements]) -> None:
    class Own(Statements):
        pass

    statements = plain()
    statements.privatize("good")
    other = copied(statements)
    assert other.guarantee() == statements.guarantee()
    assert other.privatize("good").text != statements.privatize("good").text
    assert type(copy.copy(Own(list_file("own"), None))) is Own
    with pytest.raises(TypeError):
        copied(statements._inner)  # type: ignore[arg-type]


def test_results_compare_by_value_and_print_what_may_be_sent() -> None:
    statements = plain()
    release, again = statements.privatize("good"), pickle.loads(pickle.dumps(statements.privatize("good")))
    assert release == again != plain().privatize("Приложение")
    assert len({release, again}) == 1
    assert str(release) == release.text
    assert isinstance(release.guarantee, Guarantee)
    assert release.statements[0] == Statement(number=release.statements[0].number, text=release.statements[0].text)
    assert release.guarantee == statements.guarantee()
    assert "ε = 0.1" in plain(per_sentence=1).guarantee().describe()


def test_eight_threads_see_one_release_of_each_text() -> None:
    statements = plain()
    seen: list[list[str]] = [[] for _ in range(8)]

    def ask(texts: list[str]) -> None:
        texts += [statements.privatize(f"delivery {number}").text for number in range(200)]

    threads = [threading.Thread(target=ask, args=(texts,)) for texts in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen[0]) == 200
    assert all(texts == seen[0] for texts in seen)


@SEEDED
@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_any_kind_is_what_the_plain_call_makes_of_its_rows(kind: str) -> None:
    plain_ones = statements_study()
    expected = [None if row is None else plain_ones.privatize(row).text for row in ROWS]
    released = statements_study().privatize_column(KINDS[kind](ROWS))
    assert as_list(released.values) == expected
    assert released.guarantee == plain_ones.privatize("good").guarantee


@SEEDED
@pytest.mark.parametrize("threads", [1, 2, 7, 64])
def test_a_column_does_not_depend_on_the_threads(threads: int) -> None:
    assert statements_study().privatize_column(ROWS, threads=threads) == statements_study().privatize_column(ROWS)


def test_equal_rows_are_drawn_each_for_itself_and_nothing_is_remembered() -> None:
    statements, rows = plain(), ["good"] * 50
    first, second = statements.privatize_column(rows).values, statements.privatize_column(rows).values
    assert len({*first, *second}) == 100


@pytest.mark.parametrize("column", [pd.Series, pa.array, pl.Series, list])
def test_a_row_that_is_too_long_fails_the_column_and_is_named(column: Callable[[list[str]], Any]) -> None:
    with pytest.raises(TextVeilError) as refused:
        plain().privatize_column(column(["good", "", "Xanthippe " + "a" * (1 << 20)]))
    assert (refused.value.code, refused.value.row) == ("text-too-long", 2)
    assert "Xanthippe" not in str(refused.value)


@SEEDED
def test_the_polars_expression_is_the_column() -> None:
    frame = pl.DataFrame({"review": ROWS}, schema={"review": pl.String})
    released = frame.lazy().with_columns(textveil.polars.privatize("review", veil=statements_study())).collect()
    assert released["review"].to_list() == statements_study().privatize_column(ROWS).values
    with pytest.raises(TypeError):
        textveil.polars.privatize("review", veil=plain(), epsilon=4)


TEXTS = pd.Series(["The app crashes.", "Good price.", "It is not good.", "A good app."] * 6, name="review")
STARS = [1, 5, 1, 5] * 6


@SEEDED
def test_the_transformer_fits_into_a_pipeline() -> None:
    study = statements_study()
    transformer = clone(StatementsPrivatizer(study))
    assert list(transformer.fit_transform(TEXTS)) == list(study.privatize_column(TEXTS).values)
    assert transformer.guarantee_ == study.guarantee()
    assert transformer.release_guarantee_.words == 4
    assert list(transformer.get_feature_names_out()) == ["review"]


def test_a_model_learns_from_statements() -> None:
    encoder = table("encoder.tvt")
    statements = Statements(Statements.build(LINES, encoder), encoder, epsilon=20)
    model = make_pipeline(StatementsPrivatizer(statements), HashingVectorizer(n_features=64), LogisticRegression())
    assert model.fit(["crashing app", "high price"] * 20, [0, 1] * 20).score(["the app crashes", "the price is high"], [0, 1]) == 1


def test_with_a_memory_each_row_is_drawn_once_over_the_folds() -> None:
    memory = RowMemory()
    model = make_pipeline(StatementsPrivatizer(plain(), memory=memory), HashingVectorizer(n_features=64), LogisticRegression())
    cross_val_score(model, TEXTS, STARS, cv=3, error_score="raise")
    first = list(StatementsPrivatizer(plain(), memory=memory).fit_transform(TEXTS))
    assert list(StatementsPrivatizer(plain(), memory=memory).fit_transform(TEXTS)) == first
    assert len({*first}) == len(TEXTS)
    other = StatementsPrivatizer(plain(near=1), memory=memory).fit_transform(TEXTS)
    assert not {*other} & {*first}
    with pytest.warns(UserWarning, match="A clone of this StatementsPrivatizer was fitted before"):
        cross_val_score(model.set_params(statementsprivatizer__memory=None), TEXTS, STARS, cv=3, error_score="raise")


def test_the_readmes_first_recipe_works(capsys: pytest.CaptureFixture[str]) -> None:
    exec(recipe("otherwise=lines[-1]"), {})
    text, guarantee = capsys.readouterr().out.splitlines()
    assert text in recipe("otherwise=lines[-1]")
    assert "at most e^8.00 times as likely" in guarantee


def test_the_readmes_recipe_for_a_choice_works() -> None:
    names: dict[str, Any] = {}
    exec(recipe("otherwise=lines[-1]"), names)
    exec(recipe("privatize_chosen("), names)
    assert names["picked"].text == "The delivery was late."
    assert [one.text for one in names["shown"]][-1] == names["lines"][-1]
    assert names["release"].text in names["lines"]
    assert names["release"].guarantee == names["statements"].guarantee()
