"""Which conventions give a reported number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankgauge.conventions import CONVENTIONS, Convention
from rankgauge.engines.memory import AnyQrels, AnyRun, as_qrels, as_runs
from rankgauge.engines.remarks import no_common_query
from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.measures import Measure, parse
from rankgauge.measures._values import show_value
from rankgauge.reconciliation.explaining import explained, mistakes, nearest
from rankgauge.reconciliation.hints import hints
from rankgauge.reconciliation.judging import Judging, Outcome
from rankgauge.reconciliation.options import space_of
from rankgauge.reconciliation.reported import Reported, as_reported
from rankgauge.reconciliation.results import EVEN, Explanation, Reconciliation, Sensitivity, Tried
from rankgauge.reconciliation.search import (
    Centre,
    Found,
    Progress,
    by_chance,
    centres_of,
    narrowed,
    outcome_of,
    search,
    without_effect,
)
from rankgauge.reconciliation.space import Space
from rankgauge.reconciliation.tools import tools_with
from rankgauge.records import Qrels, Run

EXPECTED = (("ties", "expected"),)
MOST = 10_000
ENOUGH = 2
"""Changes that are tried in any case; the more changes, the more numbers match by accident."""


def reconcile(
    qrels: AnyQrels,
    run: AnyRun,
    *,
    measure: str | Measure,
    reported: str | float,
    by_rank: Run | None = None,
    changes: int = 3,
    most: int = MOST,
    progress: Progress | None = None,
) -> Reconciliation:
    """Find the conventions that give a reported number.

    Every combination of choices that is two changes away from a tool's convention is tried, and up to `changes`
    where nothing has given the number before: how
    ties, negative grades and missing queries are taken, the measure's own parameters, and other cutoffs.
    What is written into the measure stays as it is: of nDCG(gain='linear')@10 no other gain is tried.

    Parameters
    ----------
    qrels, run : as in `evaluate`, one run
    measure : such as "nDCG@10"
    reported : the number as printed; text keeps its digits, as in "0.4320" or "43.2%"
    by_rank : the run as read by its rank column, where one is to be tried
    changes : how many choices may differ from a tool's
    most : how many pairs of ranking and measure are computed at most; fewer changes are tried where it takes more
    progress : is told how many combinations of how many are done

    Raises
    ------
    ParameterError
        For a number that cannot be read, and for a measure that cannot be had.
    InputError
        For more than one run, and for a run that shares no query with the qrels.

    >>> found = reconcile({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}, measure="nDCG@10", reported="0.797")
    >>> found.explanations[0].tools
    ('default', 'gdeval', 'lightgbm', 'xgboost')
    """
    judging = judging_of(qrels, run, by_rank)
    asked = parse(measure) if isinstance(measure, str) else measure
    space, centres = laid_out(judging, asked)
    number = as_reported(reported, top=space.measured(centres[0].setting).range[1])
    found = _searched(space, judging, centres, number, changes=changes, most=most, progress=progress)
    given = [*explained(space, centres, found, number), *mistakes(space, judging, centres, found, number)]
    given.sort(key=_plainness)
    telling = bool(given) and given[0].by_chance < EVEN
    return Reconciliation(
        measure=_written(asked),
        run=judging.name,
        reported=number,
        explanations=tuple(given),
        nearest=() if given else nearest(space, centres, found, number),
        without_effect=without_effect(space, found),
        start=centres[0].tools[0],
        sensitivity=tuple(_sensitivity(space, judging, centres[0])),
        hints=() if telling else hints(judging, asked, number, _known(space, judging, centres)),
        tried=_tried(judging, asked, found, number, wished=changes),
    )


def _tried(judging: Judging, measure: Measure, found: Found, number: Reported, *, wished: int) -> Tried:
    values = found.values()
    return Tried(
        combinations=len(found.points) + found.impossible,
        standing_for=found.standing_for,
        changes=found.changes,
        wished=wished,
        distinct=len(values),
        by_chance=by_chance(values, number.value, number.half_unit),
        impossible=found.impossible,
        left_out=() if judging.can_average_ties(measure) else ("ties: expected, which has too many orders here",),
    )


def _plainness(one: Explanation) -> tuple[int, bool, float, int]:
    """The fewest changes first; a cutoff other than the one asked for comes after what keeps it."""
    moved = any(change.axis == "cutoff" for change in one.changed)
    return len(one.changed), moved, one.by_chance, list(CONVENTIONS).index(one.start)


def _written(measure: Measure) -> str:
    """The measure as it was asked for: nothing that nobody chose."""
    chosen = ", ".join(f"{name}={show_value(value)}" for name, value in measure.chosen)
    name = f"{measure.name}({chosen})" if chosen else measure.name
    return name if measure.cutoff is None else f"{name}@{measure.cutoff}"


def judging_of(qrels: AnyQrels, run: AnyRun, by_rank: Run | None = None) -> Judging:
    """Make ready to judge one run; an error where it shares no query with the qrels."""
    runs = as_runs(run)
    if len(runs) != 1:
        raise InputError(Fault("runs", "one run", f"{len(runs)}", "pass one at a time"))
    judged: Qrels = as_qrels(qrels)
    if not set(judged.flat.queries) & set(runs[0].queries):
        raise InputError(no_common_query(judged.flat, runs[0]))
    return Judging(judged, runs[0], by_rank)


def laid_out(judging: Judging, measure: Measure) -> tuple[Space, tuple[Centre, ...]]:
    """Axes that can matter on the data, and the settings of the tools that can give the measure here.

    The first tool, our default, must give it; its error is not caught.
    """
    tools = tools_with(measure)
    without = () if judging.can_average_ties(measure) else (EXPECTED,)
    space = judging.merged(space_of(measure, tools, np.unique(judging.known.grade), without=without))
    able = [tool for number, tool in enumerate(tools) if _can(space, judging, tool, must=number == 0)]
    space = narrowed(space, judging, centres_of(space, able))
    return space, centres_of(space, able)


def _searched(
    space: Space,
    judging: Judging,
    centres: Sequence[Centre],
    number: Reported,
    *,
    changes: int,
    most: int,
    progress: Progress | None,
) -> Found:
    """Try up to two changes, and more only while nothing gives the number."""
    reach = min(ENOUGH, changes)
    found = search(space, judging, centres, changes=reach, most=most, progress=progress)
    while reach < changes and found.changes == reach and not any(point.value in number for point in found.points):
        reach += 1
        found = search(space, judging, centres, changes=reach, most=most, progress=progress)
    return found


def _can(space: Space, judging: Judging, tool: Convention, *, must: bool) -> bool:
    try:
        outcome_of(space, judging, space.setting(tool))
    except ParameterError:
        if must:
            raise
        return False
    return True


def _sensitivity(space: Space, judging: Judging, centre: Centre) -> Iterator[Sensitivity]:
    start = outcome_of(space, judging, centre.setting).mean
    for setting in space.around(centre.setting, 1):
        try:
            value = outcome_of(space, judging, setting).mean
        except ParameterError:
            value = None
        (change,) = space.changes(centre.setting, setting)
        gap = None if value is None or start is None else value - start
        yield Sensitivity(change.axis, change.before, change.after, value, gap)


def _known(
    space: Space, judging: Judging, centres: Sequence[Centre]
) -> list[tuple[tuple[str, ...], Convention, Measure, Outcome]]:
    return [
        (
            centre.tools,
            replace(CONVENTIONS[centre.tools[0]]),
            space.measured(centre.setting),
            outcome_of(space, judging, centre.setting),
        )
        for centre in centres
    ]
