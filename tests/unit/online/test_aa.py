from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankgauge.errors import ParameterError
from rankgauge.online.aa import check_aa
from rankgauge.online.metrics import parse_metric
from rankgauge.online.units import Units


def units(*arms):
    sums = tuple({"m": values, "x": np.ones(len(values)), "rows": np.ones(len(values))} for values in arms)
    before = tuple({"b": values + 1} for values in arms)
    return Units("log", ("a", "b", "c")[: len(arms)], sums, before, "user", 0)


def check(found, *metrics, **how):
    return check_aa(found, [parse_metric(one) for one in metrics], rng=np.random.default_rng(1), **how)


def test_random_halves_of_well_behaved_values_keep_the_level():
    rng = np.random.default_rng(2)
    for one in check(units(rng.exponential(1, 2000), rng.normal(5, 1, 10)), "m", "m/x", splits=800):
        assert (one.word, one.units, one.splits) == ("keeps its level", 2000, 800)
        assert one.alarms / one.splits == pytest.approx(0.05, abs=0.03)


def test_one_unit_that_carries_the_metric_makes_the_test_cautious():
    values = np.r_[np.random.default_rng(3).random(200), 1e6]
    found = check(units(values, values), "m", splits=500)[0]
    assert (found.word, found.alarms) == ("fewer", 0)
    assert "its p too large rather than too small" in found.sentence


def test_arms_that_are_equal_are_split_together():
    rng = np.random.default_rng(4)
    found = check(units(rng.random(100), rng.random(150), rng.random(5)), "m", arms=["a", "b"], splits=100)
    assert found[0].units == 250


def test_cuped_is_checked_with_its_adjustment():
    rng = np.random.default_rng(5)
    metric = replace(parse_metric("m"), before="b")
    found = check_aa(units(rng.random(400), rng.random(4)), [metric], splits=200, rng=np.random.default_rng(1))
    assert found[0].undefined == 200  # y and its value of before are the same but for 1: nothing is left to vary


def test_halves_of_nothing_have_no_test():
    found = check(units(np.ones(3), np.ones(3)), "m", splits=100)[0]
    assert found.word in {"keeps its level", "fewer", "cannot tell"}
    few = check(units(np.full(3, 2.0), np.ones(3)), "m", splits=100)[0]
    assert (few.word, few.sentence) == ("cannot tell", "A/A check of m: no split had a test.")


def test_a_check_needs_splits_and_arms_that_there_are():
    with pytest.raises(ParameterError, match="splits: expected 100 or more, got 5"):
        check(units(np.ones(3), np.ones(3)), "m", splits=5)
    with pytest.raises(ParameterError, match="arms: expected some of a, b, got 'z'"):
        check(units(np.ones(3), np.ones(3)), "m", arms=["z"])
