"""The difference of two runs under each way to treat what people did not judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.comparison.comparing import largest_difference
from rankgauge.comparison.decision import show
from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds, Word
from rankgauge.conventions import Convention
from rankgauge.engines.memory import evaluate
from rankgauge.judged import FloatArray
from rankgauge.judges.filling import HUMAN, Filled
from rankgauge.measures import Measure
from rankgauge.records import Qrels, Run
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.results import Interval


@dataclass(frozen=True)
class Way:
    """One way: its name, the mean of run - baseline under it, and what the test says."""

    name: str
    difference: Interval
    word: Word

    @property
    def sign(self) -> int | None:
        """1, 0 or -1; None where the difference is undefined."""
        return None if self.difference.estimate is None else int(np.sign(self.difference.estimate))

    def __str__(self) -> str:
        return f"{self.name}: {show(self.difference.estimate)}"


@dataclass(frozen=True)
class Bench:
    """Two runs, and how they are measured and tested."""

    human: Qrels
    baseline: Run
    run: Run
    measure: Measure
    how: Convention
    t: Thresholds
    seed: int

    def ways(self, pair: Pair, filled: Filled, bias: Interval) -> tuple[Way, ...]:
        """Unjudged as worthless, left out, filled, and filled with the bias at both ends of its interval."""
        policies = pair.coverage.policies
        plain = [self._way(name, policies[name]) for name in ("unjudged=0", "condensed")]
        moved = [self._way(name, self._differences(qrels)) for name, qrels in _moved(filled, bias)]
        return (*plain, *moved)

    def _differences(self, qrels: Qrels) -> FloatArray:
        """Run - baseline per query that people judged, NaN where undefined."""
        scores = evaluate(qrels, [self.baseline, self.run], [self.measure], convention=self.how)
        values = np.where(scores.counted, scores.values[:, 0], np.nan)
        ours = scores.queries.is_in(self.human.queries.implode()).to_numpy()
        return np.asarray((values[1] - values[0])[ours], dtype=np.float64)

    def _way(self, name: str, differences: FloatArray) -> Way:
        rows = differences[~np.isnan(differences)]
        found = interval(rows, method="t", confidence=1 - self.t.alpha)
        return Way(name, found, self._word(rows, found))

    def _word(self, rows: FloatArray, found: Interval) -> Word:
        if not len(rows):
            return "no difference seen"
        t, largest = self.t, largest_difference(self.measure)
        if t.margin and equivalence(rows, margin=t.margin, confidence=1 - t.alpha, largest=largest).equivalent:
            return "equivalent"
        p = paired_test(rows, rng=np.random.default_rng(self.seed)).p
        if p is None or p >= t.alpha or found.low is None or found.high is None:
            return "no difference seen"
        return "better" if found.low > 0 else "worse" if found.high < 0 else "no difference seen"


def _moved(filled: Filled, bias: Interval) -> list[tuple[str, Qrels]]:
    """The filled judgments; and again with the labels of what people did not judge moved by the bias's doubt."""
    known: list[tuple[str, Qrels]] = [(filled.policy, filled.qrels)]
    if bias.low is None or bias.high is None:
        return known
    half, top = (bias.high - bias.low) / 2, filled.qrels.top_grade
    new = (pl.col("source") != HUMAN) & pl.col("replaced").is_null()
    for end in (bias.low, bias.high) if filled.policy == "holes" else (-half, half):
        grade = pl.when(new).then((pl.col("grade") - end).clip(0, top)).otherwise(pl.col("grade"))
        table = filled.provenance.with_columns(grade=grade)
        qrels = Qrels.from_columns(table["query"], table["doc"], table["grade"], name=filled.qrels.name)
        known.append((f"{filled.policy}, labels {0 - end:+.2f}", qrels))
    return known
