"""One run beside its baseline under one measure: the difference with its interval, its tests and its holes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankgauge.comparison.coverage import Coverage
from rankgauge.comparison.verdict import Verdict
from rankgauge.judged import FloatArray, IntArray
from rankgauge.statistics.results import Interval, PairedTest


@dataclass(frozen=True, eq=False)
class Pair:
    """A run beside its baseline under one measure, on the queries where both have a value.

    Attributes
    ----------
    measure, baseline, run : names
    query : int64[n], numbers of the queries that both sides have a value for
    baseline_values, run_values : float64[n]
    left_out : counted queries where a side is undefined
    baseline_missing, run_missing : judged queries for which the run has no results; they score 0
    difference : mean of run - baseline with its interval
    test, others : the chosen test, and the others for comparison
    p_adjusted : p of `test`, corrected for the number of runs compared; None where there is no p
    effect_size : mean difference over the standard deviation of the differences; None where that is 0
    wins, ties, losses : queries where the run is above, equal, below
    detectable : difference that so many queries see with the chosen power; None where unknown
    needed : number of queries that would see a difference of the margin; None where unknown
    coverage : what unjudged documents could change
    verdict : what follows
    """

    measure: str
    baseline: str
    run: str
    query: IntArray = field(repr=False)
    baseline_values: FloatArray = field(repr=False)
    run_values: FloatArray = field(repr=False)
    left_out: int
    baseline_missing: int
    run_missing: int
    difference: Interval
    test: PairedTest
    others: tuple[PairedTest, ...]
    p_adjusted: float | None
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None
    needed: int | None
    coverage: Coverage = field(repr=False)
    verdict: Verdict

    @property
    def n(self) -> int:
        """Number of queries compared."""
        return len(self.query)

    @property
    def differences(self) -> FloatArray:
        """Run - baseline, float64[n]."""
        return self.run_values - self.baseline_values

    @property
    def unjudged(self) -> tuple[float, float]:
        """Mean share of unjudged documents among those seen, of the baseline and of the run."""
        sides = (self.coverage.unjudged_baseline, self.coverage.unjudged_run)
        baseline, run = (_mean(side[self.query]) for side in sides)
        return baseline or 0.0, run or 0.0

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between which values the mean difference lies whatever the unjudged documents are, where known."""
        known = self.coverage.bounds
        if known is None:
            return None
        low, high = _mean(known.low[self.query]), _mean(known.high[self.query])
        return None if low is None or high is None else (low, high)

    @property
    def policies(self) -> dict[str, float | None]:
        """Mean difference under each policy for unjudged documents."""
        return {name: _mean(values[self.query]) for name, values in self.coverage.policies.items()}


def _mean(values: FloatArray) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None
