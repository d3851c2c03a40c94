"""Position and distractors as text: what the model does with each slot, each order, each passage too many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from rankgauge.comparison.decision import percent, show_p
from rankgauge.rag.distractors import Distractors, Flips
from rankgauge.rag.order import OrderTest
from rankgauge.rag.position import Curve
from rankgauge.rag.profile import SlotProfile
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.statistics.results import Interval

FLAT = 0.05
"""p below which the slots are said to differ."""


def render_position(
    found: Curve, order: OrderTest | None, profile: SlotProfile | None, *, format: Format = "table", digits: int = 4
) -> str:
    """Write a curve, the test of the real order beside it, and the profile that was fitted."""
    if format == "json":
        known = {"curve": found, "order": order, "profile": profile, "said": position_sentences(found, order, profile)}
        return _json(known)
    columns = ["slot", "accuracy", "95% interval", "n", *(["weight"] if profile else [])]
    rows: list[list[Cell]] = []
    for point in found.points:
        weight = [profile.weights[point.slot - 1]] if profile else []
        rows.append([str(point.slot), point.accuracy.estimate, span(point.accuracy, digits), point.accuracy.n, *weight])
    for name, anchor in (("no passages", found.closed), ("gold alone", found.oracle)):
        if anchor is not None:
            rows.append([name, anchor.estimate, span(anchor, digits), anchor.n, *([None] if profile else [])])
    return _written(position_sentences(found, order, profile), Grid(columns, rows, digits, booktabs=True), format)


def position_sentences(found: Curve, order: OrderTest | None, profile: SlotProfile | None) -> list[str]:
    """What the curve, the order and the profile come to."""
    test = found.test
    lines = [f"{len(found.outcomes)} questions, prompts of {found.plan.size} passages, {found.plan.design} design."]
    if test.p is None:
        lines.append(f"Do the slots differ? Not tested: {test.outcome}.")
    else:
        differ = "They differ" if test.p < FLAT else "Not shown to differ"
        lines.append(f"Do the slots differ? {differ}: Cochran's Q {test.statistic:.2f}, p {show_p(test.p)}.")
    lines += [
        f"{name}: {said(one)}."
        for name, one in (
            ("Edges less middle", found.edge_middle),
            ("First less last", found.primacy_recency),
            ("Best less worst slot", found.range),
            ("Slots less no passages", found.over_closed),
            ("Gold alone less slots", found.under_oracle),
        )
        if one is not None
    ]
    if order is not None:
        lines += order_sentences(order)
    if profile is not None:
        lines.append(_of_profile(profile))
    return lines


def order_sentences(order: OrderTest) -> list[str]:
    """What the order of the real passages did."""
    if order.natural is None:
        return [f"The order as it is: not tested, {order.outcome}."]
    p = f"p {show_p(order.p)}" if order.p is not None else order.outcome
    return [
        f"The order as it is: {order.natural:.3f}; random orders {order.random.mean():.3f} (SD {order.sd:.3f} over "
        f"{len(order.random)}); reversed {order.reversed:.3f}; {p}.",
        f"{percent(order.changed or 0.0)} of {order.n} questions change with the order alone.",
    ]


def _of_profile(profile: SlotProfile) -> str:
    shape = "rises again: no user model stands behind it" if profile.rises else "never rises"
    more = f"; {profile.outcome}" if profile.outcome else ""
    return f"Weights of the slots: shrunk by {profile.shrinkage:.2f}; the profile {shape}{more}."


def render_distractors(found: Distractors, *, format: Format = "table", digits: int = 4) -> str:
    """Write what passages do that do not answer: alone, added, and taken out."""
    if format == "json":
        return _json({"distractors": found, "said": distractor_sentences(found)})
    columns = ["passage added", "n", "right to wrong", "wrong to right", "p (McNemar)"]
    rows = [_flip_row(place, one) for place, one in enumerate(found.added.by_place, 1)]
    return _written(distractor_sentences(found), Grid(columns, rows, digits, booktabs=True), format)


def _flip_row(place: int, one: Flips) -> list[Cell]:
    return [str(place), one.n, one.flips, one.rescues, show_p(one.test.p)]


def distractor_sentences(found: Distractors) -> list[str]:
    """What was measured of distractors, in words."""
    lines = [
        f"An irrelevant passage alone is answered from with a chance of {said(found.effect)}.",
        f"Right with the gold passage: {said(found.added.before)}; with one more: {said(found.added.after)}; "
        f"one more costs {said(found.added.distraction)}.",
    ]
    if found.left_out is not None:
        harmful = "unknown" if found.left_out.harmful is None else percent(found.left_out.harmful)
        lines.append(f"Taking one passage out: mean utility {said(found.left_out.utility)}; harmful: {harmful}.")
    lines += [f"Costs most: {doc} of question {query} ({cost:+.2f})." for query, doc, _, cost in found.worst[:3]]
    return lines


def said(one: Interval, digits: int = 3) -> str:
    """Write an estimate with its interval, or why there is none.

    >>> said(Interval(0.5, 0.25, 0.75, 0.95, "t", 9))
    '0.500 [0.250, 0.750]'
    """
    if one.estimate is None:
        return f"unknown ({one.outcome})"
    return f"{one.estimate:.{digits}f} {span(one, digits)}".rstrip()


def span(one: Interval, digits: int) -> str:
    """Write the ends of an interval, or nothing."""
    return "" if one.low is None or one.high is None else f"[{one.low:.{digits}f}, {one.high:.{digits}f}]"


def _written(lines: list[str], grid: Grid, format: Format) -> str:
    if format not in ("table", "markdown"):
        return grid.render(format)
    bullet = "- " if format == "markdown" else ""
    return "\n".join(bullet + line for line in lines) + f"\n\n{grid.render(format)}"


def _json(known: Mapping[str, Any]) -> str:
    return json.dumps(_plain(known), ensure_ascii=False, indent=2) + "\n"


def _plain(value: Any) -> Any:
    """Plain values for JSON: arrays as lists, NaN as null."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain({name: getattr(value, name) for name in value.__dataclass_fields__})
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and value != value else value
