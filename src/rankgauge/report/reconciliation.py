"""What reconcile finds, as tables and sentences: the conventions behind a number, and where two tools part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rankgauge.reconciliation.results import Explanation, Reconciliation, Sensitivity
from rankgauge.reconciliation.walk import ToolDifference
from rankgauge.report.grid import Cell, Format, Grid

MOST_ROWS = 10
MOST_QUERIES = 20


def render_reconciliation(found: Reconciliation, *, format: Format = "table", digits: int = 6) -> str:
    """Write which conventions give a reported number; CSV holds the explanations (or the nearest) and no more."""
    if format == "json":
        return json.dumps(reconciliation_json(found), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return _explanations(found, found.explanations or found.nearest, digits).render("csv")
    shown = found.explanations[:MOST_ROWS]
    parts = [_sentences([_headline(found)], format)]
    if shown:
        parts += [_explanations(found, shown, digits).render(format), _sentences(_hints(found), format)]
    else:
        parts += [_explanations(found, found.nearest, digits).render(format), _sentences(_hints(found), format)]
        parts.append(_sentences([f"One choice at a time, from {found.start}:"], format))
        parts.append(_sensitivity(found.sensitivity, digits).render(format))
    parts.append(_sentences(_closing(found, len(shown)), format))
    return "\n".join(part.strip("\n") + "\n" for part in parts if part.strip())


def _headline(found: Reconciliation) -> str:
    number = found.reported
    what = f"{found.measure} of {found.run}, reported as {number.text} (from {number.low:.10g} to {number.high:.10g})"
    if not found.explanations:
        return f"{what}: no convention gives it. The nearest:"
    first = found.explanations[0]
    if first.tools:
        return f"{what}: the value of {first.says}."
    said = f"{what}: no tool's convention gives it as it is; {_count(len(first.changed), 'change')} away it stands."
    return said if found.telling else f"{said} Chance alone would do as much: this is no evidence."


def _explanations(found: Reconciliation, explanations: Sequence[Explanation], digits: int) -> Grid:
    columns = ["value", "convention", "changed", "queries", "by chance", "the same from"]
    rows: list[list[Cell]] = []
    for one in explanations:
        name = ", ".join(one.tools) or one.start
        more = one.more + len(one.others[1:])
        also = " ".join([*one.others[:1], *([f"(+{more})"] if more else [])])
        chance = f"{one.by_chance:.2g}" if found.explanations else None
        rows.append([one.value, name, "; ".join(map(str, one.changed)) or None, one.n, chance, also or None])
    kept = [c for c in range(len(columns)) if c < 4 or any(row[c] is not None for row in rows)]
    return Grid([columns[c] for c in kept], [[row[c] for c in kept] for row in rows], digits, empty="-")


def _sensitivity(steps: Iterable[Sensitivity], digits: int) -> Grid:
    moving = sorted((s for s in steps if s.difference != 0), key=lambda s: -abs(s.difference or 0.0))
    rows: list[list[Cell]] = [[s.axis, f"{s.before} -> {s.after}", s.value, s.difference] for s in moving]
    return Grid(["choice", "from -> to", "value", "difference"], rows, digits, empty="-")


def _hints(found: Reconciliation) -> list[str]:
    return [f"Perhaps {hint.text}." for hint in found.hints]


def _closing(found: Reconciliation, shown: int) -> list[str]:
    tried, lines = found.tried, []
    if len(found.explanations) > shown:
        lines.append(f"{len(found.explanations) - shown} further values within the digits are not shown.")
    if found.without_effect:
        lines.append(f"No effect on this data: {', '.join(found.without_effect)}.")
    if still := _without_effect_alone(found):
        lines.append(f"No effect alone, from {found.start}: {', '.join(still)}.")
    lines.append(
        f"Tried: {tried.combinations:,} combinations (for {tried.standing_for:,} with those that cannot differ here), "
        f"every one with up to {_count(tried.changes, 'change')} from a tool's convention; {tried.distinct:,} values, "
        f"of which about {tried.by_chance:.2g} would have these digits by chance."
    )
    if tried.impossible:
        lines.append(f"{tried.impossible:,} combinations are impossible for this measure or this data.")
    if tried.changes < tried.wished and not found.explanations:
        lines.append(f"Not tried: {tried.wished} changes, which would be too many combinations.")
    return [*lines, *(f"Not tried: {option}." for option in tried.left_out)]


def _without_effect_alone(found: Reconciliation) -> list[str]:
    axes = dict.fromkeys(s.axis for s in found.sensitivity)
    moving = {s.axis for s in found.sensitivity if s.difference != 0}
    return [axis for axis in axes if axis not in moving and axis not in found.without_effect]


def reconciliation_json(found: Reconciliation) -> dict[str, Any]:
    """One object with all that was found."""
    number, tried = found.reported, found.tried
    return {
        "measure": found.measure,
        "run": found.run,
        "reported": {"text": number.text, "value": number.value, "low": number.low, "high": number.high},
        "found": found.found,
        "explanations": [_explanation_json(one) for one in found.explanations],
        "nearest": [_explanation_json(one) for one in found.nearest],
        "without_effect": list(found.without_effect),
        "start": found.start,
        "sensitivity": [vars(step) for step in found.sensitivity],
        "hints": [vars(hint) for hint in found.hints],
        "tried": {**vars(tried), "left_out": list(tried.left_out)},
    }


def _explanation_json(one: Explanation) -> dict[str, Any]:
    return {
        "value": one.value,
        "tools": list(one.tools),
        "start": one.start,
        "changed": [vars(change) for change in one.changed],
        "queries": one.n,
        "measure": None if one.measure is None else str(one.measure),
        "by_chance": one.by_chance,
        "others": list(one.others),
        "more": one.more,
    }


def render_difference(said: ToolDifference, *, format: Format = "table", digits: int = 6) -> str:
    """Write by which choices two tools part; CSV holds the queries and no more."""
    if format == "json":
        return json.dumps(difference_json(said), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return _queries(said, len(said.queries), digits).render("csv")
    parts = [_sentences([_parting(said), *said.remarks], format)]
    if said.steps:
        parts += [_steps(said, digits).render(format), _queries(said, MOST_QUERIES, digits).render(format)]
    more = len(said.queries) - MOST_QUERIES
    closing = [f"Not shown: {more} of the queries that differ; CSV and JSON have all."] if more > 0 else []
    if said.without_effect:
        same = ", ".join(f"{c.axis} ({c.before} -> {c.after})" for c in said.without_effect)
        closing.append(f"Different choices without effect on this data: {same}.")
    parts.append(_sentences(closing, format))
    return "\n".join(part.strip("\n") + "\n" for part in parts if part.strip())


def _parting(said: ToolDifference) -> str:
    one, other = said.values
    what = (
        f"{said.run}: {said.first} has {said.measures[0]} = {one:.6f}, {said.second} {said.measures[1]} = {other:.6f}"
    )
    if not said.steps:
        return f"{what}: the same on this data."
    queries = _count(len(said.queries), "query")
    return (
        f"{what}: {said.difference:+.6f}, from {_count(len(said.steps), 'choice')}, over {queries} with other values."
    )


def _steps(said: ToolDifference, digits: int) -> Grid:
    rows: list[list[Cell]] = [
        [s.change.axis, f"{s.change.before} -> {s.change.after}", s.contribution, s.value, s.alone, s.queries]
        for s in said.steps
    ]
    columns = ["choice, in this order", f"{said.first} -> {said.second}", "contribution", "value after", "alone"]
    return Grid([*columns, "queries changed"], rows, digits)


def _queries(said: ToolDifference, most: int, digits: int) -> Grid:
    columns = ["query", said.first, said.second, "choices", "why"]
    rows = [[q.query, q.first, q.second, ", ".join(axis for axis, _ in q.steps), q.why] for q in said.queries[:most]]
    return Grid(columns, rows, digits, empty="left out")


def difference_json(said: ToolDifference) -> dict[str, Any]:
    """One object with all that was found."""
    return {
        "run": said.run,
        "tools": [said.first, said.second],
        "measures": list(said.measures),
        "values": [_plain(value) for value in said.values],
        "queries_in_mean": list(said.n),
        "difference": _plain(said.difference),
        "steps": [
            {**vars(s.change), "contribution": _plain(s.contribution), "value": _plain(s.value),
             "alone": _plain(s.alone), "queries": s.queries}
            for s in said.steps
        ],
        "without_effect": [vars(change) for change in said.without_effect],
        "queries": [
            {"query": q.query, "first": q.first, "second": q.second, "why": q.why,
             "steps": [{"axis": axis, "change": change} for axis, change in q.steps]}
            for q in said.queries
        ],
        "remarks": list(said.remarks),
    }  # fmt: skip


def _plain(number: float) -> float | None:
    return None if number != number else number


def _sentences(lines: Sequence[str], format: Format) -> str:
    return "".join(f"% {line}\n" if format == "latex" else f"{line}\n" for line in lines)


def _count(number: int, what: str) -> str:
    plural = {"query": "queries"}.get(what, f"{what}s")
    return f"1 {what}" if number == 1 else f"{number} {plural}"
