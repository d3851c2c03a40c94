"""What becomes of a difference under each way to treat unjudged documents: as 0, left out, or drawn by chance."""

from __future__ import annotations

import numpy as np

from rankgauge.comparison._weights import Weights, fixed_weights, takes
from rankgauge.comparison._world import Blank, World, differences, value
from rankgauge.comparison.bounds import deepest
from rankgauge.conventions import Convention
from rankgauge.judged import FloatArray, IntArray, JudgedRun
from rankgauge.measures import Measure

ROWS_AT_ONCE = 1_000_000
MOST_ROWS = 20_000_000
FEWEST_DRAWS = 20
LARGEST_DRAW = 2_000_000


def condensed(measure: Measure, judged: JudgedRun, how: Convention) -> FloatArray:
    """Value where unjudged documents are taken out of the ranking (Sakai 2007), float64[Q]."""
    return value(measure(judged_only=True), judged, how)


def bootstrapped(
    world: World, measure: Measure, how: Convention, *, rng: np.random.Generator, samples: int
) -> FloatArray:
    """Mean difference over draws of the holes' grades (Fröbe, Gienapp, Potthast & Hagen 2023), float64[Q].

    A hole's grade is drawn from its prior: half the grades of the judged documents that the run shows for this
    query, half those of all judgments of the query; where both runs show the hole, the mean of their priors. One
    draw holds in both runs. The paper has the two priors, of the run and of the pool; that they count the same is
    our reading.

    Measures that add up documents have their expected value, without draws. For the others `samples` draws are
    taken, fewer (at least 20) where the rankings are so long that all would take over 20 million rows, none where one
    draw alone has over 2 million; of tied documents they know one order. Undefined where the difference is without
    the holes, and where no draws are taken.

    Source: doi:10.1007/978-3-031-28244-7_20.
    """
    zero = np.zeros(world.Q)
    for side in world.sides:
        zero = zero + side.sign * value(measure, side.judged, how)
    if not len(world.query):
        return zero
    measure = measure(judged_only=False)
    if measure.declared.subtopics or not takes(measure, world.grades):
        return np.full(world.Q, np.nan)
    prior = priors(world, measure.cutoff)
    weights = fixed_weights(measure, world.grades, deepest(world), world.known.top_grade)
    if weights is not None:
        return zero + _expected(world, weights, how, prior)
    found = zero.copy()
    queries = np.flatnonzero(world.holes)
    found[queries] = _drawn(world, measure, how, prior, rng=rng, samples=samples)
    return np.where(np.isnan(zero), np.nan, found)


def priors(world: World, depth: int | None) -> FloatArray:
    """Chance of each grade for each hole, float64[U, G], G as in `world.grades`."""
    known = world.known
    pool = _shares(known.query, known.grade, world)
    everywhere = np.bincount(_code(known.grade, world), minlength=len(world.grades)) / max(len(known.grade), 1)
    pool = np.where(np.isnan(pool), everywhere, pool)
    total, sides = np.zeros((len(world.query), len(world.grades))), np.zeros(len(world.query))
    for side in world.sides:
        seen = side.judged.top(depth)
        own = _shares(seen.query[seen.known], seen.grade[seen.known], world)
        both = np.where(np.isnan(own), pool, (own + pool) / 2)
        total[side.hole] += both[world.query[side.hole]]
        sides[side.hole] += 1
    chances: FloatArray = total / sides[:, None]
    return chances


def _code(grade: FloatArray, world: World) -> IntArray:
    code: IntArray = np.searchsorted(world.grades, np.maximum(grade, 0.0))
    return code


def _shares(query: IntArray, grade: FloatArray, world: World) -> FloatArray:
    """Share of each grade among these documents of each query, float64[Q, G]; NaN without documents."""
    G = len(world.grades)
    counts = np.bincount(query * G + _code(grade, world), minlength=world.Q * G).reshape(world.Q, G)
    with np.errstate(invalid="ignore"):
        shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _expected(world: World, weights: Weights, how: Convention, prior: FloatArray) -> FloatArray:
    gained = (weights.of_holes(world, how) * prior.T).sum(axis=0)
    return np.bincount(world.query, weights=gained, minlength=world.Q).astype(np.float64, copy=False)


def _drawn(
    world: World, measure: Measure, how: Convention, prior: FloatArray, *, rng: np.random.Generator, samples: int
) -> FloatArray:
    """Mean difference of the queries that have holes; draws in which it is undefined are left out."""
    blanks = [(side.sign, Blank.of(world, side)) for side in world.sides]
    size = sum(blank.size for _, blank in blanks)
    if size > LARGEST_DRAW:
        return np.full(len(blanks[0][1].queries), np.nan)
    samples = min(samples, max(FEWEST_DRAWS, MOST_ROWS // size))
    total, count = np.zeros(len(blanks[0][1].queries)), np.zeros(len(blanks[0][1].queries))
    limits = np.cumsum(prior, axis=1)[:, :-1]
    at_once = max(1, ROWS_AT_ONCE // size)
    for first in range(0, samples, at_once):
        n = min(at_once, samples - first)
        chance = rng.random((n, len(prior)))
        grades = world.grades[sum((chance >= limits[:, g] for g in range(limits.shape[1])), np.zeros((), np.int64))]
        found = differences(blanks, measure, how, grades)
        total += np.nansum(found, axis=0)
        count += (~np.isnan(found)).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
