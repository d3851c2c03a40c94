"""Background work: in order, in blocks, bounded, and whole at the end."""

from __future__ import annotations

import threading

from rankgauge.service.background import Background
from service_worlds import until


def test_what_was_left_is_worked_on_in_order_and_nothing_is_lost_at_the_end():
    done: list[int] = []
    work = Background[int]("test", done.extend)
    assert all(work.put(number) for number in range(5000))
    work.close()
    assert done == list(range(5000))
    assert (work.dropped, work.failed) == (0, 0)


def test_blocks_are_gathered_and_never_larger_than_said():
    blocks: list[list[int]] = []
    work = Background[int]("test", lambda block: blocks.append(list(block)), every=30.0, many=4)
    for number in range(10):
        work.put(number)
    work.close()
    assert blocks == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_what_does_not_fit_is_dropped_and_counted_and_nobody_waits():
    busy, go = threading.Event(), threading.Event()

    def slow(block: list[int]) -> None:
        busy.set()
        go.wait(20)

    work = Background[int]("test", slow, waiting=2, many=1)
    work.put(0)
    assert busy.wait(20)
    assert [work.put(number) for number in (1, 2, 3, 4)] == [True, True, False, False]
    assert (work.dropped, len(work)) == (2, 2)
    go.set()
    work.close()
    assert not work.put(5)
    assert work.dropped == 3


def test_work_that_fails_costs_its_block_and_not_the_thread():
    done: list[int] = []

    def work_on(block: list[int]) -> None:
        if 1 in block:
            raise OSError("disk full")
        done.extend(block)

    work = Background[int]("test", work_on, many=1)
    work.put(1)
    until(lambda: work.failed)
    work.put(2)
    work.close()
    assert done == [2]
    assert (work.failed, work.fault) == (1, "OSError: disk full")
