"""The one JSON object of the page: the comparison's own, and what the views need beside it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import numpy as np

from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.pairs import Pair
from rankgauge.errors import MeasureError, ParameterError
from rankgauge.measures import profile
from rankgauge.records import Qrels, Run
from rankgauge.report.comparison import as_json
from rankgauge.report.page.queries import order_of
from rankgauge.report.page.rankings import rankings_json

SHOWN_RANKS = 20
PACKAGES = ("rankgauge", "numpy", "polars", "scipy")


@dataclass(frozen=True)
class Sources:
    """What the page shows beside the comparison: qrels, runs, texts, and how many ranks the product shows."""

    qrels: Qrels | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    product_depth: int = 10

    @property
    def depth(self) -> int:
        """Number of ranks that the page holds."""
        return max(SHOWN_RANKS, self.product_depth)


def page_json(comparison: Comparison, sources: Sources, title: str | None) -> dict[str, Any]:
    """The comparison's JSON with the key "page" for the views. Values that do not exist are null."""
    scores = comparison.scores
    page = {
        "title": title,
        "runs": list(scores.runs),
        "measures": list(scores.measures),
        "product_depth": sources.product_depth,
        "query_texts": [sources.queries.get(query) for query in scores.queries],
        "profiles": [_profile(measure, sources) for measure in scores.measures],
        "versions": versions(),
        "order": order_of(comparison),
        "relative": [_relative(pair) for pair in comparison.pairs],
        **rankings_json(comparison, sources.qrels, sources.runs, sources.texts, sources.depth),
    }
    made: dict[str, Any] = without_nan(as_json(comparison) | {"page": page})
    return made


def script_json(content: Mapping[str, Any]) -> str:
    """JSON that no text inside can break out of its script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _profile(measure: str, sources: Sources) -> dict[str, Any]:
    """Weights by rank of one measure, or why there are none."""
    try:
        found = profile(measure, depth=max(sources.depth, 1))
    except (MeasureError, ParameterError) as error:
        return {"measure": measure, "W": None, "within": None, "adaptive": None, "why": str(error)}
    inside = float(found.W[: sources.product_depth].sum())
    return {"measure": measure, "W": found.W.tolist(), "within": inside, "adaptive": found.adaptive, "why": None}


def _relative(pair: Pair) -> float | None:
    """Difference of the means relative to the baseline's; None where that is 0 or undefined."""
    if not pair.n or not pair.baseline_values.mean():
        return None
    baseline = float(pair.baseline_values.mean())
    return (float(pair.run_values.mean()) - baseline) / abs(baseline)


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {"Python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "from source" if package == "rankgauge" else "not installed"


def without_nan(content: Any) -> Any:
    """The same object with null for every number that is none, which JSON cannot say."""
    if isinstance(content, float):
        return content if np.isfinite(content) else None
    if isinstance(content, dict):
        return {key: without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [without_nan(value) for value in content]
    return content.item() if isinstance(content, np.generic) else content
