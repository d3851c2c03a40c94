"""Tests of the guard: every fault of the second stage, and every flood, becomes an answer that says what it is."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import MethodError
from rankgauge.retrieval.breaker import Breaker, BreakerRules
from rankgauge.retrieval.pipeline import TwoStage
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.safety import Guard, Limits

N = 20
HITS = Hits(tuple(f"d{number:02}" for number in range(N)), np.arange(N, 0, -1.0))
PATIENT = 20.0
"""Seconds that no test needs, where a deadline must not be what decides."""


class Backwards:
    """Likes the last documents best; what happens at a chunk can be chosen."""

    name = "backwards"

    def __init__(self, *happens) -> None:
        self.happens, self.chunks = list(happens), list[int]()
        self.texts: list[str] = []

    def score(self, candidates):
        self.chunks.append(len(candidates))
        self.texts += candidates.texts
        happens = self.happens.pop(0) if self.happens else None
        if happens is not None:
            found = happens()
            if found is not None:
                return found
        return np.array([float(doc[1:]) for doc in candidates.hits.docs])


def texts(docs):
    return [f"text of {doc}" for doc in docs]


def failing(error):
    def happens():
        raise error

    return happens


def until(hold):
    """Wait for an event, then score as usual."""

    def happens():
        hold.wait()

    return happens


@pytest.fixture
def guard_of():
    made = []

    def make(breaker=None, **limits):
        made.append(Guard(Limits(**{"budget": PATIENT, "chunk": 4, **limits}), breaker))
        return made[-1]

    yield make
    for guard in made:
        guard.close()


def test_a_full_answer_is_what_reranking_gives(guard_of):
    guard, stage = guard_of(), Backwards()
    found = guard(stage, "q", HITS, texts, depth=10)
    assert (found.status, found.reason, found.scored) == ("full", "", 10)
    assert found.hits.docs == (*reversed(HITS.docs[:10]), *HITS.docs[10:])
    assert stage.chunks == [4, 4, 2]
    assert guard.standing().answers == {("full", ""): 1}


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (failing(ValueError("broken")), "error"),
        (failing(MemoryError()), "out_of_memory"),
        (failing(ConnectionError()), "error"),
        (lambda: np.full(4, np.nan), "not_scores"),
        (lambda: np.full(4, np.inf), "not_scores"),
        (lambda: np.zeros(3), "not_scores"),
        (lambda: ["a"] * 4, "error"),
    ],
)
@pytest.mark.parametrize("chunk", [0, 1])
def test_a_fault_costs_what_it_had_not_scored_and_no_more(guard_of, happens, reason, chunk):
    found = guard_of()(Backwards(*[None] * chunk, happens), "q", HITS, texts, depth=12)
    assert (found.status, found.reason, found.scored) == (("skipped", "partial")[chunk], reason, 4 * chunk)
    assert found.hits.docs == (*reversed(HITS.docs[: 4 * chunk]), *HITS.docs[4 * chunk :])
    assert found.degraded


def test_texts_that_cannot_be_fetched_are_a_fault_too(guard_of):
    def lost(docs):
        raise OSError("gone")

    found = guard_of()(Backwards(), "q", HITS, lost, depth=4)
    assert (found.status, found.reason) == ("skipped", "error")


@pytest.mark.parametrize(("depth", "query"), [(9, "q"), (2, "q" * 11)])
def test_a_request_over_the_limit_keeps_the_first_stages_order(guard_of, depth, query):
    stage = Backwards()
    found = guard_of(pairs=8, query=10)(stage, query, HITS, texts, depth=depth)
    assert (found.status, found.reason, found.hits.docs) == ("skipped", "over_limit", HITS.docs)
    assert stage.chunks == []


def test_a_depth_beyond_the_list_is_not_over_the_limit(guard_of):
    assert guard_of(pairs=8)(Backwards(), "q", HITS.top(5), texts, depth=1000).status == "full"


def test_long_texts_are_cut_and_counted(guard_of):
    guard, stage = guard_of(text=5), Backwards()
    guard(stage, "q", HITS, lambda docs: ["short" if doc == "d00" else "x" * 10**6 for doc in docs], depth=4)
    assert stage.texts == ["short", "xxxxx", "xxxxx", "xxxxx"]
    assert guard.standing().cut == 3


def test_a_hanging_second_stage_does_not_keep_the_answer(guard_of):
    hold = threading.Event()
    guard = guard_of(budget=0.05)
    begun = time.monotonic()
    found = guard(Backwards(until(hold)), "q", HITS, texts, depth=8)
    assert time.monotonic() - begun < PATIENT / 2
    assert (found.status, found.reason, found.hits.docs) == ("skipped", "timeout", HITS.docs)
    assert guard.standing().busy == 1
    hold.set()


def test_what_was_scored_before_a_hang_is_used(guard_of):
    hold = threading.Event()
    found = guard_of(budget=2.0)(Backwards(None, until(hold)), "q", HITS, texts, depth=8)
    assert (found.status, found.reason, found.scored) == ("partial", "timeout", 4)
    hold.set()


def test_the_requests_own_deadline_counts_where_it_is_earlier(guard_of):
    guard = guard_of()
    stage = Backwards()
    found = guard(stage, "q", HITS, texts, depth=8, until=guard.clock() - 1)
    assert (found.status, found.reason, stage.chunks) == ("skipped", "timeout", [])


def test_the_estimate_chooses_how_many_pairs_are_scored(guard_of):
    guard = guard_of(budget=5.0)
    guard._learn(2.0)  # a chunk of 4 takes 8 s, so it says
    found = guard(Backwards(lambda: time.sleep(0.4)), "q", HITS, texts, depth=12)
    assert (found.status, found.reason, found.scored) == ("partial", "budget", 4)
    pair = guard.standing().pair
    assert pair is not None
    assert 0.8 * 2.0 + 0.2 * 0.1 <= pair < 2.0


def test_a_wrong_estimate_is_mended_by_requests_that_did_not_wait(guard_of):
    guard = guard_of(budget=5.0)
    guard._learn(1e9)
    for _ in range(300):
        found = guard(Backwards(), "q", HITS, texts, depth=8)
    assert found.status == "full"


def occupied(guard, hold, count):
    """Requests that occupy the guard until `hold` is set."""
    threads = [
        threading.Thread(target=guard, args=(Backwards(until(hold)), "q", HITS, texts), kwargs={"depth": 8})
        for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    while guard.standing().busy < 1 or guard.standing().busy + guard.standing().waiting < count:
        time.sleep(0.001)
    return threads


def test_a_full_queue_sends_requests_on_without_the_second_stage(guard_of):
    hold, guard = threading.Event(), guard_of(workers=1, waiting=2)
    threads = occupied(guard, hold, 3)
    assert (guard.standing().busy, guard.standing().waiting) == (1, 2)
    found = guard(Backwards(), "q", HITS, texts, depth=8)
    assert (found.status, found.reason) == ("skipped", "queue_full")
    hold.set()
    for thread in threads:
        thread.join()
    assert guard.standing().answers == {("skipped", "queue_full"): 1, ("full", ""): 3}
    assert guard(Backwards(), "q", HITS, texts, depth=8).status == "full"


def test_a_request_that_waited_too_long_is_not_scored_at_all(guard_of):
    hold, guard = threading.Event(), guard_of(workers=1, waiting=2)
    threads = occupied(guard, hold, 1)
    stage = Backwards()
    found = guard(stage, "q", HITS, texts, depth=8, until=guard.clock() + 0.05)
    assert (found.status, found.reason, stage.chunks) == ("skipped", "timeout", [])
    hold.set()
    for thread in threads:
        thread.join()
    assert guard.breaker.state == "closed"


def test_workers_that_hang_are_counted_until_they_return(guard_of):
    hold, guard = threading.Event(), guard_of(workers=2, waiting=0, budget=0.05)
    reasons = [guard(Backwards(until(hold)), "q", HITS, texts, depth=8).reason for _ in range(4)]
    assert reasons == ["timeout", "timeout", "queue_full", "queue_full"]
    hold.set()
    while guard.standing().busy:
        time.sleep(0.001)
    assert guard(Backwards(), "q", HITS, texts, depth=8, until=guard.clock() + PATIENT).status == "full"


def test_faults_open_the_breaker_and_probes_close_it(guard_of):
    now = [0.0]
    breaker = Breaker(BreakerRules(least=3, window=3, wait=5, jitter=0, probes=1), clock=lambda: now[0])
    guard = guard_of(breaker)
    for _ in range(3):
        assert guard(Backwards(failing(ValueError())), "q", HITS, texts, depth=8).reason == "error"
    stage = Backwards()
    assert guard(stage, "q", HITS, texts, depth=8).reason == "breaker_open"
    assert (stage.chunks, guard.standing().state) == ([], "open")
    now[0] += 5
    assert guard(stage, "q", HITS, texts, depth=8).status == "full"
    assert guard.standing().state == "closed"


def test_a_hang_opens_the_breaker(guard_of):
    hold = threading.Event()
    guard = guard_of(Breaker(BreakerRules(least=1, window=1)), workers=2, budget=0.5)
    assert guard(Backwards(until(hold)), "q", HITS, texts, depth=8).reason == "timeout"
    assert guard(Backwards(), "q", HITS, texts, depth=8).reason == "breaker_open"
    hold.set()


def test_a_closed_guard_answers_without_the_second_stage(guard_of):
    guard = guard_of()
    guard.close()
    found = guard(Backwards(), "q", HITS, texts, depth=8)
    assert (found.status, found.reason, found.hits.docs) == ("skipped", "closed", HITS.docs)


def test_a_warm_up_primes_the_estimate_and_tells_what_is_broken(guard_of):
    guard, stage = guard_of(), Backwards()
    stage.score = lambda candidates: np.zeros(len(candidates))
    guard.warm(stage)
    assert guard.standing().pair is not None
    with pytest.raises(ValueError, match="broken"):
        guard.warm(type("Broken", (), {"name": "b", "score": lambda *_: failing(ValueError("broken"))()})())


def test_it_stands_in_the_pipeline(guard_of):
    class First:
        name = "first"

        def __len__(self):
            return N

        def search(self, query, k, *, allowed=None):
            return HITS.top(k)

    guard = guard_of(pairs=8)
    assert TwoStage(First(), texts, Backwards(), depth=8, how=guard).answer("q").final.status == "full"
    answer = TwoStage(First(), texts, Backwards(), depth=9, how=guard).answer("q")
    assert (answer.degraded, answer.final.reason) == (True, "over_limit")


@settings(max_examples=50, deadline=None)
@given(
    depth=st.integers(0, 25), chunk=st.integers(1, 9), broken=st.integers(0, 8),
    kind=st.sampled_from([ValueError(), MemoryError(), None]),
)  # fmt: skip
def test_every_answer_holds_every_document_once_and_only_scored_ones_moved(depth, chunk, broken, kind):
    guard = Guard(Limits(chunk=chunk, budget=PATIENT))
    happens = [None] * broken + ([failing(kind)] if kind is not None else [])
    found = guard(Backwards(*happens), "q", HITS, texts, depth=depth)
    guard.close()
    assert sorted(found.hits.docs) == sorted(HITS.docs)
    assert found.hits.docs[found.scored :] == HITS.docs[found.scored :]
    assert (found.scored == min(depth, N)) == (found.status == "full")
    assert (found.status == "full") == (found.reason == "")
    assert found.hits.scores.tolist() == list(range(N, 0, -1))


@pytest.mark.parametrize("wrong", [{"pairs": 0}, {"chunk": 0}, {"workers": 0}, {"waiting": -1}, {"budget": 0.0}])
def test_impossible_limits_are_refused(wrong):
    with pytest.raises(MethodError, match="limits: expected"):
        Limits(**wrong)
