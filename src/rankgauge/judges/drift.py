"""Is it still the same judge? What is different from an earlier certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.judges.rules import Rules
from rankgauge.statistics.agreement import CrossTable
from rankgauge.statistics.reliability import Coefficient
from rankgauge.statistics.results import Interval


@dataclass(frozen=True)
class Profile:
    """What is compared: who signs, bias, quadratic kappa, and how often each grade was given."""

    judge: str
    bias: Interval
    quadratic_kappa: Coefficient
    confusion: CrossTable


@dataclass(frozen=True)
class Change:
    """Something that was looked at.

    Attributes
    ----------
    what : "judge", "bias", "quadratic kappa" or "grades"
    drifted : whether it is beyond what the rules allow
    says : before and after, in words
    """

    what: str
    drifted: bool
    says: str


def changes(before: Profile, now: Profile, rules: Rules) -> tuple[Change, ...]:
    """Compare a judge with what it was.

    - judge: the labels are signed otherwise (another model, or another prompt).
    - bias, quadratic kappa: the two intervals do not meet.
    - grades: total variation of the shares of the judge's grades, ½ Σ |before - now|, above `most_drift`. On other
      pairs than before the shares may differ for their own reasons.
    """
    apart = _variation(before.confusion, now.confusion)
    return (
        Change("judge", before.judge != now.judge, f"signed {before.judge} before, {now.judge} now"),
        _intervals("bias", before.bias, now.bias, before.bias.estimate, now.bias.estimate),
        _intervals(
            "quadratic kappa",
            before.quadratic_kappa,
            now.quadratic_kappa,
            before.quadratic_kappa.value,
            now.quadratic_kappa.value,
        ),
        Change("grades", apart > rules.most_drift, f"{apart:.0%} of the labels have moved to another grade"),
    )


def _intervals(
    what: str, before: Interval | Coefficient, now: Interval | Coefficient, was: float | None, is_: float | None
) -> Change:
    says = " before, ".join("undefined" if one is None else f"{one:+.2f}" for one in (was, is_)) + " now"
    if before.low is None or before.high is None or now.low is None or now.high is None:
        return Change(what, False, f"{says}; without an interval nothing can be said")
    return Change(what, before.high < now.low or now.high < before.low, says)


def _variation(before: CrossTable, now: CrossTable) -> float:
    shares = [
        dict(zip(table.columns, np.sum(table.counts, axis=0) / np.sum(table.counts), strict=True))
        for table in (before, now)
    ]
    grades = {*shares[0], *shares[1]}
    return float(sum(abs(shares[0].get(grade, 0.0) - shares[1].get(grade, 0.0)) for grade in grades) / 2)
