from __future__ import annotations

import csv
import io
import json

import pytest

import rankgauge as rg
from rankgauge.errors import ParameterError
from rankgauge.judges.certificate import certify
from rankgauge.judges.certificate_file import from_json
from rankgauge.judges.labels import JudgeLabels
from rankgauge.judges.probes import Probe
from rankgauge.report.certificate import render_certificate, summary
from rankgauge.statistics.proportions import wilson

HUMAN = rg.Qrels.from_dict({f"q{q}": {f"d{i}": (i * q) % 4 for i in range(12)} for q in range(12)}, name="people")
JUDGE = rg.Qrels.from_dict(
    {f"q{q}": {f"d{i}": min(3, (i * q) % 4 + (i % 3 == 0)) for i in range(11)} for q in range(12)}
)
PROBE = Probe("injection", "a higher grade", wilson(3, 60), None, False, 0.0, False, 60, 2)


@pytest.fixture(scope="module")
def certificate():
    labels = JudgeLabels.from_qrels(JUDGE, source="llm:llama-3", failed=[("q0", "d11", "refused")])
    first = certify(HUMAN, labels, level=2, resamples=200)
    return certify(HUMAN, labels, level=2, rankers=["rankllama"], probes=[PROBE], earlier=first, resamples=200)


def test_the_summary_says_what_it_may_be_used_for(certificate):
    assert summary(certificate) == (
        "llm:llama-3 beside people: 132 pairs of 12 queries have both labels.\n"
        "Of pairs with a human label it failed on 1 and was not asked about 11.\n"
        "May be used for: nothing. Not for: prediction-powered, both-arms, calibrated, holes, instead of people."
    )


def test_the_text_has_every_number_the_cross_table_and_the_reasons(certificate):
    text = render_certificate(certificate, digits=2)
    assert "quadratic kappa" in text and "alpha (ordinal)" in text and "AC2 (quadratic)" in text
    assert "kappa, grade 2 and up (asked for)" in text
    assert "PEOPLE'S GRADES BY THE JUDGE'S" in text
    assert "  no  prediction-powered: 100 pairs or more have both labels;" in text
    assert "but probes not passed: injection" in text
    assert "but of its own family: rankllama (llama)" in text
    assert "OF THE JUDGE'S OWN FAMILY\n  rankllama: llama" in text
    assert "the same: bias: " in text
    assert "NOT PASSED: a higher grade, at most 0%, 2 without a grade" in text
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert max(map(len, text.splitlines())) <= 130


def test_csv_has_a_row_per_number_use_probe_and_change(certificate):
    rows = list(csv.DictReader(io.StringIO(render_certificate(certificate, format="csv"))))
    found = {row["what"]: row for row in rows}
    assert float(found["bias"]["value"]) == certificate.bias.estimate
    assert found["use: holes"]["says"].startswith("no: probes not passed: injection")
    assert found["circular"]["says"] == "rankllama is of the judge's family: llama"
    assert found["change: judge"]["says"].startswith("no: ")
    assert found["probe: injection"]["n"] == "60"


def test_markdown_begins_with_the_summary_and_ends_with_the_cross_table(certificate):
    text = render_certificate(certificate, format="markdown")
    assert text.startswith(summary(certificate))
    assert "| people \\ judge | 0 | 1 | 2 | 3 |" in text


def test_json_is_the_certificate_itself(certificate):
    text = render_certificate(certificate, format="json")
    assert json.loads(text)["format"] == "rankgauge certificate 1"
    assert from_json(text) == certificate


def test_latex_is_a_table_and_another_format_is_refused(certificate):
    assert render_certificate(certificate, format="latex").startswith("\\begin{tabular}")
    with pytest.raises(ParameterError, match="did you mean 'json'"):
        render_certificate(certificate, format="jsn")
