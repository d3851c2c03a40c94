"""Comparison: every run beside a baseline under every measure, and a verdict on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.comparison.pairs import Pair
from rankgauge.comparison.verdict import Thresholds
from rankgauge.conventions import Convention
from rankgauge.errors import Fault, InputError
from rankgauge.judged import FloatArray
from rankgauge.records import Note
from rankgauge.records.scores import Scores
from rankgauge.statistics.results import Interval, TukeyTest


@dataclass(frozen=True, eq=False)
class Everyone:
    """All runs against each other under one measure: its name, and the randomized Tukey HSD test."""

    measure: str
    test: TukeyTest

    @property
    def p(self) -> FloatArray:
        """Chance of so large a difference where all runs are alike, float64[runs, runs]; NaN where not tested."""
        return self.test.p

    @property
    def queries(self) -> int:
        """Number of queries where every run has a value."""
        return self.test.n


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Runs beside a baseline.

    Attributes
    ----------
    scores : what `evaluate` gives
    baseline : name of the run that all others are compared with
    pairs : one per measure and run, measures in the order asked for
    everyone : per measure, all runs against each other, from three runs on
    means : per measure and run, the mean of all of its queries with a BCa interval
    thresholds : where the verdicts draw their lines
    correction : how p values are corrected for the number of runs
    resamples, seed : of every random routine
    convention : whose choices hold
    notes : what was noticed on the way
    """

    scores: Scores
    baseline: str
    pairs: tuple[Pair, ...]
    everyone: tuple[Everyone, ...]
    means: tuple[tuple[Interval, ...], ...]
    thresholds: Thresholds
    correction: str
    resamples: int
    seed: int
    convention: Convention
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Comparison({self.baseline!r} with {len(self.scores.runs) - 1} runs, {len(self.scores.measures)} measures)"
        )

    def rng(self) -> np.random.Generator:
        """A new generator from the seed."""
        return np.random.default_rng(self.seed)

    @property
    def measure(self) -> str:
        """The first measure asked for: the verdicts of `verdicts` are under it."""
        return self.scores.measures[0]

    @property
    def verdicts(self) -> tuple[Pair, ...]:
        """The pairs of the first measure, one per run."""
        return tuple(pair for pair in self.pairs if pair.measure == self.measure)

    def to_polars(self) -> pl.DataFrame:
        """Return one row per pair; null where a number does not exist.

        Columns: measure, baseline, run, n, baseline_mean, run_mean, difference, low, high, p, p_adjusted, effect_size,
        wins, ties, losses, baseline_unjudged, run_unjudged, bound_low, bound_high, verdict.
        """
        return pl.DataFrame([_row(pair) for pair in self.pairs], schema=_COLUMNS, orient="row")

    def of(self, run: str, measure: str | None = None) -> Pair:
        """Return the pair of one run, under the first measure where none is named.

        Raises InputError for a run or a measure that was not compared.
        """
        wanted = self.measure if measure is None else measure
        found = [pair for pair in self.pairs if (pair.run, pair.measure) == (run, wanted)]
        if not found:
            known = ", ".join(sorted({pair.run for pair in self.pairs}))
            fault = Fault("comparison", f"one of the runs {known} and a measure of it", f"{run!r}, {wanted!r}")
            raise InputError(fault)
        return found[0]


_NUMBERS_BEFORE = ("baseline_mean", "run_mean", "difference", "low", "high", "p", "p_adjusted", "effect_size")
_NUMBERS_AFTER = ("baseline_unjudged", "run_unjudged", "bound_low", "bound_high")
_COLUMNS: dict[str, Any] = (
    dict.fromkeys(("measure", "baseline", "run"), pl.String)
    | {"n": pl.Int64}
    | dict.fromkeys(_NUMBERS_BEFORE, pl.Float64)
    | dict.fromkeys(("wins", "ties", "losses"), pl.Int64)
    | dict.fromkeys(_NUMBERS_AFTER, pl.Float64)
    | {"verdict": pl.String}
)


def _row(pair: Pair) -> tuple[Any, ...]:
    means = [float(side.mean()) if pair.n else None for side in (pair.baseline_values, pair.run_values)]
    d = pair.difference
    return (
        pair.measure, pair.baseline, pair.run, pair.n, *means, d.estimate, d.low, d.high, pair.test.p, pair.p_adjusted,
        pair.effect_size, pair.wins, pair.ties, pair.losses, *pair.unjudged, *(pair.bounds or (None, None)),
        pair.verdict.word,
    )  # fmt: skip
