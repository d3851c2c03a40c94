"""Each method's formula, on values worked out by hand."""

from __future__ import annotations

import itertools
from math import log, sqrt

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import MethodError, ParameterError
from rankgauge.fusion import METHODS, fusion_method, votes
from rankgauge.fusion._method import _BY_ALIAS, find_method

# x is first in all three, y second in two, z third in one.
RUNS = [
    {"q": {"x": 0.9, "y": 0.6, "z": 0.3}},
    {"q": {"x": 0.8, "y": 0.1}},
    {"q": {"x": 0.4}},
]
WEIGHTS = [0.5, 0.3, 0.2]


def fused(method, **how):
    return rg.fuse(RUNS, method=method, norm="none" if find_method(method).reads_scores else None, **how).to_dict()["q"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("CombMIN", {"x": 0.4, "y": 0.1, "z": 0.3}),
        ("CombMAX", {"x": 0.9, "y": 0.6, "z": 0.3}),
        ("CombMED", {"x": 0.8, "y": 0.35, "z": 0.3}),
        ("CombSUM", {"x": 2.1, "y": 0.7, "z": 0.3}),
        ("CombANZ", {"x": 0.7, "y": 0.35, "z": 0.3}),
        ("CombMNZ", {"x": 6.3, "y": 1.4, "z": 0.3}),
        ("ISR", {"x": 9.0, "y": 2 * 2 / 4, "z": 1 / 9}),
        ("log_ISR", {"x": 3 * log(3), "y": 0.5 * log(2), "z": 0.0}),
        ("BordaFuse", {"x": 9.0, "y": 2 + 2 + 1.5, "z": 1 + 1 + 1.5}),
        ("Condorcet", {"x": 3.0, "y": 2.0, "z": 1.0}),
    ],
)
def test_a_method_without_parameters(method, expected):
    assert fused(method) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("method", "how", "expected"),
    [
        ("CombGMNZ", {"gamma": 2}, {"x": 2.1 * 9, "y": 0.7 * 4, "z": 0.3}),
        ("RRF", {"k": 60}, {"x": 3 / 61, "y": 2 / 62, "z": 1 / 63}),
        ("RRF", {"k": 1, "weights": WEIGHTS}, {"x": 1 / 2, "y": 0.8 / 3, "z": 0.5 / 4}),
        ("logN_ISR", {"sigma": 1}, {"x": 3 * log(4), "y": 0.5 * log(3), "z": log(2) / 9}),
        ("RBC", {"phi": 0.5}, {"x": 1.5, "y": 0.5, "z": 0.125}),
        ("WSUM", {"weights": WEIGHTS}, {"x": 0.45 + 0.24 + 0.08, "y": 0.3 + 0.03, "z": 0.15}),
        ("WMNZ", {"weights": WEIGHTS}, {"x": 2.1, "y": 0.7 * 0.8, "z": 0.3 * 0.5}),
        ("Mixed", {"weights": WEIGHTS}, {"x": 0.77 * sqrt(3), "y": 0.33 * sqrt(2), "z": 0.15}),
        ("BordaFuse", {"weights": WEIGHTS}, {"x": 3.0, "y": 1 + 0.6 + 0.3, "z": 0.5 + 0.3 + 0.3}),
    ],
)
def test_a_method_with_parameters(method, how, expected):
    assert fused(method, **how) == pytest.approx(expected)


def test_equal_weights_are_the_default():
    for method in [name for name, known in METHODS.items() if known.weighted]:
        assert fused(method) == pytest.approx(fused(method, weights=[1, 1, 1])), method


def test_condorcet_lets_the_heavier_run_win():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}]
    assert list(rg.fuse(runs, method="condorcet", weights=[2, 1]).docs) == ["a", "b"]
    assert list(rg.fuse(runs, method="condorcet", weights=[1, 2]).docs) == ["b", "a"]


def test_condorcet_takes_no_rounding_for_a_vote():
    forth, back = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}
    assert 0.1 + 0.2 > 0.3
    assert list(rg.fuse([forth, forth, back], method="condorcet", weights=[0.1, 0.2, 0.3]).docs) == ["b", "a"]
    assert list(rg.fuse([back, back, forth], method="condorcet", weights=[0.1, 0.2, 0.3]).docs) == ["b", "a"]


def test_condorcet_puts_the_winner_of_all_pairs_first_even_if_borda_does_not():
    # a beats b and c by 3 votes to 2; Borda prefers b.
    orders = ["abc", "abc", "abc", "bca", "bca"]
    runs = [{"q": {doc: -float(order.index(doc)) for doc in order}} for order in orders]
    assert rg.fuse(runs, method="BordaFuse").docs[0] == "b"
    assert list(rg.fuse(runs, method="Condorcet").docs) == ["a", "b", "c"]


def test_condorcet_leaves_no_document_beaten_by_the_one_below_it():
    orders = ["abcde", "bcaed", "cabde", "edcba", "adbce"]
    runs = [{"q": {doc: -float(order.index(doc)) for doc in order}} for order in orders]
    order = list(rg.fuse(runs, method="Condorcet").docs)
    for above, below in itertools.pairwise(order):
        votes = sum(run["q"][above] > run["q"][below] for run in runs)
        assert votes >= 3, (above, below)


def test_an_exchange_of_neighbours_settles_what_copeland_leaves_open():
    place = np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    order = votes._settled(np.array([2, 1, 0]), place, np.ones(3))
    assert order.tolist() == [0, 1, 2]


def test_a_name_is_found_however_it_is_written():
    assert {find_method(name).name for name in ("CombMNZ", "comb_mnz", "comb-mnz", "mnz", "COMBMNZ")} == {"CombMNZ"}


def test_an_unknown_method_is_told_with_the_nearest():
    with pytest.raises(MethodError, match=r"no fusion method named 'CombSUN'; did you mean 'CombSUM'"):
        rg.fuse(RUNS, method="CombSUN")


def test_an_unknown_normalisation_is_told_with_those_there_are():
    with pytest.raises(
        MethodError, match=r"no normalisation named 'minimax'; did you mean .* \(there are: none, min-max"
    ):
        rg.fuse(RUNS, method="CombSUM", norm="minimax")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"method": "rrf", "k": -1}, r"RRF: expected k to be a number in \[0, inf\], got -1"),
        ({"method": "rrf", "phi": 1}, r"RRF has no parameter 'phi' \(it has: k\)"),
        ({"method": "rbc", "phi": 1.0}, r"RBC: expected phi to be a number in \(0, 1\), got 1.0"),
        ({"method": "logN_ISR", "sigma": 2}, r"logN_ISR: expected sigma to be a number in \[0, 1\], got 2"),
    ],
)
def test_a_parameter_outside_its_bounds_is_told(how, message):
    with pytest.raises(ParameterError, match=message):
        rg.fuse(RUNS, **how)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0, 0, 0], [1, -1, 1], [1, float("nan"), 1], []])
def test_weights_are_one_number_of_zero_or_more_per_run(weights):
    with pytest.raises(MethodError, match="WSUM: expected 3 weights of 0 or more, not all 0, one per run, got"):
        rg.fuse(RUNS, method="wsum", weights=weights)


def test_weights_for_a_method_without_weights_are_refused():
    with pytest.raises(MethodError, match="CombSUM takes no weights; methods that do: WSUM"):
        rg.fuse(RUNS, method="CombSUM", weights=WEIGHTS)


def test_a_normalisation_for_a_method_that_reads_ranks_is_refused():
    with pytest.raises(MethodError, match=r"RRF reads ranks and no scores: a normalisation \(min-max\) has nothing"):
        rg.fuse(RUNS, method="rrf", norm="min-max")


def test_a_method_of_ones_own_is_a_function():
    try:

        @fusion_method("best_rank")
        def BestRank(lists):
            """Reciprocal of the best rank.

            score = 1 / min_i rank_i
            """
            return 1 / lists.least(lists.rank)

        assert rg.fuse(RUNS, method="best-rank").to_dict()["q"] == pytest.approx({"x": 1.0, "y": 0.5, "z": 1 / 3})
        with pytest.raises(MethodError, match="a fusion method named 'best_rank' exists already"):
            fusion_method("best_rank")(lambda lists: lists.score)
    finally:
        METHODS.pop("BestRank")
        for alias in ("bestrank",):
            _BY_ALIAS.pop(alias)
