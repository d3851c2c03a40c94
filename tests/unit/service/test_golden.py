"""Known queries: found by their texts, and judged."""

from __future__ import annotations

import rankgauge as rg
from rankgauge.service.golden import Golden, id_of

GOLDEN = Golden(
    {"q1": "when is it paid", "q2": "when is it paid"}, rg.Qrels.from_dict({"q1": {"a": 2, "b": 0, "c": 1}})
)


def test_a_query_is_called_as_its_caller_says_else_by_its_text_else_by_a_hash():
    assert GOLDEN.name("anything", "mine") == "mine"
    assert GOLDEN.name(" when is it paid ") == "q1"
    assert GOLDEN.name("else") == id_of("else") == "q-7dd530c4d36da47c"


def test_a_list_is_worth_what_evaluation_says():
    own = rg.evaluate(GOLDEN.qrels, {"r": {"q1": {"c": 2.0, "a": 1.0}}}, "nDCG@10")
    assert GOLDEN.value("q1", ["c", "a"]) == own.mean()["mean"].item()
    assert GOLDEN.value("q1", []) == 0.0
    assert GOLDEN.grades("q1") == {"a": 2.0, "b": 0.0, "c": 1.0}
    assert GOLDEN.grades("q2") is None


def test_a_query_without_a_relevant_document_has_no_value():
    golden = Golden({}, rg.Qrels.from_dict({"q": {"a": 0}}))
    assert golden.value("q", ["a"]) is None
    assert golden.value("q", []) is None
