"""Bounds hold for every grade that the unjudged documents could have, and exact ones are reached: all are tried."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.comparison.bounds import Bounds
from rankgauge.comparison.coverage import coverage, naive_bounds
from rankgauge.conventions import convention
from rankgauge.engines import as_measures

DOCS = st.sampled_from("abcdefg")
GRADES = st.sampled_from([-2, -1, 0, 1, 1, 2, 3])
SCORES = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0])
MOST_HOLES = 4
EXAMPLES = int(os.environ.get("RANKGAUGE_EXAMPLES", 8))
EXACT = [
    "nDCG", "nDCG@3", "nDCG(gain='linear')@2", "nDCG(gain={1: 1, 2: 2, 3: 2})@4", "nDCG(discount='jk')@4",
    "DCG@3", "CG@3", "P@3", "RBP(p=0.8)", "SDCG@3", "UMeasure", "R@3", "R", "RelativeP@3", "F@3", "SetR", "NumRelRet@3",
]  # fmt: skip
HELD = [
    "AP", "AP@3", "AP(denominator='min(R,k)')@3", "RR", "RR@2", "Success@2", "ERR@3", "Rprec", "bpref", "SetP",
    "SetAP", "SetF", "GMAP", "IPrec", "IPrec11", "infAP", "Q@3", "INST", "BPM@3", "NERR8@3", "RBP(scale='query')",
    "AP(denominator='retrieved')@3", "RR(rel=2)", "P(rel=9)@3", "nDCG(judged_only=True)@3",
]  # fmt: skip

Judged = dict[str, int]
Ranking = dict[str, float]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Judged, Ranking, Ranking]:
    """Judgments and two rankings of one query, with few documents that nobody judged."""
    qrels = draw(st.dictionaries(DOCS, GRADES, min_size=1, max_size=4))
    rankings = st.dictionaries(DOCS, SCORES, min_size=1, max_size=5)
    one, other = draw(rankings), draw(rankings)
    assume(len(holes(qrels, one, other)) <= MOST_HOLES)
    return qrels, one, other


def holes(qrels: Judged, *runs: Ranking, depth: int | None = None, averaged: bool = False) -> list[str]:
    """Unjudged documents that a measure of this depth sees in any of the runs."""
    return sorted({doc for run in runs for doc in shown(run, depth, averaged) if qrels.get(doc, -1) == -1})


def shown(run: Ranking, depth: int | None, averaged: bool) -> list[str]:
    order = sorted(run, key=lambda doc: (run[doc], doc), reverse=True)
    if not averaged or depth is None:
        return order[:depth]
    return [doc for doc in order if sum(run[other] > run[doc] for other in order) < depth]


def differences(
    qrels: Judged, base: Ranking, run: Ranking, measure: rg.Measure, ties: str = "docid-desc", elsewhere: int = 0
) -> np.ndarray:
    """The difference of each completion of the judgments: every hole with every grade up to the top.

    `elsewhere` is how many documents of the top grade neither run shows.
    """
    qrels = qrels | {f"elsewhere{n}": top_of(qrels) for n in range(elsewhere)}
    open_ = holes(qrels, base, run, depth=measure.cutoff, averaged=ties == "expected")
    grades = itertools.product(range(top_of(qrels) + 1), repeat=len(open_))
    filled = [qrels | dict(zip(open_, given, strict=True)) for given in grades]
    many = {str(n): judged for n, judged in enumerate(filled)} | {"scale": {"x": top_of(qrels)}}
    empty = {"scale": {"x": 1.0}}
    runs = {"base": dict.fromkeys(many, base) if base else empty, "run": dict.fromkeys(many, run)}
    values = rg.evaluate(many, runs, [measure(judged_only=False)], ties=ties).values
    return (values[1, 0] - values[0, 0])[: len(filled)]


def top_of(qrels: Judged) -> int:
    return max(1, *qrels.values())


def bounds(qrels: Judged, base: Ranking, run: Ranking, measure: rg.Measure, ties: str = "docid-desc") -> Bounds:
    how = convention("default").but(ties=ties)
    records = [rg.Run.from_dict({"q": base}), rg.Run.from_dict({"q": run})]
    judged = rg.Qrels.from_dict({"q": qrels, "scale": {"x": top_of(qrels)}})
    found = coverage(judged, *records, measure, how=how, rng=np.random.default_rng(0), samples=2).bounds
    assert found is not None
    return found


def parsed(name: str) -> rg.Measure:
    return as_measures(name, convention("default"))[0]


@pytest.mark.parametrize("name", HELD)
@settings(max_examples=EXAMPLES)
@given(pairs())
def test_no_grades_of_the_unjudged_lead_out_of_the_bounds(name, inputs):
    found, true = bounds(*inputs, parsed(name)), differences(*inputs, parsed(name))
    defined = true[~np.isnan(true)]
    assert len(defined) or np.isnan(found.low[0])
    assert (found.low[0] <= defined + 1e-9).all()
    assert (defined <= found.high[0] + 1e-9).all()


@pytest.mark.parametrize("ties", ["docid-desc", "expected"])
@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=EXAMPLES)
@given(pairs())
def test_exact_bounds_are_the_smallest_and_the_largest_difference_of_all_grades(ties, name, inputs):
    found, true = bounds(*inputs, parsed(name), ties), differences(*inputs, parsed(name), ties)
    assert found.method == "coupled, exact"
    optional = np.isnan(true).any() and not np.isnan(true).all()
    assert (found.optional is not None and found.optional[0]) == optional
    reached = np.nan_to_num(true) if optional else true  # a query that may be undefined counts 0 there
    assert [found.low[0], found.high[0]] == pytest.approx([reached.min(), reached.max()], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ["nDCG@3", "nDCG", "DCG@3", "R@3", "F@3", "AP", "AP@3", "RR", "Success@2", "ERR@3"])
@settings(max_examples=EXAMPLES)
@given(pairs(), st.sampled_from([0, 1, 2, 9]))
def test_open_bounds_hold_where_relevant_documents_that_nobody_shows_lift_the_ideal(name, inputs, elsewhere):
    found, true = bounds(*inputs, parsed(name)), differences(*inputs, parsed(name), elsewhere=elsewhere)
    low, high = found.open_low[0], found.open_high[0]
    defined = true[~np.isnan(true)]
    if not np.isnan(low):
        assert (low <= defined + 1e-9).all()
        assert (defined <= high + 1e-9).all()
        assert low <= found.low[0] + 1e-9
        assert high >= found.high[0] - 1e-9
    else:
        assert (defined == 0).all()


def test_open_bounds_of_ndcg_come_close_to_the_largest_ideal():
    qrels, base, run = {"a": 1, "b": 0}, {"b": 2.0, "a": 1.0}, {"a": 2.0, "b": 1.0}
    found, w = bounds(qrels, base, run, parsed("nDCG@2")), 1 / np.log2(3)
    assert [found.low[0], found.open_low[0]] == pytest.approx([1 - w, (1 - w) / (1 + w)])
    assert found.open_mean(np.array([True, False])) == pytest.approx(((1 - w) / (1 + w), 1 - w))
    assert bounds(qrels, base, run, parsed("bpref")).open_mean() is None


@pytest.mark.parametrize("name", ["nDCG@3", "P@3", "AP", "RR", "ERR@3", "R@3", "RBP(p=0.8)"])
@settings(max_examples=EXAMPLES)
@given(pairs())
def test_the_bounds_of_one_run_are_its_smallest_and_largest_value(name, inputs):
    qrels, run, _ = inputs
    judged = rg.Qrels.from_dict({"q": qrels, "scale": {"x": top_of(qrels)}})
    low, high = naive_bounds(judged, rg.Run.from_dict({"q": run}), parsed(name), how=convention("default"))
    true = differences(qrels, {}, run, parsed(name))  # an empty ranking scores 0 wherever the measure is defined
    reached = np.nan_to_num(true) if not np.isnan(true).all() else true
    assert [low[0], high[0]] == pytest.approx([reached.min(), reached.max()], abs=1e-9, nan_ok=True)
