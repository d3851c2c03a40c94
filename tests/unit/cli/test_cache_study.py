"""`rankgauge cache-study` in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onnx_bert import write_folder


@pytest.fixture
def study(rankgauge, tmp_path):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    write_folder(tmp_path / "tiny")
    return lambda *words: rankgauge("cache-study", "idx", "queries.jsonl", *words)


def test_without_a_model_there_are_two_caches_and_with_one_more(study):
    done = study("qrels.txt", "--requests", "100", "--format", "json")
    assert done.code == 0 and "100 requests, " in done.err
    assert [line["cache"] for line in json.loads(done.out)] == ["exact", "exact and words"]
    done = study("--model", "tiny", "--thresholds", "0.9,0.99", "--requests", "50", "--format", "json")
    assert [line["cache"] for line in json.loads(done.out)][2:] == [
        "like 0.9, guarded", "like 0.99, guarded", "like 0.9, no guard", "like 0.99, no guard",
    ]  # fmt: skip


def test_a_log_is_sent_as_it_comes(study):
    Path("log.tsv").write_text("1\tcard refund\n2\trefund card\n3\tcard refund\n")
    done = study("--log", "log.tsv", "--format", "json")
    assert [line["hits"] for line in json.loads(done.out)] == [{"exact": 1}, {"words": 1, "exact": 1}]
    assert "3 requests, 2 different texts\n" in done.err


def test_thresholds_are_numbers(study):
    done = study("--thresholds", "high")
    assert done.code == 2
    assert "expected numbers with commas between, got 'high'" in " ".join(done.err.replace("│", "").split())
