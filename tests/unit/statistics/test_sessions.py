"""Sessions that an interleaving test needs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaln

from rankgauge.errors import ParameterError
from rankgauge.statistics.sessions import interleaving_sessions, log_evidence, plan_sessions, sequential_sessions


def test_the_number_of_sessions_gives_the_binomial_test_the_power_that_was_asked_for() -> None:
    stats = pytest.importorskip("scipy.stats")
    for preference in (0.51, 0.52, 0.55):
        n = interleaving_sessions(preference, alpha=0.05, power=0.8)
        critical = stats.binom.isf(0.025, n, 0.5)
        assert stats.binom.sf(critical, n, preference) == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("preference", [0.5, 0.3, 1.0, float("nan")])
def test_a_preference_that_is_none_is_refused(preference: float) -> None:
    with pytest.raises(ParameterError, match=r"preference: expected a share above 0\.5"):
        interleaving_sessions(preference)


def test_the_evidence_is_that_of_a_fair_coin_against_all_others() -> None:
    """With a = 1 every p is as likely: E = 2² ∫ p² dp = 4/3 after two wins of two."""
    assert log_evidence(2, 2, prior=1) == pytest.approx(np.log(4 / 3))
    assert log_evidence(0, 0) == 0.0


def test_within_the_planned_sessions_the_e_process_stops_at_least_as_often_as_asked_for() -> None:
    n = np.arange(1, sequential_sessions(0.55) + 1)
    wins = np.cumsum(np.random.default_rng(1).random((2000, len(n))) < 0.55, axis=1)
    evidence = n * np.log(2) + betaln(50 + wins, 50 + n - wins) - betaln(50, 50)
    stopped = (evidence >= np.log(20)).any(axis=1).mean()
    assert 0.8 < stopped < 0.92
    assert sequential_sessions(0.55) > interleaving_sessions(0.55)


def test_a_plan_says_what_it_takes_in_all_sessions() -> None:
    assert plan_sessions(0.55, deciding=0.5).sentence == (
        "interleave both online: 783 sessions with a preference show one of 55% (looked at once; at any time, 1,517), "
        "1,566 sessions in all where 50% have one"
    )
    with pytest.raises(ParameterError, match="deciding: expected a share above 0, got 0"):
        plan_sessions(deciding=0)
