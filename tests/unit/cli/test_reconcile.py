"""The verb reconcile: what it prints in each form, and how it exits."""

from __future__ import annotations

import csv
import functools
import io
import json
from importlib import resources
from pathlib import Path

import pytest

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


@pytest.fixture
def reconcile(rankgauge):
    return functools.partial(rankgauge, "reconcile")


GIVEN = ("qrels.txt", "keyword.run", "-m", "nDCG@10")


def test_a_tools_number_exits_with_0_and_names_the_tool(reconcile):
    done = reconcile(*GIVEN, "--reported", "0.8561")
    assert done.code == 0
    assert "nDCG@10 of keyword, reported as 0.8561 (from 0.85605 to 0.85615): the value of default, gdeval." in done.out
    assert "No effect on this data: negative, drop self, score type." in done.out
    assert "would have these digits by chance" in done.out


def test_a_number_that_nothing_gives_exits_with_3_and_shows_each_choice(reconcile):
    done = reconcile(*GIVEN, "--reported", "0.853111", "--changes", "1")
    assert done.code == 3
    assert "no convention gives it. The nearest:" in done.out
    assert "One choice at a time, from default:" in done.out
    assert "exp -> linear" in done.out


def test_a_match_that_chance_would_give_as_well_is_called_no_evidence(reconcile):
    done = reconcile(*GIVEN, "--reported", "0.87", "--changes", "2")
    assert done.code == 3
    assert "Chance alone would do as much: this is no evidence." in done.out


def test_json_holds_everything(reconcile):
    said = json.loads(reconcile(*GIVEN, "--reported", "0.8561", "--format", "json").out)
    assert said["found"] is True
    assert said["explanations"][0]["tools"] == ["default", "gdeval"]
    assert said["reported"] == {"text": "0.8561", "value": 0.8561, "low": 0.85605, "high": 0.85615}
    assert {"axis", "before", "after", "value", "difference"} == set(said["sensitivity"][0])
    assert said["tried"]["changes"] == 2


def test_csv_has_one_row_for_each_value(reconcile):
    rows = list(csv.DictReader(io.StringIO(reconcile(*GIVEN, "--reported", "0.8528", "--format", "csv").out)))
    assert rows[0]["changed"] == "gain: linear"
    assert float(rows[0]["value"]) == pytest.approx(0.8528176)


@pytest.mark.parametrize(("format", "sign"), [("markdown", "| value | convention |"), ("latex", "\\begin{tabular}")])
def test_tables_for_pull_requests_and_papers(reconcile, format, sign):
    done = reconcile(*GIVEN, "--reported", "0.8528", "--format", format)
    assert sign in done.out
    if format == "latex":
        assert done.out.startswith("% nDCG@10 of keyword")


def test_two_tools_are_told_apart_choice_by_choice(reconcile):
    done = reconcile("qrels.txt", "vector.run", "-m", "nDCG@10", "--between", "default", "sklearn")
    assert done.code == 0
    assert "+0.038036, from 3 choices, over 21 queries with other values." in done.out
    assert "Not shown: 1 of the queries that differ; CSV and JSON have all." in done.out
    assert "Different choices without effect on this data: ties (docid-desc -> expected)" in done.out


def test_the_difference_as_json_adds_up(reconcile):
    arguments = ("qrels.txt", "vector.run", "-m", "nDCG@10", "--between", "default", "sklearn", "--format", "json")
    said = json.loads(reconcile(*arguments).out)
    assert sum(step["contribution"] for step in said["steps"]) == pytest.approx(said["difference"])
    assert len(said["queries"]) == 21


def test_the_difference_as_csv_has_one_row_for_each_query(reconcile):
    arguments = ("qrels.txt", "vector.run", "-m", "nDCG@10", "--between", "default", "sklearn", "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(reconcile(*arguments).out)))) == 21


def test_a_rank_column_that_cannot_be_followed_is_said_to_be_left_out(reconcile, tmp_path):
    (tmp_path / "flat.run").write_text("q01 Q0 a 1 2.0 t\nq01 Q0 b 1 1.0 t\n")
    done = reconcile("qrels.txt", "flat.run", "-m", "RR", "--reported", "0.9")
    assert "note: the rank column is not tried: " in done.err
    assert done.code in (0, 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--reported or --between"),
        (("--reported", "0.5", "--between", "ranx", "beir"), "--reported or --between"),
        (("--reported", "a lot"), "reported: expected a number as printed"),
        (("--between", "ranx", "bear"), "no convention named 'bear'"),
    ],
)
def test_misuse_exits_with_2(reconcile, arguments, said):
    done = reconcile(*GIVEN, *arguments)
    assert done.code == 2
    assert said in done.err
