"""Shares of unjudged documents, and what each policy makes of them."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.comparison._world import unjudged, world
from rankgauge.comparison.coverage import Coverage, coverage, coverages, naive_bounds
from rankgauge.comparison.policies import priors
from rankgauge.conventions import convention
from rankgauge.engines import as_measures, judge

GOLDEN = resources.files("rankgauge") / "data" / "golden"
HOW = convention("default")
POLICIES = ["unjudged=0", "condensed", "bootstrapped"]


def parsed(name: str, how: rg.Convention = HOW) -> rg.Measure:
    return as_measures(name, how)[0]


def cover(
    qrels: dict, base: dict, run: dict, measure: str, *, how: rg.Convention = HOW, seed: int = 0, samples: int = 100
) -> Coverage:
    records = rg.Qrels.from_dict(qrels), rg.Run.from_dict(base, name="base"), rg.Run.from_dict(run, name="new")
    rng = np.random.default_rng(seed)
    return coverage(*records, parsed(measure, how), how=how, rng=rng, samples=samples)


def down(docs: str) -> dict[str, float]:
    """A ranking of one-letter documents, best first."""
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


@pytest.fixture(scope="module")
def golden() -> dict[str, rg.Qrels | rg.Run]:
    names = {"first": "qrels.txt", "second": "qrels.second-round.txt"}
    read = {name: rg.read_qrels(GOLDEN / file) for name, file in names.items()}
    return read | {name: rg.read_run(GOLDEN / f"{name}.run", name=name) for name in ("keyword", "vector")}


def of_golden(golden: dict, qrels: str, measure: str) -> Coverage:
    runs = golden["keyword"], golden["vector"]
    return coverage(golden[qrels], *runs, parsed(measure), how=HOW, rng=np.random.default_rng(0))


def test_the_shares_of_unjudged_documents_are_those_of_evaluate(golden):
    found = of_golden(golden, "first", "nDCG@10")
    scores = rg.evaluate(golden["first"], [golden["keyword"], golden["vector"]], ["nDCG@10"])
    assert (found.baseline, found.run, found.measure) == ("keyword", "vector", "nDCG(gain='exp')@10")
    np.testing.assert_array_equal(found.unjudged_baseline, scores.unjudged[0, 0])
    np.testing.assert_array_equal(found.unjudged_run, scores.unjudged[1, 0])
    np.testing.assert_array_equal(found.policies["unjudged=0"], scores.values[1, 0] - scores.values[0, 0])


@pytest.mark.parametrize("measure", ["nDCG@10", "DCG@10", "P@10", "R@10", "AP@10", "RR@10", "ERR@10", "RBP(p=0.5)"])
def test_bounds_from_the_first_round_hold_what_the_second_round_found(golden, measure):
    bounds = of_golden(golden, "first", measure).bounds
    later = of_golden(golden, "second", measure).policies["unjudged=0"]
    assert ((bounds.low - 1e-12 <= later) & (later <= bounds.high + 1e-12) | np.isnan(later)).all()


@pytest.mark.parametrize("measure", ["nDCG@10", "DCG@10", "P@10", "R@10", "AP@10", "RR@10", "ERR@10"])
def test_bounds_have_no_width_where_all_that_is_seen_was_judged(golden, measure):
    found = of_golden(golden, "second", measure)
    np.testing.assert_array_equal(found.bounds.low, found.policies["unjudged=0"])
    np.testing.assert_array_equal(found.bounds.high, found.policies["unjudged=0"])
    assert all(np.array_equal(found.policies[p], found.bounds.low, equal_nan=True) for p in POLICIES)


def test_the_golden_sets_first_round_cannot_decide_and_the_policies_disagree(golden):
    found = of_golden(golden, "first", "nDCG@10")
    low, high = found.bounds.mean()
    assert low < 0 < high
    means = {policy: float(np.nanmean(found.policies[policy])) for policy in POLICIES}
    assert means["unjudged=0"] < means["condensed"] < means["bootstrapped"]
    later = np.nanmean(of_golden(golden, "second", "nDCG@10").policies["unjudged=0"])
    assert later == pytest.approx(0.7898 - 0.6735, abs=1e-4)


def test_bounds_of_ndcg_by_hand():
    found = cover({"q": {"a": 1}}, {"q": down("ab")}, {"q": down("xa")}, "nDCG@2").bounds
    w = 1 / np.log2(3)
    # x relevant, b not: (1 + w) / (1 + w) - 1 / (1 + w); b relevant, x not: w / (1 + w) - 1
    assert found.high[0] == pytest.approx(w / (1 + w))
    assert found.low[0] == pytest.approx(w / (1 + w) - 1)


def test_a_document_unjudged_in_both_lists_has_one_grade():
    found = cover({"q": {"a": 1}}, {"q": down("xa")}, {"q": down("xa")}, "DCG@2")
    assert [found.bounds.low[0], found.bounds.high[0]] == [0.0, 0.0]
    assert found.policies["bootstrapped"][0] == 0.0
    assert cover({"q": {"a": 1}}, {"q": down("xa")}, {"q": down("xa")}, "nDCG@2").policies["bootstrapped"][0] == 0.0


def test_a_query_that_a_run_lacks_is_an_empty_list():
    found = cover({"q": {"a": 1}, "p": {"a": 1}}, {"q": down("a")}, {"p": down("ax"), "q": down("a")}, "P@1")
    assert np.isnan(found.unjudged_baseline[1])
    assert found.policies["unjudged=0"].tolist() == [0.0, 1.0]
    assert found.bounds.low.tolist() == [0.0, 1.0]


def test_a_query_without_relevant_documents_is_undefined_until_holes_may_be_relevant():
    qrels = {"q": {"a": 0}, "p": {"a": 0}, "r": {"a": 2}}
    runs = {query: down("a") for query in qrels}
    found = cover(qrels, runs, {"q": down("a"), "p": down("xa"), "r": down("a")}, "nDCG@2")
    np.testing.assert_array_equal(found.policies["unjudged=0"], [np.nan, np.nan, 0.0])
    np.testing.assert_array_equal(found.policies["bootstrapped"], [np.nan, np.nan, 0.0])
    np.testing.assert_array_equal(found.bounds.low, [np.nan, 0.0, 0.0])
    np.testing.assert_array_equal(found.bounds.high, [np.nan, 1.0, 0.0])
    assert found.bounds.optional.tolist() == [False, True, False]
    assert found.bounds.mean() == (0.0, 0.5)
    assert found.bounds.mean(np.array([True, False, True])) == (0.0, 0.0)


def test_a_pooled_document_without_a_judgment_is_a_hole():
    found = cover({"q": {"a": 1, "x": -1, "y": -2}}, {"q": down("ay")}, {"q": down("xya")}, "P@1")
    assert found.unjudged_run.tolist() == [1.0]
    assert [found.bounds.low[0], found.bounds.high[0]] == [-1.0, 0.0]
    assert cover({"q": {"a": 1, "y": -2}}, {"q": down("a")}, {"q": down("y")}, "P@1").bounds.high.tolist() == [-1.0]


def test_what_a_negative_grade_says_is_the_conventions_choice():
    qrels, base, run = {"q": {"a": 1, "x": -1, "y": -2}}, {"q": down("a")}, {"q": down("y")}
    strict, open_ = HOW.but(negative="judged"), HOW.but(negative="unjudged")
    assert cover(qrels, base, {"q": down("x")}, "P@1", how=strict).bounds.high.tolist() == [-1.0]
    assert cover(qrels, base, run, "P@1", how=open_).bounds.high.tolist() == [0.0]


def test_the_residual_of_rbp_is_the_width_of_its_bounds():
    qrels, run = {"q": {"a": 3, "b": 1}}, {"q": down("axbyz")}
    low, high = naive_bounds(rg.Qrels.from_dict(qrels), rg.Run.from_dict(run), parsed("RBP(p=0.8)"), how=HOW)
    scores = rg.evaluate(qrels, {"run": run}, ["RBP(p=0.8)"])
    assert high - low == pytest.approx(scores.residual_unjudged[0, 0])
    assert low == pytest.approx(scores.values[0, 0])


def test_condensed_differences_are_those_of_condensed_lists(golden):
    found = of_golden(golden, "first", "nDCG@10")
    measure = "nDCG(judged_only=True)@10"
    values = rg.evaluate(golden["first"], [golden["keyword"], golden["vector"]], [measure]).values[:, 0]
    np.testing.assert_array_equal(found.policies["condensed"], values[1] - values[0])


def test_a_holes_prior_is_half_of_its_list_and_half_of_the_pool():
    qrels = rg.Qrels.from_dict({"q": {"a": 2, "b": 0, "c": 0, "d": 1}})
    runs = [rg.Run.from_dict({"q": down(docs)}) for docs in ("axby", "bcxa")]
    both = world(qrels, [judge(qrels, run) for run in runs], [unjudged(qrels, run, HOW, 3) for run in runs])
    assert (both.doc.to_list(), both.grades.tolist()) == (["x"], [0.0, 1.0, 2.0])
    pool = np.array([2, 1, 1]) / 4
    first, second = (np.array([1, 0, 1]) / 2 + pool) / 2, (np.array([2, 0, 0]) / 2 + pool) / 2
    np.testing.assert_allclose(priors(both, 3)[0], (first + second) / 2)


def test_draws_have_the_expected_mean_where_it_is_known():
    qrels = {"q": {"a": 2, "b": 0, "c": 1}}
    drawn = cover(qrels, {"q": down("ab")}, {"q": down("yx")}, "Success@2", samples=20_000)
    # the new list shows nothing judged: both holes have the pool's prior, two of three relevant; the old one has 1
    assert drawn.policies["bootstrapped"][0] == pytest.approx(-1 / 9, abs=0.01)


def test_a_seed_gives_the_same_draws_whatever_else_is_asked_for(golden):
    measures = [parsed(name) for name in ("nDCG@10", "AP@10")]
    runs = [golden["vector"], golden["keyword"].named("again")]
    many = coverages(golden["first"], golden["keyword"], runs, measures, how=HOW, rng=np.random.default_rng(3))
    alone = coverage(golden["first"], golden["keyword"], runs[0], measures[1], how=HOW, rng=np.random.default_rng(3))
    other = coverage(golden["first"], golden["keyword"], runs[0], measures[1], how=HOW, rng=np.random.default_rng(4))
    assert [(c.run, c.measure) for c in many[:2]] == [("vector", str(m)) for m in measures]
    np.testing.assert_array_equal(many[1].policies["bootstrapped"], alone.policies["bootstrapped"])
    assert not np.array_equal(other.policies["bootstrapped"], alone.policies["bootstrapped"], equal_nan=True)
    assert (many[2].bounds.low[~np.isnan(many[2].bounds.low)] == 0).all()


def test_measures_over_subtopics_have_the_range_as_bounds_and_no_draws(golden):
    qrels = rg.read_qrels(GOLDEN / "qrels.subtopics.txt", subtopics=True)
    runs = golden["keyword"], golden["vector"]
    found = coverage(qrels, *runs, parsed("StRecall@5"), how=HOW, rng=np.random.default_rng(0))
    assert found.bounds.method == "range of the measure"
    assert np.isnan(found.policies["bootstrapped"]).all()


def test_a_measure_without_a_known_bound_says_so():
    found = cover({"q": {"a": 1}}, {"q": down("a")}, {"q": down("xa")}, "INST(value='ED')")
    assert found.bounds is None
    assert len(found.policies["bootstrapped"]) == 1


def test_a_measure_that_cannot_take_the_top_grade_has_neither_bounds_nor_draws():
    found = cover({"q": {"a": 1, "unseen": 3}}, {"q": down("a")}, {"q": down("xa")}, "DCG(gain={1: 1})@2")
    assert found.bounds is None
    assert np.isnan(found.policies["bootstrapped"]).all()
    assert found.policies["unjudged=0"][0] == pytest.approx(1 / np.log2(3) - 1)


def test_where_one_side_alone_is_undefined_the_conventions_value_takes_its_place():
    zero = HOW.but(undefined="zero")
    found = cover({"q": {"a": 1}, "p": {"a": 1}}, {"q": down("a"), "p": down("ax")}, {"q": down("a")}, "SetP", how=zero)
    assert found.policies["unjudged=0"].tolist() == [0.0, -0.5]
    assert [found.bounds.low[1], found.bounds.high[1]] == [-1.0, -0.5]
    assert found.policies["bootstrapped"][1] < -0.5


def test_rounding_tools_get_room_in_the_bounds():
    trec = convention("default").but(decimals=2)
    found = cover({"q": {"a": 1}}, {"q": down("a")}, {"q": down("xa")}, "RR", how=trec)
    assert [found.bounds.low[0], found.bounds.high[0]] == pytest.approx([-0.51, 0.01])


def test_undefined_queries_count_as_the_convention_says():
    zero = HOW.but(undefined="zero")
    found = cover({"q": {"a": 0}}, {"q": down("a")}, {"q": down("xa")}, "nDCG@2", how=zero)
    assert (found.policies["bootstrapped"].tolist(), found.bounds.low.tolist()) == ([0.0], [0.0])
    assert found.bounds.high.tolist() == [1.0]


def test_deep_rankings_take_fewer_draws_and_little_time():
    rng = np.random.default_rng(0)
    docs = [f"d{n}" for n in range(3000)]
    runs = [
        {str(q): dict.fromkeys(rng.choice(docs, 1000, replace=False).tolist(), 0.0) for q in range(20)} for _ in "ab"
    ]
    runs = [{q: {d: float(-n) for n, d in enumerate(ds)} for q, ds in run.items()} for run in runs]
    qrels = {str(q): {d: int(g) for d, g in zip(docs[:50], rng.integers(0, 3, 50), strict=True)} for q in range(20)}
    found = cover(qrels, *runs, "AP")
    assert found.bounds.method == "range of the measure"
    assert not np.isnan(found.policies["bootstrapped"]).any()
    assert cover(qrels, *runs, "nDCG").bounds.method == "coupled, exact"
