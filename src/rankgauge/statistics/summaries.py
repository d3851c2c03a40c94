"""Means with intervals from a mergeable summary: what is shown of results that no memory could hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl
from scipy import special

from rankgauge.records.scores import BESIDE_A_MEAN
from rankgauge.records.summary import MISSING, MeasureColumns, Moments, Summary
from rankgauge.statistics._samples import ALL_EQUAL, NO_QUERY, ONE_QUERY, share
from rankgauge.statistics.results import Interval


def summary_interval(moments: Moments, *, confidence: float = 0.95) -> Interval:
    """Interval of a mean from the number of values, their mean and their deviation, by Student's t.

    mean ± t(n-1) · s / √n; equal values have the mean alone, and an outcome that says so.

    Raises ParameterError for a confidence that is not between 0 and 1.

    >>> found = summary_interval(Moments(4, 0.5, 0.2))
    >>> round(found.low, 4), round(found.high, 4)
    (0.1818, 0.8182)
    """
    share("confidence", confidence)
    mean, deviation, n = moments.mean, moments.deviation, moments.n
    if mean is None or deviation is None:
        return Interval(mean, None, None, confidence, "t", n, (NO_QUERY, ONE_QUERY, TOO_LARGE)[min(n, 2)])
    if not deviation:
        return Interval(mean, mean, mean, confidence, "t", n, ALL_EQUAL.format("t"))
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * deviation / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, confidence, "t", n)


def summary_means(summary: Summary, measures: Sequence[MeasureColumns], *, confidence: float = 0.95) -> pl.DataFrame:
    """Return one row per group and measure of a summary.

    Columns: by..., measure, mean (or what the measure's average is, rounded where the convention rounds it), low
    and high (its interval; null for sums and geometric means), n (queries in it), undefined, missing, unjudged
    (mean share of the documents seen), tie_low, tie_high, residual_unjudged, residual_tail. Null where a
    number does not exist.
    """
    rows = [
        (*group.values(), *_row(summary, measure, group, confidence))
        for group in summary.groups()
        for measure in measures
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(summary.by, pl.String) | _COLUMNS, orient="row")


def _row(summary: Summary, measure: MeasureColumns, group: dict[str, Any], confidence: float) -> tuple[Any, ...]:
    found = summary.moments(measure.name, **group)
    mean = summary.average(measure.name, measure.average, **group)
    plain = measure.average == "mean"
    between = summary_interval(found, confidence=confidence) if plain else None
    unjudged = None if measure.unjudged is None else summary.moments(measure.unjudged, **group).mean
    doubts = dict(measure.doubts)
    sides = [_doubt(summary, doubts.get(side), measure.average, found.n, group) for side in _SIDES]
    return (
        measure.name,
        mean if mean is None or measure.decimals is None else round(mean, measure.decimals),
        between and between.low,
        between and between.high,
        found.n,
        summary.counted(**group) - found.n,
        summary.count(MISSING, **group),
        unjudged,
        *sides,
    )


def _doubt(summary: Summary, column: str | None, how: str, n: int, group: dict[str, Any]) -> float | None:
    """Average of a column of doubt; none where it is not known for every value that the mean is over."""
    if column is None or summary.moments(column, **group).n < n:
        return None
    return summary.average(column, how, **group)


TOO_LARGE = "values whose squares are beyond float64"
_SIDES = ("low", "high", "residual_unjudged", "residual_tail")
_COLUMNS: dict[str, Any] = {"measure": pl.String, **dict.fromkeys(("mean", "low", "high"), pl.Float64), **BESIDE_A_MEAN}
