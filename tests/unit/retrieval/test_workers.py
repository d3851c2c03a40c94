"""Tests of the second stage in a process of its own: killed, hung, out of memory, broken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from rankgauge.retrieval.breaker import Breaker, BreakerRules
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates
from rankgauge.retrieval.safety import Guard, Limits
from rankgauge.retrieval.workers import Apart, WorkerAway, WorkerError, WorkerLost, lacks_memory

HITS = Hits(("a", "b", "c"), np.array([3.0, 2.0, 1.0]))


class Lengths:
    """Scores by length of the text; some texts do harm."""

    name = "lengths"

    def score(self, candidates):
        for text in candidates.texts:
            if text == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if text == "hang":
                time.sleep(600)
            if text == "eat":
                np.ones(1 << 36)
            if text == "exit":
                sys.exit(3)
            if text == "raise":
                raise ValueError("broken text")
            if text == "unsendable":
                raise type("Local", (Exception,), {})("only here")
        return np.array([float(len(text)) for text in candidates.texts])


def refuse():
    raise ValueError("no such model")


def asked(*texts):
    return Candidates("q", HITS, texts)


@pytest.fixture
def worker():
    made = Apart(Lengths, "lengths", memory=4 << 30, patience=20.0, waits=(0.2, 30.0))
    yield made
    made.close()


def back(worker):
    """Wait until the child can score."""
    while worker.pid is None:
        time.sleep(0.005)


def test_it_scores_and_stays(worker):
    assert worker.score(asked("a", "bbb", "")).tolist() == [1, 3, 0]
    pid = worker.pid
    assert pid not in (None, os.getpid())
    assert worker.score(asked("aa")).tolist() == [2]
    assert (worker.pid, worker.starts) == (pid, 1)


def test_what_the_second_stage_raises_is_raised_and_the_child_lives(worker):
    with pytest.raises(WorkerError, match="lengths: expected scores, got ValueError: broken text") as told:
        worker.score(asked("raise"))
    assert not isinstance(told.value, WorkerLost)
    with pytest.raises(WorkerError, match="expected scores, got Local: only here"):
        worker.score(asked("unsendable"))
    with pytest.raises(WorkerError, match="expected scores, got SystemExit: 3"):
        worker.score(asked("exit"))
    with pytest.raises(MemoryError):
        worker.score(asked("eat"))
    assert worker.score(asked("aa")).tolist() == [2]
    assert worker.starts == 1


def test_a_child_that_died_comes_back_after_a_wait_that_doubles(worker):
    waits = []
    wait = worker._closing.wait
    worker._closing.wait = lambda seconds: waits.append(seconds) or wait(0)
    for starts in (1, 2, 3):
        back(worker) if starts > 1 else worker.start()
        assert worker.starts == starts
        with pytest.raises(WorkerLost, match="expected an answer of the worker process, got its death"):
            worker.score(asked("die"))
    back(worker)
    assert waits == [0.2, 0.4, 0.8]
    assert worker.score(asked("aa")).tolist() == [2]


def test_a_long_life_is_a_new_beginning(worker):
    """A child that lives for 30 s or more, by its clock, dies without shame."""
    waits = []
    wait, ticks = worker._closing.wait, iter(range(0, 1000, 30))
    worker.clock = lambda: next(ticks)
    worker._closing.wait = lambda seconds: waits.append(seconds) or wait(0)
    worker.start()
    for _ in range(3):
        back(worker)
        with pytest.raises(WorkerLost):
            worker.score(asked("die"))
    back(worker)
    assert waits == [0.2, 0.2, 0.2]


def test_meanwhile_calls_are_refused_at_once(worker):
    worker.start()
    held = threading.Event()
    worker._closing.wait = lambda _: held.wait()
    with pytest.raises(WorkerLost, match="got its death"):
        worker.score(asked("die"))
    while worker.pid is not None:
        time.sleep(0.001)
    with pytest.raises(WorkerAway, match="lengths: expected a worker process, got none"):
        worker.score(asked("a"))
    held.set()


def test_a_child_killed_from_outside_is_noticed_without_a_call(worker):
    worker.start()
    pid = worker.pid
    os.kill(pid, signal.SIGKILL)
    while worker.pid == pid:
        time.sleep(0.005)
    back(worker)
    assert (worker.score(asked("a")).tolist(), worker.starts) == ([1], 2)


def test_a_child_that_hangs_is_killed(worker):
    worker.start()
    pid, worker.patience = worker.pid, 0.2
    with pytest.raises(WorkerLost, match="got its death"):
        worker.score(asked("hang"))
    back(worker)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_who_gets_no_turn_in_time_is_told(worker):
    worker.start()
    with worker._turn:
        worker.patience = 0.01
        with pytest.raises(WorkerLost, match=r"expected a turn, got none within 0\.01 s"):
            worker.score(asked("a"))


def test_a_second_stage_that_cannot_be_made_is_told_and_tried_again():
    worker = Apart(refuse, "none", waits=(0.01, 0.01))
    with pytest.raises(WorkerError, match="none: expected a second stage, got ValueError: no such model"):
        worker.score(asked("a"))
    with pytest.raises(WorkerLost, match=r"got none: none: expected a second stage, got ValueError: no such model"):
        worker.score(asked("a"))
    while worker.starts < 2:
        time.sleep(0.005)
    worker.close()


def test_a_closed_one_does_not_come_back(worker):
    worker.start()
    pid = worker.pid
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert worker.pid is None
    with pytest.raises(WorkerLost, match="expected a worker process, got none"):
        worker.score(asked("a"))


def test_one_that_nobody_closes_does_not_keep_the_program(tmp_path):
    (tmp_path / "stages.py").write_text("class Any:\n    pass\n")
    program = """if True:
        import stages
        from rankgauge.retrieval.workers import Apart
        worker = Apart(stages.Any, "any", waits=(0.0, 0.0))
        worker.start()
        print(worker.pid)
    """
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                          check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (RuntimeError("std::bad_alloc"), True),
        (RuntimeError("[ONNXRuntimeError] : 6 : Failed to allocate memory for requested buffer of size 1"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (ValueError("broken"), False),
    ],
)
def test_a_lack_of_memory_is_known_in_whatever_words(error, memory):
    assert lacks_memory(error) == memory


def test_a_child_that_is_away_does_not_open_the_breaker(worker):
    """So that it is used as soon as it is back."""
    worker.start()
    held = threading.Event()
    worker._closing.wait = lambda _: held.wait()
    guard = Guard(Limits(budget=30.0), Breaker(BreakerRules(least=2, window=2)))
    reasons = [guard(worker, "q", HITS, lambda docs: ["die"] * 3, depth=3).reason for _ in range(5)]
    assert (reasons, guard.standing().state) == (["worker_lost"] * 5, "closed")
    held.set()
    guard.close()


def test_behind_a_guard_a_killed_worker_costs_one_answer_its_order(worker):
    worker.start()
    guard = Guard(Limits(budget=30.0, chunk=1))
    texts = {"a": "x", "b": "die", "c": "xxx"}
    found = guard(worker, "q", HITS, lambda docs: [texts[doc] for doc in docs], depth=3)
    assert (found.status, found.reason, found.scored) == ("partial", "worker_lost", 1)
    assert found.hits.docs == ("a", "b", "c")
    texts["b"] = "xx"
    while worker.starts < 2:
        time.sleep(0.005)
    back(worker)
    found = guard(worker, "q", HITS, lambda docs: [texts[doc] for doc in docs], depth=3)
    assert (found.status, found.hits.docs) == ("full", ("c", "b", "a"))
    guard.close()
