"""Charts of a trend, one above the other on the same days: the measure with its band, unjudged shares, queries."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from rankgauge.report.page import drawing as d
from rankgauge.report.page.markup import Markup, tag
from rankgauge.report.page.numbers import Content, share, value

HIGH, LOW = 280, 92
FEWEST_PLACES = 14
"""So that a day does not grow wider than a fourteenth of the chart."""
WORDS = 26
"""Percent of the width that the words beside a line take on a phone."""
MOST_TICKS = 5
STEPS = (1, 2, 7, 14, 28)
CLOSE, DENSE = 45, 120
"""Days from which marks are drawn smaller, and as small as can be."""
CLASSES = {
    "as expected": "unseen",
    "drop": "worse",
    "slow drop": "worse",
    "rise": "better",
    "slow rise": "better",
    "baseline": "unseen",
    "not comparable": "refused",
    "few queries": "unseen",
    "too early": "unseen",
    "no data": "unseen",
}
SHADES = ("share", "share level-2", "share level-3")
GLYPHS = {"drop": "▼", "slow drop": "▽", "rise": "▲", "slow rise": "△", "not comparable": "?"}


def timeline(c: Content, at: int) -> Markup:
    """Draw one trend."""
    trend = c.at("trends", at)
    days = trend["days"]
    parts = [_title("Mean of the queries"), _measure(trend), _title("Unjudged share"), _unjudged(trend)]
    parts += [_title("Queries"), _queries(trend), _dates(days)]
    return tag("figure", tag("div", *parts, class_="plot"), class_=f"timeline {_dense(days)}".strip(), data_trend=at)


def described(measure: str, day: dict[str, Any]) -> str:
    """Say a day in one line."""
    if day["mean"] is None:
        return f"{day['date']}: {day['status']}"
    said = f"{day['date']}, {day['status']}: {measure} {value(day['mean'])}{_between(day, 'low', 'high', ' [{}, {}]')}"
    said += _between(day, "band_low", "band_high", ", expected {} to {}")
    said += f"; {day['n']:,} queries"
    return said if day["unjudged"] is None else f"{said}; {share(day['unjudged'])} unjudged"


def _between(day: dict[str, Any], low: str, high: str, text: str) -> str:
    ends = (day[low], day[high])
    return "" if None in ends else text.format(*map(value, ends))


def _title(text: str) -> Markup:
    return tag("p", text, class_="panel-title")


def _dense(days: Sequence[Any]) -> str:
    return "dense" if len(days) > DENSE else "close" if len(days) > CLOSE else ""


class _Days:
    """Places of the days from left to right, in percent."""

    def __init__(self, days: Sequence[dict[str, Any]]) -> None:
        self.days, self.step = days, 100 / max(len(days), FEWEST_PLACES)

    def left(self, number: int) -> float:
        return number * self.step

    def middle(self, number: int) -> float:
        return (number + 0.5) * self.step

    def measured(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((number, day) for number, day in enumerate(self.days) if day["mean"] is not None)


class _Height:
    """From values to pixels, the largest on top; what lies outside is cut at the edge."""

    def __init__(self, low: float, high: float, pixels: int) -> None:
        self.scale, self.pixels = d.Scale(low, high if high > low else low + 1), pixels

    def at(self, number: float) -> float:
        return round(self.pixels * (1 - min(max(self.scale.at(number) / 100, 0), 1)), 1)

    def grid(self, about: int, form: str = "{:g}") -> list[Markup]:
        """The lines of round values with their numbers to the left of the chart."""
        drawn = []
        for tick in self.scale.ticks(about):
            y = self.at(tick)
            drawn += [d.line(0, y, 100, y, "grid"), tag("text", form.format(tick), x=-8, y=y + 4, text_anchor="end")]
        return drawn


def _measure(trend: dict[str, Any]) -> Markup:
    places = _Days(trend["days"])
    least = trend["rules"]["least_queries"]
    keys = ("mean", "low", "high", "band_low", "band_high")
    ends = [day[key] for _, day in places.measured() if day["n"] >= least for key in keys if day[key] is not None]
    ends = ends or [day["mean"] for _, day in places.measured()] or [0.0]
    room = 0.1 * ((max(ends) - min(ends)) or 0.1)
    height = _Height(min(ends) - room, max(ends) + room, HIGH)
    parts = [*height.grid(6), *_gaps(places), *_bands(places, height), *_levels(trend, places)]
    parts += [*_trace(places, height), *(_day(places, height, number, day) for number, day in places.measured())]
    return d.picture(*parts, label=_summary(trend), height=HIGH, class_="measure")


def _summary(trend: dict[str, Any]) -> str:
    days = trend["days"]
    flagged = [day for day in days if day["status"] in GLYPHS]
    said = f"{trend['measure']} from {days[0]['date']} to {days[-1]['date']}: "
    listed = ", ".join(f"{day['date']} {day['status']}" for day in flagged[-10:])
    more = f"{len(flagged) - 10} earlier ones and " if len(flagged) > 10 else ""
    return f"{said}{more}{listed}." if flagged else f"{said}no day is flagged."


def _gaps(places: _Days) -> list[Markup]:
    missing = [number for number, day in enumerate(places.days) if day["status"] == "no data"]
    return [d.bar(places.left(number), places.step, 0, "100%", "gap") for number in missing]


def _bands(places: _Days, height: _Height) -> list[Markup]:
    drawn = []
    for number, day in enumerate(places.days):
        if day["band_low"] is not None and day["band_high"] is not None:
            top, bottom = height.at(day["band_high"]), height.at(day["band_low"])
            left = places.left(number)
            drawn.append(d.bar(left, places.step, top, round(max(bottom - top, 1), 1), "band"))
            middle = height.at(day["expected"])
            drawn.append(d.line(left, middle, left + places.step, middle, "expected"))
    return drawn


def _levels(trend: dict[str, Any], places: _Days) -> list[Markup]:
    """A line where a new level begins."""
    dates = {day["date"]: number for number, day in enumerate(places.days)}
    drawn: list[Markup] = []
    free = 0.0
    for change in trend["changes"]:
        x = places.left(dates.get(change["since"], 0))
        drawn.append(d.line(x, 0, x, "100%", "threshold"))
        turned = x > 100 - WORDS
        if x - WORDS * turned >= free:
            anchor = "end" if turned else "start"
            text = tag("text", "new level", x=d.percent(x), y=12, dx=-5 if turned else 5, text_anchor=anchor)
            drawn.append(text)
            free = x + WORDS * (not turned)
    return drawn


def _trace(places: _Days, height: _Height) -> list[Markup]:
    """A line from each day to the next that has results."""
    known = [(places.middle(number), height.at(day["mean"]), number) for number, day in places.measured()]
    return [
        d.line(x, y, next_x, next_y, "trace" if next_number == number + 1 else "trace over-gap")
        for (x, y, number), (next_x, next_y, next_number) in itertools.pairwise(known)
    ]


def _day(places: _Days, height: _Height, number: int, day: dict[str, Any]) -> Markup:
    """A day's point with its interval, and what marks it without colour."""
    x, y, status = d.percent(places.middle(number)), height.at(day["mean"]), day["status"]
    top, bottom = (height.at(day["mean"] if day[end] is None else day[end]) for end in ("high", "low"))
    parts = [d.line(places.middle(number), top, places.middle(number), bottom, "interval")]
    kind = "point hollow" if status in ("not comparable", "few queries", "too early") else "point"
    parts.append(tag("circle", cx=x, cy=y, class_=kind))
    if status in GLYPHS:
        below = status.endswith("drop")
        place = min(bottom + 16, HIGH - 2) if below else max(top - 7, 12)
        parts.append(tag("text", GLYPHS[status], x=x, y=place, text_anchor="middle", class_="glyph"))
    return tag("g", *parts, class_=f"day is-{CLASSES[status]}")


def _unjudged(trend: dict[str, Any]) -> Markup:
    places = _Days(trend["days"])
    shares = {number: day["unjudged"] for number, day in places.measured() if day["unjudged"] is not None}
    if not shares:
        return tag("p", "The measure drops unjudged documents first, and sees none of them.", class_="quiet")
    lines = [trend["rules"]["thresholds"][level] for level in ("clean", "refused")]
    most = max(shares.values())
    height = _Height(0.0, min(1.0, max(1.15 * most, 1.3 * lines[0])) or 1.0, LOW)
    levels = {number: sum(one > line for line in lines) for number, one in shares.items()}
    bars = [_bar(places, height, number, one, SHADES[levels[number]]) for number, one in shares.items()]
    edges = [height.at(line) for line in lines if line < height.scale.high]
    marks = [d.line(0, y, 100, y, "threshold") for y in edges]
    label = f"Unjudged share by day: from {share(min(shares.values()))} to {share(most)}."
    return d.picture(*height.grid(3, "{:.0%}"), *_gaps(places), *bars, *marks, label=label, height=LOW)


def _bar(places: _Days, height: _Height, number: int, size: float, class_: str) -> Markup:
    top, gap = height.at(size), 0.14 if len(places.days) <= DENSE else 0.0  # gaps between thin bars draw false stripes
    return d.bar(places.left(number) + gap * places.step, (1 - 2 * gap) * places.step, top, height.pixels - top, class_)


def _queries(trend: dict[str, Any]) -> Markup:
    places, least = _Days(trend["days"]), trend["rules"]["least_queries"]
    counts = [day["n"] for day in places.days]
    height = _Height(0.0, 1.15 * max(*counts, 1), LOW)
    bars = [
        _bar(places, height, number, n, "count" if n >= least else "count few") for number, n in enumerate(counts) if n
    ]
    there = [n for n in counts if n] or [0]
    label = f"Queries by day: from {min(there):,} to {max(there):,}."
    return d.picture(*height.grid(3, "{:,.0f}"), *_gaps(places), *bars, label=label, height=LOW)


def _dates(days: Sequence[dict[str, Any]]) -> Markup:
    """The dates below, counted back from the last day; of many days, first days of months."""
    places = _Days(days)
    dates = [dt.date.fromisoformat(day["date"]) for day in days]
    drawn = []
    for number, text in _months(dates) if len(days) > DENSE else _last_days(dates):
        x = places.middle(number)
        anchor = "end" if x > 92 else "start" if x < 8 else "middle"
        edge = {"end": x + places.step / 2, "start": x - places.step / 2}.get(anchor, x)
        drawn.append(d.words(edge, 15, text, anchor=anchor))
    return d.backdrop(*drawn, height=20)


def _last_days(dates: Sequence[dt.date]) -> list[tuple[int, str]]:
    step = next(step for step in STEPS if len(dates) <= step * MOST_TICKS)
    return [(number, f"{dates[number]:%b} {dates[number].day}") for number in range(len(dates) - 1, -1, -step)]


def _months(dates: Sequence[dt.date]) -> list[tuple[int, str]]:
    firsts = [number for number, date in enumerate(dates) if date.day == 1]
    shown = firsts[:: -(-len(firsts) // (MOST_TICKS - 1))]
    years = {shown[0]} | {one for before, one in itertools.pairwise(shown) if dates[before].year != dates[one].year}
    return [(number, f"{dates[number]:%b %Y}" if number in years else f"{dates[number]:%b}") for number in shown]
