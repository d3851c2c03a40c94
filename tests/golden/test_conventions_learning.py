"""The conventions sklearn and lightgbm beside the tools themselves, called in the test."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from oracles import inputs
from oracles.compare import assert_agree, ours

learning = pytest.importorskip("oracles.learning")
GRADES = (0, 0, 1, 2, 3, 4)


def kept(values, expected):
    return {measure: {q: values[measure][q] for q in queries} for measure, queries in expected.items()}


@settings(max_examples=40)
@given(inputs.collections(grades=GRADES))
def test_scikit_learn_has_our_value_of_the_retrieved_documents(collection):
    qrels, run = collection
    expected = {measure: queries for measure, queries in learning.sklearn(qrels, run).items() if queries}
    assert_agree(kept(ours(qrels, run, learning.SKLEARN, "sklearn"), expected), expected) if expected else None


@settings(max_examples=20)
@given(inputs.collections(grades=GRADES, queries=("1",)))
def test_appended_judged_documents_give_scikit_learn_the_ideal_of_all(collection):
    qrels, run = collection
    lowest = min(run["1"].values()) - 1
    padded = {"1": run["1"] | {doc: lowest for doc in qrels["1"] if doc not in run["1"]}}
    if len(padded["1"]) < 2:
        return
    k = min(2, len(run["1"]))
    expected = learning.ndcg_score([[qrels["1"].get(d, 0) for d in padded["1"]]], [list(padded["1"].values())], k=k)
    found = ours(qrels, run, [f"nDCG@{k}"], rg.CONVENTIONS["sklearn"].but(ideal="judged"))
    assert found[f"nDCG@{k}"]["1"] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=15)
@given(inputs.collections(grades=GRADES), st.booleans())
def test_lightgbm_has_our_value_of_each_query(collection, with_zero):
    qrels, run = collection
    # its data hold the candidates of a query and nothing else
    qrels = {query: {doc: qrels[query].get(doc, 0) for doc in run[query]} for query in qrels if query in run}
    if with_zero:
        qrels["99"], run["99"] = {"a": 0, "b": 0}, {"a": 2.0, "b": 1.0}
    expected = learning.lightgbm_per_query(qrels, run)
    assert_agree(ours(qrels, run, learning.LIGHTGBM, "lightgbm"), expected)
    scores = rg.evaluate(qrels, run, list(learning.LIGHTGBM), convention="lightgbm")
    means = learning.lightgbm_means(qrels, run)
    assert scores.mean()["mean"].to_list() == pytest.approx([means[name] for name in learning.LIGHTGBM], abs=1e-9)
