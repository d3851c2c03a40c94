"""A cache study as text: a row per cache."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.retrieval.cache import Kind
from rankgauge.statistics.results import Interval
from rankgauge.study.caching import Line

COLUMNS = ("cache", "hits", "exact", "words", "like", "closeness", "false", "lost", "nDCG change", "head's share")
KINDS: tuple[Kind, ...] = ("exact", "words", "like")


def render_study(lines: Sequence[Line], *, format: Format = "table", digits: int = 4) -> str:
    """Write the table; JSON holds every digit."""
    if format == "json":
        return json.dumps([_as_json(line) for line in lines], indent=2) + "\n"
    return Grid(COLUMNS, [_row(line, digits) for line in lines], digits, booktabs=True).render(format)


def _row(line: Line, digits: int) -> list[Cell]:
    exact, words, like = (line.hits.get(kind, 0) for kind in KINDS)
    kinds = [f"{count / line.requests:.1%}" for count in (exact, words, like)]
    false = None if not words + like else f"{line.false} of {words + like}"
    close = None if line.closeness is None else round(line.closeness, digits)
    head = None if line.head is None else f"{line.head:.0%}"
    return [
        str(line.setting),
        f"{line.rate:.1%}",
        *kinds,
        close,
        false,
        _between(line.lost),
        _between(line.judged),
        head,
    ]


def _between(found: Interval | None) -> str | None:
    if found is None or found.estimate is None:
        return None
    ends = "" if found.low is None else f" ({found.low:+.4f} to {found.high:+.4f})"
    return f"{found.estimate:+.4f}{ends}"


def _as_json(line: Line) -> dict[str, Any]:
    ends = {
        name: None if found is None else {"estimate": found.estimate, "low": found.low, "high": found.high}
        for name, found in (("lost", line.lost), ("judged", line.judged))
    }
    return {
        "cache": str(line.setting), "threshold": line.setting.threshold, "guarded": line.setting.guarded,
        "requests": line.requests, "rate": line.rate, "hits": dict(line.hits), "closeness": line.closeness,
        "false": line.false, "head": line.head, **ends,
    }  # fmt: skip
