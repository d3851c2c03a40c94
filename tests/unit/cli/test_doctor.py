"""`rankgauge doctor` in this process: what it prints and how it exits."""

from __future__ import annotations

import csv
import functools
import io
import json
import shlex
from importlib import resources
from pathlib import Path

import pytest

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


@pytest.fixture
def doctor(rankgauge):
    return functools.partial(rankgauge, "doctor")


def test_an_error_exits_with_one_and_says_what_to_do(doctor):
    done = doctor("qrels.txt", "keyword.run", "vector.run")
    assert done.code == 1
    assert "unjudged: run 'vector': 33.9% of the first 10 documents were not judged" in done.out
    assert "-> judge these documents first" in done.out


def test_the_example_of_the_help_runs(doctor):
    said = " ".join(doctor("--help").out.split())
    example = said.partition("Example: rankgauge doctor ")[2].split(" ╭")[0].split(" Arguments")[0]
    words = shlex.split(example.split(" Options")[0])
    done = doctor(*words[: words.index("queries.jsonl") + 1])
    assert (done.code, done.err) == (0, "")
    assert "Nothing forbids decisions on it" in done.out


def test_warnings_count_when_strict(doctor):
    assert doctor("qrels.txt").code == 0
    assert doctor("qrels.txt", "--strict").code == 1


def test_judgments_that_contradict_each_other_are_reported_and_not_refused(doctor, tmp_path):
    (tmp_path / "twice.txt").write_text("".join(f"q{i} 0 a 1\nq{i} 0 b 0\n" for i in range(30)) + "q1 0 a 0\n")
    done = doctor("twice.txt")
    assert done.code == 1
    assert "conflicting-judgments: 1 document judged inconsistently for the same query" in done.out
    assert "such as query 'q1', document 'a': grades 1, 0" in done.out


def test_other_faults_of_a_file_stay_errors_of_the_reader(doctor, tmp_path):
    (tmp_path / "bad.txt").write_text("q 0 a high\nq 0 b\n")
    done = doctor("bad.txt")
    assert (done.code, done.out) == (1, "")
    assert "bad.txt:1" in done.err
    assert "bad.txt:2" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "NDGC"], "did you mean 'nDCG'"),
        (["--limit", "few_query=3"], "did you mean 'few_queries'"),
        (["--limit", "few_queries=many"], "expected a number, got 'many'"),
    ],
)
def test_misuse_exits_with_two(doctor, arguments, said):
    done = doctor("qrels.txt", *arguments)
    assert done.code == 2
    assert said in done.err


def test_a_limit_and_a_level_change_what_is_found(doctor):
    said = json.loads(doctor("qrels.txt", "--format", "json", "--limit", "few_queries=50", "-l", "3").out)
    found = {f["check"]: f for f in said["findings"]}
    assert found["number-of-queries"]["severity"] == "warning"
    assert "without a document of grade 3 or higher" in found["no-relevant"]["says"]


def test_texts_and_formats(doctor):
    done = doctor("qrels.txt", "--queries", "queries.jsonl", "--corpus", "corpus.jsonl", "--format", "csv")
    rows = {row["check"]: row for row in csv.DictReader(io.StringIO(done.out))}
    assert rows["near-duplicate-queries"]["severity"] == "ok"
    assert rows["texts-judged-differently"]["severity"] == "ok"
    assert rows["unjudged"]["severity"] == "not checked"
    assert doctor("qrels.txt", "--format", "markdown").out.count("\n| --- |") == 1
