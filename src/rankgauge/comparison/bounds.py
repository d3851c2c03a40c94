"""Between which values a difference lies, whatever grades the unjudged documents have.

The world is closed, as in every tool: a document that neither run shows is not relevant. See docs/unjudged.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankgauge.comparison import _counts
from rankgauge.comparison._fractions import Fractions
from rankgauge.comparison._weights import Weights, fixed_weights, shared_weights
from rankgauge.comparison._world import Blank, World, value
from rankgauge.conventions import Convention
from rankgauge.judged import BoolArray, FloatArray, IntArray
from rankgauge.measures import DCG, Measure

RISES_WITH_GRADES = {"ERR"}
"""Measures, not linear and not binary, that no document lowers by being better: one grade more at rank i of ERR
gains 1/i, and loses at most what all below could give, which is 1/(i+1)."""

LARGEST_EXPONENT = 1000
MOST_SHARES = 4_000


@dataclass(frozen=True, eq=False)
class Bounds:
    """Between which values each query's difference lies, whatever grades the unjudged documents have.

    Attributes
    ----------
    low, high : float64[Q], NaN where the difference is undefined whatever the grades
    method : how they were had, as "coupled, exact"
    optional : bool[Q], queries that some grades leave undefined; their bounds hold 0

    >>> Bounds(np.array([0.2, -0.4]), np.array([0.3, 0.0]), "coupled, exact", np.array([False, True])).mean()
    (-0.1, 0.3)
    """

    low: FloatArray
    high: FloatArray
    method: str
    optional: BoolArray | None = None

    def mean(self, counted: BoolArray | None = None) -> tuple[float, float]:
        """Bounds of the mean over the queries that are defined, and of these the counted ones.

        A query that may be undefined is in the mean or not, as the bound is worse.
        """
        use = ~np.isnan(self.low) if counted is None else ~np.isnan(self.low) & counted
        optional = np.zeros(len(use), dtype=np.bool_) if self.optional is None else self.optional
        low = _smallest_mean(self.low[use & ~optional], self.low[use & optional])
        high = -_smallest_mean(-self.high[use & ~optional], -self.high[use & optional])
        return low, high


def _smallest_mean(always: FloatArray, optional: FloatArray) -> float:
    total = np.cumsum(np.append(always.sum(), np.sort(optional)))
    count = len(always) + np.arange(len(total))
    return float(np.min(total[count > 0] / count[count > 0], initial=np.inf)) if count[-1] else float("nan")


def bounds_of(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Bounds of the difference of a world's two sides, or of its one side's value; None where none is known."""
    measure = measure(judged_only=False)  # with every hole judged, nothing is left to be dropped
    found = (
        _linear(world, measure, how)
        or _discounted(world, measure, how)
        or _shared(world, measure, how)
        or _each_side_alone(world, measure, how)
        or _range(world, measure, how)
    )
    return None if found is None else _finished(found, how)


def _at_zero(world: World, measure: Measure, how: Convention) -> FloatArray:
    """The difference where every hole has the grade 0, float64[Q]."""
    total = np.zeros(world.Q)
    for side in world.sides:
        total = total + side.sign * value(measure, side.judged, how)
    return total


def deepest(world: World) -> int:
    """Largest rank that a hole or a judged document of the world may take."""
    ends = [max(int(s.last.max(initial=1)), int(s.judged.last.max(initial=1))) for s in world.sides]
    return max(ends)


def _linear(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Every hole adds what its grade is worth at its two ranks, whatever the others are."""
    weights = fixed_weights(measure, world.grades, deepest(world), world.known.top_grade)
    if weights is None:
        return None
    added = weights.of_holes(world, how)
    zero = _at_zero(world, measure, how)
    low, high = (np.bincount(world.query, weights=w, minlength=world.Q) for w in (added.min(0), added.max(0)))
    return Bounds(zero + low, zero + high, "coupled, exact")


def _discounted(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Bounds of nDCG: unjudged documents that are shown may also enter the ideal."""
    if measure.name != "nDCG" or how.ideal != "judged" or world.known.top_grade > LARGEST_EXPONENT:
        return None
    known, holes = world.known, np.flatnonzero(world.holes)
    most = int(np.bincount(known.query, minlength=1).max()) + int(world.holes.max(initial=0))
    weighed = DCG(**{name: p for name, p in measure.parameters.items() if name != "judged_only"})
    weighed = weighed if measure.cutoff is None else weighed @ measure.cutoff
    weights = fixed_weights(weighed, world.grades, max(deepest(world), most), known.top_grade)
    if weights is None or not _falls(weights):
        return None
    top = int(np.argmax(weights.added[:, 0]))
    gain = weights.added[:, 0] / weights.added[top, 0]
    levels = np.unique(gain)
    mine = np.isin(known.query, holes) & (known.grade > 0)
    query, gains = known.query[mine], gain[np.searchsorted(weights.grades, known.grade[mine])]
    above = np.stack([np.bincount(query[gains > t], minlength=world.Q)[holes] for t in levels[:-1]], axis=1)
    F = np.append(0.0, np.cumsum(weights.added[top]))
    d = Weights(weights.grades[:1], weights.added[[top]]).of_holes(world, how)[0]
    return _fraction(world, measure, how, d, above, np.diff(levels), F)


def _falls(weights: Weights) -> bool:
    """Whether gains are not negative and weights do not rise, so that the ideal by falling gain is the best one."""
    return bool((weights.added >= 0).all() and weights.added.any() and (np.diff(weights.added, axis=1) <= 0).all())


def _shared(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Bounds of measures such as R@k, that weigh relevant documents by rank and divide by a function of R."""
    if not measure.declared.binary or measure.parameters["rel"] > world.known.top_grade:
        return None
    relevant = world.known.count(world.known.grade >= measure.parameters["rel"])
    most = int(relevant.max(initial=0) + world.holes.max(initial=0))
    if not 0 < most <= MOST_SHARES:
        return None
    found = shared_weights(measure, deepest(world), most, world.known.top_grade)
    if found is None:
        return None
    weights, divisor = found
    d = Weights(weights.grades[1:], weights.added[1:]).of_holes(world, how)[0]
    F = np.nan_to_num(divisor)
    return _fraction(world, measure, how, d, relevant[np.flatnonzero(world.holes)][:, None], np.ones(1), F)


def _fraction(
    world: World,
    measure: Measure,
    how: Convention,
    d: FloatArray,
    above: IntArray,
    width: FloatArray,
    F: FloatArray,
) -> Bounds:
    zero = _at_zero(world, measure, how)
    holes = np.flatnonzero(world.holes)
    new = np.searchsorted(holes, world.query)
    ideal = (F[np.minimum(above, len(F) - 1)] * width).sum(axis=1)
    A = np.where(ideal > 0, np.nan_to_num(zero[holes]) * ideal, 0.0)
    fractions = Fractions(A, d, new, above, width, F)
    low, high = zero.copy(), zero.copy()
    low[holes], high[holes] = np.fmin(fractions.smallest(), low[holes]), np.fmax(fractions.largest(), high[holes])
    return Bounds(low, high, "coupled, exact", np.isnan(zero) & ~np.isnan(low))


def _each_side_alone(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """The best of one side less the worst of the other, as if they shared no document."""
    tied = how.ties == "expected" and any((s.last > s.first).any() for s in world.sides)
    if measure.declared.subtopics or tied or not len(world.query):
        return None
    ends: list[tuple[FloatArray, FloatArray] | None]
    if measure.name in RISES_WITH_GRADES:
        ends = [_ends(world, number, measure) for number in range(len(world.sides))]
    elif measure.declared.binary and measure.monotone and "gain" not in measure.parameters:
        ends = [_counts.ends(world, number, measure) for number in range(len(world.sides))]
    else:
        return None
    zero = _at_zero(world, measure, how)
    low, high = zero.copy(), zero.copy()
    holes = np.flatnonzero(world.holes)
    if any(end is None for end in ends):
        return None
    low[holes] = high[holes] = 0.0
    for side, end in zip(world.sides, ends, strict=True):
        assert end is not None
        worst, best = end if side.sign > 0 else end[::-1]
        low[holes] += side.sign * worst
        high[holes] += side.sign * best
    return Bounds(low, high, "naive, each side alone", np.isnan(zero) & ~np.isnan(low))


def _ends(world: World, number: int, measure: Measure) -> tuple[FloatArray, FloatArray]:
    """A side's values where all holes have the grade 0, and where all have the top grade."""
    blank = Blank.of(world, world.sides[number])
    grades = np.outer([0.0, world.known.top_grade], np.ones(len(world.query)))
    low, high = measure.of(blank.filled(grades)).reshape(2, -1)
    return low, high


def _range(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Where a query has holes, the measure's smallest and largest value; what is known exactly elsewhere."""
    low, high = measure.range
    if not np.isfinite([low, high]).all():
        return None
    zero = _at_zero(world, measure, how)
    unsure = world.holes > 0
    span = high - low if len(world.sides) > 1 else high
    least = -span if len(world.sides) > 1 else low
    found = Bounds(np.where(unsure, least, zero), np.where(unsure, span, zero), "range of the measure")
    return replace(found, optional=unsure & np.isnan(zero))


def _finished(bounds: Bounds, how: Convention) -> Bounds:
    """Let optional queries' bounds hold 0, give undefined differences their value, leave room for rounding."""
    low, high = bounds.low, bounds.high
    optional = np.zeros(len(low), dtype=np.bool_) if bounds.optional is None else bounds.optional
    low, high = np.where(optional, np.minimum(low, 0), low), np.where(optional, np.maximum(high, 0), high)
    if how.undefined != "skip":
        low, high, optional = np.nan_to_num(low), np.nan_to_num(high), np.zeros_like(optional)
    if how.decimals is not None:
        room = np.where(high > low, 10.0**-how.decimals, 0.0)
        low, high = low - room, high + room
    return replace(bounds, low=low, high=high, optional=optional)
