"""Faults reported around agreement of labels."""

from __future__ import annotations

import pytest

from rankgauge.statistics.agreement import cohen_kappa


def test_kappa_is_undefined_and_said_so_where_one_label_only_occurs():
    """Case kappa-one-label, same.csv."""
    found = cohen_kappa([1] * 5, [1] * 5)
    assert (found.agreement, found.kappa) == (1.0, None)
    assert found.outcome == "one label only (1): chance agrees as well"


def test_a_judge_who_always_says_yes_agrees_by_chance_alone():
    """Case kappa-one-label, lazy.csv; scikit-learn 1.9.1."""
    found = cohen_kappa([1] * 9 + [0], [1] * 10)
    assert (found.agreement, found.kappa) == (0.9, 0.0)


def test_graded_labels_are_weighted_by_the_square_of_their_distance():
    """Case kappa-one-label, graded.csv; scikit-learn 1.9.1."""
    found = cohen_kappa([0, 1, 2, 2, 1, 0, 2, 1], [0, 1, 2, 1, 1, 0, 2, 2], weighting="quadratic")
    assert found.kappa == pytest.approx(0.794872, abs=5e-7)
