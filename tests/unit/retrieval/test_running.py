"""From retrievers to runs, one retriever or several."""

from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import MethodError
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.hybrid import HybridRetriever
from rankgauge.retrieval.protocols import Hits, Retriever
from rankgauge.retrieval.running import retrieve
from unit.retrieval.worlds import ANIMALS

QUERIES = {"q1": "cat", "q2": "nothing", "q3": "sing fish"}


class Fixed:
    """Finds what it is told to."""

    def __init__(self, name, **found):
        self.name, self.found = name, found

    def __len__(self):
        return 9

    def search(self, query, k, *, allowed=None):
        hits = [(doc, score) for doc, score in self.found.get(query, []) if allowed is None or doc in allowed][:k]
        return Hits(tuple(doc for doc, _ in hits), np.array([score for _, score in hits], dtype=np.float64))


FIRST = Fixed("first", cat=[("a", 9.0), ("b", 8.0), ("c", 7.0)], sing=[("a", 1.0)])
SECOND = Fixed("second", cat=[("c", 0.9), ("d", 0.8)])


@pytest.fixture
def index(tmp_path):
    return BM25Index.build(tmp_path / "i", ANIMALS, tokenizer="en")


def test_a_run_holds_the_hits_of_every_query_and_says_which_found_nothing(index):
    run = retrieve(index, QUERIES, 10)
    assert run.name == "bm25" and run.queries.to_list() == ["q1", "q3"]
    assert run.to_dict()["q1"] == dict(index.search("cat", 10))
    assert [note.text for note in run.notes] == ["1 of 3 queries found nothing: 'q2'"]


def test_a_run_may_be_empty(index):
    run = retrieve(index, {"q": "nothing"}, 10, name="mine")
    assert (len(run), run.name, len(run.notes)) == (0, "mine", 1)


def test_k_allowed_and_progress_reach_the_search(index):
    said = []
    run = retrieve(index, QUERIES, 1, allowed=frozenset(["dog", "fish"]), progress=lambda *step: said.append(step))
    assert {query: list(docs) for query, docs in run.to_dict().items()} == {"q1": ["dog"], "q3": ["fish"]}
    assert said == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(MethodError, match="k: expected 1 or more"):
        retrieve(index, {}, 0)


def test_hybrid_search_is_the_fusion_of_the_runs():
    queries = {"q1": "cat", "q2": "sing", "q3": "none"}
    hybrid = HybridRetriever([FIRST, SECOND])
    assert isinstance(hybrid, Retriever) and hybrid.name == "rrf(first,second)" and len(hybrid) == 9
    run = retrieve(hybrid, queries, 10)
    fused = rg.fuse([retrieve(retriever, queries, 1000) for retriever in (FIRST, SECOND)], method="rrf")
    assert run.to_dict() == fused.to_dict()
    assert hybrid.search("cat", 2).docs == ("c", "a")
    assert hybrid.search("cat", 1).scores.tolist() == [1 / 63 + 1 / 61]


def test_the_number_of_hits_does_not_change_what_they_get():
    hybrid = HybridRetriever([FIRST, SECOND], depth=3)
    assert [list(hybrid.search("cat", k)) for k in (1, 2)] == [list(hybrid.search("cat", 3))[:k] for k in (1, 2)]
    assert HybridRetriever([FIRST, SECOND], depth=2).search("cat", 3).docs[0] == "c"
    assert HybridRetriever([FIRST, SECOND], depth=2).search("cat", 2).scores.tolist() == [1 / 61, 1 / 61]


def test_methods_weights_and_filters_reach_the_fusion():
    hybrid = HybridRetriever([FIRST, SECOND], method="wsum", norm="none", weights=[1, 10], name="mine")
    assert dict(hybrid.search("cat", 10)) == {"c": 16.0, "a": 9.0, "b": 8.0, "d": 8.0}
    assert hybrid.search("cat", 10, allowed=frozenset("bd")).docs == ("d", "b")
    assert len(hybrid.search("none", 10)) == 0
    assert hybrid.placed("cat", 10) == {"first": {"a": 1, "b": 2, "c": 3}, "second": {"c": 1, "d": 2}}


def test_a_hybrid_needs_two_retrievers_and_a_depth():
    with pytest.raises(MethodError, match="expected two or more retrievers, got 1"):
        HybridRetriever([FIRST])
    with pytest.raises(MethodError, match="expected a depth of 1 or more, got 0"):
        HybridRetriever([FIRST, SECOND], depth=0)
    with pytest.raises(MethodError, match="k: expected 1 or more"):
        HybridRetriever([FIRST, SECOND]).search("cat", 0)
