from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from rankgauge.errors import InputError
from rankgauge.statistics.clustered import clustered_mean
from rankgauge.statistics.intervals import interval


def test_the_error_is_that_of_a_regression_on_a_constant_with_clustered_errors():
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    values = rng.normal(0, 1, 12)[cluster] + rng.normal(0, 1, len(cluster))
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    half = stats.t.ppf(0.975, 11) * fit.bse[0] * np.sqrt(12 / 11)
    found = clustered_mean(values, cluster.tolist())
    assert (found.estimate, found.low) == pytest.approx((values.mean(), values.mean() - half))


def test_clusters_of_one_give_the_t_interval():
    values = np.random.default_rng(2).normal(0, 1, 15)
    found, plain = clustered_mean(values, range(15)), interval(values, method="t")
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


def test_few_clusters_are_said():
    assert clustered_mean([1.0, 2.0], ["q", "q"]).outcome == "one cluster: no interval"
    assert clustered_mean([], []).outcome == "no value"
    with pytest.raises(InputError, match="not finite"):
        clustered_mean([np.nan], ["q"])
    with pytest.raises(InputError, match="one cluster per item"):
        clustered_mean([1.0], ["q", "r"])
