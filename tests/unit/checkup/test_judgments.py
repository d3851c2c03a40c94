"""Checks of the judgments: each where it fires and where it does not."""

from __future__ import annotations

import polars as pl
import pytest

import rankgauge as rg
from clinic import finding, findings, judged, severities


@pytest.mark.parametrize(("n", "severity"), [(1, "error"), (5, "error"), (6, "warning"), (24, "warning"), (25, "ok")])
def test_few_queries_decide_nothing(n, severity):
    assert finding("number-of-queries", judged(n)).severity == severity


def test_five_queries_cannot_reach_five_percent():
    assert "cannot" not in finding("number-of-queries", judged(6)).says
    assert "no two-sided test of signs can have p below 0.0625" in finding("number-of-queries", judged(5)).says


def test_a_query_without_a_relevant_document_is_a_warning_and_named():
    found = finding("no-relevant", judged(3) | {"empty": {"a": 0}})
    assert (found.severity, found.count, found.of, found.example) == ("warning", 1, 4, "query 'empty'")
    assert finding("no-relevant", judged(3)).severity == "ok"


def test_most_queries_without_a_relevant_document_are_an_error():
    qrels = judged(1) | {"x": {"a": 0}, "y": {"a": -1}}
    assert finding("no-relevant", qrels).severity == "error"


def test_the_level_from_which_documents_are_relevant_is_a_limit():
    qrels = {"q": {"a": 1}, "r": {"a": 2}}
    assert finding("no-relevant", qrels, limits=rg.CheckupLimits(level=2)).count == 1


def test_one_relevant_document_makes_rr_and_ap_the_same_number():
    found = finding("one-relevant", judged(10, {"a": 1, "b": 0}))
    assert (found.severity, found.count, found.of) == ("warning", 10, 10)
    assert "RR = AP = 1/r and nDCG = 1/log2(r+1)" in found.says
    assert finding("one-relevant", judged(10)).severity == "ok"


def test_one_relevant_document_is_a_remark_where_one_such_measure_was_asked_for():
    qrels = judged(10, {"a": 1, "b": 0})
    assert finding("one-relevant", qrels, measures=["nDCG@10", "P@5"]).severity == "info"
    found = finding("one-relevant", qrels, measures=["RR", "AP", "P@5"])
    assert found.severity == "warning"
    assert found.says.endswith("RR, AP were asked for")


def test_more_relevant_documents_than_ranks_bound_recall():
    qrels = judged(9) | {"wide": {f"d{i}": 1 for i in range(20)}}
    (found,) = findings("more-relevant-than-cutoff", qrels, measures=["R@10"])
    assert (found.severity, found.count, found.of) == ("info", 1, 10)
    assert "the perfect ranking has R@10 = 0.9500" in found.says  # nine queries at 1, one at 10/20
    assert found.example == "query 'wide' has 20"


def test_many_such_queries_are_a_warning_where_recall_was_asked_for_and_a_remark_else():
    qrels = judged(1, {f"d{i}": 1 for i in range(20)})
    assert severities("more-relevant-than-cutoff", qrels, measures=["R@10"]) == ["warning"]
    assert severities("more-relevant-than-cutoff", qrels, measures=["nDCG@10"]) == ["info"]
    assert severities("more-relevant-than-cutoff", qrels, measures=["R@20"]) == ["ok"]


def test_fewer_relevant_documents_than_ranks_bound_precision():
    found = finding("fewer-relevant-than-cutoff", judged(4), measures=["P@10"])
    assert (found.severity, found.count) == ("info", 4)
    assert found.says.endswith("the perfect ranking has P@10 = 0.2000")
    assert severities("fewer-relevant-than-cutoff", judged(4), measures=["P@2"]) == ["ok"]


def test_nothing_judged_non_relevant_is_a_warning_where_bpref_was_asked_for():
    qrels = judged(3, {"a": 1})
    assert finding("nothing-non-relevant", qrels, measures=["AP"]).severity == "info"
    found = finding("nothing-non-relevant", qrels, measures=["bpref", "AP"])
    assert found.severity == "warning"
    assert "bpref cannot count mistakes there" in found.says
    assert finding("nothing-non-relevant", judged(3), measures=["bpref"]).severity == "ok"


def test_a_query_that_holds_most_judgments_is_named():
    qrels = judged(19) | {"big": {f"d{i}": 0 for i in range(100)}}
    found = finding("concentration", qrels)
    assert (found.severity, found.count, found.of) == ("warning", 103, 157)  # the largest two of twenty
    assert found.example == "query 'big' has 100"
    assert finding("concentration", judged(20)).severity == "ok"


def repeated(grades: list[float]) -> rg.Qrels:
    n = len(grades)
    columns = pl.Series(["q"] * n), pl.Series(["a"] * n), pl.Series(grades)
    return rg.Qrels.from_columns(*columns, on_duplicate="first")


def test_repeated_judgments_that_agree_are_a_remark():
    found = finding("repeated-judgments", repeated([1.0, 1.0, 1.0]))
    assert (found.severity, found.count, found.of) == ("info", 2, 3)
    assert finding("conflicting-judgments", repeated([1.0, 1.0, 1.0])).severity == "ok"
    assert finding("repeated-judgments", judged(1)).severity == "ok"


def test_judgments_that_contradict_each_other_are_an_error_whichever_was_kept():
    found = finding("conflicting-judgments", repeated([1.0, 0.0, 1.0]))
    assert (found.severity, found.count) == ("error", 1)
    assert found.example == "query 'q', document 'a': grades 1, 0, 1"
