"""BM25 in both engines: edges, ties, changes, explanations."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest

from rankgauge.errors import DuplicateError, InputError, MethodError
from rankgauge.retrieval import _postings
from rankgauge.retrieval._tantivy import REPEATED
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.exact import MOST_SEGMENTS
from rankgauge.retrieval.formulas import VARIANTS, Scoring, byte_length
from rankgauge.retrieval.protocols import Document, Retriever
from rankgauge.retrieval.tokenizers import of_callable

ENGINES = ["tantivy", "exact"]


def docs(*texts):
    return [Document(f"d{number}", text) for number, text in enumerate(texts)]


def random_docs(number, *, seed=0, longest=60):
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(80)]
    weights = [1 / (i + 1) for i in range(80)]
    lengths = [rng.choice([0, 1, 5, 20, longest]) for _ in range(number)]
    return [Document(f"d{i}", " ".join(rng.choices(words, weights, k=n))) for i, n in enumerate(lengths)]


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def built(tmp_path, engine):
    """Builds an index of texts; each call makes a new one."""
    numbers = iter(range(100))

    def build(documents, **how):
        return BM25Index.build(tmp_path / str(next(numbers)), documents, tokenizer="plain", engine=engine, **how)

    return build


def reference(documents, query, *, variant="tantivy", k1=1.2, b=0.75, rounded=False):
    """Scores by the formula, in plain Python: {id: score} of the documents that match."""
    scoring = Scoring(variant, k1=k1, b=b)
    bags = {document.id: Counter(document.text.split()) for document in documents}
    lengths = {id_: bag.total() for id_, bag in bags.items()}
    average = sum(lengths.values()) / len(lengths)
    scores = {}
    for word, times in Counter(query.split()).items():
        containing = sum(word in bag for bag in bags.values())
        for id_, bag in bags.items():
            if word in bag:
                length = int(byte_length(np.array([lengths[id_]]))[0]) if rounded else lengths[id_]
                norm = 1 - b + b * length / average
                worth = scoring.of.saturation(np.array([float(bag[word])]), np.array([norm]), k1)[0]
                scores[id_] = scores.get(id_, 0.0) + times * scoring.weight(len(bags), containing) * worth
    return scores


def test_an_index_is_a_retriever(built):
    index = built(docs("a"))
    assert isinstance(index, Retriever) and index.name == "bm25" and len(index) == 1


@pytest.mark.parametrize("texts", [(), ("", "")])
def test_without_words_nothing_is_found(built, texts):
    index = built(docs(*texts))
    assert len(index) == len(texts)
    assert list(index.search("quick", 10)) == []


def test_only_documents_with_a_word_of_the_query_are_found_and_equal_ones_score_the_same(built):
    index = built(docs("foo", "dog", "", "quick god", "quick fox"))
    hits = index.search("quick", 10)
    assert hits.docs == ("d3", "d4")
    assert hits.scores[0] == hits.scores[1] > 0
    assert list(index.search("zzz", 10)) == list(index.search("", 10)) == []


def test_a_query_of_stop_words_only_finds_nothing(tmp_path, engine):
    index = BM25Index.build(tmp_path / "i", docs("the cat is here"), tokenizer="en-stop", engine=engine)
    assert list(index.search("the is of", 5)) == []
    assert index.search("the cats", 5).docs == ("d0",)


def test_a_word_that_the_query_has_twice_counts_twice(built):
    index = built(docs("cat", "dog", "cat dog", "bird"))
    once, twice = index.search("cat", 1).scores[0], index.search("cat cat", 1).scores[0]
    assert twice == pytest.approx(2 * once, rel=1e-6)
    many = index.search(" ".join(["cat"] * (REPEATED + 2)), 1).scores[0]
    assert many == pytest.approx((REPEATED + 2) * once, rel=1e-6)


@pytest.mark.parametrize("k", [0, -1])
def test_less_than_one_hit_cannot_be_asked_for(built, k):
    with pytest.raises(MethodError, match=f"k: expected 1 or more, got {k}"):
        built(docs("a")).search("a", k)


def test_ties_are_in_order_of_adding_also_at_the_cut(built):
    index = built(docs(*["same words here"] * 50))
    assert index.search("same here", 7).docs == tuple(f"d{n}" for n in range(7))


def test_ties_over_several_segments_are_in_order_of_adding(built):
    index = built(docs("first"))
    for start in range(0, 60, 10):
        index.add([Document(f"t{number:02}", "same words") for number in range(start, start + 10)])
        index.commit()
    for k in (3, 15, 33, 60, 100):
        assert index.search("same words", k).docs == tuple(f"t{number:02}" for number in range(min(k, 60)))


def test_only_allowed_documents_are_found_and_unknown_ids_do_not_matter(built):
    documents = random_docs(200)
    index = built(documents)
    allowed = frozenset(["d3", "d7", "d8", "d150", "nobody"])
    whole = dict(index.search("w0 w1 w2 w3", 1000))
    expected = {doc: score for doc, score in whole.items() if doc in allowed}
    hits = index.search("w0 w1 w2 w3", 10, allowed=allowed)
    assert dict(hits) == pytest.approx(expected, rel=1e-6)
    assert len(expected) > 1
    assert list(index.search("w0", 10, allowed=frozenset())) == []


def test_scores_are_those_of_the_formula(built, engine):
    documents = random_docs(300, longest=400)
    index = built(documents)
    for query in ("w0", "w1 w30 w60", "w2 w2 w5", "w79 w78 w77 w0"):
        found = dict(index.search(query, 1000))
        assert found == pytest.approx(reference(documents, query, rounded=engine == "tantivy"), rel=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (0.0, 0.5), (1.5, 0.0), (2.0, 1.0)])
def test_every_variant_scores_every_matching_document(tmp_path, variant, k1, b):
    documents = random_docs(120)
    scoring = Scoring(variant, k1=k1, b=b)
    index = BM25Index.build(tmp_path / "i", documents, tokenizer="plain", scoring=scoring)
    assert index.settings.engine == "exact"
    for query in ("w0 w40", "w1 w2 w3"):
        expected = reference(documents, query, variant=variant, k1=k1, b=b)
        assert dict(index.search(query, 1000)) == pytest.approx(expected, rel=1e-12)


def test_a_word_in_most_documents_does_not_count_against_them_in_robertsons_formula(tmp_path):
    texts = docs("a b", "a", "a", "c")
    index = BM25Index.build(tmp_path / "i", texts, tokenizer="plain", scoring=Scoring("robertson"))
    assert dict(index.search("a", 10)) == {"d0": 0.0, "d1": 0.0, "d2": 0.0}


def test_the_best_are_the_same_however_many_are_asked_for(built):
    index = built(random_docs(500))
    whole = index.search("w0 w1 w5 w9", 500)
    for k in (1, 5, 50, 499):
        assert index.search("w0 w1 w5 w9", k).docs == whole.docs[:k]


def test_changes_count_after_commit_and_the_last_state_stays_until_then(built):
    index = built(docs("cat", "dog"))
    index.add([Document("new", "cat bird")])
    index.delete(["d0"])
    assert index.search("cat", 5).docs == ("d0",) and len(index) == 2
    index.commit()
    assert index.search("cat", 5).docs == ("new",) and len(index) == 2
    opened = BM25Index.open(index.folder)
    assert opened.search("cat", 5).docs == ("new",) and len(opened) == 2


def test_a_change_can_be_forgotten(built):
    index = built(docs("cat"))
    index.add([Document("new", "cat")])
    index.rollback()
    index.commit()
    assert BM25Index.open(index.folder).search("cat", 5).docs == ("d0",)


def test_an_id_cannot_be_added_twice_but_put_in_place(built):
    index = built(docs("cat", "dog"))
    with pytest.raises(DuplicateError, match="'d1' again; upsert it"):
        index.add([Document("d1", "fish")])
    index.rollback()
    assert index.upsert([Document("d1", "fish"), Document("d2", "bird")]) == 2
    index.commit()
    assert [index.search(word, 5).docs for word in ("dog", "fish", "bird")] == [(), ("d1",), ("d2",)]
    assert index.delete(["d1", "nobody"]) == 1
    index.commit()
    assert len(index) == 2 and index.search("fish", 5).docs == ()


def test_ids_are_kept_as_they_are(built):
    ids = ["doc-7", "007", "7", "-5", "638727826393444353", "18446744073709551616", "ключ é", "a b\tc", "NA"]
    index = built([Document(id_, "cat") for id_ in ids])
    assert BM25Index.open(index.folder).search("cat", 20).docs == tuple(ids)


def test_an_empty_id_is_refused(built):
    with pytest.raises(InputError, match="expected an id as text, got ''"):
        built([Document("", "cat")])


def test_the_exact_engine_scores_a_changed_index_as_one_that_was_built_so(tmp_path, monkeypatch):
    monkeypatch.setattr(_postings, "BLOCK", 300)
    monkeypatch.setattr("rankgauge.retrieval.exact.BLOCK", 300)
    before, after = random_docs(150, seed=1), random_docs(150, seed=2)
    index = BM25Index.build(tmp_path / "a", before, tokenizer="plain", engine="exact")
    for start in range(0, 150, 10):
        index.upsert(after[start : start + 10])
        index.commit()
    index.delete([f"d{number}" for number in range(0, 150, 3)])
    index.commit()
    assert 1 <= len(index.reader.segments) <= MOST_SEGMENTS
    kept = [document for number, document in enumerate(after) if number % 3]
    rebuilt = BM25Index.build(tmp_path / "b", kept, tokenizer="plain", engine="exact")
    for query in ("w0 w1", "w3 w40 w70", "w2"):
        assert list(index.search(query, 50)) == list(rebuilt.search(query, 50))


def test_many_blocks_become_one_segment_when_an_index_is_built(tmp_path, monkeypatch):
    documents = random_docs(150)
    whole = BM25Index.build(tmp_path / "a", documents, tokenizer="plain", engine="exact")
    monkeypatch.setattr("rankgauge.retrieval.exact.BLOCK", 100)
    blocks = BM25Index.build(tmp_path / "b", documents, tokenizer="plain", engine="exact")
    assert len(blocks.reader.segments) == 1
    assert [len(list((index.folder / "engine").iterdir())) for index in (whole, blocks)] == [2, 2]
    assert list(blocks.search("w0 w7 w30", 200)) == list(whole.search("w0 w7 w30", 200))


def test_tantivys_idf_counts_deleted_documents_until_it_merges_and_the_explanation_says_so(tmp_path):
    index = BM25Index.build(tmp_path / "i", docs("cat", "cat dog", "bird", "fish"), tokenizer="plain")
    index.delete(["d0"])
    index.commit()
    explanation = index.explain("cat", "d1")
    assert (explanation.documents, explanation.terms[0].containing) == (4, 2)
    assert explanation.score == pytest.approx(index.search("cat", 1).scores[0], rel=1e-6)


def test_an_explanation_is_the_score_term_by_term(built, engine):
    documents = random_docs(200, longest=300)
    index = built(documents)
    query = "w0 w2 w2 w50 nowhere"
    for doc, score in index.search(query, 30):
        explanation = index.explain(query, doc)
        assert explanation.score == pytest.approx(score, rel=1e-6)
        bag = Counter(documents[int(doc[1:])].text.split())
        assert explanation.documents == 200 and explanation.length == bag.total()
        assert explanation.average_length == pytest.approx(sum(len(d.text.split()) for d in documents) / 200, rel=1e-6)
        assert [term.term for term in explanation.terms] == ["w0", "w2", "w50", "nowhere"]
        assert [term.in_query for term in explanation.terms] == [1, 2, 1, 1]
        assert [term.tf for term in explanation.terms] == [bag["w0"], bag["w2"], bag["w50"], 0]
        for term in explanation.terms:
            assert term.score == pytest.approx(term.in_query * term.idf * term.saturation)
            assert term.containing == sum(term.term in d.text.split() for d in documents)
        assert explanation.exact == pytest.approx(reference(documents, query)[doc], rel=1e-6)


def test_an_explanation_tells_the_rounded_length_from_the_real_one(built, engine):
    index = built(docs("cat " + "x " * 99, "dog"))
    explanation = index.explain("cat", "d0")
    assert (explanation.length, explanation.length_used) == (100, 96 if engine == "tantivy" else 100)
    assert (explanation.score > explanation.exact) == (engine == "tantivy")
    record = explanation.to_dict()
    assert record["terms"][0]["term"] == "cat" and record["score"] == explanation.score


def test_a_document_without_the_words_has_an_explanation_of_zero(built):
    explanation = built(docs("cat", "dog")).explain("cat nowhere", "d1")
    assert explanation.score == 0 and [term.containing for term in explanation.terms] == [1, 0]


def test_a_document_that_is_not_in_the_index_has_no_explanation(built):
    index = built(docs("cat", "dog"))
    index.delete(["d1"])
    index.commit()
    with pytest.raises(InputError, match="expected a document of the index, got 'd1'"):
        index.explain("cat", "d1")


def test_tokens_with_blanks_and_very_long_ones_are_found(tmp_path, engine):
    long = "x" * 70_000
    words = of_callable("lines", "1", lambda text: text.split("\n"))
    index = BM25Index.build(tmp_path / "i", docs("New York\nRio", f"New\nYork\n{long}"), tokenizer=words, engine=engine)
    assert index.search("New York", 5).docs == ("d0",)
    assert index.search(long, 5).docs == ("d1",)


def test_another_tokenizer_is_refused(tmp_path, engine):
    mine = of_callable("mine", "1", str.split)
    BM25Index.build(tmp_path / "i", docs("a b"), tokenizer=mine, engine=engine)
    with pytest.raises(InputError, match="'mine', which is not one of ours, got no tokenizer"):
        BM25Index.open(tmp_path / "i")
    for other in (of_callable("mine", "2", str.split), of_callable("mine", "1", list)):
        with pytest.raises(InputError, match="other tokens find nothing or the wrong documents"):
            BM25Index.open(tmp_path / "i", tokenizer=other)
    assert BM25Index.open(tmp_path / "i", tokenizer=mine).search("a", 1).docs == ("d0",)


def test_tantivy_has_its_own_parameters_only(tmp_path):
    with pytest.raises(MethodError, match="take engine exact"):
        BM25Index.build(tmp_path / "i", docs("a"), engine="tantivy", scoring=Scoring(k1=0.9))
    with pytest.raises(MethodError, match="expected tantivy or exact, got 'lucene'"):
        BM25Index.build(tmp_path / "i", docs("a"), engine="lucene")


def test_a_folder_with_an_index_is_not_overwritten_and_one_without_is_no_index(tmp_path):
    BM25Index.build(tmp_path / "i", docs("a"))
    with pytest.raises(InputError, match="expected a folder without an index"):
        BM25Index.build(tmp_path / "i", docs("a"))
    with pytest.raises(InputError, match="expected a BM25 index, got none"):
        BM25Index.open(tmp_path)


def test_progress_counts_documents(built):
    said = []
    built(docs("a", "b", "c"), progress=said.append)
    assert said == [1, 2, 3]


def test_scores_are_finite_and_above_zero(built):
    index = built(random_docs(100))
    for hits in index.search_many(["w0 w1", "w5", "nothing"], 100):
        assert all(math.isfinite(score) and score > 0 for score in hits.scores)
