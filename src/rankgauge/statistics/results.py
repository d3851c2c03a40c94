"""What statistics return: numbers with how they were had, and a stated outcome where there is no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankgauge.judged import FloatArray

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Interval:
    """An estimate of a mean with its confidence interval.

    Attributes
    ----------
    estimate, low, high : None where they do not exist; `outcome` then says why
    confidence : between 0 and 1
    method : how the interval was had, as "BCa bootstrap, 10,000 resamples"
    n : number of queries
    outcome : empty, or what is degenerate about the input, as "one query"
    left_out : number of queries without a value (NaN)
    """

    estimate: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str
    n: int
    outcome: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class PairedTest:
    """A test of paired differences against "no difference".

    Attributes
    ----------
    method : as "randomization", "t", "wilcoxon", "sign", "bootstrap"
    statistic, p : None where the test says nothing; `outcome` then says why
    n : number of queries with a difference, those of 0 among them
    alternative : "two-sided", "greater" (differences above 0) or "less"
    exact : whether p is exact, or an approximation or a sample of permutations
    outcome : empty, or what is degenerate about the input, as "all differences are 0"
    zeros : how many of the n differences are 0; the sign test and Wilcoxon's leave them out
    left_out : number of queries without a difference (NaN)
    """

    method: str
    statistic: float | None
    p: float | None
    n: int
    alternative: Alternative = "two-sided"
    exact: bool = False
    outcome: str = ""
    zeros: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class TukeyTest:
    """All pairs of K runs at once, with the chance of any false alarm kept at the level.

    Attributes
    ----------
    p : float[K, K]
        Symmetric, 1 on the diagonal, NaN where the test says nothing; `outcome` then says why.
    differences : float[K, K]
        Mean of the row's run minus mean of the column's, over the same queries.
    n : number of queries that all runs have a value for
    left_out : number of queries for which a run has none (NaN)
    resamples : number of permutations
    outcome : empty, or what is degenerate about the input
    """

    p: FloatArray
    differences: FloatArray
    n: int
    left_out: int
    resamples: int
    outcome: str = ""


@dataclass(frozen=True)
class Effect:
    """Size of a paired difference in units of its own spread.

    Attributes
    ----------
    d : Cohen's d_z, mean / standard deviation of the differences; None where `outcome` says why
    corrected : d without its bias in small samples (Hedges' g)
    superiority : share of queries that gained plus half of those that stayed
    n, left_out : number of queries with and without a difference
    outcome : empty, or what is degenerate about the input
    """

    d: float | None
    corrected: float | None
    superiority: float | None
    n: int
    left_out: int = 0
    outcome: str = ""


@dataclass(frozen=True)
class WinsTiesLosses:
    """How many queries gained, stayed and lost; `left_out` had no difference (NaN)."""

    wins: int
    ties: int
    losses: int
    left_out: int = 0


@dataclass(frozen=True)
class Sensitivity:
    """Which differences a set of queries can see.

    Attributes
    ----------
    n, left_out : number of queries with and without a difference
    sd : standard deviation of the differences
    detectable : smallest true mean difference that is found with the wanted power
    wanted : the difference asked for
    needed : queries that it takes to find `wanted` with that power
    power, alpha : share of such differences that are found; two-sided level of the t-test
    sentence : the same in words
    outcome : empty, or what is degenerate about the input
    """

    n: int
    sd: float | None
    detectable: float | None
    wanted: float
    needed: int | None
    power: float
    alpha: float
    sentence: str
    outcome: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class Equivalence:
    """Where a mean difference lies, seen against a margin that would not matter.

    Attributes
    ----------
    estimate : mean difference
    low, high : one-sided bounds, each at `confidence`; None where `outcome` says why
    margin : the largest difference that would not matter
    superior, inferior : low > 0; high < 0
    noninferior, equivalent : low > -margin; and also high < margin
    p : of the two one-sided t-tests (TOST), the larger; None for other methods
    method : how the bounds were had
    n, left_out : number of queries with and without a difference
    outcome : empty, or what is degenerate about the input
    """

    estimate: float | None
    low: float | None
    high: float | None
    margin: float
    confidence: float
    superior: bool
    inferior: bool
    noninferior: bool
    equivalent: bool
    p: float | None
    method: str
    n: int
    outcome: str = ""
    left_out: int = 0
