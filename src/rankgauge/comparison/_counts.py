"""Worst and best value of one run under a binary measure: by how many of its holes are relevant, and which."""

from __future__ import annotations

import itertools

import numpy as np

from rankgauge.comparison._world import Blank, Side, World
from rankgauge.conventions import Convention
from rankgauge.engines.memory import defined
from rankgauge.judged import BoolArray, FloatArray, IntArray, places
from rankgauge.measures import Measure

BLIND_TO_R = {"RR", "Success"}
FALLS_WITH_R = {"AP", "GMAP", "IPrec", "IPrec11"}
"""Measures that relevant documents elsewhere never raise, so that none and all of them are the extremes."""

DIVIDED_BY_R = {"AP", "GMAP"}
"""Measures that relevant documents elsewhere divide by a larger number, and change in no other way."""

MOST_ROWS = 20_000_000
ROWS_AT_ONCE = 4_000_000


def ends(world: World, number: int, measure: Measure, how: Convention) -> tuple[FloatArray, FloatArray] | None:
    """Smallest and largest value of a side in each query that has holes; None where too many cases had to be tried.

    Of so many relevant holes those at the top are best and those at the bottom worst, as moving a better document
    up never lowers the measure. So h of its own holes are relevant, from the top or from the bottom, and e of the
    other side's: every h and e is tried. Holes that are not relevant are judged not to be.
    """
    side = world.sides[number]
    own = np.zeros(len(world.query), dtype=np.bool_)
    own[side.hole] = True
    downward = _places(world, side)
    upward = np.where(own, np.bincount(world.query[own], minlength=world.Q)[world.query] + 1 - downward, 0)
    others = np.cumsum(~own) - np.append(0, np.cumsum(np.bincount(world.query[~own], minlength=world.Q)))[world.query]
    elsewhere = _most(world, ~own)
    steps = range(elsewhere + 1)
    if measure.name in BLIND_TO_R or measure.name in FALLS_WITH_R:
        steps = range(0, 1) if measure.name in BLIND_TO_R else range(0, elsewhere + 1, max(elsewhere, 1))
    cases = list(itertools.product(range(_most(world, own) + 1), steps))
    blank = Blank.of(world, side)
    if 2 * blank.size * len(cases) > MOST_ROWS:
        return None
    low, high = np.full(len(blank.queries), np.inf), np.full(len(blank.queries), -np.inf)
    most = max(1, ROWS_AT_ONCE // max(blank.size, 1))
    for first in range(0, len(cases), most):
        for place in (downward, upward):
            on = [np.where(own, place <= h, others <= e) for h, e in cases[first : first + most]]
            found = measure.of(blank.filled(np.stack(on) * world.known.top_grade))
            found = defined(found, how).reshape(len(on), -1)
            low, high = np.fmin(low, np.fmin.reduce(found)), np.fmax(high, np.fmax.reduce(found))
    return np.where(np.isinf(low), np.nan, low), np.where(np.isinf(high), np.nan, high)


def _most(world: World, which: BoolArray) -> int:
    return int(np.bincount(world.query[which], minlength=world.Q).max(initial=0))


def _places(world: World, side: Side) -> IntArray:
    """Place of each hole among those of its query that the side shows, from the top, int64[U]; 0 for the others."""
    found = np.zeros(len(world.query), dtype=np.int64)
    order = np.lexsort((side.rank, world.query[side.hole]))
    holes = side.hole[order]
    found[holes] = places(world.query[holes], world.Q)
    return found
