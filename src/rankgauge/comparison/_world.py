"""What is known and what is not: judged documents and holes of one or two runs, and worlds in which holes are filled.

A hole is a document without a judgment that a measure sees in one of the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.conventions import Convention
from rankgauge.engines import ranking
from rankgauge.engines import ties as ties_
from rankgauge.engines.memory import by_grade, defined, is_known
from rankgauge.judged import FloatArray, IntArray, JudgedRun, Judgments
from rankgauge.measures import Measure
from rankgauge.records import Qrels, Run

Frame = pl.DataFrame


@dataclass(frozen=True, eq=False)
class Side:
    """One run: its judged documents, and where it shows holes.

    Attributes
    ----------
    judged : the run without its holes' grades
    hole : int64[S], number of each hole shown
    rank, first, last : int64[S], its rank, and the ranks over which its tie spreads
    sign : what the side counts in a difference, 1 or -1
    """

    judged: JudgedRun
    hole: IntArray
    rank: IntArray
    first: IntArray
    last: IntArray
    sign: float


@dataclass(frozen=True, eq=False)
class World:
    """The holes of one or two runs, and all that is known beside them.

    Attributes
    ----------
    query : int64[U], query number of each hole, ascending
    doc : String[U]
    known : the judgments that are judgments, without the holes' lines (pooled, not judged)
    sides : run, and baseline where there is one
    """

    query: IntArray
    doc: pl.Series
    known: Judgments
    sides: tuple[Side, ...]

    @property
    def Q(self) -> int:
        """Number of queries."""
        return self.known.Q

    @cached_property
    def holes(self) -> IntArray:
        """Number of holes of each query, int64[Q]."""
        return np.bincount(self.query, minlength=self.Q).astype(np.int64)

    @cached_property
    def grades(self) -> FloatArray:
        """Grades that a hole could get, ascending: 0, those of the collection, and its top grade."""
        given = self.known.grade[self.known.grade > 0]
        return np.unique(np.concatenate([[0.0], given, [self.known.top_grade]]))


def unjudged(qrels: Qrels, run: Run, how: Convention, depth: int | None) -> Frame:
    """Documents without a judgment among the first `depth` of a run: query (number), doc, line, rank, first, last.

    `line` is the row of a line in the flat qrels that is no judgment under the convention, else null. With ties
    averaged, a document counts that any order of its tie brings among the first.
    """
    flat = qrels.flat
    number = ranking.query_numbers(flat, run)
    row_query = number[run.row_query]
    rows = np.flatnonzero(row_query >= 0)
    at = ranking.place(run, rows, how)
    if depth is not None:
        near = np.flatnonzero((at.first if how.ties == "expected" else at.rank) <= depth)
        rows, at = rows[near], ranking.Places(at.rank[near], at.first[near], at.last[near])
    shown = pl.DataFrame(
        {"query": row_query[rows], "doc": run.docs.gather(rows), "rank": at.rank, "first": at.first, "last": at.last}
    )
    lines = pl.DataFrame({"query": flat.row_query, "doc": flat.docs, "known": is_known(flat.grades, how)})
    found = shown.join(lines.with_row_index("line"), on=["query", "doc"], how="left", maintain_order="left")
    return found.filter(pl.col("known").is_null() | ~pl.col("known")).drop("known")


def world(qrels: Qrels, judged: Sequence[JudgedRun], shown: Sequence[Frame]) -> World:
    """Put one run, or a run and its baseline, together with the holes that each of them shows."""
    both = pl.concat([frame.select("query", "doc", "line") for frame in shown])
    holes = both.unique(["query", "doc"], maintain_order=True).sort("query", maintain_order=True)
    numbered = holes.with_row_index("hole")
    sides = []
    for run, frame, sign in zip(judged, shown, (1.0, -1.0), strict=False):
        mine = frame.join(numbered.select("query", "doc", "hole"), on=["query", "doc"], maintain_order="left")
        columns = {name: mine[name].to_numpy().astype(np.int64) for name in ("hole", "rank", "first", "last")}
        sides.append(Side(judged=_without(run, mine), **columns, sign=sign))
    flat = qrels.flat
    kept = np.ones(len(flat), dtype=np.bool_)
    kept[holes["line"].drop_nulls().to_numpy()] = False
    known = by_grade(flat.row_query[kept], flat.grades[kept], len(flat.queries), flat.top_grade)
    return World(holes["query"].to_numpy().astype(np.int64), holes["doc"], known, tuple(sides))


def _without(judged: JudgedRun, holes: Frame) -> JudgedRun:
    """Drop from the judged rows the lines that are holes."""
    if judged.known.all():
        return judged
    stride = int(judged.rank.max(initial=0)) + 1
    lines = holes.filter(pl.col("line").is_not_null() & (pl.col("rank") < stride))
    gone = lines["query"].to_numpy() * stride + lines["rank"].to_numpy()
    return judged.rows(~np.isin(judged.query * stride + judged.rank, gone))


def value(measure: Measure, judged: JudgedRun, how: Convention) -> FloatArray:
    """Value of each query as the engine has it before it rounds, float64[Q]."""
    return defined(ties_.expected(measure, judged).values if how.ties == "expected" else measure.of(judged), how)


@dataclass(frozen=True, eq=False)
class Blank:
    """The queries of a world that have holes, of one side, ready to be filled in many times.

    Rows are those of the ranking, by query and rank; `hole` is -1 for a judged document. Queries are numbered
    anew; `queries` int64[Q'] holds the old numbers. `grades` are all that a document may have, ascending.
    """

    judged: JudgedRun
    hole: IntArray
    hole_query: IntArray
    queries: IntArray
    grades: FloatArray

    @classmethod
    def of(cls, world: World, side: Side) -> Blank:
        """Take the queries that have holes."""
        queries = np.flatnonzero(world.holes)
        new = np.full(world.Q, -1)
        new[queries] = np.arange(len(queries))
        j = side.judged
        kept = new[j.query] >= 0
        query = np.concatenate([new[j.query[kept]], new[world.query[side.hole]]])
        rank = np.concatenate([j.rank[kept], side.rank])
        order = np.lexsort((rank, query))
        known = world.known
        mine = new[known.query] >= 0
        judged = replace(
            j,
            query=query[order],
            rank=rank[order],
            first=np.concatenate([j.first[kept], side.first])[order],
            last=np.concatenate([j.last[kept], side.last])[order],
            grade=np.concatenate([j.grade[kept], np.zeros(len(side.hole))])[order],
            known=np.concatenate([j.known[kept], np.ones(len(side.hole), dtype=np.bool_)])[order],
            depth=j.depth[queries],
            judgments=Judgments(new[known.query[mine]], known.grade[mine], len(queries), known.top_grade),
            subtopics=None,
        )
        hole = np.concatenate([np.full(int(kept.sum()), -1), side.hole])[order]
        return cls(judged, hole, new[world.query], queries, np.union1d(known.grade, world.grades))

    @property
    def size(self) -> int:
        """Rows that one filling takes, of the ranking and of the judgments."""
        return len(self.hole) + len(self.judged.judgments.query) + len(self.hole_query)

    def completed(self, grades: FloatArray) -> Judgments:
        """Judgments with the holes' grades, float64[n, U], each filling's queries being queries of their own.

        They are the same for every side of a world.
        """
        n, base = len(grades), self.judged.judgments
        query = np.broadcast_to(np.append(base.query, self.hole_query), (n, len(base.query) + len(self.hole_query)))
        grade = np.concatenate([np.broadcast_to(base.grade, (n, len(base.grade))), grades], axis=1)
        return self._by_grade(query, grade)

    def filled(self, grades: FloatArray, known: Judgments | None = None) -> JudgedRun:
        """Give the holes grades, float64[n, U]: a ranking in which every filling's queries are queries of their own.

        `known` are the judgments that `completed` gives, where another side has them.
        """
        n, j = len(grades), self.judged
        query = np.broadcast_to(j.query, (n, len(j.query)))
        grade = np.where(self.hole >= 0, grades[:, self.hole], j.grade)
        return replace(
            j,
            query=(np.arange(n)[:, None] * len(self.queries) + query).ravel(),
            grade=grade.ravel(),
            rank=np.tile(j.rank, n),
            first=np.tile(j.first, n),
            last=np.tile(j.last, n),
            known=np.tile(j.known, n),
            depth=np.tile(j.depth, n),
            judgments=self.completed(grades) if known is None else known,
            candidates=None if j.candidates is None else self._by_grade(query, grade),
        )

    def _by_grade(self, query: IntArray, grade: FloatArray) -> Judgments:
        """Sort by query and falling grade; grades are few, so that one whole number holds both."""
        n, G = len(grade), len(self.grades)
        key = query * G + (G - 1 - np.searchsorted(self.grades, grade))
        key.sort(axis=1)
        number = np.arange(n)[:, None] * len(self.queries) + key // G
        sorted_grade = self.grades[G - 1 - key % G]
        return Judgments(number.ravel(), sorted_grade.ravel(), n * len(self.queries), self.judged.judgments.top_grade)


def differences(
    blanks: Sequence[tuple[float, Blank]], measure: Measure, how: Convention, grades: FloatArray
) -> FloatArray:
    """Difference (Σ sign · value) of each filling of the holes, float64[n, Q'], NaN where undefined.

    With ties averaged this is the mean over their orders for linear measures; the others keep one order.
    """
    known, n = blanks[0][1].completed(grades), len(grades)
    total = np.zeros((n, len(blanks[0][1].queries)))
    for sign, blank in blanks:
        filled = blank.filled(grades, known)
        averaged = how.ties == "expected" and measure.declared.linear
        found = value(measure, filled, how) if averaged else defined(measure.of(filled), how)
        total += sign * found.reshape(n, -1)
    return total
