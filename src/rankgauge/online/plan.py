"""How long a test online takes: A/B from a rate or a mean, interleaving from a preference or offline differences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.verdict import Word
from rankgauge.errors import ParameterError
from rankgauge.statistics._samples import positive
from rankgauge.statistics.confidence_sequences import inflation
from rankgauge.statistics.effects import wins_ties_losses
from rankgauge.statistics.experiment_size import units_for_means, units_for_rates
from rankgauge.statistics.power import sensitivity
from rankgauge.statistics.results import Sensitivity
from rankgauge.statistics.sessions import SessionPlan, plan_sessions

WEEK = 7


@dataclass(frozen=True)
class Design:
    """How an experiment is to be run.

    Attributes
    ----------
    arms : with the control
    ratio : units of each other arm per unit of the control
    saved : share of the variance that CUPED takes out, ρ² of the metric with what units did before
    per_day : new units a day, of all arms
    """

    alpha: float = 0.05
    power: float = 0.8
    arms: int = 2
    ratio: float = 1.0
    saved: float = 0.0
    per_day: float | None = None

    def __post_init__(self) -> None:
        if self.arms < 2:
            raise ParameterError(f"arms: expected 2 or more, got {self.arms}")
        if not 0 <= self.saved < 1:
            raise ParameterError(f"saved: expected a share from 0 to below 1, got {self.saved!r}")
        if self.per_day is not None:
            positive("per_day", self.per_day)


@dataclass(frozen=True)
class ExperimentPlan:
    """Units and days of an A/B test.

    Attributes
    ----------
    what : what is to be seen, in words
    control_units, arm_units, total : when it is looked at once, at the end
    sequential : units of all arms within which a confidence sequence, tightest there, sees it with this power
    inflation : sequential / total
    days, sequential_days : of traffic, rounded up to whole weeks; None where the traffic is not known
    """

    what: str
    design: Design
    control_units: int
    arm_units: int
    total: int
    sequential: int
    inflation: float
    days: int | None
    sequential_days: int | None

    @property
    def sentence(self) -> str:
        """The plan in words."""
        d = self.design
        said = f"To see {self.what} ({d.power:.0%} power, level {d.alpha:g}"
        said += f" over {d.arms - 1} comparisons, Bonferroni" if d.arms > 2 else ""
        said += f", CUPED saving {d.saved:.0%} of the variance" if d.saved else ""
        said += f"): {self.control_units:,} units in the control and {self.arm_units:,} in "
        said += "the other arm" if d.arms == 2 else f"each of {d.arms - 1} other arms"
        said += f", {self.total:,} in all" + _days(self.days) + ". "
        said += f"Looked at at any time: {self.sequential:,} at most ({self.inflation:.2f} times as many)"
        return said + _days(self.sequential_days) + ", fewer where the difference is larger."


@dataclass(frozen=True)
class OfflinePlan:
    """What offline differences say of the way on: more queries, or an interleaving.

    Attributes
    ----------
    queries : what these queries can see, and how many it takes to see `wanted`
    observed : mean difference; its own size is no plan, as chance made a part of it
    verdict : what the comparison said
    wins, ties, losses : queries
    interleaving : of which `deciding` is the share of queries where the rankings differ in the measure
    days : of traffic, of the interleaving looked at once; None where the traffic is not known
    """

    measure: str
    baseline: str
    run: str
    queries: Sensitivity
    observed: float | None
    verdict: Word
    wins: int
    ties: int
    losses: int
    interleaving: SessionPlan
    days: int | None
    sequential_days: int | None

    @property
    def sentence(self) -> str:
        """The plan in words."""
        first = (
            f"Offline, {self.run} beside {self.baseline}: {self.verdict}. In {self.measure} {self.queries.sentence}."
        )
        return f"{first} Or {self.interleaving.sentence}{_days(self.days)}."


def plan_rate(rate: float, lift: float, *, design: Design | None = None) -> ExperimentPlan:
    """Plan an A/B test of a share of units, as a conversion rate.

    Parameters
    ----------
    rate : of the control
    lift : relative, 0.02 for 2% more

    >>> plan_rate(0.10, 0.20).total
    7682
    """
    made = design or Design()
    other = rate * (1 + lift)
    if not 0 < rate < 1 or not 0 < other < 1 or lift == 0:
        raise ParameterError(
            f"rate and lift: expected two different shares between 0 and 1, got {rate!r} and {other!r}"
        )
    sizes = units_for_rates(rate, other, alpha=_alpha(made), power=made.power, ratio=made.ratio)
    return _planned(f"a rate of {other:.4g} instead of {rate:.4g} ({lift:+.1%})", sizes, made)


def plan_mean(
    difference: float, *, sd: float, mean: float | None = None, design: Design | None = None
) -> ExperimentPlan:
    """Plan an A/B test of a mean per unit, as revenue; of a ratio with the spread of its units' influence.

    Parameters
    ----------
    difference : in the metric's units
    sd : between units

    >>> plan_mean(0.5, sd=10).total
    12562
    """
    made = design or Design()
    sizes = units_for_means(difference, sd=sd, alpha=_alpha(made), power=made.power, ratio=made.ratio)
    lift = f" ({difference / mean:+.1%} of {mean:g})" if mean else ""
    return _planned(f"a difference of {difference:g}{lift}, with a spread of {sd:g} between units", sizes, made)


def plan_interleaving(
    preference: float, *, deciding: float | None = None, design: Design | None = None
) -> tuple[SessionPlan, int | None, int | None]:
    """Plan an interleaving, with the days that it takes looked at once and at any time; `per_day` counts sessions."""
    made = design or Design()
    found = plan_sessions(preference, alpha=made.alpha, power=made.power, deciding=deciding)
    days = [days_of(n / (deciding or 1.0), made.per_day) for n in (found.sessions, found.sequential)]
    return found, days[0], days[1]


def plan_from_offline(
    found: Comparison, *, wanted: float | None = None, preference: float = 0.55, deciding: float | None = None,
    design: Design | None = None,
) -> OfflinePlan:  # fmt: skip
    """Plan what settles a comparison of two runs offline, from the differences of its queries.

    Parameters
    ----------
    wanted : difference in the measure that matters; the margin of the comparison without it
    preference : share of deciding sessions that prefer the better ranking
    deciding : share of sessions with a preference; without it the share of queries whose values differ, as if each
        such session clicked
    """
    made, pair = design or Design(), found.pairs[0]
    differences = pair.run_values - pair.baseline_values
    counts = wins_ties_losses(differences)
    if deciding is None and counts.wins + counts.losses:
        deciding = (counts.wins + counts.losses) / len(differences)
    sessions, days, sequential_days = plan_interleaving(preference, deciding=deciding, design=made)
    sight = sensitivity(differences, wanted=wanted or found.thresholds.margin, power=made.power, alpha=made.alpha)
    return OfflinePlan(
        pair.measure, pair.baseline, pair.run, sight, float(np.mean(differences)) if len(differences) else None,
        pair.verdict.word, counts.wins, counts.ties, counts.losses, sessions, days, sequential_days,
    )  # fmt: skip


def days_of(units: float, per_day: float | None) -> int | None:
    """Days until so many units have come, in whole weeks: the days of a week are not alike.

    >>> days_of(12000, 1000), days_of(10, 1000)
    (14, 7)
    """
    return None if per_day is None else WEEK * max(1, math.ceil(math.ceil(units / per_day) / WEEK))


def _alpha(design: Design) -> float:
    """Level of one comparison among several with the control."""
    return design.alpha / (design.arms - 1)


def _planned(what: str, sizes: tuple[int, int], design: Design) -> ExperimentPlan:
    control, arm = (math.ceil(n * (1 - design.saved)) for n in sizes)
    total = control + arm * (design.arms - 1)
    more = inflation(alpha=_alpha(design), power=design.power)
    sequential = math.ceil(total * more)
    days = [days_of(n, design.per_day) for n in (total, sequential)]
    return ExperimentPlan(what, design, control, arm, total, sequential, more, days[0], days[1])


def _days(days: int | None) -> str:
    return "" if days is None else f", {days} days (whole weeks)"
