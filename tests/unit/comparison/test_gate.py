"""The gate: when a run passes, fails, or nobody can tell."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import ParameterError
from rankgauge.testing import assert_no_regression

N = 60
QUERIES = [f"q{i:02}" for i in range(N)]
QRELS = {q: {"a": 3, **{f"b{j}": 0 for j in range(9)}} for q in QUERIES}


def placed(ranks: list[int]) -> dict[str, dict[str, float]]:
    """A run whose only relevant document stands at these ranks, one per query; the others were judged."""
    return {
        q: {"a": -float(rank)} | {f"b{j}": -float(j + 1 if j + 1 < rank else j + 2) for j in range(9)}
        for q, rank in zip(QUERIES, ranks, strict=True)
    }


OLD = placed([2] * N)
BETTER = placed([1 if i % 4 else 2 for i in range(N)])
WORSE = placed([3 if i % 2 else 2 for i in range(N)])
SLIGHTLY_WORSE = placed([3 if i == 0 else 2 for i in range(N)])
NOISY = placed([5 if i % 3 else 1 for i in range(N)])
UNJUDGED = {q: {"a": 0.0} | {f"x{j}": float(j + 1) for j in range(5)} for q in QUERIES}


def outcome(run: Any, *, old: Any = OLD, **options: Any) -> tuple[str, int]:
    found = rg.gate(QRELS, old, run, options.pop("measures", "RR@10"), **options)
    return found.outcome, found.exit_code


def test_what_is_better_passes() -> None:
    assert outcome(BETTER) == ("pass", 0)


def test_what_is_worse_by_more_than_the_allowed_drop_fails() -> None:
    assert outcome(WORSE) == ("worse", 1)


def test_a_drop_that_is_allowed_passes() -> None:
    assert outcome(WORSE, max_drop=0.2) == ("pass", 0)
    assert outcome(SLIGHTLY_WORSE) == ("pass", 0)


def test_a_drop_that_cannot_be_ruled_out_does_not_pass() -> None:
    found = rg.gate(QRELS, OLD, NOISY, "RR@10")
    assert (found.outcome, found.exit_code) == ("inconclusive", 3)
    assert "60 queries cannot rule out a drop of 0.01" in found.checks[0].sentence
    assert found.checks[0].do[0].startswith("judge about ")


def test_the_lower_bound_is_that_of_a_one_sided_t_interval() -> None:
    stats = pytest.importorskip("scipy.stats")
    check = rg.gate(QRELS, OLD, NOISY, "RR@10").checks[0]
    differences = np.array([-0.3 if i % 3 else 0.5 for i in range(N)])
    assert check.lowest == pytest.approx(stats.ttest_1samp(differences, 0).confidence_interval(0.90).low, abs=1e-12)


def test_a_measure_under_which_no_query_changed_passes() -> None:
    found = rg.gate(QRELS, OLD, BETTER, "Success@10")
    assert (found.outcome, found.checks[0].sentence) == ("pass", "Success@10: none of the 60 queries changed")


def test_every_measure_must_pass_and_one_that_is_worse_is_enough_to_fail() -> None:
    assert outcome(BETTER, measures=["RR@10", "Success@10"]) == ("pass", 0)
    assert outcome(WORSE, measures=["Success@10", "RR@10"]) == ("worse", 1)
    assert outcome(NOISY, measures=["Success@10", "RR@10"]) == ("inconclusive", 3)


def test_the_same_ranking_passes_without_a_drop_allowed() -> None:
    assert outcome(OLD, max_drop=0) == ("pass", 0)


def test_too_many_unjudged_documents_leave_it_open_although_the_mean_fell() -> None:
    found = rg.gate(QRELS, OLD, UNJUDGED, "P@5")
    assert found.outcome == "inconclusive"
    assert "was never judged, 5% is allowed" in found.checks[0].sentence
    assert rg.gate(QRELS, OLD, UNJUDGED, "P@5", max_unjudged=1).outcome == "worse"


def test_what_no_unjudged_document_can_change_is_decided() -> None:
    """A few unjudged documents below a relevant one that rose everywhere: reciprocal rank can't fall."""
    risen = {q: {"a": 9.0} | {f"x{j}": float(-j) for j in range(5)} for q in QUERIES}
    assert outcome(risen, measures="RBP(p=0.1)@10", old=placed([4] * N)) == ("pass", 0)


def test_a_run_without_results_is_inconclusive_and_not_merely_worse() -> None:
    found = rg.gate(QRELS, OLD, {"q00": OLD["q00"]}, "RR@10")
    assert found.outcome == "inconclusive"
    assert "has no results for 98% of the queries" in found.checks[0].sentence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_drop": -0.1}, "max_drop: expected 0 or more, got -0.1"),
        ({"max_drop": float("nan")}, "max_drop: expected 0 or more, got nan"),
        ({"max_unjudged": 1.1}, "max_unjudged: expected a share from 0 to 1, got 1.1"),
        ({"alpha": 0}, "alpha: expected a number from 0 to 1, got 0"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        rg.gate(QRELS, OLD, BETTER, **options)


def test_a_drop_equal_to_the_allowed_one_passes_no_more_often_than_alpha() -> None:
    """Simulation: the true mean is exactly the allowed drop below the baseline."""
    rng = np.random.default_rng(8)
    values = {1: 1.0, 2: 0.5, 5: 0.2}  # reciprocal ranks against 0.5: +0.5, 0, -0.3
    share_up, share_down = 0.30, 0.60
    drop = share_down * 0.3 - share_up * 0.5  # 0.03
    passed = 0
    runs = 150
    for _ in range(runs):
        ranks = rng.choice([1, 2, 5], N, p=[share_up, 1 - share_up - share_down, share_down]).tolist()
        passed += rg.gate(QRELS, OLD, placed(ranks), "RR@10", max_drop=drop, resamples=200).outcome == "pass"
    assert set(values) == {1, 2, 5}
    assert passed / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_a_test_suite_fails_on_what_is_worse_and_says_why() -> None:
    assert assert_no_regression(QRELS, OLD, BETTER, "RR@10").outcome == "pass"
    with pytest.raises(AssertionError, match=r"RR@10 -0\.0833, more than the allowed drop of 0\.01 .* \[worse\]"):
        assert_no_regression(QRELS, OLD, WORSE, "RR@10", inconclusive="pass")


def test_a_test_suite_chooses_what_becomes_of_a_comparison_that_cannot_tell() -> None:
    with pytest.raises(AssertionError, match=r"cannot rule out a drop of 0\.01 \[inconclusive\]"):
        assert_no_regression(QRELS, OLD, NOISY, "RR@10")
    with pytest.raises(unittest.SkipTest, match="cannot rule out"):
        assert_no_regression(QRELS, OLD, NOISY, "RR@10", inconclusive="skip")
    assert assert_no_regression(QRELS, OLD, NOISY, "RR@10", inconclusive="pass").exit_code == 3
    with pytest.raises(ParameterError, match="inconclusive: expected 'fail', 'skip' or 'pass', got 'ignore'"):
        assert_no_regression(QRELS, OLD, NOISY, inconclusive="ignore")  # type: ignore[arg-type]
