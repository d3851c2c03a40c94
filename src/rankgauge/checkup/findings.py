"""What a checkup says: findings with a severity, a count, an example and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from rankgauge.records import Note

Severity = Literal["error", "warning", "info", "ok"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "ok")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, and what came out.

    Attributes
    ----------
    check : name of the check, a stable word for programs
    severity : "error" no decision should rest on this; "warning" it weakens decisions; "info" worth knowing; "ok"
    count : how many are affected
    of : out of how many, None where there is no whole
    example : one of them, empty where there is none
    says : the finding in a sentence
    do : what to do about it, empty for "ok"
    run : the run it is about, None for the judgments
    """

    check: str
    severity: Severity
    count: int
    of: int | None
    example: str
    says: str
    do: str
    run: str | None = None


@dataclass(frozen=True)
class NotChecked:
    """A check that could not be made, and why."""

    check: str
    because: str


@dataclass(frozen=True)
class Checkup:
    """Whether a golden set is fit to decide anything: all findings, worst first, and what was not checked.

    Attributes
    ----------
    findings : by severity, then in the order of the checks
    not_checked : checks that need something that was not given
    qrels, queries, judgments : name and size of what was judged
    runs : names
    measures : as printed
    cutoff : ranks that count as "the first results": the first cutoff among the measures, else 10
    notes : what was noticed while judgments and runs were read
    """

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    qrels: str
    queries: int
    judgments: int
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    cutoff: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of(severity))} {severity}" for severity in SEVERITIES)
        return f"Checkup({self.qrels!r}: {counts}, {len(self.not_checked)} not checked)"

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def named(self, check: str, *, run: str | None = None) -> tuple[Finding, ...]:
        """Return the findings of one check, of one run if asked."""
        return tuple(f for f in self.findings if f.check == check and run in (None, f.run))

    def fit(self, *, strict: bool = False) -> bool:
        """Whether nothing of severity "error" was found; with `strict` no "warning" either."""
        return not self.of("error") and not (strict and self.of("warning"))

    def to_polars(self) -> pl.DataFrame:
        """Return one row per finding: severity, check, run, count, of, says, example, do."""
        columns = {"severity": pl.String, "check": pl.String, "run": pl.String, "count": pl.Int64, "of": pl.Int64,
                   "says": pl.String, "example": pl.String, "do": pl.String}  # fmt: skip
        rows = [[getattr(finding, name) for name in columns] for finding in self.findings]
        return pl.DataFrame(rows, schema=columns, orient="row")
