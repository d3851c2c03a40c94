"""`rankgauge trend`: did the last day leave what the days before lead one to expect? For schedulers."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import options, talk


class Direction(StrEnum):
    """Which changes are alerts."""

    down = "down"
    up = "up"
    both = "both"


class Alert(StrEnum):
    """Which days can be an alert."""

    last = "last"
    any = "any"


RELATIVE = {"today": 0, "yesterday": 1}
Baseline = Annotated[
    str | None, typer.Option(metavar="FROM..TO", help="Compare with these days always, as 2026-06-01..2026-06-14.")
]
Expect = Annotated[
    str | None,
    typer.Option(metavar="DAY", help="Look at this day: a date, today, or yesterday. Without: the last one."),
]
Accept = Annotated[
    list[str] | None, typer.Option(metavar="DAY", help="A change of this day is known: a new level begins. Repeatable.")
]
Where = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN=VALUE", help="One value of a column the results are parted by.")
]
Report = Annotated[Path | None, typer.Option(help="Write one self-contained page with charts (.html).")]
Window = Annotated[int, typer.Option(min=1, help="Days before that tell what to expect.")]
Alarm = Annotated[float, typer.Option(help="Chance of a false alarm on a day that is accepted.")]
Band = Annotated[float | None, typer.Option(min=0, help="Half width of a fixed band, in place of one from the days.")]
Margin = Annotated[float, typer.Option(min=0, help="Differences up to this size do not matter.")]
Settle = Annotated[int, typer.Option(min=2, help="Days at another level after which it is the new one.")]
Slow = Annotated[int, typer.Option(min=0, help="Days averaged to find small changes that last; 0: single days only.")]
Seasonal = Annotated[int, typer.Option(min=0, help="Days after which a pattern repeats: 7 for weekdays.")]
LeastDays = Annotated[int, typer.Option(min=1, help="Days without which nothing is expected.")]
LeastQueries = Annotated[int, typer.Option(min=2, help="Queries without which a day says nothing.")]
DateColumn = Annotated[
    str | None, typer.Option("--date", metavar="COLUMN", help="The column of dates, where there are several.")
]
Last = Annotated[int, typer.Option(min=0, help="Days that the table shows; 0: all.")]
Alerts = Annotated[Alert, typer.Option(help="Which days can be an alert.")]
Directions = Annotated[Direction, typer.Option(help="Which changes are alerts.")]
Share = Annotated[float, typer.Option(min=0, max=1, help="Largest share of unjudged documents that is allowed.")]


def trend(
    folder: Annotated[Path, typer.Argument(help="Results by day, as `rankgauge evaluate ... -o` writes them.")],
    measure: options.MeasureNames = ["nDCG@10"],  # noqa: B006  # typer copies it
    report: Report = None,
    expect: Expect = None,
    alert: Alerts = Alert.last,
    direction: Directions = Direction.both,
    window: Window = 28,
    alpha: Alarm = 0.01,
    band: Band = None,
    margin: Margin = 0.0,
    baseline: Baseline = None,
    accept: Accept = None,
    settle: Settle = 7,
    slow: Slow = 7,
    seasonal: Seasonal = 0,
    least_days: LeastDays = 5,
    least_queries: LeastQueries = 30,
    max_unjudged: Share = 0.20,
    where: Where = None,
    date: DateColumn = None,
    last: Last = 28,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """Follow a measure day by day: exit 0 nothing new, 1 an alert, 3 cannot tell, 2 misuse.

    Example: rankgauge trend out/ -m nDCG@10 --expect yesterday --report trend.html
    """
    options.load_measures(measures_from)
    rules = rg.TrendRules(
        window=window, alpha=alpha, band=band, margin=margin, settle=settle, slow=slow, seasonal=seasonal,
        least_days=least_days, least_queries=least_queries, direction=direction.value, baseline=_range(baseline),
        accept=tuple(_day(one, "--accept") for one in accept or []),
        thresholds=rg.Thresholds(clean=min(max_unjudged, 0.05), warned=max_unjudged, refused=max_unjudged),
    )  # fmt: skip
    found = _trends(folder, measure, rules, expect, alert.value, date, _pairs(where))
    pages = talk.late("rankgauge.report.trend")
    typer.echo(pages.render_trends(found, format=format.value, digits=digits, last=last), nl=False)
    if report is not None:
        talk.late("rankgauge.report.page.trends").save_trends(found, report)
        talk.stderr().print(f"written: {report}")
    raise typer.Exit(talk.late("rankgauge.comparison.trend.trend").worst(found).exit_code)


def _trends(
    folder: Path, measures: list[str], rules: rg.TrendRules, expect: str | None, alert: str, date: str | None,
    where: dict[str, str],
) -> list[rg.Trend]:  # fmt: skip
    results = talk.late("rankgauge.engines.results").read_results(folder)
    wanted = None if expect is None else _day(expect, "--expect")
    found = [
        rg.trend(results, one, rules=rules, expect=wanted, alert=alert, date=date, where=where)  # type: ignore[arg-type]
        for one in dict.fromkeys(measures)
    ]
    talk.remark(list(dict.fromkeys(note for one in found for note in one.notes)))
    return found


def _day(text: str, option: str) -> dt.date:
    """Read a date, or today and yesterday by this machine's clock."""
    if text in RELATIVE:
        return dt.date.today() - dt.timedelta(days=RELATIVE[text])
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        wanted = "a date as 2026-06-26, today or yesterday"
        raise typer.BadParameter(f"expected {wanted}, got {text!r}", param_hint=option) from None


def _range(text: str | None) -> tuple[dt.date, dt.date] | None:
    if text is None:
        return None
    first, dots, last = text.partition("..")
    if not dots:
        raise typer.BadParameter(f"expected FROM..TO, got {text!r}", param_hint="--baseline")
    return _day(first, "--baseline"), _day(last, "--baseline")


def _pairs(texts: list[str] | None) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts or []]
    if not all(name and equals for name, equals, _ in pairs):
        raise typer.BadParameter(f"expected column=value, got {texts!r}", param_hint="--where")
    return {name: value for name, _, value in pairs}
