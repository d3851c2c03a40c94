"""`rankgauge quantize` in this process: what it writes, prints and refuses."""

from __future__ import annotations

import functools
import json

import pytest

from onnx_bert import write_folder
from rankgauge.retrieval.models import find_model

TEXTS = {"d1": "refund card", "d2": "opening hours shop", "d3": "bank days", "d4": "monday closed"}
QUERIES = {"q1": "how days", "q2": "shop hours"}


@pytest.fixture
def quantize(rankgauge, tmp_path):
    for name, texts in (("corpus", TEXTS), ("asked", QUERIES)):
        lines = [json.dumps({"_id": id_, "text": text}) for id_, text in texts.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    (tmp_path / "l1.run").write_text("".join(f"{q} Q0 {d} 1 {n} t\n" for q in QUERIES for n, d in enumerate(TEXTS)))
    (tmp_path / "judged.txt").write_text("q1 0 d3 1\nq2 0 d2 1\n")
    write_folder(tmp_path / "full", labels=1)
    return functools.partial(rankgauge, "quantize", "full", "-o", "small")


def test_a_model_is_written_in_8_bits_and_the_change_is_told(quantize):
    done = quantize("--int8")
    assert (done.code, done.err) == (0, "written: small\n")
    lines = dict(line.split(": ", 1) for line in done.out.splitlines())
    assert list(lines) == [
        "size", "pairs per second", "rank correlation of 48 scores", "largest difference of a score",
    ]  # fmt: skip
    assert find_model("small").quantizes_activations


def test_texts_of_ones_own_are_compared_on(quantize):
    done = quantize("--queries", "asked.jsonl", "--corpus", "corpus.jsonl", "--sample", "3")
    assert "rank correlation of 6 scores: " in done.out


def test_with_judgments_and_a_run_the_difference_in_ndcg_is_told(quantize):
    named = ("--queries", "asked.jsonl", "--corpus", "corpus.jsonl", "--qrels", "judged.txt", "--run", "l1.run")
    done = quantize(*named, "--depth", "3")
    assert done.code == 0 and "verdict" in done.out
    rows = [line.split()[1:3] for line in done.out.splitlines() if line.lstrip().startswith("nDCG")]
    assert [row[0] for row in rows] == ["full", "int8"] and 0.5 < float(rows[0][1]) <= 1


def test_texts_that_the_run_needs_must_be_there(quantize, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "refund"}\n')
    named = ("--queries", "asked.jsonl", "--corpus", "corpus.jsonl", "--qrels", "judged.txt", "--run", "l1.run")
    done = quantize(*named)
    assert done.code == 1 and "a text per id of the run, got 6 ids of the run without a text (as 'd4')" in done.err


def test_half_of_what_ndcg_needs_is_misuse(quantize):
    done = quantize("--run", "l1.run")
    assert done.code == 2 and "the difference in nDCG needs --qrels, --queries, --corpus too" in done.err
    assert quantize("--no-int8").code == 2
