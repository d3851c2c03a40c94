"""Small golden sets for the checkup's tests: healthy ones, and one look at a single check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rankgauge as rg


def findings(check: str, qrels: Any, runs: Any = (), **how: Any) -> list[rg.Finding]:
    """What one check says of these judgments and runs."""
    return list(rg.doctor(qrels, runs, **how).named(check))


def finding(check: str, qrels: Any, runs: Any = (), **how: Any) -> rg.Finding:
    """The only finding of a check."""
    (found,) = findings(check, qrels, runs, **how)
    return found


def severities(check: str, qrels: Any, runs: Any = (), **how: Any) -> list[str]:
    """Severities of a check's findings, in the order of the report."""
    return [found.severity for found in findings(check, qrels, runs, **how)]


def judged(n: int, grades: Mapping[str, float] | None = None) -> dict[str, dict[str, float]]:
    """The same judgments for n queries q001, q002, ...; by default two relevant documents and one that is not."""
    return {f"q{i:03}": dict(grades or {"a": 1, "b": 1, "c": 0}) for i in range(1, n + 1)}


def returned(n: int, docs: str = "abc") -> dict[str, dict[str, float]]:
    """The same documents, best first, for n queries."""
    return {f"q{i:03}": {doc: float(-place) for place, doc in enumerate(docs)} for i in range(1, n + 1)}
