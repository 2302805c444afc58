"""Vectors of whole texts: what a caller of the package sees."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from conftest import table
from textveil import TextVectors, TextVeilError, Unit


def test_any_text_is_one_vector_under_one_guarantee() -> None:
    vectors = TextVectors()
    for text in ("", "The battery is empty after an hour.", "Приложение", "It crashes. " * 5000):
        drawn = vectors.representation(text)
        assert drawn.vectors.shape == (1, 16)
        assert drawn.guarantee == vectors.guarantee()
    guarantee = vectors.guarantee()
    assert (guarantee.unit, guarantee.words, guarantee.clear) == (Unit.WHOLE_TEXT, 1, [])
    assert guarantee.epsilon_text == guarantee.epsilon_word <= 8.0
    assert guarantee.table == vectors.encoder_id


def test_a_text_is_drawn_once_and_copies_draw_anew() -> None:
    vectors = TextVectors(table("wide.tvt"), epsilon=2.0, dims=4)
    one = vectors.representation("the app is good")
    assert vectors.representation("the app is good") == one
    assert one.vectors.shape == (1, 4)
    for other in (copy.copy(vectors), pickle.loads(pickle.dumps(vectors))):
        assert other.guarantee() == vectors.guarantee()
        assert not np.array_equal(other.representation("the app is good").vectors, one.vectors)
    assert pickle.loads(pickle.dumps(TextVectors(dims=3))).representation("").vectors.shape == (1, 3)


def test_a_field_has_a_vector_of_its_own() -> None:
    vectors, fields = TextVectors(table("wide.tvt"), epsilon=2.0, dims=4), [None, "", "comment", "reply"]
    drawn = [vectors.representation("the app is good", field=field) for field in fields]
    assert [vectors.representation("the app is good", field=field) for field in fields] == drawn
    assert len({one.vectors.tobytes() for one in drawn}) == len(fields)


def test_what_is_no_text_or_no_encoder_is_refused() -> None:
    with pytest.raises(TypeError):
        TextVectors().representation(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        TextVectors().representation("text", field=7)  # type: ignore[arg-type]
    for encoder, code in ((table("toy.tvt"), "other-encoder"), (bytes(99), "bad-table")):
        with pytest.raises(TextVeilError) as refused:
            TextVectors(encoder)
        assert refused.value.code == code
