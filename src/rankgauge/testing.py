"""For tests of a ranking: fail where it got worse, and say so where nobody can tell."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import Any, Literal

from rankgauge.comparison.gate import Gate, gate
from rankgauge.engines.memory import AnyQrels, AnyRun
from rankgauge.errors import ParameterError
from rankgauge.measures import Measure

Inconclusive = Literal["fail", "skip", "pass"]


def assert_no_regression(
    qrels: AnyQrels,
    baseline: AnyRun,
    run: AnyRun,
    measures: str | Measure | Sequence[str | Measure] = "nDCG@10",
    *,
    max_drop: float = 0.01,
    max_unjudged: float = 0.05,
    inconclusive: Inconclusive = "fail",
    **options: Any,
) -> Gate:
    """Raise AssertionError where `run` is worse than `baseline`; see `rankgauge.gate` for what that means.

    Parameters
    ----------
    inconclusive : what becomes of a comparison that cannot tell: "fail", "skip" (the test is skipped with the
        reason, under pytest and unittest alike), or "pass"
    options : as of `rankgauge.gate`

    A test of a search engine::

        def test_the_new_ranking_is_no_worse():
            assert_no_regression(qrels, production_run, new_run, ["nDCG@10", "R@100"], max_drop=0.01)
    """
    if inconclusive not in ("fail", "skip", "pass"):
        raise ParameterError(f"inconclusive: expected 'fail', 'skip' or 'pass', got {inconclusive!r}")
    found = gate(qrels, baseline, run, measures, max_drop=max_drop, max_unjudged=max_unjudged, **options)
    failing = [check for check in found.checks if check.outcome != "pass"]
    said = "; ".join(f"{check.sentence} [{check.outcome}]" for check in failing)
    if found.outcome == "worse" or (found.outcome == "inconclusive" and inconclusive == "fail"):
        raise AssertionError(said)
    if found.outcome == "inconclusive" and inconclusive == "skip":
        raise unittest.SkipTest(said)
    return found
