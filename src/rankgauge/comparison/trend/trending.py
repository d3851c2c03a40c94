"""The trend of a measure from a folder of results."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import replace

from rankgauge.comparison.trend.days import calendar, columns_of, measured_days, noted
from rankgauge.comparison.trend.expectation import Reference
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.comparison.trend.trend import Alert, Trend, alerts_of
from rankgauge.comparison.trend.walk import walk
from rankgauge.comparison.trend.words import said
from rankgauge.engines.results import Results, read_results
from rankgauge.errors import Fault, InputError
from rankgauge.records import Note

FOUR_WEEKS = 28
NARROWER = 0.7
"""Width of the band by weekdays, beside the other, from which they are spoken of; without a pattern it is 1.1."""


def trend(
    results: Results | str | os.PathLike[str],
    measure: str = "nDCG@10",
    *,
    rules: TrendRules | None = None,
    expect: dt.date | str | None = None,
    alert: Alert = "last",
    date: str | None = None,
    where: Mapping[str, str] | None = None,
) -> Trend:
    """Go through a measure day by day, and say where it left what the days before lead one to expect.

    Parameters
    ----------
    results : what an engine has written, or the folder with it
    measure : one that the results hold, as printed or for short
    rules : where the lines are drawn
    expect : the day to look at, whether there are results of it or not; None: the last one
    alert : whether an alert is one of that day, or of any
    date : the column of dates, where there are several
    where : {column: value} of other columns that the results are parted by; their values are put together otherwise

    Raises
    ------
    InputError
        For a folder without results, and for results that are not parted by day.
    MeasureError
        For a measure that the results do not hold, or whose queries are not averaged.
    """
    found = results if isinstance(results, Results) else read_results(results)
    columns = columns_of(found, measure)
    rules = _suited(rules or TrendRules(), columns.name)
    days = calendar(found, date=date, where=where)
    wanted = dt.date.fromisoformat(expect) if isinstance(expect, str) else expect
    measured = measured_days(found, columns, days, confidence=rules.confidence, expect=wanted)
    if rules.baseline is not None and not any(day.there and rules.in_baseline(day.date) for day in measured):
        got = f"{measured[0].date} to {measured[-1].date}"
        first, last = rules.baseline
        raise InputError(Fault(str(found.folder), f"results of days from {first} to {last}, the baseline", got))
    walked = walk(measured, rules)
    looked, changes = walked.days, walked.changes
    at = looked[-1] if wanted is None else next(day for day in looked if day.date == wanted)
    alerts = alerts_of(looked, rules) if alert == "any" else ()
    about_day = alerts[-1] if alerts and at not in alerts else at
    notes = (*days.notes, *noted(found, days, at.date), *_weekdays(walked.reference))
    about = found.about
    words = said(columns.name, about_day, looked, changes, rules)
    return Trend(columns.name, looked, changes, rules, at, words, alert, about.source, about.convention, notes)


def _suited(rules: TrendRules, measure: str) -> TrendRules:
    """Compare shares of judged documents whatever they are: they are not in doubt, but what is asked about."""
    if measure.partition("(")[0].partition("@")[0] not in ("Judged", "Unjudged"):
        return rules
    return replace(rules, thresholds=replace(rules.thresholds, clean=1.0, warned=1.0, refused=1.0))


def _weekdays(found: Reference) -> list[Note]:
    """Say where comparing weekdays would find much smaller changes."""
    if found.rules.seasonal or found.rules.band is not None or len(found.days) < FOUR_WEEKS:
        return []
    plain, weekly = (
        Reference(found.days, rules).expect(found.days[-1:])
        for rules in (found.rules, replace(found.rules, seasonal=7))
    )
    if plain is None or weekly is None or weekly.half >= NARROWER * plain.half:
        return []
    said = f"weekdays differ: with --seasonal 7 the band would be {weekly.half / plain.half:.0%} as wide"
    return [Note("weekdays", 7, said)]
