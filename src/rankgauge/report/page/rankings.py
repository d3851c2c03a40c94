"""What each run shows for each query: documents, scores, grades and texts, as the page holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.comparison.comparison import Comparison
from rankgauge.conventions import Convention
from rankgauge.engines.memory import without_self
from rankgauge.engines.ranking import place
from rankgauge.records import Qrels, Run

MOST_TEXT = 8_000_000
LONGEST_TEXT = 600
SHORTEST_TEXT = 120
MOST_MISSED = 10


@dataclass(frozen=True)
class Listed:
    """The first documents of one query's ranking, best first; `docs` and `scores` of equal length."""

    docs: list[str]
    scores: list[float]


def rankings_json(
    comparison: Comparison, qrels: Qrels | None, runs: Mapping[str, Run], texts: Mapping[str, str], depth: int
) -> dict[str, Any]:
    """Rankings by query with their judgments, and the texts of the documents in them.

    Per query: "docs" (ids), "grades" (null: unjudged), "lists" (per run, numbers of documents, best first),
    "scores" (alike). A document that is relevant and in no list stands in "docs" too, up to a number.
    """
    wanted = comparison.scores.runs
    absent = [name for name in wanted if name not in runs]
    if qrels is None or absent:
        return {"rankings": None, "depth": depth, "texts": {}, "text_length": None, "top_grade": None, "level": None}
    how = comparison.convention
    shown_of = {name: without_self(runs[name])[0] if how.drop_self else runs[name] for name in wanted}
    listed = [first_documents(shown_of[name], how, depth) for name in wanted]
    grades = qrels.to_dict()
    ids = comparison.scores.queries.to_list()
    rankings = [_query([one.get(query) for one in listed], grades.get(query, {}), how.level) for query in ids]
    shown = {doc for ranking in rankings for doc in ranking["docs"]}
    length = text_length([len(texts[doc]) for doc in shown if doc in texts])
    cut = {doc: excerpt(texts[doc], length) for doc in sorted(shown) if doc in texts}
    return {
        "rankings": rankings,
        "depth": depth,
        "texts": cut,
        "text_length": length,
        "top_grade": qrels.top_grade,
        "level": how.level,
    }


def first_documents(run: Run, how: Convention, depth: int) -> dict[str, Listed]:
    """{query: its first documents}, in the order in which the convention ranks them."""
    rank = place(run, np.arange(len(run)), how).rank
    table = pl.DataFrame(
        {
            "query": run.row_query,
            "rank": rank,
            "doc": run.docs,
            "score": run.scores,
        }
    ).filter(pl.col("rank") <= depth)
    grouped = table.sort("query", "rank").group_by("query", maintain_order=True).agg("doc", "score")
    return {run.queries[query]: Listed(docs, scores) for query, docs, scores in grouped.iter_rows()}


def _query(lists: list[Listed | None], grades: Mapping[str, float], level: float) -> dict[str, Any]:
    """One query: each document once, then the lists as numbers of documents."""
    number: dict[str, int] = {}
    for listed in lists:
        for doc in [] if listed is None else listed.docs:
            number.setdefault(doc, len(number))
    missed = sorted((doc for doc, grade in grades.items() if grade >= level and doc not in number),
                    key=lambda doc: -grades[doc])  # fmt: skip
    docs = [*number, *missed[:MOST_MISSED]]
    return {
        "docs": docs,
        "grades": [grades.get(doc) for doc in docs],
        "lists": [None if one is None else [number[doc] for doc in one.docs] for one in lists],
        "scores": [None if one is None else [float(f"{score:.6g}") for score in one.scores] for one in lists],
        "more_missed": max(0, len(missed) - MOST_MISSED),
    }


def text_length(lengths: list[int]) -> int:
    """Characters to show of each text, so that all together stay below a limit."""
    for length in (LONGEST_TEXT, 400, 250):
        if sum(min(one, length) for one in lengths) <= MOST_TEXT:
            return length
    return SHORTEST_TEXT


def excerpt(text: str, length: int) -> str:
    """The beginning of a text, cut at a space where one is near; a cut is shown.

    >>> excerpt("one two three", 9)
    'one two …'
    """
    if len(text) <= length:
        return text
    head = text[:length]
    return f"{head[: head.rfind(' ')] if ' ' in head[length // 2 :] else head} …"
