"""Comparisons and gates as text."""

from __future__ import annotations

import csv
import io
import json
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pytest

import rankgauge as rg
from rankgauge.report.comparison import as_json, render_comparison
from rankgauge.report.gate import junit, markdown, render_gate

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


@pytest.fixture(scope="module")
def comparison() -> rg.Comparison:
    qrels = rg.read_qrels(GOLDEN / "qrels.second-round.txt")
    runs = [rg.read_run(GOLDEN / f"{name}.run", name=name) for name in ("keyword", "vector", "hybrid")]
    return rg.compare(qrels, runs, ["P@10", "nDCG@10"])


def test_the_verdict_of_each_run_stands_before_the_tables(comparison: rg.Comparison) -> None:
    lines = render_comparison(comparison).splitlines()
    assert lines[0].startswith("▲ BETTER: vector is better than keyword: P@10 +0.0844")
    assert [line[:8] for line in lines if line[:2] in ("▲ ", "~ ")] == ["▲ BETTER", "▲ BETTER"]
    table = next(at for at, line in enumerate(lines) if "95% interval" in line)
    assert all(at < table for at, line in enumerate(lines) if line.startswith("▲"))


def test_every_two_runs_have_their_p_from_three_runs_on(comparison: rg.Comparison) -> None:
    text = render_comparison(comparison, format="markdown")
    assert "| P@10: p of every two (Tukey) | keyword | vector | hybrid |" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| hybrid | ") and line.endswith("|  |")][:1]
    assert row.count("|") == 5


def test_markdown_lists_verdicts_as_bullets(comparison: rg.Comparison) -> None:
    assert render_comparison(comparison, format="markdown").startswith("- ▲ BETTER: vector is better than keyword")


def test_json_has_the_shape_that_the_page_reads(comparison: rg.Comparison) -> None:
    found = json.loads(json.dumps(as_json(comparison)))
    assert found["baseline"] == "keyword"
    assert [(v["run"], v["verdict"]) for v in found["verdicts"]] == [("vector", "better"), ("hybrid", "better")]
    assert [len(row) for one in found["everyone"] for row in one["p"]] == [3] * 6
    assert found["thresholds"]["alpha"] == 0.05
    values = found["per_query"]["values"]["nDCG(gain='exp')@10"]["vector"]
    assert len(values) == len(found["per_query"]["queries"]) == 32
    assert values[found["per_query"]["queries"].index("q18")] is None
    assert as_json(comparison, per_query=False)["per_query"] is None


def test_csv_has_one_row_per_pair_and_no_nested_values(comparison: rg.Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(render_comparison(comparison, format="csv"))))
    assert [(row["measure"], row["run"]) for row in rows] == [
        ("P@10", "vector"), ("P@10", "hybrid"), ("nDCG(gain='exp')@10", "vector"), ("nDCG(gain='exp')@10", "hybrid"),
    ]  # fmt: skip
    assert not any(value.startswith(("[", "{")) for row in rows for value in row.values())


def test_latex_is_the_table_with_booktabs(comparison: rg.Comparison) -> None:
    text = render_comparison(comparison, format="latex")
    assert text.startswith("\\begin{tabular}") and "\\midrule" in text and "BETTER" not in text


def test_a_gate_says_its_answer_first_in_every_form() -> None:
    qrels = rg.read_qrels(GOLDEN / "qrels.txt")
    runs = [rg.read_run(GOLDEN / f"{name}.run", name=name) for name in ("keyword", "vector")]
    found = rg.gate(qrels, *runs, ["nDCG@10", "Success@10"])
    assert render_gate(found).splitlines()[0] == "CANNOT TELL"
    assert markdown(found).splitlines()[0] == "## CANNOT TELL: vector against keyword"
    assert "- judge the documents that `rankgauge holes` lists" in markdown(found).splitlines()
    said = json.loads(render_gate(found, format="json"))
    assert (said["outcome"], said["exit_code"], len(said["checks"])) == ("inconclusive", 3, 2)
    assert len(list(csv.DictReader(io.StringIO(render_gate(found, format="csv"))))) == 2
    assert "\\toprule" in render_gate(found, format="latex")


def test_junit_holds_names_and_messages_of_any_content() -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(9)}
    first, last = ({q: {"a": sign, "b": 0.0} for q in qrels} for sign in (1.0, -1.0))
    found = rg.gate(qrels, rg.Run.from_dict(first, name="a<b"), rg.Run.from_dict(last, name='"&'), "RR")
    suite = ElementTree.fromstring(junit(found))[0]
    assert (suite[0].get("classname"), suite.get("failures")) == ('rankgauge."&', "1")
    (failure,) = suite[0].findall("failure")
    assert failure.get("type") == "worse"
