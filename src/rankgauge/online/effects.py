"""The values of a metric by unit, and what they say of an arm beside the control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.online.contrasts import AnyTime, Contrast, Cuped, Means, NoContrast, Proportions
from rankgauge.online.metrics import ROWS, Kind, Metric
from rankgauge.online.units import Units
from rankgauge.statistics.two_means import FEW, cuped, estimated, influences
from rankgauge.statistics.two_proportions import Counted, ProportionMethod


@dataclass(frozen=True)
class Horizon:
    """When one looks: once, at the end; or, with `tightest_at` units, whenever one likes."""

    alpha: float = 0.05
    tightest_at: int | None = None
    proportions: ProportionMethod = "miettinen-nurminen"


@dataclass(frozen=True, eq=False)
class Values:
    """A metric's values by unit in one arm.

    Attributes
    ----------
    y : float[n]; 0 and 1 of a proportion
    x : float[n], what y is related to; None but for ratios
    before : float[n], NaN where unknown; None without
    """

    y: FloatArray
    x: FloatArray | None = None
    before: FloatArray | None = None

    @property
    def value(self) -> float | None:
        """Share, mean or ratio; None where there is none."""
        if self.x is None:
            return float(self.y.mean()) if len(self.y) else None
        total = float(self.x.sum())
        return float(self.y.sum()) / total if total > 0 else None


def kind_of(metric: Metric, units: Units) -> Kind:
    """Kind of a metric: as it was named, or a proportion where all units have 0 or 1, else a mean."""
    if metric.kind is not None:
        return metric.kind
    flags = all(((s[metric.numerator] == 0) | (s[metric.numerator] == 1)).all() for s in units.sums)
    return "proportion" if flags else "mean"


def values_of(metric: Metric, kind: Kind, sums: Mapping[str, FloatArray], before: Mapping[str, FloatArray]) -> Values:
    """Take a metric's values out of the sums of one arm."""
    y = sums[metric.numerator]
    earlier = None if metric.before is None else before[metric.before]
    if kind == "proportion":
        return Values((y > 0).astype(np.float64), None, earlier)
    if kind == "mean":
        return Values(y, None, earlier)
    return Values(y, sums[metric.denominator or ROWS], earlier)


def contrast(kind: Kind, arm: Values, control: Values, horizon: Horizon) -> Contrast:
    """What can be asked of two arms, without an adjustment."""
    n = len(arm.y) + len(control.y)
    if min(len(arm.y), len(control.y)) < 2:
        return NoContrast(FEW, n)
    if arm.value is None or control.value is None:
        return NoContrast("the denominators add up to nothing in one of the two", n)
    if kind == "proportion" and horizon.tightest_at is None:
        shares = [Counted(int(one.y.sum()), len(one.y)) for one in (arm, control)]
        return Proportions(shares[0], shares[1], horizon.proportions)
    found = [estimated(*influences(one.y, one.x)) for one in (arm, control)]
    if horizon.tightest_at is None:
        return Means(found[0], found[1])
    return AnyTime(found[0], found[1], horizon.tightest_at, horizon.alpha)


def adjusted(column: str, arm: Values, control: Values, horizon: Horizon) -> tuple[Contrast, Cuped] | None:
    """The same with CUPED; a unit without a value of before counts as one with the mean, so it is not adjusted.

    None where the plain contrast has no number either.
    """
    if min(len(arm.y), len(control.y)) < 2 or arm.value is None or control.value is None:
        return None
    assert arm.before is not None and control.before is not None
    both = np.concatenate([arm.before, control.before])
    known = ~np.isnan(both)
    mean = float(both[known].mean()) if known.any() else 0.0
    filled = (
        np.where(np.isnan(arm.before), mean, arm.before),
        np.where(np.isnan(control.before), mean, control.before),
    )
    found = cuped(influences(arm.y, arm.x), influences(control.y, control.x), filled)
    said = Cuped.of(column, found, int((~known).sum()))
    if horizon.tightest_at is None:
        return Means(found.a, found.b), said
    return AnyTime(found.a, found.b, horizon.tightest_at, horizon.alpha), said
