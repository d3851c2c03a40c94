"""A classification in words."""

from __future__ import annotations

import csv
import io
import json

import pytest

from rankgauge.errors import ParameterError
from rankgauge.measures.classification import classify
from rankgauge.report.classification import FORMATS, render_classification


@pytest.fixture(scope="module")
def result():
    return classify([1, 0, 1, 0, None], [0.5, 0.5, 0.7, 0.1, 0.3])


TABLE = """\
4 items: 2 positive, 2 negative (prevalence 0.5000)

  measure                value   at threshold
 ─────────────────────────────────────────────
  ROC-AUC               0.8750
  AP                    0.8333
  PR-AUC(trapezoidal)   0.9167
  Brier                 0.1500
  Accuracy              0.7500            0.5
  Balanced accuracy     0.7500            0.5
  Precision             0.6667            0.5
  Recall                1.0000            0.5
  FPR                   0.5000            0.5
  Specificity           0.5000            0.5
  F1                    0.8000            0.5
  MCC                   0.5774            0.5
  Best F1               0.8000            0.5


  score >= 0.5   called positive   called negative
 ──────────────────────────────────────────────────
  is positive                  2                 0
  is negative                  1                 1

note: 1 of 5 items have no label and were left out
note: 4 items have 3 distinct scores: tied items are decided together
"""


def test_the_table_is_readable_without_colour(result):
    assert render_classification(result, format="table") == TABLE


def test_the_json_has_the_shape_of_every_verb_that_scores(result):
    said = json.loads(render_classification(result, format="json"))
    assert said["scores"][0] == {"measure": "ROC-AUC", "value": 0.875, "threshold": None}
    assert said["per_query"] == []
    assert said["confusion"] == {"threshold": 0.5, "tp": 2, "fp": 1, "tn": 1, "fn": 0}
    assert said["input"] == {"n": 4, "positives": 2, "negatives": 2, "dropped": 1}
    assert [note["kind"] for note in said["notes"]] == ["unlabelled", "ties"]


def test_csv_keeps_every_digit(result):
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(render_classification(result, format="csv")))}
    assert float(rows["AP"]["value"]) == result.average_precision
    assert rows["F1"] == {"measure": "F1", "value": repr(result.confusion.f1), "threshold": "0.5"}


def test_the_markdown_has_a_table_of_measures_and_one_of_counts(result):
    lines = render_classification(result, format="markdown").splitlines()
    assert "| ROC-AUC | 0.8750 |  |" in lines
    assert "| is negative | 1 | 1 |" in lines
    assert lines[-1] == "- 4 items have 3 distinct scores: tied items are decided together"


def test_the_latex_is_a_tabular(result):
    text = render_classification(result, format="latex")
    assert text.startswith("\\begin{tabular}{lrr}\n")
    assert "ROC-AUC & 0.8750 &  \\\\\n" in text


def test_an_undefined_value_is_never_a_number():
    one_class = classify([0, 0], [0.9, 0.2])
    assert "| ROC-AUC | undefined |  |" in render_classification(one_class, format="markdown")
    assert "ROC-AUC,,\n" in render_classification(one_class, format="csv")
    said = json.loads(render_classification(one_class, format="json"), parse_constant=pytest.fail)
    assert said["scores"][0]["value"] is None


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_ends_with_one_line_break(result, format):
    text = render_classification(result, format=format)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_an_unknown_format_is_an_error(result):
    with pytest.raises(ParameterError, match="got 'jsn'; did you mean 'json'"):
        render_classification(result, format="jsn")
