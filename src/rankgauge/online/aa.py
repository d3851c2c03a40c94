"""A/A checks: units that were treated alike, split at random many times; how often does the test sound an alarm?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.judged import IntArray
from rankgauge.online.effects import Horizon, Values, adjusted, contrast, kind_of, values_of
from rankgauge.online.metrics import Kind, Metric
from rankgauge.online.units import Units
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.results import Interval

SURE = 0.99
"""Confidence of the interval that the level is held against."""


@dataclass(frozen=True)
class FalseAlarms:
    """How often a metric's test found a difference where none is.

    Attributes
    ----------
    splits, alarms : random halves, and those with p below the level
    share : of alarms, with its interval
    word : "keeps its level"; "too many": the interval lies above it; "fewer": below it, the test is cautious here
    """

    metric: str
    kind: Kind
    units: int
    splits: int
    alarms: int
    undefined: int
    alpha: float
    share: Interval
    word: Literal["keeps its level", "too many", "fewer", "cannot tell"]

    @property
    def sentence(self) -> str:
        """The check in words."""
        if self.share.estimate is None:
            return f"A/A check of {self.metric}: no split had a test."
        said = {
            "keeps its level": "the test keeps its level on these data",
            "too many": "do not trust its p: the units are not independent, or a few of them carry the metric",
            "fewer": "the test is cautious on these data, its p too large rather than too small",
        }[self.word]
        return (
            f"A/A check of {self.metric}: {self.alarms} of {self.splits - self.undefined} random splits were below "
            f"{self.alpha:g} ({self.share.estimate:.1%} [{self.share.low:.1%}, {self.share.high:.1%}]): {said}."
        )


def check_aa(
    units: Units,
    metrics: Sequence[Metric],
    *,
    arms: Sequence[str] | None = None,
    splits: int = 500,
    alpha: float = 0.05,
    rng: np.random.Generator,
) -> tuple[FalseAlarms, ...]:
    """Split units that were treated alike into random halves and count how often each metric's test finds a difference.

    Parameters
    ----------
    arms : known to be equal, all of them together are split; the control alone without it
    splits : 100 or more

    Source: Kohavi, Tang & Xu (2020), Trustworthy Online Controlled Experiments, chapter 19.
    """
    if splits < 100:
        raise ParameterError(f"splits: expected 100 or more, got {splits}")
    wanted = list(arms or units.arms[:1])
    for name in wanted:
        if name not in units.arms:
            raise ParameterError(f"arms: expected some of {', '.join(units.arms)}, got {name!r}")
    at = [units.arms.index(name) for name in wanted]
    seed = int(rng.integers(2**63))
    return tuple(_of_metric(units, at, one, splits, alpha, np.random.default_rng(seed)) for one in metrics)


def _of_metric(
    units: Units, at: list[int], metric: Metric, splits: int, alpha: float, rng: np.random.Generator
) -> FalseAlarms:
    kind = kind_of(metric, units)
    parts = [values_of(metric, kind, units.sums[k], units.before[k]) for k in at]
    pooled = _pooled(parts)
    horizon, n, found = Horizon(alpha), len(pooled.y), []
    for _ in range(splits):
        order = rng.permutation(n)
        halves = [_taken(pooled, part) for part in (order[: n // 2], order[n // 2 :])]
        new = None if metric.before is None else adjusted(metric.before, halves[0], halves[1], horizon)
        found.append((contrast(kind, halves[0], halves[1], horizon) if new is None else new[0]).p())
    there = [p for p in found if p is not None]
    alarms = sum(p < alpha for p in there)
    share = wilson(alarms, len(there), confidence=SURE)
    word: Literal["keeps its level", "too many", "fewer", "cannot tell"] = "keeps its level"
    if share.low is None or share.high is None:
        word = "cannot tell"
    elif share.low > alpha:
        word = "too many"
    elif share.high < alpha:
        word = "fewer"
    return FalseAlarms(metric.name, kind, n, splits, alarms, splits - len(there), alpha, share, word)


def _pooled(parts: list[Values]) -> Values:
    y, x, before = ([getattr(part, name) for part in parts] for name in ("y", "x", "before"))
    return Values(
        np.concatenate(y),
        None if x[0] is None else np.concatenate(x),
        None if before[0] is None else np.concatenate(before),
    )


def _taken(values: Values, at: IntArray) -> Values:
    return Values(
        values.y[at],
        None if values.x is None else values.x[at],
        None if values.before is None else values.before[at],
    )
