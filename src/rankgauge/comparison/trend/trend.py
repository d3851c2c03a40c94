"""Trend: one measure day by day, each day with what was expected of it and whether it is that."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.records import Note

Status = Literal[
    "as expected", "drop", "rise", "slow drop", "slow rise", "baseline",
    "not comparable", "few queries", "too early", "no data",
]  # fmt: skip
Alert = Literal["last", "any"]
Outcome = Literal["nothing new", "alert", "cannot tell"]

EXIT_CODES: dict[Outcome, int] = {"nothing new": 0, "alert": 1, "cannot tell": 3}
SIGNS: dict[Status, int] = {"drop": -1, "slow drop": -1, "rise": 1, "slow rise": 1}
UNKNOWN: tuple[Status, ...] = ("not comparable", "few queries", "too early", "no data")


@dataclass(frozen=True)
class Day:
    """One day, beside what the days before lead one to expect.

    Attributes
    ----------
    status : what came of looking at it
    mean, low, high : mean of the day's queries with its interval; None where there is none
    n : queries with a value, over which the mean is
    missing, left_out, not_counted, undefined : queries without results (among the n), without judgments, left out by
        the convention, and for which the measure is undefined
    unjudged : mean share of the documents seen that nobody judged; None where the measure sees none of them
    expected, band_low, band_high : what was expected, and where a day is flagged that lies outside; None where
        nothing was
    reference : days that told what to expect
    average, average_low, average_high : mean of the last days and its band, where a "slow" rule looked at them
    averaged : how many days these are
    level : number of the level that the day was compared with, from 1
    reasons : what stands behind the status, and what else is odd about the day
    """

    date: dt.date
    status: Status
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: int = 0
    left_out: int = 0
    not_counted: int = 0
    undefined: int = 0
    unjudged: float | None = None
    expected: float | None = None
    band_low: float | None = None
    band_high: float | None = None
    reference: int = 0
    average: float | None = None
    average_low: float | None = None
    average_high: float | None = None
    averaged: int = 0
    level: int = 1
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """A new level, which later days are compared with.

    Attributes
    ----------
    since : its first day, as far as can be told
    why : "stayed" (the days kept to it), "accepted" (the user said so), "unjudged rate" or "top grade" (days before
        and after cannot be compared)
    told : the day on which it became the level
    before, after : mean of the daily means; None where too few days tell
    """

    since: dt.date
    why: Literal["stayed", "accepted", "unjudged rate", "top grade"]
    told: dt.date
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Said:
    """A trend in words: of which day, one sentence, what it rests on, and what to do."""

    day: Day
    sentence: str
    because: tuple[str, ...] = ()
    do: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Trend:
    """A measure day by day.

    Attributes
    ----------
    measure : as printed
    days : one per day of the calendar, those without data too
    changes : new levels, in order of time
    rules : where the lines are drawn
    looked_at : the day that was asked for, else the last one
    said : of that day; where an alert is one of any day, of the last alert
    alert : whether only that day is looked at for an alert ("last"), or all days ("any")
    source : where the results come from
    convention : whose choices hold
    notes : what was noticed on the way
    """

    measure: str
    days: tuple[Day, ...]
    changes: tuple[Change, ...]
    rules: TrendRules
    looked_at: Day
    said: Said
    alert: Alert = "last"
    source: str = ""
    convention: str = "default"
    notes: tuple[Note, ...] = field(default=())

    def __repr__(self) -> str:
        return f"Trend({self.measure!r}, {len(self.days)} days, {self.outcome!r})"

    @property
    def alerts(self) -> tuple[Day, ...]:
        """Days on which the measure left its band in a direction that matters."""
        return alerts_of(self.days, self.rules)

    @property
    def outcome(self) -> Outcome:
        """An alert, nothing new, or that nobody can tell of the day that is looked at."""
        found = self.alerts if self.alert == "any" else [day for day in self.alerts if day == self.looked_at]
        if found:
            return "alert"
        return "cannot tell" if self.looked_at.status in UNKNOWN else "nothing new"

    @property
    def exit_code(self) -> int:
        """0 nothing new, 1 an alert, 3 cannot tell."""
        return EXIT_CODES[self.outcome]

    def to_polars(self) -> pl.DataFrame:
        """Return one row per day, with the columns of `Day` but its reasons; null where a number does not exist."""
        rows = [[getattr(day, name) for name in _COLUMNS] for day in self.days]
        return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def alerts_of(days: Iterable[Day], rules: TrendRules) -> tuple[Day, ...]:
    """Pick the days on which the measure left its band in a direction that matters."""
    wanted = {"down": (-1,), "up": (1,), "both": (-1, 1)}[rules.direction]
    return tuple(day for day in days if SIGNS.get(day.status) in wanted)


_COLUMNS: dict[str, Any] = (
    {"date": pl.Date, "status": pl.String}
    | dict.fromkeys(("mean", "low", "high"), pl.Float64)
    | dict.fromkeys(("n", "missing", "left_out", "not_counted", "undefined"), pl.Int64)
    | dict.fromkeys(("unjudged", "expected", "band_low", "band_high"), pl.Float64)
    | {"reference": pl.Int64}
    | dict.fromkeys(("average", "average_low", "average_high"), pl.Float64)
    | dict.fromkeys(("averaged", "level"), pl.Int64)
)


def worst(trends: Sequence[Trend]) -> Trend:
    """Return the trend that decides among several: an alert before "cannot tell" before nothing new."""
    return min(trends, key=lambda trend: ("alert", "cannot tell", "nothing new").index(trend.outcome))
