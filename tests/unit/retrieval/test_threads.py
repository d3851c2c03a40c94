"""Tests of the threads of a guard."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest

from rankgauge.retrieval._threads import Threads


@pytest.fixture
def threads():
    made = Threads(1, "test")
    yield made
    made.close()


def test_work_is_done_in_the_order_in_which_it_came(threads):
    done = []
    futures = [threads.submit(lambda number=number: done.append(number)) for number in range(20)]
    for future in futures:
        future.result()
    assert done == list(range(20))


def test_what_work_raises_is_its_futures_and_the_thread_goes_on(threads):
    with pytest.raises(SystemExit):
        threads.submit(lambda: exit(1)).result()
    assert threads.submit(lambda: None).result() is None


def test_cancelled_work_is_not_done(threads):
    hold, done = threading.Event(), []
    first, second = threads.submit(hold.wait), threads.submit(lambda: done.append(1))
    assert second.cancel()
    hold.set()
    first.result()
    threads.submit(lambda: None).result()
    assert done == []


def test_closing_cancels_what_waits_and_lets_what_runs_end(threads):
    hold, runs = threading.Event(), threading.Event()
    first = threads.submit(lambda: runs.set() or hold.wait())
    runs.wait()
    second = threads.submit(lambda: None)
    threads.close()
    with pytest.raises(CancelledError):
        second.result()
    hold.set()
    first.result()
    assert threads.submit(lambda: None).cancelled()
    for thread in threads._threads:
        thread.join()
