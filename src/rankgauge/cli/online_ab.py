"""`rankgauge online ab`: what an A/B test said."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rankgauge.cli import options, talk


class Correction(StrEnum):
    """How p values are corrected for the number of metrics and arms."""

    holm = "holm"
    bh = "bh"
    none = "none"


class OnBad(StrEnum):
    """What becomes of rows and units that cannot be counted."""

    error = "error"
    drop = "drop"


class Proportions(StrEnum):
    """Interval of a difference of shares."""

    score = "miettinen-nurminen"
    newcombe = "newcombe"


Events = Annotated[list[str], typer.Argument(metavar="FILE...", help="A log with a column of arms (--arm), or one log "
                                             "per arm as NAME=FILE, the control first.")]  # fmt: skip
Metrics = Annotated[
    list[str],
    typer.Option("-m", "--metric", help="COLUMN, COLUMN/COLUMN, or with its kind, as COLUMN:mean (proportion, mean, "
                 "ratio); several: the first decides."),
]  # fmt: skip
Arm = Annotated[str | None, typer.Option("--arm", metavar="COLUMN", help="Column that names the arm.")]
Unit = Annotated[str | None, typer.Option("--unit", metavar="COLUMN", help="What was randomised, as a user's id.")]
Control = Annotated[str | None, typer.Option("--control", metavar="NAME", help="The arm that the others are held to.")]
PerRow = Annotated[bool, typer.Option("--ratio", help="A metric without a kind is one per row, as clicks per "
                                      "impression, with units as the sample.")]  # fmt: skip
Before = Annotated[list[str] | None, typer.Option("--pre", metavar="[METRIC:]COLUMN", help="Value of before the "
                                                  "experiment, for CUPED.")]  # fmt: skip
Guards = Annotated[
    list[str] | None,
    typer.Option("--guardrail", metavar="METRIC:MARGIN", help="Must not be worse by more, as latency:5 or revenue:2%."),
]
Margins = Annotated[
    list[str] | None,
    typer.Option("--margin", metavar="METRIC:MARGIN", help="Differences up to this size do not matter."),
]
Lower = Annotated[list[str] | None, typer.Option("--lower", metavar="METRIC", help="Lower is better, as of latency.")]
Split = Annotated[str | None, typer.Option(help="Parts of the arms that were meant, the control's first: 90,10.")]
AnyTime = Annotated[bool, typer.Option("--sequential", help="Intervals and p that hold whenever one looks.")]
TightestAt = Annotated[int, typer.Option(min=1, help="Units of all arms at which these are tightest; to be fixed "
                                         "before the first look.")]  # fmt: skip
Boots = Annotated[int, typer.Option("--bootstrap", min=0, help="Resamples of units for a second interval; 0: none.")]
Splits = Annotated[int, typer.Option("--aa", min=0, help="Split the control at random so often and count the false "
                                     "alarms; 0: no such check.")]  # fmt: skip
AaArms = Annotated[str | None, typer.Option(metavar="LIST", help="Arms known to be equal, to be split together in "
                                            "place of the control: A1,A2.")]  # fmt: skip


def ab(
    events: Events, metric: Metrics, arm: Arm = None, unit: Unit = None, control: Control = None,
    ratio: PerRow = False, pre: Before = None, guardrail: Guards = None, margin: Margins = None, lower: Lower = None,
    split: Split = None, sequential: AnyTime = False, tightest_at: TightestAt = 10_000,
    correction: Annotated[Correction, typer.Option(help="Of p, over metrics and arms.")] = Correction.holm,
    proportions: Annotated[Proportions, typer.Option(help="Interval of shares.")] = Proportions.score,
    bootstrap: Boots = 0, aa: Splits = 0, aa_arms: AaArms = None,
    on_bad: Annotated[OnBad, typer.Option(help="Rows and units that cannot be counted: refuse, or leave out and say "
                                          "how many.")] = OnBad.error,
    input_format: Annotated[str | None, typer.Option(help="Of the log, where its suffix does not tell.")] = None,
    alpha: options.Alpha = 0.05, seed: options.Seed = 0, format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
) -> None:  # fmt: skip
    """Say what an A/B test came to: exit 0 decided, 1 split or guardrail broken, 3 cannot tell, 2 misuse.

    Example: rankgauge online ab events.parquet --arm variant --control A --metric clicks --unit user_id --ratio
    """
    listed, guards = _metrics(metric, ratio, pre, guardrail, margin, lower)
    work = talk.late("rankgauge.online.ab")
    choices = work.Choices(
        alpha=alpha, correction=correction.value, proportions=proportions.value, resamples=bootstrap, seed=seed,
        split=None if split is None else tuple(options.numbers_of(split, float, "--split")),
        tightest_at=tightest_at if sequential else None,
    )  # fmt: skip
    every = [*listed, *guards]
    with talk.working("adding up by unit"):
        units = talk.late("rankgauge.online.units").read_units(
            _sources(events, arm), arm=arm, unit=unit, control=control, on_bad=on_bad.value, format=input_format,
            columns=list(dict.fromkeys(name for one in every for name in one.columns)),
            before=list(dict.fromkeys(one.before for one in every if one.before is not None)),
        )  # fmt: skip
        found = work.analyse(units, listed, guardrails=guards, choices=choices)
    checks = ()
    if aa:
        check = talk.late("rankgauge.online.aa").check_aa
        together = None if aa_arms is None else aa_arms.split(",")
        checks = check(units, every, arms=together, splits=aa, alpha=alpha, rng=np.random.default_rng(seed))
    talk.remark(found.notes)
    render = talk.late("rankgauge.report.online").render_experiment
    typer.echo(render(found, checks, format=format.value, digits=digits), nl=False)
    raise typer.Exit(found.exit_code)


def _sources(events: list[str], arm: str | None) -> Any:
    """One log, or one per arm."""
    if arm is not None:
        if len(events) > 1:
            raise typer.BadParameter("expected one file, folder or glob with --arm, got several", param_hint="FILE")
        return events[0]
    parts = [one.partition("=") for one in events]
    if not all(name and equals and path for name, equals, path in parts) or len({p[0] for p in parts}) < len(parts):
        got = f"expected --arm COLUMN, or NAME=FILE once for each arm, got {' '.join(events)}"
        raise typer.BadParameter(got, param_hint="FILE")
    return {name: Path(path) for name, _, path in parts}


def _metrics(
    metric: list[str], ratio: bool, pre: list[str] | None, guardrail: list[str] | None, margin: list[str] | None,
    lower: list[str] | None,
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """The metrics that were named, and those that are only guarded."""
    module = talk.late("rankgauge.online.metrics")
    listed = {one.name: one for one in (module.parse_metric(text, per_row=ratio) for text in metric)}
    guards: dict[str, Any] = {}
    for text in guardrail or []:
        name, size = _paired(text, "--guardrail")
        one = module.parse_metric(name, per_row=ratio)
        held = listed if one.name in listed else guards
        held[one.name] = replace(held.get(one.name, one), guardrail=module.parse_margin(size))
    for text in margin or []:
        name, size = _paired(text, "--margin")
        _change([listed, guards], name, "--margin", margin=module.parse_margin(size))
    for name in lower or []:
        _change([listed, guards], name, "--lower", lower_is_better=True)
    for text in pre or []:
        name, colon, column = text.rpartition(":")
        for one in [name] if colon else [*listed, *guards]:
            _change([listed, guards], one, "--pre", before=column)
    return [*listed.values()], [*guards.values()]


def _change(held: list[dict[str, Any]], name: str, option: str, **fields: Any) -> None:
    for some in held:
        if name in some:
            some[name] = replace(some[name], **fields)
            return
    known = ", ".join(name for some in held for name in some)
    raise typer.BadParameter(f"expected one of the metrics {known}, got {name!r}", param_hint=option)


def _paired(text: str, option: str) -> tuple[str, str]:
    name, colon, size = text.rpartition(":")
    if not colon:
        raise typer.BadParameter(f"expected METRIC:MARGIN, got {text!r}", param_hint=option)
    return name, size
