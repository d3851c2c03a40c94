"""The verbs `compare` and `gate`: what they print, write and exit with."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pytest

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))
FIRST, SECOND = GOLDEN / "qrels.txt", GOLDEN / "qrels.second-round.txt"
KEYWORD, VECTOR = GOLDEN / "keyword.run", GOLDEN / "vector.run"


def test_the_verdict_comes_before_the_table(rankgauge):
    done = rankgauge("compare", FIRST, KEYWORD, VECTOR, "-m", "nDCG@10")
    assert done.code == 0
    first, *rest = done.out.splitlines()
    assert first.startswith(
        "? NOT COMPARABLE OFFLINE: vector and keyword cannot be compared offline: 33.9% of what vector"
    )
    assert any("keyword" in line and "baseline" in line and "0.8561" in line for line in rest)
    assert any("vector" in line and "-0.0762" in line and "33.9%" in line for line in rest)


def test_json_holds_the_verdicts_the_pairs_and_the_queries(rankgauge):
    done = rankgauge("compare", SECOND, KEYWORD, VECTOR, "-m", "nDCG@10", "-m", "P@10", "--format", "json")
    said = json.loads(done.out)
    assert [v["verdict"] for v in said["verdicts"]] == ["better"]
    assert [(p["measure"], p["run"], p["verdict"]) for p in said["pairs"]] == [
        ("nDCG(gain='exp')@10", "vector", "better"),
        ("P@10", "vector", "better"),
    ]
    values = said["per_query"]["values"]["nDCG(gain='exp')@10"]
    differences = [b - a for a, b in zip(values["keyword"], values["vector"], strict=True) if a is not None]
    assert said["pairs"][0]["difference"] == pytest.approx(sum(differences) / len(differences), abs=1e-15)
    assert len(said["scores"]) == 4


def test_csv_is_one_row_per_pair_with_every_number(rankgauge):
    done = rankgauge("compare", SECOND, KEYWORD, VECTOR, "-m", "P@10", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert (row["run"], row["verdict"], row["n"]) == ("vector", "better", "32")
    assert float(row["bounds_low"]) <= float(row["difference"]) <= float(row["bounds_high"])
    assert float(row["difference condensed"]) > 0


def test_latex_has_the_rules_of_booktabs(rankgauge):
    done = rankgauge("compare", SECOND, KEYWORD, VECTOR, "--format", "latex")
    assert [rule for rule in (r"\toprule", r"\midrule", r"\bottomrule") if rule in done.out] == [
        r"\toprule", r"\midrule", r"\bottomrule"]  # fmt: skip


def test_the_baseline_can_be_named(rankgauge):
    done = rankgauge("compare", SECOND, KEYWORD, VECTOR, "-m", "P@10", "--baseline", "vector")
    assert done.out.startswith("▼ WORSE: keyword is worse than vector")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((FIRST, KEYWORD), 1, "runs: expected two or more runs, got 1"),
        ((FIRST, KEYWORD, VECTOR, "-m", "NDGC"), 2, "did you mean 'nDCG'"),
        ((FIRST, KEYWORD, VECTOR, "-m", "GMAP"), 2, "expected a measure that is a mean over queries"),
        ((FIRST, KEYWORD, VECTOR, "--alpha", "1.5"), 2, "alpha: expected a number from 0 to 1, got 1.5"),
        ((FIRST, KEYWORD, "nowhere.run"), 1, "nowhere.run"),
    ],
)
def test_a_comparison_that_cannot_be_made_says_why(rankgauge, arguments, code, message):
    done = rankgauge("compare", *arguments)
    assert done.code == code
    assert message in done.err


def test_the_gate_lets_pass_what_is_no_worse(rankgauge):
    done = rankgauge("gate", SECOND, KEYWORD, VECTOR, "-m", "nDCG@10", "--max-drop", "0.01")
    assert (done.code, done.out.splitlines()[0]) == (0, "PASS")


def test_the_gate_stops_what_is_worse(rankgauge):
    done = rankgauge("gate", SECOND, VECTOR, KEYWORD, "-m", "nDCG@10", "--max-drop", "0.01")
    assert (done.code, done.out.splitlines()[0]) == (1, "WORSE")


def test_the_gate_says_that_it_cannot_tell_where_too_much_is_unjudged(rankgauge):
    done = rankgauge("gate", FIRST, KEYWORD, VECTOR, "-m", "nDCG@10", "--max-unjudged", "0.05")
    assert (done.code, done.out.splitlines()[0]) == (3, "CANNOT TELL")
    assert "3.4% of what keyword shows and 33.9% of vector was never judged, 5% is allowed" in done.out


def test_the_gate_says_that_it_cannot_tell_where_there_are_too_few_queries(rankgauge):
    done = rankgauge("gate", GOLDEN / "qrels.first-eight.txt", KEYWORD, VECTOR)
    assert done.code == 3
    assert "8 queries cannot rule out a drop of 0.01" in done.out


def test_the_gate_writes_a_summary_after_what_stands_there_and_junit(rankgauge, tmp_path):
    (tmp_path / "summary.md").write_text("before\n")
    done = rankgauge("gate", SECOND, VECTOR, KEYWORD, "-m", "nDCG@10", "-m", "P@10", "--summary", "summary.md",
                     "--junit", "gate.xml")  # fmt: skip
    assert done.code == 1
    summary = (tmp_path / "summary.md").read_text().splitlines()
    assert summary[:2] == ["before", "## WORSE: keyword against vector"]
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    assert [case.get("name") for case in suite] == ["nDCG(gain='exp')@10", "P@10"]
    assert "more than the allowed drop of 0.01" in suite[0].find("failure").get("message")


def test_the_gate_counts_what_it_cannot_tell_as_errors_in_junit(rankgauge, tmp_path):
    assert rankgauge("gate", FIRST, KEYWORD, VECTOR, "--junit", "gate.xml").code == 3
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


def test_the_gate_exits_2_for_misuse(rankgauge):
    assert rankgauge("gate", FIRST, KEYWORD, VECTOR, "-m", "NDGC").code == 2
    assert rankgauge("gate", FIRST, KEYWORD).code == 2


def test_the_gate_in_a_process_of_its_own_exits_as_it_says(tmp_path):
    command = [sys.executable, "-m", "rankgauge", "gate", FIRST, KEYWORD, VECTOR, "--format", "json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["exit_code"]) == (3, 3)


def test_an_interval_that_includes_0_makes_a_small_p_too_close_to_call(rankgauge):
    done = rankgauge("compare", SECOND, KEYWORD, VECTOR, "-m", "nDCG@10", "--interval", "bca")
    assert done.out.startswith("~ NO DIFFERENCE SEEN")
    assert "too close to call: p is below 0.05, but the interval includes 0" in done.out


def test_measures_over_subtopics_are_compared_on_judgments_by_subtopic(rankgauge):
    done = rankgauge(
        "compare", GOLDEN / "qrels.subtopics.txt", KEYWORD, VECTOR, "-m", "alpha_nDCG@5", "--format", "csv"
    )
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert (row["measure"], row["n"]) == ("alpha_nDCG@5", "6")
