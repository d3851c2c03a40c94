"""Tests of what a worker does with one request."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.retrieval._chunks import Job, NotScores, Pace, Scoring, reason_of
from rankgauge.retrieval.breaker import Breaker, BreakerRules
from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.workers import WorkerAway, WorkerError, WorkerLost


class Zeros:
    name = "zeros"

    def score(self, candidates):
        return np.zeros(len(candidates))


def half_open():
    now = [0.0]
    breaker = Breaker(BreakerRules(least=1, window=1, wait=1, jitter=0, probes=1), clock=lambda: now[0])
    breaker.ask().failed()
    now[0] = 1.0
    return breaker


@pytest.mark.parametrize(("left", "state"), [(True, "half-open"), (False, "closed")])
def test_a_request_that_was_left_before_its_first_chunk_is_no_good_probe(left, state):
    breaker = half_open()
    scoring = Scoring(Limits(), lambda: 0.0, lambda *_: None)
    job = Job(Zeros(), "q", Hits(("a",), np.ones(1)), list, 0.0, 1.0, breaker.ask(), left=left)
    scoring.run(job)
    assert (breaker.state, len(job.scores)) == (state, int(not left))


@pytest.mark.parametrize(("seconds", "most", "fits"), [(1.2, 8, 1), (1.1, 8, 0), (12.0, 8, 8), (12.0, 20, 10)])
def test_a_fifth_is_kept_back_of_the_time_that_is_left(seconds, most, fits):
    pace = Pace(10.0)
    assert pace.fits(0.0, most) == most
    pace.learn(4.0, 4)
    assert pace.fits(seconds, most) == fits


def test_older_chunks_fade_and_no_pair_takes_more_than_the_budget():
    pace = Pace(2.0)
    pace.learn(8.0, 8)
    pace.learn(1000.0, 8)
    assert pace.pair == pytest.approx(0.8 * 1.0 + 0.2 * 2.0)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NotScores(), "not_scores"), (WorkerLost("x"), "worker_lost"), (WorkerAway("x"), "worker_lost"),
        (WorkerError("x"), "error"), (MemoryError(), "out_of_memory"), (KeyError(), "error"),
    ],
)  # fmt: skip
def test_errors_have_reasons(error, reason):
    assert reason_of(error) == reason
