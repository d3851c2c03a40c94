"""A checkup in words: what a terminal shows, tables, JSON, and the docs' list of checks."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterator
from typing import Any

from rankgauge.checkup import Checkup, Finding, checks
from rankgauge.checkup.findings import SEVERITIES, Severity
from rankgauge.checkup.limits import described
from rankgauge.errors import ParameterError, did_you_mean
from rankgauge.report.grid import FORMATS, Cell, Format, Grid

HEADINGS: dict[Severity, str] = {
    "error": "ERROR: no decision should rest on this",
    "warning": "WARNING: weakens decisions",
    "info": "INFO: worth knowing",
    "ok": "OK",
}
NOT_CHECKED = "NOT CHECKED"
NOTED = "NOTED WHILE READING"
COLUMNS = ("severity", "check", "run", "count", "of", "says", "example", "do")
WIDTH = 110


def render_checkup(checkup: Checkup, *, format: Format = "table") -> str:
    """Write a checkup as text that ends with a line break: grouped by severity, worst first.

    `format` is "table", "json", "csv", "markdown" or "latex"; every one of them holds what passed and what was
    not checked too.
    """
    match format:
        case "table":
            return _text(checkup)
        case "json":
            return json.dumps(as_json(checkup), ensure_ascii=False, indent=2) + "\n"
        case "csv" | "latex":
            return Grid(COLUMNS, [*_rows(checkup)]).render(format)
        case "markdown":
            return f"{summary(checkup)}\n\n{Grid(COLUMNS, [*_rows(checkup)]).markdown()}"
    known = ", ".join(FORMATS)
    raise ParameterError(f"format: expected one of {known}, got {format!r}{did_you_mean(format, FORMATS)}")


def summary(checkup: Checkup) -> str:
    """The outcome in two sentences."""
    counts = [len(checkup.of(severity)) for severity in SEVERITIES]
    words = [f"{n} {word}{'s' * (n != 1)}" for n, word in zip(counts, ("error", "warning", "remark"), strict=False)]
    seen = f"{checkup.qrels}: {checkup.judgments:,} judgments of {checkup.queries:,} queries"
    seen += f", {len(checkup.runs)} run{'s' * (len(checkup.runs) != 1)}; measures {', '.join(checkup.measures)}."
    said = f"{', '.join(words)}, {counts[3]} passed, {len(checkup.not_checked)} not checked."
    verdict = "Not fit to decide on as it is" if not checkup.fit() else "Nothing forbids decisions on it"
    return f"{seen}\n{verdict}: {said}"


def _text(checkup: Checkup) -> str:
    parts = [summary(checkup)]
    for severity in SEVERITIES[:-1]:
        found = checkup.of(severity)
        if found:
            parts.append("\n".join([HEADINGS[severity], *(line for f in found for line in _lines(f))]))
    passed: dict[str, int] = {}
    for finding in checkup.of("ok"):
        passed[finding.check] = passed.get(finding.check, 0) + 1
    names = [f"{name} ({n})" if n > 1 else name for name, n in passed.items()]
    if names:
        parts.append("\n".join([HEADINGS["ok"], *_wrapped(", ".join(names))]))
    if checkup.not_checked:
        said = [line for n in checkup.not_checked for line in _wrapped(f"{n.check}: because {n.because}")]
        parts.append("\n".join([NOT_CHECKED, *said]))
    if checkup.notes:
        parts.append("\n".join([NOTED, *(line for note in checkup.notes for line in _wrapped(note.text))]))
    return "\n\n".join(parts) + "\n"


def _lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{finding.check}: {finding.says}")
    if finding.example:
        yield from _wrapped(f"such as {finding.example}", "    ")
    yield from _wrapped(f"-> {finding.do}", "    ")


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    hanging = indent + "  "
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )


def _rows(checkup: Checkup) -> Iterator[list[Cell]]:
    for finding in checkup.findings:
        yield [getattr(finding, name) for name in COLUMNS]
    for item in checkup.not_checked:
        yield ["not checked", item.check, None, None, None, f"because {item.because}", "", ""]


def as_json(checkup: Checkup) -> dict[str, Any]:
    """One object: findings, what was not checked, their numbers, and what was looked at."""
    return {
        "fit": checkup.fit(),
        "counts": {severity: len(checkup.of(severity)) for severity in SEVERITIES}
        | {"not_checked": len(checkup.not_checked)},
        "findings": [{name: getattr(finding, name) for name in COLUMNS} for finding in checkup.findings],
        "not_checked": [dataclasses.asdict(item) for item in checkup.not_checked],
        "input": {
            "qrels": checkup.qrels,
            "judged_queries": checkup.queries,
            "judgments": checkup.judgments,
            "runs": list(checkup.runs),
            "measures": list(checkup.measures),
            "cutoff": checkup.cutoff,
            "notes": [dataclasses.asdict(note) for note in checkup.notes],
        },
    }


def page() -> str:
    """The docs' page of all checks and thresholds, written from the registry."""
    head = (
        "# Checks of `rankgauge doctor`\n\n"
        "Written from the registry by `scripts/docs`; a test fails when it is out of date. How to use them is in\n"
        "[doctor.md](doctor.md).\n\n"
    )
    rows = [(f"`{c.name}`", c.looks_for, ", ".join(c.finds), ", ".join(c.needs) or "-", c.do) for c in checks()]
    limits = [(f"`{name}`", f"{default:g}", meaning) for name, default, meaning in described()]
    return (
        head
        + Grid(("check", "looks for", "may be", "needs", "what to do"), rows).markdown()
        + "\n## Thresholds\n\n`--limit NAME=VALUE`, or `rankgauge.CheckupLimits(NAME=VALUE)`, changes one.\n\n"
        + Grid(("name", "default", "what it decides"), limits).markdown()
    )
