"""Scores: one value per run, query and measure, and what must be said beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankgauge.records._columns import FloatArray
from rankgauge.records.notes import Note


@dataclass(frozen=True)
class Counts:
    """What one run and the judgments had in common, in numbers.

    `documents` rows of the run; `queries` of the run; `missing` judged queries that the run lacks;
    `left_out` queries of the run without judgments, with `without_judgments` documents; `judged` documents
    of the run that were judged; `tied` of these, how many share their score with another document.
    """

    documents: int
    queries: int
    missing: tuple[str, ...]
    left_out: tuple[str, ...]
    without_judgments: int
    judged: int
    tied: int


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Values of every run, measure and query, with their doubt.

    Attributes
    ----------
    runs, measures, queries : names, in order; `measures` as printed
    values : float64[runs, measures, queries]; NaN where undefined or not counted
    counted : bool[runs, queries], False for queries that the convention leaves out of this run's means
    low, high : smallest and largest value over the orders of tied documents, NaN where not applicable
    unjudged : float64[runs, measures, queries], share of the documents seen that nobody judged
    residual_unjudged, residual_tail : how much a value could rise through unjudged documents seen, and
        through what lies below the ranking's end; NaN where not applicable
    averages : how each measure's queries are put together
    counts : per run
    convention : name of the convention, judgments and their number
    mean_decimals : digits to which the convention's tool rounds means, None where it doesn't
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    queries: pl.Series
    values: FloatArray
    counted: np.ndarray[Any, np.dtype[np.bool_]]
    low: FloatArray
    high: FloatArray
    unjudged: FloatArray
    residual_unjudged: FloatArray
    residual_tail: FloatArray
    averages: tuple[str, ...]
    counts: tuple[Counts, ...]
    convention: str
    judgments: int
    notes: tuple[Note, ...] = field(default=())
    mean_decimals: int | None = None

    def __repr__(self) -> str:
        return f"Scores({len(self.runs)} runs, {len(self.measures)} measures, {len(self.queries)} queries)"

    def mean(self) -> pl.DataFrame:
        """Return one row per run and measure.

        Columns: run, measure, mean (or what the measure's average is), n (queries in it), undefined,
        missing, unjudged (mean share of the documents seen), tie_low, tie_high, residual_unjudged,
        residual_tail. Null where a number does not exist.
        """
        rows = [self._summary(run, measure) for run in range(len(self.runs)) for measure in range(len(self.measures))]
        return pl.DataFrame(rows, schema=_SUMMARY, orient="row")

    def _summary(self, run: int, measure: int) -> tuple[Any, ...]:
        counted = self.counted[run]
        how = self.averages[measure]
        values = self.values[run, measure, counted]
        defined = ~np.isnan(values)
        kept = np.flatnonzero(counted)[defined]
        sides = (self.low, self.high, self.residual_unjudged, self.residual_tail)
        low, high, unseen, tail = (average(side[run, measure, kept], how) for side in sides)
        unjudged = self.unjudged[run, measure, counted]
        return (
            self.runs[run],
            self.measures[measure],
            self._rounded(average(values[defined], how)),
            int(defined.sum()),
            int((~defined).sum()),
            len(self.counts[run].missing),
            average(unjudged[~np.isnan(unjudged)], "mean"),
            low,
            high,
            unseen,
            tail,
        )

    def _rounded(self, mean: float | None) -> float | None:
        return mean if mean is None or self.mean_decimals is None else round(mean, self.mean_decimals)

    def to_polars(self) -> pl.DataFrame:
        """Return one row per run, query and measure: run, query, measure, value (null where undefined)."""
        r, m, q = self.values.shape
        keep = np.broadcast_to(self.counted[:, None, :], (r, m, q)).transpose(0, 2, 1).ravel()
        frame = pl.DataFrame(
            {
                "run": np.repeat(self.runs, q * m),
                "query": pl.concat([self.queries.gather(np.repeat(np.arange(q), m))] * r),
                "measure": np.tile(self.measures, r * q),
                "value": self.values.transpose(0, 2, 1).ravel(),
            }
        )
        return frame.filter(pl.Series(keep)).with_columns(pl.col("value").fill_nan(None))

    def of(self, run: str, measure: str) -> dict[str, float | None]:
        """Return {query: value} of one run and one measure, None where undefined."""
        row = self.values[self.runs.index(run), self.measures.index(measure)]
        kept = self.counted[self.runs.index(run)]
        return {
            query: None if np.isnan(value) else value
            for query, value, keep in zip(self.queries, row.tolist(), kept, strict=True)
            if keep
        }

    def by_query(self) -> pl.DataFrame:
        """Return one row per run and query, one column per measure."""
        wide = self.to_polars().pivot("measure", index=["run", "query"], values="value", maintain_order=True)
        return wide.select("run", "query", *self.measures)


BESIDE_A_MEAN: dict[str, Any] = {
    "n": pl.Int64,
    "undefined": pl.Int64,
    "missing": pl.Int64,
    "unjudged": pl.Float64,
    "tie_low": pl.Float64,
    "tie_high": pl.Float64,
    "residual_unjudged": pl.Float64,
    "residual_tail": pl.Float64,
}
"""What stands beside each mean, in every table of means."""

_SUMMARY: dict[str, Any] = {"run": pl.String, "measure": pl.String, "mean": pl.Float64, **BESIDE_A_MEAN}
SMALLEST_IN_A_GEOMETRIC_MEAN = 0.00001


def average(values: FloatArray, how: str) -> float | None:
    """Put the queries' values together; None where there is nothing to average.

    Sums run in query order, one after the other, as trec_eval's do.
    """
    if not len(values) or np.isnan(values).any():
        return None
    if how == "geometric":
        logs = np.log(np.maximum(values, SMALLEST_IN_A_GEOMETRIC_MEAN))
        return float(np.exp(sequential_sum(logs) / len(values)))
    total = sequential_sum(values)
    return total if how == "sum" else total / len(values)


def sequential_sum(values: Sequence[float] | FloatArray) -> float:
    """Add up from first to last."""
    return float(np.add.accumulate(np.asarray(values, dtype=np.float64))[-1]) if len(values) else 0.0
