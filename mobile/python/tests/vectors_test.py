"""The golden vectors, held against the Python package: the same claims as ``tests/node/vectors.mjs``."""

from __future__ import annotations

import base64
import enum
import math
import re
import sys
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from conftest import ENGLISH, has_seeds, table, vectors, veil
from textveil import (
    BitRepresentation,
    Calibration,
    Claim,
    ContributionNoise,
    Contributor,
    Guarantee,
    InTheClear,
    Mechanism,
    Metric,
    Notion,
    Parameter,
    TextVectors,
    TextVeil,
    TextVeilError,
    Unit,
    VectorRepresentation,
    _native,
)
from textveil._generated import fields_of
from textveil._options import case_of, detected, guarantee_as_dict, name_of, record
from textveil._veil import as_arrays, bytes_of

pytestmark = pytest.mark.skipif(not has_seeds(), reason="the release library cannot be seeded")

CALIBRATED = 1e-5
"""What is searched for is found to within this share of it."""


@pytest.mark.parametrize("file", ["release", "release_english"])
def test_a_seeded_release_is_the_references_word_for_word_with_its_guarantee_and_account(file: str) -> None:
    words = {good["file"]: good["words"] for good in vectors("table")["good"]}
    for case in vectors(file)["cases"]:
        release = seeded(case, _native.Options, "privatize_seeded", unicodedata.normalize("NFKC", case["text"]))
        guarantee = release.guarantee
        assert release.text == case["release"]
        assert [{"notion": name_of(guarantee.notion), "statement": guarantee.statement}] == vectors("release")["known_seed"]
        assert (guarantee.words, guarantee.epsilon_word, guarantee.epsilon_text) == (
            case["private_tokens"],
            case["epsilon_word"],
            case["epsilon_text"],
        )
        for entry, expected in zip(release.account, case["account"], strict=True):
            assert (entry.token, name_of(entry.kind)) == (expected["token"], expected["kind"])
            assert entry.clear == (expected["fate"] != "private")
            if expected["fate"] == "placeholder":
                assert (entry.output, entry.written) == (None, None)
                continue
            if case["table"] in words:
                assert entry.output == words[case["table"]][expected["out"]]
                assert entry.written == words[case["table"]][expected["written"]]
            else:
                # The English table's words are not in the vectors; they are lower case, and only their first letter is raised.
                assert entry.written == expected["emitted"][:1].lower() + expected["emitted"][1:]
            if expected["fate"] == "private" and case["table"] in words:
                assert name_of(entry.found) == expected["found"]
                row = expected["row"]
                assert entry.input == (None if row is None else words[case["table"]][row])
                assert entry.kept == (expected["row"] == expected["written"])


def test_a_text_is_split_into_the_references_pieces() -> None:
    for case in vectors("pipeline")["cases"]:
        pieces = [(piece.kind and name_of(piece.kind), piece.text) for piece in veil("odd.tvt")._inner.split(case["text"])]
        assert pieces == [(piece.get("kind"), piece.get("layout", piece.get("token"))) for piece in case["pieces"]]


def test_a_requested_epsilon_becomes_the_references_eta_and_epsilon_again() -> None:
    for case in vectors("mechanism")["epsilon"]:
        guarantee = veil(case["table"]).guarantee(mechanism=case["mechanism"], epsilon=case["epsilon"])
        assert (guarantee.eta, guarantee.epsilon_word) == (case["eta"], case["epsilon_word"])


def test_a_good_table_is_read_identity_and_levels() -> None:
    for case in vectors("table")["good"]:
        levels = veil(case["file"]).levels()
        # The identity is the checksum that the file itself carries.
        assert veil(case["file"]).table_id == table(case["file"])[32:64].hex()
        found = [
            (name_of(level.mechanism), level.eta, level.retention, level.retention_by_frequency)
            for level in levels
            if level.certificate is None and name_of(level.mechanism) != "nearest"
        ]
        assert found == [
            (level["mechanism"], level["eta"], level["retention_uniform"], level["retention_by_frequency"])
            for level in case.get("levels") or []
        ]
        certificates = [fields_of(level.certificate) for level in levels if level.certificate is not None]
        assert certificates == (case.get("certificates") or {"levels": []})["levels"]


def test_a_bad_table_is_refused() -> None:
    for case in vectors("table")["bad"]:
        assert code_of(lambda case=case: TextVeil(base64.b64decode(case["bytes"]))) == case["error"]


def test_eta_and_epsilon_out_of_range_are_refused_those_on_the_edge_are_not() -> None:
    for case in vectors("errors")["privacy"]:
        # Strings, because JSON knows no NaN and no infinity.
        strength = {name: float(case[name]) for name in ("eta", "epsilon") if name in case}
        found = code_of(lambda case=case, strength=strength: veil(case["table"]).guarantee(mechanism="exponential", **strength))
        assert found == case["error"], case


def test_every_mechanism_for_words_draws_the_references_one_after_the_other_from_one_keystream() -> None:
    for case in vectors("mechanisms")["cases"]:
        assert seeded(case, _native.Options, "draw_seeded", case["inputs"]) == case["outputs"], case["mechanism"]


def test_every_mechanism_for_words_has_the_references_guarantee() -> None:
    for case in vectors("mechanisms")["cases"]:
        [expected] = [guarantee for guarantee in case["guarantees"] if guarantee["words"] == 1]
        assert_promised(veil(case["table"]).guarantee(**options_of(case)), expected, case)


def test_every_representation_is_the_references_with_its_guarantee() -> None:
    representations = vectors("representations")
    for case in [*representations["cases"], *representations["whole_texts"]]:
        if "encoder" in case:
            drawn = of_encoder(case).representation_seeded(case["text"], bytes.fromhex(case["seed"]))
        elif "vectors" in case:
            rows = [bytes_of(vector) for vector in case["vectors"]]
            drawn = seeded(case, _native.RepresentationOptions, "representation_of_seeded", rows)
        else:
            drawn = seeded(case, _native.RepresentationOptions, "representation_seeded", case["text"])
        found = as_arrays(drawn)
        assert_promised(found.guarantee, case["guarantee"], case)
        assert found.guarantee.notion == Notion.KNOWN_SEED
        if isinstance(found, BitRepresentation):
            assert [digits(row.tobytes(), found.bit_length) for row in found.bits] == case["bits"]
        else:
            assert isinstance(found, VectorRepresentation)
            expected = np.array([[case["scale"] * step for step in row] for row in case["integers"]]).reshape(found.vectors.shape)
            # The length of a unit vector is calibrated; every other step is exact.
            margin = CALIBRATED if case["mechanism"] == "privunit2" else 0.0
            assert np.all(np.abs(found.vectors - expected) <= margin * np.abs(found.vectors)), case["mechanism"]


def test_every_choice_is_reported_as_by_the_reference_with_its_guarantee_and_claim() -> None:
    for case in vectors("choices")["cases"]:
        asked = record(_native.ChoiceOptions, options_of(case))
        drawn = veil(ENGLISH)._inner.choice_seeded(case["value"], case["size"], asked, bytes.fromhex(case["seed"]))
        assert digits(drawn.bits, drawn.bit_length) == case["bits"]
        assert_promised(drawn.guarantee, case["guarantee"], case)
        assert name_of(drawn.guarantee.unit) == "value"
        assert drawn.guarantee.notion == Notion.KNOWN_SEED
        claim = drawn.guarantee.claim
        assert (claim and {name: getattr(claim, name) for name in ("epsilon", "delta", "holds")}) == case["claim"]


def test_a_release_is_remembered_by_the_references_key() -> None:
    keys = vectors("keys")
    for case in keys["words"]:
        shown = {name: case[name] for name in ("keep_function_words", "placeholders", "plain_layout", "as_drawn")}
        asked = record(_native.Options, options_of(case) | shown)
        assert veil(case["table"])._inner.key(case["text"], asked, case["field"]) == case["key"], case
    for case in keys["texts"]:
        asked = record(_native.RepresentationOptions, options_of(case))
        assert veil(case["table"])._inner.representation_key(case["text"], asked, case["field"]) == case["key"], case
    for case in keys["vectors"]:
        asked = record(_native.RepresentationOptions, options_of(case))
        rows = [bytes_of(vector) for vector in case["vectors"]]
        assert veil(ENGLISH)._inner.representation_of_key(rows, asked, case["field"]) == case["key"], case
    for case in keys["whole_texts"]:
        assert of_encoder(case).key(case["text"], case["field"]) == case["key"], case
    for case in keys["choices"]:
        asked = record(_native.ChoiceOptions, options_of(case))
        found = veil(ENGLISH)._inner.choice_key(case["value"], case["size"], case["question"], asked)
        assert found == case["key"], case


def test_a_release_without_what_a_detector_found_is_the_references() -> None:
    for case in vectors("redaction")["cases"]:
        shown = dict(case["options"])
        lists = {"keep_words": case["keep_words"], "never_say": case["never_say"]}
        asked = record(_native.Options, {"mechanism": "exponential", "eta": case["eta"]} | shown | lists)
        found = None if case["spans"] is None else detected(case["text"], case["spans"])
        drawn = veil(case["table"])._inner.privatize_seeded(case["text"], asked, bytes.fromhex(case["seed"]), found)
        assert (drawn.text, drawn.guarantee.words) == (case["release"], case["private_tokens"]), case
        assert [entry.token for entry in drawn.account] == [entry["token"] for entry in case["account"]]
        promised = guarantee_as_dict(drawn.guarantee)
        assert promised["clear"] == case["clear"]
        stated = {"kept_words": promised.get("keptWords"), "never_said": promised.get("neverSaid")}
        assert stated == {name: case[name] for name in stated}


def test_spans_and_lists_that_are_none_are_refused() -> None:
    for case in vectors("redaction")["refusals"]:
        spans = case["spans"] and [tuple(span) for span in case["spans"]]
        lists = {"keep_words": case["keep_words"], "never_say": case["never_say"]}
        found = code_of(lambda case=case, spans=spans, lists=lists: veil(case["table"]).privatize(
            case["text"], spans=spans, mechanism="exponential", eta=1.0, any_language=True, **lists))
        assert found == case["error"], case


def test_what_cannot_be_a_choice_is_refused_what_just_can_is_not() -> None:
    for case in vectors("choices")["refused"]:
        found = code_of(lambda case=case: veil(ENGLISH).choice(case["value"], case["size"], question="q", **options_of(case)))
        assert found == case["error"], case


def test_what_a_mechanism_cannot_do_for_words_is_refused_what_it_just_can_is_not() -> None:
    for case in vectors("refusals")["words"]:
        assert code_of(lambda case=case: veil(case["table"]).privatize("", **options_of(case))) == case["error"], case


def test_what_a_mechanism_cannot_do_for_the_representation_of_a_text_is_refused_what_it_just_can_is_not() -> None:
    for case in vectors("refusals")["texts"]:
        found = code_of(lambda case=case: veil(case["table"]).representation(case["text"], **options_of(case)))
        assert found == case["error"], case


def test_what_a_mechanism_cannot_do_with_vectors_is_refused_what_it_just_can_is_not() -> None:
    for case in vectors("refusals")["vectors"]:
        rows = [[float(x) for x in vector] for vector in case["vectors"]]
        found = code_of(lambda case=case, rows=rows: veil(ENGLISH).representation_of(rows, **options_of(case)))
        assert found == case["error"], case


def test_what_cannot_represent_a_whole_text_is_refused_what_just_can_is_not() -> None:
    for case in vectors("refusals")["whole_texts"]:
        # The object has one mechanism, and no dropout.
        if case["mechanism"] == "privunit2" and case["dropout"] is None and set(case["options"]) == {"epsilon"}:
            given = {"epsilon": float(case["options"]["epsilon"]), "dims": case["dims"]}
            found = code_of(lambda case=case, given=given: TextVectors(table(case["encoder"]), **given).representation(""))
            assert found == case["error"], case


def test_a_text_is_refused_one_byte_beyond_the_limit() -> None:
    for case in vectors("errors")["texts"]:
        text = case["unit"] * case["times"]
        found = code_of(lambda text=text: TextVeil(table("odd.tvt")).privatize(text, mechanism="exponential", eta=1))
        assert found == case["error"], case["unit"]


def test_a_text_of_another_language_is_refused_unless_any_language_is_asked_for() -> None:
    for case in vectors("release_english")["languages"]:
        for any_language, expected in ((False, case["error"]), (True, None)):
            asked = {"mechanism": "exponential", "eta": 2, "any_language": any_language}
            found = code_of(lambda case=case, asked=asked: veil(case["table"]).privatize(case["text"], **asked))
            assert found == expected, case["text"]


def test_a_device_answers_the_references_integers_once_with_its_guarantee() -> None:
    requests = {asked["name"]: asked for asked in vectors("contributions")["requests"]}
    for case in vectors("contributions")["cases"]:
        asked = requests[case["request"]]
        contributor = Contributor(asked["request"], table(asked["table"]), trusted_sum=True)
        given = contributor._inner.contribute_seeded(case["texts"], case["epsilon"], bytes.fromhex(case["seed"]))
        assert given.vector == case["vector"], case["texts"]
        assert (given.id, given.bits, given.largest) == (asked["id"], asked["bits"], asked["largest"])
        assert math.isclose(given.guarantee.rho, case["rho"], rel_tol=1e-9)
        promised, is_drawn = contributor.guarantee(epsilon=case["epsilon"]), given.guarantee.noise != ContributionNoise.SUM()
        # A device draws noise from the known seed only where devices add it.
        assert (given.guarantee == promised, given.guarantee.known_seed) == (not is_drawn, is_drawn)
        assert ("protects nothing" in given.guarantee.statement) == is_drawn
        assert code_of(lambda contributor=contributor: contributor.contribute([])) == "already-contributed"


def test_a_request_that_breaks_a_rule_and_a_budget_above_the_requests_are_refused_as_by_the_reference() -> None:
    for case in vectors("contributions")["refused"]:
        text, epsilon = case["unit"] * case["times"], case["epsilon"] and float(case["epsilon"])
        device = partial(Contributor, case["request"], table(case["table"]), trusted_sum=True)
        found = code_of(lambda d=device, t=text, e=epsilon: d().contribute([t], epsilon=e))
        assert found == case["error"], case["request"]


def test_a_guarantee_is_described_as_by_the_reference_in_every_language() -> None:
    for case in vectors("describe")["cases"]:
        guarantee = guarantee_of(case["guarantee"])
        assert {locale: guarantee.describe(locale) for locale in ("en", "de", "fr", "es")} == {
            locale: told for locale, told in case.items() if locale != "guarantee"
        }
        assert guarantee.describe() == case["en"]


def guarantee_of(one: dict[str, Any]) -> Guarantee:
    """A guarantee from JSON."""
    fields = {re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name): value for name, value in one.items()}
    kinds: list[tuple[str, type[enum.Enum]]] = [("mechanism", Mechanism), ("calibration", Calibration), ("notion", Notion)]
    for name, cases in [*kinds, ("unit", Unit), ("metric", Metric)]:
        fields[name] = fields[name] and case_of(cases, fields[name], "")
    fields["clear"] = [case_of(InTheClear, name, "") for name in fields["clear"]]
    fields["claim"] = fields["claim"] and Claim(**fields["claim"])
    kebab = {re.sub("([A-Z])", r"-\1", name).lower(): value for name, value in fields["parameters"].items()}
    fields["parameters"] = {case_of(Parameter, name, ""): value for name, value in kebab.items()}
    return Guarantee(**fields)


def options_of(case: dict[str, Any]) -> Any:
    """The options of a vector, by their names in Python. Numbers may be strings, because JSON knows no NaN and no infinity."""
    named = {"lambda": "lambda_"}
    options = case["options"] or {}
    asked = {
        named.get(name, name): value if isinstance(value, bool) or name in ("calibration", "preset") else float(value)
        for name, value in options.items()
    }
    asked |= {name: case[name] for name in ("mechanism", "unit") if name in case}
    asked |= {name: float(case[name]) for name in ("eta", "clip") if name in case}
    dropout = case.get("dropout") or {}
    if "mask" in dropout:
        asked["mask"] = dropout["mask"]
    for name, size in (("bernoulli", "random"), ("fixed", "fixed")):
        if name in dropout:
            asked |= {"dropout": float(dropout[name]), "dropout_size": size}
    return asked


def of_encoder(case: dict[str, Any]) -> _native.TextVectors:
    return _native.TextVectors(table(case["encoder"]), epsilon=case["options"]["epsilon"], dims=case["dims"])


def seeded(case: dict[str, Any], kind: type, method: str, drawn_from: Any) -> Any:
    """What the method draws from the keystream of the vector's seed."""
    native = veil(case.get("table") or ENGLISH)._inner
    return getattr(native, method)(drawn_from, record(kind, options_of(case)), bytes.fromhex(case["seed"]))


def code_of(work: Callable[[], object]) -> str | None:
    """The code of the error that the work raises, if it does."""
    try:
        work()
    except TextVeilError as error:
        return error.code
    return None


def digits(packed: bytes, length: int) -> str:
    return "".join(f"{byte:08b}" for byte in packed)[:length]


def assert_promised(found: Guarantee, expected: dict[str, Any], case: dict[str, Any]) -> None:
    """The numbers of a guarantee are the reference's, to the vectors' accuracy; it knows not all of them."""
    sampled = case["mechanism"] in ("gaussian", "truncated-laplace") and case["options"].get("calibration") == "published"
    for name in ("words", "epsilon_word", "delta_word", "epsilon_text", "delta_text"):
        if expected[name] is None:
            continue
        share = CALIBRATED if sampled else 2e-8
        if name == "delta_text":
            # It grows with e^(ε of the text).
            share *= 1 + found.epsilon_text
        margin = share * expected[name] + sys.float_info.epsilon
        assert math.isclose(getattr(found, name), expected[name], rel_tol=0, abs_tol=margin), (name, case)
