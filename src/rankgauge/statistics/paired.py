"""Tests of paired differences: randomization, Student's t, Wilcoxon, sign, bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.judged import BoolArray, FloatArray, IntArray
from rankgauge.statistics import _flips, _signed_ranks
from rankgauge.statistics._samples import (
    NO_QUERY,
    ONE_QUERY,
    ROUNDING,
    Draws,
    Group,
    all_equal,
    as_row,
    as_rows,
    draws,
    groups,
    one_of,
)
from rankgauge.statistics.results import Alternative, PairedTest

TestMethod = Literal["randomization", "t", "wilcoxon", "sign", "bootstrap"]

ALL_ZERO = "all differences are 0"
ALL_EQUAL = "all differences are equal"

_SMALLEST = float(np.finfo(np.float64).tiny)  # a tail that rounds to 0 is smaller than this, and not 0


@dataclass(frozen=True)
class _Found:
    """What a test says of G rows: statistic float64[G], p float64[G] (NaN: nothing), bool[G] whether p is exact."""

    statistic: FloatArray
    p: FloatArray
    exact: BoolArray
    equal: str = ALL_EQUAL  # outcome for rows whose differences are all the same


def paired_test(
    differences: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    method: TestMethod = "randomization",
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
) -> PairedTest:
    """Test one row of paired differences against "no difference".

    Differences within 1e-12 of 0 are 0. p is never 0.

    Parameters
    ----------
    differences : float[Q], NaN for a query without one; such queries are left out and counted
    rng : needed by "randomization" and "bootstrap"
    method : what is computed
        - "randomization": Fisher's sign flips of the mean; all of them for up to 30 differences other than 0,
          else a sample, with p = (1 + as extreme) / (1 + resamples).
        - "t": Student's paired t.
        - "wilcoxon": signed ranks without the zeros; exact for up to 50 queries without ties or zeros and up to 13
          with, else the normal approximation: scipy's choices.
        - "sign": exact binomial test of the signs, zeros left out.
        - "bootstrap": how often the mean of a bootstrap sample is as far from the observed mean as that is from 0.
    alternative : "two-sided", "greater" (differences above 0) or "less"
    resamples : sign patterns or bootstrap samples, 100 or more

    Raises InputError for infinite differences, ParameterError for an option outside its range.

    Source: Smucker, Allan & Carterette (2007), doi:10.1145/1321440.1321528, for all five in retrieval; Wilcoxon
    (1945), doi:10.2307/3001968.

    >>> test = paired_test([0.1, 0.2, 0.3, -0.05], rng=np.random.default_rng(1))
    >>> test.p, test.exact
    (0.25, True)
    >>> paired_test([0.0, 0.0, 0.0], method="t").outcome
    'all differences are 0'
    """
    row = as_row(differences, what="differences")
    return paired_tests(row, rng=rng, method=method, alternative=alternative, resamples=resamples)[0]


def paired_tests(
    rows: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    method: TestMethod = "randomization",
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
) -> list[PairedTest]:
    """Test each row of float[K, Q]; see `paired_test`.

    Rows with equally many differences share the resamples. Each row's p is the one it has alone with this rng.
    """
    one_of("method", method, get_args(TestMethod))
    one_of("alternative", alternative, get_args(Alternative))
    drawn = draws(rng, resamples) if method in {"randomization", "bootstrap"} else None
    values = as_rows(rows)
    values = np.where(np.abs(values) <= ROUNDING, 0, values)
    found: dict[int, PairedTest] = {}
    for group in groups(values):
        found |= zip(group.places.tolist(), _group(group, method, alternative, drawn), strict=True)
    return [found[place] for place in range(len(values))]


def _group(group: Group, method: TestMethod, alternative: Alternative, drawn: Draws | None) -> list[PairedTest]:
    zeros = np.count_nonzero(group.rows == 0, axis=1)

    def result(k: int, statistic: float | None, p: float | None, exact: bool, outcome: str) -> PairedTest:
        counted = int(zeros[k]), group.left_out
        return PairedTest(method, statistic, p, group.n, alternative, exact, outcome, *counted)

    if group.n < 2:
        outcome = ONE_QUERY if group.n else NO_QUERY
        return [result(k, None, None, False, outcome) for k in range(len(group.rows))]
    still = zeros == group.n
    constant = all_equal(group.rows)
    said = _METHODS[method](group.rows, alternative, drawn)
    results = []
    for k in range(len(group.rows)):
        if still[k]:
            results.append(result(k, None, 1.0, False, ALL_ZERO))
            continue
        statistic, p = (None if np.isnan(x) else float(x) for x in (said.statistic[k], said.p[k]))
        outcome = said.equal if constant[k] else ""
        results.append(result(k, statistic, None if p is None else max(p, _SMALLEST), bool(said.exact[k]), outcome))
    return results


def _randomization(rows: FloatArray, alternative: Alternative, drawn: Draws | None) -> _Found:
    assert drawn is not None
    few = np.count_nonzero(rows, axis=1) <= _flips.EXACT_UP_TO
    p = np.empty(len(rows))
    p[few] = [_flips.exact_p(row, alternative) for row in rows[few]]
    if not few.all():
        p[~few] = _flips.sampled_p(rows[~few], drawn, alternative)
    return _Found(rows.mean(axis=1), p, few)


def _bootstrap(rows: FloatArray, alternative: Alternative, drawn: Draws | None) -> _Found:
    assert drawn is not None
    p = np.where(all_equal(rows), np.nan, _flips.shifted_p(rows, drawn, alternative))
    return _Found(rows.mean(axis=1), p, np.zeros(len(rows), bool), f"{ALL_EQUAL}: resampling says nothing")


def _t(rows: FloatArray, alternative: Alternative, _: Draws | None) -> _Found:
    n = rows.shape[1]
    deviations = np.where(all_equal(rows), np.nan, rows.std(axis=1, ddof=1))
    t = rows.mean(axis=1) / (deviations / np.sqrt(n))
    if alternative == "two-sided":
        p = 2 * special.stdtr(n - 1, -np.abs(t))
    else:
        p = special.stdtr(n - 1, -t if alternative == "greater" else t)
    return _Found(t, p, np.zeros(len(rows), bool), f"{ALL_EQUAL}: t is undefined")


def _sign(rows: FloatArray, alternative: Alternative, _: Draws | None) -> _Found:
    up, down = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    if alternative == "two-sided":
        p = np.minimum(1, 2 * _binomial_tail(np.minimum(up, down), up + down))
    else:
        p = _binomial_tail(down if alternative == "greater" else up, up + down)
    return _Found(up.astype(np.float64), p, np.ones(len(rows), bool))


def _binomial_tail(at_most: IntArray, coins: IntArray) -> FloatArray:
    """Chance of at most so many heads among fair coins."""
    return np.asarray(special.bdtr(at_most.astype(np.float64), coins, 0.5), dtype=np.float64)


def _wilcoxon(rows: FloatArray, alternative: Alternative, _: Draws | None) -> _Found:
    n = rows.shape[1]
    ranks = _signed_ranks.signed_ranks(rows)
    most = np.where(ranks.clean, _signed_ranks.EXACT_UP_TO, _signed_ranks.EXACT_WITH_TIES_UP_TO)
    exact = n <= most
    p = _signed_ranks.normal_p(ranks, alternative)
    for k in np.flatnonzero(exact).tolist():
        p[k] = _signed_ranks.exact_p(ranks.doubled[k], int(ranks.plus[k]), alternative)
    plus, total = ranks.plus / 2, ranks.doubled.sum(axis=1) / 2
    return _Found(np.minimum(plus, total - plus) if alternative == "two-sided" else plus, p, exact)


_METHODS: dict[str, Callable[[FloatArray, Alternative, Draws | None], _Found]] = {
    "randomization": _randomization,
    "t": _t,
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "bootstrap": _bootstrap,
}
