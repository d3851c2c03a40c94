"""Tests of the second stage in a process of its own: killed, hung, out of memory, broken."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import Candidates
from rankgauge.retrieval.safety import Guard, Limits
from rankgauge.retrieval.workers import Apart, WorkerError

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
    made = Apart(Lengths, "lengths", memory=4 << 30, patience=20.0)
    yield made
    made.close()


def test_it_scores_and_stays(worker):
    assert worker.score(asked("a", "bbb", "")).tolist() == [1, 3, 0]
    pid = worker.pid
    assert pid not in (None, os.getpid())
    assert worker.score(asked("aa")).tolist() == [2]
    assert (worker.pid, worker.starts) == (pid, 1)


def test_what_the_second_stage_raises_is_raised_and_the_child_lives(worker):
    with pytest.raises(WorkerError, match="lengths: expected scores, got ValueError: broken text"):
        worker.score(asked("raise"))
    with pytest.raises(WorkerError, match="expected scores, got Local: only here"):
        worker.score(asked("unsendable"))
    with pytest.raises(MemoryError):
        worker.score(asked("eat"))
    assert worker.score(asked("aa")).tolist() == [2]
    assert worker.starts == 1


def test_a_child_that_died_comes_back_after_a_wait_that_doubles(worker):
    now = [0.0]
    worker.clock = lambda: now[0]
    for wait in (0.5, 1.0, 2.0):
        with pytest.raises(WorkerError, match="expected an answer of the worker process, got its death"):
            worker.score(asked("die"))
        now[0] += wait - 0.01
        with pytest.raises(WorkerError, match=r"expected a worker process, got none; one is started in 0\.0 s"):
            worker.score(asked("a"))
        now[0] += 0.01
    assert worker.score(asked("aa")).tolist() == [2]
    assert worker.starts == 4
    with pytest.raises(WorkerError):
        worker.score(asked("die"))
    now[0] += 0.5
    assert worker.score(asked("a")).tolist() == [1]


def test_a_child_killed_from_outside_between_calls_is_noticed(worker):
    worker.score(asked("a"))
    os.kill(worker.pid, signal.SIGKILL)
    worker._child.process.join()
    with pytest.raises(WorkerError, match="one is started in"):
        worker.score(asked("a"))


def test_a_child_that_hangs_is_killed(worker):
    worker.score(asked("a"))
    pid, worker.patience = worker.pid, 0.2
    with pytest.raises(WorkerError, match="got its death"):
        worker.score(asked("hang"))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_second_stage_that_cannot_be_made_is_told():
    with pytest.raises(WorkerError, match="none: expected a second stage, got ValueError: no such model"):
        Apart(refuse, "none").score(asked("a"))


def test_behind_a_guard_a_killed_worker_costs_one_answer_its_order(worker):
    guard = Guard(Limits(budget=30.0, chunk=1))
    texts = {"a": "x", "b": "die", "c": "xxx"}
    found = guard(worker, "q", HITS, lambda docs: [texts[doc] for doc in docs], depth=3)
    assert (found.status, found.reason, found.scored, found.hits.docs) == ("partial", "error", 1, ("a", "b", "c"))
    time.sleep(0.6)
    texts["b"] = "xx"
    found = guard(worker, "q", HITS, lambda docs: [texts[doc] for doc in docs], depth=3)
    assert (found.status, found.hits.docs) == ("full", ("c", "b", "a"))
    guard.close()
