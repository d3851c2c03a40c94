"""Gateways on real ports: a small index, second stages that do as they are told, and a client."""

from __future__ import annotations

import http.client
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from rankgauge.retrieval.index import Index
from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.rerank import Candidates
from rankgauge.retrieval.safety import Guard
from rankgauge.service.gateway import Gateway, Parts, Room
from rankgauge.service.http import Manner, application
from rankgauge.service.journal import Journal
from rankgauge.service.metrics import Metrics
from rankgauge.service.serving import Holder, Plan
from rankgauge.service.setup import standing_of

ANIMALS = [
    Document("cat", "a cat sleeps on the mat", "Cats"),
    Document("dog", "a dog runs after the cat"),
    Document("kitten", "a kitten is a small cat, and a cat is a large kitten"),
    Document("fish", "a fish swims", "<b>Fish</b> & chips"),
]


def index_of(folder: Path, documents: list[Document] | None = None) -> Path:
    """An index of a few animals."""
    Index.build(folder, documents or ANIMALS)
    return folder


class Told:
    """A second stage that prefers late ids, and does first whatever it is told."""

    name = "told"

    def __init__(self, does: Callable[[], None] = lambda: None) -> None:
        self.does = does

    def score(self, candidates: Candidates) -> Any:
        self.does()
        return np.array([float(ord(doc[0])) for doc in candidates.hits.docs])


class Nothing(io.StringIO):
    """A journal's stream that keeps its lines."""

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


def gateway_on(
    folder: Path, stage: Told | None = None, *, room: Room | None = None, limits: Limits | None = None, **parts: Any
) -> Gateway:
    """A gateway over an index."""
    guard = None if stage is None else Guard(limits or Limits(budget=10.0))
    plan = Plan(folder, stage=lambda index: stage, how=guard, depth=10, candidates=50)
    made: list[Gateway] = []
    metrics = Metrics(lambda: standing_of(made[0]))
    journal = Journal(Nothing())
    made.append(Gateway(Parts(Holder(plan), metrics, journal, guard, **parts), room or Room(budget=10.0)))
    return made[0]


@dataclass(frozen=True)
class Got:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def ids(self) -> list[str]:
        return [hit["id"] for hit in self.json["hits"]]


@dataclass(frozen=True)
class Client:
    """Asks a server."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Got:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Got:
        return self("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Got:
        return self("POST", path, body, **headers)

    def metric(self, line: str) -> float:
        """The value of a metric, by what stands before it."""
        found = [row for row in self.get("/metrics").body.decode().splitlines() if row.startswith(f"{line} ")]
        assert found, line
        return float(found[0].rpartition(" ")[2])


@contextmanager
def served(gateway: Gateway, manner: Manner | None = None) -> Iterator[Client]:
    """Serve on a free port, in a thread; when it ends, all that the gateway had to write is written."""
    config = uvicorn.Config(
        application(gateway, manner or Manner(watch=0)), port=0, log_config=None, access_log=False, lifespan="on"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive())
        yield Client(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        gateway.parts.journal.close()
    assert not thread.is_alive()


def until(done: Callable[[], Any], seconds: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never came to be so"
        time.sleep(0.005)


def events(gateway: Gateway) -> list[dict[str, Any]]:
    """What the journal of a gateway on this page has told."""
    stream = gateway.parts.journal._stream
    assert isinstance(stream, Nothing)
    return stream.events
