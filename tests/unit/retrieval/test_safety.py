"""Tests of the guard: every fault of the second stage, and every flood, becomes an answer that says what it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

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


def idle(guard):
    """Wait until no worker works."""
    while guard.standing().busy:
        time.sleep(0.001)


def texts(docs):
    return [f"text of {doc}" for doc in docs]


def failing(error):
    def happens():
        raise error

    return happens


def in_loop(coroutine):
    """Run in an event loop of its own, in a thread: the tests of pages leave one running in theirs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def until(hold):
    """Wait for an event, then score as usual."""

    def happens():
        hold.wait()

    return happens


def hung(guard, hold, *before):
    """Make a worker hang until `hold` is set; a busy machine may need several tries until one got that far."""
    entered = threading.Event()

    def happens():
        entered.set()
        hold.wait()

    found = []
    while not entered.is_set():
        found.append(guard(Backwards(*before, happens), "q", HITS, texts, depth=8))
    return found


@pytest.fixture
def guard_of():
    made = []

    def make(breaker=None, *, clock=time.monotonic, **limits):
        made.append(Guard(Limits(**{"budget": PATIENT, "chunk": 4, **limits}), breaker, clock=clock))
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
        (failing(SystemExit(1)), "error"),
        (failing(RuntimeError("bad allocation")), "out_of_memory"),
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
    for found in hung(guard, hold):
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


def learned(guard, pair):
    """Make the guard believe that a pair takes so many seconds."""
    guard._scoring.pace.learn(pair, 1)


@pytest.mark.parametrize(("pair", "chunks"), [(0.5, [8, 2]), (1.5, [5]), (3.0, [2]), (8.0, [1])])
def test_the_estimate_chooses_how_many_pairs_are_scored(guard_of, pair, chunks):
    """Of a budget of 9 s, with a fifth kept back; chunks take as long as was estimated."""
    now = [0.0]
    guard = guard_of(clock=lambda: now[0], budget=9.0, chunk=8)
    learned(guard, pair)
    stage = Backwards()

    def score(candidates):
        now[0] += pair * len(candidates)
        return Backwards.score(stage, candidates)

    found = guard(type("Paced", (), {"name": "p", "score": lambda _, candidates: score(candidates)})(), "q", HITS,
                  texts, depth=10)  # fmt: skip
    assert (stage.chunks, found.scored) == (chunks, sum(chunks))
    assert (found.status, found.reason) == (("full", "") if sum(chunks) == 10 else ("partial", "budget"))
    assert guard.standing().pair == pytest.approx(pair)


def test_what_a_late_chunk_took_is_learned_though_its_scores_came_too_late(guard_of):
    hold = threading.Event()
    guard = guard_of(budget=0.1)
    learned(guard, 0.001)
    hung(guard, hold)
    time.sleep(0.1)
    hold.set()
    idle(guard)
    pair = guard.standing().pair
    assert pair is not None
    assert pair > 5 * 0.001


def test_a_wrong_estimate_is_mended_by_requests_that_did_not_wait(guard_of):
    guard = guard_of(budget=5.0)
    learned(guard, 1e9)
    scored = [guard(Backwards(), "q", HITS, texts, depth=8).scored for _ in range(100)]
    assert (scored[0], scored[-1]) == (1, 8)


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
    for _ in range(2):
        hung(guard, hold)
    while guard.standing().hanging < 2:
        time.sleep(0.001)
    assert [guard(Backwards(), "q", HITS, texts, depth=8).reason for _ in range(2)] == ["hanging"] * 2
    hold.set()
    idle(guard)
    assert guard.standing().hanging == 0
    assert guard(Backwards(), "q", HITS, texts, depth=8, until=guard.clock() + PATIENT).scored > 0


@pytest.mark.parametrize("scored_before", [0, 1])
def test_workers_that_hang_open_the_breaker(guard_of, scored_before):
    hold, guard = threading.Event(), guard_of(Breaker(BreakerRules(least=6)), workers=1, waiting=3, budget=0.05)
    hung(guard, hold, *[None] * scored_before)
    while guard.standing().hanging < 1:
        time.sleep(0.001)
    reasons = []
    while "breaker_open" not in reasons:
        reasons.append(guard(Backwards(), "q", HITS, texts, depth=8).reason)
    assert set(reasons[:-1]) == {"hanging"}
    assert len(reasons) <= 6 + 1
    hold.set()


def test_a_callers_short_deadline_is_no_fault_of_the_second_stage(guard_of):
    guard = guard_of(Breaker(BreakerRules(least=1, window=1)))
    found = guard(Backwards(lambda: time.sleep(0.1)), "q", HITS, texts, depth=8, until=guard.clock() + 0.05)
    assert found.reason == "timeout"
    idle(guard)
    assert guard.standing().state == "closed"


def test_a_call_that_takes_longer_than_the_budget_is_slow(guard_of):
    guard = guard_of(budget=0.05)
    assert guard.breaker.rules.slow_after == 0.05


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
    guard = guard_of(Breaker(BreakerRules(least=1, window=1)), workers=2, budget=1.0)
    assert {found.reason for found in hung(guard, hold)} == {"timeout"}
    assert guard(Backwards(), "q", HITS, texts, depth=8).reason == "breaker_open"
    hold.set()


def test_who_waits_when_a_guard_is_closed_is_answered(guard_of):
    hold, guard, found = threading.Event(), guard_of(workers=1, waiting=1), []
    threads = occupied(guard, hold, 1)
    waits = threading.Thread(target=lambda: found.append(guard(Backwards(), "q", HITS, texts, depth=8)))
    waits.start()
    while not guard.standing().waiting:
        time.sleep(0.001)
    guard.close()
    waits.join()
    assert (found[0].status, found[0].reason) == ("skipped", "closed")
    hold.set()
    threads[0].join()
    assert guard.standing().answers == {("skipped", "closed"): 1, ("full", ""): 1}


def test_a_program_ends_though_its_second_stage_hangs():
    program = """if True:
        import threading
        import numpy as np
        from rankgauge.retrieval.protocols import Hits
        from rankgauge.retrieval.safety import Guard, Limits
        class Hangs:
            name = "hangs"
            def score(self, candidates): threading.Event().wait()
        guard = Guard(Limits(budget=0.5))
        print(guard(Hangs(), "q", Hits(("a",), np.ones(1)), list, depth=1).reason)
        guard.close()
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "timeout\n", "")


def test_nothing_to_rerank_needs_no_worker(guard_of):
    guard = guard_of(workers=1, waiting=0)
    hold = threading.Event()
    threads = occupied(guard, hold, 1)
    assert guard(Backwards(), "q", HITS, texts, depth=0).status == "full"
    assert guard(Backwards(), "q", HITS.top(0), texts, depth=8).status == "full"
    hold.set()
    threads[0].join()


def test_a_fault_of_the_caller_is_raised(guard_of):
    with pytest.raises(MethodError, match="rerank depth: expected 0 or more, got -1"):
        guard_of()(Backwards(), "q", HITS, texts, depth=-1)


class Panic(BaseException):
    """As the panics of some native libraries are."""


def test_what_was_raised_is_told(guard_of):
    told = []
    guard = guard_of()
    guard._on_fault = lambda *fault: told.append(fault)
    error = Panic("x" * 1000)
    assert guard(Backwards(failing(error)), "q", HITS, texts, depth=8).reason == "error"
    assert told == [("error", error)]
    assert guard.standing().fault == "Panic: " + "x" * 293


def test_a_fault_of_the_hook_is_raised_and_costs_no_worker(guard_of):
    guard = guard_of()
    guard._on_fault = lambda *_: [][0]
    with pytest.raises(IndexError):
        guard(Backwards(failing(ValueError())), "q", HITS, texts, depth=8)
    assert guard(Backwards(), "q", HITS, texts, depth=8).status == "full"
    assert (guard.standing().busy, guard.standing().waiting) == (0, 0)


def test_it_answers_in_an_event_loop_which_goes_on_meanwhile(guard_of):
    hold, guard = threading.Event(), guard_of()

    async def both():
        answer = asyncio.create_task(guard.aanswer(Backwards(until(hold)), "q", HITS, texts, depth=8))
        while not guard.standing().busy:
            await asyncio.sleep(0.001)
        hold.set()
        return await answer

    found = in_loop(both())
    assert (found.status, found.scored) == ("full", 8)
    assert found.hits.docs == (*reversed(HITS.docs[:8]), *HITS.docs[8:])


def test_a_deadline_holds_in_an_event_loop_and_a_late_worker_has_nobody_to_tell(guard_of):
    hold, entered, guard = threading.Event(), threading.Event(), guard_of(budget=0.05)
    count = 0
    while not entered.is_set():
        stage = Backwards(lambda: entered.set() or (hold.wait() and None))
        found = in_loop(guard.aanswer(stage, "q", HITS, texts, depth=8))
        assert (found.status, found.reason) == ("skipped", "timeout")
        count += 1
    assert guard.standing().busy == 1
    hold.set()
    idle(guard)
    assert guard.standing().answers == {("skipped", "timeout"): count}


def test_refusals_come_at_once_in_an_event_loop(guard_of):
    found = in_loop(guard_of(pairs=4).aanswer(Backwards(), "q", HITS, texts, depth=8))
    assert (found.status, found.reason) == ("skipped", "over_limit")


@pytest.mark.parametrize("fails", [False, True])
def test_a_cancelled_task_says_nothing_and_its_worker_stops(guard_of, fails):
    hold = threading.Event()
    guard = guard_of(Breaker(BreakerRules(least=1, window=1)))

    def happens():
        hold.wait()
        if fails:
            raise ValueError("late")

    stage = Backwards(happens)

    async def cancelled():
        answer = asyncio.create_task(guard.aanswer(stage, "q", HITS, texts, depth=8))
        while not guard.standing().busy:
            await asyncio.sleep(0.001)
        answer.cancel()
        await answer

    with pytest.raises(asyncio.CancelledError):
        in_loop(cancelled())
    hold.set()
    idle(guard)
    assert stage.chunks == [4]
    assert (guard.standing().state, guard.standing().answers) == ("closed", {})


def test_a_closed_guard_answers_without_the_second_stage(guard_of):
    guard = guard_of()
    guard.close()
    found = guard(Backwards(), "q", HITS, texts, depth=8)
    assert (found.status, found.reason, found.hits.docs) == ("skipped", "closed", HITS.docs)


def test_a_warm_up_primes_the_estimate_and_tells_what_is_broken(guard_of):
    guard, stage = guard_of(), Backwards()
    seen = []
    stage.score = lambda candidates: seen.append(candidates.texts) or np.zeros(len(candidates))
    guard.warm(stage, texts=["a text", "another"])
    assert seen == [("a text", "another", "a text", "another")] * 2
    assert guard.standing().pair is not None
    guard.warm(stage)
    assert {len(text.split()) for text in seen[-1]} == {128}
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
