"""Values that the project's specification states (section 1), to the digits that it states, and its identities."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.measures import discount, gain
from rankgauge.measures._weights import discounts, gains

EXAMPLE = {"q": {"a": 2, "b": 1, "c": 2, "d": 0}}
EXAMPLE_RUN = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}


def value(qrels, run, measure, **options):
    return rg.evaluate(qrels, run, measure, **options).values.item()


def ranked(grades):
    """Qrels and a run of one query whose documents have these grades in ranked order, None for unjudged."""
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}}
    return qrels, {"q": {f"d{i}": float(-i) for i in range(len(grades))}}


def test_gains_of_grades_0_to_4():
    grades = np.arange(5.0)
    assert gains(grades, "linear").tolist() == [0, 1, 2, 3, 4]
    assert gains(grades, "exp").tolist() == [0, 1, 3, 7, 15]


def test_the_discounts_at_ranks_1_2_3_5_10_20():
    found = discounts(np.array([1, 2, 3, 5, 10, 20]), "log2")
    assert found.round(3).tolist() == [1.000, 0.631, 0.500, 0.387, 0.289, 0.228]


@pytest.mark.parametrize(
    ("grades", "how", "expected"),
    [
        ([2], "exp", 3.0),
        ([2], "linear", 2.0),
        ([1, 1], "exp", 1.631),
        ([1, 1], "linear", 1.631),
        ([1, 1, 1], "exp", 2.131),
        ([1, 1, 1], "linear", 2.131),
        ([2, 1, 2, 0], "linear", 3.6309),
        ([2, 1, 2, 0], "exp", 5.1309),
    ],
)
def test_dcg_of_the_golden_table(grades, how, expected):
    digits = 4 if len(grades) == 4 else 3
    assert round(value(*ranked(grades), f"DCG(gain='{how}')"), digits) == expected


@pytest.mark.parametrize(("how", "ideal", "expected"), [("linear", 3.7619, 0.9652), ("exp", 5.3928, 0.9514)])
def test_ndcg_of_the_worked_example(how, ideal, expected):
    best = {"q": {"a": 4.0, "c": 3.0, "b": 2.0, "d": 1.0}}
    assert round(value(EXAMPLE, best, f"DCG(gain='{how}')"), 4) == ideal
    assert round(value(EXAMPLE, EXAMPLE_RUN, f"nDCG(gain='{how}')"), 4) == expected


def test_a_perfect_ranking_scores_exactly_1_with_more_relevant_documents_than_the_cutoff():
    assert value(*ranked([1] * 12), "nDCG@10") == 1.0


def test_a_query_without_relevant_documents_is_left_out_and_counted_or_0_when_asked():
    qrels, run = {"1": {"a": 1}, "2": {"a": 0}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    mean = rg.evaluate(qrels, run, "nDCG@10").mean()
    assert mean.select("mean", "n", "undefined").row(0) == (1.0, 1, 1)
    zero = rg.evaluate(qrels, run, "nDCG@10", convention=rg.CONVENTIONS["default"].but(undefined="zero")).mean()
    assert zero.select("mean", "n", "undefined").row(0) == (0.5, 2, 0)


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 5))
def test_with_one_relevant_document_the_binary_measures_follow_from_its_rank(rank, more, below):
    k = rank + more
    qrels, run = ranked([None] * (rank - 1) + [1] + [0] * below)
    expected = {
        f"Success@{k}": 1.0,
        f"R@{k}": 1.0,
        f"P@{k}": 1 / k,
        "RR": 1 / rank,
        f"RR@{k}": 1 / rank,
        "AP": 1 / rank,
        f"AP@{k}": 1 / rank,
        f"nDCG@{k}": 1 / log2(rank + 1),
    }
    assert rg.evaluate(qrels, run, list(expected)).values.ravel().tolist() == pytest.approx(list(expected.values()))


@given(st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=15), st.integers(0, 4))
def test_precision_recall_and_r_precision_are_one_at_k_equal_to_R(grades, unretrieved):
    qrels, run = ranked(grades)
    qrels["q"] |= {f"u{i}": 1 for i in range(unretrieved)} | {"one": 1}
    R = sum(grade >= 1 for grade in qrels["q"].values())
    precision, recall, r_precision = rg.evaluate(qrels, run, [f"P@{R}", f"R@{R}", "Rprec"]).values.ravel().tolist()
    assert precision == recall == r_precision


def test_ndcg_against_rr_at_ranks_1_2_3_5_10():
    ranks = (1, 2, 3, 5, 10)
    found = [
        rg.evaluate(*ranked([None] * (r - 1) + [1]), ["nDCG", "RR"]).values.ravel().round(2).tolist() for r in ranks
    ]
    assert found == [[1.0, 1.0], [0.63, 0.5], [0.5, 0.33], [0.39, 0.2], [0.29, 0.1]]


def test_err_of_the_worked_example():
    """Documents a 3, b 0, c 2, d 1, e 0, f 2 judged, ranking b a x c e d: gdeval prints 0.21875 and 0.24988."""
    qrels = {"1": {"a": 3, "b": 0, "c": 2, "d": 1, "e": 0, "f": 2}}
    run = {"1": {doc: float(-i) for i, doc in enumerate("baxced")}}
    assert value(qrels, run, "ERR(max_grade=4)@3") == 0.21875
    assert round(value(qrels, run, "ERR(max_grade=4)@20"), 5) == 0.24988
    assert value(qrels, run, "ERR(max_grade=3)@3") == value(qrels, run, "ERR@3") == 0.4375


def test_errs_scale_is_the_whole_collections_and_not_the_querys():
    qrels = {"1": {"a": 1}, "2": {"a": 4}}
    found = rg.evaluate(qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "ERR@10").values.ravel().tolist()
    assert found == [1 / 16, 15 / 16]


@pytest.mark.parametrize(
    ("p", "weights"),
    [
        (0.5, [1, 0.5, 0.25, 0.06, 0.002]),
        (0.8, [1, 0.8, 0.64, 0.41, 0.13]),
        (0.95, [1, 0.95, 0.90, 0.81, 0.63]),
    ],
)
def test_the_weights_of_rbp_at_ranks_1_2_3_5_10(p, weights):
    for rank, weight in zip((1, 2, 3, 5, 10), weights, strict=True):
        found = value(*ranked([None] * (rank - 1) + [1]), f"RBP(p={p})") / (1 - p)
        assert found == pytest.approx(weight, abs=0.0051 if weight > 0.1 else 0.003)


def test_a_named_gain_and_discount_of_the_users_own_are_taken_by_name():
    @gain
    def cubic(grade):
        return grade**3

    @discount
    def halving(rank):
        return 0.5 ** (rank - 1)

    try:
        assert value(*ranked([2, 1]), "DCG(gain='cubic', discount='halving')") == 8.5
    finally:
        from rankgauge.measures import _weights

        del _weights.GAINS["cubic"], _weights.DISCOUNTS["halving"]
