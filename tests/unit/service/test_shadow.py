"""A second reranker beside: both lists are kept, and no answer waits for it."""

from __future__ import annotations

import random
import threading

import numpy as np
import polars as pl
import pytest

from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import merged
from rankgauge.service.serving import Plan
from rankgauge.service.shadow import Shadow
from rankgauge.service.shown import ShownLog
from service_worlds import Told, gateway_on, index_of, served, until


class Contrary(Told):
    """Prefers early ids."""

    def score(self, candidates):
        return -super().score(candidates)


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    return Plan(index_of(tmp_path_factory.mktemp("animals") / "idx")).open()


def answer(*, degraded: bool = False) -> Answer:
    first = Hits(("cat", "dog", "fish"), np.array([3.0, 2.0, 1.0]))
    status = {"status": "skipped", "reason": "timeout"} if degraded else {}
    return Answer("cat", first, merged(first, np.zeros(0) if degraded else np.array([1.0, 3.0, 2.0]), **status))


def lists(folder, place):
    frame = pl.read_parquet(sorted((folder / place).rglob("*.parquet")), hive_partitioning=False)
    return frame.group_by("query_id", maintain_order=True).agg("document_id").rows()


def test_both_lists_of_a_request_are_kept_in_the_schema_of_logs(tmp_path, serving):
    log = ShownLog(tmp_path)
    shadow = Shadow(lambda index: Contrary(), log)
    shadow.offer("q1", answer(), serving, depth=10, shown=2)
    until(lambda: shadow.counts["compared"])
    shadow.close()
    log.close()
    assert lists(tmp_path, "_shadow/served") == [("q1", ["dog", "fish"])]
    assert lists(tmp_path, "_shadow/shadow") == [("q1", ["cat", "dog"])]


def test_what_is_not_looked_at_is_counted(tmp_path, serving):
    log, go = ShownLog(tmp_path), threading.Event()
    shadow = Shadow(lambda index: Told(lambda: go.wait(20)), log, waiting=1)
    for _ in range(5):
        shadow.offer("q", answer(), serving, depth=10, shown=2)
    shadow.offer("q", answer(degraded=True), serving, depth=10, shown=2)
    assert shadow.counts == {"dropped": 3, "degraded": 1}
    go.set()
    until(lambda: shadow.counts["compared"] == 2)
    shadow.close()
    log.close()


def test_a_share_of_the_requests_is_drawn(tmp_path, serving):
    log = ShownLog(tmp_path)
    shadow = Shadow(lambda index: Told(), log, share=0.25, waiting=1000, rng=random.Random(7))
    for number in range(400):
        shadow.offer(f"q{number}", answer(), serving, depth=10, shown=2)
    until(lambda: sum(shadow.counts.values()) == 400)
    shadow.close()
    log.close()
    assert 70 <= shadow.counts["compared"] <= 130
    assert len(lists(tmp_path, "_shadow/shadow")) == shadow.counts["compared"]


def test_a_shadow_that_fails_is_counted(tmp_path, serving):
    def broken() -> None:
        raise RuntimeError("broken")

    log = ShownLog(tmp_path)
    shadow = Shadow(lambda index: Told(broken), log)
    shadow.offer("q", answer(), serving, depth=10, shown=2)
    until(lambda: shadow.counts["failed"])
    shadow.close()
    log.close()
    assert list(tmp_path.rglob("*.parquet")) == []


def test_no_answer_waits_for_the_shadow_and_its_lists_are_not_those_that_were_shown(tmp_path):
    folder, go = index_of(tmp_path / "idx"), threading.Event()
    log = ShownLog(tmp_path / "shown")
    shadow = Shadow(lambda index: Contrary(lambda: go.wait(20)), log)
    gateway = gateway_on(folder, Told(), shown=log, shadow=shadow)
    with served(gateway) as ask:
        for query in ("a small cat", "dog", "dog"):
            assert ask.post("/search", {"query": query, "query_id": query}).headers["x-rerank-state"] == "full"
        ask.post("/search", {"query": "fish", "query_id": "fish", "depth": 1})
        ask.post("/search", {"query": "fish", "query_id": "fish", "allowed": ["fish"]})
        assert shadow.counts["compared"] == 0
        go.set()
        until(lambda: shadow.counts["compared"] == 4)
        assert ask.metric('rankgauge_shadow_total{outcome="compared"}') == 4
    served_lists = [("a small cat", ["kitten", "fish", "dog", "cat"]), ("dog", ["dog"])]
    assert lists(tmp_path / "shown", "date=" + next((tmp_path / "shown").glob("date=*")).name[5:]) == served_lists
    assert lists(tmp_path / "shown", "_shadow/shadow")[0] == ("a small cat", ["cat", "dog", "fish", "kitten"])
    requests = pl.read_parquet(sorted((tmp_path / "shown/_requests").rglob("*.parquet")), hive_partitioning=False)
    assert requests["query_id"].to_list() == ["a small cat", "dog", "dog", "fish", "fish"]
    assert requests["scored"].to_list() == [4, 1, 1, 1, 1]
    assert set(requests.columns) >= {"time", "request_id", "k", "depth", "status", "reason", "generation", "seconds"}
