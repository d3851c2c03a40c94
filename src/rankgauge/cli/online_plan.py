"""`rankgauge online plan`: how many, and how long."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk

Rate = Annotated[float | None, typer.Option(help="Share of units in the control, as a conversion rate.")]
Mean = Annotated[float | None, typer.Option(help="Mean per unit in the control.")]
Sd = Annotated[float | None, typer.Option(help="Its standard deviation between units.")]
Lift = Annotated[float | None, typer.Option(help="Relative difference to be seen: 0.02 for 2% more.")]
Difference = Annotated[float | None, typer.Option(help="Difference to be seen, in units of the metric or measure.")]
Preference = Annotated[float | None, typer.Option(help="Share of sessions with a preference that prefer the better "
                                                  "ranking, for an interleaving.")]  # fmt: skip
Deciding = Annotated[float | None, typer.Option(help="Share of sessions that have a preference.")]
Offline = Annotated[
    tuple[Path, Path, Path] | None,
    typer.Option("--baseline", metavar="QRELS BASELINE RUN", help="Judgments and two runs to plan from."),
]
PerDay = Annotated[float | None, typer.Option(help="New units (sessions, for an interleaving) a day, of all arms.")]
Arms = Annotated[int, typer.Option(min=2, help="Arms with the control.")]
Ratio = Annotated[float, typer.Option("--arm-ratio", help="Units of each other arm per unit of the control.")]
Saved = Annotated[float, typer.Option("--cuped", help="Share of the variance that CUPED saves, as `ab --pre` states.")]
Power = Annotated[float, typer.Option(help="Chance to see what is there.")]


SOME = "--rate, --mean with --sd, --preference or --baseline"


def plan(
    rate: Rate = None, lift: Lift = None, mean: Mean = None, sd: Sd = None, difference: Difference = None,
    preference: Preference = None, deciding: Deciding = None,
    baseline: Offline = None, measure: options.MeasureNames = ["nDCG@10"],  # noqa: B006  # typer copies it
    per_day: PerDay = None, arms: Arms = 2, arm_ratio: Ratio = 1.0, cuped: Saved = 0.0,
    alpha: options.Alpha = 0.05, power: Power = 0.8, seed: options.Seed = 0,
    convention: options.ConventionName = "default", level: options.Level = None,
    format: options.Output = options.Shape.table,
) -> None:  # fmt: skip
    """Say how many units, sessions or queries a test takes, and how many days.

    Example: rankgauge online plan --rate 0.031 --lift 0.02 --per-day 40000
    """
    work = talk.late("rankgauge.online.plan")
    made = work.Design(alpha=alpha, power=power, arms=arms, ratio=arm_ratio, saved=cuped, per_day=per_day)
    days = (None, None)
    found: Any
    if baseline is not None:
        compared = _compared(baseline, measure, convention, level, alpha, seed)
        found = work.plan_from_offline(
            compared, wanted=difference, preference=preference or 0.55, deciding=deciding, design=made
        )
    elif preference is not None:
        found, *pair = work.plan_interleaving(preference, deciding=deciding, design=made)
        days = (pair[0], pair[1])
    elif rate is not None:
        found = work.plan_rate(rate, _needed(lift, "--lift"), design=made)
    else:
        _needed(sd, SOME)
        needed = difference if difference is not None else _needed(lift, "--difference or --lift") * _mean(mean)
        found = work.plan_mean(
            needed, sd=_needed(sd, "--rate, --sd, --preference or --baseline"), mean=mean, design=made
        )
    render = talk.late("rankgauge.report.online").render_plan
    typer.echo(render(found, days=days, format=format.value), nl=False)


def _compared(
    files: tuple[Path, Path, Path], measure: list[str], convention: str, level: float | None, alpha: float, seed: int
) -> rg.Comparison:
    how = options.convention_of(convention, level)
    chosen = talk.late("rankgauge.engines").as_measures(measure, how)
    reading = inputs.Reading(by_rank=how.order == "rank")
    judged, runs = reading.qrels_for(files[0], chosen), reading.runs([*files[1:]])
    found = rg.compare(judged, runs, measure[:1], convention=how, thresholds=rg.Thresholds(alpha=alpha), seed=seed)
    talk.remark(found.scores.notes)
    return found


def _needed(value: float | None, option: str) -> float:
    if value is None:
        raise typer.BadParameter("expected what the plan is made from, got none", param_hint=option)
    return value


def _mean(mean: float | None) -> float:
    return _needed(mean, "--mean with --lift")
