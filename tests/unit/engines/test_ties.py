"""Ties too large to try all orders: closed forms across cutoffs, seeded samples, and intervals that do not exist."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.engines import ties
from rankgauge.engines.orders import MOST_ORDERS

SIZE, RELEVANT = 400, 7
QRELS = {"q": {f"r{i}": 1 for i in range(RELEVANT)} | {"n": 0}}
RUN = {"q": {"top": 9.0} | {f"r{i}": 1.0 for i in range(RELEVANT)} | {f"u{i}": 1.0 for i in range(SIZE - RELEVANT)}}
JUDGED = rg.judge(rg.Qrels.from_dict(QRELS), rg.Run.from_dict(RUN))


def first_at(place: int) -> float:
    """Chance that the first relevant document stands at this place of the tie."""
    return comb(SIZE - place, RELEVANT - 1) / comb(SIZE, RELEVANT)


@pytest.mark.parametrize("cutoff", [1, 2, 50, 401, 1000])
def test_RR_and_Success_of_a_large_tie_follow_the_hypergeometric_distribution(cutoff):
    places = range(1, min(cutoff, SIZE + 1))
    rr = sum(first_at(t) / (t + 1) for t in places)
    assert ties.expected(rg.RR @ cutoff, JUDGED).values.item() == pytest.approx(rr, abs=1e-14)
    success = sum(first_at(t) for t in places)
    assert ties.expected(rg.Success @ cutoff, JUDGED).values.item() == pytest.approx(success, abs=1e-13)


@pytest.mark.parametrize("cutoff", [None, 30])
def test_AP_of_a_large_tie_agrees_with_a_large_sample_of_orders(cutoff):
    rng = np.random.default_rng(3)
    ranks = 2 + np.sort(rng.permuted(np.tile(np.arange(SIZE), (20_000, 1)), axis=1)[:, :RELEVANT], axis=1)
    seen = ranks <= (cutoff or SIZE + 1)
    sample = (seen * np.arange(1, RELEVANT + 1) / ranks).sum(axis=1) / RELEVANT
    measure = rg.AP if cutoff is None else rg.AP @ cutoff
    found = ties.expected(measure, JUDGED)
    assert abs(found.values.item() - sample.mean()) < 4 * sample.std() / len(sample) ** 0.5
    assert (found.sampled, found.error) == (0, 0.0)


def test_a_large_tie_is_sampled_the_same_way_each_time_and_alone_as_in_a_batch():
    alone = ties.expected(rg.ERR @ 100, JUDGED)
    assert (alone.sampled, alone.values.item()) == (1, ties.expected(rg.ERR @ 100, JUDGED).values.item())
    more = rg.judge(rg.Qrels.from_dict({"p": {"x": 1}} | QRELS), rg.Run.from_dict({"p": {"x": 1.0, "y": 1.0}} | RUN))
    assert ties.expected(rg.ERR @ 100, more).values.tolist() == [0.375, alone.values.item()]
    assert ties.expected(rg.ERR @ 100, JUDGED, seed=1).values.item() != alone.values.item()


def test_the_standard_error_of_a_sample_covers_the_truth():
    """RR by its definition, kept from its closed form: the truth is known."""
    orders = ties._over_orders(rg.RR, JUDGED, rg.RR.of(JUDGED), 0)
    truth = ties.expected(rg.RR, JUDGED).values.item()
    assert orders.sampled == 1
    assert 0 < orders.error < 0.01
    assert abs(orders.values.item() - truth) < 4 * orders.error


def test_sampled_values_are_noted_with_their_number_and_error():
    scores = rg.evaluate(QRELS, RUN, ["ERR@100", "AP"], ties="expected")
    (note,) = [note for note in scores.notes if note.kind == "sampled orders"]
    assert note.count == 1
    start = (
        f"run 'run', ERR@100: the expected values of 1 queries are means of {MOST_ORDERS:,} sampled orders, standard"
    )
    assert note.text.startswith(start)


def test_few_orders_are_all_seen_and_nothing_is_noted():
    scores = rg.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 1.0}}, "ERR", ties="expected")
    assert scores.values.item() == pytest.approx((0.25 + 0.75 * 0.75 / 2 + 0.75 + 0.25 * 0.25 / 2) / 2, abs=1e-15)
    assert [note for note in scores.notes if note.kind == "sampled orders"] == []


TIED = rg.judge(
    rg.Qrels.from_dict({"q": {"a": 1, "b": 2, "c": 0}}), rg.Run.from_dict({"q": dict.fromkeys("abcx", 1.0)})
)


@pytest.mark.parametrize(
    "measure",
    [
        rg.nDCG(gain={1: 3, 2: 1}),
        rg.nDCG(gain={0: 1, 1: 2, 2: 3}),
        rg.DCG(gain=lambda grade: grade + 1),
        rg.DCG(discount=lambda rank: rank / 10),
        rg.Judged @ 2,
        rg.infAP,
        rg.AP(denominator="retrieved") @ 2,
    ],
    ids=str,
)
def test_no_interval_is_given_where_the_order_by_grade_does_not_bound(measure):
    low, high = ties.interval(measure, TIED)
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize(
    "measure", [rg.nDCG(gain={1: 3, 2: 1}), rg.DCG(discount=lambda rank: np.where(rank < 4, 1 / rank, 1.0))], ids=str
)
def test_a_query_has_the_same_interval_alone_and_among_others(measure):
    qrels = {"q": {"a": 1, "b": 2, "c": 0}, "bound": {"a": 1, "c": 0}}
    run = {"q": dict.fromkeys("abcx", 1.0), "bound": dict.fromkeys("ac", 1.0)}
    low, high = ties.interval(measure, rg.judge(rg.Qrels.from_dict(qrels), rg.Run.from_dict(run)))
    alone = {query: rg.judge(rg.Qrels.from_dict({query: qrels[query]}), rg.Run.from_dict(run)) for query in qrels}
    apart = [ties.interval(measure, judged) for judged in alone.values()]
    np.testing.assert_array_equal([low, high], np.concatenate(apart, axis=1))
    assert np.isnan(low).tolist() == [True, False]


def test_documents_at_a_level_of_zero_are_better_than_unjudged_ones():
    low, high = ties.interval(rg.P(rel=0) @ 3, TIED)
    assert (low.item(), high.item()) == (2 / 3, 1.0)


def test_the_expected_value_of_a_condensed_ranking_averages_the_judged_of_a_tie():
    assert ties.expected(rg.RR(judged_only=True, rel=2), TIED).values.item() == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert ties.expected(rg.P(judged_only=True, rel=2) @ 1, TIED).values.item() == pytest.approx(1 / 3)
