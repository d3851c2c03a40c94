"""The gate's answer for a terminal, a pull request (Markdown), a CI server (JUnit XML) and programs (JSON)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from rankgauge.comparison.gate import Check, Gate, Outcome
from rankgauge.report.comparison import as_json as comparison_json
from rankgauge.report.comparison import pairs_grid
from rankgauge.report.grid import Format, Grid

WORDS: dict[Outcome, str] = {"pass": "PASS", "worse": "WORSE", "inconclusive": "CANNOT TELL"}


def render_gate(gate: Gate, *, format: Format = "table", digits: int = 4) -> str:
    """Write the answer first, then what each measure says."""
    if format == "json":
        return json.dumps(as_json(gate), ensure_ascii=False, indent=2) + "\n"
    if format == "markdown":
        return markdown(gate, digits)
    grid = _grid(gate, digits)
    return grid.render(format) if format in ("csv", "latex") else f"{WORDS[gate.outcome]}\n{grid.table()}"


def _grid(gate: Gate, digits: int) -> Grid:
    columns = ["measure", "run", "outcome", "difference", "lowest", "p (worse)", "what was found"]
    rows = [[c.measure, c.run, c.outcome, c.difference, c.lowest, c.p_worse, c.sentence] for c in gate.checks]
    return Grid(columns, rows, digits, empty="-", booktabs=True)


def markdown(gate: Gate, digits: int = 4) -> str:
    """Summary for a pull request: the answer, what each measure says, what to do, and the numbers folded away."""
    baseline = gate.comparison.baseline
    runs = ", ".join(dict.fromkeys(check.run for check in gate.checks))
    lines = [f"## {WORDS[gate.outcome]}: {runs} against {baseline}", ""]
    lines += [f"- **{check.outcome}** {check.sentence}" for check in gate.checks]
    steps = dict.fromkeys(step for check in gate.checks if check.outcome != "pass" for step in check.do)
    lines += ["", "What would settle it:", "", *[f"- {step}" for step in steps]] if steps else []
    lines += ["", "<details><summary>All numbers</summary>", "", pairs_grid(gate.comparison, digits).markdown()]
    allowed = f"Allowed: a drop of {gate.max_drop:g}, {gate.max_unjudged:.0%} unjudged."
    lines += [allowed, "", "</details>", ""]
    return "\n".join(lines)


def junit(gate: Gate) -> str:
    """JUnit XML: a test case per measure; worse is a failure, inconclusive an error."""
    suite = ElementTree.Element(
        "testsuite",
        name="rankgauge gate",
        tests=str(len(gate.checks)),
        failures=str(_count(gate, "worse")),
        errors=str(_count(gate, "inconclusive")),
    )
    for check in gate.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=f"rankgauge.{check.run}", name=check.measure)
        ElementTree.SubElement(case, "system-out").text = "\n".join((check.sentence, *check.do))
        kind = {"worse": "failure", "inconclusive": "error"}.get(check.outcome)
        if kind is not None:
            ElementTree.SubElement(case, kind, type=check.outcome, message=check.sentence)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _count(gate: Gate, outcome: Outcome) -> int:
    return sum(check.outcome == outcome for check in gate.checks)


def as_json(gate: Gate) -> dict[str, Any]:
    """One object: the answer, the checks, and the comparison behind them."""
    return {
        "outcome": gate.outcome,
        "exit_code": gate.exit_code,
        "max_drop": gate.max_drop,
        "max_unjudged": gate.max_unjudged,
        "checks": [_check(check) for check in gate.checks],
        "comparison": comparison_json(gate.comparison),
    }


def _check(check: Check) -> dict[str, Any]:
    return asdict(check) | {"do": list(check.do)}
