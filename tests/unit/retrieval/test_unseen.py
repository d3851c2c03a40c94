"""Tests of the learned second stage on its own training queries."""

from __future__ import annotations

import pytest

import rankgauge as rg
from rankgauge.errors import MethodError
from rankgauge.retrieval._digest import digest
from rankgauge.retrieval.assembly import Lexical
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import LambdaMART, Trees, train
from rankgauge.retrieval.ltr_table import table_of
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.rerank import candidates_of
from rankgauge.retrieval.stages import load_stage
from rankgauge.retrieval.unseen import Folds, Unseen

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


def staged(world, folds):
    _index, _, features, table = world
    return Unseen(LambdaMART(train(table, FEW), features), Folds.trained(table, TEXTS, folds=folds, trees=FEW))


def test_each_training_query_is_scored_by_the_model_that_has_not_seen_it(world):
    index, first, _features, table = world
    stage = staged(world, 3)
    fold = [stage.folds.fold[digest(TEXTS[query])] for query in table.queries]
    for number, query in enumerate(table.queries):
        others = [row for row in range(len(fold)) if fold[row] != fold[number]]
        own = train(table.only(others), FEW).scores(table.values[table.rows(number)])
        assert stage.score(candidates_of(TEXTS[query], first[query], index.texts)).tolist() == own.tolist()


def test_queries_of_one_text_are_in_one_fold(world):
    folds = Folds.trained(world[3], TEXTS, folds=6, trees=FEW)
    assert len(folds.fold) == 6
    assert sorted(folds.fold.values()) == list(range(6))


def test_queries_that_say_nearly_the_same_are_in_one_fold(world):
    said = {
        query: f"{'when does the parcel of my mother arrive' if query in 'q2q4' else query} today" for query in TEXTS
    }
    said["q4"] = said["q4"].replace("mother", "father")
    folds = Folds.trained(world[3], said, folds=6, trees=FEW)
    assert folds.fold[digest(said["q2"])] == folds.fold[digest(said["q4"])]
    assert sorted(folds.fold.values()) == sorted([*range(6), folds.fold[digest(said["q2"])]])
    apart = Folds.trained(world[3], said, folds=7, trees=FEW, like=0.9)
    assert sorted(apart.fold.values()) == list(range(7))


def test_another_query_gets_the_model_of_all(world):
    index, first, features, _table = world
    stage = staged(world, 2)
    candidates = candidates_of("another card", first["q0"], index.texts)
    assert stage.score(candidates).tolist() == stage.whole.model.scores(features.of(candidates)).tolist()


def test_more_folds_than_texts_are_refused(world):
    with pytest.raises(MethodError, match="at most the 6 queries, got 7"):
        Folds.trained(world[3], TEXTS, folds=7, trees=FEW)


def test_folds_are_kept_beside_the_model_and_used_where_nothing_may_be_flattered(world, tmp_path):
    index, first, _features, _table = world
    stage = staged(world, 3)
    stage.whole.model.save(tmp_path)
    assert Folds.load(tmp_path) is None
    stage.folds.save(tmp_path)
    honest, plain = (load_stage(tmp_path, index=index, unseen=unseen) for unseen in (True, False))
    assert (type(honest), type(plain)) == (Unseen, LambdaMART)
    assert (plain.name, honest.name) == (f"lambdamart@{plain.model.id}", f"{plain.name}/{len(honest.folds.models)}")
    for query, text in TEXTS.items():
        candidates = candidates_of(text, first[query], index.texts)
        assert honest.score(candidates).tolist() == stage.score(candidates).tolist()
        assert plain.score(candidates).tolist() == stage.whole.score(candidates).tolist()
