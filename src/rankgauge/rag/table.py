"""Measures of many answers: means with their intervals, and how many answers have no value, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.rag.matrices import Matrices
from rankgauge.rag.peers import PEERS
from rankgauge.rag.triad import OWN, RagMeasure, unknown_measure
from rankgauge.rag.values import Missing, Value
from rankgauge.statistics.intervals import IntervalMethod, interval
from rankgauge.statistics.results import Interval

MEASURES: Mapping[str, RagMeasure] = {**OWN, **PEERS}
"""All measures by name: ours, and other tools' variants as "faithfulness.ragas"."""


@dataclass(frozen=True)
class Mean:
    """One measure over many answers.

    Attributes
    ----------
    measure : its name
    mean : over the answers that have a value; None where none has
    n : how many have one
    failed, abstained, not_applicable : how many have none, and why
    unknown : verdicts that are missing within the n values
    interval : of the mean
    reasons : in words, with how often
    lower_is_better : as of hallucination
    """

    measure: str
    mean: float | None
    n: int
    failed: int
    abstained: int
    not_applicable: int
    unknown: int
    interval: Interval
    reasons: Mapping[str, int]
    lower_is_better: bool = False


def named(name: str) -> RagMeasure:
    """Look a measure up.

    Raises UnknownMeasureError for a name that none has.

    >>> named("faithfulness.deepeval").empty
    '1 without claims'
    """
    if name not in MEASURES:
        raise unknown_measure(name, dict(MEASURES))
    return MEASURES[name]


def values(rows: Iterable[Matrices], name: str) -> dict[str, Value]:
    """Value of one measure for each question."""
    measure = named(name)
    return {row.query_id: measure.of(row) for row in rows}


def numbers(rows: Iterable[Matrices], name: str) -> dict[str, float | None]:
    """Value of one measure for each question as a number, None where there is none: what `blame` and `Pair` take."""
    return {query: value.value for query, value in values(rows, name).items()}


def means(
    rows: Sequence[Matrices],
    names: Sequence[str] = tuple(OWN),
    *,
    rng: np.random.Generator | None = None,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 10_000,
) -> tuple[Mean, ...]:
    """Average measures over answers.

    Parameters
    ----------
    names : ours by default
    rng, confidence, method, resamples : of the intervals; see `statistics.intervals.interval`
    """
    found = []
    for name in names:
        measured = list(values(rows, name).values())
        numbers = [np.nan if value.value is None else value.value for value in measured]
        drawn = interval(numbers, rng=rng, confidence=confidence, method=method, resamples=resamples)
        found.append(mean_of(name, measured, drawn, lower_is_better=named(name).lower_is_better))
    return tuple(found)


def mean_of(name: str, measured: Sequence[Value], drawn: Interval, *, lower_is_better: bool = False) -> Mean:
    """Put a mean's interval beside what became of the answers without a value."""
    lacking: Counter[Missing | None] = Counter(value.missing for value in measured)
    reasons = Counter(value.reason for value in measured if value.missing)
    unknown = sum(value.unknown for value in measured if value.missing is None)
    counts = lacking["failed"], lacking["abstained"], lacking["not applicable"]
    return Mean(name, drawn.estimate, drawn.n, *counts, unknown, drawn, dict(reasons), lower_is_better)


def to_polars(found: Iterable[Mean]) -> pl.DataFrame:
    """Return one row per measure: measure, mean, low, high, n, failed, abstained, not_applicable, unknown."""
    schema = {
        "measure": pl.String, "mean": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "n": pl.Int64, "failed": pl.Int64, "abstained": pl.Int64, "not_applicable": pl.Int64, "unknown": pl.Int64,
    }  # fmt: skip
    rows = [
        (one.measure, one.mean, one.interval.low, one.interval.high, one.n, one.failed, one.abstained,
         one.not_applicable, one.unknown)
        for one in found
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")
