"""Cases for all engines: fixed ones with everything that goes wrong in real logs, and drawn ones."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

from contract.engines import Case
from contract.worlds import world
from strategies import DOCS, GRADES, QUERIES, SCORES

SCHEMA = {"query": pl.String, "doc": pl.String, "score": pl.Float64, "grade": pl.Float64}
QRELS = {"query": pl.String, "doc": pl.String, "grade": pl.Float64}
TOP_GRADE = 3.0
SELF = ("top", "top", 1.0, TOP_GRADE)
"""A row of its own query, in every case: so the highest grade is the same, and one query is judged and ranked."""


def log(seed: int, *, queries: int = 40) -> Case:
    """A log with scores, many of them tied, and grades on the rows; queries lie in stretches, some torn apart."""
    rng = np.random.default_rng(seed)
    some = world(seed, queries=queries)
    rows = [
        (query, doc, float(rng.integers(0, 8)), some.grade(query, doc))
        for query, docs in some.ranking.items()
        for doc in docs
    ]
    torn = rows[len(rows) // 2 :: 7]
    kept = [row for row in rows if row not in torn]
    return Case(pl.DataFrame([*kept, ("top", "top", 1.0, TOP_GRADE), *torn], schema=SCHEMA, orient="row"))


def ranked(seed: int) -> Case:
    """A log with ranks instead of scores, some of which leave gaps, and judged documents that were not retrieved."""
    rng = np.random.default_rng(seed)
    some = world(seed, queries=40)
    rows: list[tuple[str, str, int | None, float | None]] = []
    for query, docs in some.ranking.items():
        gaps = np.cumsum(rng.integers(1, 3, size=len(docs))) if rng.random() < 0.3 else np.arange(1, len(docs) + 1)
        order = rng.permutation(len(docs)) if rng.random() < 0.3 else range(len(docs))
        rows += [(query, docs[i], int(gaps[i]), some.grade(query, docs[i])) for i in order]
        rows += [(query, doc, None, some.grade(query, doc)) for doc in some.judged[query] if doc not in docs]
    rows.append(("top", "top", 1, TOP_GRADE))
    return Case(pl.DataFrame(rows, schema=SCHEMA | {"score": pl.Int64}, orient="row").rename({"score": "rank"}))


def apart(seed: int, *, both: bool = False) -> Case:
    """A run with scores and qrels apart; with `both`, rows carry grades too, which the qrels contradict in places."""
    some = world(seed, queries=40)
    rows = log(seed).rows
    qrels = [
        (query, doc, float(grade))
        for number, (query, docs) in enumerate(some.judged.items())
        for doc in docs
        if number % 5 and (grade := some.grade(query, doc)) is not None
    ]
    if both:
        qrels = [
            (query, doc, grade + (number % 11 == 0)) for number, (query, doc, grade) in enumerate(qrels) if number % 3
        ]
        qrels = [(query, doc, min(grade, TOP_GRADE)) for query, doc, grade in qrels]
    frame = pl.DataFrame([*qrels, ("top", "top", TOP_GRADE)], schema=QRELS, orient="row")
    return Case(rows if both else rows.drop("grade"), frame)


CASES = {"log": log(1), "ranks": ranked(2), "qrels apart": apart(3), "both": apart(4, both=True)}


def unit(case: Case) -> Case:
    """The same case with grades up to 1, for conventions that take no others."""
    scaled = pl.when(pl.col("grade") > 0).then(pl.col("grade") / TOP_GRADE).otherwise("grade").alias("grade")
    rows = case.rows.with_columns(scaled) if "grade" in case.rows.columns else case.rows
    return Case(rows, None if case.qrels is None else case.qrels.with_columns(scaled), case.by)


def in_days(cases: list[Case]) -> Case:
    """Many cases of one shape as one, each a day of its own; their qrels hold on that day only."""
    days = [pl.lit(f"2026-{number:05}").alias("day") for number in range(len(cases))]
    rows = pl.concat(case.rows.select(day, pl.all()) for day, case in zip(days, cases, strict=True))
    with_qrels = [
        case.qrels.select(day, pl.all()) for day, case in zip(days, cases, strict=True) if case.qrels is not None
    ]
    return Case(rows, pl.concat(with_qrels) if with_qrels else None, by=("day",))


@st.composite
def drawn(draw: st.DrawFn) -> Case:
    """A small case of any shape: ties, gaps, unjudged and unretrieved documents, torn and missing queries."""
    shape = draw(st.sampled_from(["score", "rank", "rank and unretrieved"]))
    place = "score" if shape == "score" else "rank"
    pairs = draw(st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS)), max_size=24, unique=True))
    grades = [draw(st.none() | GRADES) for _ in pairs]
    if place == "score":
        places = [draw(SCORES) for _ in pairs]
    else:
        free = {query: iter(draw(st.permutations(range(1, 15)))) for query in QUERIES}
        places = [next(free[query]) for query, _ in pairs]
        if shape != "rank":
            places = [
                None if grade is not None and draw(st.booleans()) else at
                for at, grade in zip(places, grades, strict=True)
            ]
    rows = [(query, doc, at, grade) for (query, doc), at, grade in zip(pairs, places, grades, strict=True)]
    rows.insert(draw(st.integers(0, len(rows))), ("top", "top", 1, TOP_GRADE))
    typed = SCHEMA if place == "score" else SCHEMA | {"score": pl.Int64}
    frame = pl.DataFrame(rows, schema=typed, orient="row").rename({"score": place})
    if draw(st.booleans()):
        return Case(frame)
    judged = draw(st.dictionaries(st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS)), GRADES, max_size=15))
    qrels = [(query, doc, float(grade)) for (query, doc), grade in judged.items()]
    both = shape == "rank and unretrieved" or draw(st.booleans())
    return Case(
        frame if both else frame.drop("grade"),
        pl.DataFrame([*qrels, ("top", "top", TOP_GRADE)], schema=QRELS, orient="row"),
    )
