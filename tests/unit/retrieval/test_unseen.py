"""Tests of the learned second stage on its own training queries."""

from __future__ import annotations

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import MethodError
from rankgauge.retrieval.assembly import Lexical
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import Trees, train
from rankgauge.retrieval.ltr_table import table_of
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.rerank import candidates_of
from rankgauge.retrieval.unseen import Unseen

FEW = Trees(rounds=5, smallest_leaf=1, rows=1.0)
WORDS = ["card", "bank", "shop", "refund", "hours", "parcel"]
TEXTS = {f"q{number}": f"{word} please" for number, word in enumerate([*WORDS, "card"])}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    documents = [Document(f"d{number}", f"{word} {'and more ' * number}please") for number, word in enumerate(WORDS)]
    index = Index.build(tmp_path_factory.mktemp("idx") / "i", documents, lexical=Lexical("plain"))
    first = {query: index.retriever("bm25").search(text, 6) for query, text in TEXTS.items()}
    qrels = rg.Qrels.from_dict({f"q{number}": {f"d{number % 6}": 1} for number in range(7)})
    features = Features(index)
    return index, first, features, table_of(features, TEXTS, first, qrels)


def test_each_query_is_scored_by_the_model_that_has_not_seen_it(world):
    index, first, features, table = world
    stage = Unseen.trained(table, TEXTS, features, folds=3, trees=FEW)
    for number, query in enumerate(table.queries):
        text = TEXTS[query]
        others = [row for row, other in enumerate(table.queries) if stage.fold[TEXTS[other]] != stage.fold[text]]
        assert number not in others
        own = train(table.only(others), FEW).scores(table.values[table.rows(number)])
        assert stage.score(candidates_of(text, first[query], index.texts)).tolist() == own.tolist()


def test_queries_of_one_text_are_in_one_fold(world):
    stage = Unseen.trained(world[3], TEXTS, world[2], folds=6, trees=FEW)
    assert len(stage.fold) == 6
    assert sorted(stage.fold.values()) == list(range(6))


def test_a_text_that_nobody_has_seen_gets_the_first_model(world):
    index, first, features, table = world
    stage = Unseen.trained(table, TEXTS, features, folds=2, trees=FEW)
    candidates = candidates_of("another card", first["q0"], index.texts)
    assert stage.score(candidates).tolist() == stage.models[0].scores(features.of(candidates)).tolist()


def test_more_folds_than_texts_are_refused(world):
    with pytest.raises(MethodError, match="at most the 6 queries, got 7"):
        Unseen.trained(world[3], TEXTS, world[2], folds=7, trees=FEW)


def test_scores_are_finite(world):
    index, first, features, table = world
    stage = Unseen.trained(table, TEXTS, features, folds=2, trees=FEW)
    assert np.isfinite(stage.score(candidates_of("card please", first["q0"], index.texts))).all()
