"""Metrics of an experiment: which columns, of which kind, and by how much they may differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from rankgauge.errors import ParameterError

Kind = Literal["proportion", "mean", "ratio"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROWS = "rows"
"""As a denominator: the number of rows."""


@dataclass(frozen=True)
class Margin:
    """A difference that would not matter: in units of the metric, or as a share of the control's value."""

    size: float
    relative: bool = False

    def __str__(self) -> str:
        return f"{self.size:.3%}".replace(".000%", "%") if self.relative else f"{self.size:g}"


@dataclass(frozen=True)
class Metric:
    """What is measured by unit.

    Attributes
    ----------
    name : as it was written
    numerator : column, summed by unit
    denominator : column that the sum is related to, "rows" for the number of rows; None: the unit itself
    kind : "proportion": units with a sum above 0; "mean": sum per unit; "ratio": sum per sum; None: told by the values
    lower_is_better : as for latencies
    margin : differences up to this size are equivalent
    guardrail : margin by which it must not be worse
    before : column with what the unit did before the experiment
    """

    name: str
    numerator: str
    denominator: str | None = None
    kind: Kind | None = None
    lower_is_better: bool = False
    margin: Margin | None = None
    guardrail: Margin | None = None
    before: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are summed."""
        return (self.numerator,) if self.denominator in (None, ROWS) else (self.numerator, str(self.denominator))


def parse_metric(text: str, *, per_row: bool = False) -> Metric:
    """Read a metric: `COLUMN`, `COLUMN:proportion`, `COLUMN:mean`, `COLUMN:ratio` (per row) or `COLUMN/COLUMN`.

    With `per_row` a column without a kind is one per row.

    >>> parse_metric("clicks/impressions").kind, parse_metric("clicks", per_row=True).denominator
    ('ratio', 'rows')
    """
    column, colon, kind = text.rpartition(":")
    named = bool(colon) and kind in KINDS
    column = column if named else text
    numerator, slash, denominator = column.partition("/")
    if not numerator or (slash and not denominator):
        raise ParameterError(f"metric: expected COLUMN or COLUMN/COLUMN, with :KIND or without, got {text!r}")
    if slash:
        if named and kind != "ratio":
            raise ParameterError(f"metric: expected the kind ratio for {column!r}, got {kind!r}")
        return Metric(column, numerator, denominator, "ratio")
    if (named and kind == "ratio") or (per_row and not named):
        return Metric(column, column, ROWS, "ratio")
    return Metric(column, column, None, next((one for one in KINDS if named and one == kind), None))


def parse_margin(text: str) -> Margin:
    """Read a margin: `0.01`, or `2%` of the control's value.

    >>> parse_margin("2%")
    Margin(size=0.02, relative=True)
    """
    number, relative = text.removesuffix("%"), text.endswith("%")
    try:
        size = float(number) / (100 if relative else 1)
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf or (relative and size >= 1):
        raise ParameterError(f"margin: expected a number above 0, or a share as 2%, got {text!r}")
    return Margin(size, relative)
