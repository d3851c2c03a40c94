"""`rankgauge serve` as a process: from an index to answers, and from what it showed to a measure and its trend."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

import rankgauge as rg
from onnx_bert import write_folder
from rankgauge.conventions import convention
from rankgauge.retrieval.documents import read_queries
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.running import retrieve
from service_worlds import Client, until


class Started:
    """The verb in a process of its own; what it tells is kept."""

    def __init__(self, *words: object, **environment: str) -> None:
        command = [sys.executable, "-m", "rankgauge", "serve", *map(str, words), "--port", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until(lambda: self.told("listening") or self.process.poll() is not None, 60)
        assert self.process.poll() is None, self.said
        self.ask = Client(int(self.told("listening")[0]["address"].rpartition(":")[2]))

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)

    def told(self, event: str) -> list[dict]:
        return [one for one in (json.loads(line) for line in self.said if line[0] == "{") if one["event"] == event]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(30)
        self._reader.join(10)
        return code


@contextmanager
def serving(*words: object, **environment: str) -> Iterator[Started]:
    started = Started(*words, **environment)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        assert started.process.stderr is not None
        started.process.stderr.close()


def test_what_was_shown_is_measured_and_followed_day_by_day(rankgauge, tmp_path):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    queries = read_queries("queries.jsonl")
    with serving("idx", "--log", "shown", "--queries", "queries.jsonl") as started:
        for text in queries.values():
            assert started.ask.post("/search", {"query": text, "k": 3}).status == 200
        assert started.end() == 0
    assert [one["signal"] for one in started.told("ending")] == ["SIGTERM"]
    assert len(started.told("request")) == len(queries)

    run = retrieve(Index.open("idx").retriever("bm25"), queries, 100)
    how = convention("default").but(ties="input")  # a log has the order of ties in its ranks
    scores = rg.evaluate(rg.read_qrels("qrels.txt"), run, "nDCG@10", convention=how)
    own = scores.mean()["mean"].item()
    done = rankgauge("evaluate", "shown", "--qrels", "qrels.txt", "-m", "nDCG@10", "--format", "json")
    assert done.code == 0, done.err
    assert [row["mean"] for row in json.loads(done.out)["scores"]] == [pytest.approx(own, abs=1e-12)]

    day = next(Path("shown").glob("date=*"))
    for before in range(1, 8):
        date = dt.date.fromisoformat(day.name[5:]) - dt.timedelta(days=before)
        shutil.copytree(day, f"shown/date={date}")
    assert rankgauge("evaluate", "shown", "--qrels", "qrels.txt", "-m", "nDCG@10", "-o", "out").code == 0
    followed = rankgauge("trend", "out", "-m", "nDCG@10", "--max-unjudged", "1")
    assert followed.code == 0, followed.err
    assert f"{own:.4f}" in followed.out


def test_both_stages_in_a_process_apart_with_a_cache_and_a_shadow(rankgauge, tmp_path):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    write_folder(tmp_path / "tiny", labels=1)
    second = ("--model", "tiny", "--apart", "--shadow", "tiny", "--shadow-share", "1", "--log", "shown")
    with serving("idx", *second, "--cache", "memory", "--latency-budget", "20s", "--rerank-depth", "5") as started:
        first, again = (started.ask.get("/search?query=refund+card").json for _ in range(2))
        assert (first["rerank"]["status"], first["rerank"]["scored"], first["cache"]) == ("full", 5, "miss")
        assert (again["cache"], again["hits"]) == ("exact", first["hits"])
        until(lambda: started.ask.metric('rankgauge_shadow_total{outcome="compared"}') == 1, 60)
        assert started.end(signal.SIGINT) == 0
    places = {path.parent.parent.relative_to("shown").as_posix() for path in Path("shown").rglob("*.parquet")}
    assert places == {".", "_requests", "_shadow/served", "_shadow/shadow"}
    served, shadow = (pl.read_parquet(sorted(Path("shown/_shadow").glob(f"{place}/*/*.parquet")),
                                      hive_partitioning=False) for place in ("served", "shadow"))  # fmt: skip
    assert served.equals(shadow)


def test_a_key_is_asked_for_and_never_told(rankgauge):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    with serving("idx", "--api-key-env", "SEARCH_KEY", SEARCH_KEY="sesame") as started:
        assert started.ask.get("/search?query=refund").status == 401
        assert started.ask.get("/search?query=refund", x_api_key="sesame").status == 200
        assert started.end() == 0
    assert "sesame" not in "".join(started.said)


def test_after_the_signal_requests_are_still_taken_for_a_while(rankgauge):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    with serving("idx", "--drain", "60s") as started:
        started.process.send_signal(signal.SIGTERM)
        until(lambda: started.ask.get("/readyz").status == 503)
        assert started.ask.get("/search?query=refund").status == 200
        assert started.end() == 0  # told twice, it does not wait


def test_what_cannot_be_served_is_said_before_anything_is_loaded(rankgauge, monkeypatch):
    assert rankgauge("index", "corpus.jsonl", "-o", "idx").code == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = rankgauge("serve", "idx", "--port", port)
    assert (done.code, f"127.0.0.1:{port}: expected a free address" in done.err) == (1, True)
    monkeypatch.setenv("EMPTY", "")
    done = rankgauge("serve", "idx", "--api-key-env", "EMPTY", "--port", 0)
    assert (done.code, done.err.splitlines()[-1]) == (
        1, "error: environment variable EMPTY: expected a key, got none; export EMPTY=..."
    )  # fmt: skip
    assert rankgauge("serve", "nowhere", "--port", 0).code == 1
    for wrong in (("--latency-budget", "fast"), ("--latency-budget", "0s"), ("--max-body", "much"), ("--cache", "disk"),
                  ("--watch", "5"), ("--shadow", "tiny")):  # fmt: skip
        assert rankgauge("serve", "idx", "--port", 0, *wrong).code == 2
