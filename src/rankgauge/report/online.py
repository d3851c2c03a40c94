"""Experiments online as text: what an A/B test said, its A/A check, and plans of tests to come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rankgauge.online.aa import FalseAlarms
from rankgauge.online.experiment import Effect, Experiment, mismatch
from rankgauge.online.plan import ExperimentPlan, OfflinePlan
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sessions import SessionPlan

COLUMNS = (
    "metric", "kind", "arm", "control", "value", "control's", "difference", "low", "high", "relative", "p", "Holm",
    "BH", "verdict", "guardrail",
)  # fmt: skip
MARKS = {"better": "+", "worse": "-", "equivalent": "=", "no difference seen": "~", "cannot tell": "?"}
Plan = ExperimentPlan | SessionPlan | OfflinePlan


def render_experiment(
    found: Experiment, checks: Sequence[FalseAlarms] = (), *, format: Format = "table", digits: int = 4
) -> str:
    """Write the verdict of each metric, how it was had, and the numbers in a table; JSON holds all of it."""
    if format == "json":
        return json.dumps(as_json(found, checks), ensure_ascii=False, indent=2) + "\n"
    grid = Grid(COLUMNS, [_row(one) for one in found.effects], digits=digits)
    if format in ("csv", "latex"):
        return grid.render(format)
    bullet = "- " if format == "markdown" else ""
    lines = [f"{bullet}{line}" for line in (*sentences(found), *(one.sentence for one in checks))]
    return "\n".join([*lines, "", grid.render(format)])


def sentences(found: Experiment) -> Iterator[str]:
    """The split where it is wrong, then a verdict per metric and arm, then how the numbers were had."""
    if found.split.mismatch:
        yield f"? CANNOT TELL: {mismatch(found.split, found.arms)}."
    for one in found.effects:
        yield f"{MARKS[one.word]} {one.word.upper()}: {one.sentence}"
        if one.cuped is not None:
            yield _cuped(one)
        if one.bootstrap is not None:
            b = one.bootstrap
            plain = "" if one.cuped is None else " without CUPED"
            yield f"  {one.metric.name}: [{b.low:+.3g}, {b.high:+.3g}]{plain}, by {b.method}"
    yield _how(found)


def _cuped(one: Effect) -> str:
    cuped, plain = one.cuped, one.unadjusted
    assert cuped is not None and plain is not None
    said = f"  {one.metric.name}: adjusted by {cuped.column} (CUPED): variance {-cuped.reduction:+.1%}"
    said += f", correlation {cuped.correlation:.2f}"
    if plain.low is not None:
        said += f"; unadjusted {plain.estimate:+.3g} [{plain.low:+.3g}, {plain.high:+.3g}]"
    return said + (f"; {cuped.missing:,} units without a value of before" if cuped.missing else "")


def _how(found: Experiment) -> str:
    units = ", ".join(f"{n:,} of {name}" for name, n in zip(found.arms, found.split.units, strict=True))
    said = f"{units} by {found.unit}" + ("" if found.split.p is None else f"; split as meant, p = {found.split.p:.2g}")
    said = said.replace("split as meant", "split NOT as meant") if found.split.mismatch else said
    when = "looked at once"
    if found.tightest_at is not None:
        when = f"valid whenever it is looked at, tightest at {found.tightest_at:,} units"
    methods = ", ".join(dict.fromkeys(one.difference.method for one in found.effects))
    return f"{said}. {methods}; confidence {1 - found.alpha:.0%}, {when}; correction: {found.correction}."


def _row(one: Effect) -> list[Cell]:
    d, guard = one.difference, one.guardrail
    shown = "" if guard is None else f"{guard.word} ({guard.margin})"
    return [
        one.metric.name + (" ↓" if one.metric.lower_is_better else ""), one.kind, one.arm, one.control, one.arm_value,
        one.control_value, d.estimate, d.low, d.high, _percent(one.relative.estimate), one.p, one.p_holm, one.p_bh,
        one.word, shown,
    ]  # fmt: skip


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:+.1f}%"


def as_json(found: Experiment, checks: Sequence[FalseAlarms] = ()) -> dict[str, Any]:
    """Every number of an experiment and of its A/A checks."""
    return {
        "sentence": found.sentence,
        "exit_code": found.exit_code,
        "source": found.label,
        "unit": found.unit,
        "rows": found.rows,
        "control": found.arms[0],
        "split": {"arms": list(found.arms), **asdict(found.split)},
        "alpha": found.alpha,
        "correction": found.correction,
        "tightest_at": found.tightest_at,
        "seed": found.seed,
        "metrics": [_effect(one) for one in found.effects],
        "aa": [{**asdict(one), "sentence": one.sentence} for one in checks],
        "notes": [asdict(note) for note in found.notes],
    }


def _effect(one: Effect) -> dict[str, Any]:
    guard = one.guardrail
    return {
        "metric": one.metric.name, "kind": one.kind, "lower_is_better": one.metric.lower_is_better,
        "numerator": one.metric.numerator, "denominator": one.metric.denominator,
        "arm": one.arm, "control": one.control, "verdict": one.word, "sentence": one.sentence,
        "arm_value": one.arm_value, "control_value": one.control_value,
        "difference": _interval(one.difference), "relative": _interval(one.relative),
        "p": one.p, "p_holm": one.p_holm, "p_bh": one.p_bh, "decisive_p": one.decisive, "in_family": one.in_family,
        "margin": None if one.metric.margin is None else asdict(one.metric.margin), "equivalent": one.equivalent,
        "cuped": None if one.cuped is None else asdict(one.cuped), "unadjusted": _interval(one.unadjusted),
        "bootstrap": _interval(one.bootstrap),
        "guardrail": None if guard is None else {
            "margin": asdict(guard.margin), "outcome": guard.word, "worst": guard.worst,
            "interval": _interval(guard.interval),
        },
    }  # fmt: skip


def _interval(found: Interval | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)


def render_plan(found: Plan, *, days: tuple[int | None, int | None] = (None, None), format: Format = "table") -> str:
    """Write a plan: its sentence, then its numbers; `days` are those of an interleaving, once and at any time."""
    rows = [*_plan_rows(found, days)]
    if format == "json":
        extra = {"days": days[0], "sequential_days": days[1]} if isinstance(found, SessionPlan) else {}
        whole = {"sentence": _plan_sentence(found), **asdict(found), **extra}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
    grid = Grid(("what", "looked at once", "at any time"), rows)
    return grid.render(format) if format in ("csv", "latex") else f"{_plan_sentence(found)}\n\n{grid.render(format)}"


def _plan_sentence(found: Plan) -> str:
    said = found.sentence
    return f"{said[0].upper()}{said[1:]}." if isinstance(found, SessionPlan) else said


def _plan_rows(found: Plan, days: tuple[int | None, int | None]) -> Iterator[list[Cell]]:
    if isinstance(found, ExperimentPlan):
        yield ["units of the control", found.control_units, None]
        yield ["units of each other arm", found.arm_units, None]
        yield ["units of all arms", found.total, found.sequential]
        yield ["days, in whole weeks", found.days, found.sequential_days]
        return
    if isinstance(found, OfflinePlan):
        yield [f"queries to see {found.queries.wanted:g} in {found.measure}", found.queries.needed, None]
        days = (found.days, found.sequential_days)
        found = found.interleaving
    yield [f"sessions with a preference, at {found.preference:.0%}", found.sessions, found.sequential]
    yield ["days, in whole weeks", *days]
