"""Checks of the runs: each where it fires and where it does not."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from clinic import finding, findings, judged, returned, severities

TEN = "abcdefghij"


def test_rankings_shorter_than_the_first_cutoff_are_a_warning():
    found = finding("short-results", judged(2), {"short": returned(2, "ab")}, measures=["nDCG@10"])
    assert (found.severity, found.count, found.of) == ("warning", 2, 2)
    assert found.example == "query 'q001' has 2 results"


def test_rankings_shorter_than_a_deeper_cutoff_only_are_a_remark():
    found = finding("short-results", judged(2), returned(2, TEN), measures=["nDCG@10", "R@100"])
    assert (found.severity, found.count) == ("info", 2)
    assert found.says.endswith("with fewer than 100 results, 0 with fewer than 10")
    assert severities("short-results", judged(2), returned(2, TEN), measures=["nDCG@10"]) == ["ok"]


def test_documents_that_stood_twice_are_a_warning():
    query, doc, score = pl.Series(["q"] * 3), pl.Series(["a", "a", "b"]), pl.Series([3.0, 2.0, 1.0])
    run = rg.Run.from_columns(query, doc, score, on_duplicate="first")
    found = finding("repeated-results", {"q": {"a": 1}}, run)
    assert (found.severity, found.count, found.of) == ("warning", 1, 3)
    assert severities("repeated-results", judged(1), returned(1)) == ["ok"]


def test_infinite_scores_are_a_warning():
    found = finding("infinite-scores", {"q": {"a": 1}}, {"q": {"a": float("inf"), "b": 1.0}})
    assert (found.severity, found.count, found.example) == ("warning", 1, "document 'a'")
    assert severities("infinite-scores", judged(1), returned(1)) == ["ok"]


@pytest.mark.parametrize("scores", [{"a": 2.0, "b": 1.0, "c": 1.0}, {"b": 1.0, "a": 2.0, "c": 1.0}])
def test_tied_results_are_counted_in_any_order_of_rows(scores):
    found = finding("ties", {"q": {"a": 1}}, {"q": scores})
    assert (found.severity, found.count, found.of) == ("warning", 2, 3)
    assert found.example == "query 'q', document 'b': 1"


def test_equal_scores_of_two_queries_are_no_tie():
    assert severities("ties", judged(2), {"q001": {"a": 1.0}, "q002": {"b": 1.0}}) == ["ok"]


def test_a_few_ties_are_a_remark():
    run = {"q": {f"d{i}": -float(min(i, 98)) for i in range(100)}}
    assert severities("ties", {"q": {"a": 1}}, run) == ["info"]


def test_one_score_for_all_results_is_an_error():
    found = finding("constant-scores", judged(2), {"q001": {"a": 1.0, "b": 1.0}, "q002": {"a": 0.0, "b": 0.0}})
    assert (found.severity, found.count, found.of) == ("error", 2, 2)
    half = {"q001": {"a": 1.0, "b": 1.0}, "q002": {"a": 1.0, "b": 0.0}}
    assert severities("constant-scores", judged(2), half) == ["warning"]
    assert severities("constant-scores", judged(2), returned(2)) == ["ok"]


def test_a_single_result_is_no_constant_score():
    assert severities("constant-scores", judged(1), {"q001": {"a": 1.0}}) == ["ok"]


def test_the_same_ranking_under_two_names_is_an_error_whatever_its_scores_and_order_of_queries():
    twin = {query: {doc: 10 * score for doc, score in docs.items()} for query, docs in returned(3).items()}
    backwards = dict(reversed(twin.items()))
    found = finding("identical-runs", judged(3), {"one": returned(3), "two": backwards, "other": returned(3, "bac")})
    assert (found.severity, found.count, found.of, found.example) == ("error", 1, 3, "'one' and 'two'")


def test_runs_that_differ_in_unjudged_documents_only_are_not_identical():
    runs = {"one": returned(2, "axb"), "two": returned(2, "ayb")}
    assert severities("identical-runs", judged(2), runs) == ["ok"]


def test_a_run_of_relevant_documents_only_is_too_good():
    found = finding("too-good", judged(4), {"oracle": returned(4, "ab")})
    assert (found.severity, found.count, found.of) == ("warning", 4, 4)
    assert "100% of what it returned is relevant" in found.says


def test_all_relevant_documents_first_is_too_good_and_one_miss_is_not():
    assert severities("too-good", judged(4), returned(4, "bax")) == ["warning"]
    assert severities("too-good", judged(4), returned(3, "bax") | {"q004": {"x": 2.0, "a": 1.0}}) == ["ok"]


def test_a_run_without_an_answer_to_any_query_with_relevant_documents_is_not_checked():
    checkup = rg.doctor({"q": {"a": 0}, "r": {"a": 1}}, {"q": {"a": 1.0}})
    assert "too-good" in {item.check for item in checkup.not_checked}


def test_every_run_has_its_own_finding():
    runs = {"one": returned(1), "two": returned(1, "ba")}
    assert [f.run for f in findings("ties", judged(1), runs)] == ["one", "two"]
