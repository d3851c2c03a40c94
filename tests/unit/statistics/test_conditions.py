"""Yes-or-no outcomes of the same questions: against statsmodels, by hand, and where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.conditions import cochran_q, exchange_p, range_of_means
from rankgauge.statistics.pairs_of_outcomes import mcnemar
from rankgauge.statistics.proportions import wilson

proportion = pytest.importorskip("statsmodels.stats.proportion")
tables = pytest.importorskip("statsmodels.stats.contingency_tables")
BINARY = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 30), st.integers(2, 5)), elements=st.sampled_from([0.0, 1.0])
)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.95]))
def test_wilsons_interval_is_that_of_statsmodels(counts: tuple[int, int], confidence: float) -> None:
    found = wilson(*counts, confidence=confidence)
    low, high = proportion.proportion_confint(*counts, alpha=1 - confidence, method="wilson")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_wilsons_interval_of_nothing_is_none_and_of_more_hits_than_trials_an_error() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).outcome) == (None, "nothing was counted")
    with pytest.raises(InputError, match="hits: expected from 0 to 2, got 3"):
        wilson(3, 2)


@given(BINARY)
def test_cochrans_q_is_that_of_statsmodels(rows: np.ndarray) -> None:
    found = cochran_q(rows)
    if not found.mixed:
        assert (found.statistic, found.p) == (None, None)
        assert found.outcome == "no question has different outcomes"
        return
    other = tables.cochrans_q(rows)
    assert (found.statistic, found.p) == pytest.approx((other.statistic, other.pvalue), rel=1e-9, abs=1e-12)


def test_cochrans_q_by_hand_leaves_out_what_is_not_complete() -> None:
    found = cochran_q([[1, 0, 0], [1, 1, 0], [1, 1, 1], [np.nan, 1, 0]])
    # G = 3, 2, 1; L = 1, 2, 3: 2 (3 · 14 - 36) / (3 · 6 - 14) = 3
    assert (found.statistic, found.freedom, found.n, found.mixed, found.left_out) == (3.0, 2, 3, 2, 1)


@given(BINARY)
def test_mcnemars_test_is_that_of_statsmodels(rows: np.ndarray) -> None:
    one, other = rows[:, 0], rows[:, 1]
    table = [[np.sum((one == a) & (other == b)) for b in (1, 0)] for a in (1, 0)]
    found = mcnemar(one, other)
    if table[0][1] + table[1][0] == 0:
        assert found.p is None and found.outcome == "no question has different outcomes"
        return
    assert found.p == pytest.approx(tables.mcnemar(table, exact=True).pvalue, abs=1e-12)
    assert (found.statistic, found.zeros) == (table[1][0], table[0][0] + table[1][1])


def test_what_is_no_yes_or_no_is_refused() -> None:
    with pytest.raises(InputError, match=r"outcomes: expected 0, 1 or NaN, got 0\.5"):
        cochran_q([[0.5, 1], [1, 0]])
    with pytest.raises(InputError, match=r"outcomes: expected 0, 1 or NaN, got 2"):
        mcnemar([2, 1], [1, 0])
    with pytest.raises(ParameterError, match="expected two conditions or more, got 1"):
        cochran_q([[1], [0]])


def test_the_range_of_means_by_hand_and_its_interval_is_around_it() -> None:
    rows = np.array([[1.0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [np.nan, 1, 1]])
    found = range_of_means(rows, rng=np.random.default_rng(1), resamples=2000)
    assert (found.estimate, found.n, found.left_out) == (0.75, 4, 1)
    assert found.low <= 0.75 <= found.high
    assert range_of_means([[1.0, 0.0]], rng=np.random.default_rng(1)).outcome == "one query"


def test_exchange_is_exact_on_a_tiny_case_and_keeps_its_level() -> None:
    # Natural is 1, both random ones 0, in three questions: 1 of 27 ways has all three, 2^3 of 27 none.
    rows = np.array([[1.0, 0, 0]] * 3)
    found = exchange_p(rows, rng=np.random.default_rng(1), resamples=20_000)
    assert found == pytest.approx(1 / 27, abs=0.005)
    rng = np.random.default_rng(2)
    alarms = [exchange_p(rng.random((40, 4)), rng=rng, resamples=200) <= 0.05 for _ in range(300)]
    assert 0.02 <= np.mean(alarms) <= 0.085


@settings(max_examples=20)
@given(BINARY)
def test_exchange_of_equal_columns_says_nothing(rows: np.ndarray) -> None:
    same = np.repeat(rows[:, :1], 3, axis=1)
    assert exchange_p(same, rng=np.random.default_rng(1), resamples=100) == 1.0
