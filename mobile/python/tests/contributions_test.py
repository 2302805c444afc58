"""Contributions to new words, and their sum: what a caller of the package sees."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from conftest import in_a_fork, table
from textveil import Budget, ContributionNoise, Contributor, Ledger, Loss, Sum, TextVeil, TextVeilError

TEXTS = ["The bloop is broken, and my zorp never came.", "A zorp is a warm drink of milk and honey."]


def request(**changes: Any) -> str:
    terms = {"table": TextVeil().table_id, "dims": 8, "window": 5, "mean": [0] * 8, "words": ["bloop", "zorp"], "wordsEach": 60}
    return json.dumps(terms | {"norm": 4096, "noise": {"by": "sum"}, "epsilon": 3, "delta": 1e-6} | changes)


def code_of(refused: pytest.ExceptionInfo[TextVeilError]) -> str:
    return refused.value.code


def test_contributions_are_added_up_and_the_sum_is_shown_under_noise_once() -> None:
    total = Sum(request())
    exact = [0] * 16
    for text in TEXTS:
        contributor = Contributor(request(), trusted_sum=True)
        given = contributor.contribute([text], epsilon=1.0)
        assert (given.id, given.guarantee.epsilon, len(given.vector)) == (contributor.id, 1.0, 16)
        assert "protects nobody" in given.guarantee.statement
        for printed in (str(given), repr(given), f"{given}"):
            assert given.id in printed and str(given.vector[:3])[:-1] not in printed and "vector: [" not in printed
        total.add(given.vector)
        exact = [a + b for a, b in zip(exact, given.vector, strict=True)]
    for vector, code in (([0] * 15, "dimension-mismatch"), ([4097] + [0] * 15, "norm-exceeded"), ([2**31] * 16, "invalid-argument")):
        with pytest.raises(TextVeilError) as refused:
            total.add(vector)
        assert code_of(refused) == code
    released = total.release()
    # σ is about 6,700.
    assert released != exact and all(abs(a - b) < 100_000 for a, b in zip(released, exact, strict=True))
    for use in (total.release, lambda: total.add(exact)):
        with pytest.raises(TextVeilError) as refused:
            use()
        assert code_of(refused) == "already-released"


def test_with_noise_by_the_devices_no_bare_contribution_leaves_and_nobody_else_adds_noise() -> None:
    with pytest.raises(TextVeilError) as refused:
        Contributor(request(noise={"by": "devices", "least": 10_001}))
    assert code_of(refused) == "noise-elsewhere"
    asked = request(noise={"by": "devices", "least": 4})
    given = Contributor(asked).contribute([])
    assert any(given.vector) and max(map(abs, given.vector)) <= given.largest < 2**given.bits
    assert given.guarantee.noise == ContributionNoise.DEVICES(least=4)
    with pytest.raises(TextVeilError) as refused:
        Sum(asked)
    assert code_of(refused) == "noise-elsewhere"


def test_a_request_is_answered_once_and_a_contributor_is_not_copied() -> None:
    contributor = Contributor(request(), trusted_sum=True)
    with pytest.raises(TextVeilError) as refused:
        contributor.contribute(TEXTS, epsilon=4)
    assert code_of(refused) == "invalid-epsilon"
    given = contributor.contribute([*TEXTS, "zorp milk " * 2**17])
    assert given.vector == Contributor(request(), trusted_sum=True).contribute(TEXTS).vector
    with pytest.raises(TextVeilError) as refused:
        contributor.contribute(TEXTS)
    assert code_of(refused) == "already-contributed" and "zorp" not in str(refused.value)
    assert len({given, given}) == len({given.guarantee, given.guarantee}) == 1
    with pytest.raises(AttributeError):
        given.guarantee.noise.least = 10**6
    ledger = Ledger({"words": Budget(epsilon=5, delta=1e-5)})
    assert ledger.spend("words", given.guarantee).sequence == 1
    assert ledger.spent("words").loss == Loss(epsilon=given.guarantee.epsilon, delta=given.guarantee.delta)
    with pytest.raises(TextVeilError) as refused:
        ledger.spend("words", given.guarantee)
    assert code_of(refused) == "budget-exhausted"
    for once in (contributor, Sum(request())):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                copied(once)


def test_a_process_that_was_forked_neither_answers_nor_adds_up() -> None:
    contributor, total = Contributor(request(), trusted_sum=True), Sum(request())
    for use in (lambda: contributor.contribute(TEXTS), lambda: total.add([0] * 16), total.release):
        assert "belongs to the process that made it" in in_a_fork(use)
    total.add(contributor.contribute(TEXTS).vector)
    assert total.release()


def test_an_error_of_the_callers_own_texts_stays_what_it_is() -> None:
    def texts() -> Any:
        yield TEXTS[0]
        raise ValueError("my own")

    contributor = Contributor(request(), trusted_sum=True)
    with pytest.raises(ValueError, match=r"^my own$"):
        contributor.contribute(texts())
    assert contributor.contribute(TEXTS)


def test_what_is_no_request_no_table_or_no_list_is_refused() -> None:
    for asked, file, code in (
        ("", None, "bad-request"),
        (request(words=["zorp", "bloop"]), None, "bad-request"),
        (request(), table("odd.tvt"), "other-table"),
        (request(), bytes(99), "bad-table"),
    ):
        with pytest.raises(TextVeilError) as refused:
            Contributor(asked, file, trusted_sum=True)
        assert code_of(refused) == code
    with pytest.raises(TypeError):
        Contributor(request(), trusted_sum=True).contribute("a zorp")
