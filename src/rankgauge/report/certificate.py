"""A judge's certificate in words: what a terminal shows, tables and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rankgauge.errors import ParameterError, did_you_mean
from rankgauge.judges.certificate import Certificate
from rankgauge.judges.certificate_file import to_json
from rankgauge.judges.probes import Probe
from rankgauge.report.grid import FORMATS, Cell, Format, Grid
from rankgauge.statistics.agreement import CrossTable
from rankgauge.statistics.reliability import Coefficient
from rankgauge.statistics.results import Interval

COLUMNS = ("what", "value", "low", "high", "n", "says")
WIDTH = 110


def render_certificate(certificate: Certificate, *, format: Format = "table", digits: int = 4) -> str:
    """Write a certificate as text that ends with a line break.

    `format` is "table", "json", "csv", "markdown" or "latex"; every one of them holds the uses with their reasons.
    """
    match format:
        case "json":
            return to_json(certificate) + "\n"
        case "table":
            return _text(certificate, digits)
        case "csv" | "latex":
            return Grid(COLUMNS, [*rows(certificate)], digits=digits).render(format)
        case "markdown":
            numbers = Grid(COLUMNS, [*rows(certificate)], digits=digits).markdown()
            return f"{summary(certificate)}\n\n{numbers}\n{_cross(certificate.confusion).markdown()}"
    known = ", ".join(FORMATS)
    raise ParameterError(f"format: expected one of {known}, got {format!r}{did_you_mean(format, FORMATS)}")


def summary(certificate: Certificate) -> str:
    """The outcome in two or three sentences."""
    c = certificate
    allowed = [use.name for use in c.uses if use.allowed]
    refused = [use.name for use in c.uses if not use.allowed]
    said = f"{c.judge} beside {c.human}: {c.n:,} pairs of {c.queries:,} queries have both labels."
    if c.failed or c.unasked:
        said += f"\nOf pairs with a human label it failed on {c.failed:,} and was not asked about {c.unasked:,}."
    said += f"\nMay be used for: {', '.join(allowed) or 'nothing'}."
    return said + (f" Not for: {', '.join(refused)}." if refused else "")


def rows(certificate: Certificate) -> Iterator[list[Cell]]:
    """A row per number, use, probe and change: what, value, low, high, n, says."""
    c = certificate
    yield ["agreement", c.agreement, None, None, c.n, "share of pairs with the same grade"]
    for found in (c.kappa, c.quadratic_kappa, c.alpha, c.ac2):
        yield _coefficient(found.name, found)
    yield _interval("bias", c.bias, "mean of judge - human")
    for at in c.levels:
        asked = " (asked for)" if at.level == c.level else ""
        yield _coefficient(f"kappa, grade {at.level:g} and up{asked}", at.kappa)
        yield _interval(f"sensitivity, grade {at.level:g} and up{asked}", at.sensitivity, "of what people call so")
        yield _interval(f"specificity, grade {at.level:g} and up{asked}", at.specificity, "of what people call less")
    for grade in c.grades:
        worth = f"worth {grade.value:.2f} where gains are 2^grade - 1"
        yield [f"human grade where it says {grade.judge:g}", grade.mean, None, None, round(grade.n), worth]
    for probe in c.probes:
        yield _interval(f"probe: {probe.name}", probe.share, _of_probe(probe))
    for use in c.uses:
        because = "" if use.allowed else ": " + "; ".join(use.because)
        yield [f"use: {use.name}", None, None, None, None, f"{'yes' if use.allowed else 'no'}{because}"]
    for one in c.circular:
        yield ["circular", None, None, None, None, f"{one.ranker} is of the judge's family: {', '.join(one.families)}"]
    for change in c.changes:
        yield [f"change: {change.what}", None, None, None, None, f"{'yes' if change.drifted else 'no'}: {change.says}"]


def _coefficient(name: str, found: Coefficient) -> list[Cell]:
    value: Cell = found.value if found.value is not None else "undefined"
    return [name, value, found.low, found.high, found.n, found.outcome]


def _interval(name: str, found: Interval, says: str) -> list[Cell]:
    value: Cell = found.estimate if found.estimate is not None else "undefined"
    return [name, value, found.low, found.high, found.n, f"{says}; {found.outcome}" if found.outcome else says]


def _of_probe(probe: Probe) -> str:
    bound = f"{'at least' if probe.least else 'at most'} {probe.limit:.0%}"
    shift = "" if probe.shift is None or probe.shift.estimate is None else f", mean change {probe.shift.estimate:+.2f}"
    failed = f", {probe.failed} without a grade" if probe.failed else ""
    return f"{'passed' if probe.passed else 'NOT PASSED'}: {probe.measured}, {bound}{shift}{failed}"


def _cross(table: CrossTable) -> Grid:
    heads = ["people \\ judge", *[f"{label:g}" for label in table.columns]]
    return Grid(heads, [[f"{label:g}", *counts] for label, counts in zip(table.rows, table.counts, strict=True)])


def _text(c: Certificate, digits: int) -> str:
    numbers = [row for row in rows(c) if not str(row[0]).startswith(("use: ", "circular", "change: "))]
    parts = [summary(c), Grid(COLUMNS, numbers, digits=digits).table().strip("\n")]
    parts.append("PEOPLE'S GRADES BY THE JUDGE'S\n" + _cross(c.confusion).table().strip("\n"))
    parts.append("\n".join(["USES", *(line for use in c.uses for line in _use(use.name, use.rule, use.because))]))
    if c.circular:
        said = [f"  {one.ranker}: {', '.join(one.families)}" for one in c.circular]
        parts.append("\n".join(["OF THE JUDGE'S OWN FAMILY", *said]))
    if c.changes:
        said = [f"  {'CHANGED' if x.drifted else 'the same'}: {x.what}: {x.says}" for x in c.changes]
        parts.append("\n".join(["SINCE THE EARLIER CERTIFICATE", *said]))
    return "\n\n".join(parts) + "\n"


def _use(name: str, rule: str, because: tuple[str, ...]) -> Iterator[str]:
    yield from _wrapped(f"{'no ' if because else 'yes'} {name}: {rule}")
    for one in because:
        yield from _wrapped(f"but {one}", "      ")


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    hanging = indent + "    "
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=hanging, break_on_hyphens=False)
