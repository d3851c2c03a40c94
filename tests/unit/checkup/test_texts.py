"""Checks of texts: missing, repeated and nearly repeated ones."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from clinic import finding, severities
from rankgauge.checkup.nearness import folded, near_pairs, words

QUESTION = "how long does it take until my refund is on my account again"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "c": 0}}


def test_judged_queries_without_a_text_are_named():
    found = finding("queries-without-text", QRELS, queries={"q1": "how long is a refund", "q2": " "})
    assert (found.severity, found.count, found.of, found.example) == ("warning", 1, 2, "'q2'")
    assert severities("queries-without-text", QRELS, queries={"q1": "x", "q2": "y"}) == ["ok"]
    assert severities("queries-without-text", QRELS, queries={"other": "x"}) == ["error"]


def test_judged_documents_without_a_text_are_named():
    found = finding("documents-without-text", QRELS, texts={"a": "one", "b": "two"})
    assert (found.severity, found.count, found.of, found.example) == ("warning", 1, 3, "'c'")
    assert severities("documents-without-text", QRELS, texts={"a": "one", "b": "two", "c": "three"}) == ["ok"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How long does a refund take?", "how long does a REFUND take"),
        ("who wrote the phantom of the opera music", "who wrote the music phantom of the opera"),
        ("保定驴肉火烧哪家强？", "保定驴肉火烧哪家强"),
        (QUESTION, QUESTION.replace("refund", "refunds")),
    ],
)
def test_queries_that_ask_nearly_the_same_are_found(one, other):
    found = finding("near-duplicate-queries", QRELS, queries={"q1": one, "q2": other})
    assert (found.severity, found.count, found.of) == ("warning", 2, 2)
    assert "'q1'" in found.example and "'q2'" in found.example


@pytest.mark.parametrize("other", ["how long does a delivery take", "hoàn tiền mất bao lâu", "退款需要多久"])
def test_other_queries_are_not(other):
    queries = {"q1": "how long does a refund take", "q2": other}
    assert severities("near-duplicate-queries", QRELS, queries=queries) == ["ok"]


def test_queries_without_judgments_do_not_count():
    assert severities("near-duplicate-queries", QRELS, queries={"q1": "same", "q9": "same", "q2": "else"}) == ["ok"]


def test_near_duplicates_that_were_judged_differently_are_a_warning():
    queries = {"q1": "Refund time?", "q2": "refund time"}
    check = "near-duplicate-queries-disagree"
    assert severities(check, QRELS, queries=queries) == ["ok"]  # the same relevant document, nothing else in common
    different = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    found = finding(check, different, queries=queries)
    assert (found.severity, found.count, found.of) == ("warning", 1, 1)
    apart = finding(check, {"q1": {"a": 1}, "q2": {"b": 1}}, queries=queries)
    assert "1 without a common relevant document" in apart.says


def test_an_unjudged_copy_of_a_relevant_document_is_said():
    texts = {"a": "A refund takes five days.", "copy": "a refund takes five days", "b": "else", "c": "other"}
    found = finding("copies-of-documents", QRELS, texts=texts)
    assert (found.severity, found.count, found.of) == ("warning", 2, 2)
    assert found.example == "query 'q1': 'a' is relevant, its copy 'copy' was not judged"
    judged = {query: docs | {"copy": 1} for query, docs in QRELS.items()}
    assert severities("copies-of-documents", judged, texts=texts) == ["ok"]


LONG = "a refund goes back to the payment method you used and leaves us within five working days after the check"


@pytest.mark.parametrize("twin", [LONG.upper(), LONG.replace("five", "four")])
def test_nearly_the_same_text_with_two_grades_is_a_warning(twin):
    texts = {"a": LONG, "b": twin, "c": "nothing of the kind"}
    found = finding("texts-judged-differently", QRELS, texts=texts)
    assert (found.severity, found.count, found.of) == ("warning", 1, 1)
    assert found.example == "query 'q1': 'a' has 1, 'b' 0"
    same = {"q1": {"a": 1, "b": 1}}
    assert severities("texts-judged-differently", same, texts=texts) == ["ok"]


def test_near_pairs_are_all_pairs_of_that_similarity():
    rng = np.random.default_rng(7)
    sets = {f"s{i}": set(rng.integers(0, 25, rng.integers(1, 14)).tolist()) for i in range(120)}
    for i in range(0, 120, 3):
        sets[f"s{i}"] = sets[f"s{i + 1}"] ^ {int(rng.integers(0, 25))}
    rows = [(name, str(item)) for name, items in sets.items() for item in items]
    for limit in (0.5, 0.8, 0.9, 1.0):
        found = near_pairs(pl.DataFrame(rows, schema=["id", "item"], orient="row"), limit)
        expected = {
            (a, b)
            for a, b in itertools.combinations(sorted(sets), 2)
            if sets[a] | sets[b] and len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= limit - 1e-12
        }
        assert set(found.select("a", "b").iter_rows()) == expected


def test_letters_of_scripts_without_blanks_are_taken_in_pairs():
    table = folded(pl.DataFrame({"id": ["x"], "text": ["驴肉火 Hello, Việt"]}))
    assert sorted(words(table)["item"]) == sorted(["驴肉", "肉火", "火hello", "hello", "việt"])
