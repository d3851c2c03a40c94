"""Puts what was found into explanations: one for each value, by the fewest changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankgauge.conventions import CONVENTIONS
from rankgauge.reconciliation.judging import Judging
from rankgauge.reconciliation.mistakes import mistaken
from rankgauge.reconciliation.reported import Reported
from rankgauge.reconciliation.results import Explanation
from rankgauge.reconciliation.search import ROUNDING, Centre, Found, Point, by_chance, outcome_of, plainest
from rankgauge.reconciliation.space import Space
from rankgauge.records.scores import average

NEAREST = 5
OTHERS = 3


def explained(space: Space, centres: Sequence[Centre], found: Found, number: Reported) -> Iterator[Explanation]:
    """One explanation for each value within the digits, by the combinations with the fewest changes."""
    points = plainest(centres, [point for point in found.points if point.value in number])
    share = _share(found, number)
    rank = {point.setting: number for number, point in enumerate(points)}
    for same in _by_value(points):
        same.sort(key=lambda point: (point.changes, rank[point.setting]))
        best = [point for point in same if point.changes == same[0].changes]
        chance = share * len(found.values(changes=same[0].changes))
        yield _explanation(space, centres, best, len(same) - len(best), chance)


def _by_value(points: Sequence[Point]) -> Iterator[list[Point]]:
    ordered = sorted(points, key=lambda point: point.value)
    together: list[Point] = []
    for point in ordered:
        if together and point.value - together[-1].value > ROUNDING:
            yield together
            together = []
        together.append(point)
    if together:
        yield together


def _explanation(
    space: Space, centres: Sequence[Centre], best: Sequence[Point], more: int, chance: float
) -> Explanation:
    first = best[0]
    tools = tuple(tool for point in best for tool in centres[point.centre].tools) if first.changes == 0 else ()
    told = [_words(space, centres, point) for point in best[1:]] if not tools else []
    start = centres[first.centre]
    changed = space.changes(start.setting, first.setting)
    name = start.tools[0] if not changed else f"{start.tools[0]} but " + "; ".join(map(str, changed))
    return Explanation(
        value=first.value,
        n=first.outcome.n,
        tools=tuple(sorted(tools, key=list(CONVENTIONS).index)),
        start=start.tools[0],
        changed=changed,
        measure=space.measured(first.setting),
        convention=space.rules(first.setting, name),
        others=tuple(told[:OTHERS]),
        more=more + max(0, len(told) - OTHERS),
        by_chance=chance,
    )


def _words(space: Space, centres: Sequence[Centre], point: Point) -> str:
    start = centres[point.centre]
    return f"{start.tools[0]} but " + "; ".join(map(str, space.changes(start.setting, point.setting)))


def nearest(space: Space, centres: Sequence[Centre], found: Found, number: Reported) -> tuple[Explanation, ...]:
    """The values nearest to the number, one explanation for each."""
    listed: list[Explanation] = []
    for same in sorted(_by_value(found.points), key=lambda same: abs(same[0].value - number.value)):
        same.sort(key=lambda point: point.changes)
        if any(abs(one.value - same[0].value) <= number.half_unit for one in listed):
            continue
        best = [point for point in same if point.changes == same[0].changes]
        listed.append(_explanation(space, centres, best, len(same) - len(best), 0.0))
        if len(listed) == NEAREST:
            break
    return tuple(listed)


def mistakes(
    space: Space, judging: Judging, centres: Sequence[Centre], found: Found, number: Reported
) -> list[Explanation]:
    """Known mistakes on top of a tool's convention that give the number; each counts as one change."""
    given: list[Explanation] = []
    seen: set[float] = set()
    for centre in centres:
        measure, rules = space.measured(centre.setting), space.rules(centre.setting, "tried")
        counted = outcome_of(space, judging, centre.setting).counted
        for change, values in mistaken(judging, measure, rules):
            kept = values if len(values) != len(counted) else values[counted]
            kept = kept[~np.isnan(kept)] if rules.undefined == "skip" else np.nan_to_num(kept)
            value = average(kept, measure.declared.average)
            if value is None or round(value, 9) in seen:
                continue
            seen.add(round(value, 9))
            if value in number:
                given.append(Explanation(value, len(kept), (), centre.tools[0], (change,), None, None))
    chance = _share(found, number) * (len(found.values(changes=1)) + len(seen))
    return [replace(one, by_chance=chance) for one in given]


def _share(found: Found, number: Reported) -> float:
    """Chance that one value lies within the digits by accident."""
    values = found.values()
    return by_chance(values, number.value, number.half_unit) / max(len(values), 1)
