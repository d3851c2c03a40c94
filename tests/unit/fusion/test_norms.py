"""Normalisations on values worked out by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import InputError
from rankgauge.fusion import NORMS

LIST = {"q": {"a": 10.0, "b": 6.0, "c": 2.0}}
OTHER = {"q": {"d": 1.0, "a": 0.5}}


def normal(norm, run=LIST, **others):
    """What a normalisation makes of one list: the sum of one run is the run."""
    return rg.fuse({"run": run, **others}, method="CombSUM", norm=norm).to_dict()["q"]


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("none", {"a": 10.0, "b": 6.0, "c": 2.0}),
        ("min-max", {"a": 1.0, "b": 0.5, "c": 0.0}),
        ("max", {"a": 1.0, "b": 0.6, "c": 0.2}),
        ("sum", {"a": 2 / 3, "b": 1 / 3, "c": 0.0}),
        ("z-score", {"a": 4 / sqrt(32 / 3), "b": 0.0, "c": -4 / sqrt(32 / 3)}),
        ("rank", {"a": 1.0, "b": 2 / 3, "c": 1 / 3}),
        ("borda", {"a": 1.0, "b": 2 / 3, "c": 1 / 3}),
    ],
)
def test_a_normalisation(norm, expected):
    assert normal(norm) == pytest.approx(expected)


def test_every_normalisation_has_its_value_here():
    marks = test_a_normalisation.pytestmark[0].args[1]
    assert [norm for norm, _ in marks] == list(NORMS)


def test_borda_gives_the_documents_not_returned_what_is_left():
    # Four candidates; `run` returned three of them, the other two.
    expected = {"a": 1 + 0.75, "b": 0.75 + (0.5 - 1 / 8), "c": 0.5 + (0.5 - 1 / 8), "d": (0.5 - 2 / 8) + 1}
    assert normal("borda", other=OTHER) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("norm", "single", "flat"),
    [("min-max", 1.0, 1.0), ("max", 1.0, 1.0), ("sum", 1.0, 0.5), ("z-score", 0.0, 0.0), ("none", -7.0, -7.0)],
)
def test_a_list_without_differences_has_a_stated_worth(norm, single, flat):
    assert normal(norm, {"q": {"a": -7.0}}) == {"a": single}
    assert normal(norm, {"q": {"a": -7.0, "b": -7.0}}) == {"a": flat, "b": flat}


def test_a_z_score_of_equal_scores_is_zero_whatever_the_rounding():
    assert set(normal("z-score", {"q": {f"d{i}": 0.1 + 0.2 for i in range(7)}}).values()) == {0.0}


def test_a_highest_score_of_zero_is_no_divisor():
    with pytest.raises(InputError, match="run 'run', query 'q': expected a highest score above 0, got 0; choose"):
        normal("max", {"q": {"a": 0.0, "b": -1.0}})


def test_lists_are_normalised_query_by_query():
    run = {"q1": {"a": 100.0, "b": 0.0}, "q2": {"a": 1.0, "b": 0.5, "c": 0.0}}
    fused = rg.fuse([run], method="CombSUM", norm="min-max").to_dict()
    assert fused == {"q1": {"a": 1.0, "b": 0.0}, "q2": {"a": 1.0, "b": 0.5, "c": 0.0}}


def test_distances_are_negated_before_anything():
    near = {"q": {"a": 0.1, "b": 0.2, "c": 0.3}}
    fused = rg.fuse({"near": near}, method="CombSUM", norm="none", lower_is_better=["near"])
    assert fused.to_dict()["q"] == {"a": -0.1, "b": -0.2, "c": -0.3}
    assert list(fused.docs) == ["a", "b", "c"]


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_an_infinite_score_is_refused_where_scores_are_read_and_has_a_rank_elsewhere(bad):
    run = {"q": {"a": 1.0, "b": bad}}
    with pytest.raises(InputError, match=f"run 'run', document 'b': expected a finite score, got {bad}; mend the run"):
        normal("min-max", run)
    order = list(rg.fuse({"run": run, "other": {"q": {"c": 1.0}}}, method="rrf").docs)
    assert order.index("b") < order.index("a") if bad > 0 else order.index("a") < order.index("b")


@pytest.mark.parametrize("norm", ["min-max", "sum", "z-score", "none"])
def test_scores_too_large_to_be_added_are_refused(norm):
    run = {"q": {"a": 1.7e308, "b": -1.7e308, "c": 1.6e308}}
    with pytest.raises(InputError, match="expected scores that can be added up, got scores near the largest number"):
        normal(norm, run, other=run)


def test_a_tiny_range_is_a_range():
    assert normal("min-max", {"q": {"a": 3e-300, "b": 2e-300, "c": 1e-300}}) == pytest.approx(
        {"a": 1.0, "b": 0.5, "c": 0.0}
    )
