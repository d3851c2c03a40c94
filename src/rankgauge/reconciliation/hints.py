"""What else would give a number that no convention gives: another measure, another number of queries, cut digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.engines import ties as ties_
from rankgauge.engines.memory import as_measures
from rankgauge.errors import MeasureError
from rankgauge.measures import REGISTRY, Measure
from rankgauge.reconciliation.judging import Judging, Outcome
from rankgauge.reconciliation.reported import Reported
from rankgauge.reconciliation.results import Hint
from rankgauge.reconciliation.tools import gives
from rankgauge.records.scores import average

MOST_OF_A_KIND = 3
LOST_SHARE = 0.5
"""A mean over less than half, or more than one and a half times, of the queries is no likely story."""

Known = Sequence[tuple[tuple[str, ...], Convention, Measure, Outcome]]


def hints(judging: Judging, measure: Measure, reported: Reported, known: Known) -> tuple[Hint, ...]:
    """Look for other ways to the number.

    Parameters
    ----------
    known : tools' names, their convention, their measure and what they give
    """
    kinds = (
        _digits(reported, known),
        islice(_orders(judging, reported, known), 1),
        _queries(measure, reported, known),
        _measures(judging, measure, reported, known),
    )
    return tuple(chain.from_iterable(islice(kind, MOST_OF_A_KIND) for kind in kinds))


def _digits(reported: Reported, known: Known) -> Iterator[Hint]:
    for tools, _, _, outcome in known:
        if outcome.mean is not None and outcome.mean not in reported and reported.cut_off(outcome.mean):
            text = f"{', '.join(tools)}: {outcome.mean:.6g}, whose further digits were cut off and not rounded"
            yield Hint("digits", text)


def _orders(judging: Judging, reported: Reported, known: Known) -> Iterator[Hint]:
    """A number between the smallest and the largest mean over the orders of ties."""
    for tools, convention, measure, outcome in known:
        rules = convention.of(str(measure))
        _, judged, _ = judging.form(rules.but(drop_self=convention.drop_self))
        low, high = ties_.interval(measure, judged)
        kept = outcome.counted & ~np.isnan(low) & ~np.isnan(outcome.values)
        if not kept.any() or np.isnan(low[judged.depth > 0]).all():
            continue
        ends = [average(side[kept], measure.declared.average) for side in (low, high)]
        if ends[0] is None or ends[1] is None or ends[1] - ends[0] <= 2 * reported.half_unit:
            continue
        if int(kept.sum()) == outcome.n and ends[0] <= reported.value <= ends[1]:
            text = f"over the orders of tied documents {tools[0]}'s mean lies between {ends[0]:.6g} and {ends[1]:.6g}"
            yield Hint("ties", f"{text}: a sort that no rule describes (an unstable one) can give the number")


def _queries(measure: Measure, reported: Reported, known: Known) -> Iterator[Hint]:
    """A total over another number of queries: some were left out with value 0, or counted though they have none."""
    if measure.declared.average != "mean":
        return
    said = set()
    for tools, _, _, outcome in known:
        counted = outcome.values[outcome.counted]
        total, n = float(np.nansum(counted)), outcome.n
        zeros = int((counted == 0).sum())
        for other in _numbers(total, n, reported):
            if n - other > zeros:
                continue  # what was left out had a value
            text = f"the total of {tools[0]}'s values over {n} queries, divided by {other}, is {total / other:.6g}"
            if (other, round(total, 9)) not in said:
                said.add((other, round(total, 9)))
                yield Hint("queries", f"{text}: {_story(zeros, n, other)}")


def _numbers(total: float, n: int, reported: Reported) -> Iterator[int]:
    if n == 0 or total <= 0 or reported.low <= 0:
        return
    low, high = np.ceil(total / reported.high - 1e-9), np.floor(total / reported.low + 1e-9)
    if high - low > 1:
        return  # so few digits that many numbers of queries would do
    for other in range(int(low), int(high) + 1):
        if other != n and abs(other - n) <= LOST_SHARE * n:
            yield other


def _story(zeros: int, n: int, other: int) -> str:
    if other > n:
        return f"as if {other - n} more queries counted, with value 0"
    return f"as if {n - other} of the {zeros} queries with value 0 were left out"


def _measures(judging: Judging, measure: Measure, reported: Reported, known: Known) -> Iterator[Hint]:
    """Other measures, at the same cutoff first, under the tools' conventions as they are."""
    seen = set()
    for other in _others(measure):
        for tools, convention, _, _ in known:
            try:
                (full,) = as_measures(other, convention)
                if str(full) in seen or not gives(convention, full) or not judging.can_average_ties(full):
                    continue
                rules = convention.of(str(full)).but(queries=convention.queries, drop_self=convention.drop_self)
                mean = judging.outcome(full, rules).mean
            except MeasureError:
                continue  # this measure cannot be had of this data
            if mean is not None and mean in reported:
                seen.add(str(full))
                yield Hint("measure", f"{full} under {', '.join(tools)} is {mean:.6g}: another measure?")


def _others(measure: Measure) -> Iterator[Measure]:
    cutoffs = list(dict.fromkeys([measure.cutoff, None]))
    for cutoff in cutoffs:
        for other in REGISTRY.values():
            how = other.declared
            if how.subtopics or other.name == measure.name:
                continue
            if (cutoff is None and how.cutoff == "required") or (cutoff is not None and how.cutoff == "none"):
                continue
            yield other if cutoff is None else other @ cutoff
