"""What a batch needed is free once its table is there, and not only when the garbage collector comes by."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import polars as pl
import pytest

from rankgauge.engines import batch
from rankgauge.engines.plan import plan
from rankgauge.judged import JudgedRun
from rankgauge.records import Qrels, Run

MEASURES = ["nDCG@10", "ERR@10", "RBP(p=0.8)", "RR@10", "P@10", "Judged@10", "AP", "bpref", "R@5"]


@pytest.fixture
def kept() -> Iterator[list[object]]:
    """What the collector finds is put here instead of being freed."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize("apart", [False, True])
def test_scoring_a_batch_leaves_no_records_behind(apart: bool, kept: list[object]) -> None:
    rows = pl.DataFrame(
        {"query": ["a", "a", "b", "b"], "doc": ["x", "y"] * 2, "rank": [1, 2] * 2, "grade": [1.0, None, 0.0, 2.0]}
    )
    qrels = rows.select("query", "doc", "grade").drop_nulls() if apart else None
    batch.score(rows, plan(MEASURES, order="rank", top_grade=2.0), qrels)
    gc.collect()
    assert [type(one).__name__ for one in kept if isinstance(one, Qrels | Run | JudgedRun)] == []
