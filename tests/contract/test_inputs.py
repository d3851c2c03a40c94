"""What the memory engine owes: the same numbers whatever way the input came, and inputs left as they were."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from strategies import inputs, one_query, shuffled

MEASURES = ["nDCG@3", "AP", "RR", "P@5", "bpref", "infAP", "ERR@10", "Q", "RBP", "Judged@5", "SetP", "NumRelRet"]
NUMBERS = ("values", "low", "high", "unjudged", "residual_unjudged", "residual_tail", "counted")
few = settings(max_examples=40)


def frame(nested: dict[str, dict[str, float]], value: str) -> pl.DataFrame:
    rows = [(query, doc, number) for query, docs in nested.items() for doc, number in docs.items()]
    return pl.DataFrame(rows, schema={"query": pl.String, "doc": pl.String, value: pl.Float64}, orient="row")


def same(one: rg.Scores, other: rg.Scores) -> None:
    """To the bit, and with the same remarks."""
    assert one.queries.to_list() == other.queries.to_list()
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
    assert one.counts == other.counts
    assert one.notes == other.notes


@few
@given(inputs())
def test_dicts_polars_pandas_and_arrow_give_the_same_numbers(given_):
    qrels, run = given_
    tables = frame(qrels, "grade"), frame({q: docs for q, docs in run.items() if docs}, "score")
    expected = rg.evaluate(qrels, run, MEASURES)
    for judged, ranking in (tables, [t.to_pandas() for t in tables], [t.to_arrow() for t in tables]):
        same(rg.evaluate(rg.Qrels.from_frame(judged), rg.Run.from_frame(ranking), MEASURES), expected)


@few
@given(inputs(), st.data())
def test_interleaved_queries_give_the_same_numbers(given_, data):
    qrels, run = given_
    rows = data.draw(shuffled(run))
    table = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
    expected, found = rg.evaluate(qrels, run, MEASURES), rg.evaluate(qrels, rg.Run.from_frame(table), MEASURES)
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)


@few
@given(inputs(), st.sampled_from(["docid-desc", "docid-asc", "input", "expected"]))
def test_evaluating_twice_gives_the_same_and_changes_no_input(given_, ties):
    before = copy.deepcopy(given_)
    qrels, run = rg.Qrels.from_dict(given_[0]), rg.Run.from_dict(given_[1])
    same(rg.evaluate(qrels, run, MEASURES, ties=ties), rg.evaluate(qrels, run, MEASURES, ties=ties))
    same(rg.evaluate(qrels, run, MEASURES, ties=ties), rg.evaluate(*given_, MEASURES, ties=ties))
    assert given_ == before


@few
@given(inputs())
def test_every_rule_for_ties_stays_within_the_interval(given_):
    qrels, run = given_
    for ties in ("docid-desc", "docid-asc", "input", "expected"):
        scores = rg.evaluate(qrels, run, MEASURES, ties=ties)
        assert not (scores.values < scores.low).any()
        assert not (scores.values > scores.high).any()


@few
@given(one_query())
def test_a_ranking_without_ties_is_the_same_under_every_rule(given_):
    qrels, run = given_
    untied = {"q": {doc: -float(place) for place, doc in enumerate(run["q"])}}
    expected = rg.evaluate(qrels, untied, MEASURES)
    for ties in ("docid-asc", "input", "expected"):
        same(rg.evaluate(qrels, untied, MEASURES, ties=ties), expected)


def test_pandas_ids_of_either_text_type_are_taken():
    table = pd.DataFrame({"query": ["007"], "doc": ["1e5"], "grade": [1], "score": [1.0]})
    for dtype in (object, "str", "string", "category"):
        typed = table.astype({"query": dtype, "doc": dtype})
        scores = rg.evaluate(rg.Qrels.from_pandas(typed), rg.Run.from_pandas(typed), "RR")
        assert scores.of("run", "RR") == {"007": 1.0}


def test_an_expected_mean_is_the_mean_of_expected_values():
    qrels = {"a": {"r": 1}, "b": {"r": 1, "n": 0}}
    run = {"a": dict.fromkeys(["r", "x", "y", "z"], 1.0), "b": {"n": 2.0, "r": 1.0, "x": 1.0}}
    row = rg.evaluate(qrels, run, "RR", ties="expected").mean().row(0, named=True)
    assert row["mean"] == pytest.approx(((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4 + (1 / 2 + 1 / 3) / 2) / 2, abs=1e-15)
    assert (row["tie_low"], row["tie_high"]) == ((1 / 4 + 1 / 3) / 2, (1 + 1 / 2) / 2)
