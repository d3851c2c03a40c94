"""Comparing runs: the numbers of a pair, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.errors import InputError, MeasureError, ParameterError

QUERIES = [f"q{i:02}" for i in range(12)]
QRELS = {q: {"a": 2, "b": 1, "c": 0} for q in QUERIES}


def ranking(*docs: str) -> dict[str, float]:
    return {doc: float(-rank) for rank, doc in enumerate(docs)}


BEST = {q: ranking("a", "b", "c") for q in QUERIES}
WORST = {q: ranking("c", "b", "a") for q in QUERIES}
MIXED = {q: ranking("a", "b", "c") if i % 3 else ranking("c", "b", "a") for i, q in enumerate(QUERIES)}


def compare(*runs: Any, **options: Any) -> rg.Comparison:
    named = {name: run for name, run in zip(("old", "new", "third"), runs, strict=False)}
    return rg.compare(options.pop("qrels", QRELS), named, options.pop("measures", "nDCG@3"), **options)


def test_a_pair_holds_the_differences_of_the_queries_and_their_mean() -> None:
    pair = compare(WORST, MIXED).verdicts[0]
    worst = rg.evaluate(QRELS, WORST, "nDCG@3").values[0, 0]
    mixed = rg.evaluate(QRELS, MIXED, "nDCG@3").values[0, 0]
    assert pair.n == 12
    assert pair.differences.tolist() == (mixed - worst).tolist()
    assert pair.difference.estimate == pytest.approx((mixed - worst).mean(), abs=1e-15)
    assert (pair.wins, pair.ties, pair.losses) == (8, 4, 0)
    low, high = pair.difference.low, pair.difference.high
    assert low is not None and high is not None and low < pair.difference.estimate < high
    assert pair.p_adjusted == pair.test.p == pytest.approx(2 / 2**8)


def test_the_first_run_is_the_baseline_unless_another_is_named() -> None:
    assert [p.run for p in compare(WORST, MIXED, BEST).verdicts] == ["new", "third"]
    swapped = compare(WORST, MIXED, BEST, baseline="third")
    assert [(p.baseline, p.run) for p in swapped.verdicts] == [("third", "old"), ("third", "new")]
    assert [p.verdict.word for p in swapped.verdicts] == ["worse", "no difference seen"]


def test_p_is_corrected_for_the_number_of_runs() -> None:
    pairs = compare(WORST, MIXED, BEST, correction="bonferroni").verdicts
    assert [p.p_adjusted for p in pairs] == [pytest.approx(2 * (p.test.p or 0)) for p in pairs]


def test_from_three_runs_on_every_two_are_compared() -> None:
    (everyone,) = compare(WORST, MIXED, BEST).everyone
    assert everyone.queries == 12
    assert everyone.p.shape == (3, 3)
    assert everyone.p[0, 2] < 0.01 < everyone.p[0, 1]
    assert compare(WORST, BEST).everyone == ()


def test_the_same_seed_gives_the_same_numbers_whatever_else_is_compared() -> None:
    rng = np.random.default_rng(3)
    runs = [{q: dict(zip("abc", rng.random(3), strict=True)) for q in QUERIES} for _ in range(3)]
    alone, among = (compare(*some, interval="bca").verdicts[0] for some in (runs[:2], runs))
    for one, other in zip((alone.difference.low, alone.test.p), (among.difference.low, among.test.p), strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert compare(*runs, interval="bca", seed=1).verdicts[0].difference.low != among.difference.low


def test_queries_where_a_side_is_undefined_are_left_out() -> None:
    pair = compare(WORST, MIXED, qrels=QRELS | {"none": {"a": 0}}).verdicts[0]
    assert (pair.n, pair.left_out) == (12, 0)


def test_a_query_without_results_scores_0_and_is_counted() -> None:
    pair = compare(BEST, {q: docs for q, docs in BEST.items() if q != "q03"}).verdicts[0]
    assert (pair.run_missing, pair.baseline_missing, pair.n) == (1, 0, 12)
    assert pair.differences.min() == -1
    assert "new has no results for 8.3% of the queries; they score 0" in pair.verdict.because


def test_a_run_that_answered_hardly_anything_gets_no_verdict_and_no_mark() -> None:
    pair = compare(BEST, {"q00": BEST["q00"]}).verdicts[0]
    assert pair.verdict.word == "not comparable offline"
    assert "new has no results for 92% of the queries" in pair.verdict.sentence


def test_the_same_ranking_is_equivalent_although_nobody_judged_it() -> None:
    unjudged = {q: ranking("x", "y", "z") for q in QUERIES}
    pair = compare(unjudged, {q: {d: s / 2 for d, s in docs.items()} for q, docs in unjudged.items()}).verdicts[0]
    assert pair.verdict.word == "equivalent"
    assert pair.test.p == 1


def test_different_rankings_with_equal_scores_are_not_shown_to_be_equivalent_by_a_few_queries() -> None:
    twins = {q: {"a": 1, "b": 1, "c": 0} for q in QUERIES}
    pair = compare(
        {q: ranking("a", "b", "c") for q in QUERIES}, {q: ranking("b", "a", "c") for q in QUERIES}, qrels=twins
    )
    assert pair.verdicts[0].verdict.word == "no difference seen"


def test_one_query_gives_no_p_and_no_verdict() -> None:
    pair = compare({"q00": WORST["q00"]}, {"q00": BEST["q00"]}, qrels={"q00": QRELS["q00"]}).verdicts[0]
    assert (pair.test.p, pair.difference.low) == (None, None)
    assert pair.verdict.word == "no difference seen"


def test_too_few_queries_can_see_nothing_however_large_the_difference() -> None:
    four = QUERIES[:4]
    runs = [{q: run[q] for q in four} for run in (WORST, BEST)]
    pair = compare(*runs, qrels={q: QRELS[q] for q in four}).verdicts[0]
    assert pair.test.p == pytest.approx(0.125)
    assert pair.verdict.word == "no difference seen"


def test_a_measure_that_says_the_opposite_of_the_first_is_named() -> None:
    qrels = {q: {"a": 3, "b": 1, "c": 1} for q in QUERIES}
    early = {q: ranking("a", *"xyz") for q in QUERIES}
    many = {q: ranking("x", "b", "c") for q in QUERIES}
    found = rg.compare(
        qrels, {"early": early, "many": many}, ["RR", "R@3"], thresholds=rg.Thresholds(clean=1, warned=1, refused=1)
    )
    assert [p.verdict.word for p in found.pairs] == ["worse", "better"]
    assert [note.text for note in found.notes] == ["many is worse under RR, but better under R@3"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"measures": "GMAP"},
            MeasureError,
            "GMAP: expected a measure that is a mean over queries, got a geometric mean",
        ),
        ({"measures": "NumRelRet"}, MeasureError, "got a sum"),
        ({"baseline": "olt"}, InputError, "baseline: expected one of the runs old, new, got 'olt'"),
        ({"test": "fisher"}, ParameterError, "test: expected one of .*randomization.*, got 'fisher'"),
        ({"correction": "hom"}, ParameterError, "correction: expected one of .*, got 'hom'; did you mean 'holm'"),
        ({"resamples": 3}, ParameterError, "resamples: expected 100 or more, got 3"),
        ({"margin": -0.1}, ParameterError, "margin: expected a number from 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compare(WORST, BEST, **options)


def test_one_run_is_compared_with_nothing() -> None:
    with pytest.raises(InputError, match="runs: expected two or more runs, got 1"):
        compare(WORST)


def test_a_pair_is_found_by_its_names() -> None:
    found = compare(WORST, BEST, measures=["nDCG@3", "RR"])
    assert found.of("new", "RR").measure == "RR"
    assert found.of("new") is found.pairs[0]
    with pytest.raises(InputError, match=r"comparison: expected one of the runs new and a measure of it, got 'newer'"):
        found.of("newer")


def test_each_runs_mean_has_a_bca_interval_over_all_of_its_queries() -> None:
    found = compare(WORST, MIXED)
    (old, new) = found.means[0]
    assert old.method.startswith("BCa")
    assert (old.n, new.n) == (12, 12)
    assert new.low is not None and new.high is not None and new.low < found.scores.mean()["mean"][1] < new.high


def test_the_interval_of_a_difference_is_students_unless_another_is_asked_for() -> None:
    stats = pytest.importorskip("scipy.stats")
    pair = compare(WORST, MIXED).verdicts[0]
    owed = stats.ttest_1samp(pair.differences, 0).confidence_interval(0.95)
    assert (pair.difference.low, pair.difference.high) == (pytest.approx(owed.low), pytest.approx(owed.high))
    assert compare(WORST, MIXED, interval="percentile").verdicts[0].difference.method.startswith("percentile")


def test_dropping_the_unjudged_documents_first_does_not_hide_them() -> None:
    new = {q: ranking("x", "y", "z", "a", "b") for q in QUERIES}
    pair = compare(MIXED, new, measures="nDCG(judged_only=True)@5").verdicts[0]
    assert pair.unjudged == (0.0, pytest.approx(0.6))
    assert pair.verdict.word == "not comparable offline"
    assert pair.policies["unjudged=0"] != pair.policies["condensed"]


def test_a_measure_without_a_largest_value_is_compared_too() -> None:
    assert compare(WORST, MIXED, measures="DCG@3").verdicts[0].verdict.word == "better"
    twins = {q: {"a": 1, "b": 1} for q in QUERIES}
    swapped = [{q: ranking(*docs) for q in QUERIES} for docs in ("ab", "ba")]
    assert compare(*swapped, qrels=twins, measures="DCG@2").verdicts[0].verdict.word == "no difference seen"


def test_measures_over_subtopics_are_compared_without_a_list_of_documents_to_judge() -> None:
    rows = [(q, doc, topic, 1.0) for q in QUERIES for doc, topic in (("a", "1"), ("b", "2"))]
    frame = pl.DataFrame(rows, schema=["query", "doc", "subtopic", "grade"], orient="row")
    qrels = rg.Qrels.from_polars(frame, subtopic="subtopic")
    runs = {"old": {q: ranking("a", "b") for q in QUERIES}, "new": {q: ranking("x", "a", "b") for q in QUERIES}}
    verdict = rg.compare(qrels, runs, "alpha_nDCG@3").verdicts[0].verdict
    assert verdict.word == "not comparable offline"
    assert verdict.do[0] == "judge the unjudged documents of both for every subtopic"


def test_the_pairs_as_a_frame_hold_the_numbers_of_each_pair() -> None:
    found = compare(WORST, MIXED, BEST, measures=["nDCG@3", "RR"])
    frame = found.to_polars()
    assert frame.select("measure", "run").rows() == [(pair.measure, pair.run) for pair in found.pairs]
    assert frame["difference"].to_list() == [pair.difference.estimate for pair in found.pairs]
    assert frame["verdict"].to_list() == [pair.verdict.word for pair in found.pairs]
    assert (frame["run_mean"] - frame["baseline_mean"] - frame["difference"]).abs().max() < 1e-12
    one = compare({"q00": WORST["q00"]}, {"q00": BEST["q00"]}, qrels={"q00": QRELS["q00"]}).to_polars()
    assert one.select("low", "p").row(0) == (None, None)


def test_equal_systems_are_called_better_or_worse_no_more_often_than_alpha() -> None:
    """Simulation: three systems that rank by chance; any false verdict among the two counts."""
    rng = np.random.default_rng(7)
    docs, queries, times = list("abcdefgh"), [f"q{i}" for i in range(40)], 120
    alarms = 0
    for seed in range(times):
        qrels = {q: dict(zip(docs, [1, *rng.choice([0, 0, 1, 2, 3], 7)], strict=True)) for q in queries}
        runs = {name: {q: dict(zip(docs, rng.random(8), strict=True)) for q in queries} for name in "xyz"}
        found = rg.compare(qrels, runs, "nDCG@5", resamples=500, seed=seed)
        alarms += any(pair.verdict.word in ("better", "worse") for pair in found.verdicts)
    assert alarms / times <= 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5


def test_where_only_the_top_was_judged_the_advice_names_the_depth() -> None:
    old, new = ({q: ranking(*docs, *tail) for q in QUERIES} for docs, tail in (("abc", "uvwx"), ("cab", "pqrst")))
    verdict = compare(old, new, measures="AP").verdicts[0].verdict
    assert verdict.word == "not comparable offline"
    assert "look less deep: under AP(denominator='R')@3 at most 0.0% of what either shows is unjudged" in verdict.do
    assert verdict.do[-1] == (
        "or interleave both online: 783 sessions with a preference show one of 55% (looked at once; at any time, "
        "1,517); `rankgauge online plan` says how many days, and what an A/B test takes"
    )
    cut = compare(old, new, measures="AP@3").verdicts[0].verdict
    assert cut.rule == "judged"


def test_where_not_even_the_top_was_judged_no_depth_is_named() -> None:
    new = {q: ranking("x", "y", "a") for q in QUERIES}
    verdict = compare(MIXED, new, measures="nDCG@3").verdicts[0].verdict
    assert [step for step in verdict.do if "less deep" in step] == []
