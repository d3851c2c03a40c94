"""Between which values a difference lies, whatever grades the unjudged documents have.

The world is closed, as in every tool: a document that neither run shows is not relevant. See docs/unjudged.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankgauge.comparison import _counts
from rankgauge.comparison._fractions import Fractions
from rankgauge.comparison._weights import Weights, fixed_weights, shared_weights, takes
from rankgauge.comparison._world import Blank, World, value
from rankgauge.conventions import Convention
from rankgauge.engines.memory import defined
from rankgauge.judged import BoolArray, FloatArray
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
    open_low, open_high : float64[Q], the same where documents that neither run shows may be relevant as well; None
        where that is not known

    >>> Bounds(np.array([0.2, -0.4]), np.array([0.3, 0.0]), "coupled, exact", np.array([False, True])).mean()
    (-0.1, 0.3)
    """

    low: FloatArray
    high: FloatArray
    method: str
    optional: BoolArray | None = None
    open_low: FloatArray | None = None
    open_high: FloatArray | None = None

    def mean(self, counted: BoolArray | None = None) -> tuple[float, float]:
        """Bounds of the mean over the queries that are defined, and of these the counted ones.

        A query that may be undefined is in the mean or not, as the bound is worse.
        """
        return self._mean(self.low, self.high, counted)

    def open_mean(self, counted: BoolArray | None = None) -> tuple[float, float] | None:
        """Bounds of the same mean where documents that neither run shows may be relevant as well; None if unknown."""
        if self.open_low is None or self.open_high is None:
            return None
        return self._mean(self.open_low, self.open_high, counted)

    def _mean(self, low: FloatArray, high: FloatArray, counted: BoolArray | None) -> tuple[float, float]:
        use = ~np.isnan(low) if counted is None else ~np.isnan(low) & counted
        optional = np.zeros(len(use), dtype=np.bool_) if self.optional is None else self.optional
        least = _smallest_mean(low[use & ~optional], low[use & optional])
        return least, -_smallest_mean(-high[use & ~optional], -high[use & optional])


def _smallest_mean(always: FloatArray, optional: FloatArray) -> float:
    total = np.cumsum(np.append(always.sum(), np.sort(optional)))
    count = len(always) + np.arange(len(total))
    return float(np.min(total[count > 0] / count[count > 0], initial=np.inf)) if count[-1] else float("nan")


def bounds_of(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Bounds of the difference of a world's two sides, or of its one side's value; None where none is known."""
    measure = measure(judged_only=False)  # with every hole judged, nothing is left to be dropped
    if not measure.declared.subtopics and not takes(measure, world.grades):
        return None
    found = (
        _linear(world, measure, how)
        or _discounted(world, measure, how)
        or _shared(world, measure, how)
        or _nothing_open(world, measure, how)
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


def _nothing_open(world: World, measure: Measure, how: Convention) -> Bounds | None:
    if len(world.query):
        return None
    zero = _at_zero(world, measure, how)
    return _opened(Bounds(zero, zero.copy(), "nothing is unjudged"), measure)


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
    low, high = (zero + np.bincount(world.query, w, world.Q).astype(np.float64) for w in (added.min(0), added.max(0)))
    return Bounds(low, high, "coupled, exact", open_low=low, open_high=high)


def _discounted(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """Bounds of nDCG: unjudged documents that are shown may also enter the ideal."""
    if measure.name != "nDCG" or how.ideal != "judged" or world.known.top_grade > LARGEST_EXPONENT:
        return None
    known = world.known
    most = int(np.bincount(known.query, minlength=1).max()) + int(world.holes.max(initial=0))
    most = max(most, deepest(world), measure.cutoff or 0)
    weighed = DCG(**{name: p for name, p in measure.parameters.items() if name != "judged_only"})
    weighed = weighed if measure.cutoff is None else weighed @ measure.cutoff
    weights = fixed_weights(weighed, world.grades, most, known.top_grade)
    if weights is None or not _falls(weights):
        return None
    top = int(np.argmax(weights.added[:, 0]))
    gain = weights.added[:, 0] / weights.added[top, 0]
    levels = np.unique(gain)
    mine = known.grade > 0
    query, gains = known.query[mine], gain[np.searchsorted(weights.grades, known.grade[mine])]
    above = np.stack([np.bincount(query[gains > t], minlength=world.Q) for t in levels[:-1]], axis=1)
    F = np.append(0.0, np.cumsum(weights.added[top]))
    d = Weights(weights.grades[:1], weights.added[[top]]).of_holes(world, how)[0]
    full = np.inf if measure.cutoff is None else float(F[-1])
    return _fraction(world, measure, how, Fractions(np.zeros(world.Q), d, world.query, above, np.diff(levels), F), full)


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
    fractions = Fractions(np.zeros(world.Q), d, world.query, relevant[:, None], np.ones(1), np.nan_to_num(divisor))
    return _fraction(world, measure, how, fractions, np.inf)


def _fraction(world: World, measure: Measure, how: Convention, parts: Fractions, full: float) -> Bounds:
    """Bounds of a ratio; `parts` has every query and lacks A, `full` is the largest divisor of all."""
    zero = _at_zero(world, measure, how)
    holes = np.flatnonzero(world.holes)
    ideal = parts.ideal()
    A = np.where(ideal > 0, np.nan_to_num(zero) * ideal, 0.0)
    some = replace(parts, A=A[holes], query=np.searchsorted(holes, world.query), above=parts.above[holes])
    low, high = zero.copy(), zero.copy()
    low[holes], high[holes] = np.fmin(some.smallest(), low[holes]), np.fmax(some.largest(), high[holes])
    G = parts.width.sum()
    least, most = (A + G * np.bincount(world.query, limit(parts.d, 0), world.Q) for limit in (np.minimum, np.maximum))
    return Bounds(
        low,
        high,
        "coupled, exact",
        optional=np.isnan(zero) & ~np.isnan(low),
        open_low=np.where(low > 0, np.maximum(least, 0) / full, low),
        open_high=np.where(high < 0, np.minimum(most, 0) / full, high),
    )


def _each_side_alone(world: World, measure: Measure, how: Convention) -> Bounds | None:
    """The best of one side less the worst of the other, as if they shared no document."""
    tied = how.ties == "expected" and any((s.last > s.first).any() for s in world.sides)
    if measure.declared.subtopics or tied or not len(world.query):
        return None
    ends: list[tuple[FloatArray, FloatArray] | None]
    if measure.name in RISES_WITH_GRADES:
        ends = [_ends(world, number, measure, how) for number in range(len(world.sides))]
    elif measure.declared.binary and measure.monotone and "gain" not in measure.parameters:
        ends = [_counts.ends(world, number, measure, how) for number in range(len(world.sides))]
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
    found = Bounds(low, high, "naive, each side alone", np.isnan(zero) & ~np.isnan(low))
    return _opened(found, measure)


def _opened(found: Bounds, measure: Measure) -> Bounds:
    """Add what relevant documents elsewhere could do, where it is known."""
    if measure.name in RISES_WITH_GRADES | _counts.BLIND_TO_R:
        return replace(found, open_low=found.low, open_high=found.high)
    if measure.name in _counts.DIVIDED_BY_R:
        return replace(found, open_low=np.minimum(found.low, 0), open_high=np.maximum(found.high, 0))
    return found


def _ends(world: World, number: int, measure: Measure, how: Convention) -> tuple[FloatArray, FloatArray]:
    """A side's values where all holes have the grade 0, and where all have the top grade."""
    blank = Blank.of(world, world.sides[number])
    grades = np.outer([0.0, world.known.top_grade], np.ones(len(world.query)))
    low, high = defined(measure.of(blank.filled(grades)), how).reshape(2, -1)
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
    optional = np.zeros(len(bounds.low), dtype=np.bool_) if bounds.optional is None else bounds.optional
    low, high = _closed(bounds.low, bounds.high, optional, how)
    open_low, open_high = bounds.open_low, bounds.open_high
    if open_low is not None and open_high is not None:
        open_low, open_high = _closed(open_low, open_high, optional, how)
    optional = optional & (how.undefined == "skip")
    return Bounds(low, high, bounds.method, optional, open_low, open_high)


def _closed(low: FloatArray, high: FloatArray, optional: BoolArray, how: Convention) -> tuple[FloatArray, FloatArray]:
    low, high = np.where(optional, np.minimum(low, 0), low), np.where(optional, np.maximum(high, 0), high)
    if how.undefined != "skip":
        low, high = np.nan_to_num(low), np.nan_to_num(high)
    room = 0.0 if how.decimals is None else np.where(high > low, 10.0**-how.decimals, 0.0)
    return low - room, high + room
