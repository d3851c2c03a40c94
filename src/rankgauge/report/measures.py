"""What the registry knows of each measure, as text: a list, a page per measure, the docs' reference."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from rankgauge.conventions import CONVENTIONS
from rankgauge.measures import REGISTRY, Measure
from rankgauge.measures._measure import Parameter
from rankgauge.measures._values import describe, show_value
from rankgauge.measures.sources import SOURCES
from rankgauge.report.grid import Format, Grid

CUTOFFS = {"optional": "may be cut: @k", "required": "needs a cutoff: @k", "none": "takes no cutoff"}
AVERAGES = {"mean": "mean of the queries", "sum": "sum over the queries", "geometric": "geometric mean of the queries"}


def as_record(measure: Measure) -> dict[str, Any]:
    """All that is known of a measure, as plain values."""
    declared = measure.declared
    return {
        "measure": declared.name,
        "summary": declared.summary,
        "formula": declared.equation,
        "range": show_range(measure),
        "cutoff": CUTOFFS[declared.cutoff],
        "over queries": AVERAGES[declared.average],
        "needs subtopics": declared.subtopics,
        "parameters": [_parameter(p) for p in declared.parameters.values()],
        "source": SOURCES.get(declared.cite, declared.cite),
    }


def _parameter(parameter: Parameter) -> dict[str, str]:
    return {
        "name": parameter.name,
        "default": show_value(parameter.default),
        "takes": describe(parameter.hint),
        "help": parameter.help,
    }


def show_range(measure: Measure) -> str:
    """Smallest and largest value, as an interval."""
    low, high = measure.range
    top = "∞)" if math.isinf(high) else f"{high:g}]"
    return f"[{low:g}, {top}"


def render_measures(measures: Iterable[Measure], *, format: Format = "table", full: bool = False) -> str:
    """Write one row per measure, or with `full` all that is known of each."""
    known = list(measures)
    if format == "json":
        return json.dumps([as_record(m) for m in known], ensure_ascii=False, indent=2) + "\n"
    if full:
        return "\n".join(page(m) for m in known)
    rows = [(m.name, _flat(m.declared.equation), show_range(m), _short_source(m)) for m in known]
    return Grid(("measure", "formula", "range", "source"), rows).render(format)


def _flat(equation: str) -> str:
    return " ".join(equation.split())


def _short_source(measure: Measure) -> str:
    source = SOURCES.get(measure.declared.cite, measure.declared.cite)
    written = re.match(r"([^()]*) (\(\d{4}\))", source)
    if written is None:
        return source.split(",")[0]
    authors = re.split(r", | & ", written[1])
    return f"{authors[0]} et al. {written[2]}" if len(authors) > 2 else written[0]


def page(measure: Measure, *, heading: str = "") -> str:
    """All that is known of one measure, as Markdown that reads well in a terminal too."""
    record = as_record(measure)
    lines = [f"{heading}{record['measure']}", "", record["summary"], "", f"    {record['formula']}", ""]
    lines += [f"- range {record['range']}; {record['cutoff']}; {record['over queries']}"]
    lines += ["- needs subtopic qrels"] * record["needs subtopics"]
    lines += [f"- `{p['name']}={p['default']}`: {p['help']} ({p['takes']})" for p in record["parameters"]]
    lines += [f"- source: {record['source']}"] if record["source"] else []
    return "\n".join(lines) + "\n"


def reference() -> str:
    """The docs' page of all measures, written from the registry."""
    head = (
        "# Measures\n\nWritten from the registry by `scripts/docs`; a test fails when it is out of date.\n"
        "Names follow ir_measures: `nDCG@10`, `RBP(p=0.8)`, `P(rel=2)@5`. What tools do differently is in\n"
        "[conventions.md](conventions.md).\n"
    )
    measures = sorted(REGISTRY.values(), key=lambda m: m.name.lower())
    return "\n".join([head, *(page(m, heading="## ") for m in measures)])


def conventions_page() -> str:
    """The conventions and what each stands for, as Markdown."""
    lines = [f"- `{name}`: {convention.says}" for name, convention in CONVENTIONS.items()]
    return "\n".join(["## Conventions", "", *lines]) + "\n"
