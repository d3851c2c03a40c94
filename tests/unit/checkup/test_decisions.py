"""Checks of what a set can decide, and the power behind them."""

from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from clinic import finding, findings, judged, returned, severities
from rankgauge.statistics.power import detectable, sample_size

RANKINGS = ("abx", "axy", "xab", "xya")
TWO = {"one": returned(6, "abc"), "two": returned(3, "abc") | {f"q{i:03}": {"c": 2.0, "a": 1.0} for i in (4, 5, 6)}}


def test_a_set_that_cannot_show_the_wanted_difference_is_a_warning():
    found = finding("detectable-difference", judged(6), TWO, measures=["RR"])
    differences = np.array([0, 0, 0, 0.5, 0.5, 0.5])
    smallest = detectable(6, sd=float(np.std(differences, ddof=1)))
    assert found.severity == "warning"
    assert f"these 6 queries show a difference of {smallest:.3f} with 80.0% power" in found.says
    assert found.of == sample_size(0.05, sd=float(np.std(differences, ddof=1)))


def test_a_difference_that_can_be_shown_is_fine():
    limits = rg.CheckupLimits(difference=0.9)
    assert severities("detectable-difference", judged(6), TWO, measures=["RR"], limits=limits) == ["ok"]


def test_one_run_gives_a_spread_by_assumption_and_says_so():
    found = finding("detectable-difference", judged(6), {"two": TWO["two"]}, measures=["RR"])
    assert "from values of one run, times √2" in found.says


@pytest.mark.parametrize(
    ("queries", "runs", "because"),
    [
        (6, {"one": returned(6), "two": returned(6)}, "RR: the runs have the same value on every query"),
        (1, {"one": returned(1), "two": returned(1, "ba")}, "RR: fewer than two queries have a value in two runs"),
    ],
)
def test_without_a_spread_the_difference_is_not_checked(queries, runs, because):
    checkup = rg.doctor(judged(queries), runs, measures=["RR"])
    assert [n.because for n in checkup.not_checked if n.check == "detectable-difference"] == [because]


def test_measures_that_say_the_same_are_named_with_their_correlation():
    qrels = judged(6, {"a": 1, "b": 0, "c": 0})
    found = finding("same-story", qrels, TWO, measures=["RR", "AP", "P@2"])
    assert (found.severity, found.count, found.of) == ("info", 1, 3)
    assert "closest RR and AP: r = 1.0000" in found.says


def test_kendalls_tau_of_the_runs_is_said_where_there_are_three():
    runs = {"a": returned(4, "abc"), "b": returned(4, "bca"), "c": returned(4, "xab"), "d": returned(3, "cab")}
    qrels = judged(4, {"a": 1, "b": 0, "c": 0})
    assert (
        "RR and AP: r = 1.0000, tau of the runs 1.0000"
        in finding("same-story", qrels, runs, measures=["RR", "AP"]).says
    )


def test_measures_that_differ_are_fine():
    run = {f"q00{n}": returned(1, docs)["q001"] for n, docs in enumerate(RANKINGS, 1)}
    assert severities("same-story", judged(4), run, measures=["RR", "P@3"]) == ["ok"]


def test_queries_on_which_all_runs_agree_carry_no_evidence():
    found = finding("undecided-queries", judged(6), TWO, measures=["RR"])
    assert (found.severity, found.count, found.of) == ("info", 3, 6)
    assert found.example == "query 'q001': 1.0000"
    alike = {"one": returned(6, "abc"), "two": returned(6, "bac")}
    assert severities("undecided-queries", judged(6), alike, measures=["RR"]) == ["warning"]
    apart = {"one": returned(6, "abc"), "two": returned(6, "cab")}
    assert severities("undecided-queries", judged(6), apart, measures=["RR"]) == ["ok"]


def test_a_set_that_is_too_easy_is_a_warning():
    found = finding(
        "ceiling", judged(3), {"one": returned(3, "abx"), "two": returned(3, "bax")}, measures=["AP", "P@5"]
    )
    assert (found.severity, found.count, found.of, found.example) == ("warning", 1, 2, "AP: 1.0000 or more")
    assert severities("ceiling", judged(3), returned(3, "xab"), measures=["AP"]) == ["ok"]


def test_each_measure_has_its_own_finding():
    assert len(findings("undecided-queries", judged(6), TWO, measures=["RR", "AP"])) == 2
