"""Reported cases in which a number was taken for another: reconcile names the choice behind each.

Cases gain-variants, ap-at-k-denominator, p-at-k-short-list, macro-average and relevance-level; the values are those of
the cases, or by hand where a test says so.
"""

from __future__ import annotations

import pytest

import rankgauge as rg
from cases.inline import qrels, run

WIKI = "\n".join(f"wiki 0 D{i} {grade}" for i, grade in enumerate([3, 2, 3, 0, 1, 2, 3, 2], 1))
WIKI_RUN = "\n".join(f"wiki Q0 D{i} {i} {11 - i} sys" for i in range(1, 7))


def plainest(judged, ranked, measure, reported):
    return rg.reconcile(judged, ranked, measure=measure, reported=reported).explanations[0]


def changes(explanation):
    return [str(change) for change in explanation.changed]


@pytest.mark.parametrize(("reported", "gain"), [("0.785002", "linear"), ("0.751083", "exp"), ("0.869676", "binary")])
def test_the_gain_behind_each_of_three_numbers_is_named(reported, gain):
    """Case gain-variants."""
    found = plainest(qrels(WIKI), run(WIKI_RUN), "nDCG@6", reported)
    assert found.measure.parameters["gain"] == gain
    assert found.tools


def test_a_ranking_and_an_ideal_with_two_gains_are_told_apart():
    """Case gain-variants: "a perfect ranking scores 0.33"; by hand: grade 1 over grade 3, binary over linear."""
    found = plainest({"q": {"a": 3, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "nDCG@5", "0.3333")
    assert changes(found) == ["gain: binary in the ranking, linear in the ideal"]
    assert found.convention is None


@pytest.mark.parametrize(("reported", "denominator"), [("0.5000", "R"), ("1.0000", "min(R,k)")])
def test_the_denominator_of_AP_at_k_is_named(reported, denominator):
    """Case ap-at-k-denominator."""
    judged = qrels("\n".join(f"m 0 r{i} 1" for i in range(10)))
    docs = [f"r{i}" for i in range(5)] + [f"n{i}" for i in range(5)]
    ranked = run("\n".join(f"m Q0 {doc} {i + 1} {50 - i} sys" for i, doc in enumerate(docs)))
    found = plainest(judged, ranked, "AP@5", reported)
    assert ("trec_eval" in found.tools) == (denominator == "R")
    assert ("spark_mllib" in found.tools) == (denominator == "min(R,k)")


def test_precision_over_the_documents_returned_is_named():
    """Case p-at-k-short-list."""
    judged = qrels("s 0 a 1\ns 0 b 1\ns 0 c 0\ns 0 e 1")
    ranked = run("s Q0 a 1 3 sys\ns Q0 b 2 2 sys\ns Q0 c 3 1 sys")
    found = plainest(judged, ranked, "P@10", "0.666667")
    assert changes(found) == ["short rankings: divided by the documents returned"]
    assert "trec_eval" in plainest(judged, ranked, "P@10", "0.2000").tools


def test_queries_thrown_into_one_ranking_are_named():
    """Case macro-average."""
    judged = qrels("q1 0 a 0\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\nq2 0 e 0\nq2 0 f 0")
    lines = [("q1", "a", 0.9), ("q1", "b", 0.8), ("q1", "c", 0.7), ("q2", "d", 0.3), ("q2", "e", 0.2), ("q2", "f", 0.1)]
    ranked = run("\n".join(f"{q} Q0 {doc} {i % 3 + 1} {score} sys" for i, (q, doc, score) in enumerate(lines)))
    assert changes(plainest(judged, ranked, "nDCG", "0.570642")) == ["queries: all documents in one ranking"]
    assert "trec_eval" in plainest(judged, ranked, "nDCG", "0.750000").tools


@pytest.mark.parametrize(("measure", "reported"), [("AP", "0.583333"), ("RR", "0.5000"), ("R@2", "0.5000")])
def test_a_relevance_level_of_2_is_named(measure, reported):
    """Case relevance-level."""
    found = plainest(*lv(), measure, reported)
    assert changes(found) == ["relevance level: 2"]
    assert found.measure.parameters["rel"] == 2


def test_gains_that_were_made_binary_by_the_level_are_named():
    """Case relevance-level: nDCG keeps the grades; by hand (1/log2(3) + 1/2) / (1 + 1/log2(3)) where it does not."""
    assert "trec_eval" in plainest(*lv(), "nDCG", "0.789998").tools
    assert changes(plainest(*lv(), "nDCG", "0.693426")) == ["gain: {1: 0, 2: 1, 3: 1}"]


def lv():
    return qrels("lv 0 a 1\nlv 0 b 2\nlv 0 c 3"), run("lv Q0 a 1 3 sys\nlv Q0 b 2 2 sys\nlv Q0 c 3 1 sys")


def test_an_ideal_made_of_the_first_k_alone_is_named():
    """By hand: gains 1, 2 in the first two, 3 below: (1 + 2/log2(3)) / (2 + 1/log2(3)), linear."""
    judged, ranked = lv()
    value = (1 + 2 / 1.5849625007211562) / (2 + 1 / 1.5849625007211562)
    found = plainest(judged, ranked, "nDCG(gain='linear')@2", f"{value:.6f}")
    assert changes(found) == ["ideal: the first k documents, sorted"]
