"""A/B tests: what each metric of an experiment says, with intervals, corrections, guardrails and the split checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from rankgauge.errors import Fault, InputError, ParameterError, did_you_mean
from rankgauge.online.ab_verdict import guard_of, judged
from rankgauge.online.contrasts import NoContrast, bootstrap
from rankgauge.online.effects import Horizon, Values, adjusted, contrast, kind_of, values_of
from rankgauge.online.experiment import Correction, Effect, Experiment
from rankgauge.online.metrics import ROWS, Kind, Metric, parse_metric
from rankgauge.online.units import OnBad, Sources, Units, read_units
from rankgauge.records import Note
from rankgauge.statistics._samples import share
from rankgauge.statistics.confidence_sequences import tuning
from rankgauge.statistics.corrections import benjamini_hochberg, holm
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sample_ratio import sample_ratio
from rankgauge.statistics.two_proportions import ProportionMethod


@dataclass(frozen=True)
class Choices:
    """How an experiment is read, decided before it is.

    Attributes
    ----------
    split : parts of the arms, the control's first; equal parts without it
    tightest_at : for looking at any time: units of all arms at which the intervals are tightest
    resamples : of the bootstrap; 0: none
    """

    alpha: float = 0.05
    correction: Correction = "holm"
    split: tuple[float, ...] | None = None
    tightest_at: int | None = None
    proportions: ProportionMethod = "miettinen-nurminen"
    resamples: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        share("alpha", self.alpha)
        if self.correction not in get_args(Correction):
            near = did_you_mean(self.correction, get_args(Correction))
            known = ", ".join(get_args(Correction))
            raise ParameterError(f"correction: expected one of {known}, got {self.correction!r}{near}")
        if self.tightest_at is not None:
            tuning(self.tightest_at, alpha=self.alpha)
        if self.resamples and self.resamples < 100:
            raise ParameterError(f"resamples: expected 0, or 100 or more, got {self.resamples}")

    @property
    def horizon(self) -> Horizon:
        """When one looks."""
        return Horizon(self.alpha, self.tightest_at, self.proportions)


def analyse_experiment(
    source: Sources,
    metrics: Sequence[str | Metric],
    *,
    arm: str | None = None,
    unit: str | None = None,
    control: str | None = None,
    guardrails: Sequence[Metric] = (),
    choices: Choices | None = None,
    on_bad: OnBad = "error",
    format: str | None = None,
) -> Experiment:
    """Read an experiment's log and say what each metric came to.

    Parameters
    ----------
    source : files or a frame, of which the column `arm` names the arms, or {arm: files or frame}
    metrics : the first one decides
    unit : column of what was randomised; without it each row is a unit
    guardrails : metrics that are only guarded and not among those that p is corrected for

    Raises InputError for what cannot be counted (`units.read_units`), ParameterError for a choice out of its range.

    >>> import polars as pl
    >>> rows = [(i, "ab"[i % 2], int(i % 7 == 0 and i % 2)) for i in range(2000)]
    >>> log = pl.DataFrame(rows, schema=["user", "arm", "click"], orient="row")
    >>> analyse_experiment(log, ["click"], arm="arm", unit="user", control="a").effects[0].word
    'better'
    """
    listed = [parse_metric(one) if isinstance(one, str) else one for one in metrics]
    every = [*listed, *guardrails]
    units = read_units(
        source,
        columns=list(dict.fromkeys(name for one in every for name in one.columns)),
        before=list(dict.fromkeys(one.before for one in every if one.before is not None)),
        arm=arm, unit=unit, control=control, on_bad=on_bad, format=format,
    )  # fmt: skip
    return analyse(units, listed, guardrails=guardrails, choices=choices)


def analyse(
    units: Units, metrics: Sequence[Metric], *, guardrails: Sequence[Metric] = (), choices: Choices | None = None
) -> Experiment:
    """Say what each metric of an experiment came to, whose sums by unit are known."""
    made = choices or Choices()
    every = [*metrics, *guardrails]
    twice = {one.name for one in every if sum(other.name == one.name for other in every) > 1}
    if not metrics or twice:
        raise ParameterError(f"metrics: expected one or more, each once, got {', '.join(twice) or 'none'}")
    kinds = {one.name: kind_of(one, units) for one in every}
    _check_denominators(every, units)
    effects = [
        _effect(units, at, one, kinds[one.name], number < len(metrics), made)
        for number, one in enumerate(every)
        for at in range(1, len(units.arms))
    ]
    split = sample_ratio(units.counts(), made.split)
    corrected = [judged(one, split, made.alpha, made.tightest_at) for one in _corrected(effects, made.correction)]
    return Experiment(
        units.label, units.arms, split, units.unit or "row", units.rows, tuple(corrected), made.alpha,
        made.correction, made.tightest_at, made.seed, (*units.notes, *_notes(units, every, kinds)),
    )  # fmt: skip


def _check_denominators(metrics: Sequence[Metric], units: Units) -> None:
    for metric in metrics:
        if metric.denominator is not None:
            bad = sum(int((sums[metric.denominator] < 0).sum()) for sums in units.sums)
            if bad:
                where = f"{units.label}, column {metric.denominator!r}"
                raise InputError(Fault(where, "sums of 0 or more per unit", f"{bad:,} units below", "is it a count?"))


def _effect(units: Units, at: int, metric: Metric, kind: Kind, in_family: bool, made: Choices) -> Effect:
    arm, control = (values_of(metric, kind, units.sums[k], units.before[k]) for k in (at, 0))
    plain = contrast(kind, arm, control, made.horizon)
    new = None if metric.before is None else adjusted(metric.before, arm, control, made.horizon)
    used, said = (plain, None) if new is None else new
    confidence = 1 - made.alpha
    effect = Effect(
        metric, kind, units.arms[at], units.arms[0], arm.value, control.value,
        used.difference(confidence), used.relative(confidence), used.p(), in_family,
        cuped=said, unadjusted=None if said is None else plain.difference(confidence),
        bootstrap=None if isinstance(plain, NoContrast) else _bootstrap(arm, control, made),
    )  # fmt: skip
    ends = used.one_sided(made.alpha)
    return guarded(effect, used.difference(ends), used.relative(ends))


def guarded(effect: Effect, absolute: Interval, relative: Interval) -> Effect:
    """Hold an effect's interval against its margins; both have ends that each miss with chance α at most."""
    margin, guard = effect.metric.margin, effect.metric.guardrail
    if margin is not None:
        ends = relative if margin.relative else absolute
        inside = ends.low is not None and ends.high is not None and -margin.size < ends.low <= ends.high < margin.size
        effect = replace(effect, equivalent=inside)
    if guard is None:
        return effect
    ends = relative if guard.relative else absolute
    return replace(effect, guardrail=guard_of(ends, guard, effect.metric.lower_is_better))


def _bootstrap(arm: Values, control: Values, made: Choices) -> Interval | None:
    if not made.resamples:
        return None
    pairs = [np.column_stack([one.y, np.ones(len(one.y)) if one.x is None else one.x]) for one in (arm, control)]
    rng = np.random.default_rng(made.seed)
    return bootstrap(pairs[0], pairs[1], rng=rng, resamples=made.resamples, confidence=1 - made.alpha)


def _corrected(effects: Sequence[Effect], correction: Correction) -> list[Effect]:
    """p of the family corrected over metrics and arms."""
    given = [one.p if one.in_family else None for one in effects]
    by: Mapping[str, list[float]] = {"holm": holm(given).tolist(), "bh": benjamini_hochberg(given).tolist()}
    found = []
    for at, one in enumerate(effects):
        p_holm, p_bh = (None if np.isnan(by[name][at]) else by[name][at] for name in ("holm", "bh"))
        chosen = {"holm": p_holm, "bh": p_bh, "none": one.p}[correction]
        found.append(replace(one, p_holm=p_holm, p_bh=p_bh, decisive=chosen if one.in_family else one.p))
    return found


def _notes(units: Units, metrics: Sequence[Metric], kinds: Mapping[str, Kind]) -> list[Note]:
    found = []
    if units.unit is None:
        text = "no unit was named: each row is taken for one that was randomised alone, as no user's rows are"
        found.append(Note("rows as units", sum(units.counts()), text))
    for one in metrics:
        most = max((float(s[one.numerator].max()) for s in units.sums if len(s[ROWS])), default=0.0)
        if kinds[one.name] == "proportion" and most > 1:
            text = f"{one.name} as a proportion: the share of units with more than 0, whatever the sum"
            found.append(Note("sums as flags", 1, text))
    return found
