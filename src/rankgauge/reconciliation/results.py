"""What reconcile finds: the conventions behind a number, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rankgauge.conventions import Convention
from rankgauge.measures import Measure
from rankgauge.reconciliation.reported import Reported
from rankgauge.reconciliation.space import Change


@dataclass(frozen=True)
class Explanation:
    """One value that conventions give, with the fewest changes that lead to it.

    Attributes
    ----------
    value : the mean
    n : queries that it is over
    tools : conventions that give it as they are; empty where something has to be changed
    start : convention from which the fewest choices have to be changed
    changed : these choices; empty where `start` gives the value as it is
    measure, convention : give the value in `evaluate`, every choice written out; None for a known mistake,
        which no convention has
    others : combinations that give the same value with as many changes, in words (the first few)
    more : how many further combinations give the same value
    by_chance : how many values would be expected to match by accident among all that need as few changes
    """

    value: float
    n: int
    tools: tuple[str, ...]
    start: str
    changed: tuple[Change, ...]
    measure: Measure | None = field(repr=False)
    convention: Convention | None = field(repr=False)
    others: tuple[str, ...] = ()
    more: int = 0
    by_chance: float = 0.0

    @property
    def says(self) -> str:
        """The combination in words."""
        if self.tools:
            return ", ".join(self.tools)
        return f"{self.start} but " + "; ".join(map(str, self.changed))


@dataclass(frozen=True)
class Sensitivity:
    """What one choice alone does to the value: one axis changed from the starting convention.

    `value` is None where it is undefined, or where the measure cannot be had so; `difference` is from the
    starting convention's value.
    """

    axis: str
    before: str
    after: str
    value: float | None
    difference: float | None


@dataclass(frozen=True)
class Hint:
    """Something else that would give the number. `kind` is a stable word: "digits", "ties", "queries",
    "measure"."""

    kind: str
    text: str


@dataclass(frozen=True)
class Tried:
    """What was gone through.

    Attributes
    ----------
    combinations : number of combinations that can differ on this data
    standing_for : number of combinations when choices without effect here are told apart
    changes : every combination with up to so many changes from a tool's convention was tried
    wished : how many changes were asked for; more than `changes` where they would have been too many
    distinct : number of different values among them
    by_chance : how many of these values would match by accident
    impossible : combinations that the measure or the data do not allow
    left_out : options that were not tried, with the reason
    """

    combinations: int
    standing_for: int
    changes: int
    wished: int
    distinct: int
    by_chance: float
    impossible: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reconciliation:
    """Which choices give a reported number.

    Attributes
    ----------
    measure : as asked for
    run : name of the run
    reported : the number with the values that round to it
    explanations : values within its digits, the plainest first
    nearest : the nearest values, where none is within
    without_effect : axes that make no difference on this data
    start : convention from which `sensitivity` departs
    sensitivity : each choice alone
    hints : what else would give the number
    tried : how many combinations, and what chance would do
    """

    measure: str
    run: str
    reported: Reported
    explanations: tuple[Explanation, ...]
    nearest: tuple[Explanation, ...]
    without_effect: tuple[str, ...]
    start: str
    sensitivity: tuple[Sensitivity, ...]
    hints: tuple[Hint, ...]
    tried: Tried

    @property
    def found(self) -> bool:
        """Whether some combination gives the number."""
        return bool(self.explanations)

    @property
    def telling(self) -> bool:
        """Whether chance would be unlikely to give what the plainest explanation gives (less than even odds)."""
        return self.found and self.explanations[0].by_chance < EVEN

    def to_polars(self) -> pl.DataFrame:
        """Return one row per explanation, or per nearest value where there is none.

        Columns: value, matches, tools, start, changed, n, by_chance, more, measure.
        """
        rows = [
            (
                one.value,
                one.value in self.reported,
                list(one.tools),
                one.start,
                [str(change) for change in one.changed],
                one.n,
                one.by_chance,
                one.more,
                None if one.measure is None else str(one.measure),
            )
            for one in self.explanations or self.nearest
        ]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


EVEN = 0.5
_SCHEMA: dict[str, Any] = {
    "value": pl.Float64,
    "matches": pl.Boolean,
    "tools": pl.List(pl.String),
    "start": pl.String,
    "changed": pl.List(pl.String),
    "n": pl.Int64,
    "by_chance": pl.Float64,
    "more": pl.Int64,
    "measure": pl.String,
}
