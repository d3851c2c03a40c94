"""The trend in words: one sentence that is enough to act on, what it rests on, and what to do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from rankgauge.comparison.decision import percent, show
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.comparison.trend.trend import SIGNS, UNKNOWN, Change, Day, Said

SHOWN = 5
WHY = {
    "stayed": "it stayed there",
    "accepted": "accepted",
    "unjudged rate": "the unjudged rate moved, so days before and after cannot be compared",
    "top grade": "the highest grade changed, so days before and after cannot be compared",
}


def said(measure: str, day: Day, days: Sequence[Day], changes: Sequence[Change], rules: TrendRules) -> Said:
    """Say of one day what came of looking at it."""
    own = _Words(measure, day, [one for one in days if one.date <= day.date], rules, changes)
    named = 1 if day.status in ("not comparable", "few queries", "slow drop", "slow rise") else 0
    return Said(day, own.sentence(), (*day.reasons[named:], *own.behind()), own.do())


@dataclass(frozen=True)
class _Words:
    """What is said of a day; `days` are those up to it."""

    measure: str
    day: Day
    days: Sequence[Day]
    rules: TrendRules
    changes: Sequence[Change]

    @property
    def since(self) -> dt.date | None:
        """First day of the level that the day was compared with, where that is not the first one."""
        return self.changes[self.day.level - 2].since if self.day.level > 1 else None

    def sentence(self) -> str:
        """One sentence on the day."""
        day = self.day
        say = {
            "as expected": self._as_expected,
            "baseline": lambda: f"{self._value()}; the day is part of the baseline",
            "drop": lambda: f"{self._value()}: below {self._band()}{self._lasting()}",
            "rise": lambda: f"{self._value()}: above {self._band()}{self._lasting()}",
            "slow drop": lambda: f"{self._average()}: below {self._band()}{self._lasting()}",
            "slow rise": lambda: f"{self._average()}: above {self._band()}{self._lasting()}",
            "not comparable": lambda: f"{self._value()}, which cannot be compared: {day.reasons[0]}",
            "few queries": lambda: f"{self.measure} on {day.date}: {day.reasons[0]}",
            "too early": self._too_early,
            "no data": self._no_data,
        }
        return f"{say[day.status]()}."

    def _as_expected(self) -> str:
        return f"{self._value()}: within {self._band()}"

    def _value(self) -> str:
        """The day's mean, as "nDCG@10 on 2026-06-26 is 0.4312 [0.4201, 0.4423], 1,000 queries"."""
        day = self.day
        assert day.mean is not None
        ends = "" if day.low is None or day.high is None else f" [{day.low:.4f}, {day.high:.4f}]"
        return f"{self.measure} on {day.date} is {day.mean:.4f}{ends}, {day.n:,} {_plural('query', 'queries', day.n)}"

    def _average(self) -> str:
        """The mean of the last days, of which this one is the last."""
        day = self.day
        assert day.average is not None
        return f"{self.measure} of the last {day.averaged} days to {day.date} is {day.average:.4f} on average"

    def _band(self) -> str:
        """Where it was expected, and what tells that."""
        day, rules = self.day, self.rules
        slow = day.status in ("slow drop", "slow rise")
        low, high = (day.average_low, day.average_high) if slow else (day.band_low, day.band_high)
        if rules.baseline is not None:
            tells = f"the baseline of {day.reference} days, {rules.baseline[0]} to {rules.baseline[1]},"
        else:
            tells = f"the {day.reference} days before"
            if self.since is not None:
                tells = f"{day.reference} days of the level since {self.since}"
        if rules.band is not None:
            return f"the band of {rules.band:g} around {tells.rstrip(',')}, {_span(low, high)} with its interval"
        return f"{_span(low, high)}, where {tells} lead one to expect it"

    def _lasting(self) -> str:
        """For how many days the alarm has lasted, from the second on."""
        lasted = len(self._running())
        return f"; day {lasted} of it" if lasted > 1 else ""

    def _running(self) -> tuple[Day, ...]:
        """The days of the alarm that this day is one of."""
        runs = alarms(self.days)
        return runs[-1] if runs and runs[-1][-1] == self.day else ()

    def _too_early(self) -> str:
        found = self.day.reference
        days = (
            f"{found} {_plural('day', 'days', found)} of this level" if self.day.level > 1 else f"{found} days before"
        )
        needed = f"{self.rules.least_days} are needed" + (" and as many seasons" if self.rules.seasonal else "")
        return f"{self._value()}; too early to tell: {days} can be used, {needed}"

    def _no_data(self) -> str:
        last = next((one for one in reversed(self.days) if one.status != "no data"), None)
        known = "" if last is None else f"; the last day before it is {last.date}"
        return f"no results of {self.day.date}{known}"

    def behind(self) -> list[str]:
        """What the sentence rests on, beyond the day itself."""
        day, lines = self.day, []
        if day.unjudged is not None and not any("never judged" in reason for reason in day.reasons):
            lines.append(f"unjudged: {percent(day.unjudged)} of what was shown on {day.date}")
        lines += [level(change) for change in self.changes if change.told <= day.date][-1:]
        gaps = sum(one.status == "no data" for one in self.days if one.date < day.date)
        few = sum(one.status == "few queries" for one in self.days if one.date < day.date)
        if gaps:
            lines.append(f"{gaps} {_plural('day', 'days', gaps)} before it without results")
        if few:
            lines.append(f"{few} {_plural('day', 'days', few)} before it with too few queries")
        earlier = [run for run in alarms(self.days) if run[-1] != day]
        if earlier:
            more = f", and {len(earlier) - SHOWN} before them" if len(earlier) > SHOWN else ""
            lines.append(f"earlier alarms: {', '.join(map(_spoken, earlier[-SHOWN:]))}{more}")
        return lines

    def do(self) -> tuple[str, ...]:
        """What would settle the matter."""
        day, rules = self.day, self.rules
        if day.status in SIGNS:
            look = f"look at the queries of {day.date} that lost most against an ordinary day (the folder's scores)"
            if rules.baseline is not None:
                return (look,)
            since = self._running()[0].date
            return look, f"if the change is known: --accept {since}; else it counts as a new level once it stays"
        if day.status == "not comparable":
            if "highest grade" in day.reasons[0]:
                return ("name the top of the scale in the measure, as ERR(max_grade=4)@10, and compute the days again",)
            if "no results" in day.reasons[0]:
                return (f"check that the search ran on {day.date}",)
            return (f"judge what was shown on {day.date} and not judged, then compute the day again",)
        if day.status == "no data":
            return (f"compute {day.date}, or find out why there is nothing to compute",)
        return ()


def alarms(days: Sequence[Day]) -> list[tuple[Day, ...]]:
    """Alarms in the order of time: days in a row on the same side; days that say nothing do not end one."""
    runs: list[list[Day]] = []
    going = 0
    for day in days:
        sign = SIGNS.get(day.status, 0)
        if sign and sign == going:
            runs[-1].append(day)
        elif sign:
            runs.append([day])
        going = sign if day.status not in UNKNOWN else going
    return [tuple(run) for run in runs]


def _spoken(run: tuple[Day, ...]) -> str:
    last = f" to {run[-1].date}" if len(run) > 1 else ""
    return f"{run[0].date}{last} ({run[0].status})"


def level(change: Change) -> str:
    """Say a new level, with what it was before."""
    if change.before is None or change.after is None:
        numbers = ""
    else:
        step = show(change.after - change.before)
        numbers = f": {change.after:.4f} after {change.before:.4f} ({step})"
    told = f"told on {change.told}; " if change.told != change.since else ""
    return f"new level since {change.since}{numbers} ({told}{WHY[change.why]})"


def _span(low: float | None, high: float | None) -> str:
    assert low is not None and high is not None
    return f"{low:.4f} to {high:.4f}"


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many
