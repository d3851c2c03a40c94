"""Where the truth is known: coverage, size and peeking. Bounds are 4 errors wide.

The larger study whose tables stand in docs/online.md is benchmarks/experiments.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.online.contrasts import AnyTime, Means, Proportions, bootstrap
from rankgauge.statistics.sample_ratio import sample_ratio
from rankgauge.statistics.two_means import Estimated, cuped, estimated, influences
from rankgauge.statistics.two_proportions import Counted

SAMPLES = 1000


def error(rate, samples=SAMPLES):
    return 4 * np.sqrt(rate * (1 - rate) / samples)


def held(found, truth):
    return found.low <= truth <= found.high


def clustered(n, rng):
    """Clicks and impressions of users who each have a rate of their own."""
    shown = rng.geometric(0.1, n).astype(float)
    return rng.binomial(shown.astype(int), rng.beta(1, 9, n)).astype(float), shown


@pytest.mark.parametrize("method", ["miettinen-nurminen", "newcombe"])
@pytest.mark.parametrize(("n", "m", "p", "q"), [(400, 400, 0.02, 0.02), (60, 30, 0.3, 0.5)])
def test_intervals_of_shares_hold_the_truth(method, n, m, p, q):
    rng = np.random.default_rng(1)
    pairs = zip(rng.binomial(n, p, SAMPLES).tolist(), rng.binomial(m, q, SAMPLES).tolist(), strict=True)
    found = [Proportions(Counted(x, n), Counted(y, m), method) for x, y in pairs]
    covered = np.mean([held(one.difference(0.95), p - q) for one in found])
    assert 0.95 - error(0.95) <= covered <= 0.98
    relative = np.mean([held(one.relative(0.95), p / q - 1) for one in found if one.control.hits])
    assert 0.95 - error(0.95) <= relative <= 0.98


def test_a_ratio_by_user_keeps_its_level_where_rows_as_units_do_not():
    rng = np.random.default_rng(2)
    alarms, as_rows, relative = [], [], []
    for _ in range(SAMPLES):
        arm, control = clustered(200, rng), clustered(300, rng)
        both = Means(*(estimated(*influences(*one)) for one in (arm, control)))
        alarms.append(both.p() < 0.05)
        relative.append(held(both.relative(0.95), 0))
        rows = Proportions(*(Counted(int(y.sum()), int(x.sum())) for y, x in (arm, control)))
        as_rows.append(rows.p() < 0.05)
    assert np.mean(alarms) == pytest.approx(0.05, abs=error(0.05))
    assert np.mean(relative) == pytest.approx(0.95, abs=error(0.05))
    assert np.mean(as_rows) > 0.1


def test_the_bootstrap_of_units_holds_the_truth():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(300):
        pairs = [np.column_stack(clustered(150, rng)) for _ in range(2)]
        found.append(held(bootstrap(pairs[0], pairs[1], rng=rng, resamples=300, confidence=0.9), 0))
    assert np.mean(found) == pytest.approx(0.9, abs=error(0.9, 300))


@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_cuped_saves_the_square_of_the_correlation_and_keeps_its_level(rho):
    rng = np.random.default_rng(4)
    saved, alarms = [], []
    for _ in range(SAMPLES):
        before = [rng.normal(size=n) for n in (150, 250)]
        y = [rho * x + np.sqrt(1 - rho**2) * rng.normal(size=len(x)) for x in before]
        found = cuped(influences(y[0]), influences(y[1]), (before[0], before[1]))
        saved.append(found.reduction)
        alarms.append(Means(found.a, found.b).p() < 0.05)
    assert np.mean(saved) == pytest.approx(rho**2, abs=0.01)
    assert np.mean(alarms) == pytest.approx(0.05, abs=error(0.05))


@pytest.mark.parametrize("draw", ["normal", "rare"])
def test_a_sequence_that_is_looked_at_all_the_time_misses_less_often_than_promised(draw):
    rng = np.random.default_rng(5)
    looks = np.unique(np.geomspace(100, 3000, 60).astype(int))
    missed, naive = 0, 0
    for _ in range(400):
        values = rng.normal(size=(2, 3000)) if draw == "normal" else (rng.random((2, 3000)) < 0.05).astype(float)
        means = np.cumsum(values, axis=1)[:, looks - 1] / looks
        spreads = np.cumsum(values**2, axis=1)[:, looks - 1] / looks - means**2
        arms = [
            [Estimated(int(n), float(m), float(v)) for n, m, v in zip(looks, means[k], spreads[k], strict=True)]
            for k in range(2)
        ]
        missed += any(not held(AnyTime(a, b, 2000, 0.05).difference(0.95), 0) for a, b in zip(*arms, strict=True))
        naive += any(not held(Means(a, b).difference(0.95), 0) for a, b in zip(*arms, strict=True))
    assert missed / 400 <= 0.05 + error(0.05, 400) / 4
    assert naive / 400 > 0.2


def test_fair_splits_are_hardly_ever_flagged():
    arms = np.random.default_rng(6).binomial(20_000, 0.5, 4000).tolist()
    assert np.mean([sample_ratio([n, 20_000 - n]).mismatch for n in arms]) <= 0.001 + error(0.001, 4000)
