"""Summary: what many queries' values come to, kept so that days, files and partitions add up exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.records._columns import IntArray
from rankgauge.records.exact import MANTISSA, Expansion, exact_sums, fraction, merged
from rankgauge.records.scores import SMALLEST_IN_A_GEOMETRIC_MEAN

SCORED, MISSING, LEFT_OUT, NOT_COUNTED = "scored", "missing", "left out", "not counted"
"""What became of a query: it has a ranking and judgments; judgments only; a ranking only; or it has judgments, and
the convention leaves it out of means (for want of a ranking, say). Means are over the first two."""

STATUSES = (SCORED, MISSING, LEFT_OUT, NOT_COUNTED)


@dataclass(frozen=True)
class MeasureColumns:
    """Which columns of a table of per-query scores belong to a measure.

    Attributes
    ----------
    name : the measure as printed, and the column of its values
    average : how queries are put together: "mean", "sum", "geometric"
    unjudged : column with the share of unjudged documents it sees, None where it sees none
    doubts : (name in `Scores`, column) of low, high, residual_unjudged and residual_tail, as far as they exist
    decimals : digits to which the convention's tool rounds means, None where it doesn't
    """

    name: str
    average: str = "mean"
    unjudged: str | None = None
    doubts: tuple[tuple[str, str], ...] = ()
    decimals: int | None = None

    @property
    def logs(self) -> list[str]:
        """Columns that are summed by their logarithms."""
        return [self.name, *(column for _, column in self.doubts)] if self.average == "geometric" else []


@dataclass(frozen=True)
class Moments:
    """Of n values: their average, and the standard deviation of one value (n - 1), None where there is none."""

    n: int
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Exact totals of the columns of tables of per-query scores, in groups (days, say).

    Attributes
    ----------
    by : names of the columns that part the queries; the groups' values are text
    totals : one row per group and column: by..., column, n (values that are not null), sum and squares
        (exact sums as List(Float64), see `records.exact`)
    counts : one row per group: by..., and how many queries have each status, one column each
    """

    by: tuple[str, ...]
    totals: pl.DataFrame
    counts: pl.DataFrame

    def __repr__(self) -> str:
        return f"Summary({len(self.counts)} groups, {self.queries} queries)"

    @property
    def queries(self) -> int:
        """Number of queries, whatever became of them."""
        return int(self.counts.select(pl.sum_horizontal(STATUSES)).sum().item() or 0)

    @classmethod
    def of(cls, table: pl.DataFrame, by: Sequence[str] = (), logs: Sequence[str] = ()) -> Summary:
        """Sum up a table of per-query scores: by..., query, status, and columns of numbers.

        Parameters
        ----------
        by : columns that part the queries
        logs : columns that are averaged geometrically; their logarithms are summed
        """
        number, groups = _numbers(table, by)
        rows = [
            (place, column, *total)
            for column in table.columns
            if table[column].dtype.is_numeric() and column not in by
            for place, total in enumerate(_totals(table, column, number, len(groups), column in logs))
        ]
        totals = pl.DataFrame(rows, schema=_TOTALS, orient="row")
        statuses = {
            status: np.bincount(number[(table["status"] == status).to_numpy()], minlength=len(groups))
            for status in STATUSES
        }
        counts = groups.with_columns(pl.Series(name, value, pl.Int64) for name, value in statuses.items())
        totals = groups.join(totals, on=_GROUP, maintain_order="left").select(*by, *list(_TOTALS)[1:])
        return cls(tuple(by), totals, counts.select(*by, *STATUSES))

    @classmethod
    def merge(cls, parts: Sequence[Summary]) -> Summary:
        """Put summaries together; in whatever order, the result is the same."""
        by = parts[0].by
        rows = pl.concat([part.totals for part in parts], how="vertical")
        grouped = rows.group_by(*by, "column", maintain_order=True).agg(pl.col("n").sum(), *_SUMS)
        totals = grouped.with_columns(
            *(pl.Series(name, [merged(sums) for sums in grouped[name].to_list()], _LIST) for name in _SUMS)
        )
        counts = pl.concat([part.counts for part in parts])
        if not by:
            return cls(by, totals, counts.sum())
        counts = counts.group_by(by, maintain_order=True).sum()
        return cls(by, totals.sort(by, maintain_order=True), counts.sort(by))

    def without(self, groups: pl.DataFrame) -> Summary:
        """Return the summary without these groups, named by their values of `by`."""
        left = [
            frame.join(groups, on=list(self.by), how="anti", nulls_equal=True) for frame in (self.totals, self.counts)
        ]
        return Summary(self.by, *left)

    def whole(self) -> Summary:
        """Return the summary of all groups together."""
        return Summary.merge([Summary((), self.totals.drop(self.by), self.counts.drop(self.by))])

    def groups(self) -> list[dict[str, Any]]:
        """Return the groups' values of `by`, in order of their values."""
        return self.counts.select(self.by).sort(self.by).to_dicts() if self.by else [{}]

    def count(self, status: str, /, **group: Any) -> int:
        """Number of queries with a status, in one group or in all."""
        if set(group) != set(self.by):
            return int(_of(self.counts, group)[status].sum())
        return sum(int(row[status]) for row in self._counts.get(self._key(group), []))

    def counted(self, /, **group: Any) -> int:
        """Number of queries that means are over."""
        return self.count(SCORED, **group) + self.count(MISSING, **group)

    def total(self, column: str, /, **group: Any) -> float:
        """Sum of a column, rounded once; infinite beyond float64."""
        return next(iter(self._sum(column, "sum", group)[1]), 0.0)

    def moments(self, column: str, /, **group: Any) -> Moments:
        """Mean and deviation of a column's values, each rounded once; equal values have none."""
        n, total = self._sum(column, "sum", group)
        squares = self._sum(column, "squares", group)[1]
        if not n:
            return Moments(0, None, None)
        if not np.isfinite([*total, *squares]).all():
            mean = float(fraction(total) / n) if np.isfinite(total).all() else total[0]
            return Moments(n, mean, None)
        mean_ = fraction(total) / n
        spread = fraction(squares) - fraction(total) * mean_
        # Each square was rounded: a spread below what that amounts to is none.
        spread = spread if spread > fraction(squares) * Fraction(2) ** -MANTISSA else Fraction(0)
        return Moments(n, float(mean_), math.sqrt(spread / (n - 1)) if n > 1 else None)

    def average(self, column: str, how: str = "mean", /, **group: Any) -> float | None:
        """Put a column's values together: "mean", "sum", or "geometric" (of a column summed by its logarithms)."""
        found = self.moments(column, **group)
        if found.mean is None:
            return None
        if how == "sum":
            return self.total(column, **group)
        return math.exp(found.mean) if how == "geometric" else found.mean

    def _sum(self, column: str, which: str, group: Mapping[str, Any]) -> tuple[int, Expansion]:
        if set(group) != set(self.by):
            found = _of(self.totals.filter(pl.col("column") == column), group).to_dicts()
        else:
            found = self._totals.get((column, *self._key(group)), [])
        return sum(row["n"] for row in found), merged(row[which] for row in found)

    def _key(self, group: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(group[name] for name in self.by)

    @cached_property
    def _totals(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        """Rows of `totals` by column and group: a search for each of a year's numbers takes most of the time."""
        return _by_key(self.totals, ("column", *self.by))

    @cached_property
    def _counts(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        return _by_key(self.counts, self.by)


_SUMS = ("sum", "squares")
_LIST = pl.List(pl.Float64)
_GROUP = " group"  # no column has this name
_TOTALS: dict[str, Any] = {
    _GROUP: pl.UInt32,
    "column": pl.String,
    "n": pl.Int64,
    "sum": _LIST,
    "squares": _LIST,
}


def _numbers(table: pl.DataFrame, by: Sequence[str]) -> tuple[IntArray, pl.DataFrame]:
    """Number each row's group, int64[n], in order of their values; and the groups with their numbers."""
    if not by:
        return np.zeros(len(table), dtype=np.int64), pl.DataFrame({_GROUP: [0]}, schema={_GROUP: pl.UInt32})
    groups = table.select(by).unique().sort(by).with_row_index(_GROUP)
    rows = table.select(by).join(groups, on=by, how="left", maintain_order="left", nulls_equal=True)
    return rows[_GROUP].to_numpy().astype(np.int64), groups


def _totals(
    table: pl.DataFrame, column: str, group: IntArray, groups: int, logs: bool
) -> list[tuple[int, Expansion, Expansion]]:
    """Of each group: the number of values, their exact sum and that of their squares."""
    there = table[column].is_not_null().to_numpy()
    values = table[column].drop_nulls().cast(pl.Float64).to_numpy()
    if logs:
        values = np.log(np.maximum(values, SMALLEST_IN_A_GEOMETRIC_MEAN))
    group = group[there]
    counts = np.bincount(group, minlength=groups).tolist()
    with np.errstate(over="ignore"):
        squares = values**2
    return list(zip(counts, exact_sums(values, group, groups), exact_sums(squares, group, groups), strict=True))


def _by_key(frame: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _of(frame: pl.DataFrame, group: Mapping[str, Any]) -> pl.DataFrame:
    for name, value in group.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    return frame
