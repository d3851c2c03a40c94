"""Tests of values and of how they are averaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from rankgauge.rag.values import Value, f_measure, failed, mean, ordered_precision, share


def test_a_mean_of_nothing_is_not_applicable_or_what_a_tool_says():
    assert mean([], "grade") == Value(None, missing="not applicable", reason="no grade")
    assert mean([], "grade", empty=1.0) == Value(1.0)


def test_a_mean_of_failures_is_a_failure_whatever_a_tool_says_of_nothing():
    assert share([None, None], "claim", empty=1.0) == failed(2)


@given(st.lists(st.booleans(), min_size=1, max_size=12).filter(any))
def test_ordered_precision_is_average_precision_over_what_was_retrieved(useful: list[bool]):
    scores = [-float(place) for place in range(len(useful))]
    assert ordered_precision(useful).value == pytest.approx(average_precision_score(useful, scores))


def test_f_lacks_what_one_of_its_halves_lacks():
    assert f_measure(Value(0.5, 2), failed(3)) == failed(3)
    assert f_measure(Value(0.5, 2, 1), Value(1.0, 1)) == Value(2 / 3, 3, 1)
