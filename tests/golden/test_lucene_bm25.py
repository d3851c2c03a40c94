"""BM25 beside Lucene's, score by score: tests/golden/data/lucene_bm25.json (8.7.0, make_lucene_goldens.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.formulas import Scoring, byte_length
from rankgauge.retrieval.protocols import Document

WORLDS = json.loads((Path(__file__).parent / "data" / "lucene_bm25.json").read_text())["worlds"]
FLOAT32 = 1e-6
"""Lucene sums in float32."""


def documents(world):
    texts = [" ".join(word for word, n in doc.items() for _ in range(n)) for doc in world["docs"]]
    return [Document(str(place), text) for place, text in enumerate(texts)]


def scores(index, query):
    return {int(doc): score for doc, score in index.search(" ".join(query), 1000)}


@pytest.mark.parametrize("number", range(3))
def test_the_exact_engine_gives_lucenes_scores_where_one_byte_holds_the_lengths(tmp_path, number):
    world, said = WORLDS["short"], WORLDS["short"]["lucene"][number]
    scoring = Scoring("lucene", k1=said["k1"], b=said["b"])
    index = BM25Index.build(tmp_path, documents(world), tokenizer="plain", scoring=scoring)
    for query, expected in zip(world["queries"], said["scores"], strict=True):
        found = scores(index, query)
        assert found == pytest.approx({int(doc): score for doc, score in expected.items()}, rel=FLOAT32)
        assert list(found) == sorted(found, key=lambda doc: (-found[doc], doc))


@pytest.mark.parametrize("name", ["short", "long"])
def test_tantivy_gives_lucenes_scores_times_k1_plus_1(tmp_path, name):
    world, said = WORLDS[name], WORLDS[name]["lucene"][0]
    assert (said["k1"], said["b"]) == (1.2, 0.75)
    index = BM25Index.build(tmp_path, documents(world), tokenizer="plain")
    for query, expected in zip(world["queries"], said["scores"], strict=True):
        assert scores(index, query) == pytest.approx({int(d): 2.2 * s for d, s in expected.items()}, rel=FLOAT32)


@pytest.mark.parametrize("number", range(3))
def test_lucenes_scores_of_long_documents_are_those_of_lengths_in_one_byte(number):
    world, said = WORLDS["long"], WORLDS["long"]["lucene"][number]
    scoring = Scoring("lucene", k1=said["k1"], b=said["b"])
    lengths = np.array([sum(doc.values()) for doc in world["docs"]])
    norm = scoring.norm(byte_length(lengths).astype(float), float(lengths.mean()))
    for query, expected in zip(world["queries"], said["scores"], strict=True):
        for place, score in expected.items():
            doc, ours = world["docs"][int(place)], 0.0
            for word in query:
                containing = sum(word in other for other in world["docs"])
                if word in doc:
                    worth = scoring.saturated(np.array([float(doc[word])]), norm[[int(place)]])[0]
                    ours += scoring.weight(len(lengths), containing) * worth
            assert ours == pytest.approx(score, rel=FLOAT32)


def test_the_exact_formula_differs_from_lucene_on_long_documents_and_not_by_more_than_lengths_are_rounded(tmp_path):
    world, said = WORLDS["long"], WORLDS["long"]["lucene"][0]
    index = BM25Index.build(tmp_path, documents(world), tokenizer="plain", scoring=Scoring("lucene"))
    ratios = [
        expected[str(doc)] / score
        for query, expected in zip(world["queries"], said["scores"], strict=True)
        for doc, score in scores(index, query).items()
    ]
    # A length is rounded down by less than an eighth, so that no score is below the exact one.
    assert 1 - FLOAT32 < min(ratios) and 1.01 < max(ratios) < 8 / 7
