"""Several conditions on the same questions: Cochran's Q, the range of their means, exchange within questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.errors import ParameterError
from rankgauge.statistics._samples import NO_QUERY, ONE_QUERY, ROUNDING, as_rows, draws, share
from rankgauge.statistics.pairs_of_outcomes import SAME, check_binary
from rankgauge.statistics.results import Interval


@dataclass(frozen=True)
class QTest:
    """Whether several yes-or-no outcomes of the same questions have one and the same chance.

    Attributes
    ----------
    statistic, p : None where the test says nothing; `outcome` then says why
    freedom : degrees of freedom, the number of conditions less one
    n : questions with an outcome under each condition
    mixed : of these, the ones whose outcomes are not all the same; only they say anything
    left_out : questions that lack an outcome
    """

    statistic: float | None
    p: float | None
    freedom: int
    n: int
    mixed: int
    left_out: int = 0
    outcome: str = ""


def cochran_q(outcomes: npt.ArrayLike) -> QTest:
    """Test whether all conditions have one chance of success, by outcomes of the same questions.

    Q = (S - 1) (S Σ_s G_s² - (Σ_s G_s)²) / (S Σ_q L_q - Σ_q L_q²), G: successes by condition, L: by question;
    χ² with S - 1 degrees of freedom.

    Parameters
    ----------
    outcomes : float[Q, S] of 0 and 1; a question with NaN in it is left out and counted

    Source: Cochran (1950), doi:10.1093/biomet/37.3-4.256. Agrees with statsmodels' cochrans_q.
    """
    rows = as_rows(outcomes, what="outcomes")
    if rows.shape[1] < 2:
        raise ParameterError(f"outcomes: expected two conditions or more, got {rows.shape[1]}")
    there = ~np.isnan(rows).any(axis=1)
    kept = rows[there]
    check_binary(kept)
    S, left_out = rows.shape[1], int(len(rows) - len(kept))
    by_condition, by_question = kept.sum(axis=0), kept.sum(axis=1)
    mixed = int(np.count_nonzero((by_question > 0) & (by_question < S)))
    if not mixed:
        return QTest(None, None, S - 1, len(kept), 0, left_out, SAME if len(kept) else NO_QUERY)
    above = (S - 1) * (S * (by_condition**2).sum() - by_condition.sum() ** 2)
    q = float(above / (S * by_question.sum() - (by_question**2).sum()))
    return QTest(q, float(special.chdtrc(S - 1, q)), S - 1, len(kept), mixed, left_out)


def range_of_means(
    outcomes: npt.ArrayLike, *, rng: np.random.Generator, confidence: float = 0.95, resamples: int = 10_000
) -> Interval:
    """Largest less smallest mean of the conditions, with percentiles of a bootstrap over questions.

    It is above 0 also where all conditions are alike; the test says whether they are.

    Parameters
    ----------
    outcomes : float[Q, S]; a question with NaN in it is left out and counted
    """
    rows = as_rows(outcomes, what="outcomes")
    share("confidence", confidence)
    drawn = draws(rng, resamples)
    whole = rows[~np.isnan(rows).any(axis=1)]
    n, left_out = len(whole), len(rows) - len(whole)
    method = f"percentile bootstrap, {resamples:,} resamples"
    if n < 2:
        return Interval(None, None, None, confidence, method, n, ONE_QUERY if n else NO_QUERY, left_out)
    means = np.concatenate([counts @ whole / n for counts in drawn.counts(n)])
    low, high = np.quantile(np.ptp(means, axis=1), [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(np.ptp(whole.mean(axis=0))), float(low), float(high), confidence, method, n, "", left_out)


def exchange_p(outcomes: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 10_000) -> float:
    """Two-sided p of the first condition's mean, if within each question it could be any of them.

    Parameters
    ----------
    outcomes : float[Q, m], without NaN

    Source: Edgington & Onghena (2007), Randomization Tests, chapter 6, for exchange within blocks.
    """
    rows = as_rows(outcomes, what="outcomes")
    about = rows - rows.mean(axis=1, keepdims=True)
    seen, at = abs(about[:, 0].mean()), np.arange(len(about))
    drawn = np.random.default_rng(draws(rng, resamples).seed)
    extreme = 0
    for _ in range(resamples):
        picked = about[at, drawn.integers(rows.shape[1], size=len(about))]
        extreme += bool(abs(picked.mean()) >= seen - ROUNDING)
    return (1 + extreme) / (1 + resamples)
