"""Rows of a batch to records: order, duplicates, and where the judgments of each ranking come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.engines import memory, ranking
from rankgauge.engines.plan import DOC, GRADE, QUERY, RANK, SCORE, Plan
from rankgauge.errors import Fault, InputError
from rankgauge.judged import BoolArray, IntArray
from rankgauge.records import Qrels, Run
from rankgauge.records._columns import FloatArray, Groups, frozen, grouped, query_names, query_numbers, repeated_rows

WHERE = "the rankings"
MOST_FAULTS = 100


@dataclass(frozen=True)
class Joined:
    """A batch as records.

    `numbers` int64[run's Q]: each of the run's queries in the qrels, -1 for none; `found`: the judged documents
    of the run; `dropped`, `conflicts`: of queries that have any, see `plan.COUNTS`; `idle`: queries of the rows
    that are left with neither a ranking nor judgments.
    """

    qrels: Qrels
    run: Run
    numbers: IntArray
    found: ranking.Matches
    dropped: Mapping[str, int]
    conflicts: Mapping[str, int]
    idle: pl.Series


def joined(rows: pl.DataFrame, plan: Plan, qrels: pl.DataFrame | None) -> Joined:
    """Build the records of one batch; see `batch.score` for its columns and errors."""
    _check_ids(rows, plan, qrels)
    groups = grouped(rows[QUERY])
    if groups.order is not None:
        rows = rows[groups.order]
        groups = Groups(groups.ids, groups.offsets, None)
    both = _as_they_stand(rows, groups, plan) if qrels is None else _apart(rows, groups, plan, qrels)
    if (highest := both.qrels.grades.max(initial=0.0)) > plan.top_grade:
        advice = "top_grade is the highest grade of all judgments, in whatever batch"
        raise InputError(Fault(WHERE, f"grades up to {plan.top_grade:g}", f"{highest:g}", advice))
    return both


def _as_they_stand(rows: pl.DataFrame, groups: Groups, plan: Plan) -> Joined:
    """Where rows carry their grades and no document stands twice, nothing needs to be joined."""
    if plan.how.drop_self or (plan.order == "rank" and rows[RANK].null_count()):
        return _apart(rows, groups, plan, None)
    scores, ranks = _order(rows, plan)
    docs = pl.repeat("", len(rows), dtype=pl.String, eager=True) if plan.trusted else rows[DOC]
    run = Run(groups.ids, groups.offsets, docs, scores, WHERE, (), ranks)
    if not plan.trusted and len(repeated_rows(docs, groups.offsets, run.doc_hash)):
        return _apart(rows, groups, plan, None)
    _check_ranks(run, plan)
    grades = _grades(rows)
    row = np.flatnonzero(~np.isnan(grades))
    counts = np.diff(np.searchsorted(row, groups.offsets))
    some = counts > 0
    offsets = np.append(0, np.cumsum(counts[some])).astype(np.int64)
    judgments = Qrels(groups.ids.filter(pl.Series(some)), offsets, docs.gather(row), frozen(grades[row]))
    numbers = np.where(some, np.cumsum(some) - 1, -1)
    found = ranking.Matches(row, np.arange(len(row)))
    return Joined(judgments, run, numbers, found, {}, {}, groups.ids.clear())


def _apart(rows: pl.DataFrame, groups: Groups, plan: Plan, qrels: pl.DataFrame | None) -> Joined:
    """Join judgments and rankings by their ids; separate qrels hold against the grades on rows."""
    named = groups.ids
    own = rows.select(QUERY, DOC, pl.Series(GRADE, _grades(rows)).fill_nan(None))
    if plan.order == "rank" and rows[RANK].null_count():
        placed = rows[RANK].is_not_null()
        _refuse(rows, (~placed & own[GRADE].is_null()).to_numpy(), "a rank or a grade", "neither", "remove the row")
        rows = rows.filter(placed)
        groups = grouped(rows[QUERY])
    run = _run(rows, groups, plan)
    judgments, conflicts = _judgments(own.drop_nulls(GRADE), qrels, plan)
    numbers = ranking.query_numbers(judgments, run)
    found = ranking.match(judgments, run, numbers)
    idle = named.filter(~named.is_in(pl.concat([run.queries, judgments.queries]).implode()))
    return Joined(judgments, run, numbers, found, _dropped(groups, run), conflicts, idle)


def _dropped(groups: Groups, run: Run) -> dict[str, int]:
    """How many rows of each query are not in the run, for queries that lost any."""
    if len(run) == int(groups.offsets[-1]):
        return {}
    left = dict(zip(run.queries, np.diff(run.offsets).tolist(), strict=True))
    sizes = zip(groups.ids, np.diff(groups.offsets).tolist(), strict=True)
    return {query: size - left.get(query, 0) for query, size in sizes if size != left.get(query, 0)}


def _run(rows: pl.DataFrame, groups: Groups, plan: Plan) -> Run:
    scores, ranks = _order(rows, plan)
    if not len(rows):
        return Run(groups.ids, groups.offsets, rows[DOC], scores, WHERE, (), ranks)
    run = Run.from_groups(groups, rows[DOC], scores, name=WHERE, on_duplicate=plan.on_duplicate, ranks=ranks)
    _check_ranks(run, plan)
    return memory.without_self(run)[0] if plan.how.drop_self else run


def _judgments(own: pl.DataFrame, qrels: pl.DataFrame | None, plan: Plan) -> tuple[Qrels, dict[str, int]]:
    """All judgments, and how many of each query's rows contradict the separate ones."""
    if qrels is None:
        return _qrels(own, plan), {}
    separate = qrels.select(QUERY, DOC, GRADE)
    both = own.join(separate, on=[QUERY, DOC]).filter(pl.col(GRADE) != pl.col(f"{GRADE}_right"))
    conflicts = dict(both.group_by(QUERY).len().iter_rows())
    return _qrels(pl.concat([separate, own.join(separate, on=[QUERY, DOC], how="anti")]), plan), conflicts


def _qrels(table: pl.DataFrame, plan: Plan) -> Qrels:
    if not len(table):
        empty = np.zeros(0, dtype=np.float64)
        return Qrels(table[QUERY], np.zeros(1, dtype=np.int64), table[DOC], empty, name=WHERE)
    return Qrels.from_columns(table[QUERY], table[DOC], table[GRADE], name=WHERE, on_duplicate=plan.on_duplicate)


def _grades(rows: pl.DataFrame) -> FloatArray:
    """Grade of each row, float64[n], NaN for none."""
    if GRADE not in rows.columns:
        return np.full(len(rows), np.nan)
    grades = rows[GRADE].fill_null(np.nan).to_numpy()
    _refuse(rows, np.isinf(grades), "a finite grade, or none", "an infinite one", "mend the grade")
    return grades


def _order(rows: pl.DataFrame, plan: Plan) -> tuple[FloatArray, IntArray | None]:
    """Scores float64[n], and ranks int64[n] where these decide."""
    if plan.order == "score":
        scores = rows[SCORE].fill_null(np.nan).to_numpy()
        _refuse(rows, np.isnan(scores), "a score that is a number", "none or NaN", "NaN has no place in an order")
        return frozen(scores), None
    ranks = rows[RANK].to_numpy() + int(plan.from_zero)
    lowest = 0 if plan.from_zero else 1
    _refuse(rows, ranks < 1, f"a rank from {lowest} on", "one below it", "mend the rank")
    return frozen(-ranks.astype(np.float64)), frozen(ranks)


def _check_ids(rows: pl.DataFrame, plan: Plan, qrels: pl.DataFrame | None) -> None:
    """Refuse missing ids, and a promise that makes ids needless where they are needed."""
    if plan.trusted and (qrels is not None or rows[RANK].null_count()):
        got = "rows without a rank" if qrels is None else "separate judgments"
        raise InputError(Fault(WHERE, "ranks 1..n and grades on the rows, as was promised", got, "leave trusted out"))
    for name, of in ((QUERY, "query"), (DOC, "document")):
        if name in rows.columns and not (name == DOC and plan.trusted):
            missing = rows[name].str.len_bytes().fill_null(0) == 0
            if missing.any():
                _refuse(rows, missing.to_numpy(), f"the id of a {of}", "none", "remove the row")


def _refuse(rows: pl.DataFrame, bad: BoolArray, expected: str, got: str, advice: str) -> None:
    """Raise for the rows that are marked, naming the first hundred."""
    if not bad.any():
        return
    shown = rows.select(pl.col(QUERY, DOC) if DOC in rows.columns else pl.col(QUERY)).filter(pl.Series(bad))
    faults = [Fault(_place(row), expected, got, advice) for row in shown.head(MOST_FAULTS).iter_rows()]
    raise InputError(faults, total=len(shown))


def _place(row: tuple[str, ...]) -> str:
    return ", ".join(f"{what} {name!r}" for what, name in zip(("query", "document"), row, strict=False))


def _check_ranks(run: Run, plan: Plan) -> None:
    """Refuse one rank twice within a query, and gaps that the caller has ruled out."""
    if run.ranks is None:
        return
    rises = np.append(True, run.ranks[1:] > run.ranks[:-1])[: len(run)]
    rises[run.offsets[:-1]] = True
    if not rises.all():
        number = query_numbers(run.offsets, np.arange(len(run)))
        order = np.lexsort((run.ranks, number))
        again = (number[order[1:]] == number[order[:-1]]) & (run.ranks[order[1:]] == run.ranks[order[:-1]])
        _refuse_ranks(run, order[1:][again], "each rank once", "give a score column, or mend the ranks")
    if plan.trusted:
        last = np.maximum.reduceat(run.ranks, run.offsets[:-1])
        gap = np.flatnonzero(last > np.diff(run.offsets))
        _refuse_ranks(run, run.offsets[gap], "ranks without gaps, as was promised", "do not trust the ranks")


def _refuse_ranks(run: Run, rows: IntArray, expected: str, advice: str) -> None:
    if not len(rows):
        return
    assert run.ranks is not None
    names = query_names(run.queries, run.offsets, rows)
    got = "rank {} twice" if "once" in expected else "a ranking that leaves ranks out (at {})"
    faults = [
        Fault(f"query {name!r}", expected, got.format(run.ranks[row]), advice)
        for name, row in zip(names.head(MOST_FAULTS), rows, strict=False)
    ]
    raise InputError(faults, total=len(rows))
