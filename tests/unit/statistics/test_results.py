"""What every statistic returns: plain numbers that JSON can hold, never NaN."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

from rankgauge.judged import FloatArray
from rankgauge.statistics.effects import effect, wins_ties_losses
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.power import sensitivity

Statistic = Callable[[FloatArray], object]

STATISTICS: dict[str, Statistic] = {
    "t interval": lambda row: interval(row, method="t"),
    "BCa interval": lambda row: interval(row, rng=np.random.default_rng(1), resamples=100),
    "randomization": lambda row: paired_test(row, rng=np.random.default_rng(1), resamples=100),
    "t": lambda row: paired_test(row, method="t"),
    "wilcoxon": lambda row: paired_test(row, method="wilcoxon"),
    "sign": lambda row: paired_test(row, method="sign"),
    "bootstrap": lambda row: paired_test(row, method="bootstrap", rng=np.random.default_rng(1), resamples=100),
    "effect": effect,
    "wins, ties, losses": wins_ties_losses,
    "sensitivity": lambda row: sensitivity(row, wanted=0.01),
    "equivalence": lambda row: equivalence(row, margin=0.01),
}
ROWS = {
    "usual": [0.1, -0.2, 0.3, 0.0, np.nan],
    "none": [],
    "one": [0.1],
    "all 0": [0.0] * 4,
    "all equal": [0.1] * 4,
    "many": [*np.linspace(-0.1, 0.2, 60)],
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_result_holds_plain_numbers_and_no_nan(statistic: str, row: str) -> None:
    found = asdict(STATISTICS[statistic](np.array(ROWS[row], dtype=float)))  # type: ignore[call-overload]
    assert json.loads(json.dumps(found)) == found
    assert {type(x) for x in found.values()} <= {int, float, bool, str, type(None)}
    assert not any(isinstance(x, float) and not math.isfinite(x) for x in found.values())
    if row in {"none", "one", "all 0", "all equal"} and "outcome" in found:
        assert found["outcome"]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_caller_s_values_are_left_alone(statistic: str) -> None:
    row = np.array([0.1, 1e-17, -0.2, np.nan, 0.3])
    before = row.copy()
    row.flags.writeable = False
    STATISTICS[statistic](row)
    assert np.array_equal(row, before, equal_nan=True)
