"""Canonical rows of a Spark DataFrame, and one look at all of them before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankgauge.engines._spark_columns import Columns, judgment_columns, log_columns, quoted
from rankgauge.engines.plan import DOC, GRADE, QUERY, RANK, Order
from rankgauge.errors import EmptyInputError, Fault, InputError, MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Rows:
    """Rows in canonical columns (by..., query, doc, rank or score, grade), lazily, and what they are called."""

    frame: DataFrame
    columns: Columns
    where: str
    by: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Canonical columns that hold data."""
        return [name for name in self.columns.select if not name.endswith("_unread")]


@dataclass(frozen=True)
class Seen:
    """What one look at all rows found; `lowest` and `highest` grade are 0 where there is none."""

    rows: int
    unjudged: int
    unplaced: int
    first_rank: int
    last_rank: int
    lowest: float
    highest: float
    whole: bool

    @property
    def top_grade(self) -> float:
        """Highest grade, at least 1: the scale of graded measures."""
        return max(1.0, self.highest)

    def longest(self, order: Order) -> int:
        """Rows that a query may have at most, by its last rank where ranks decide."""
        return min(self.rows, self.last_rank + 1 + self.unplaced) if order == "rank" else self.rows


def log_rows(
    frame: DataFrame, given: Mapping[str, str | None], by: Sequence[str], *, ids: bool, text: bool, apart: bool
) -> Rows:
    """Take a log or a run; see `log_columns`."""
    where = "the rankings"
    found = log_columns(dict(frame.dtypes), given, by, where=where, ids=ids, text=text, apart=apart)
    return _rows(frame, found, where, by)


def judgment_rows(frame: DataFrame, given: Mapping[str, str | None], by: Sequence[str], *, text: bool = False) -> Rows:
    """Take judgments; see `judgment_columns`."""
    where = "the judgments"
    found = judgment_columns(dict(frame.dtypes), given, by, where=where, text=text)
    return _rows(frame, found, where, [name for name in by if name in found.select])


def _rows(frame: DataFrame, columns: Columns, where: str, by: Sequence[str]) -> Rows:
    canonical = frame.selectExpr(*(f"{sql} AS {quoted(name)}" for name, sql in columns.select.items()))
    return Rows(canonical, columns, where, tuple(by))


def expressions(frame: DataFrame, sql: Sequence[str]) -> list[Column]:
    """Make columns of SQL, for a session of either kind."""
    kind = "pyspark.sql.connect.functions" if is_connect(frame) else "pyspark.sql.functions"
    return [import_module(kind).expr(one) for one in sql]


def is_connect(frame: object) -> bool:
    """Whether a DataFrame (or a session) belongs to Spark Connect."""
    return ".connect." in f"{type(frame).__module__}."


def pyspark() -> Any:
    """Import pyspark, or say how to install it."""
    try:
        return import_module("pyspark.sql")
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None


def look(rows: Rows) -> Seen:
    """Go through all rows once.

    Raises
    ------
    InputError
        For missing ids, numbers that are none, and what else no row may be: each with its count and an example.
    EmptyInputError
        For no rows at all.
    """
    checks = rows.columns.checks
    there = rows.columns.select
    facts = {
        "rows": "count(1)",
        "unjudged": "count_if(grade IS NULL)" if GRADE in there else "count(1)",
        "unplaced": "count_if(rank IS NULL)" if RANK in there else "0L",
        "first_rank": "coalesce(min(rank), 1L)" if RANK in there else "1L",
        "last_rank": "coalesce(max(rank), 0L)" if RANK in there else "0L",
        "lowest": "coalesce(min(grade), 0D)" if GRADE in there else "0D",
        "highest": "coalesce(max(grade), 0D)" if GRADE in there else "0D",
        "fractions": "count_if(grade % 1D != 0D)" if GRADE in there else "0L",
    }
    facts |= {f"check{number}": f"count_if({check.condition})" for number, check in enumerate(checks)}
    found = rows.frame.agg(*expressions(rows.frame, [f"{sql} AS {name}" for name, sql in facts.items()])).collect()[0]
    if not found["rows"]:
        raise EmptyInputError(Fault(rows.where, "at least one row", "none", "check what was read"))
    _refuse(rows, [found[f"check{number}"] for number in range(len(checks))])
    known = {name: found[name] for name in facts if not name.startswith(("check", "fractions"))}
    return Seen(**known, whole=not found["fractions"])


def _refuse(rows: Rows, counts: Sequence[int]) -> None:
    """Raise for what is wrong, with an example of each."""
    faults = []
    for check, count in zip(rows.columns.checks, counts, strict=True):
        if count:
            shown = rows.frame.selectExpr(f"({check.condition}) AS bad", *map(quoted, rows.names)).filter("bad")
            example = shown.limit(1).collect()[0].asDict()
            known = [f"{name} {example[name]!r}" for name in (*rows.by, QUERY, DOC) if example.get(name)]
            place = ", ".join([rows.where, *known])
            faults.append(Fault(place, check.expected, f"{check.got} ({count} rows have this fault)", check.advice))
    if faults:
        raise InputError(faults)
