"""States: what measures can see of a ranking, in numbers that add up over its rows in any order.

Where ranks decide and can be trusted, a ranking needs no list of its documents: a code at each rank down to a
depth says which grade stands there, and counts say which grades stand below it. Codes of different rows combine
by "or", counts by addition, so that an engine may put rows together before it moves any; the judged run that
follows is the one that the rows themselves give, and so is every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.conventions import Convention
from rankgauge.engines import batch, memory
from rankgauge.engines.plan import COUNTS, STATUS, Plan
from rankgauge.errors import Fault, InputError
from rankgauge.judged import IntArray, JudgedRun, Judgments
from rankgauge.measures import Measure
from rankgauge.records.summary import LEFT_OUT, NOT_COUNTED, SCORED

CodeArray = npt.NDArray[np.uint8]

MOST_RANKS = 128
MOST_KINDS = 62
NOTHING, UNJUDGED, FIRST_GRADE = 0, 1, 2
"""Codes of a rank: no document seen, one without a judgment, one with the lowest grade (and so on upwards)."""
WORD_BITS = 64
MOST_FAULTS = 100


@dataclass(frozen=True)
class Layout:
    """How states are laid out.

    Attributes
    ----------
    depth : ranks that have a code
    lowest : the lowest grade; grades are whole
    kinds : number of grades from the lowest to the highest
    complete : no ranking is longer than the depth, so that there are no counts
    """

    depth: int
    lowest: int
    kinds: int
    complete: bool

    @property
    def bits(self) -> int:
        """Bits of a code."""
        return 4 if self.kinds + FIRST_GRADE <= 1 << 4 else 8

    @property
    def words(self) -> list[range]:
        """Ranks whose codes share a 64-bit word."""
        step = WORD_BITS // self.bits
        return [range(rank, min(rank + step, self.depth + 1)) for rank in range(1, self.depth + 1, step)]

    @property
    def counted(self) -> list[int]:
        """Grades that are counted below the depth, best first."""
        return [] if self.complete else [self.lowest + kind for kind in reversed(range(self.kinds))]


@dataclass(frozen=True)
class States:
    """Rankings as numbers that add up.

    Attributes
    ----------
    keys : columns by..., query, one row each
    rows : int64[Q], rows of each ranking
    last : int64[Q], its last rank
    codes : uint8[Q, depth], what stands at each rank
    below : int64[Q, kinds], grades that stand below the depth, best first
    """

    keys: pl.DataFrame
    rows: IntArray
    last: IntArray
    codes: CodeArray
    below: IntArray


def layout(plan: Plan, *, last_rank: int, lowest: float, highest: float, whole: bool) -> Layout | None:
    """Say how states can carry what this plan's measures see, None where they cannot.

    A measure with a cutoff sees judged documents down to it, the length of the ranking, and the grades of all
    judgments, whatever its formula: `Measure.view` hands out nothing else. One without a cutoff, or that drops
    unjudged documents first, sees all ranks. Subtopics and ids have no place in a state.

    Parameters
    ----------
    last_rank, lowest, highest, whole : of all rows: the last rank, the grades' ends, and whether all are whole
    """
    if not plan.trusted or plan.order != "rank" or plan.how.drop_self or not whole:
        return None
    if any(measure.declared.subtopics for measure in plan.measures):
        return None
    needed = depth_seen(plan.measures)
    depth = last_rank if needed is None else min(needed, last_rank)
    kinds = int(highest) - int(lowest) + 1
    if depth > MOST_RANKS or kinds > MOST_KINDS:
        return None
    return Layout(depth, int(lowest), kinds, complete=last_rank <= depth)


def depth_seen(measures: Sequence[Measure]) -> int | None:
    """Rank below which none of these measures sees a document, None where there is no such rank."""
    deepest = 0
    for measure in measures:
        if measure.cutoff is None or measure.parameters["judged_only"]:
            return None
        deepest = max(deepest, measure.cutoff)
    return deepest


def unpacked(words: Sequence[IntArray], layout: Layout) -> CodeArray:
    """Take the codes out of 64-bit words, int64[Q] each, in the order of `layout.words`."""
    Q = len(words[0]) if words else 0
    codes = np.zeros((Q, layout.depth), dtype=np.uint8)
    for word, ranks in zip(words, layout.words, strict=True):
        bits = word.view(np.uint64)
        for place, rank in enumerate(ranks):
            codes[:, rank - 1] = (bits >> np.uint64(layout.bits * place)) & np.uint64((1 << layout.bits) - 1)
    return codes


def score(states: States, layout: Layout, plan: Plan) -> pl.DataFrame:
    """Score rankings from their states: the table of `plan.schema`, as `batch.score` makes it from the rows.

    Raises InputError where the ranks are not 1..n, as far as the states tell.
    """
    _check(states, layout, plan)
    grades = _counts(states, layout)
    judged_queries = grades.sum(axis=1) > 0
    judged = _judged(_only(states, judged_queries), grades[judged_queries], layout, plan)
    values = batch.columns(plan, lambda rules: _under(judged, rules))
    counted = memory.counted(judged, plan.how)
    at = np.where(judged_queries, np.cumsum(judged_queries) - 1, -1)
    status = np.append(np.where(counted, SCORED, NOT_COUNTED), LEFT_OUT)[at]
    nothing = np.zeros(len(at), dtype=np.int64)
    counts = (states.last, grades.sum(axis=1), nothing, nothing, nothing)
    return states.keys.with_columns(
        pl.Series(STATUS, status, dtype=pl.String),
        *(pl.Series(name, values) for name, values in zip(COUNTS, counts, strict=True)),
        *(batch.nullable(of, at, counted).alias(name) for name, of in values.items()),
    )


def _only(states: States, mask: npt.NDArray[np.bool_]) -> States:
    keys = states.keys.filter(pl.Series(mask))
    return States(keys, states.rows[mask], states.last[mask], states.codes[mask], states.below[mask])


def _counts(states: States, layout: Layout) -> IntArray:
    """How many documents of each query have each grade, int64[Q, kinds], best first."""
    kinds = [layout.kinds - 1 - kind + FIRST_GRADE for kind in range(layout.kinds)]
    counts = np.stack([(states.codes == code).sum(axis=1) for code in kinds], axis=1).astype(np.int64)
    return counts if layout.complete else counts + states.below


def _judged(states: States, grades: IntArray, layout: Layout, plan: Plan) -> JudgedRun:
    Q = len(states.rows)
    query, place = np.nonzero(states.codes >= FIRST_GRADE)
    grade = states.codes[query, place].astype(np.float64) + (layout.lowest - FIRST_GRADE)
    rank = place + 1
    cell = np.repeat(np.arange(grades.size), grades.ravel())
    best = layout.lowest + layout.kinds - 1
    judgments = Judgments(cell // layout.kinds, (best - cell % layout.kinds).astype(np.float64), Q, plan.top_grade)
    known = np.ones(len(rank), dtype=np.bool_)
    return JudgedRun(query, grade, rank, rank, rank, known, states.last, judgments)


def _under(judged: JudgedRun, how: Convention) -> JudgedRun:
    """Return the ranking under a convention's rules; all that was judged was retrieved."""
    pool = None if how.ideal == "judged" else judged.judgments
    marks = memory.is_known(judged.grade, how)
    return replace(judged, known=marks, negative=how.negative, candidates=pool, level=how.level)


def _check(states: States, layout: Layout, plan: Plan) -> None:
    """Refuse rankings that break the promise of ranks 1..n."""
    within = np.minimum(states.last, layout.depth)
    found = (states.codes != NOTHING).sum(axis=1)
    bad = np.flatnonzero((states.rows != states.last) | (found < within))
    if not len(bad):
        return
    faults = [
        Fault(
            _named(states.keys.row(int(row), named=True)),
            "ranks 1..n, each once, as was promised",
            f"{states.rows[row]} rows down to rank {states.last[row]}, {found[row]} of the first {within[row]} ranks",
            "do not trust the ranks",
        )
        for row in bad[:MOST_FAULTS]
    ]
    raise InputError(faults, total=len(bad))


def _named(key: dict[str, str]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in reversed(key.items()))
