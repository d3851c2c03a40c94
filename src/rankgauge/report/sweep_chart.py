"""Chart of a sweep: the measure against p99 latency, a line per second stage, with intervals and the budget."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt

from rankgauge.report.charts import GREY, INK, PALETTE, THEME
from rankgauge.report.sweep import mark, series
from rankgauge.study.choice import Choice
from rankgauge.study.sweep import Sweep

WIDTH, HEIGHT = 640, 360
DECADES = 3.0
"""Ratio of the slowest to the fastest point from which latency is drawn on a log scale."""


def sweep_chart(sweep: Sweep, choice: Choice) -> alt.LayerChart:
    """Draw every point with its interval; a ring marks the one to take, a dashed line the budget of p99."""
    rows = _rows(sweep, choice)
    times = [row["ms"] for row in rows]
    kind: Literal["log", "linear"] = "log" if max(times) > DECADES * min(times) else "linear"
    x = alt.X("ms:Q", title="p99 latency of the whole answer, ms", scale=alt.Scale(type=kind, zero=False, nice=True))
    y = alt.Y("mean:Q", title=sweep.measure, scale=alt.Scale(zero=False))
    names = list(dict.fromkeys(row["stage"] for row in rows))
    color = alt.Color("stage:N", title=None, scale=alt.Scale(domain=names, range=list(PALETTE)[: len(names)]))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=color)
    layers = [
        *_limit(choice),
        base.mark_rule(strokeWidth=1.2, opacity=0.7).encode(y=alt.Y("low:Q", title=sweep.measure), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y, order="depth:Q"),
        base.mark_circle(size=55, opacity=1).encode(y=y),
        base.mark_text(dy=-11, dx=8, fontSize=11, align="left").encode(y=y, text="depth:N"),
        base.transform_filter("datum.mark == 'best' || datum.mark == 'as good'")
        .mark_point(size=190, strokeWidth=1.6, filled=False)
        .encode(y=y, color=alt.value(INK)),
    ]
    title = alt.TitleParams(
        f"{sweep.measure} against latency", subtitle="numbers: depth; bars: 95% intervals; rings: what to take"
    )
    chart: alt.LayerChart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title).configure(**THEME)
    return chart


def _rows(sweep: Sweep, choice: Choice) -> list[dict[str, Any]]:
    lines = series(sweep.points) or {point.stage: [point] for point in sweep.points}
    return [
        {"stage": stage, "depth": point.depth, "mean": point.mean.estimate, "low": point.mean.low,
         "high": point.mean.high, "ms": 1000 * point.latency.at(0.99), "mark": mark(point, choice)}
        for stage, points in lines.items()
        for point in points
    ]  # fmt: skip


def _limit(choice: Choice) -> list[alt.Chart]:
    rows = [{"ms": 1000 * budget.most, "said": str(budget)} for budget in choice.budgets if budget.what == "p99"]
    if not rows:
        return []
    chart = alt.Chart(alt.InlineData(values=rows)).encode(x="ms:Q")
    return [
        chart.mark_rule(strokeDash=[5, 4], color=GREY),
        chart.mark_text(align="right", baseline="top", dx=-4, dy=4, color=GREY, fontSize=11).encode(
            text="said:N", y=alt.value(0)
        ),
    ]
