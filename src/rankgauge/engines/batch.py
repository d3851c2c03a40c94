"""Batches of whole rankings to tables of per-query scores: what the streaming engine and Spark's workers run.

Rows carry the ids, the rank or the score, and perhaps the grade; judgments may also come apart, as qrels.
Everything else is the memory engine's: the same records, the same judged runs, the same measures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rankgauge.conventions import Convention
from rankgauge.engines import memory, ranking
from rankgauge.engines.joining import Joined, joined
from rankgauge.engines.plan import COUNTS, QUERY, STATUS, Plan
from rankgauge.errors import Fault, InputError
from rankgauge.judged import BoolArray, IntArray, JudgedRun
from rankgauge.records._columns import FloatArray
from rankgauge.records.summary import LEFT_OUT, MISSING, NOT_COUNTED, SCORED, STATUSES

Key = tuple[object, ...]
_KIND = {status: place for place, status in enumerate(STATUSES)}


def score(rows: pl.DataFrame, plan: Plan, qrels: pl.DataFrame | None = None) -> pl.DataFrame:
    """Score a batch of whole rankings.

    Parameters
    ----------
    rows : columns by..., query, doc (String; none where the plan trusts), rank (Int64) or score (Float64), and
        grade (Float64) where rows carry judgments: null or NaN is unjudged. A row with a grade and no rank is
        judged and was not retrieved.
    qrels : columns by... (or none of them), query, doc, grade: judgments that hold for these rankings; where
        a query has no row, it is a query without results

    Returns
    -------
    The table of `plan.schema`: one row per query, in order of the first row of each, then those without rows.

    Raises
    ------
    InputError
        For scores that are NaN, ranks below 1 or twice in a query, missing values, infinite grades.
    DuplicateError
        For a document twice in a ranking, unless the plan says which holds.
    """
    if not plan.by:
        return _score(rows, plan, qrels)
    parts = _parted(rows, plan, qrels)
    tables = [named(_score(part, plan, judged), plan.by, key) for key, part, judged in parts]
    return pl.concat(tables) if tables else pl.DataFrame(schema=plan.schema)


def _parted(
    rows: pl.DataFrame, plan: Plan, qrels: pl.DataFrame | None
) -> list[tuple[Key, pl.DataFrame, pl.DataFrame | None]]:
    """Part rows and judgments by the groups of `by`; judgments without these columns hold in all groups."""
    parts = rows.partition_by(plan.by, as_dict=True, maintain_order=True, include_key=False)
    there = [] if qrels is None else [name for name in plan.by if name in qrels.columns]
    if qrels is None or not there:
        return [(key, part, qrels) for key, part in parts.items()]
    if len(there) < len(plan.by):
        got = f"{', '.join(there)} of {', '.join(plan.by)}"
        raise InputError(Fault("the judgments", "all columns that part rankings, or none", got, "add the others"))
    judged = qrels.partition_by(plan.by, as_dict=True, maintain_order=True, include_key=False)
    keys = dict.fromkeys([*parts, *judged])
    nothing, unjudged = rows.drop(plan.by).clear(), qrels.drop(plan.by).clear()
    return [(key, parts.get(key, nothing), judged.get(key, unjudged)) for key in keys]


def named(table: pl.DataFrame, by: Sequence[str], key: Key) -> pl.DataFrame:
    """Put a group's values of `by` before the columns of a table."""
    return table.select(*(pl.lit(v, pl.String).alias(n) for n, v in zip(by, key, strict=True)), pl.all())


def _score(rows: pl.DataFrame, plan: Plan, qrels: pl.DataFrame | None) -> pl.DataFrame:
    both = joined(rows, plan, qrels)
    known = replace(memory.judgments(both.qrels), top_grade=plan.top_grade)
    judge_by = functools.cache(
        lambda rules: memory.placed(both.qrels, both.run, rules, known=known, numbers=both.numbers, found=both.found)
    )
    judged = judge_by(plan.how)
    return _table(both, judged, memory.counted(judged, plan.how), columns(plan, judge_by))


def columns(plan: Plan, judge_by: Callable[[Convention], JudgedRun]) -> dict[str, FloatArray]:
    """Score a judged run: the table's columns of numbers, float64[Q] each, as in `memory.measured`."""
    values = memory.measured(plan.measures, plan.how, judge_by)
    found = {one.name: of.arrays["values"] for one, of in zip(plan.columns, values, strict=True)}
    found |= {name: values[number].arrays["unjudged"] for name, number in plan.unjudged.items()}
    for one, of in zip(plan.columns, values, strict=True):
        found |= {column: of.arrays[array] for array, column in one.doubts}
    return found


def _table(both: Joined, judged: JudgedRun, counted: BoolArray, numbers_of: dict[str, FloatArray]) -> pl.DataFrame:
    """Rows of the run's queries, then of the judged queries without results, then of those with nothing left."""
    numbers, Q = both.numbers, judged.Q
    silent = np.flatnonzero(np.bincount(numbers[numbers >= 0], minlength=Q) == 0)
    at = np.concatenate([numbers, silent, np.full(len(both.idle), -1)])
    kind = np.where(counted, np.where(judged.depth > 0, _KIND[SCORED], _KIND[MISSING]), _KIND[NOT_COUNTED])
    kind = np.append(kind, _KIND[LEFT_OUT])[at]  # the last is the number -1
    names = pl.concat([both.run.queries, both.qrels.queries.gather(silent), both.idle])
    own = np.append(ranking.sizes(both.run), np.zeros(len(at) - len(numbers), dtype=np.int64))
    hits = np.bincount(judged.query, minlength=Q + 1)[at]
    tied = np.bincount(judged.query[judged.last > judged.first], minlength=Q + 1)[at]
    counts = (own, hits, tied, _counts(names, both.dropped), _counts(names, both.conflicts))
    picked = {name: nullable(values, at, counted) for name, values in numbers_of.items()}
    return pl.DataFrame(
        {QUERY: names, STATUS: pl.Series(STATUSES, dtype=pl.String).gather(kind)}
        | dict(zip(COUNTS, counts, strict=True))
        | picked
    )


def nullable(values: FloatArray, at: IntArray, counted: BoolArray) -> pl.Series:
    """Values of the queries, null where one is undefined, not counted, or has no judgments."""
    shown = np.append(np.where(counted, values, np.nan), np.nan)[at]
    return pl.Series(shown, nan_to_null=True)


def _counts(queries: pl.Series, known: Mapping[str, int]) -> IntArray:
    if not known:
        return np.zeros(len(queries), dtype=np.int64)
    return np.array([known.get(query, 0) for query in queries], dtype=np.int64)
