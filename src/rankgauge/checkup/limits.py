"""Thresholds of the checkup: from where on something is worth a word, weakens a decision, or forbids it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from rankgauge.comparison.verdict import Thresholds


def _limit(default: float, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class CheckupLimits:
    """Thresholds; shares are between 0 and 1.

    The steps of the unjudged rate are those of the verdict of a comparison. The lowest number of queries follows
    from the sign test: with n queries no two-sided p is below 2^(1-n), which is 0.0625 for n = 5.

    >>> CheckupLimits(few_queries=50).few_queries
    50
    """

    level: float = _limit(1.0, "grade from which a document is relevant")
    min_queries: int = _limit(6, "fewer queries with a relevant document: error, no test can reach 5%")
    few_queries: int = _limit(25, "fewer queries with a relevant document: warning")
    much_empty: float = _limit(0.5, "larger share of queries without a relevant document: error")
    much_single: float = _limit(
        0.9, "larger share of queries with one relevant document: warning, if two of RR, AP and nDCG are asked for"
    )
    beyond_cutoff: float = _limit(0.1, "larger share of queries with more relevant documents than ranks: warning")
    concentration: float = _limit(0.5, "larger share of judgments in a tenth of the queries: warning")
    one_grade: float = _limit(0.95, "larger share of judgments with the same grade: info")
    large_grade: float = _limit(6.0, "higher grade: warning, 2^grade - 1 hides all other documents")
    some_unjudged: float = _limit(Thresholds.clean, "larger unjudged rate: warning")
    more_unjudged: float = _limit(
        Thresholds.warned, "larger unjudged rate: warning, other treatments of holes have to agree"
    )
    much_unjudged: float = _limit(Thresholds.refused, "larger unjudged rate: error")
    pool_share: float = _limit(0.95, "judged share down to which depth counts as pooled")
    pool_bias: float = _limit(Thresholds.apart, "larger difference between runs' judged shares: warning")
    unreturned: float = _limit(0.5, "larger share of relevant documents that no run returned: warning")
    missing_queries: float = _limit(Thresholds.missing, "larger share of judged queries without results: error")
    short_results: float = _limit(0.1, "larger share of queries with fewer results than the cutoff: warning")
    ties: float = _limit(0.2, "larger share of results with a score that others share: warning")
    oracle: float = _limit(0.99, "larger share of relevant documents among all that a run returned: warning")
    self_ids: float = _limit(0.1, "larger share of queries that return a document with their own id: warning")
    long_id: int = _limit(200, "longer id, in bytes: info")
    near_duplicate: float = _limit(0.9, "Jaccard similarity from which texts count as near duplicates")
    same_story: float = _limit(0.95, "per-query correlation from which two measures tell the same story")
    undecided: float = _limit(0.5, "larger share of queries on which all runs score the same: warning")
    ceiling: float = _limit(0.98, "higher mean of every run: warning, the set is too easy for them")
    difference: float = _limit(0.05, "smallest difference that the set should be able to show: warning if it cannot")
    power: float = _limit(Thresholds.power, "chance with which that difference should be found")
    alpha: float = _limit(Thresholds.alpha, "significance level of that")


def described() -> list[tuple[str, float, str]]:
    """Name, default and meaning of each threshold."""
    return [(f.name, f.default, f.metadata["help"]) for f in fields(CheckupLimits)]  # type: ignore[misc]
