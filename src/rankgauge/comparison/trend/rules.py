"""Where a trend draws its lines: which days tell what to expect, and what leaves it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Literal

from rankgauge.comparison.verdict import Thresholds
from rankgauge.errors import ParameterError

Direction = Literal["down", "up", "both"]


@dataclass(frozen=True)
class TrendRules:
    """Where a trend draws its lines; docs/trend.md says what each does and what follows from it.

    Attributes
    ----------
    window : how many of the days before tell what to expect
    alpha : chance of a false alarm on one day that is accepted, by whichever rule
    slow : days that are averaged to find small changes that last; 0 looks at single days only
    settle : days at another level after which that is the new level
    least_days : days without which nothing is expected
    least_queries : queries without which a day says nothing
    margin : differences up to this size do not matter, in units of the measure
    band : half width of a band of one's own; a day is flagged whose interval lies outside. None: from the days
    baseline : first and last day of the days to compare with, always; None: the days before
    accept : days from which on another level is known and accepted
    seasonal : days after which a pattern repeats, as 7; 0 without one
    direction : of the changes that are alerts
    confidence : of the days' intervals
    thresholds : where unjudged documents and queries without results end a comparison, as in verdicts
    """

    window: int = 28
    alpha: float = 0.01
    slow: int = 7
    settle: int = 7
    least_days: int = 5
    least_queries: int = 30
    margin: float = 0.0
    band: float | None = None
    baseline: tuple[dt.date, dt.date] | None = None
    accept: tuple[dt.date, ...] = ()
    seasonal: int = 0
    direction: Direction = "both"
    confidence: float = 0.95
    thresholds: Thresholds = field(default_factory=Thresholds)

    def __post_init__(self) -> None:
        lowest = {"settle": 2, "least_days": 1, "least_queries": 2, "margin": 0, "slow": 0, "seasonal": 0}
        for name, least in lowest.items():
            if not getattr(self, name) >= least:
                raise ParameterError(f"{name}: expected {least} or more, got {getattr(self, name)!r}")
        for name in ("alpha", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise ParameterError(f"{name}: expected a number between 0 and 1, got {getattr(self, name)!r}")
        if 1 in (self.slow, self.seasonal):
            raise ParameterError("slow and seasonal: expected 0 or 2 days or more, got 1")
        if self.window < self.least_days:
            raise ParameterError(f"window: expected {self.least_days} days (least_days) or more, got {self.window}")
        if self.band is not None and not self.band >= 0:
            raise ParameterError(f"band: expected 0 or more, got {self.band!r}")
        if self.baseline is not None and self.baseline[0] > self.baseline[1]:
            raise ParameterError(
                f"baseline: expected the first day first, got {self.baseline[0]} to {self.baseline[1]}"
            )
        if self.baseline is not None and self.accept:
            raise ParameterError("accept: a fixed baseline holds for all days; name later days as the baseline instead")

    @property
    def period(self) -> int:
        """Days after which the same is expected."""
        return self.seasonal or 1

    @property
    def chance(self) -> float:
        """Chance of a false alarm that each rule has: that of single days, and that of several."""
        return self.alpha / 2 if self.slow else self.alpha

    def in_baseline(self, date: dt.date) -> bool:
        """Whether a day is one of those to compare with."""
        return self.baseline is not None and self.baseline[0] <= date <= self.baseline[1]
