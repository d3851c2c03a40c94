"""Sessions that an interleaving test needs."""

from __future__ import annotations

import pytest

from rankgauge.errors import ParameterError
from rankgauge.statistics.sessions import interleaving_sessions


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
