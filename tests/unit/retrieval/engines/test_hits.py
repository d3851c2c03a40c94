"""Tests of what every engine's answer is checked for."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import EngineError, InputError, MethodError
from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of


def test_hits_fall_and_equal_ones_stay_as_they_stood():
    found = hits_of([("a", 1), ("b", 3.0), ("c", 1), ("d", np.float32(2))], 3, "x")
    assert (found.docs, found.scores.tolist()) == (("b", "d", "a"), [3, 2, 1])
    assert len(hits_of([], 3, "x")) == 0


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("a", 1), (7, 1)], "x, hit 2: expected the id of a document, got 7; name the field"),
        ([(None, 1)], "x, hit 1: expected the id of a document, got None"),
        ([("", 1)], "x, hit 1: expected the id of a document, got ''"),
        ([("a", float("nan"))], "x, document 'a': expected a finite score, got nan"),
        ([("a", None)], "x, document 'a': expected a finite score, got None"),
        ([("a", 1), ("b", 2), ("a", 0)], "x: expected each document once, got 'a' again; collapse"),
    ],
)
def test_what_is_no_hit_is_refused(pairs, said):
    with pytest.raises(InputError) as caught:
        hits_of(pairs, 5, "x")
    assert said in str(caught.value)


def test_k():
    assert checked_k(10, "x", 10) == 10
    with pytest.raises(MethodError, match="k: expected 1 or more, got 0"):
        checked_k(0, "x")
    with pytest.raises(InputError, match="x: expected a k of at most 10,000, got 10,001; raise the engine's limit"):
        checked_k(10_001, "x", 10_000)


def test_what_a_client_raises_names_the_engine():
    with pytest.raises(EngineError, match="x: expected an answer, got ConnectionError: refused; check the address"):
        with asking("x"):
            raise ConnectionError("refused\nat length")
