from __future__ import annotations

import pytest
from scipy.stats import chisquare

from rankgauge.errors import ParameterError
from rankgauge.statistics.sample_ratio import sample_ratio


@pytest.mark.parametrize(("units", "split"), [((5000, 5100), None), ((9100, 980, 1020), (8, 1, 1)), ((10, 0), (1, 1))])
def test_the_test_is_scipys(units, split):
    found = sample_ratio(units, split)
    parts = split or (1,) * len(units)
    theirs = chisquare(units, [sum(units) * part / sum(parts) for part in parts])
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_a_mismatch_is_flagged_below_a_thousandth():
    assert not sample_ratio([5000, 5300]).mismatch  # p = 0.0031
    assert sample_ratio([5000, 5400]).mismatch  # p = 0.00009
    assert not sample_ratio([9000, 1000], [90, 10]).mismatch


def test_nobody_has_no_split():
    assert sample_ratio([0, 0]).p is None


def test_a_split_has_a_part_for_each_arm():
    with pytest.raises(ParameterError, match="split: expected 2 numbers above 0, one per arm, got"):
        sample_ratio([1, 2], [1, 2, 3])
    with pytest.raises(ParameterError, match="split: expected 2 numbers above 0"):
        sample_ratio([1, 2], [1, 0])
