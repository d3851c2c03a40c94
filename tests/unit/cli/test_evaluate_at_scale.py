"""`rankgauge evaluate` on logs and on runs too large for memory: which engine, what it prints, how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from rankgauge.engines.results import read_results

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq3 0 d 0\n"
RUN = "q1 Q0 b 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 x 3 1.0 t\nq3 Q0 d 1 1.0 t\nq9 Q0 z 1 1.0 t\n"
LOG = pl.DataFrame(
    [("q1", "b", 1, 0.0), ("q1", "a", 2, 2.0), ("q1", "x", 3, None), ("q3", "d", 1, 0.0), ("q9", "z", 1, None)],
    {"query_id": pl.String, "document_id": pl.String, "model_rank": pl.Int64, "relevance_score": pl.Float64},
    orient="row",
)
NAMES = "query=query_id,doc=document_id,rank=model_rank,grade=relevance_score"


@pytest.fixture(autouse=True)
def small(rankgauge, tmp_path: Path) -> None:
    """Judgments, a run and logs of two days, beside the golden set."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "sys.run").write_text(RUN)
    for day in ("2026-06-25", "2026-06-26"):
        folder = tmp_path / "logs" / f"date={day}"
        folder.mkdir(parents=True)
        LOG.write_parquet(folder / "part-0.parquet")


def scores(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(text)["scores"]
    return found


def test_logs_are_scored_day_by_day(rankgauge):
    done = rankgauge("evaluate", "logs/", "-m", "RR", "-m", "Judged@2", "--columns", NAMES, "-o", "out")
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines() if "2026" in line]
    assert [row[:3] for row in rows] == [
        ["2026-06-25", "RR", "0.2500"],
        ["2026-06-25", "Judged@2", "1.0000"],
        ["2026-06-26", "RR", "0.2500"],
        ["2026-06-26", "Judged@2", "1.0000"],
    ]
    assert done.err.count("the ideal ranking knows the judged rows of the log only") == 1
    assert "in 2 of 2 groups" not in done.err  # each day says the same
    assert "1 queries without judgments were left out" in done.err
    assert read_results("out").summary.counted() == 4


def test_without_days_the_same_query_twice_is_one_ranking(rankgauge):
    done = rankgauge("evaluate", "logs/", "-m", "RR", "--columns", NAMES, "--by", "none")
    assert done.code == 1
    assert "query 'q1'" in done.err
    kept = rankgauge(
        "evaluate",
        "logs/",
        "-m",
        "RR",
        "--columns",
        NAMES,
        "--by",
        "none",
        "--on-duplicate",
        "first",
        "--format",
        "json",
    )
    assert [row["mean"] for row in scores(kept.out)] == [0.25]
    assert "5 documents were dropped: repeated ones, the first of each was kept" in kept.err


@pytest.mark.parametrize(
    "words",
    [
        ("qrels.txt", "sys.run"),
        ("qrels.txt", "sys.run", "--engine", "stream"),
        ("qrels.txt", "sys.run", "-o", "out"),
        ("qrels.txt", "sys.run", "-o", "out", "--engine", "memory"),
        ("sys.run", "--qrels", "qrels.txt"),
    ],
    ids=["memory", "stream", "with a folder", "memory, with a folder", "judgments beside"],
)
def test_every_way_to_measure_a_run_gives_the_same_means(rankgauge, words):
    done = rankgauge("evaluate", *words, "-m", "nDCG@10", "-m", "RR", "--format", "json")
    assert done.code == 0
    shown = [
        (row["measure"], round(row["mean"], 4), row["n"], row["undefined"], row["missing"]) for row in scores(done.out)
    ]
    assert shown == [("nDCG(gain='exp')@10", 0.3155, 2, 1, 1), ("RR", 0.1667, 3, 0, 1)]
    assert "1 judged queries have no results" in done.err
    assert "1 queries without judgments were left out" in done.err


def test_the_rank_column_decides_where_the_convention_says_so(rankgauge, tmp_path):
    table = pl.DataFrame({"query": ["q1", "q1"], "doc": ["a", "b"], "rank": [2, 1], "score": [9.0, 1.0]})
    table.write_parquet(tmp_path / "both.parquet")
    for words in ((), ("--engine", "stream")):
        found = [
            scores(rankgauge("evaluate", "qrels.txt", "both.parquet", "-m", "RR", *words, *how, "--format", "json").out)
            for how in (("--queries", "both"), ("--queries", "both", "--convention", RANKED))
        ]
        assert [[row["mean"] for row in rows] for rows in found] == [[1.0], [0.5]]


RANKED = next(name for name, how in __import__("rankgauge").CONVENTIONS.items() if how.order == "rank")


def test_judgments_beside_logs_reach_what_was_not_retrieved(rankgauge):
    done = rankgauge(
        "evaluate", "logs/date=2026-06-26/part-0.parquet", "--qrels", "qrels.txt", "--columns", NAMES, "-m", "R@10",
        "--format", "json",
    )  # fmt: skip
    assert done.code == 0
    assert [(row["mean"], row["missing"]) for row in scores(done.out)] == [(0.5, 1)]
    assert "the ideal ranking knows" not in done.err


def test_means_can_be_over_queries_with_results_only(rankgauge):
    both = [
        scores(
            rankgauge(
                "evaluate", "qrels.txt", "sys.run", "-m", "RR", "--queries", "both", "--format", "json", *words
            ).out
        )
        for words in ((), ("--engine", "stream"))
    ]
    assert [[(row["mean"], row["n"], row["missing"]) for row in rows] for rows in both] == [
        [(0.25, 2, 1)],
        [(0.25, 2, 0)],
    ]


def test_csv_and_json_carry_every_digit_and_the_counts(rankgauge):
    words = ("evaluate", "logs/*2026-06-26", "-m", "RR", "--columns", NAMES)
    row = next(csv.DictReader(io.StringIO(rankgauge(*words, "--format", "csv").out)))
    assert (row["date"], float(row["mean"]), row["n"]) == ("2026-06-26", 0.25, "2")
    said = json.loads(rankgauge(*words, "--format", "json").out)["input"]
    assert (said["engine"], said["order"], said["by"], said["out"]) == ("stream", "rank", ["date"], None)
    group = {"date": "2026-06-26", "scored": 2, "missing": 0, "left out": 1, "not counted": 0}
    assert said["groups"] == [group | {"retrieved": 5, "judged": 3, "tied": 0}]
    assert "ideal" in [note["kind"] for note in said["notes"]]


@pytest.mark.parametrize(("format", "sign"), [("markdown", "| 95% interval |"), ("latex", "95\\% interval")])
def test_tables_name_their_interval(rankgauge, format, sign):
    assert sign in rankgauge("evaluate", "logs", "-m", "RR", "--columns", NAMES, "--format", format).out


def test_a_day_computed_again_replaces_that_day(rankgauge, tmp_path):
    words = ("-m", "RR", "--columns", NAMES, "-o", "out", "--format", "json")
    rankgauge("evaluate", "logs/", *words)
    LOG[:3].write_parquet(tmp_path / "logs" / "date=2026-06-26" / "part-0.parquet")
    again = rankgauge("evaluate", "logs/date=2026-06-26/", *words)
    assert [(row["date"], row["mean"]) for row in scores(again.out)] == [("2026-06-26", 0.5)]
    whole = read_results("out").summary
    assert [whole.moments("RR", date=day).mean for day in ("2026-06-25", "2026-06-26")] == [0.25, 0.5]


def test_trusted_ranks_need_no_ids(rankgauge):
    done = rankgauge("evaluate", "logs", "-m", "RR", "--columns", NAMES, "--trust-ranks")
    assert done.code == 0
    assert "ids were not read" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("logs", "--by-query"), "queries' values are not printed at scale; -o FOLDER keeps them as parquet"),
        (("qrels.txt", "sys.run", "b.run", "-o", "out"), "expected judgments and one run, got 2 runs; put a glob in"),
        (("logs", "--memory", "lots"), "expected an amount such as 2GB or 500MB, got 'lots'"),
    ],
)
def test_what_makes_no_sense_is_misuse(rankgauge, words, message):
    done = rankgauge("evaluate", *words)
    assert done.code == 2
    assert message in re.sub(r"[\s│]+", " ", done.err)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("qrels.txt",),
            "qrels.txt: expected logs with grades on their rows (parquet, arrow, csv, tsv, jsonl), got a file",
        ),
        (("nowhere/",), "nowhere"),
        (("logs", "--columns", "grade=relevence_score"), "did you mean 'relevance_score'"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(rankgauge, words, message):
    done = rankgauge("evaluate", *words)
    assert done.code == 1
    assert message in done.err
    assert "Traceback" not in done.err


def test_spark_that_is_not_installed_is_said(rankgauge, monkeypatch):
    monkeypatch.setitem(sys.modules, "rankgauge.cli.on_spark", None)
    done = rankgauge("evaluate", "logs", "--engine", "spark", "--columns", NAMES)
    assert done.code == 1
    assert "pip install 'rankgauge[spark]'" in done.err


PROGRAM = """
import os, signal, sys
from rankgauge.cli import main
from rankgauge.engines import batch

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may be told to ignore it
score = batch.score

def interrupted(*given):
    os.kill(os.getpid(), signal.SIGINT)
    return score(*given)

batch.score = interrupted
main()
"""


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (("-o", "out"), "error: interrupted; the same command goes on from what is finished in out\n"),
        ((), "error: interrupted; without -o nothing is kept\n"),
    ],
)
def test_an_interrupted_command_says_how_to_go_on(tmp_path, out, said):
    words = [sys.executable, "-c", PROGRAM, "evaluate", "logs", "-m", "RR", "--columns", NAMES, *out]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"NO_COLOR": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)
