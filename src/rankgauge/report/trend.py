"""Trends as text: the verdict first, then the days; and the object that programs read."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rankgauge.comparison.decision import percent
from rankgauge.comparison.trend.trend import Day, Status, Trend, worst
from rankgauge.report.grid import Cell, Format, Grid

MARKS: dict[Status, str] = {
    "as expected": "=",
    "drop": "▼",
    "rise": "▲",
    "slow drop": "▽",
    "slow rise": "△",
    "baseline": "•",
    "not comparable": "?",
    "few queries": "?",
    "too early": "?",
    "no data": "?",
}
"""What stands before a verdict, for eyes that skim."""


def render_trends(trends: Sequence[Trend], *, format: Format = "table", digits: int = 4, last: int = 0) -> str:
    """Write the verdicts, the deciding one first, and a row per day; `last` days of each, 0 for all.

    JSON is one object, CSV one table of all days; these two hold every day and every number.
    """
    if format == "json":
        return json.dumps(as_json(trends), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return _everything(trends).csv()
    tables = [days_grid(trend, digits, last).render(format) for trend in trends]
    if format == "latex":
        return "\n".join(tables)
    bullet = "- " if format == "markdown" else ""
    decides = worst(trends)
    ordered = [decides, *(trend for trend in trends if trend is not decides)]
    said = "\n".join(line for trend in ordered for line in verdict_lines(trend, bullet))
    parts = [f"{_heading(trend, last, format)}{table}" for trend, table in zip(trends, tables, strict=True)]
    return "\n".join([f"{said}\n", *parts])


def verdict_lines(trend: Trend, bullet: str = "") -> list[str]:
    """The verdict on the day that is looked at, what it rests on and what to do."""
    said = trend.said
    lines = [f"{bullet}{MARKS[said.day.status]} {said.day.status.upper()}: {said.sentence}"]
    return [
        *lines,
        *(f"  {bullet}{reason}" for reason in said.because),
        *(f"  {bullet}next: {step}" for step in said.do),
    ]


def _heading(trend: Trend, last: int, format: Format) -> str:
    left = max(0, len(trend.days) - last) if last else 0
    said = f"{trend.measure}, the last {last} of {len(trend.days)} days" if left else trend.measure
    return f"{said}:\n\n" if format == "markdown" else f"{said}:\n"


def days_grid(trend: Trend, digits: int = 4, last: int = 0) -> Grid:
    """One row per day, days without results put together."""
    level = f"{trend.rules.confidence:.0%} interval"
    columns = ["date", "status", "mean", level, "band", "queries", "unjudged", "missing", "remark"]
    days = trend.days[-last:] if last else trend.days
    news = {change.told: f"new level since {change.since}" for change in trend.changes}
    rows = [_row(one, days, digits, news.get(days[-1].date)) for one, days in spans(days)]
    return Grid(columns, rows, digits, booktabs=True)


def _row(label: str, days: Sequence[Day], digits: int, news: str | None) -> list[Cell]:
    day = days[-1]
    known = day.status != "no data"
    status = f"{MARKS[day.status]} {day.status}" + (f" ({len(days)} days)" if len(days) > 1 else "")
    remarks = "; ".join([*([news] if news else []), *day.reasons])
    return [
        label,
        status,
        day.mean,
        _span(day.low, day.high, digits),
        _span(day.band_low, day.band_high, digits),
        day.n if known else None,
        None if day.unjudged is None else percent(day.unjudged),
        day.missing if known else None,
        remarks or None,
    ]


def _span(low: float | None, high: float | None, digits: int) -> str | None:
    return None if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"


def spans(days: Iterable[Day]) -> Iterator[tuple[str, list[Day]]]:
    """Put days in a row without results together: their label, and the days."""
    held: list[Day] = []
    for day in days:
        if day.status == "no data":
            held.append(day)
            continue
        if held:
            yield _label(held), held
            held = []
        yield day.date.isoformat(), [day]
    if held:
        yield _label(held), held


def _label(days: Sequence[Day]) -> str:
    return days[0].date.isoformat() if len(days) == 1 else f"{days[0].date} to {days[-1].date}"


def _everything(trends: Sequence[Trend]) -> Grid:
    rows = [{"measure": trend.measure} | _day_json(day) for trend in trends for day in trend.days]
    flat = [row | {"reasons": "; ".join(row["reasons"])} for row in rows]
    return Grid(list(flat[0]), [list(row.values()) for row in flat])


def as_json(trends: Sequence[Trend]) -> dict[str, Any]:
    """One object: the outcome that decides, and each trend with its verdict, days, levels and rules."""
    decides = worst(trends)
    return {
        "outcome": decides.outcome,
        "exit_code": decides.exit_code,
        "trends": [trend_json(trend) for trend in trends],
    }


def trend_json(trend: Trend) -> dict[str, Any]:
    """Everything of one trend."""
    said = trend.said
    return {
        "measure": trend.measure,
        "outcome": trend.outcome,
        "exit_code": trend.exit_code,
        "date": said.day.date.isoformat(),
        "status": said.day.status,
        "sentence": said.sentence,
        "because": list(said.because),
        "do": list(said.do),
        "days": [_day_json(day) for day in trend.days],
        "changes": [_plain(asdict(change)) for change in trend.changes],
        "rules": _plain(asdict(trend.rules)),
        "source": trend.source,
        "convention": trend.convention,
        "notes": [asdict(note) for note in trend.notes],
    }


def _day_json(day: Day) -> dict[str, Any]:
    found: dict[str, Any] = _plain(asdict(day))
    return found


def _plain(content: Any) -> Any:
    """The same with dates as text and lists for tuples."""
    if isinstance(content, dt.date):
        return content.isoformat()
    if isinstance(content, dict):
        return {key: _plain(value) for key, value in content.items()}
    return [_plain(value) for value in content] if isinstance(content, list | tuple) else content
