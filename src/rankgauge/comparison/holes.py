"""Which unjudged documents to judge first: those whose grade can move the compared differences most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankgauge import conventions
from rankgauge.comparison._world import Blank, World, differences, unjudged, world
from rankgauge.conventions import Convention
from rankgauge.engines import remarks
from rankgauge.engines.memory import (
    AnyQrels,
    AnyRun,
    as_measures,
    as_qrels,
    as_runs,
    judge,
    judgments,
    without_self,
)
from rankgauge.errors import InputError, MeasureError, ParameterError
from rankgauge.judged import FloatArray, places
from rankgauge.measures import Measure
from rankgauge.records import Note

DEPTH = 10
ROWS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Holes:
    """Unjudged documents that runs show, the most influential first.

    Attributes
    ----------
    table : query, doc, one column "rank of <run>" for each run (null where it does not show the document),
        influence, share
    measure, runs : names; the first run is the one that the others are compared with
    depth : the first so many documents of each run were looked at
    found : how many unjudged documents there are, of which the table may hold the first ones
    notes : what was noticed

    `influence` is how much the document's grade alone can change the mean over all queries of the difference
    between a run and the first one, at most over the runs; `share` the running share of all influence.
    """

    table: pl.DataFrame = field(repr=False)
    measure: str
    runs: tuple[str, ...]
    depth: int
    found: int
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    def to_polars(self) -> pl.DataFrame:
        """Return the table."""
        return self.table


def holes(
    qrels: AnyQrels,
    runs: AnyRun | Mapping[str, AnyRun] | Sequence[Any],
    *,
    measure: str | Measure = "nDCG",
    k: int | None = None,
    budget: int | None = None,
    convention: Convention | str = "default",
) -> Holes:
    """List the unjudged documents in the first k of any run, those first whose judgment can change most.

    Parameters
    ----------
    runs : one or more; the differences are those of each run to the first. One run alone: its own value.
    measure : without a cutoff it gets k as cutoff, if it takes one
    k : how deep to look; None: the measure's cutoff, or 10
    budget : how many documents to list, at most; None: all

    The influence of a document is how far the difference moves when it alone gets the top grade and all others
    without a judgment the grade 0. For nDCG that is |w_run - w_first| · top gain / IDCG with w the weights of its
    ranks, and what it adds to the ideal ranking besides. Equal influence: by the sum of ranks (k + 1 where a run
    does not show it), then by the ids.

    Raises
    ------
    ParameterError
        For a depth or a budget below 1.
    MeasureError
        For a measure over subtopics: what an unjudged document covers is more than a grade.
    InputError
        For a run that shares no query with the qrels.

    >>> found = holes({"q": {"a": 1}}, {"old": {"q": {"a": 2.0, "b": 1.0}}, "new": {"q": {"x": 2.0, "a": 1.0}}}, k=2)
    >>> found.table.select("doc", "rank of old", "rank of new").rows()
    [('x', None, 1), ('b', 2, None)]
    """
    how = conventions.convention(convention)
    judged, named = as_qrels(qrels), as_runs(runs)
    chosen, depth = _at_depth(as_measures(measure, how)[0], k)
    if chosen.declared.subtopics:
        raise MeasureError(f"holes: expected a measure of grades, got {chosen}, which is over subtopics; try nDCG")
    if budget is not None and budget < 1:
        raise ParameterError(f"budget: expected 1 or more documents, got {budget}")
    rules = how.of(str(chosen))
    if how.drop_self:
        named = [without_self(run)[0] for run in named]
    if apart := [run for run in named if not run.queries.is_in(judged.flat.queries.implode()).any()]:
        raise InputError(remarks.no_common_query(judged, apart[0]))
    known = judgments(judged)
    seen = [judge(judged, run, rules, known=known) for run in named]
    shown = [unjudged(judged, run, rules, depth) for run in named]
    pairs = [[number, 0] for number in range(1, len(named))] or [[0]]
    moved = [
        _influence(world(judged, [seen[n] for n in pair], [shown[n] for n in pair]), chosen, rules) for pair in pairs
    ]
    names = [run.name for run in named]
    table = _ordered(_with_ranks(shown, names), pl.concat(moved), names, depth)
    table = table.with_columns(query=judged.flat.queries.gather(table["query"]))
    return Holes(
        table=table if budget is None else table.head(budget),
        measure=str(chosen),
        runs=tuple(names),
        depth=depth,
        found=len(table),
        notes=(*judged.notes, *[note for run in named for note in run.notes]),
    )


def _at_depth(measure: Measure, k: int | None) -> tuple[Measure, int]:
    depth = k if k is not None else measure.cutoff or DEPTH
    if depth < 1:
        raise ParameterError(f"k: expected a depth of 1 or more, got {k}")
    free = measure.cutoff is None and measure.declared.cutoff != "none"
    return (measure @ depth if free else measure)(judged_only=False), depth


def _influence(both: World, measure: Measure, how: Convention) -> pl.DataFrame:
    """How much each hole alone moves the mean difference: query, doc, influence."""
    moved = np.zeros(len(both.query))
    if len(both.query):
        blanks = [(side.sign, Blank.of(both, side)) for side in both.sides]
        place = places(both.query, both.Q) - 1
        new = np.searchsorted(blanks[0][1].queries, both.query)
        zero = _defined(differences(blanks, measure, how, np.zeros((1, len(both.query)))))[0]
        step = max(1, ROWS_AT_ONCE // sum(blank.size for _, blank in blanks))
        for start in range(0, int(both.holes.max()), step):
            which = np.arange(start, min(start + step, int(both.holes.max())))
            grades = (place == which[:, None]) * both.known.top_grade
            change = np.abs(_defined(differences(blanks, measure, how, grades)) - zero)
            mine = (place >= start) & (place < start + step)
            moved[mine] = change[place[mine] - start, new[mine]]
    return pl.DataFrame({"query": both.query, "doc": both.doc, "influence": moved / both.Q})


def _defined(values: FloatArray) -> FloatArray:
    """An undefined difference moves no mean: it counts as none."""
    return np.nan_to_num(values, nan=0.0)


def _with_ranks(shown: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """Every hole once, with its rank in each run."""
    table = pl.concat([frame.select("query", "doc") for frame in shown]).unique(maintain_order=True)
    for frame, name in zip(shown, names, strict=True):
        ranks = frame.select("query", "doc", pl.col("rank").alias(f"rank of {name}"))
        table = table.join(ranks, on=["query", "doc"], how="left", maintain_order="left")
    return table


def _ordered(table: pl.DataFrame, moved: pl.DataFrame, names: Sequence[str], depth: int) -> pl.DataFrame:
    most = moved.group_by("query", "doc").agg(pl.col("influence").max())
    table = table.join(most, on=["query", "doc"], how="left", maintain_order="left")
    ranks = pl.sum_horizontal(pl.col(f"rank of {name}").fill_null(depth + 1) for name in names)
    falling = [True, False, False, False]
    close = pl.col("influence").round(12)  # sums in another order differ in the last bits
    table = table.sort(close, ranks, "query", "doc", descending=falling, maintain_order=True)
    total = float(table["influence"].sum())
    share = table["influence"].cum_sum() / total if total > 0 else pl.Series(np.zeros(len(table)))
    return table.with_columns(share=share)
