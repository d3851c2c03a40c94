"""From a folder of results to the days of one measure, on the calendar: days without results are there as gaps."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankgauge.comparison.trend.expectation import DAY, Measured
from rankgauge.conventions import CONVENTIONS
from rankgauge.engines.results import Results, key_of
from rankgauge.errors import Fault, InputError, MeasureError, UnknownMeasureError, did_you_mean
from rankgauge.measures import parse
from rankgauge.records import Note
from rankgauge.records.summary import LEFT_OUT, MISSING, NOT_COUNTED, MeasureColumns, Summary
from rankgauge.statistics.summaries import summary_interval

Group = dict[str, Any]
WRITTEN = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ]00:00:00(?:\.0+)?)?")
PARTS = ("year", "month", "day")
NO_DATE = "no date"


@dataclass(frozen=True)
class Calendar:
    """Which groups of the results belong to which day.

    Attributes
    ----------
    columns : of `by` that say the date: one, or year, month and day
    days : {date: its values of these columns}, in order of time
    where : values of other columns that the user chose
    notes : what was left out, or put together
    """

    columns: tuple[str, ...]
    days: dict[dt.date, Group]
    where: Group
    notes: tuple[Note, ...] = ()


def calendar(results: Results, *, date: str | None = None, where: Mapping[str, str] | None = None) -> Calendar:
    """Find the column that holds dates, and what stands on which day.

    Raises InputError where no column, or more than one, holds dates, and for values of `where` that do not occur.
    """
    place, by, chosen = str(results.folder), results.about.by, dict(where or {})
    counts = _chosen(results.summary.counts, chosen, place)
    columns = _date_columns(counts, tuple(name for name in by if name not in chosen), date, place)
    days: dict[dt.date, Group] = {}
    undated = 0
    for group in counts.select(columns).unique().to_dicts():
        found = _date(group)
        if found is None:
            undated += 1
        elif found in days:
            got = f"{key_of(days[found])!r} and {key_of(group)!r}"
            raise InputError(Fault(place, "each date written in one way", got, "write them alike and compute again"))
        else:
            days[found] = group
    others = [name for name in by if name not in columns and name not in chosen]
    notes = [Note(NO_DATE, undated, f"{undated} groups without a date are left out")] if undated else []
    notes += [_pooled(name, counts[name].n_unique()) for name in others if counts[name].n_unique() > 1]
    if not days:
        raise InputError(Fault(place, "results of at least one day", "none", "rankgauge evaluate ... -o writes them"))
    return Calendar(columns, dict(sorted(days.items())), chosen, tuple(notes))


def _chosen(counts: pl.DataFrame, where: Group, place: str) -> pl.DataFrame:
    for name, value in where.items():
        known = counts[name].unique().sort().to_list() if name in counts.columns else None
        if known is None or value not in known:
            expected = "a column of the results' groups" if known is None else f"one of {', '.join(map(str, known))}"
            raise InputError(Fault(place, expected, repr(name if known is None else value), "change --where"))
        counts = counts.filter(pl.col(name) == value)
    return counts


def _date_columns(counts: pl.DataFrame, by: tuple[str, ...], date: str | None, place: str) -> tuple[str, ...]:
    if date is not None and date not in by:
        raise InputError(Fault(place, f"one of the columns {', '.join(by) or '(none)'}", repr(date), "change --date"))
    candidates = [name for name in by if date in (None, name) and _holds_dates(counts[name])]
    if len(candidates) == 1:
        return (candidates[0],)
    if not candidates and date is None and set(PARTS) <= set(by):
        return PARTS
    got = f"groups by {', '.join(by)}" if by else "results that are not parted"
    got += f", of which {' and '.join(candidates)} hold dates" if candidates else ""
    advice = "name one with --date" if candidates else "compute them by day: --by with a column of dates as 2026-06-26"
    raise InputError(Fault(place, "results by day", got, advice))


def _holds_dates(values: pl.Series) -> bool:
    dates = [_as_date(value) for value in values]
    strange = [v for v, d in zip(values, dates, strict=True) if d is None and v and not v.startswith("__HIVE")]
    return any(dates) and not strange


def _as_date(text: str | None) -> dt.date | None:
    found = WRITTEN.fullmatch(text or "")
    try:
        return dt.date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _date(group: Group) -> dt.date | None:
    if len(group) == 1:
        return _as_date(next(iter(group.values())))
    year, month, day = (str(group[part] or "") for part in PARTS)
    return _as_date(f"{year:0>4}-{month:0>2}-{day:0>2}")


def _pooled(name: str, values: int) -> Note:
    said = f"the {values} values of {name!r} are put together: a change of their mix changes the mean"
    return Note("pooled", values, f"{said}; --where {name}=... looks at one")


def columns_of(results: Results, measure: str) -> MeasureColumns:
    """Find the measure in the results, as printed or as written for short.

    Raises MeasureError for one that the results do not hold, or whose queries are not averaged.
    """
    known = {one.name: one for one in results.about.measures}
    name = next((name for name in _names(measure, results.about.convention) if name in known), None)
    if name is None:
        near = did_you_mean(measure, known) or f"; it holds {', '.join(known)}"
        raise UnknownMeasureError(f"{results.folder} holds no measure {measure!r}{near}")
    if known[name].average != "mean":
        raise MeasureError(f"{name}: expected a measure whose queries are averaged, got their {known[name].average}")
    return known[name]


def _names(measure: str, convention: str) -> list[str]:
    """The names under which results may hold a measure."""
    try:
        found = parse(measure)
    except MeasureError:
        return [measure]
    rules = [CONVENTIONS[name] for name in (convention, "default") if name in CONVENTIONS]
    return [measure, *(str(found.under(rule)) for rule in rules), str(found)]


def measured_days(
    results: Results, measure: MeasureColumns, days: Calendar, *, confidence: float, expect: dt.date | None = None
) -> list[Measured]:
    """Read the days of one measure, from the first to the last; `expect` is one of them, whether it is there or not."""
    wanted = {measure.name, measure.unjudged, *(column for _, column in measure.doubts)}
    totals = results.summary.totals.filter(pl.col("column").is_in([one for one in wanted if one]))
    summary = Summary(results.summary.by, totals, results.summary.counts)
    tops = _tops(results, measure, days)
    known = {date: _read(summary, measure, group | days.where, date, confidence) for date, group in days.days.items()}
    dates = [*known, *([] if expect is None else [expect])]
    span = range((max(dates) - min(dates)).days + 1)
    every = (min(dates) + number * DAY for number in span)
    return [replace(known[date], top_grade=tops.get(date)) if date in known else _gap(date) for date in every]


def _gap(date: dt.date) -> Measured:
    return Measured(date, there=False)


def _read(summary: Summary, measure: MeasureColumns, group: Group, date: dt.date, confidence: float) -> Measured:
    found = summary.moments(measure.name, **group)
    between = summary_interval(found, confidence=confidence)
    unjudged = None if measure.unjudged is None else summary.moments(measure.unjudged, **group).mean
    residual = dict(measure.doubts).get("residual_unjudged")
    rising = None if residual is None else summary.moments(residual, **group)
    return Measured(
        date,
        found.mean,
        between.low,
        between.high,
        0.0 if found.deviation is None else found.deviation / math.sqrt(found.n),
        found.n,
        summary.count(MISSING, **group),
        summary.count(LEFT_OUT, **group),
        summary.count(NOT_COUNTED, **group),
        summary.counted(**group) - found.n,
        unjudged,
        rising.mean if rising is not None and rising.n == found.n else None,
    )


def _tops(results: Results, measure: MeasureColumns, days: Calendar) -> dict[dt.date, float]:
    """Highest grade of each day, where the measure's values depend on it."""
    if not _by_top_grade(measure.name):
        return {}
    dates = {tuple(group.values()): date for date, group in days.days.items()}
    found: dict[dt.date, float] = {}
    for group in results.summary.groups():
        date = dates.get(tuple(group[name] for name in days.columns))
        top = results.about.top_grade.get(key_of(group))
        if date is not None and top is not None and all(group[name] == value for name, value in days.where.items()):
            found[date] = max(top, found.get(date, top))
    return found


def _by_top_grade(measure: str) -> bool:
    """Whether a measure counts grades by the highest one of the collection, as ERR does unless told."""
    try:
        parameters = parse(measure).parameters
    except MeasureError:
        return False
    return "max_grade" in parameters and parameters["max_grade"] is None


def noted(results: Results, days: Calendar, date: dt.date) -> Iterable[Note]:
    """What was noticed when a day was computed."""
    if date not in days.days:
        return
    wanted = days.days[date] | days.where
    for one in results.summary.groups():
        if all(one[name] == value for name, value in wanted.items()):
            yield from results.about.notes.get(key_of(one), [])
