"""Random qrels and runs with ties, gaps, missing queries and queries without relevant documents."""

from __future__ import annotations

import random

from hypothesis import strategies as st

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

DOCS = [*(f"d{i}" for i in range(10)), "D10", "d-11", "văn", "文12"]
ASCII_DOCS = [doc if doc.isascii() else f"x{i}" for i, doc in enumerate(DOCS)]
CLOSE = 1.0 + 1e-9
"""Differs from 1 as float64, not as float32."""


def scores(*, float32_safe: bool = False) -> st.SearchStrategy[float]:
    """Few values, so that documents tie, and some free ones."""
    few = [3.0, 2.5, 2.0, 1.0, 0.0, -1.0] + ([] if float32_safe else [CLOSE])
    free = st.floats(-100, 100, width=32) if float32_safe else st.floats(-100, 100)
    return st.sampled_from(few) | free.map(lambda x: x + 0.0)


@st.composite
def collections(
    draw: st.DrawFn,
    *,
    grades: tuple[int, ...] = (-2, -1, 0, 0, 1, 1, 2, 3),
    docs: list[str] = DOCS,
    queries: tuple[str, ...] = ("1", "2", "3", "10"),
    float32_safe: bool = False,
    distinct_scores: bool = False,
) -> tuple[Qrels, Run]:
    """Qrels and a run with at least one query in common; each may have queries that the other lacks.

    Each query has a grade of 0 or more: pytrec_eval 0.5.11 ends the whole process (segmentation fault) on others.
    """
    doc, value = st.sampled_from(docs), scores(float32_safe=float32_safe)
    judged = draw(st.sets(st.sampled_from(queries), min_size=1))
    found = draw(st.sets(st.sampled_from([*queries, "99"]), max_size=4)) | {min(judged)}
    qrels = {q: draw(st.dictionaries(doc, st.sampled_from(grades), min_size=1, max_size=10)) for q in sorted(judged)}
    for grade_of in qrels.values():
        if max(grade_of.values()) < 0:
            grade_of[min(grade_of)] = 0
    run = {q: draw(st.dictionaries(doc, value, min_size=1, max_size=12)) for q in sorted(found)}
    if distinct_scores:
        run = {q: {d: float(len(r) - i) for i, d in enumerate(r)} for q, r in run.items()}
    return qrels, run


def made(queries: int, *, seed: int = 7, grades: tuple[int, ...] = (0, 0, 1, 2, 3), judged_only: bool = False):
    """Qrels and a run by a seed, for stored values: ties, unjudged documents, a query without relevant ones.

    With `judged_only` every document of a query is judged and ranked, as in data for learning to rank.
    """
    rng = random.Random(seed)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(1, queries + 1):
        docs = rng.sample([f"d{i}" for i in range(20)], 14)
        judged, ranked = (docs, docs) if judged_only else (docs[:9], docs[4:])
        qrels[str(number)] = {doc: 0 if number == queries else rng.choice(grades) for doc in judged}
        run[str(number)] = {doc: rng.choice([5.0, 4.5, 4.0, 3.0, 1.0 + rng.randint(0, 9) / 8]) for doc in ranked}
    return qrels, run
