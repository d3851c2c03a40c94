"""Tests of the groups of queries that say nearly the same."""

from __future__ import annotations

from rankgauge.retrieval.alike import alike


def test_texts_with_most_words_in_common_are_alike():
    seven = "one two three four five six seven"
    assert alike({"a": seven, "b": f"{seven} eight nine ten"}) == {"a": "a", "b": "a"}  # 7 of 10
    assert alike({"a": seven, "b": "one two three four five six eight nine"}) == {"a": "a", "b": "b"}  # 6 of 9
    assert alike({"a": "one two three", "b": "one two four five"}, limit=0.4) == {"a": "a", "b": "a"}  # 2 of 5
    assert alike({"a": "how do I pay", "b": "how do I return"}) == {"a": "a", "b": "b"}


def test_texts_that_are_linked_by_another_are_in_one_group():
    texts = {"x": "red", "a": "one two three four", "b": "three four five six", "c": "one two three four five six"}
    assert alike(texts, limit=0.6) == {"x": "x", "a": "a", "b": "a", "c": "a"}


def test_equal_texts_are_alike_whatever_they_are_made_of():
    assert alike({"a": "", "b": "?!", "c": "", "d": "?!"}) == {"a": "a", "b": "b", "c": "a", "d": "b"}


def test_letters_without_blanks_and_letters_of_other_sizes():
    texts = {"a": "保定驴肉火烧哪家店最好吃", "b": "保定驴肉火烧哪家店最好", "c": "上海天气"}
    assert alike(texts) == {"a": "a", "b": "a", "c": "c"}
    assert alike({"a": "Hoàn tiền", "b": "hoàn TIỀN!"}) == {"a": "a", "b": "a"}


def test_no_queries():
    assert alike({}) == {}
