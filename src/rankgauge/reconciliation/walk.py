"""Why two tools give different values on this very data: from one to the other, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankgauge import conventions
from rankgauge.conventions import Convention
from rankgauge.engines.memory import AnyQrels, AnyRun
from rankgauge.measures import Measure, parse
from rankgauge.reconciliation.judging import JUDGED_BY, Judging, Outcome
from rankgauge.reconciliation.options import space_of
from rankgauge.reconciliation.reasons import reason
from rankgauge.reconciliation.reconciling import judging_of
from rankgauge.reconciliation.search import outcome_of
from rankgauge.reconciliation.space import Axis, Change, Setting, Space
from rankgauge.reconciliation.tools import gives
from rankgauge.records import Run

SAME = 1e-12
LAST = ("queries", "undefined", "decimals")


@dataclass(frozen=True)
class Step:
    """One choice turned from the first tool's to the second's.

    Attributes
    ----------
    change : the choice
    value : mean after this and all earlier steps
    contribution : how much this step moves the mean; the steps' contributions add up to the difference
    alone : how much the choice moves the first tool's mean when nothing else is turned
    queries : queries whose value it changes, or that it takes into the mean or out of it
    """

    change: Change
    value: float
    contribution: float
    alone: float
    queries: int


@dataclass(frozen=True)
class QueryDifference:
    """One query on which the tools differ.

    Attributes
    ----------
    query : its id
    first, second : its value under each tool; None where it is undefined or left out of the mean
    steps : (axis, change of the value) of the steps that change it, None for a step into the mean or out of it
    why : which documents or judgments are at issue
    """

    query: str
    first: float | None
    second: float | None
    steps: tuple[tuple[str, float | None], ...]
    why: str


@dataclass(frozen=True)
class ToolDifference:
    """Why two tools' means differ on one run.

    Attributes
    ----------
    run, first, second : names of the run and of the tools
    measures : the measure as each tool has it
    values : the two means, NaN where undefined; n : queries in each
    steps : the choices that differ and matter here, in the order in which they are turned
    without_effect : choices that differ but change nothing on this data
    queries : every query on which the tools differ, the largest difference first
    remarks : what has to be known beside it
    """

    run: str
    first: str
    second: str
    measures: tuple[str, str]
    values: tuple[float, float]
    n: tuple[int, int]
    steps: tuple[Step, ...]
    without_effect: tuple[Change, ...]
    queries: tuple[QueryDifference, ...] = field(repr=False)
    remarks: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """The second tool's mean minus the first's."""
        return self.values[1] - self.values[0]

    def to_polars(self) -> pl.DataFrame:
        """Return one row per query on which the tools differ: query, first, second, axes, why."""
        rows = [(q.query, q.first, q.second, [axis for axis, _ in q.steps], q.why) for q in self.queries]
        schema: dict[str, Any] = {
            "query": pl.String,
            "first": pl.Float64,
            "second": pl.Float64,
            "axes": pl.List(pl.String),
        }
        return pl.DataFrame(rows, schema={**schema, "why": pl.String}, orient="row")


def explain_difference(
    qrels: AnyQrels,
    run: AnyRun,
    first: str | Convention,
    second: str | Convention,
    *,
    measure: str | Measure,
    by_rank: Run | None = None,
) -> ToolDifference:
    """Say by which choices two tools part on this data, and on which queries.

    The choices that differ are turned one after the other from the first tool's to the second's: those of
    the order and the judgments first, then the measure's parameters, then the mean. What a step contributes
    depends on that order where choices act together; `alone` says what it does by itself.

    Parameters
    ----------
    qrels, run : as in `evaluate`, one run
    first, second : names of conventions, or conventions
    measure : such as "nDCG@10"
    by_rank : the run as read by its rank column, where one of the tools follows that

    Raises
    ------
    ConventionError
        For a convention that does not exist.
    InputError
        For more than one run, and for a run that shares no query with the qrels.

    >>> said = explain_difference(
    ...     {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "trec_eval", "ranx", measure="RR")
    >>> [(step.change.axis, step.contribution) for step in said.steps]
    [('ties', 0.5)]
    """
    judging = judging_of(qrels, run, by_rank)
    asked = parse(measure) if isinstance(measure, str) else measure
    tools = conventions.convention(first), conventions.convention(second)
    full = _two_sided(asked, tools, judging)
    space = judging.merged(full)
    ends = space.setting(tools[0]), space.setting(tools[1])
    path = list(_path(space, *ends))
    outcomes = [outcome_of(space, judging, setting) for setting in path]
    steps = tuple(_steps(space, judging, path, outcomes))
    return ToolDifference(
        run=judging.name,
        first=tools[0].name,
        second=tools[1].name,
        measures=(str(space.measured(ends[0])), str(space.measured(ends[1]))),
        values=(_number(outcomes[0].mean), _number(outcomes[-1].mean)),
        n=(outcomes[0].n, outcomes[-1].n),
        steps=tuple(step for step in steps if step.queries or abs(step.contribution) > SAME),
        without_effect=(
            *_merged_away(full, space, tools),
            *(step.change for step in steps if not step.queries and not abs(step.contribution) > SAME),
        ),
        queries=tuple(_queries(space, judging, path, outcomes)),
        remarks=tuple(_remarks(asked, tools)),
    )


def _two_sided(measure: Measure, tools: tuple[Convention, Convention], judging: Judging) -> Space:
    """Axes with the two tools' options and no others."""
    wide = space_of(measure, tools, np.unique(judging.known.grade))
    options = zip(wide.choices(tools[0]), wide.choices(tools[1]), strict=True)
    axes = [Axis.of(axis.name, axis.part, pair) for axis, pair in zip(wide.axes, options, strict=True)]
    return Space(measure, tuple(axes))


def _walked(space: Space) -> list[int]:
    """Axes in the order in which they are turned."""
    turn = {name: number for number, name in enumerate(JUDGED_BY)}
    turn |= {name: 100 + number for number, name in enumerate(LAST)}
    return sorted(range(len(space.axes)), key=lambda axis: turn.get(space.axes[axis].name, 50))


def _path(space: Space, start: Setting, end: Setting) -> Iterator[Setting]:
    here = list(start)
    yield start
    for axis in _walked(space):
        if here[axis] != end[axis]:
            here[axis] = end[axis]
            yield tuple(here)


def _steps(space: Space, judging: Judging, path: Sequence[Setting], outcomes: Sequence[Outcome]) -> Iterator[Step]:
    start = _number(outcomes[0].mean)
    for number in range(1, len(path)):
        before, after = path[number - 1], path[number]
        (change,) = space.changes(before, after)
        axis = next(n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
        only = (*path[0][:axis], after[axis], *path[0][axis + 1 :])
        value = _number(outcomes[number].mean)
        yield Step(
            change,
            value,
            value - _number(outcomes[number - 1].mean),
            _number(outcome_of(space, judging, only).mean) - start,
            int(_differ(outcomes[number - 1], outcomes[number]).sum()),
        )


def _differ(one: Outcome, other: Outcome) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Queries that count for something else: another value, or in one mean and not in the other, bool[Q]."""
    left, right = _counting(one), _counting(other)
    with np.errstate(invalid="ignore"):
        apart = np.abs(left - right) > SAME
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = apart | (np.isnan(left) != np.isnan(right))
    return found


def _counting(outcome: Outcome) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Values of the queries in the mean, NaN elsewhere, float64[Q]."""
    return np.where(outcome.counted, outcome.values, np.nan)


def _queries(
    space: Space, judging: Judging, path: Sequence[Setting], outcomes: Sequence[Outcome]
) -> Iterator[QueryDifference]:
    first, second = _counting(outcomes[0]), _counting(outcomes[-1])
    rows = np.flatnonzero(_differ(outcomes[0], outcomes[-1]))
    sizes = np.abs(np.nan_to_num(second) - np.nan_to_num(first))
    for row in rows[np.argsort(-sizes[rows], kind="stable")]:
        steps, reasons = [], []
        for number in range(1, len(path)):
            before, after = _counting(outcomes[number - 1])[row], _counting(outcomes[number])[row]
            if np.isnan(before) == np.isnan(after) and not abs(before - after) > SAME:
                continue
            (change,) = space.changes(path[number - 1], path[number])
            gone = np.isnan(before) or np.isnan(after)
            steps.append((change.axis, None if gone else float(after - before)))
            reasons.append(reason(space, judging, path[number - 1], path[number], change, int(row)))
        yield QueryDifference(
            judging.qrels.flat.queries[int(row)], _value(first[row]), _value(second[row]), tuple(steps),
            "; ".join(reasons),
        )  # fmt: skip


def _merged_away(full: Space, merged: Space, tools: tuple[Convention, Convention]) -> Iterator[Change]:
    ends = full.setting(tools[0]), full.setting(tools[1])
    left = {axis.name for axis in merged.axes if len(axis.options) > 1}
    for axis, a, b in zip(full.axes, *ends, strict=True):
        if a != b and axis.name not in left:
            yield Change(axis.says, axis.label(axis.options[a]), axis.label(axis.options[b]))


def _remarks(measure: Measure, tools: tuple[Convention, Convention]) -> Iterator[str]:
    for tool in tools:
        if not gives(tool, measure):
            yield f"{tool.name} has no {measure.name} of its own; its other choices are applied to it"


def _number(mean: float | None) -> float:
    return float("nan") if mean is None else mean


def _value(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
