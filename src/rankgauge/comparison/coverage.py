"""What unjudged documents could change: their share, bounds of a difference, and what other policies say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rankgauge.judged import FloatArray

Policy = Literal["unjudged=0", "condensed", "bootstrapped"]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Between which values each query's difference lies, whatever grades the unjudged documents have.

    Attributes
    ----------
    low, high : float64[Q], NaN where the difference is undefined
    method : how they were had, as "coupled, exact"
    """

    low: FloatArray
    high: FloatArray
    method: str


@dataclass(frozen=True, eq=False)
class Coverage:
    """How far the judgments cover one pair of runs under one measure, query by query (Q as in the scores).

    Attributes
    ----------
    measure, baseline, run : names
    unjudged_baseline, unjudged_run : float64[Q], share of the documents seen that nobody judged; NaN without any
    bounds : of the difference run - baseline, None where no bound is known
    policies : per policy float64[Q], the difference run - baseline under it
    """

    measure: str
    baseline: str
    run: str
    unjudged_baseline: FloatArray = field(repr=False)
    unjudged_run: FloatArray = field(repr=False)
    bounds: Bounds | None = field(repr=False)
    policies: Mapping[Policy, FloatArray] = field(repr=False)
