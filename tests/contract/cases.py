"""Cases for all engines: fixed ones with everything that goes wrong in real logs, and drawn ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from contract.engines import Case
from contract.worlds import world
from strategies import DOCS, GRADES, QUERIES, SCORES

SCHEMA = {"query": pl.String, "doc": pl.String, "score": pl.Float64, "grade": pl.Float64}
QRELS = {"query": pl.String, "doc": pl.String, "grade": pl.Float64}
TOP_GRADE = 3.0
FIRST = ("top", "first", 1.0, TOP_GRADE)
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
    return Case(pl.DataFrame([*kept, FIRST, *torn], schema=SCHEMA, orient="row"))


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
    rows.append((*FIRST[:2], 1, TOP_GRADE))
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
    frame = pl.DataFrame([*qrels, (*FIRST[:2], TOP_GRADE)], schema=QRELS, orient="row")
    return Case(rows if both else rows.drop("grade"), frame)


def shuffled(case: Case, seed: int = 5) -> Case:
    """The same rows in any order."""
    return replace(case, rows=case.rows.sample(fraction=1.0, shuffle=True, seed=seed))


CASES = {
    "log": log(1),
    "ranks": ranked(2),
    "qrels apart": apart(3),
    "shuffled": shuffled(apart(4, both=True)),
}


def unit(case: Case) -> Case:
    """The same case with grades up to 1, for conventions that take no others."""
    scaled = pl.when(pl.col("grade") > 0).then(pl.col("grade") / TOP_GRADE).otherwise("grade").alias("grade")
    rows = case.rows.with_columns(scaled) if "grade" in case.rows.columns else case.rows
    return Case(rows, None if case.qrels is None else case.qrels.with_columns(scaled), case.by)


def in_days(cases: Sequence[Case]) -> Case:
    """Cases of one shape as one, each a day of its own; their qrels hold on that day only."""
    days = [f"2026-01-{number:02}" for number in range(1, len(cases) + 1)]
    return replace(_together(cases, days, "day"), by=("day",))


def in_one(cases: Sequence[Case]) -> Case:
    """Cases of one shape as one: every query gets the number of its case before its name."""
    both = _together(cases, list(map(str, range(len(cases)))), "case")
    frames = [
        None if frame is None else frame.with_columns(query=pl.concat_str("case", "query", separator=" ")).drop("case")
        for frame in (both.rows, both.qrels)
    ]
    return Case(*frames)


def _together(cases: Sequence[Case], keys: list[str], name: str) -> Case:
    named = [pl.lit(key).alias(name) for key in keys]
    rows = pl.concat(case.rows.select(key, pl.all()) for key, case in zip(named, cases, strict=True))
    apart = [case.qrels.select(key, pl.all()) for key, case in zip(named, cases, strict=True) if case.qrels is not None]
    return Case(rows, pl.concat(apart) if apart else None)


SHAPES = [(place, graded, qrels) for place in ("score", "rank") for graded, qrels in ((1, 0), (1, 1), (0, 1))]
"""What decides the order, whether rows carry grades, whether there are qrels."""


@st.composite
def drawn(draw: st.DrawFn, shape: tuple[str, int, int] | None = None) -> Case:
    """A small case: ties, gaps, unjudged and unretrieved documents, torn and missing queries, NaN for no grade."""
    place, graded, qrels = shape or draw(st.sampled_from(SHAPES))
    pairs = draw(st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS)), max_size=24, unique=True))
    grades = [draw(st.sampled_from([None, math.nan]) | GRADES) if graded else None for _ in pairs]
    if place == "score":
        places: list[float | None] = [draw(SCORES) for _ in pairs]
    else:
        free = {query: iter(draw(st.permutations(range(1, 15)))) for query in QUERIES}
        places = [next(free[query]) for query, _ in pairs]
        lost = [grade is not None and grade == grade and draw(st.booleans()) for grade in grades]
        places = [None if gone else at for at, gone in zip(places, lost, strict=True)]
    rows = [(query, doc, at, grade) for (query, doc), at, grade in zip(pairs, places, grades, strict=True)]
    rows.insert(draw(st.integers(0, len(rows))), (*FIRST[:2], 1, TOP_GRADE))
    typed = SCHEMA if place == "score" else SCHEMA | {"score": pl.Int64}
    frame = pl.DataFrame(rows, schema=typed, orient="row").rename({"score": place})
    if not qrels:
        return Case(frame)
    judged = draw(st.dictionaries(st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS)), GRADES, max_size=15))
    apart_ = [(*pair, float(grade)) for pair, grade in judged.items()]
    table = pl.DataFrame([*apart_, (*FIRST[:2], TOP_GRADE)], schema=QRELS, orient="row")
    return Case(frame if graded else frame.drop("grade"), table)


def pool(shape: tuple[str, int, int], many: int = 100) -> Case:
    """Many drawn cases of one shape in one, for engines that take long to begin."""
    cases: list[Case] = []

    @settings(max_examples=many, phases=[Phase.generate], database=None, derandomize=True)
    @given(drawn(shape))
    def collect(case: Case) -> None:
        cases.append(case)

    collect()
    return in_one(cases)
