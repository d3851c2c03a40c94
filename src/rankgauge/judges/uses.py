"""What a judge may be used for, by rules that are stated beside the answer."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.judges.calibration import CalibratedGrade
from rankgauge.judges.families import Circular
from rankgauge.judges.probes import Probe
from rankgauge.judges.rules import Rules
from rankgauge.statistics.reliability import Coefficient
from rankgauge.statistics.results import Interval

USES = ("prediction-powered", "both-arms", "calibrated", "holes", "instead of people")


@dataclass(frozen=True)
class Use:
    """One use of the judge.

    Attributes
    ----------
    name : one of `USES`
    allowed : whether all conditions hold
    rule : the conditions
    because : those that do not hold; empty where it is allowed
    """

    name: str
    allowed: bool
    rule: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """What the rules look at."""

    n: int
    failed: int
    quadratic_kappa: Coefficient
    bias: Interval
    top: float
    grades: tuple[CalibratedGrade, ...]
    circular: tuple[Circular, ...]
    probes: tuple[Probe, ...]


@dataclass(frozen=True)
class _Condition:
    holds: bool
    rule: str
    otherwise: str


def uses_of(paper: Paper, rules: Rules) -> tuple[Use, ...]:
    """Decide every use; a rule that begins with "as" holds the conditions of another use, too."""
    works, close = _works(paper, rules), _close(paper, rules)
    both_arms = [*works, _sees(paper, rules), _not_circular(paper)]
    return (
        _use("prediction-powered", works),
        _use("both-arms", both_arms),
        _use("calibrated", [_filled_grades(paper, rules)], as_=("both-arms", both_arms)),
        _use("holes", [close], as_=("both-arms", both_arms)),
        _use("instead of people", [_as_people(paper, rules)], as_=("holes", [*both_arms, close])),
    )


def _use(name: str, own: list[_Condition], *, as_: tuple[str, list[_Condition]] = ("", [])) -> Use:
    conditions = [*as_[1], *own]
    rule = "; ".join([*([f"as {as_[0]}"] if as_[0] else []), *(one.rule for one in own)])
    because = tuple(one.otherwise for one in conditions if not one.holds)
    return Use(name, not because, rule, because)


def _works(paper: Paper, rules: Rules) -> list[_Condition]:
    share = paper.failed / max(paper.n + paper.failed, 1)
    return [
        _Condition(
            paper.n >= rules.least_overlap,
            f"{rules.least_overlap} pairs or more have both labels",
            f"{paper.n} pairs have both labels",
        ),
        _Condition(
            share <= rules.most_failed,
            f"it fails on at most {rules.most_failed:.0%}",
            f"it failed on {share:.1%} of pairs",
        ),
        _behaves(paper),
    ]


def _sees(paper: Paper, rules: Rules) -> _Condition:
    found = paper.quadratic_kappa
    holds = found.value is not None and found.value >= rules.least_kappa and (found.low or 0) > 0
    rule = f"quadratic kappa is {rules.least_kappa:g} or more and its interval is above 0"
    return _Condition(holds, rule, f"quadratic kappa is {_coefficient(found)}")


def _as_people(paper: Paper, rules: Rules) -> _Condition:
    found = paper.quadratic_kappa
    holds = found.low is not None and found.low >= rules.human_kappa
    return _Condition(
        holds,
        f"the low end of quadratic kappa is {rules.human_kappa:g} or more",
        f"quadratic kappa is {_coefficient(found)}",
    )


def _coefficient(found: Coefficient) -> str:
    if found.value is None:
        return f"undefined ({found.outcome})"
    return (
        f"{found.value:.2f}"
        if found.low is None or found.high is None
        else f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
    )


def _not_circular(paper: Paper) -> _Condition:
    named = ", ".join(f"{one.ranker} ({', '.join(one.families)})" for one in paper.circular)
    return _Condition(not paper.circular, "no ranker is of its family", f"of its own family: {named}")


def _behaves(paper: Paper) -> _Condition:
    failed = [probe.name for probe in paper.probes if not probe.passed]
    return _Condition(not failed, "it passes the probes that were made", f"probes not passed: {', '.join(failed)}")


def _filled_grades(paper: Paper, rules: Rules) -> _Condition:
    few = [f"{one.judge:g} (n {one.n:g})" for one in paper.grades if one.n < rules.least_per_grade]
    rule = f"each grade that it gives has {rules.least_per_grade} pairs or more"
    return _Condition(not few, rule, f"too few pairs for the grades {', '.join(few)}")


def _close(paper: Paper, rules: Rules) -> _Condition:
    most = rules.most_bias * paper.top
    low, high = paper.bias.low, paper.bias.high
    holds = low is not None and high is not None and -most <= low and high <= most
    ends = "without an interval" if low is None or high is None else f"from {low:+.2f} to {high:+.2f}"
    return _Condition(holds, f"the bias's interval lies within {most:.2f} of 0", f"the bias's interval goes {ends}")
