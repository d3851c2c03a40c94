"""Goes through the combinations of choices around the tools' conventions, the plainest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from rankgauge.conventions import Convention
from rankgauge.errors import ParameterError
from rankgauge.judged import FloatArray
from rankgauge.reconciliation.judging import Judging, Outcome
from rankgauge.reconciliation.space import Setting, Space, apart

Progress = Callable[[int, int], None]
ROUNDING = 1e-9
"""Values that are nearer than this are one value."""


@dataclass(frozen=True)
class Point:
    """One combination: its setting, how many changes from the nearest centre (by number), and its outcome."""

    setting: Setting
    changes: int
    centre: int
    outcome: Outcome = field(repr=False)

    @property
    def value(self) -> float:
        """The mean."""
        assert self.outcome.mean is not None
        return self.outcome.mean


@dataclass(frozen=True)
class Found:
    """All combinations that were tried, with a defined value; `impossible` counts those without one."""

    points: tuple[Point, ...]
    changes: int
    impossible: int
    standing_for: int

    def values(self, *, changes: int | None = None) -> FloatArray:
        """The different values of combinations with up to so many changes, ascending."""
        chosen = [p.value for p in self.points if changes is None or p.changes <= changes]
        ordered = np.sort(np.array(chosen, dtype=np.float64))
        different: FloatArray = ordered[np.append(True, np.diff(ordered) > ROUNDING)[: len(ordered)]]
        return different


@dataclass(frozen=True)
class Centre:
    """A setting that one or more tools have."""

    setting: Setting
    tools: tuple[str, ...]


def centres_of(space: Space, conventions: Sequence[Convention]) -> tuple[Centre, ...]:
    """Put together the conventions that cannot differ on this data."""
    together: dict[Setting, list[str]] = {}
    for convention in conventions:
        together.setdefault(space.setting(convention), []).append(convention.name)
    return tuple(Centre(setting, tuple(tools)) for setting, tools in together.items())


def search(
    space: Space,
    judging: Judging,
    centres: Sequence[Centre],
    *,
    changes: int,
    most: int,
    progress: Progress | None = None,
) -> Found:
    """Try every combination with up to `changes` changes from a centre.

    Parameters
    ----------
    most : combinations of ranking and measure to compute; with fewer changes where they would be more
    progress : is told how many combinations of how many are done
    """
    settings, reached = _within(space, judging, centres, changes, most)
    points, impossible, standing_for = [], 0, 0
    for number, (setting, centre) in enumerate(settings.items()):
        standing_for += space.stands_for(setting)
        try:
            outcome = outcome_of(space, judging, setting)
        except ParameterError:
            outcome = None
        if outcome is None or outcome.mean is None:
            impossible += 1
        else:
            points.append(Point(setting, apart(setting, centres[centre].setting), centre, outcome))
        if progress is not None and number % 256 == 0:
            progress(number, len(settings))
    if progress is not None:
        progress(len(settings), len(settings))
    return Found(tuple(points), reached, impossible, standing_for)


def outcome_of(space: Space, judging: Judging, setting: Setting) -> Outcome:
    """What one combination gives."""
    return judging.outcome(space.measured(setting), space.rules(setting, "tried"))


def _within(
    space: Space, judging: Judging, centres: Sequence[Centre], changes: int, most: int
) -> tuple[dict[Setting, int], int]:
    """Settings by growing distance, each with its nearest centre; the distance is cut where they become too many."""
    found: dict[Setting, int] = {}
    costs: set[object] = set()
    for distance in range(changes + 1):
        ring: dict[Setting, int] = {}
        for number, centre in enumerate(centres):
            for setting in space.around(centre.setting, distance):
                if setting not in found:
                    ring.setdefault(setting, number)
            if len(found) + len(ring) > SETTINGS_PER_VALUE * most and distance > 1:
                return found, distance - 1
        costs |= {_cost(space, setting) for setting in ring}
        if len(costs) > most and distance > 1:
            return found, distance - 1
        found |= ring
    return found, changes


SETTINGS_PER_VALUE = 10
"""Combinations that share ranking and measure cost little: only how means are taken differs."""


def plainest(centres: Sequence[Centre], points: Sequence[Point]) -> list[Point]:
    """Leave out combinations of which a part is among the points as well: their further changes are not needed."""
    given = {point.setting for point in points}
    return [p for p in points if not any(_part_is_in(given, centre.setting, p) for centre in centres)]


def _part_is_in(given: set[Setting], centre: Setting, point: Point) -> bool:
    moved = [axis for axis, (a, b) in enumerate(zip(centre, point.setting, strict=True)) if a != b]
    if len(moved) > point.changes:
        return False  # another centre is nearer
    for count in range(len(moved)):
        for undone in combinations(moved, len(moved) - count):
            part = tuple(centre[n] if n in undone else option for n, option in enumerate(point.setting))
            if part in given:
                return True
    return False


def _cost(space: Space, setting: Setting) -> Setting:
    """What has to be computed anew: all but the axes of means."""
    return tuple(o for axis, o in zip(space.axes, setting, strict=True) if axis.name not in OF_MEANS)


OF_MEANS = ("undefined", "queries", "decimals")


def without_effect(space: Space, found: Found) -> tuple[str, ...]:
    """Axes along which no value changes, whatever the other choices that were tried."""
    still = [axis.says for axis in space.axes if len(axis.alike) > 1 and len(axis.options) == 1]
    for number, axis in enumerate(space.axes):
        if len(axis.options) == 1:
            continue
        low: dict[Setting, float] = {}
        high: dict[Setting, float] = {}
        for point in found.points:
            rest = point.setting[:number] + point.setting[number + 1 :]
            low[rest] = min(low.get(rest, np.inf), point.value)
            high[rest] = max(high.get(rest, -np.inf), point.value)
        if all(high[rest] - low[rest] <= ROUNDING for rest in low):
            still.append(axis.says)
    return tuple(still)


def by_chance(values: FloatArray, value: float, half_unit: float) -> float:
    """How many of these values would lie within half a unit of a number by accident.

    The density of the values around the number, without those that match, times the width of the match. The
    window reaches as far as it must to hold 20 other values, and at least 50 units.
    """
    gaps = np.sort(np.abs(values - value))
    others = gaps[gaps > half_unit]
    if not len(others):
        return 0.0
    reach = max(100 * half_unit, float(others[min(FEWEST_AROUND, len(others)) - 1]))
    inside = int((others <= reach).sum())
    return inside * half_unit / (reach - half_unit)


FEWEST_AROUND = 20


def narrowed(space: Space, judging: Judging, centres: Sequence[Centre]) -> Space:
    """Leave one option to the axis of ideals where the measure does not look at an ideal."""
    axis = next(axis for axis in space.axes if axis.name == "ideal")
    at = space.axes.index(axis)
    for centre in centres if len(axis.options) > 1 else ():
        both = [(*centre.setting[:at], option, *centre.setting[at + 1 :]) for option in range(len(axis.options))]
        outcomes = [outcome_of(space, judging, setting) for setting in both]
        if not np.array_equal(outcomes[0].values, outcomes[1].values, equal_nan=True):
            return space
    return replace(space, axes=(*space.axes[:at], axis.merged([0] * len(axis.options)), *space.axes[at + 1 :]))
