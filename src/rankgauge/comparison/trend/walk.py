"""The walk through the days: each is compared with those before it, and no later day changes what was said of it.

Days that are as expected join those that tell what to expect. From an alarm on an episode runs: its days tell nothing,
until the measure is back (two days nearer to what was expected than to the episode) or has stayed away for `settle`
days. What stays is a new level, which is said and never taken in silence.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rankgauge.comparison.trend import reasons
from rankgauge.comparison.trend.expectation import ROUNDING, Expected, Measured, Reference
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.comparison.trend.trend import Change, Day, Status

RECOVERED = 2
"""Days nearer to what was expected than to the episode, after which the episode is over."""


@dataclass
class Episode:
    """Days of one alarm: which side they are on, how many stayed away, and those in a row that are back."""

    sign: int
    members: list[Measured]
    away: int = 1
    back: list[Measured] = field(default_factory=list)


@dataclass
class Walk:
    """What is known at one day of the walk.

    Attributes
    ----------
    recent : days of this level that tell what to expect, in order
    apart : days in a row that cannot be compared with those, though with each other
    """

    rules: TrendRules
    fixed: tuple[Measured, ...] = ()
    recent: list[Measured] = field(default_factory=list)
    episode: Episode | None = None
    apart: list[Measured] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    last: dt.date | None = None

    def reference(self, skip: int = 0) -> Reference:
        """Days that tell what to expect, without the last `skip` of the recent ones."""
        if self.rules.baseline is not None:
            return Reference(self.fixed, self.rules)
        before = self.recent[: len(self.recent) - skip]
        return Reference(tuple(before[-self.rules.window :]), self.rules)

    def look(self, day: Measured) -> Day:
        """Say what comes of one day, and keep what it tells of the next."""
        self._accept(day)
        if not day.there:
            return Day(day.date, "no data", level=self._level)
        if day.low is None or day.n < self.rules.least_queries:
            return self._said(day, "few queries", why=(reasons.too_few(day, self.rules),))
        if self.rules.in_baseline(day.date):
            return self._said(day, "baseline", why=tuple(reasons.unusable(day, self.rules)))
        found = self.reference()
        expected = found.expect([day])
        hole = reasons.hole(day, found, self.rules)
        if hole is None:
            self.apart.clear()
        elif expected is None or not reasons.sure_side(day, found, expected, hole):
            return self._apart(day, hole, found)
        if expected is None:
            self.recent.append(day)
            return self._said(day, "too early", found=found)
        said = self._compare(day, found, expected)
        return said if hole is None else replace(said, reasons=(hole.said, reasons.SURE, *said.reasons))

    def _apart(self, day: Measured, hole: reasons.Hole, found: Reference) -> Day:
        """A day that cannot be compared; where enough of them in a row are alike, they are a level of their own."""
        said = self._said(day, "not comparable", found=found, why=(hole.said,))
        if hole.kind is None or self.rules.baseline is not None:
            return said
        self.apart.append(day)
        if len(self.apart) >= self.rules.settle:
            self._begin(self.apart, hole.kind, day)
        return said

    def _compare(self, day: Measured, found: Reference, expected: Expected) -> Day:
        sign = expected.side(day.value)
        if self.episode is not None and sign == -self.episode.sign:
            self.episode = None
        if self.episode is not None:
            return self._within(self.episode, day, sign, found, expected)
        if sign:
            self.episode = Episode(sign, [day])
            return self._said(day, _STATUS[sign, False], expected, found)
        block = self._block(self.recent, day)
        slow, told = self._slow(block, day) if block else (0, {})
        if slow:
            del self.recent[len(self.recent) - len(block) + 1 :]
            self.episode = Episode(slow, block)
            return self._said(day, _STATUS[slow, True], expected, found, **told)
        self.recent.append(day)
        return self._said(day, "as expected", expected, found, **told)

    def _within(self, episode: Episode, day: Measured, sign: int, found: Reference, expected: Expected) -> Day:
        """A day while an alarm runs: it is back, or it counts among the days that stayed away."""
        usual = float(np.mean([one.value for one in episode.members]))
        if not sign and abs(day.value - expected.center) < abs(day.value - usual):
            episode.back.append(day)
            if len(episode.back) >= RECOVERED:
                self.recent += episode.back
                self.episode = None
            return self._said(day, "as expected", expected, found)
        episode.back.clear()
        block = self._block(episode.members, day, least=1)
        slow, told = (0, {}) if sign or not block else self._slow(block, day, skip=0)
        episode.members.append(day)
        episode.away += 1
        status: Status = _STATUS[episode.sign, not sign] if sign or slow == episode.sign else "as expected"
        said = self._said(day, status, expected, found, **told)
        if episode.away >= self.rules.settle and self.rules.baseline is None:
            self._settle(episode, day, expected)
        return said

    def _block(self, days: list[Measured], day: Measured, least: int | None = None) -> list[Measured]:
        """The last days up to this one that are averaged; none where there are not as many."""
        before = days[len(days) - min(len(days), max(self.rules.slow - 1, 0)) :]
        wanted = self.rules.slow - 1 if least is None else least
        return [*before, day] if self.rules.slow and len(before) >= wanted else []

    def _slow(self, block: list[Measured], day: Measured, skip: int | None = None) -> tuple[int, dict[str, Any]]:
        """On which side the mean of a block is out, if its last day is on that side as well; and its numbers."""
        found = self.reference(len(block) - 1 if skip is None else skip)
        expected = found.expect(block)
        if expected is None:
            return 0, {}
        mean = float(np.mean([one.value for one in block]))
        ends = {"average": mean, "average_low": expected.low, "average_high": expected.high, "averaged": len(block)}
        sign = expected.side(mean)
        return (sign if sign * (day.value - expected.center) > ROUNDING else 0), ends

    def _settle(self, episode: Episode, day: Measured, expected: Expected) -> None:
        """Make a level of the days that stayed away, from the day on from which they did."""
        values = np.array([one.value for one in episode.members])
        middle = (expected.center + float(values[-self.rules.settle :].mean())) / 2
        away = np.cumsum(((values - middle) * episode.sign)[::-1])[::-1]
        # What lies beyond the middle adds up to most from the likeliest first day on (Page 1954).
        self._begin(episode.members[int(np.argmax(away)) :], "stayed", day)

    def _begin(
        self, days: Iterable[Measured], why: Literal["stayed", "unjudged rate", "top grade"], told: Measured
    ) -> None:
        before, days = self.reference().days, list(days)
        means = [float(np.mean([day.value for day in side])) if side else None for side in (before, days)]
        self.changes.append(Change(days[0].date, why, told.date, *means))
        self.recent, self.apart, self.episode = days, [], None

    def _accept(self, day: Measured) -> None:
        """Begin a level where the user said so."""
        due = [date for date in self.rules.accept if self.last is not None and self.last < date <= day.date]
        self.last = day.date
        for date in sorted(set(due)):
            before = [one.value for one in self.reference().days]
            self.changes.append(Change(date, "accepted", date, float(np.mean(before)) if before else None, None))
            self.recent, self.apart, self.episode = [], [], None

    @property
    def _level(self) -> int:
        return 1 + len(self.changes)

    def _said(
        self, day: Measured, status: Status, expected: Expected | None = None, found: Reference | None = None,
        why: tuple[str, ...] = (), **told: Any,
    ) -> Day:  # fmt: skip
        numbers = {name: getattr(day, name) for name in _TAKEN}
        if expected is not None:
            ends = {"expected": expected.center, "band_low": expected.low, "band_high": expected.high}
            numbers |= ends
        if status in ("slow drop", "slow rise"):
            why = (*why, reasons.averaged(**told))
        odd = reasons.oddities(day, found, self.rules, refused=status == "not comparable")
        days = 0 if found is None else len(found.days)
        return Day(status=status, reference=days, level=self._level, reasons=(*why, *odd), **numbers, **told)


_STATUS: dict[tuple[int, bool], Status] = {
    (-1, False): "drop",
    (1, False): "rise",
    (-1, True): "slow drop",
    (1, True): "slow rise",
}
_TAKEN = (
    "date", "mean", "low", "high", "n", "missing", "left_out", "not_counted", "undefined", "unjudged",
)  # fmt: skip


@dataclass(frozen=True)
class Walked:
    """What comes of each day, the new levels, and the days that would tell what to expect of the next."""

    days: tuple[Day, ...]
    changes: tuple[Change, ...]
    reference: Reference


def walk(measured: Iterable[Measured], rules: TrendRules) -> Walked:
    """Go through the days in order of time."""
    given = list(measured)
    usable = [day for day in given if day.low is not None and day.n >= rules.least_queries]
    fixed = [day for day in usable if rules.in_baseline(day.date) and not reasons.unusable(day, rules)]
    going = Walk(rules, tuple(fixed))
    days = tuple(going.look(day) for day in given)
    changes = [_known(change, level, days) for level, change in enumerate(going.changes, 2)]
    return Walked(days, tuple(changes), going.reference())


def _known(change: Change, level: int, days: tuple[Day, ...]) -> Change:
    """Say what an accepted level came to, from the days that were compared with it."""
    means = [day.mean for day in days if day.level == level and day.status in ("too early", "as expected")]
    known = [mean for mean in means if mean is not None]
    return replace(change, after=float(np.mean(known))) if change.after is None and known else change
