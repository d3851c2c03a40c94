"""The convention pytrec_eval beside pytrec_eval-terrier itself, called in the test: every measure in common."""

import pytest
from hypothesis import given, settings

import rankgauge as rg
from oracles import inputs, pytrec, trec
from oracles.compare import assert_agree, ours

DL19 = "data/collections/trec-dl-2019-passage"
REAL = {
    "graded, negative scores": (f"{DL19}/qrels.txt", f"{DL19}/runs/p_bert.run.gz"),
    "graded": (f"{DL19}/qrels.txt", f"{DL19}/runs/bm25base_p.run.gz"),
    "almost all tied": ("data/conformance/vaswani/qrels", "data/conformance/vaswani/coord.run.gz"),
    "negative grades": (
        "data/conformance/trec-qrels/web.151-200.qrels",
        "data/conformance/trec-web-2012/rm-catb.run.gz",
    ),
}


@settings(max_examples=60, deadline=None)
@given(inputs.collections())
def test_every_query_has_the_tools_value(collection):
    qrels, run = collection
    expected = pytrec.per_query(qrels, run)
    assert_agree(ours(qrels, run, expected, "pytrec_eval"), expected)


@settings(max_examples=20, deadline=None)
@given(inputs.collections())
def test_a_higher_relevance_level_gives_the_tools_value(collection):
    qrels, run = collection
    expected = pytrec.per_query(qrels, run, level=2)
    how = rg.CONVENTIONS["pytrec_eval"].but(level=2)
    assert_agree(ours(qrels, run, expected, how), expected)


@settings(max_examples=20, deadline=None)
@given(inputs.collections(grades=(-1, 0, 1, 2)))
def test_a_mean_is_over_the_queries_that_both_have(collection):
    qrels, run = collection
    values = pytrec.per_query(qrels, run)["nDCG@10"]
    mean = rg.evaluate(qrels, run, "nDCG@10", convention="pytrec_eval").mean()
    assert mean["n"].item() == len(values)
    assert mean["mean"].item() == pytest.approx(sum(values.values()) / len(values), abs=1e-12)


def test_scores_that_differ_past_float32_are_ties():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": inputs.CLOSE, "z": 1.0}}
    assert pytrec.per_query(qrels, run)["RR"] == {"q": 0.5}
    assert ours(qrels, run, ["RR"], "pytrec_eval") == {"RR": {"q": 0.5}}
    assert ours(qrels, run, ["RR"], "trec_eval") == {"RR": {"q": 1.0}}


@pytest.mark.parametrize("kind", REAL)
def test_real_runs_have_the_tools_values(shared, kind):
    qrels, run = REAL[kind]
    qrels, run = trec.read_qrels(shared / qrels), trec.read_run(shared / run)
    expected = pytrec.per_query(qrels, run)
    assert_agree(ours(qrels, run, expected, "pytrec_eval"), expected)
