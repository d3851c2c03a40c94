"""What statistics return: numbers with how they were had, and a stated outcome where there is no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    """

    estimate: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str
    n: int
    outcome: str = ""


@dataclass(frozen=True)
class PairedTest:
    """A test of paired differences against "no difference".

    Attributes
    ----------
    method : as "randomization", "t", "wilcoxon", "sign", "bootstrap"
    statistic, p : None where the test says nothing; `outcome` then says why
    n : number of differences that entered the test
    alternative : "two-sided", "greater" (differences above 0) or "less"
    exact : whether p is exact, or an approximation or a sample of permutations
    outcome : empty, or what is degenerate about the input, as "all differences are 0"
    """

    method: str
    statistic: float | None
    p: float | None
    n: int
    alternative: Alternative = "two-sided"
    exact: bool = False
    outcome: str = ""
