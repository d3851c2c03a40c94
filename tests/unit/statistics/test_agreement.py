"""Agreement of two labellings."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.agreement import Weighting, cohen_kappa


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weighting: Weighting) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    for _ in range(20):
        a, b = rng.integers(0, 4, (2, 30))
        theirs = sklearn.cohen_kappa_score(a, b, weights=None if weighting == "none" else weighting)
        assert cohen_kappa(a, b, weighting=weighting).kappa == pytest.approx(theirs, abs=1e-12)


def test_labels_may_be_words() -> None:
    found = cohen_kappa(["yes", "no", "yes"], ["yes", "no", "no"])
    assert (found.n, found.agreement, found.kappa) == (3, pytest.approx(2 / 3), pytest.approx(0.4))


def test_two_sides_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="labels: expected the same items on both sides, at least one, got 2 and 1"):
        cohen_kappa([1, 0], [1])
    with pytest.raises(InputError, match="got 0 and 0"):
        cohen_kappa([], [])


def test_an_unknown_weighting_is_refused() -> None:
    with pytest.raises(ParameterError, match="got 'cubic'"):
        cohen_kappa([1], [1], weighting="cubic")  # type: ignore[arg-type]
