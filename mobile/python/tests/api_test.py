"""What the object keeps its word on: codes, memory, threads, lifetimes."""

from __future__ import annotations

import copy
import dataclasses
import gc
import hashlib
import itertools
import json
import multiprocessing
import pickle
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_overloads, get_type_hints

import numpy as np
import pytest

from conftest import has_seeds, in_a_fork, study, table
from textveil import (
    Budget,
    ContributionNoise,
    Guarantee,
    Ledger,
    Loss,
    Notion,
    Options,
    Release,
    Released,
    Statements,
    TextVeil,
    TextVeilError,
    guarantee_as_dict,
    unpacked,
)
from textveil._generated import fields_of
from textveil._options import BitMechanismName, MechanismName, VectorMechanismName, name_of

TEXT = "The doctor was kind to my mother on Monday."
SECONDS = 10


def code_of(work: object, *arguments: object, **options: object) -> str:
    with pytest.raises(TextVeilError) as refused:
        work(*arguments, **options)  # type: ignore[operator]
    return refused.value.code


def test_the_types_name_every_mechanism_once() -> None:
    assert sorted(get_args(MechanismName)) == sorted(info.name for info in TextVeil().mechanisms())
    assert {*get_args(VectorMechanismName), *get_args(BitMechanismName)} <= {*get_args(MechanismName)}


def test_a_text_is_drawn_once_on_the_same_terms_and_anew_by_a_fresh_object() -> None:
    veil = TextVeil()
    release = veil.privatize(TEXT)
    assert veil.privatize(TEXT).text == release.text
    assert veil.privatize(TEXT.replace("The", "\uff34he")).text == release.text
    assert veil.privatize(TEXT, placeholders=False).text != release.text
    assert pickle.loads(pickle.dumps(veil)).privatize(TEXT).text != release.text


@pytest.mark.parametrize("make", [TextVeil, pytest.param(study, marks=pytest.mark.skipif(not has_seeds(), reason="no seeds"))])
def test_a_field_has_a_release_of_its_own(make: Callable[[], TextVeil]) -> None:
    veil = make()
    fields = [None, "", "comment", "reply"]
    releases = [veil.privatize(TEXT, field=field).text for field in fields]
    assert [veil.privatize(TEXT, field=field).text for field in fields] == releases
    assert len({*releases, veil.privatize(TEXT).text}) == 4
    with pytest.raises(TypeError):
        veil.privatize(TEXT, field=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [TextVeil, pytest.param(study, marks=pytest.mark.skipif(not has_seeds(), reason="no seeds"))])
def test_a_field_has_representations_of_its_own(make: Callable[[], TextVeil]) -> None:
    veil, fields = make(), [None, "", "comment", "reply"]
    ways: list[Callable[[str | None], object]] = [
        lambda field: veil.representation(TEXT, field=field, epsilon=8),
        lambda field: veil.representation(TEXT, field=field, mechanism="oue", epsilon=9),
        lambda field: veil.representation_of([[0.6, 0.8, 0.0]], field=field, epsilon=8),
    ]
    for way in ways:
        drawn = [way(field) for field in fields]
        assert [way(field) for field in fields] == drawn
        assert all(one != other for one, other in itertools.combinations(drawn, 2))
    with pytest.raises(TypeError):
        veil.representation(TEXT, field=7, epsilon=8)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        veil.representation_of([[0.6, 0.8]], field=7, epsilon=8)  # type: ignore[arg-type]


def test_what_a_detector_found_is_taken_out_and_lists_hold() -> None:
    veil, text = TextVeil(), "\N{GRINNING FACE} Anna Meier called TEXTVEIL from 555-1234 or anna@example.org"
    found = [(found.start(), found.end(), "PHONE_NUMBER") for found in re.finditer(r"\d{3}-\d{4}", text)]
    lists = {"keep_words": ["Textveil"], "never_say": ["damn"]}
    release = veil.privatize(text, spans=[(2, 12, "person"), *found], **lists)
    words = release.text.split(" ")
    assert (words[1], words[3], words[5], words[7]) == ("[person]", "Textveil", "[phone-number]", "[email]")
    assert [name_of(item) for item in release.guarantee.clear][-3:] == ["kept-words", "language", "redactions"]
    stated = guarantee_as_dict(release.guarantee)
    assert stated["keptWords"]["words"] == stated["neverSaid"]["words"] == 1
    assert not {"keptWords", "neverSaid"} & guarantee_as_dict(veil.guarantee()).keys()
    hidden = text.replace("Anna Meier", "B")
    moved = [(start - 9, end - 9, kind) for start, end, kind in found]
    assert veil.privatize(hidden, spans=[(2, 3, "person"), *moved], **lists) == release
    assert veil.privatize(text, spans=[]).guarantee != veil.privatize(text).guarantee
    for span in [(0, 0, "a"), (0, 999, "a"), (-1, 2, "a"), (0, 2**70, "a"), (0, 1, "a b")]:
        assert code_of(veil.privatize, text, spans=[span]) == "invalid-span"
    assert code_of(veil.privatize, "\ud83d\ude00 Anna", spans=[(3, 7, "name")]) == "invalid-span"
    assert code_of(veil.privatize, text, keep_words=["New York"]) == "invalid-keep-words"
    assert code_of(veil.privatize, text, keep_words=["a"], never_say=["A"]) == "invalid-never-say"
    with pytest.raises(TypeError):
        veil.privatize(text, keep_words="Textveil")  # type: ignore[arg-type]


def test_bad_input_has_the_cores_codes() -> None:
    veil = TextVeil()
    assert code_of(TextVeil, b"no table") == "bad-table"
    assert code_of(veil.guarantee, epsilon=float("nan")) == "invalid-epsilon"
    assert code_of(veil.guarantee, level=0.5) == "invalid-level"
    assert code_of(veil.guarantee, preset="hidden") == "invalid-level"
    assert code_of(veil.guarantee, mechanism="rot13") == "invalid-mechanism"
    assert code_of(veil.guarantee, calibration="guessed") == "invalid-calibration"
    assert code_of(veil.guarantee, epsilon=10, eta=1) == "invalid-options"
    assert code_of(veil.privatize, "a" * (1 << 20) + "a") == "text-too-long"
    assert code_of(veil.alternatives, "word", k=0) == "invalid-options"
    assert code_of(veil.representation_of, [[0.0, float("nan")]], mechanism="laplace", epsilon=1, clip=1) == "invalid-vector"
    assert code_of(veil.representation, TEXT, mechanism="laplace", epsilon=9, mask=[True], dropout=0.5) == "invalid-options"
    assert code_of(veil.choice, 5, 5, question="q", epsilon=1) == "invalid-argument"
    assert code_of(veil.representation, TEXT, mechanism="laplace", epsilon=9, dropout_size="fixed") == "invalid-options"


def test_a_number_that_the_library_cannot_hold_is_an_invalid_argument() -> None:
    veil, budgets = TextVeil(), {"comment": Budget(epsilon=5.0)}
    assert code_of(veil.choice, -1, 5, question="q", epsilon=1) == "invalid-argument"
    assert code_of(veil.alternatives, "word", k=1 << 40) == "invalid-argument"
    assert code_of(veil.privatize_column, ["kind"], threads=-1) == "invalid-argument"
    assert code_of(Ledger, budgets, None, -1) == "invalid-argument"
    assert code_of(Ledger(budgets).spent, "comment", now=-1) == "invalid-argument"


@pytest.mark.parametrize("wrong", [np.ones(3), [1.0, 2.0, 3.0], np.ones((2, 3, 4)), [np.ones((2, 3))]])
def test_what_is_no_list_of_vectors_is_refused(wrong: object) -> None:
    options = {"mechanism": "gaussian", "epsilon": 4, "delta": 1e-6, "clip": 1}
    with pytest.raises(TextVeilError, match=r"\[vector\]") as refused:
        TextVeil().representation_of(wrong, **options)  # type: ignore[arg-type]
    assert refused.value.code == "invalid-vector"


def test_a_vector_that_is_a_text_is_not_quoted() -> None:
    with pytest.raises(TypeError) as refused:
        TextVeil().representation_of([["xylophonist"]], mechanism="laplace", epsilon=1, clip=1)
    assert "xylophonist" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_mask_may_be_an_array() -> None:
    veil = TextVeil()
    drawn = veil.representation("kind words", mechanism="laplace", epsilon=9, mask=np.array([True, False]))
    assert drawn is not None
    assert code_of(veil.representation, TEXT, mechanism="laplace", epsilon=9, mask=np.array([True])) == "invalid-mask"


def test_a_representation_is_by_privunit2_unless_told() -> None:
    veil, unit = TextVeil(), [[0.6, 0.0, 0.8]]
    drawn = veil.representation("kind words", epsilon=8)
    named = veil.representation("kind words", mechanism="privunit2", epsilon=8)
    assert drawn.guarantee.mechanism == named.guarantee.mechanism
    assert np.array_equal(drawn.vectors, named.vectors)
    theirs = veil.representation_of(unit, epsilon=8).vectors
    assert np.array_equal(veil.representation_of(unit, mechanism="privunit2", epsilon=8, clip=2).vectors, theirs)
    assert code_of(veil.representation, "kind words") == "invalid-epsilon"
    assert code_of(veil.representation_of, unit, mechanism="laplace", epsilon=8) == "invalid-clip"
    assert code_of(veil.representation_of, [[3.0, 4.0, 0.0]], epsilon=8) == "not-normalized"


def test_the_bits_of_a_report_and_of_a_representation_are_told_one_by_one() -> None:
    veil = TextVeil()
    report = veil.choice(2, 11, question="q", epsilon=1)
    assert "".join(str(int(bit)) for bit in unpacked(report)) == "".join(f"{byte:08b}" for byte in report.bits)[:11]
    drawn = veil.representation("kind words", mechanism="oue", epsilon=9, unit="word")
    assert unpacked(drawn).shape == (2, drawn.bit_length)
    assert np.array_equal(np.packbits(unpacked(drawn), axis=-1), drawn.bits)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_table_and_a_stored_ledger_may_be_any_bytes(kind: Callable[[bytes], bytes]) -> None:
    budgets = {"comment": Budget(epsilon=5.0)}
    stored = Ledger(budgets).spend("comment", Loss(epsilon=1.0, delta=0.0), now=0)
    assert Ledger(budgets, kind(stored.bytes), stored.sequence).spent("comment").releases == 1
    assert TextVeil(kind(table("toy.tvt"))).table_id == TextVeil(table("toy.tvt")).table_id
    with pytest.raises(TypeError):
        TextVeil(5)  # type: ignore[arg-type]


def test_a_table_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "toy.tvt"
    file.write_bytes(table("toy.tvt"))
    assert TextVeil(file).table_id == TextVeil(str(file)).table_id == TextVeil(table("toy.tvt")).table_id


@pytest.mark.parametrize("wrong", [None, 7, b"bytes", ["list"]])
def test_what_is_no_text_is_a_type_error(wrong: object) -> None:
    with pytest.raises(TypeError):
        TextVeil().privatize(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"epsilom": 5.0}, {"epsilon": "5"}])
def test_an_option_that_there_is_not_is_a_type_error(options: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        TextVeil().guarantee(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"mechanism": 5}, {"preset": 2}, {"calibration": True}, {"preset": Notion.PURE_DP}])
def test_what_is_no_name_is_a_type_error(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="is a name, or one of"):
        TextVeil().privatize(TEXT, **options)


@pytest.mark.parametrize("span", [(1, 2), (1, 2, "name", 4), 5, "123", ("1", 2, "name")])
def test_what_is_no_span_is_a_type_error(span: Any) -> None:
    with pytest.raises(TypeError):
        TextVeil().privatize(TEXT, spans=[span])


@pytest.mark.parametrize("budgets", [{"comment": 10}, {"comment": {"epsilon": 10}}, [("comment", Budget(epsilon=10))]])
def test_what_is_no_budget_is_a_type_error(budgets: Any) -> None:
    for opened in (Ledger, lambda budgets: Ledger.exhausted(budgets, 0)):
        with pytest.raises(TypeError, match="each to its Budget"):
            opened(budgets)


def test_an_error_of_the_library_has_no_context_that_may_hold_a_text() -> None:
    for work in (lambda: TextVeil().guarantee(epsilon=-1), lambda: TextVeil().choice(-1, 5, question="q", epsilon=1)):
        with pytest.raises(TextVeilError) as refused:
            work()
        assert refused.value.__context__ is None


@pytest.mark.parametrize("kind", [TextVeil, Statements])
def test_a_tuple_of_texts_comes_back_as_a_list_for_a_type_checker_too(kind: type) -> None:
    passing, same = map(get_type_hints, get_overloads(kind.privatize_column))  # type: ignore[attr-defined]
    assert tuple[str | None, ...] in get_args(passing["column"])
    assert passing["return"] == Released[list[str | None]]
    assert get_args(same["return"]) == (same["column"],)


def test_annotations_of_the_calls_can_be_read_at_run_time() -> None:
    calls = (TextVeil.privatize, TextVeil.privatize_column, TextVeil.guarantee, TextVeil.choice, Ledger.spend, Statements.privatize)
    for call in calls:
        assert "return" in get_type_hints(call)
    assert "epsilon" in get_type_hints(Options)


@pytest.mark.parametrize("odd", ["\0", "a\0b", "\ud83d", "\ude00\ud83d x", "\ufeff", ""])
def test_nul_and_lone_surrogates_are_text_like_any_other(odd: str) -> None:
    veil = TextVeil()
    release = veil.privatize(odd)
    assert "\0" not in release.text
    assert release.text.isascii()
    assert veil.privatize(odd).text == release.text


def test_half_a_pair_is_the_replacement_character_and_a_split_pair_is_whole() -> None:
    veil = TextVeil()
    assert veil.privatize("\ud83d").text == veil.privatize("\ufffd").text
    assert veil.privatize("\ud83d\ude00").text == veil.privatize("\U0001f600").text


def test_what_is_for_this_machine_only_is_not_printed() -> None:
    veil = TextVeil()
    release = veil.privatize("xylophonist")
    assert release.account[0].token == "xylophonist"
    shown = [release, release.account, veil.deniability("xylophonist"), veil.alternatives("xylophonist")]
    assert not [one for one in shown if "xylophonist" in f"{one} {one!r}"]


def as_frameworks_do(value: object) -> object:
    """An object as a web framework encodes it: as a mapping, or else as its attributes."""
    return vars(value) if hasattr(value, "__dict__") else str(value)


@pytest.mark.parametrize("leave", [pickle.dumps, lambda release: json.dumps(release, default=as_frameworks_do).encode()])
def test_the_account_does_not_leave_by_an_ordinary_serializer(leave: Callable[[object], bytes]) -> None:
    release = TextVeil().privatize("xylophonist")
    assert b"xylophonist" not in leave(release).replace(release.text.encode(), b"")
    assert not hasattr(release, "__dict__")
    assert release.__getstate__() == {"text": release.text, "guarantee": release.guarantee}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda release: pickle.loads(pickle.dumps(release))])
def test_a_copy_of_a_release_is_what_may_be_sent(copied: Callable[[object], object]) -> None:
    release = TextVeil().privatize(TEXT)
    other = copied(release)
    assert (other.text, other.guarantee, list(other.account)) == (release.text, release.guarantee, [])  # type: ignore[attr-defined]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_and_what_is_inside_are_not_copied(copied: Callable[[object], object]) -> None:
    ledger = Ledger({"comment": Budget(epsilon=5.0)})
    for owned in (ledger, ledger._inner, TextVeil()._inner):
        with pytest.raises(TypeError):
            copied(owned)


def test_a_ledger_is_of_no_use_to_a_process_that_was_forked() -> None:
    opened = Ledger({"comment": Budget(epsilon=5.0)})
    for ledger in (opened, Ledger.exhausted({"comment": Budget(epsilon=5.0)}, 0)):
        spend = partial(ledger.spend, "comment", Loss(epsilon=1.0, delta=0.0))
        for use in (spend, partial(ledger.spent, "comment"), ledger.snapshot):
            assert in_a_fork(use).startswith("TypeError('a Ledger belongs to the process that made it")
    assert opened.spend("comment", Loss(epsilon=5.0, delta=0.0)).sequence == 1


def test_a_release_comes_back_from_another_process() -> None:
    veil = TextVeil()
    releases = [veil.privatize(text) for text in (TEXT, "xylophonist", "")]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        back = list(pool.map(copy.copy, releases))
    assert back == releases
    assert [list(release.account) for release in back] == [[], [], []]


def test_a_short_guarantee_has_a_digest_in_the_place_of_its_english() -> None:
    for options in ({}, {"mechanism": "laplace", "epsilon": 40.5, "clip": 1}, {"mechanism": "metric-laplace", "eta": 4}):
        guarantee = TextVeil().guarantee(**options)
        long, short = guarantee_as_dict(guarantee), json.loads(guarantee.short())
        digest = short.pop("digest")
        assert short == {name: value for name, value in long.items() if name not in {"neighbours", "exactSampler", "statement"}}
        # As JavaScript writes numbers, which here have no exponent or a negative one.
        whole = json.dumps(long, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        whole = re.sub(r"(?<=\d)\.0(?=[,}])", "", re.sub(r"e-0", "e-", whole))
        assert digest == hashlib.sha256(whole.encode()).hexdigest()


def test_a_copy_is_of_its_kind() -> None:
    class Own(TextVeil):
        pass

    assert isinstance(copy.copy(Own()), Own)


def test_results_may_be_compared_with_anything() -> None:
    veil = TextVeil()
    results = [veil.privatize("kind"), veil.guarantee(), veil.levels()[0], veil.choice(1, 5, question="q", epsilon=1)]
    for result in [*results, Budget(epsilon=1.0), Loss(epsilon=1.0, delta=0.0)]:
        assert result == result  # noqa: PLR0124 calls __eq__
        assert result != None  # noqa: E711
        assert result != "text"
    assert veil.guarantee() == veil.guarantee() != veil.guarantee(placeholders=False)


def test_a_release_is_equal_to_another_of_the_same_text_and_guarantee_whatever_its_account() -> None:
    veil = TextVeil()
    release = veil.privatize("xylophonist")
    copied, again = pickle.loads(pickle.dumps(release)), veil.privatize("xylophonist")
    assert len(copied.account) != len(release.account)
    assert release == copied == again
    assert len({release, copied, again}) == 1
    other = Release(release.text, veil.guarantee(placeholders=False))
    assert release != Release(release.text + "s", release.guarantee)
    assert release != other
    assert len({release, other}) == 2
    assert "xylophonist" not in repr(release).replace(release.text, "")


def test_a_release_cannot_be_changed() -> None:
    release = TextVeil().privatize("kind")
    text = release.text
    for change in (lambda: setattr(release, "text", "raw"), lambda: delattr(release, "text")):
        with pytest.raises(AttributeError):
            change()
    assert release.text == text


def everything_given() -> list[object]:
    """One of each kind of record that a call gives, and those inside."""
    veil = TextVeil()
    listed = Statements(Statements.build(["The app crashes.", "I like this app.", "It is late."], otherwise="It is late."))
    release, level = veil.privatize(TEXT), veil.levels()[-1]
    statement = listed.privatize(TEXT)
    spent = Ledger({"a": Budget(epsilon=9e9)})
    published = veil.choice(1, 5, question="q", epsilon=2, mechanism="oue", calibration="published")
    return [
        release,
        release.guarantee,
        release.account[0],
        veil.guarantee(keep_words=["Textveil"]).kept_words,
        statement,
        statement.statements[0],
        level,
        next(level.certificate for level in veil.levels() if level.certificate),
        veil.mechanisms()[0],
        published,
        published.guarantee.claim,
        veil.alternatives("kind"),
        veil.alternatives("kind").distribution[0],
        veil.deniability("kind")[0],
        veil.deniability("kind")[0].deniability,
        ContributionNoise.DEVICES(least=4),
        veil.representation(TEXT, epsilon=8),
        spent.spend("a", release.guarantee),
        spent.spent("a"),
        spent.spent("a").loss,
        Budget(epsilon=1.0),
    ]


@pytest.mark.parametrize("given", everything_given(), ids=lambda given: type(given).__name__)
def test_what_is_given_cannot_be_changed(given: object) -> None:
    names = [*(given.__slots__ if hasattr(given, "__slots__") else vars(given))]
    before = {name: getattr(given, name) for name in names}
    for name in [*names, "another"]:
        with pytest.raises(AttributeError):
            setattr(given, name, None)
        with pytest.raises(AttributeError):
            delattr(given, name)
    for value in before.values():
        changes: list[Callable[[], object]] = []
        if isinstance(value, list):
            changes = [value.clear, value.sort, lambda value=value: value.append(1), lambda value=value: value.__setitem__(0, 1)]
        if isinstance(value, dict):
            changes = [value.clear, value.popitem, lambda value=value: value.update(a=1), lambda value=value: value.__setitem__(0, 1)]
        for change in changes:
            with pytest.raises(TypeError):
                change()
    assert {name: getattr(given, name) for name in names} == before
    assert len({given, given}) == 1
    if not isinstance(given, Release):
        assert copy.deepcopy(given) == copy.copy(given) == pickle.loads(pickle.dumps(given)) == given


@pytest.mark.parametrize(
    "given",
    [given for given in everything_given() if not hasattr(given, "vectors")],
    ids=lambda given: type(given).__name__,
)
def test_no_encoder_takes_a_result_for_an_empty_one(given: Any) -> None:
    assert not dataclasses.is_dataclass(given)
    # What an encoder tries next.
    for attributes in (dict, vars):
        with pytest.raises(TypeError):
            attributes(given)


def test_a_snapshot_is_shown_without_its_bytes() -> None:
    snapshot = Ledger({"a": Budget(epsilon=5.0)}).snapshot()
    assert repr(snapshot) == str(snapshot) == "Snapshot(sequence=0)"


def test_records_and_representations_compare_by_value_and_hash_alike() -> None:
    veil = TextVeil()
    pairs: list[tuple[object, object]] = [
        (veil.guarantee(), veil.guarantee()),
        (veil.guarantee(mechanism="laplace", epsilon=40, clip=1), veil.guarantee(mechanism="laplace", epsilon=40, clip=1)),
        (veil.levels()[0], veil.levels()[0]),
        (veil.mechanisms()[0], veil.mechanisms()[0]),
        (Budget(epsilon=1.0), Budget(epsilon=1.0)),
        (veil.privatize(TEXT).account[0], veil.privatize(TEXT).account[0]),
        (veil.representation(TEXT, epsilon=8), veil.representation(TEXT, epsilon=8)),
        (veil.representation(TEXT, mechanism="oue", epsilon=9), veil.representation(TEXT, mechanism="oue", epsilon=9)),
    ]
    for one, two in pairs:
        assert one is not two
        assert one == two
        assert len({one, two}) == 1
    assert len({one for one, _ in pairs}) == len(pairs)
    assert veil.representation("kind", epsilon=8) != TextVeil().representation("kind", epsilon=8)


def test_an_error_is_all_in_its_message_as_polars_and_spark_keep_no_more() -> None:
    with pytest.raises(TextVeilError) as refused:
        TextVeil().guarantee(epsilon=-1)
    rebuilt = TextVeilError(str(refused.value))
    for error in (rebuilt, pickle.loads(pickle.dumps(rebuilt))):
        assert error.code == "invalid-epsilon"
        assert str(error).startswith("invalid-epsilon: ")


@pytest.mark.skipif(not has_seeds(), reason="the release library does not fail on demand")
def test_a_panic_is_an_error_and_shows_no_text_here_or_on_the_console() -> None:
    code = """
from textveil import TextVeil, TextVeilError
from textveil._errors import call
try:
    call(TextVeil()._inner.fail_with, "xylophonist")
except TextVeilError as error:
    print(error.code, error, sep="\\n")
try:
    TextVeil()._inner.fail_with("xylophonist")
except Exception as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.splitlines() == [
        "internal",
        "internal: textveil has failed; nothing was released",
        "textveil has failed; nothing was released",
    ]
    assert "seeded.rs:" in run.stderr
    assert "xylophonist" not in run.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted otherwise")
def test_a_column_is_drawn_where_the_system_gives_no_more_threads() -> None:
    code = """
import os, resource, threading
from textveil import TextVeil
veil = TextVeil()
if os.getuid() == 0:
    # For whom nothing is limited.
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print(len(veil.privatize_column(["kind words"] * 100, threads=8).values))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("100\n", "")


def test_a_guarantee_is_json_by_the_names_of_javascript() -> None:
    guarantee = guarantee_as_dict(TextVeil().guarantee(mechanism="laplace", epsilon=40, clip=1))
    assert guarantee["mechanism"] == "laplace"
    assert guarantee["parameters"] == {"clip": 1.0}
    assert guarantee["clear"] == ["word-count", "punctuation", "white-space", "placeholders", "language"]
    assert guarantee["epsilonWord"] == guarantee["epsilonText"] <= 40


def test_a_ledger_goes_on_from_its_snapshot_and_refuses_what_is_beyond_the_budget() -> None:
    budgets = {"comment": Budget(epsilon=5.0, period=60)}
    ledger = Ledger(budgets)
    snapshot = ledger.spend("comment", Loss(epsilon=3.0, delta=0.0), now=0)
    again = Ledger(budgets, snapshot.bytes, snapshot.sequence)
    assert again.spent("comment", now=59).loss.epsilon == 3.0
    assert code_of(again.spend, "comment", Loss(epsilon=3.0, delta=0.0), now=59) == "budget-exhausted"
    assert code_of(again.spend, "comment", TextVeil().guarantee(), now=60) == "budget-exhausted"
    assert again.spend("comment", Loss(epsilon=3.0, delta=0.0), now=60).sequence == 2
    assert code_of(Ledger, budgets, None, 1) == "bad-ledger"
    assert code_of(Ledger.exhausted(budgets, 1, now=0).spend, "comment", Loss(epsilon=0.0, delta=0.0), now=0) == "budget-exhausted"


def test_a_guarantee_that_was_made_up_is_neither_sent_nor_booked() -> None:
    stated = TextVeil().privatize(TEXT).guarantee
    made_up = Guarantee(**fields_of(stated) | {"epsilon_word": 0.001, "epsilon_text": 0.003})
    ledger = Ledger({"comment": Budget(epsilon=1)})
    assert code_of(made_up.short) == "invalid-options"
    assert code_of(ledger.spend, "comment", made_up) == "invalid-options"
    assert code_of(Guarantee(**fields_of(stated) | {"table": "none"}).short) == "invalid-options"
    assert ledger.spent("comment").releases == 0
    assert Guarantee(**fields_of(stated)).short() == stated.short()


@pytest.mark.parametrize("wrong", [None, 1.0, "comment", (1.0, 0.0)])
def test_only_a_guarantee_or_a_loss_is_booked(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"release\.guarantee"):
        Ledger({"comment": Budget(epsilon=1)}).spend("comment", wrong)  # type: ignore[arg-type]


def test_eight_threads_hammer_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    veil, deadline = TextVeil(), time.monotonic() + SECONDS
    releases: list[dict[int, str]] = [{} for _ in range(8)]

    def hammer(seen: dict[int, str]) -> None:
        number = 0
        while time.monotonic() < deadline:
            release = veil.privatize(f"Nurse number {number} was kind to my mother.").text
            assert seen.setdefault(number, release) == release
            number += 1

    threads = [threading.Thread(target=hammer, args=(seen,)) for seen in releases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(min(map(len, releases))):
        assert len({seen[number] for seen in releases}) == 1
    calls = sum(map(len, releases))
    assert min(map(len, releases)) > 0
    with capsys.disabled():
        print(f"\n8 threads, one object: {calls / SECONDS:.0f} calls a second")


@pytest.mark.parametrize(("times", "draw"), [(10_000, False), (300, True)], ids=["unused", "used"])
def test_ten_thousand_objects_come_and_go_and_leave_nothing(times: int, draw: bool) -> None:
    def cycle(times: int) -> int:
        for _ in range(times):
            veil = TextVeil()
            if draw:
                veil.privatize("kind")
        gc.collect()
        return resident()

    before = cycle(times // 10)
    # One that was used holds more than 100 kB, one that was not a few hundred bytes.
    assert cycle(times) - before < (10 << 20 if draw else 1 << 20)


def resident() -> int:
    """Bytes of memory that this process holds now; at its most, where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.skipif(not has_seeds(), reason="the release library cannot be seeded")
def test_a_study_repeats_itself() -> None:
    assert study().privatize(TEXT).text == study().privatize(TEXT).text
    assert study().privatize(TEXT).text != study(bytes(32)).privatize(TEXT).text
