"""A checkup as text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json

import pytest

import rankgauge as rg
from clinic import judged, returned
from rankgauge.checkup import CHECKS
from rankgauge.errors import ParameterError
from rankgauge.report.checkup import page, render_checkup


@pytest.fixture(scope="module")
def checkup() -> rg.Checkup:
    return rg.doctor(judged(4) | {"empty": {"a|b": 0, "c": -1}}, {"mine": returned(4)})


def test_the_text_groups_by_severity_and_ends_with_what_was_not_checked(checkup):
    text = render_checkup(checkup)
    headings = [line for line in text.splitlines() if line[:1].isupper() and line.split(":")[0].isupper()]
    assert headings == [
        "ERROR: no decision should rest on this",
        "WARNING: weakens decisions",
        "INFO: worth knowing",
        "OK",
        "NOT CHECKED",
    ]
    assert "  no-relevant: 1 query of 5 without a document of grade 1 or higher\n    such as query 'empty'\n" in text
    assert "    -> find relevant documents for them" in text
    assert "  pool-bias: because it takes two runs\n" in text
    assert max(map(len, text.splitlines())) <= 110
    assert "\x1b" not in text


def test_the_first_lines_say_what_was_looked_at_and_the_outcome(checkup):
    first, second = render_checkup(checkup).splitlines()[:2]
    assert first == "qrels: 14 judgments of 5 queries, 1 run; measures nDCG(gain='exp')@10, AP, RR, R@100."
    assert second.startswith("Not fit to decide on as it is: 1 error, ")
    assert render_checkup(rg.doctor(judged(30))).splitlines()[1].startswith("Nothing forbids decisions on it: 0 errors")


def test_json_holds_every_finding_and_what_was_not_checked(checkup):
    said = json.loads(render_checkup(checkup, format="json"))
    assert list(said) == ["fit", "counts", "findings", "not_checked", "input"]
    assert said["fit"] is False
    assert len(said["findings"]) == len(checkup.findings)
    assert said["counts"]["error"] == len(checkup.of("error"))
    assert {"check": "pool-bias", "because": "it takes two runs"} in said["not_checked"]
    assert said["input"]["cutoff"] == 10


def test_what_the_readers_noticed_is_said(tmp_path):
    (tmp_path / "qrels.txt").write_text("# by hand\nq 0 a 1\nq 0 b 0\n")
    said = rg.doctor(rg.read_qrels(tmp_path / "qrels.txt"))
    assert "NOTED WHILE READING\n  1 lines that start with # were read as comments\n" in render_checkup(said)
    assert json.loads(render_checkup(said, format="json"))["input"]["notes"][0]["kind"] == "comments"


def test_csv_has_one_row_per_finding_and_per_check_that_was_not_made(checkup):
    rows = list(csv.DictReader(io.StringIO(render_checkup(checkup, format="csv"))))
    assert len(rows) == len(checkup.findings) + len(checkup.not_checked)
    found = next(row for row in rows if row["check"] == "no-relevant")
    assert (found["severity"], found["count"], found["of"], found["run"]) == ("warning", "1", "5", "")


@pytest.mark.parametrize(("format", "sign"), [("markdown", "| --- |"), ("latex", "\\begin{tabular}")])
def test_tables_for_pull_requests_and_papers(checkup, format, sign):
    assert sign in render_checkup(checkup, format=format)


def test_an_unknown_format_is_an_error(checkup):
    with pytest.raises(ParameterError, match="did you mean 'json'"):
        render_checkup(checkup, format="jsn")  # type: ignore[arg-type]


def test_the_docs_page_lists_every_check_and_threshold():
    text = page()
    assert all(f"| `{name}` |" in text for name in [*CHECKS, *vars(rg.CheckupLimits())])
