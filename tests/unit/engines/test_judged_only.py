"""Condensed rankings: whether a negative grade keeps its document is the convention's choice."""

import pytest

import rankgauge as rg

QRELS = {"w": {"a": -2, "b": 1, "c": -1, "d": 2}}
RUN = {"w": {"a": 9.0, "x": 8.5, "c": 8.0, "b": 7.0, "d": 6.0}}


def values(convention):
    return rg.evaluate(QRELS, RUN, ["P(judged_only=True)@1", "nDCG(gain='linear', judged_only=True)"],
                       convention=convention).values.ravel().tolist()  # fmt: skip


def test_a_negative_grade_is_a_judgment_and_keeps_its_place():
    assert values("default") == pytest.approx([0.0, 0.517442], abs=5e-7)


def test_trec_eval_drops_negative_grades_from_a_condensed_ranking():
    assert values("trec_eval") == pytest.approx([1.0, 0.859719], abs=5e-7)
