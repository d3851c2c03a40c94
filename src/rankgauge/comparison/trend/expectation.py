"""What the days before lead one to expect of a day, or of the mean of some days: a prediction interval.

Of k days, the mean m and the deviation s between the daily means (k - 1), the next day's mean is expected within

    m ± t(k - 1) · s · √(1 + 1/k)

and the mean of the next w days with 1/w in the place of 1 (Hahn & Meeker 1991, Statistical Intervals, chapter 4). The
deviation between days holds both what differs from day to day and the sampling of queries. A day of fewer queries than
those days samples worse: the variance that this adds is added.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from rankgauge.comparison.trend.rules import TrendRules

DAY = dt.timedelta(days=1)
FEWEST_PAIRS = 10
"""Pairs of adjacent days from which on it is estimated how much is carried over."""
ROUNDING = 1e-12
"""A mean that is outside by less is so but for rounding."""


@dataclass(frozen=True)
class Measured:
    """One day of a measure, as it was measured.

    Attributes
    ----------
    mean, low, high : the mean of the day's queries with its interval; None where there is none
    error : standard error of the mean
    n : queries with a value
    missing, left_out, not_counted, undefined : queries without results (they count), without judgments, left out by
        the convention, and for which the measure is undefined
    unjudged : mean share of the documents seen that nobody judged; None where the measure sees none of them
    residual : how much the mean could rise through unjudged documents; None where that is not known
    top_grade : highest grade of the day, where the measure depends on it
    there : whether there are results of the day at all
    """

    date: dt.date
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    error: float = 0.0
    n: int = 0
    missing: int = 0
    left_out: int = 0
    not_counted: int = 0
    undefined: int = 0
    unjudged: float | None = None
    residual: float | None = None
    top_grade: float | None = None
    there: bool = True

    @property
    def value(self) -> float:
        """The mean, where there is one."""
        assert self.mean is not None
        return self.mean

    @property
    def without(self) -> float:
        """Share of the queries that have no judgments."""
        return self.left_out / max(self.n + self.undefined + self.left_out, 1)

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return 0.0 if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True)
class Expected:
    """Where a mean is expected: `center` ± `half`, from a number of days."""

    center: float
    half: float
    days: int

    @property
    def low(self) -> float:
        """Lower end of the band."""
        return self.center - self.half

    @property
    def high(self) -> float:
        """Upper end of the band."""
        return self.center + self.half

    def side(self, mean: float) -> int:
        """-1 for a mean below the band, 1 above it, 0 within."""
        if abs(mean - self.center) <= self.half + ROUNDING:
            return 0
        return 1 if mean > self.center else -1


@dataclass(frozen=True)
class Reference:
    """The days that tell what to expect."""

    days: tuple[Measured, ...]
    rules: TrendRules

    def expect(self, block: Sequence[Measured]) -> Expected | None:
        """Where the mean of these days' means is expected; None where too few days tell."""
        seasons = Counter(self._season(day) for day in self.days)
        wanted = Counter(self._season(day) for day in block)
        free = len(self.days) - len(seasons)
        if not self.days or free < self.rules.least_days - 1 or any(season not in seasons for season in wanted):
            return None
        w = len(block)
        means = {season: self._mean(season) for season in seasons}
        center = sum(count * means[season] for season, count in wanted.items()) / w
        if self.rules.band is not None:
            half = self.rules.band + math.sqrt(sum(day.half**2 for day in block)) / w
        elif free < 1:
            return None
        else:
            rests = {day.date: day.value - means[self._season(day)] for day in self.days}
            known = sum((count / w) ** 2 / seasons[season] for season, count in wanted.items())
            carried = carried_over(rests)
            spread = alike(carried, w) / w + alike(carried, len(self.days)) * known
            deviation2 = sum(rest**2 for rest in rests.values()) / free
            variance = deviation2 * spread + self._sampled_worse(block) / w**2
            half = float(special.stdtrit(free, 1 - self.rules.chance / 2)) * math.sqrt(variance)
        return Expected(center, max(half, self.rules.margin), len(self.days))

    def _season(self, day: Measured) -> int:
        return day.date.toordinal() % self.rules.period

    def _mean(self, season: int) -> float:
        return float(np.mean([day.value for day in self.days if self._season(day) == season]))

    def _sampled_worse(self, block: Sequence[Measured]) -> float:
        """Variance that the days of the block have through sampling beyond that of the days that tell."""
        usual = float(np.mean([day.error**2 for day in self.days]))
        return sum(max(0.0, day.error**2 - usual) for day in block)

    @property
    def unjudged(self) -> float | None:
        """Mean unjudged share of the days."""
        known = [day.unjudged for day in self.days if day.unjudged is not None]
        return float(np.mean(known)) if known else None

    @property
    def residual(self) -> float | None:
        """How much the mean of the days could rise through unjudged documents."""
        known = [day.residual for day in self.days if day.residual is not None]
        return float(np.mean(known)) if known and len(known) == len(self.days) else None

    @property
    def without(self) -> float:
        """Share of the queries that have no judgments."""
        return float(np.mean([day.without for day in self.days]))

    @property
    def queries(self) -> float:
        """Queries that the days usually have: their median."""
        return float(np.median([day.n for day in self.days])) if self.days else 0.0


def carried_over(rests: Mapping[dt.date, float]) -> float:
    """How much of a day's deviation the next day has too: the autocorrelation of adjacent days, from 0 to 0.9.

    Estimates from few days come out too low, by about (1 + 4r) / k (Marriott & Pope 1954), which is added.
    """
    squares, k = sum(rest**2 for rest in rests.values()), len(rests)
    pairs = [(rest, rests[date + DAY]) for date, rest in rests.items() if date + DAY in rests]
    if not squares or len(pairs) < FEWEST_PAIRS:
        return 0.0
    found = sum(one * next for one, next in pairs) / len(pairs) / (squares / k)
    return min(max((found + 1 / k) / (1 - 4 / k), 0.0), 0.9)


def alike(carried: float, days: int) -> float:
    """By how much the variance of a mean of days in a row is above that of independent ones."""
    return 1 + 2 * sum((1 - lag / days) * carried**lag for lag in range(1, days))
