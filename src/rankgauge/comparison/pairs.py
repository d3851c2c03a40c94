"""One run beside its baseline under one measure: the difference with its interval, its tests and its holes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankgauge.comparison.coverage import Coverage
from rankgauge.comparison.decision import Evidence
from rankgauge.comparison.verdict import Verdict
from rankgauge.judged import FloatArray, IntArray
from rankgauge.statistics.results import Interval, PairedTest


@dataclass(frozen=True, eq=False)
class Pair:
    """A run beside its baseline under one measure, on the queries where both have a value.

    Attributes
    ----------
    query : int64[n], numbers of the queries that both sides have a value for
    baseline_values, run_values : float64[n]
    left_out : counted queries where only one side is defined
    baseline_missing, run_missing : judged queries for which the run has no results; they score 0
    test, others : the chosen test, and the others for comparison
    effect_size : mean difference over the standard deviation of the differences; None where that is 0
    wins, ties, losses : queries where the run is above, equal, below
    coverage : what unjudged documents could change, query by query
    evidence : what the verdict rests on
    verdict : what follows
    """

    query: IntArray = field(repr=False)
    baseline_values: FloatArray = field(repr=False)
    run_values: FloatArray = field(repr=False)
    left_out: int
    baseline_missing: int
    run_missing: int
    test: PairedTest
    others: tuple[PairedTest, ...]
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    coverage: Coverage = field(repr=False)
    evidence: Evidence = field(repr=False)
    verdict: Verdict

    @property
    def measure(self) -> str:
        """Name of the measure."""
        return self.evidence.measure

    @property
    def baseline(self) -> str:
        """Name of the baseline."""
        return self.evidence.baseline

    @property
    def run(self) -> str:
        """Name of the run."""
        return self.evidence.run

    @property
    def n(self) -> int:
        """Number of queries compared."""
        return len(self.query)

    @property
    def differences(self) -> FloatArray:
        """Run - baseline, float64[n]."""
        return self.run_values - self.baseline_values

    @property
    def difference(self) -> Interval:
        """Mean of the differences with its interval."""
        return self.evidence.difference

    @property
    def p_adjusted(self) -> float | None:
        """P of the test, corrected for the number of runs compared; None where there is no p."""
        return self.evidence.p

    @property
    def unjudged(self) -> tuple[float, float]:
        """Mean share of unjudged documents among those seen, of the baseline and of the run."""
        return self.evidence.unjudged

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between which values the mean difference lies whatever the unjudged documents are, where known."""
        return self.evidence.bounds

    @property
    def policies(self) -> Mapping[str, float | None]:
        """Mean difference under each policy for unjudged documents."""
        return self.evidence.policies

    @property
    def detectable(self) -> float | None:
        """Difference that so many queries see with the chosen power; None where unknown."""
        return self.evidence.detectable

    @property
    def needed(self) -> int | None:
        """Number of queries that would see a difference of the margin; None where unknown."""
        return self.evidence.needed
