"""Conventions beside values that BEIR, ranx, XGBoost and PySpark gave, stored by make_goldens.py.

Each file in data/ names its tool, version and command.
"""

import json
from pathlib import Path

import pytest

import rankgauge as rg
from oracles.compare import assert_agree, ours

DATA = Path(__file__).parent / "data"


def stored(tool):
    return json.loads((DATA / f"{tool}.json").read_text(encoding="utf-8"))


def means(found, measures, convention, **options):
    how = rg.conventions.convention(convention)
    scores = rg.evaluate(found["qrels"], found["run"], list(measures), convention=convention, **options)
    by_name = dict(scores.mean().select("measure", "mean").iter_rows())
    return {measure: by_name[str(rg.parse(measure).under(how))] for measure in measures}


@pytest.mark.parametrize("tool", ["ranx", "spark", "xgboost"])
def test_every_query_has_the_tools_value(tool):
    found = stored(tool)
    convention = {"spark": "spark_mllib"}.get(tool, tool)
    zero = found["per_query"].pop("nDCG@5 zero", None)
    values = ours(found["qrels"], found["run"], found["per_query"], convention)
    for measure, queries in found["per_query"].items():
        assert_agree({measure: {q: values[measure][q] for q in queries}}, {measure: queries})
    if zero is not None:
        how = rg.CONVENTIONS[convention].but(undefined="zero")
        assert_agree(ours(found["qrels"], found["run"], ["nDCG@5"], how), {"nDCG@5": zero})


@pytest.mark.parametrize("tool", ["spark", "xgboost"])
def test_a_mean_is_the_tools(tool):
    found = stored(tool)
    found["mean"].pop("nDCG@5 zero", None)
    convention = {"spark": "spark_mllib"}.get(tool, tool)
    assert means(found, found["mean"], convention) == pytest.approx(found["mean"], abs=1e-9)


def test_a_mean_is_beirs_to_its_five_digits():
    found = stored("beir")
    relevant = {query: docs for query, docs in found["qrels"].items() if max(docs.values()) > 0}
    ranked = {query: docs for query, docs in found["run"].items() if query in relevant}
    assert means({"qrels": relevant, "run": ranked}, found["mean"], "beir") == found["mean"]


def test_a_mean_of_beir_leaves_out_queries_that_the_run_lacks():
    found = stored("beir")
    half = dict(list(found["run"].items())[::2])
    expected = found["mean_of_half_the_run"]
    assert means({"qrels": found["qrels"], "run": half}, expected, "beir") == expected
