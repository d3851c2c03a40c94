"""`rankgauge judge` and `certify` beside a server on loopback that grades by words in common."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

import rankgauge as rg
from judge_worlds import Says, server

TEXTS = ("--texts", "corpus.jsonl", "--queries", "queries.jsonl")
SHALLOW = (*TEXTS, "-k", "2")
RUNS = ("qrels.txt", "keyword.run", "vector.run")
DATA = re.compile(r"\[BEGIN DATA (\w+)\]\n(.*?)\n\[END DATA \1\]", re.DOTALL)


def words(text):
    return set(re.findall(r"\w{4,}", text.lower()))


def overlap(body, before=0):
    asked = body["messages"][-1]["content"]
    query, *passages = (text for _, text in DATA.findall(asked))
    grades = [min(3, len(words(query) & words(passage))) for passage in passages]
    if "Passage 1:" not in asked:
        return json.dumps({"reason": "", "grade": grades[0]})
    entries = [{"passage": number, "reason": "", "grade": grade} for number, grade in enumerate(grades, 1)]
    return json.dumps({"grades": entries})


@pytest.fixture
def judge():
    with server(overlap) as told:
        yield told


def at(told, name="overlap"):
    return "--judge-url", told.address, "--judge-model", name


def test_holes_are_filled_and_nobody_can_tell(rankgauge, judge):
    found = rankgauge("judge", *RUNS, *TEXTS, *at(judge), "-o", "filled.txt", "--labels", "labels.txt")
    assert found.code == 3
    assert found.out.startswith("? NOT COMPARABLE OFFLINE: vector and keyword")
    assert "people did not judge 33.9% of what one run shows" in found.out
    labels, filled, human = (rg.read_qrels(name).to_dict() for name in ("labels.txt", "filled.txt", "qrels.txt"))
    sources = pl.read_csv("filled.txt.provenance.csv", schema_overrides={"query": pl.String, "doc": pl.String})
    assert {source.partition("-")[0] for source in sources["source"]} == {"human", "llm:overlap:relevance/en@1"}
    for query, docs in labels.items():
        for doc, grade in docs.items():
            assert filled[query][doc] == grade
    for row in sources.filter(pl.col("replaced").is_not_null()).iter_rows(named=True):
        assert human[row["query"]][row["doc"]] == row["replaced"]
    assert len(judge.asked) == sum(map(len, labels.values()))


def test_a_second_time_nobody_is_asked_and_the_outcome_is_the_same(rankgauge, judge):
    command = ("judge", *RUNS, *SHALLOW, *at(judge), "--format", "json")
    first, count = rankgauge(*command), len(judge.asked)
    second = rankgauge(*command)
    assert (second.out, len(judge.asked)) == (first.out, count)
    replay = ("--judge-url", f"replay:{judge.address}", "--judge-model", "overlap")
    assert rankgauge("judge", *RUNS, *SHALLOW, *replay, "--format", "json").out == first.out
    assert {way["unjudged documents"] for way in json.loads(first.out)[0]["ways"]} >= {"unjudged=0", "both-arms"}


def test_a_dry_run_asks_nobody(rankgauge, judge):
    found = rankgauge("judge", *RUNS, *SHALLOW, *at(judge), "--dry-run", "--price", "1,2")
    assert (found.code, judge.asked) == (0, [])
    calls = int(re.search(r"calls +(\d+)", found.out)[1])
    assert re.search(r"cost +0\.\d{4} at most", found.out)
    rankgauge("judge", *RUNS, *SHALLOW, *at(judge))
    assert len(judge.asked) == calls


@pytest.mark.parametrize("fill", ["calibrated", "holes"])
def test_other_policies(rankgauge, judge, fill):
    found = rankgauge("judge", *RUNS, *SHALLOW, *at(judge), "--fill", fill, "-o", "filled.txt")
    assert found.code == 3
    filled, human = (rg.read_qrels(name).to_dict() for name in ("filled.txt", "qrels.txt"))
    for query, docs in human.items():
        assert {doc: filled[query][doc] for doc in docs} == docs
    assert ("a judge kinder than people" in found.err) == (fill == "holes")


def test_one_run_is_filled_without_a_verdict(rankgauge, judge):
    found = rankgauge("judge", *RUNS[:2], *TEXTS, *at(judge), "--batch", "5", "-o", "filled.txt")
    assert (found.code, found.out) == (0, "")
    assert len(judge.asked) < 100


def test_too_many_failures_end_it_and_what_came_is_kept(rankgauge):
    def answer(body, before):
        return overlap(body) if len(words(body["messages"][-1]["content"])) % 3 else Says(None, refusal="no")

    with server(answer) as told:
        found = rankgauge("judge", *RUNS, *SHALLOW, *at(told), "-o", "filled.txt")
        assert found.code == 1
        assert re.search(r"judge: expected at most 2% of \d+ without an answer, got \d+ \(refused \d+\)", found.err)
        assert not Path("filled.txt").exists()
        asked = len(told.asked)
        assert rankgauge("judge", *RUNS, *SHALLOW, *at(told), "--max-failed", "0.9").code == 3
        assert len(told.asked) == asked


def test_the_budget_stops_it(rankgauge, judge):
    found = rankgauge("judge", *RUNS, *SHALLOW, *at(judge), "--price", "1000,1000", "--budget", "0.5")
    assert found.code == 1
    assert "budget" in found.err
    assert 0 < len(judge.asked) < 60


def test_texts_of_another_collection_are_refused(rankgauge, judge):
    found = rankgauge("judge", *RUNS, "--texts", "queries.jsonl", "--queries", "queries.jsonl", *at(judge))
    assert found.code == 1
    assert "texts: expected both texts of 477 pairs, got of none" in found.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge-url", "http://127.0.0.1:9/v1"), "expected an address and a model's name"),
        (("--judge-model", "m"), "expected an address and a model's name"),
        (("--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "m", "--timeout", "soon"), "expected a time"),
        (("--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "m", "--budget", "1"), "budget: expected a price"),
    ],
)
def test_misuse(rankgauge, words, said):
    found = rankgauge("judge", *RUNS, *TEXTS, *words)
    assert found.code == 2
    assert said in found.err


def test_names_with_colons_are_not_taken_for_emoji(rankgauge, judge):
    found = rankgauge("judge", *RUNS[:2], *SHALLOW, *at(judge, "m"), "--batch", "20")
    assert "graded by llm:m:relevance/en@1-" in found.err


def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(rankgauge):
    enough = threading.Event()

    def slow(body, before):
        if len(told.asked) >= 6:
            enough.set()
        return Says(overlap(body), delay=0.05)

    with server(slow) as told:
        command = [sys.executable, "-m", "rankgauge", "judge", *RUNS[:2], *SHALLOW, *at(told)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert enough.wait(60)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        kept = int(re.search(r"interrupted; (\d+) answers are kept in judge.sqlite", said)[1])
        asked = len(told.asked)
        assert 0 < kept <= asked
        assert rankgauge(*command[3:]).code == 0
        assert len({one["messages"][-1]["content"] for one in told.asked}) == len(told.asked) - (asked - kept)


def test_people_s_file_is_not_written_over(rankgauge, judge):
    found = rankgauge("judge", *RUNS, *TEXTS, *at(judge), "-o", "qrels.txt")
    assert found.code == 1
    assert "people's judgments stay as they are" in found.err
    assert judge.asked == []


def test_a_key_of_openai_is_not_sent_to_others(rankgauge, judge, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    rankgauge("judge", *RUNS[:2], *SHALLOW, *at(judge), "--batch", "20")
    assert {one["authorization"] for one in judge.headers} == {"Bearer none"}


def test_a_key_is_taken_from_the_environment(rankgauge, judge, monkeypatch):
    monkeypatch.setenv("SECRET", "sesame")
    rankgauge("judge", *RUNS[:2], *SHALLOW, *at(judge), "--judge-key-env", "SECRET", "--batch", "20")
    assert {one["authorization"] for one in judge.headers} == {"Bearer sesame"}
    found = rankgauge("judge", *RUNS, *SHALLOW, *at(judge), "--judge-key-env", "NOTHING")
    assert (found.code, "environment variable NOTHING: expected a key" in found.err) == (1, True)


def test_a_judge_is_certified_and_probed(rankgauge, judge):
    found = rankgauge("certify", "qrels.txt", *TEXTS, *at(judge), "--sample", "120", "--probes", "10", "-o", "c.json",
                      "--format", "json", "--level", "2")  # fmt: skip
    assert found.code == 0
    told = json.loads(found.out)
    assert told["n"] == 120
    probes = {one["name"]: one for one in told["probes"]}
    assert set(probes) == {"scale order", "batch order", "padding", "repetition", "injection"}
    assert probes["scale order"]["share"]["estimate"] == 1.0
    assert probes["batch order"]["share"]["estimate"] == 1.0
    asked = len(judge.asked)
    again = rankgauge("certify", "qrels.txt", *TEXTS, *at(judge), "--sample", "120", "--probes", "0", "--level", "2",
                      "--earlier", "c.json")  # fmt: skip
    assert (again.code, len(judge.asked)) == (0, asked)


def test_a_dry_certificate_asks_nobody(rankgauge, judge):
    found = rankgauge("certify", "qrels.txt", *TEXTS, *at(judge), "--dry-run")
    assert (found.code, judge.asked) == (0, [])
    assert "probes     about 300 calls more" in found.out
