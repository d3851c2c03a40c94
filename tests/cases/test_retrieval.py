"""Faults reported of other retrieval engines, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.protocols import Document

CORPORA = {
    "none": [],
    "all_empty": ["", ""],
    "some_empty": ["", "quick god", "quick fox"],
    "normal": ["foo", "dog", "baz", "quick god", "quick fox"],
}


@pytest.mark.parametrize("engine", ["tantivy", "exact"])
@pytest.mark.parametrize("language", ["en", "plain", "multi"])
def test_edges_of_bm25_give_no_results_and_no_exception(tmp_path, engine, language):
    """Case bm25-edge-corpora; by hand."""
    found = {}
    for name, texts in CORPORA.items():
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        index = BM25Index.build(tmp_path / name, documents, tokenizer=language, engine=engine)
        found[name] = index.search("quick", 10)
    assert {name: hits.docs for name, hits in found.items()} == {
        "none": (), "all_empty": (), "some_empty": ("1", "2"), "normal": ("3", "4"),
    }  # fmt: skip
    for name in ("some_empty", "normal"):
        scores = found[name].scores
        assert np.isfinite(scores).all() and scores[0] == scores[1] > 0
    assert index.search("zzz", 10).docs == index.search("", 10).docs == ()
