"""`rankgauge holes` from the listing to the merged judgments."""

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
def call(rankgauge):
    return functools.partial(rankgauge, "holes")


PAIR = ("qrels.txt", "keyword.run", "vector.run")


def test_the_table_lists_as_many_as_the_budget_and_says_what_they_hold(call):
    code, out, err = call(*PAIR, "--budget", "3")
    assert code == 0
    assert [line.split()[1] for line in out.splitlines()[3:6]] == [
        "hybrid-weights",
        "shopper-empty-page",
        "exchange-size",
    ]
    assert "111 documents in the first 10 of keyword, vector have no judgment; the 3 listed hold 8% of" in err


def test_json_and_csv_carry_every_digit(call):
    told = json.loads(call(*PAIR, "--budget", "2", "--format", "json")[1])
    assert (told["found"], told["depth"], len(told["holes"])) == (111, 10, 2)
    rows = list(csv.DictReader(io.StringIO(call(*PAIR, "--budget", "2", "--format", "csv")[1])))
    assert [float(row["influence"]) for row in rows] == [hole["influence"] for hole in told["holes"]]
    assert rows[0]["rank of keyword"] == ""


def test_a_pool_is_written_judged_and_merged_with_its_source(call, tmp_path):
    texts = ("--corpus", "corpus.jsonl", "--queries", "queries.jsonl")
    code, out, err = call(*PAIR, "-m", "nDCG@5", "--budget", "4", "-o", "pool.csv", *texts)
    assert (code, out) == (0, "")
    assert "4 documents -> pool.csv" in err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "pool.csv").read_text())))
    assert all(row["query text"] and row["doc text"] for row in rows)
    for row, grade in zip(rows, ("3", "0", "", ""), strict=True):
        row["grade"] = grade
    with (tmp_path / "judged.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    code, _, err = call("qrels.txt", "--merge", "judged.csv", "-o", "new.txt", "--source", "human:round2")
    assert code == 0
    assert "2 rows without a grade were read as unjudged" in err
    assert "380 judgments -> new.txt, where they came from -> new.txt.provenance.csv" in err
    sources = [row["source"] for row in csv.DictReader(io.StringIO((tmp_path / "new.txt.provenance.csv").read_text()))]
    assert (sources.count("qrels"), sources.count("human:round2")) == (378, 2)
    assert call("new.txt", "keyword.run", "vector.run", "-m", "nDCG@10", "--format", "json")[1].count('"doc"') == 109


def test_a_conflict_is_an_error_and_writes_nothing(call, tmp_path):
    first = (tmp_path / "qrels.txt").read_text().split()
    (tmp_path / "judged.txt").write_text(f"{first[0]} 0 {first[2]} {int(first[3]) + 1}\n")
    merge = ("qrels.txt", "--merge", "judged.txt", "-o", "new.txt", "--source", "s")
    code, _, err = call(*merge)
    assert code == 1
    assert "look at both" in err
    assert not (tmp_path / "new.txt").exists()
    code, _, err = call(*merge, "--on-conflict", "replace")
    assert code == 0
    assert "1 other grades were replaced" in err


def test_the_old_judgments_are_never_the_file_that_is_written(call):
    (code, _, err) = call("qrels.txt", "--merge", "qrels.second-round.txt", "-o", "./qrels.txt", "--source", "s")
    assert code == 1
    assert "name another file: the old judgments stay as they are" in err


def test_missing_arguments_are_misuse(call):
    assert call("qrels.txt")[0] == 2
    assert call("qrels.txt", "--merge", "qrels.second-round.txt", "-o", "new.txt")[0] == 2
    assert call("qrels.txt", "--merge", "qrels.second-round.txt", "--source", "s")[0] == 2


def test_nothing_to_judge_is_said(call, tmp_path):
    code, _, err = call("qrels.second-round.txt", "keyword.run", "vector.run", "-o", "pool.txt")
    assert code == 0
    assert "nothing is unjudged: pool.txt was not written" in err
    assert not (tmp_path / "pool.txt").exists()


def test_documents_without_a_text_are_counted(call, tmp_path):
    (tmp_path / "few.jsonl").write_text('{"_id": "hybrid-weights", "text": "t"}\n')
    _, _, err = call(*PAIR, "--budget", "3", "-o", "pool.jsonl", "--corpus", "few.jsonl")
    assert "note: 2 rows have no doc text in the file" in err
