"""A sweep as text: what to take first, then a row per point; and the object that programs read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rankgauge.comparison.decision import show_p
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.study.choice import LATENCIES, Choice
from rankgauge.study.sweep import MANY, Point, Sweep


def render_sweep(sweep: Sweep, choice: Choice, *, format: Format = "table", digits: int = 4) -> str:
    """Write a sweep and what it comes to; JSON and CSV hold every digit."""
    if format == "json":
        return json.dumps(as_json(sweep, choice), ensure_ascii=False, indent=2) + "\n"
    table = grid(sweep, choice, digits).render(format)
    if format not in ("table", "markdown"):
        return table
    bullet = "- " if format == "markdown" else ""
    said = "\n".join(bullet + line for line in [*sentences(sweep, choice), *how_measured(sweep)])
    return f"{said}\n\n{table}"


def sentences(sweep: Sweep, choice: Choice) -> list[str]:
    """Say which point to take, and why."""
    limits = " and ".join(map(str, choice.budgets)) or "no limit"
    best, cheaper = choice.best, choice.cheaper
    if best is None:
        fastest = min(sweep.points, key=lambda point: point.latency.at(0.99))
        return [f"No point keeps {limits}; the fastest is {fastest.name}: {_took(fastest)}."]
    lines = [f"Best within {limits}: {best.name}: {sweep.measure} {best.value:.4f}, {_took(best)}."]
    if cheaper is not None and cheaper is not best:
        lines.append(
            f"Not shown to be worse, and faster: {cheaper.name}: {cheaper.value:.4f}, {_took(cheaper)}. "
            "Take it, unless more queries show a difference."
        )
    return lines


def how_measured(sweep: Sweep) -> list[str]:
    """Say under what the times were had."""
    fewest = min(len(point.latency) for point in sweep.points)
    lines = [f"Times: the whole answer, {sweep.load}, on {sweep.on}; at least {fewest} requests per point."]
    if fewest < MANY:
        lines.append(f"With fewer than {MANY} requests, p99 is the slowest of them.")
    if late := [point for point in sweep.points if point.latency.behind > 1 and sweep.load.rate]:
        lines.append(f"The load is more than could be borne at {len(late)} of {len(sweep.points)} points.")
    return lines


def grid(sweep: Sweep, choice: Choice, digits: int = 4) -> Grid:
    """A row per point."""
    priced = any(point.cost is not None for point in sweep.points)
    columns = ["", "stage", "depth", sweep.measure, "95% interval", "change", "p", "recall", "unjudged",
               "p50 ms", "p95 ms", "p99 ms", *(["cost of 1,000"] if priced else [])]  # fmt: skip
    rows = [[mark(point, choice), *_row(point, digits, priced)] for point in sweep.points]
    return Grid(columns, rows, digits, booktabs=True)


def mark(point: Point, choice: Choice) -> str:
    """What stands before a point: the best one, the one that does as well, one of the front."""
    if point is choice.best:
        return "best"
    if point is choice.cheaper:
        return "as good"
    return "front" if point in choice.front else ""


def _row(point: Point, digits: int, priced: bool) -> list[Cell]:
    change = point.change
    unjudged, recall = f"{point.unjudged:.1%}", None if point.recall is None else round(point.recall, digits)
    moved = "" if change is None else _between(change.interval.estimate, change.interval.low, change.interval.high)
    times = [f"{1000 * point.latency.at(share):.1f}" for share in LATENCIES.values()]
    p = None if change is None or change.p is None else show_p(change.p)
    ends = (point.mean.low, point.mean.high)
    spread = None if None in ends else f"{ends[0]:.4f} to {ends[1]:.4f}"
    cost = [None if point.cost is None else f"{point.cost:.4g}"] if priced else []
    stage = point.stage if point.depth else "-"
    return [stage, point.depth, point.value, spread, moved, p, recall, unjudged, *times, *cost]


def _between(estimate: float | None, low: float | None, high: float | None) -> str:
    if estimate is None or low is None or high is None:
        return ""
    return f"{estimate:+.4f} ({low:+.4f} to {high:+.4f})"


def _took(point: Point) -> str:
    cost = "" if point.cost is None else f", {point.cost:.4g} per 1,000 queries"
    return f"p50 {1000 * point.latency.at(0.5):.1f} ms, p99 {1000 * point.latency.at(0.99):.1f} ms{cost}"


def as_json(sweep: Sweep, choice: Choice) -> dict[str, Any]:
    """Give everything as plain values."""
    return {
        "measure": sweep.measure, "first_stage": sweep.first, "queries": sweep.queries, "load": str(sweep.load),
        "measured_on": sweep.on, "budgets": [str(budget) for budget in choice.budgets],
        "points": [_point(point, choice) for point in sweep.points], "said": sentences(sweep, choice),
        "how": how_measured(sweep), "notes": [note.text for note in sweep.notes],
    }  # fmt: skip


def _point(point: Point, choice: Choice) -> dict[str, Any]:
    change = point.change
    seconds = {name: point.latency.at(share) for name, share in LATENCIES.items()}
    moved = None if change is None else {
        "from_depth": change.depth, "estimate": change.interval.estimate, "low": change.interval.low,
        "high": change.interval.high, "p": change.p,
    }  # fmt: skip
    return {
        "stage": point.stage, "depth": point.depth, "mean": point.mean.estimate, "low": point.mean.low,
        "high": point.mean.high, "unjudged": point.unjudged, "recall": point.recall, "change": moved, **seconds,
        "requests": len(point.latency), "cpu": point.latency.cpu, "pairs": point.pairs, "cost": point.cost,
        "mark": mark(point, choice),
    }  # fmt: skip


def series(points: Sequence[Point]) -> dict[str, list[Point]]:
    """Points of each stage with rising depth, the first stage alone at the head of each."""
    alone = [point for point in points if not point.depth]
    stages = dict.fromkeys(point.stage for point in points if point.depth)
    return {stage: [*alone, *(point for point in points if point.stage == stage)] for stage in stages}
