"""Checks of the pool: each where it fires and where it does not."""

from __future__ import annotations

import pytest

import rankgauge as rg
from clinic import finding, findings, judged, returned, severities
from rankgauge.checkup.pool import estimated_depth


@pytest.mark.parametrize(("holes", "severity"), [(0, "ok"), (1, "warning"), (2, "warning"), (3, "error")])
def test_the_steps_of_the_unjudged_rate_are_those_of_the_verdict(holes, severity):
    qrels = {"q": {f"d{i}": 1 if i == 0 else 0 for i in range(10 - holes)}}
    run = {"q": {f"d{i}": -float(i) for i in range(10)}}
    found = finding("unjudged", qrels, {"mine": run})
    assert (found.severity, found.count, found.of, found.run) == (severity, holes, 10, "mine")
    assert found.example == (f"query 'q', rank {11 - holes}: document 'd{10 - holes}'" if holes else "")


@pytest.mark.parametrize(
    ("holes", "advice"), [(2, "read differences beside their bounds"), (4, "judge these documents first, or trust")]
)
def test_the_advice_grows_with_the_unjudged_rate(holes, advice):
    qrels = {"q": {f"d{i}": 1 if i == 0 else 0 for i in range(25 - holes)}}
    run = {"q": {f"d{i}": -float(i) for i in range(25)}}
    found = finding("unjudged", qrels, run, measures=["nDCG@25"])
    assert found.severity == "warning"
    assert found.do.startswith(advice)


def test_where_only_relevant_documents_were_written_down_the_advice_is_another():
    run = {"q": {"a": 2.0, "x": 1.0}}
    assert "write them with grade 0" in finding("unjudged", {"q": {"a": 1}}, run).do
    assert finding("unjudged", {"q": {"a": 1, "b": 0}}, run).do.startswith("judge these documents first")


def test_the_first_cutoff_of_the_measures_says_which_documents_count():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    assert finding("unjudged", qrels, run, measures=["AP", "nDCG@2", "R@100"]).severity == "ok"
    assert finding("unjudged", qrels, run, measures=["nDCG@3"]).severity == "error"


def test_the_depth_of_the_pool_is_found_again():
    qrels = {f"q{i}": {f"d{j}": int(j == 0) for j in range(20)} for i in range(5)}
    run = {f"q{i}": {f"d{j}": -float(j) for j in range(50)} for i in range(5)}
    found = finding("pool-depth", qrels, run)
    assert (found.severity, found.count, found.of) == ("ok", 21, 50)  # 100 of 105 are 95%
    assert "judged @1 100%, @5 100%, @10 100%, @20 100%, @50 40.0%" in found.says
    judged_run = rg.judge(rg.Qrels.from_dict(qrels), rg.Run.from_dict(run))
    assert [estimated_depth(judged_run, share) for share in (1.0, 0.5, 0.4)] == [20, 40, 50]


def test_a_run_nobody_pooled_has_no_depth():
    found = finding("pool-depth", judged(3), returned(3, "xyz"))
    assert (found.severity, found.count) == ("warning", 0)
    assert "below 95.0% at any depth; judged @1 0%" in found.says


def test_runs_that_were_judged_to_a_different_extent_are_a_warning():
    runs = {"old": returned(3, "abc"), "new": returned(3, "axy")}
    found = finding("pool-bias", judged(3), runs)
    assert (found.severity, found.count, found.of) == ("warning", 1, 2)
    assert found.says == "judged shares of the first 10 differ by 66.7 points between runs"
    assert found.example == "'old' 100%, 'new' 33.3%"
    alike = {"old": returned(3, "abc"), "new": returned(3, "bca")}
    assert finding("pool-bias", judged(3), alike).severity == "ok"


def test_relevant_documents_that_no_run_returned_are_counted():
    runs = {"one": returned(3, "ac"), "two": returned(3, "ca")}
    found = finding("judged-not-returned", judged(3), runs)
    assert (found.severity, found.count, found.of) == ("info", 3, 6)
    assert found.example == "query 'q001', document 'b'"
    assert severities("judged-not-returned", judged(3), runs | {"two": returned(3, "cb")}) == ["ok"]
    assert severities("judged-not-returned", judged(3), {"none": returned(3, "xyz")}) == ["warning"]


def test_a_run_that_answers_other_queries_is_not_checked_and_said():
    checkup = rg.doctor(judged(2), {"other": {"z": {"a": 1.0}}})
    assert not checkup.named("unjudged")
    reasons = {item.check: item.because for item in checkup.not_checked}
    assert reasons["unjudged"] == "run 'other' has no results for any judged query"


def test_missing_queries_do_not_count_as_unjudged():
    assert findings("unjudged", judged(4), returned(2))[0].of == 6
