"""Requests: what they may say, and what is said of one that says something else."""

from __future__ import annotations

import pytest

from rankgauge.service.asking import Asked, Bounds, Refused, of_address, of_batch, of_object

BOUNDS = Bounds(k=50, query=20, batch=3, allowed=2)


def test_a_body_says_all_that_a_search_can_be_told():
    given = {"query": "a cat", "k": 3, "query_id": "q7", "depth": 0, "texts": True, "allowed": ["a"], "budget_ms": 50}
    assert of_object(given, BOUNDS) == Asked("a cat", 3, "q7", 0, True, ("a",), 50)
    assert of_object({"query": "a cat", "k": None}, BOUNDS) == Asked("a cat")


def test_an_address_says_the_same():
    pairs = [("query", "a cat"), ("k", "3"), ("texts", "Yes"), ("allowed", "a"), ("allowed", "b"), ("depth", "0")]
    assert of_address(pairs, BOUNDS) == Asked("a cat", 3, None, 0, True, ("a", "b"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "body: expected an object, got []"),
        ({}, "body.query: expected a text, got nothing"),
        ({"query": " "}, "body.query: expected a text, got ' '"),
        ({"query": 7}, "body.query: expected a text, got 7"),
        ({"query": "x" * 21}, "body.query: expected at most 20 characters, got 21 characters; shorten it"),
        ({"query": "x", "k": 51}, "body.k: expected 1 to 50, got 51; ask for fewer"),
        ({"query": "x", "k": 0}, "body.k: expected 1 to 50, got 0; ask for fewer"),
        ({"query": "x", "k": True}, "body.k: expected a whole number of 0 or more, got True"),
        ({"query": "x", "depth": 1.5}, "body.depth: expected a whole number of 0 or more, got 1.5"),
        ({"query": "x", "budget_ms": 0}, "body.budget_ms: expected 1 or more, got 0"),
        ({"query": "x", "texts": 1}, "body.texts: expected true or false, got 1"),
        ({"query": "x", "allowed": "a"}, "body.allowed: expected a list of ids, got 'a'"),
        ({"query": "x", "allowed": ["a", "b", "c"]}, "body.allowed: expected at most 2 ids, got 3"),
        ({"query": "x", "query_id": "a\nb"}, "body.query_id: expected a printable text of up to 200 characters"),
        ({"query": "x", "dept": 3}, "body: expected the names query, k, query_id, depth, texts, allowed, budget_ms, "
         "got 'dept'; did you mean 'depth'?"),
    ],
)  # fmt: skip
def test_whatever_else_a_body_says_is_refused(given, said):
    with pytest.raises(Refused) as refused:
        of_object(given, BOUNDS)
    assert refused.value.status == 422
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("query", "x"), ("query", "y")], "query: expected it once, got it again"),
        ([("query", "x"), ("k", "1.0")], "address.k: expected a whole number of 0 or more, got '1.0'"),
        ([("query", "x"), ("texts", "maybe")], "address.texts: expected true or false, got 'maybe'"),
        ([("q", "x")], "address: expected the names query"),
    ],
)
def test_whatever_else_an_address_says_is_refused(pairs, said):
    with pytest.raises(Refused) as refused:
        of_address(pairs, BOUNDS)
    assert str(refused.value).startswith(said)


def test_a_batch_holds_texts_and_objects_and_what_stands_beside_holds_for_all():
    found = of_batch({"queries": ["a", {"query": "b", "k": 2}], "k": 5, "texts": True}, BOUNDS)
    assert found.queries == (Asked("a", 5, texts=True), Asked("b", 2, texts=True))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"queries": "a"}, 'body: expected an object with "queries", a list'),
        ({"queries": []}, "body.queries: expected 1 to 3 queries, got 0"),
        ({"queries": ["a"] * 4}, "body.queries: expected 1 to 3 queries, got 4"),
        ({"queries": ["a", {"query": "b", "k": 99}]}, "body.queries[1].k: expected 1 to 50, got 99"),
        ({"queries": ["a", 7]}, "body.queries[1]: expected an object, got 7"),
        ({"queries": ["a"], "query": "b"}, "body: expected the names k, depth, texts, allowed, budget_ms, got 'query'"),
    ],
)
def test_a_wrong_batch_is_refused_and_the_place_is_named(given, said):
    with pytest.raises(Refused) as refused:
        of_batch(given, BOUNDS)
    assert str(refused.value).startswith(said)
