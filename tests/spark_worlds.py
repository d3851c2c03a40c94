"""Random logs and judgments as canonical rows, and what Spark's tables come to in polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

ROWS = {
    "day": pl.String,
    "query": pl.String,
    "doc": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "grade": pl.Float64,
}
JUDGMENTS = {"query": pl.String, "doc": pl.String, "grade": pl.Float64}
GRADES = [None, None, float("nan"), -2.0, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0]
SCORES = [-1.5, 0.0, 0.25, 0.5, 1.0, 1e9, float("inf")]


def logs(seed: int, *, days: int = 12, queries: int = 5, longest: int = 14, lost: bool = False) -> pl.DataFrame:
    """Logs of many days: ties of scores, ranks 1..n, unjudged rows, queries without any judgment.

    `lost`: each query has a judged row without a rank, which was not retrieved.
    """
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for day in range(days):
        for query in range(queries):
            docs = rng.permutation(20)[: rng.integers(1, longest + 1)]
            judged = rng.random() > 0.15
            key = (f"2026-01-{day + 1:02}", f"q{query}")
            for place, doc in enumerate(docs):
                grade = GRADES[rng.integers(len(GRADES))] if judged else None
                rows.append((*key, f"d{doc}", place + 1, SCORES[rng.integers(len(SCORES))], grade))
            if lost and judged:
                rows.append((*key, "lost", None, None, 2.0))
    order = rng.permutation(len(rows))
    return pl.DataFrame([rows[at] for at in order], schema=ROWS, orient="row")


def judgments(seed: int, *, queries: int = 7) -> pl.DataFrame:
    """Judgments for some of the queries and some of the documents, and of queries that nobody asked."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"q{query}", f"d{doc}", float(rng.integers(-1, 4)))
        for query in range(1, queries)
        for doc in rng.permutation(25)[: rng.integers(1, 12)]
    ]
    return pl.DataFrame(rows, schema=JUDGMENTS, orient="row")


def collected(scores: Any, *keys: str) -> pl.DataFrame:
    """Fetch a Spark table, in order of its keys."""
    return pl.DataFrame(pl.from_arrow(scores.toArrow())).sort(*keys, "query")
