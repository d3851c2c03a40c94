"""Corrections for many comparisons: Holm, Benjamini-Hochberg, Bonferroni, and the randomized Tukey HSD test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.judged import FloatArray
from rankgauge.statistics._samples import BLOCK, NO_QUERY, ONE_QUERY, ROUNDING, Draws, as_rows, draws
from rankgauge.statistics.results import TukeyTest

Chances = Sequence[float | None] | npt.NDArray[np.float64]

ONE_RUN = "one run: nothing to compare"
ALL_SAME = "all runs have the same values"

_INDEPENDENT = 2**25  # numbers to permute per permutation that shares labels; below twice as many none does
_TIE = 1e-11  # share of the largest sum below which two ranges are the same but for rounding


def bonferroni(p: Chances) -> FloatArray:
    """Multiply each p by their number; None and NaN stay NaN and do not count.

    Keeps the chance of any false alarm at the level. Holm's correction does so too and rejects no less.

    >>> bonferroni([0.01, None, 0.04]).tolist()
    [0.02, nan, 0.08]
    """
    given = _chances(p)
    return np.minimum(1, given * np.count_nonzero(~np.isnan(given)))


def holm(p: Chances) -> FloatArray:
    """Correct p-values so that the chance of any false alarm stays at the level, whatever their dependence.

    The i-th smallest of m becomes max_{j≤i} (m - j + 1) p_(j), at most 1. None and NaN stay NaN and do not count.

    Raises InputError for a p outside [0, 1].

    Source: Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70, jstor.org/stable/4615733.

    >>> holm([0.01, 0.04, None, 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    given = _chances(p)
    order, m = np.argsort(given, axis=None), int(np.count_nonzero(~np.isnan(given)))
    corrected = given.ravel().copy()
    scaled = corrected[order[:m]] * np.arange(m, 0, -1)
    corrected[order[:m]] = np.minimum(1, np.maximum.accumulate(scaled))
    return corrected.reshape(given.shape)


def benjamini_hochberg(p: Chances) -> FloatArray:
    """Correct p-values so that the expected share of false alarms among the alarms stays at the level.

    The i-th smallest of m becomes min_{j≥i} (m / j) p_(j), at most 1. None and NaN stay NaN and do not count. Holds
    for independent and positively dependent tests.

    Raises InputError for a p outside [0, 1].

    Source: Benjamini & Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    >>> benjamini_hochberg([0.01, 0.02, None, 0.9]).tolist()
    [0.03, 0.03, nan, 0.9]
    """
    given = _chances(p)
    order, m = np.argsort(given, axis=None), int(np.count_nonzero(~np.isnan(given)))
    corrected = given.ravel().copy()
    scaled = corrected[order[:m]] * m / np.arange(1, m + 1)
    corrected[order[:m]] = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    return corrected.reshape(given.shape)


def _chances(p: Chances) -> FloatArray:
    given = np.asarray(p, dtype=np.float64)  # None becomes NaN
    outside = given[(given < 0) | (given > 1)]
    if outside.size:
        raise InputError(Fault("p", "numbers between 0 and 1, None or NaN", repr(float(outside[0]))))
    return given


def randomized_tukey(values: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 10_000) -> TukeyTest:
    """Test all pairs of runs at once: which means differ by more than the largest range that chance gives?

    The runs' labels are permuted within each query; p of a pair is (1 + permutations whose largest mean minus
    smallest mean is at least the pair's difference) / (1 + permutations). The chance of any false alarm among all
    pairs stays at the level, without a normal distribution.

    Every permutation is drawn uniformly. For inputs of more than 67 million numbers in all permutations, several of
    these share one uniform relabelling per query, on which each rotates every query's labels by a random step of
    its own. A uniform relabelling rotated by an independent step is uniform, so the distribution is the same.

    Parameters
    ----------
    values : float[K, Q]
        Runs by queries. A query for which any run has no value (NaN) is left out and counted.
    resamples : number of permutations, 100 or more

    Raises InputError for infinite values.

    Source: Carterette (2012), doi:10.1145/2094072.2094076, section 3.2 and algorithm 1.

    >>> runs = [[0.1, 0.2, 0.3, 0.4, 0.2], [0.1, 0.2, 0.3, 0.4, 0.2], [0.7, 0.8, 0.8, 0.9, 0.9]]
    >>> test = randomized_tukey(runs, rng=np.random.default_rng(1))
    >>> bool(test.p[0, 1] == 1.0), bool(test.p[0, 2] < 0.05), test.n
    (True, True, 5)
    """
    drawn = draws(rng, resamples)
    rows = as_rows(values)
    complete = ~np.isnan(rows).any(axis=0)
    kept = rows[:, complete]
    runs, n = kept.shape
    means = kept.mean(axis=1) if n else np.full(runs, np.nan)
    differences = means[:, None] - means[None, :]
    outcome = NO_QUERY if n == 0 else ONE_QUERY if n == 1 else ONE_RUN if runs < 2 else ""
    p = np.full((runs, runs), np.nan)
    if not outcome:
        centred = kept - kept.mean(axis=0)
        outcome = ALL_SAME if np.abs(centred).max() <= ROUNDING else ""
        p = np.ones((runs, runs)) if outcome else _tukey_p(centred, drawn)
    np.fill_diagonal(p, 1)
    return TukeyTest(p, differences, n, rows.shape[1] - n, drawn.resamples, outcome)


def _tukey_p(rows: FloatArray, drawn: Draws) -> FloatArray:
    """float64[K, K] from ranges of permuted sums; each query's mean is 0, which changes no difference."""
    sums = rows.sum(axis=1)
    observed = np.abs(sums[:, None] - sums[None, :])
    slack = _TIE * np.abs(rows).sum(axis=1).max()
    permuted = np.concatenate(list(_permuted_sums(np.ascontiguousarray(rows.T), drawn)))
    ranges = np.sort(permuted.max(axis=1) - permuted.min(axis=1))
    reached = drawn.resamples - np.searchsorted(ranges, observed - slack, side="left")
    return np.asarray((1 + reached) / (1 + drawn.resamples))


def _permuted_sums(queries: FloatArray, drawn: Draws) -> Iterator[FloatArray]:
    """Blocks float64[b, K]: sums over the queries, float64[Q, K], of values permuted within each query."""
    n, runs = queries.shape
    rng = np.random.default_rng([drawn.seed, n])
    sharing = drawn.resamples * n * runs // _INDEPENDENT
    if sharing < 2:
        at_once = max(1, BLOCK // queries.size)
        for start in range(0, drawn.resamples, at_once):
            several = np.repeat(queries[None], min(at_once, drawn.resamples - start), axis=0)
            yield np.asarray(rng.permuted(several, axis=2).sum(axis=1))
        return
    for start in range(0, drawn.resamples, sharing):
        yield _rotated_sums(queries, rng, min(sharing, drawn.resamples - start))


def _rotated_sums(queries: FloatArray, rng: np.random.Generator, times: int) -> FloatArray:
    """float64[times, K]: sums after one relabelling per query and, for each time, a rotation per query."""
    n, runs = queries.shape
    relabelled = rng.permuted(queries, axis=1)
    twice = np.concatenate([relabelled, relabelled[:, :-1]], axis=1)
    rotations = np.lib.stride_tricks.sliding_window_view(twice, runs, axis=1)
    sums = np.zeros((times, runs))
    part = max(1, BLOCK // runs)
    ones = np.ones(part)
    for start in range(0, n, part):
        window = rotations[start : start + part]
        steps = rng.integers(0, runs, size=(times, len(window)))
        for time, step in enumerate(steps):
            sums[time] += ones[: len(window)] @ window[np.arange(len(window)), step]
    return sums
