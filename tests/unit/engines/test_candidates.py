"""An ideal ranking of the retrieved documents is made of all of them, whatever the cutoff and the ties."""

import pytest

import rankgauge as rg

QRELS = {"q": {"a": 0, "b": 1, "c": 3, "unretrieved": 3}}
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
RETRIEVED = rg.CONVENTIONS["default"].but(ideal="retrieved")


def test_an_ideal_of_the_retrieved_uses_documents_below_the_cutoff():
    found = rg.evaluate(QRELS, RUN, "nDCG(gain='linear')@2", convention=RETRIEVED).values.item()
    assert found == pytest.approx((1 / 1.584962500721156) / (3 + 1 / 1.584962500721156), abs=1e-15)


def test_an_ideal_of_the_retrieved_is_the_same_under_spread_ties():
    tied = {"q": dict.fromkeys("abc", 1.0)}
    gain = (1 + 3) / 3 * (1 + 1 / 1.584962500721156 + 0.5)
    found = rg.evaluate(QRELS, tied, "nDCG(gain='linear')", convention=RETRIEVED, ties="expected").values.item()
    assert found == pytest.approx(gain / (3 + 1 / 1.584962500721156), abs=1e-15)


def test_a_ranking_of_all_retrieved_documents_in_best_order_scores_one():
    best = {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}
    assert rg.evaluate(QRELS, best, "nDCG@2", convention=RETRIEVED).values.item() == 1.0
