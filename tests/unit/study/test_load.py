"""Tests of requests under a stated load."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from rankgauge.errors import MethodError
from rankgauge.study.load import FEWEST, Latency, Load, measured


def test_one_after_another_every_query_is_sent_and_the_first_ones_are_not_measured():
    sent: list[str] = []
    found = measured(sent.append, ["a", "b", "c"], Load(requests=6, warm=2))
    assert len(found) == 6
    assert len(sent) == 8
    assert set(sent[:3]) == {"a", "b", "c"}
    assert sent[3:6] == sent[:3]
    assert found.behind == 0


def test_a_slow_call_is_sent_fewer_times_but_never_fewer_than_a_few():
    found = measured(lambda _: time.sleep(0.02), ["a"], Load(requests=1000, seconds=0.01, warm=0))
    assert len(found) == FEWEST
    assert (found.seconds >= 0.02).all()


def test_arrivals_wait_for_nobody_so_that_waiting_counts():
    found = measured(lambda _: time.sleep(0.03), ["a"], Load(rate=1000, requests=10, warm=0))
    assert len(found) == 10
    # Ten requests due within some milliseconds, one worker: the last waits for the nine before it.
    assert found.seconds[-1] > 0.2
    assert found.behind == pytest.approx(found.seconds[-1], abs=0.05)


def test_workers_work_at_the_same_time():
    together = threading.Barrier(3, timeout=10)
    assert len(measured(lambda _: together.wait(), ["a"], Load(rate=1000, requests=6, workers=3, warm=0))) == 6


@pytest.mark.parametrize(("share", "seconds"), [(0.0, 0.1), (0.5, 0.3), (0.99, 0.4), (1.0, 0.4)])
def test_quantiles_are_of_what_was_measured(share, seconds):
    assert Latency(np.array([0.4, 0.1, 0.2, 0.3]), 0.0).at(share) == seconds


def test_latencies_can_be_kept():
    found = Latency(np.array([0.1, 1 / 3]), 0.7, 0.2)
    again = Latency.of_json(found.as_json())
    assert (again.seconds.tolist(), again.cpu, again.behind) == (found.seconds.tolist(), 0.7, 0.2)


@pytest.mark.parametrize("wrong", [{"rate": -1.0}, {"requests": 0}, {"seconds": 0.0}, {"workers": 0}, {"warm": -1}])
def test_impossible_loads_are_refused(wrong):
    with pytest.raises(MethodError, match="load: expected"):
        Load(**wrong)


def test_a_load_needs_queries_and_says_what_it_is():
    with pytest.raises(MethodError, match="expected queries to send, got none"):
        measured(print, [], Load())
    assert str(Load()) == "one request at a time"
    assert str(Load(rate=2.5, workers=2)) == "2.5 requests/s at random moments, 2 at a time"


def test_a_call_that_fails_ends_it():
    def broken(text: str) -> None:
        raise ValueError(text)

    for load in (Load(warm=0), Load(rate=100, warm=0)):
        with pytest.raises(ValueError, match="a"):
            measured(broken, ["a"], load)
