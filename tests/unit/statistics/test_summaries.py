"""Means and intervals from a summary: those of the values themselves, and of the memory engine's scores."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankgauge as rg
from rankgauge.engines.batch import score
from rankgauge.engines.plan import plan
from rankgauge.errors import ParameterError
from rankgauge.records.summary import MeasureColumns, Moments, Summary
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.summaries import summary_interval, summary_means
from strategies import inputs

MEASURES = ["nDCG@3", "P@3", "RBP(p=0.5)", "Judged@3", "GMAP", "NumRelRet", "infAP", "AP(judged_only=True)", "SetF"]


def moments(values: list[float]) -> Moments:
    table = pl.DataFrame({"query": [str(v) for v in range(len(values))], "status": "scored", "P": values})
    return Summary.of(table.cast({"status": pl.String, "P": pl.Float64})).moments("P")


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_interval_is_students(values, confidence):
    found = summary_interval(moments(values), confidence=confidence)
    own = interval(values, method="t", confidence=confidence)
    if np.std(values) < 1e-6:
        return
    low, high = stats.t.interval(confidence, len(values) - 1, np.mean(values), stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(own.low, abs=1e-8), pytest.approx(own.high, abs=1e-8))
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-8), pytest.approx(high, abs=1e-8))
    assert (found.estimate, found.n) == (pytest.approx(own.estimate, abs=1e-15), own.n)
    assert (found.method, found.confidence, found.outcome) == (own.method, own.confidence, "")


@pytest.mark.parametrize("values", [[], [0.25], [0.1] * 7])
def test_what_is_degenerate_has_the_outcome_of_the_values_themselves(values):
    found, own = summary_interval(moments(values)), interval(values, method="t")
    assert (found.n, found.outcome, found.method) == (own.n, own.outcome, own.method)
    assert found.outcome
    assert found.low == (None if len(values) < 2 else 0.1)
    assert (found.estimate, found.high) == (values[0] if values else None, found.low)


def test_values_with_squares_beyond_float64_have_no_interval():
    found = summary_interval(moments([1e200, 3e200]))
    assert (found.estimate, found.low, found.high) == (2e200, None, None)
    assert found.outcome == "values whose squares are beyond float64"


@pytest.mark.parametrize("confidence", [0, 1, 1.5, math.nan])
def test_a_confidence_is_between_0_and_1(confidence):
    with pytest.raises(ParameterError, match="confidence"):
        summary_interval(Moments(3, 0.5, 0.1), confidence=confidence)


def rows_of(qrels, run):
    rows = [(query, doc, float(at)) for query, docs in run.items() for doc, at in docs.items()]
    judged = [(query, doc, float(grade)) for query, docs in qrels.items() for doc, grade in docs.items()]
    ids = {"query": pl.String, "doc": pl.String}
    return (
        pl.DataFrame(rows, schema=ids | {"score": pl.Float64}, orient="row"),
        pl.DataFrame(judged, schema=ids | {"grade": pl.Float64}, orient="row"),
    )


@given(inputs(), st.sampled_from(["default", "trec_eval", "beir", "sklearn", "gdeval", "ranx", "msmarco"]))
@settings(max_examples=80)
def test_means_are_those_of_the_memory_engine(given_, convention):
    qrels, run = given_
    try:
        expected = rg.evaluate(qrels, run, MEASURES, convention=convention).mean()
    except rg.InputError:  # nothing was left of the run
        return
    rows, judged = rows_of(qrels, run)
    top = float(max(1, judged["grade"].max()))
    chosen = plan(MEASURES, convention, order="score", top_grade=top)
    found = summary_means(chosen.summary(score(rows, chosen, judged)), chosen.columns)
    for ours, theirs in zip(found.iter_rows(named=True), expected.iter_rows(named=True), strict=True):
        for name in ("measure", "n", "undefined"):
            assert ours[name] == theirs[name]
        if chosen.how.queries == "judged":
            assert ours["missing"] == theirs["missing"]
        for name in ("mean", "unjudged", "tie_low", "tie_high", "residual_unjudged", "residual_tail"):
            if name == "unjudged" and "judged_only" in ours["measure"]:
                assert ours[name] is None
            elif theirs[name] is None:
                assert ours[name] is None, (ours["measure"], name)
            else:
                assert ours[name] == pytest.approx(theirs[name], rel=1e-12, abs=1e-12), (ours["measure"], name)


def test_every_group_has_a_row_for_every_measure():
    table = pl.DataFrame(
        {
            "day": ["tue", "mon", "mon", None],
            "query": ["a", "a", "b", "a"],
            "status": ["scored", "scored", "missing", "scored"],
            "P@3": [0.5, 1.0, 0.0, None],
            "GMAP": [0.25, 1.0, 0.25, 0.5],
            "N": [1.0, 2.0, 3.0, 4.0],
        }
    )
    columns = (MeasureColumns("P@3"), MeasureColumns("GMAP", "geometric"), MeasureColumns("N", "sum"))
    found = summary_means(Summary.of(table, ["day"], ["GMAP"]), columns)
    assert found.select("day", "measure", "n", "undefined", "missing").rows() == [
        (None, "P@3", 0, 1, 0), (None, "GMAP", 1, 0, 0), (None, "N", 1, 0, 0),
        ("mon", "P@3", 2, 0, 1), ("mon", "GMAP", 2, 0, 1), ("mon", "N", 2, 0, 1),
        ("tue", "P@3", 1, 0, 0), ("tue", "GMAP", 1, 0, 0), ("tue", "N", 1, 0, 0),
    ]  # fmt: skip
    assert found["mean"].to_list() == pytest.approx([None, 0.5, 4.0, 0.5, 0.5, 5.0, 0.5, 0.25, 1.0])
    assert found.filter(measure="P@3", day="mon").select("low", "high").row(0) == pytest.approx(
        stats.t.interval(0.95, 1, 0.5, 0.5)
    )
    assert found.filter(pl.col("measure") != "P@3").select(pl.col("low", "high").null_count()).row(0) == (6, 6)


def test_means_are_rounded_where_the_convention_rounds_them():
    table = pl.DataFrame({"query": ["a", "b", "c"], "status": "scored", "P": [1.0, 0.0, 0.0]})
    found = summary_means(Summary.of(table), [MeasureColumns("P", decimals=5), MeasureColumns("P")])
    assert found["mean"].to_list() == [0.33333, 1 / 3]
