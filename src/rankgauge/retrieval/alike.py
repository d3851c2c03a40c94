"""Queries that say nearly the same: they must not be parted where one is to be judged by what others taught."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rankgauge.checkup.nearness import folded, near_pairs, words

LIKE = 0.7
"""Share of their words that two texts have in common (Jaccard), from which they count as one; a lower one would join
questions that only begin alike ("how do I ...")."""


def alike(texts: Mapping[str, str], *, limit: float = LIKE) -> dict[str, str]:
    """Group texts: {id: id of the first one of its group}; texts that are linked by others are in one group.

    >>> alike({"1": "Aspirin prevents stroke in all adults.", "2": "hours", "3": "aspirin causes stroke in all adults"})
    {'1': '1', '2': '2', '3': '1'}
    """
    table = pl.DataFrame({"id": list(texts), "text": list(texts.values())}, schema={"id": pl.String, "text": pl.String})
    parent = {query: query for query in texts}
    first: dict[str, str] = {}
    same = [(first.setdefault(text, query), query) for query, text in texts.items()]
    near = near_pairs(words(folded(table)), limit).select("a", "b").rows()
    for a, b in [*same, *near]:
        _join(parent, a, b)
    named: dict[str, str] = {}
    return {query: named.setdefault(_root(parent, query), query) for query in texts}


def _root(parent: dict[str, str], query: str) -> str:
    while parent[query] != query:
        parent[query] = parent[parent[query]]
        query = parent[query]
    return query


def _join(parent: dict[str, str], a: str, b: str) -> None:
    parent[_root(parent, b)] = _root(parent, a)
