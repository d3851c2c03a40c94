"""The registry of checks: one small function each, and what the decorator says of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.findings import Finding, NotChecked, Severity

Need = Literal["runs", "two runs", "two measures", "queries", "texts"]


@dataclass(frozen=True)
class Found:
    """What a check found; the registry adds its name and, unless it says its own, what to do."""

    severity: Severity
    count: int
    of: int | None
    says: str
    example: str = ""
    run: str | None = None
    do: str = ""


@dataclass(frozen=True)
class Skipped:
    """Why a check could say nothing about what was given."""

    because: str


Look = Callable[[Evidence], Iterable[Found | Skipped]]


@dataclass(frozen=True)
class Check:
    """A declared check: what it looks for, what it needs, how grave its findings may be, what to do about them."""

    name: str
    theme: str
    looks_for: str
    do: str
    finds: tuple[Severity, ...]
    needs: tuple[Need, ...]
    look: Look

    def of(self, evidence: Evidence) -> Iterator[Finding | NotChecked]:
        """Look, and say what was found or why nothing could be."""
        lacking = [_WITHOUT[need] for need in self.needs if not _has(evidence, need)]
        if lacking:
            yield NotChecked(self.name, lacking[0])
            return
        for found in self.look(evidence):
            if isinstance(found, Skipped):
                yield NotChecked(self.name, found.because)
                continue
            do = "" if found.severity == "ok" else found.do or self.do
            yield Finding(self.name, found.severity, found.count, found.of, found.example, found.says, do, found.run)


CHECKS: dict[str, Check] = {}

_WITHOUT: dict[Need, str] = {
    "runs": "no run was given",
    "two runs": "it takes two runs",
    "two measures": "it takes two measures",
    "queries": "no texts of queries were given",
    "texts": "no texts of documents were given",
}


def _has(evidence: Evidence, need: Need) -> bool:
    match need:
        case "runs":
            return bool(evidence.runs)
        case "two runs":
            return len(evidence.runs) > 1
        case "two measures":
            return len(evidence.measures) > 1
        case "queries":
            return evidence.queries is not None
        case "texts":
            return evidence.texts is not None


def check(*, do: str, finds: tuple[Severity, ...], needs: tuple[Need, ...] = ()) -> Callable[[Look], Look]:
    """Declare a check; its name is the function's, and what it looks for the docstring's first paragraph.

    Parameters
    ----------
    do : what to do about a finding
    finds : severities that it may give besides "ok", worst first
    needs : what must have been given besides the judgments
    """

    def declare(look: Look) -> Look:
        name = look.__name__.replace("_", "-")
        assert name not in CHECKS, f"two checks named {name}"
        summary = inspect.cleandoc(look.__doc__ or "").split("\n\n")[0]
        theme = look.__module__.rpartition(".")[2]
        CHECKS[name] = Check(name, theme, re.sub(r"\s+", " ", summary), do, finds, needs, look)
        return look

    return declare


def weigh(
    share: float, *, info: float | None = None, warning: float | None = None, error: float | None = None
) -> Severity:
    """Name the gravest severity whose limit the share exceeds.

    >>> weigh(0.07, warning=0.05, error=0.20)
    'warning'
    """
    if error is not None and share > error:
        return "error"
    if warning is not None and share > warning:
        return "warning"
    return "info" if info is not None and share > info else "ok"
