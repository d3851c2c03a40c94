"""Tests of the learned reranker: features by hand, no query judged by a model that saw it, the same twice."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import FormatError, InputError, MethodError
from rankgauge.retrieval.assembly import Dense, Lexical
from rankgauge.retrieval.features import WORDS, Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import LambdaMART, Model, Trees, folds_of, is_trained, reranked, train
from rankgauge.retrieval.ltr_table import Table, read_letor_table, table_of
from rankgauge.retrieval.protocols import Document, Hits
from rankgauge.retrieval.rerank import candidates_of, rerank
from rankgauge.retrieval.stages import load_stage
from rankgauge.retrieval.unseen import Folds

FEW = Trees(rounds=10, smallest_leaf=2)
DOCUMENTS = [
    Document("a", "the card pays a refund", "card refund"),
    Document("b", "opening hours of the shop", "hours"),
    Document("c", "refund"),
    Document("d", "a bank card and another card for the bank", "bank"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return Index.build(tmp_path_factory.mktemp("idx") / "i", DOCUMENTS, lexical=Lexical("plain"))


def made(Q=40, n=12, seed=0):
    """A table in which the second column decides, and the first is noise."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 3, Q * n)
    values = np.column_stack([rng.normal(size=Q * n), grades + rng.normal(scale=0.3, size=Q * n)])
    docs = tuple(f"d{row % n}" for row in range(Q * n))
    return Table(tuple(f"q{q}" for q in range(Q)), np.arange(Q + 1) * n, docs, grades, values, ("noise", "worth"))


def lists(table):
    """The lists of a table's queries, in order of its rows."""
    return {
        query: Hits(table.docs[table.rows(q)], np.arange(len(table.docs[table.rows(q)]), 0, -1.0))
        for q, query in enumerate(table.queries)
    }


def test_features_by_hand(index):
    hits = Hits(("a", "b"), np.array([2.5, 1.0]))
    rows = Features(index).of(candidates_of("card refund money", hits, index.texts))
    first = dict(zip(WORDS, rows[0].tolist(), strict=True))
    idf = {1: math.log1p((4 - 1 + 0.5) / 1.5), 2: math.log1p((4 - 2 + 0.5) / 2.5), 0: math.log1p(4.5 / 0.5)}
    total = idf[2] + idf[2] + idf[0]
    assert first["first_score"] == 2.5
    assert (first["matched"], first["coverage"]) == (2, pytest.approx(2 / 3))
    assert first["idf_coverage"] == pytest.approx(2 * idf[2] / total)
    assert first["idf_coverage_title"] == pytest.approx(2 * idf[2] / total)
    assert first["frequency"] == pytest.approx(math.log1p(4))
    assert first["pairs"] == 0.5
    assert first["first_place"] == 0
    assert (first["query_terms"], first["length"]) == (3, pytest.approx(math.log1p(7)))
    average = (7 + 6 + 1 + 10) / 4
    one = idf[2] * 2 / (2 + 1.2 * (0.25 + 0.75 * 7 / average))
    assert first["bm25"] == pytest.approx(2 * one)
    nothing = dict(zip(WORDS, rows[1].tolist(), strict=True))
    assert [nothing[name] for name in ("bm25", "matched", "coverage", "idf_coverage", "pairs")] == [0] * 5


def test_a_candidates_features_do_not_depend_on_the_others(index):
    hits = Hits(("a", "b", "c", "d"), np.array([4.0, 3.0, 2.0, 1.0]))
    features = Features(index)
    whole = candidates_of("the bank card", hits, index.texts)
    together = features.of(whole)
    apart = np.concatenate([Features(index).of(whole.part(row, row + 1)) for row in range(4)])
    assert together.tolist() == apart.tolist()


class Counting:
    """A vector per text, and what was embedded."""

    name, dimension = "counting", 2

    def __init__(self):
        self.asked = []

    def embed(self, texts, *, kind):
        self.asked += [text for text in texts if kind == "query"]
        return np.array([[np.cos(len(text)), np.sin(len(text))] for text in texts], dtype=np.float32)


def test_a_document_is_read_once_and_a_query_embedded_once_however_many_chunks_there_are(tmp_path, monkeypatch):
    embedder, read = Counting(), []
    index = Index.build(tmp_path / "i", DOCUMENTS, lexical=Lexical("plain"), dense=Dense(embedder=embedder))
    whole = candidates_of("the bank card", Hits(("a", "b", "c", "d"), np.arange(4, 0, -1.0)), index.texts)
    features, fresh = Features(index, embedder), index.documents.get
    monkeypatch.setattr(type(index.documents), "get", lambda self, ids: read.extend(ids) or fresh(ids))
    parts = [features.of(whole.part(low, low + 2)) for low in (0, 2, 0)]
    assert np.concatenate(parts[:2]).tolist() == features.of(whole).tolist()
    assert parts[2].tolist() == parts[0].tolist()
    assert (read, embedder.asked) == (["a", "b", "c", "d"], ["the bank card"])


def test_columns_of_ones_own_come_last(index):
    features = Features(index, columns={"long": lambda query, document: len(document.text) / len(query)})
    rows = features.of(candidates_of("ab", Hits(("c",), np.ones(1)), index.texts))
    assert (features.names[-1], rows[0, -1]) == ("long", 3.0)
    broken = Features(index, columns={"nan": lambda *_: math.nan})
    with pytest.raises(InputError, match="feature 'nan', document 'c': expected a finite number, got nan"):
        broken.of(candidates_of("ab", Hits(("c",), np.ones(1)), index.texts))


def test_no_candidates_and_unknown_words(index):
    features = Features(index)
    assert features.of(candidates_of("card", Hits((), np.zeros(0)), index.texts)).shape == (0, len(WORDS))
    assert np.isfinite(features.of(candidates_of("", Hits(("a",), np.ones(1)), index.texts))).all()


def test_the_table_of_a_run(index):
    first = {"q1": Hits(("a", "b", "c"), np.array([3.0, 2.0, 1.0])), "q2": Hits(("d",), np.ones(1)),
             "none": Hits(("a",), np.ones(1))}  # fmt: skip
    qrels = rg.Qrels.from_dict({"q1": {"a": 2, "c": -1}, "q2": {"d": 1}})
    table = table_of(Features(index), {"q1": "card", "q2": "bank", "none": "x"}, first, qrels, depth=2)
    assert (table.queries, table.docs, table.grades.tolist()) == (("q1", "q2"), ("a", "b", "d"), [2, 0, 1])
    assert table.offsets.tolist() == [0, 2, 3]
    assert [note.text for note in table.notes] == [
        "1 of 3 queries have no judgment, text or hit",
        "1 of 3 candidates are unjudged and count as grade 0 in training",
    ]
    with pytest.raises(InputError, match="training: expected judged queries with hits, got none"):
        table_of(Features(index), {"q1": "card"}, {"q9": first["q1"]}, qrels)
    half = rg.Qrels.from_dict({"q1": {"a": 0.5}})
    with pytest.raises(InputError, match=r"expected whole grades, got 0\.5"):
        table_of(Features(index), {"q1": "card"}, first, half)


def test_it_learns_what_decides_and_is_the_same_twice():
    table = made()
    one, two = train(table, FEW), train(table, FEW)
    assert one.booster.model_to_string() == two.booster.model_to_string()
    assert one.gains["worth"] > 0.8
    scores = one.scores(table.values)
    first = lists(table)
    qrels = rg.Qrels.from_dict({
        query: dict(zip(table.docs[table.rows(q)], table.grades[table.rows(q)].tolist(), strict=True))
        for q, query in enumerate(table.queries)
    })  # fmt: skip
    runs = [{query: dict(hits) for query, hits in found.items()} for found in (first, reranked(table, scores, first))]
    before, after = (rg.evaluate(qrels, run, "nDCG@5").mean()["mean"].item() for run in runs)
    assert after > 0.9 > before


def test_a_query_is_scored_by_a_model_that_has_not_seen_it():
    table = made(Q=20)
    texts = {query: query for query in table.queries}
    fold = folds_of(20, 4, 0)
    scores = Folds.trained(table, texts, folds=4, trees=FEW).scores(table, texts)
    for number in range(4):
        apart = train(table.only(np.flatnonzero(fold != number).tolist()), FEW)
        for query in np.flatnonzero(fold == number).tolist():
            assert scores[table.rows(query)].tolist() == apart.scores(table.values[table.rows(query)]).tolist()
    # What a query's own grades are must not matter for its own scores.
    changed = made(Q=20)
    changed.grades[changed.rows(3)] = 2 - changed.grades[changed.rows(3)]
    again = Folds.trained(changed, texts, folds=4, trees=FEW).scores(changed, texts)
    assert again[table.rows(3)].tolist() == scores[table.rows(3)].tolist()


def test_queries_of_one_text_are_in_one_fold():
    # The grades of a query's twin must not matter for its scores either.
    table, twins = made(Q=20), {f"q{q}": f"text {q % 10}" for q in range(20)}
    before = Folds.trained(table, twins, folds=5, trees=FEW).scores(table, twins)[table.rows(3)]
    table.grades[table.rows(13)] = 2 - table.grades[table.rows(13)]
    after = Folds.trained(table, twins, folds=5, trees=FEW).scores(table, twins)[table.rows(3)]
    assert after.tolist() == before.tolist()
    with pytest.raises(MethodError, match="at most the 10 queries, got 11"):
        Folds.trained(table, twins, folds=11, trees=FEW)


def test_folds_are_even_and_seeded():
    fold = folds_of(11, 5, 3)
    assert sorted(np.bincount(fold).tolist()) == [2, 2, 2, 2, 3]
    assert fold.tolist() == folds_of(11, 5, 3).tolist() != folds_of(11, 5, 4).tolist()
    for wrong in (1, 12):
        with pytest.raises(MethodError, match="folds: expected 2 or more, and at most the 11 queries"):
            folds_of(11, wrong, 0)


def test_nothing_relevant_is_nothing_to_learn():
    table = made(Q=3)
    table.grades[:] = 0
    with pytest.raises(MethodError, match="expected relevant candidates, got none"):
        train(table, FEW)


def test_a_model_is_kept_and_looks_at_the_same_features_or_at_none(index, tmp_path):
    first = {"q1": Hits(("a", "b", "c", "d"), np.arange(4, 0, -1.0))}
    table = table_of(Features(index), {"q1": "card"}, first, rg.Qrels.from_dict({"q1": {"d": 1}}))
    model = train(table, Trees(rounds=5, smallest_leaf=1, rows=1.0))
    model.save(tmp_path / "m")
    assert is_trained(tmp_path / "m") and not is_trained(tmp_path)
    again = Model.load(tmp_path / "m")
    assert again.scores(table.values).tolist() == model.scores(table.values).tolist()
    assert (again.names, again.facts["queries"]) == (table.names, 1)
    stage = LambdaMART(again, Features(index))
    assert rerank(stage, "card", first["q1"], index.texts).hits.docs[0] == "d"
    with pytest.raises(InputError, match="expected the 15 features it was trained on, got with own; train it for"):
        LambdaMART(again, Features(index, columns={"own": lambda *_: 1.0}))


def test_a_model_knows_which_words_it_was_trained_on(index, tmp_path):
    first = {"q1": Hits(("a", "b", "c", "d"), np.arange(4, 0, -1.0))}
    table = table_of(Features(index), {"q1": "card"}, first, rg.Qrels.from_dict({"q1": {"d": 1}}))
    train(table, Trees(rounds=5, smallest_leaf=1, rows=1.0)).save(tmp_path / "m")
    model = Model.load(tmp_path / "m")
    assert model.facts["tokenizer"].startswith("plain ")
    stage = load_stage(tmp_path / "m", index=index)
    assert stage.name == f"lambdamart@{model.id}"
    stemmed = Index.build(tmp_path / "stemmed", DOCUMENTS, lexical=Lexical("en"))
    with pytest.raises(InputError, match=r"expected the tokenizer it was trained with, 'plain .*'; train it for this"):
        load_stage(tmp_path / "m", index=stemmed)


def test_equal_scores_leave_the_first_stages_order_and_what_is_deeper_stays_below(index):
    first = {"q1": Hits(("d", "b", "c", "a"), np.arange(4, 0, -1.0))}
    table = table_of(Features(index), {"q1": "card"}, first, rg.Qrels.from_dict({"q1": {"a": 1, "c": 1}}), depth=3)
    assert table.docs == ("d", "b", "c")
    assert reranked(table, np.zeros(3), first)["q1"].docs == ("d", "b", "c", "a")
    assert reranked(table, np.array([0.0, 1.0, 1.0]), first)["q1"].docs == ("b", "c", "d", "a")
    assert reranked(table, np.array([0.0, 1.0, 1.0]), first)["q1"].scores.tolist() == [4, 3, 2, 1]


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(InputError, match="expected a trained reranker, got none; rankgauge train makes one"):
        Model.load(tmp_path)
    train(made(Q=3), FEW).save(tmp_path)
    (tmp_path / "trees.txt").write_text("nonsense")
    with pytest.raises(InputError, match="expected LightGBM's trees"):
        Model.load(tmp_path)
    record = json.loads((tmp_path / "ltr.json").read_text())
    (tmp_path / "ltr.json").write_text(json.dumps({**record, "format": 99}))
    with pytest.raises(InputError, match="expected a model of format 1, got another"):
        Model.load(tmp_path)


def test_letor_holds_a_table_to_the_last_digit(tmp_path):
    table = made(Q=3, n=4)
    table.write_letor(tmp_path / "t.letor")
    again = read_letor_table(tmp_path / "t.letor")
    assert (again.queries, again.docs, again.names) == (table.queries, table.docs, table.names)
    assert again.values.tolist() == table.values.tolist()
    assert again.grades.tolist() == table.grades.tolist()
    assert again.offsets.tolist() == table.offsets.tolist()
    assert len(rg.read_qrels(tmp_path / "t.letor").queries) == 3


def test_documents_are_named_in_comments_as_in_other_letor_files(tmp_path):
    path = tmp_path / "x.letor"
    path.write_text("2 qid:1 1:0.5 # docid = GX-01 inc = 1\n0 qid:1 1:1 #\td 2\tits text\n")
    table = read_letor_table(path)
    assert table.docs == ("GX-01", "d 2")
    odd = replace(made(Q=1, n=2), docs=("docid=7", "#1"))
    odd.write_letor(path)
    assert read_letor_table(path).docs == ("docid=7", "#1")


def test_letor_of_others_is_read_and_its_faults_are_named(tmp_path):
    path = tmp_path / "x.letor"
    path.write_text("2 qid:1 1:0.5 3:2 # d1 text\n\n0 qid:1 2:1\n1 qid:7 1:-1\n")
    table = read_letor_table(path)
    assert table.values.tolist() == [[0.5, 0, 2], [0, 1, 0], [-1, 0, 0]]
    assert (table.names, table.docs) == (("1", "2", "3"), ("d1", "1", "2"))
    path.write_text("2 qid:1 1:x\n-1 qid:1 1:1\n0 1:2\n1 qid:2 0:1\n1.5 qid:2 1:1\n1 qid:2 1:nan\n")
    with pytest.raises(FormatError) as caught:
        read_letor_table(path)
    assert [fault.where.rsplit(":", 1)[1] for fault in caught.value.faults] == list("123456")
    path.write_text("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n")
    with pytest.raises(FormatError, match="expected rows of a query together, got query '1' twice"):
        read_letor_table(path)
