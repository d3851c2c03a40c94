"""Plan: everything that decides the table of per-query scores, whichever engine makes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import polars as pl

from rankgauge.conventions import Convention, convention
from rankgauge.engines.memory import as_measures
from rankgauge.errors import Fault, InputError, MeasureError
from rankgauge.measures import Measure
from rankgauge.records.run import OnDuplicate
from rankgauge.records.summary import STATUSES, MeasureColumns, Summary

Order = Literal["score", "rank"]

QUERY, DOC, RANK, SCORE, GRADE = "query", "doc", "rank", "score", "grade"
STATUS = "status"
COUNTS = ("retrieved", "judged", "tied", "dropped", "conflicts")
"""Of each query: documents retrieved (the last rank, where ranks leave gaps), how many of them were judged, how
many of these share their score with others, how many documents were dropped (repeated ones, and under a convention
that says so those whose id is the query's), and how many judgments on the ranking's rows contradict the separate
qrels, which hold."""

RESERVED = frozenset(
    {QUERY, DOC, RANK, SCORE, GRADE, STATUS, *COUNTS, *STATUSES, "column", "n", "sum", "squares"}
    | {"measure", "mean", "low", "high", "undefined", "unjudged", "tie_low", "tie_high"}
    | {"residual_unjudged", "residual_tail"}
)
"""Names of columns of tables, summaries and means: no column of these names can part rankings."""


@dataclass(frozen=True)
class Plan:
    """What to compute, and how to read what is given.

    Attributes
    ----------
    measures : in the order of the table's columns
    how : the convention
    order : whether a ranking is in order of its "rank" or its "score" column
    by : columns that part rankings besides the query (days, say): the same query on two days is two rankings
    on_duplicate : what becomes of a document twice in a ranking
    top_grade : highest grade of the whole collection, at least 1 (see `Survey`)
    from_zero : whether ranks count from 0
    trusted : the ranks are 1..n without gaps and documents are distinct, says the caller: ids are not read
    """

    measures: tuple[Measure, ...]
    how: Convention
    order: Order
    by: tuple[str, ...] = ()
    on_duplicate: OnDuplicate = "error"
    top_grade: float = 1.0
    from_zero: bool = False
    trusted: bool = False

    def __post_init__(self) -> None:
        if taken := [name for name in self.by if name in RESERVED or name in self.numbers]:
            got = ", ".join(map(repr, taken))
            raise InputError(Fault("by", "columns with names of their own", got, "rename the column"))
        if self.trusted and (self.order == "score" or self.how.drop_self):
            got = "scores" if self.order == "score" else f"the convention {self.how.name!r}, which compares ids"
            raise InputError(Fault("trusted ranks", "ranks that decide alone", got, "leave trusted out"))

    @cached_property
    def unjudged(self) -> dict[str, int]:
        """Columns with the share of unjudged documents, and the number of a measure that sees that depth.

        A measure that drops unjudged documents first sees none of them and has no column.
        """
        found: dict[str, int] = {}
        for number, measure in enumerate(self.measures):
            if (column := self._unjudged(measure)) is not None:
                found.setdefault(column, number)
        return found

    def _unjudged(self, measure: Measure) -> str | None:
        """Column of the share of unjudged documents; one of its own where other rules put others at the top."""
        if measure.parameters["judged_only"]:
            return None
        own, all_ = (self._placing(rules) for rules in (self.how.of(str(measure)), self.how))
        return unjudged_column(measure) if own == all_ else f"{measure} unjudged"

    def _placing(self, rules: Convention) -> tuple[str, ...]:
        """What decides which documents stand above a rank, and which of them are judged."""
        if self.order == "rank":
            return rules.negative, str(rules.order == "input")
        ties = "docid-desc" if rules.ties == "expected" else rules.ties
        return rules.negative, str(rules.order == "input"), ties, rules.score_type

    @cached_property
    def columns(self) -> tuple[MeasureColumns, ...]:
        """The columns of each measure: its values, and the doubt beside them."""
        return tuple(
            MeasureColumns(
                name=str(measure),
                average=measure.declared.average,
                unjudged=self._unjudged(measure),
                doubts=tuple((array, f"{measure} {array.replace('_', ' ')}") for array in self._doubts(measure)),
                decimals=self.how.mean_decimals,
            )
            for measure in self.measures
        )

    def _doubts(self, measure: Measure) -> list[str]:
        """What ties could make of a value, where scores decide; and how much it could rise, where that is known."""
        tied = ["low", "high"] if self.order == "score" else []
        return tied + ([] if measure.declared.residual is None else ["residual_unjudged", "residual_tail"])

    @property
    def numbers(self) -> list[str]:
        """Names of the table's columns of float64 numbers, in order."""
        doubts = [column for measure in self.columns for _, column in measure.doubts]
        return [*(measure.name for measure in self.columns), *self.unjudged, *doubts]

    @property
    def schema(self) -> dict[str, Any]:
        """The table's columns and their types."""
        ids = {name: pl.String for name in (*self.by, QUERY, STATUS)}
        return ids | dict.fromkeys(COUNTS, pl.Int64) | dict.fromkeys(self.numbers, pl.Float64)

    def summary(self, table: pl.DataFrame) -> Summary:
        """Sum up a table of this plan, or a part of it."""
        return Summary.of(table, self.by, [name for one in self.columns for name in one.logs])

    def but(self, **changes: Any) -> Plan:
        """Return the same plan with some choices changed."""
        return replace(self, **changes)


def unjudged_column(measure: Measure) -> str:
    """Name the column with the share of unjudged documents within the measure's cutoff."""
    return "unjudged" if measure.cutoff is None else f"unjudged@{measure.cutoff}"


def plan(measures: Any, how: Convention | str = "default", *, order: Order, **choices: Any) -> Plan:
    """Make a plan from the measures' names and a convention's.

    Raises MeasureError for a measure that does not exist, or that rows without subtopics cannot have.
    """
    chosen = convention(how)
    found = as_measures(measures, chosen)
    for measure in found:
        if measure.declared.subtopics:
            raise MeasureError(f"{measure} needs subtopics, which logs and runs at scale do not carry; use rg.evaluate")
        measure.check_cutoff()
    return Plan(tuple(found), chosen, order, **choices)
