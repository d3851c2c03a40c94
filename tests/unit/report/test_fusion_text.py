"""Fusion as text: the list of methods, what tuning found, the docs' page."""

from __future__ import annotations

import csv
import io
import json

import pytest

import rankgauge as rg
from rankgauge.fusion import METHODS, NORMS
from rankgauge.fusion.sources import SOURCES
from rankgauge.report.fusion import filled, render_methods, render_tuned, summary

QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
RUNS = {
    "good": {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(6)},
    "bad": {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(6)},
}


@pytest.fixture(scope="module")
def tuned():
    return rg.tune(QRELS, RUNS, measure="RR", methods=["CombSUM", "wsum"], norms=["min-max"], folds=3)


def test_the_list_has_every_method_and_normalisation():
    text = render_methods()
    assert all(name in text for name in [*METHODS, *NORMS])
    rows = list(csv.DictReader(io.StringIO(render_methods(format="csv"))))
    assert [row["method"] for row in rows] == list(METHODS)


def test_every_source_is_cited_and_every_citation_is_known():
    assert {known.cite for known in (*METHODS.values(), *NORMS.values())} - {""} == set(SOURCES)


def test_every_method_says_what_it_does_and_its_formula():
    for method in METHODS.values():
        assert method.summary.endswith(".") and method.equation.startswith("score = "), method.name
        assert all(parameter.help for parameter in method.parameters.values()), method.name


def test_the_page_is_filled_with_tables():
    page = filled("{{methods}}\n\n{{norms}}\n\n{{sources}}\n")
    assert page.count("\n| `") == len(METHODS) + len(NORMS) and page.count("\n- ") == len(SOURCES)


def test_the_summary_counts_the_queries_that_gained_and_lost(tuned):
    assert summary(tuned).splitlines() == [
        "chosen of 12 ways: WSUM(norm=min-max, weights=0.6,0.4)",
        "held out: 1.0000 RR on 6 queries, chosen without them",
        "best single run: 1.0000 held out, chosen in the same manner (good has 1.0000 on all)",
        "the difference: +0.0000 held out; better on 0 queries, worse on 0, equal on 6",
        "in sample: 1.0000, on the queries it was chosen on: too good, not for reports",
    ]


def test_the_table_holds_the_best_ways_and_csv_and_json_all(tuned):
    listed = [line for line in render_tuned(tuned).splitlines() if line.startswith("  ") and "norm=min-max" in line]
    assert len(listed) == 10 and str(tuned.chosen) in listed[0]
    assert len(render_tuned(tuned, format="csv").splitlines()) == 12 + 1
    said = json.loads(render_tuned(tuned, format="json"))
    assert len(said["trials"]) == 12 and said["chosen"] == str(tuned.chosen)
