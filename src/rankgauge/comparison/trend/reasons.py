"""Why a day cannot be compared with the days before, and what is odd about one that can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankgauge.comparison.decision import percent
from rankgauge.comparison.trend.expectation import Expected, Measured, Reference
from rankgauge.comparison.trend.rules import TrendRules

SURE = "whatever the unjudged documents are, it is outside"
FEW, MANY = 0.5, 2.0
"""Queries beside the usual number from which a day looks as if it was not whole, or loaded twice."""


@dataclass(frozen=True)
class Hole:
    """Why a day cannot be compared; the kind, where days like it can be compared with each other."""

    said: str
    kind: Literal["unjudged rate", "top grade"] | None = None
    unjudged: bool = False


def unusable(day: Measured, rules: TrendRules) -> list[str]:
    """Say what keeps a day from telling anything, by the lines of the verdict."""
    return [hole.said for hole in (_missing(day, rules), _too_many(day, rules)) if hole]


def hole(day: Measured, found: Reference, rules: TrendRules) -> Hole | None:
    """Find what keeps a day from being compared with others."""
    holes = (_missing(day, rules), _too_many(day, rules), _other_scale(day, found), _apart(day, found, rules))
    return next((one for one in holes if one is not None), None)


def _missing(day: Measured, rules: TrendRules) -> Hole | None:
    share = day.missing / day.n if day.n else 0.0
    if not share or share < rules.thresholds.missing:
        return None
    return Hole(f"{percent(share)} of the queries have no results: check that the search ran")


def _too_many(day: Measured, rules: TrendRules) -> Hole | None:
    if day.unjudged is None or day.unjudged <= rules.thresholds.refused:
        return None
    said = f"{percent(day.unjudged)} of what was shown was never judged; {rules.thresholds.refused:.0%} is allowed"
    return Hole(said, unjudged=True)


def _other_scale(day: Measured, found: Reference) -> Hole | None:
    if day.top_grade is None or not found.days or day.top_grade == found.days[-1].top_grade:
        return None
    usual = found.days[-1].top_grade
    return Hole(
        f"the highest grade is {day.top_grade:g}, before it was {usual:g}: the measure counts grades by the highest",
        "top grade",
    )


def _apart(day: Measured, found: Reference, rules: TrendRules) -> Hole | None:
    usual, t = found.unjudged, rules.thresholds
    if day.unjudged is None or usual is None or max(day.unjudged, usual) <= t.clean:
        return None
    if abs(day.unjudged - usual) <= t.apart:
        return None
    said = f"{percent(day.unjudged)} of what was shown was never judged, and {percent(usual)} in the days before"
    return Hole(said, "unjudged rate", unjudged=True)


def too_few(day: Measured, rules: TrendRules) -> str:
    """Say that a day has too few queries."""
    return f"{day.n:,} queries have a value; {rules.least_queries} are needed"


def averaged(average: float, average_low: float, average_high: float, averaged: int) -> str:
    """Say what the last days came to, and where that was expected."""
    return f"the last {averaged} days are {average:.4f} on average, expected {average_low:.4f} to {average_high:.4f}"


def sure_side(day: Measured, found: Reference, expected: Expected, why: Hole) -> int:
    """On which side a day is whatever grades the unjudged documents have; 0 where they could change that."""
    if not why.unjudged or day.residual is None or found.residual is None:
        return 0
    if expected.side(day.value + day.residual) < 0:
        return -1
    return 1 if expected.side(day.value - found.residual) > 0 else 0


def oddities(day: Measured, found: Reference | None, rules: TrendRules, *, refused: bool) -> list[str]:
    """What the day should be read with; of one that is refused, its holes are said already."""
    said, t = [], rules.thresholds
    if not refused and day.unjudged is not None and t.clean < day.unjudged <= t.refused:
        said.append(f"{percent(day.unjudged)} of what was shown was never judged: read with care")
    if not refused and day.n and 0 < day.missing / day.n < t.missing:
        said.append(f"{percent(day.missing / day.n)} of the queries have no results; they score 0")
    if found is None or not found.days:
        return said
    if day.n < FEW * found.queries:
        said.append(f"{day.n:,} queries where {found.queries:,.0f} are usual: the day may not be whole")
    if day.n > MANY * found.queries:
        said.append(f"{day.n:,} queries where {found.queries:,.0f} are usual")
    if abs(day.without - found.without) > t.apart:
        said.append(
            f"{percent(day.without)} of the queries have no judgments and are left out, {percent(found.without)} before"
        )
    return said
