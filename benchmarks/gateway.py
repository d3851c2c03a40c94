"""What the gateway takes beside a plain FastAPI endpoint that calls the same engine: the table of docs/serve.md.

    python benchmarks/gateway.py FOLDER NAME [--rounds 8] [--requests 400] [--model MODEL --depth 20]

FOLDER holds a folder NAME with corpus.jsonl.gz and queries.jsonl. All servers run at once, each in a process of its
own, with the same server (uvicorn, uvloop, httptools), and are asked in turns, round by round: one connection for the
latency, eight for the throughput. The gateway does all that it does: log of lists, events, metrics, traces. The third
one is the plain endpoint with a body that orjson encodes.

    python benchmarks/gateway.py --encoders

prints what encoding a body of ten and of a hundred hits takes instead.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from saying import talk

from rankgauge.report.grid import Cell, Grid
from rankgauge.retrieval.documents import read_documents, read_queries
from rankgauge.retrieval.index import Index

CONNECTIONS = 8
PLAIN = """
import sys
import fastapi, orjson, uvicorn
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.pipeline import TwoStage
from rankgauge.retrieval.stages import load_stage

index, port, lean, model = Index.open(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "lean", sys.argv[4:]
stage = load_stage(model[0], index=index) if model else None
engine = TwoStage(index.retriever("bm25"), index.texts, stage, depth=int(model[1]) if model else 100)
app = fastapi.FastAPI()

@app.get("/search")
def search(query: str, k: int = 10):
    hits = engine.answer(query).final
    rows = zip(hits.hits.docs[:k], hits.first[:k].tolist())
    found = [{"rank": rank, "id": doc, "score": score} for rank, (doc, score) in enumerate(rows, 1)]
    body = {"query": query, "hits": found}
    return fastapi.Response(orjson.dumps(body), media_type="application/json") if lean else body

uvicorn.run(app, port=port, log_level="warning", access_log=False)
"""


@dataclass
class Server:
    """A server that is asked, and what its answers took."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    seconds: dict[int, list[list[float]]] = field(default_factory=dict)
    rates: dict[int, list[float]] = field(default_factory=dict)
    cpu: dict[int, list[float]] = field(default_factory=dict)

    def used(self) -> float:
        """Seconds of processor time that it has used."""
        spent = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")


class Connection:
    """One connection that is kept; it reads no more than it must, so that the client is not what is measured."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: bytes) -> None:
        self.socket.sendall(request)
        got = self.socket.recv(1 << 20)
        while b"\r\n\r\n" not in got:
            got += self.socket.recv(1 << 20)
        head, _, body = got.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"an answer was no answer: {head[:60]!r}")
        left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) - len(body)
        while left > 0:
            left -= len(self.socket.recv(1 << 20))


@contextmanager
def servers(index: Path, place: Path, model: Sequence[str]) -> Iterator[list[Server]]:
    """The servers, once they answer."""
    second = ["--model", model[0], "--rerank-depth", model[1], "--latency-budget", "10s"] if model else []
    verb = [sys.executable, "-m", "rankgauge", "serve", str(index), "--log", str(place / "shown"), *second]
    ports = [free(), free(), free()]
    commands = [[*verb, "--port", str(ports[0])]]
    commands += [[sys.executable, "-c", PLAIN, str(index), str(port), how, *model]
                 for port, how in zip(ports[1:], ("plain", "lean"), strict=True)]  # fmt: skip
    started = []
    with (place / "events.jsonl").open("wb") as events:
        for name, port, command in zip(("gateway", "plain", "plain, orjson"), ports, commands, strict=True):
            started.append(Server(name, subprocess.Popen(command, stderr=events), port))
        try:
            for one in started:
                answers(one)
            yield started
        finally:
            for one in started:
                one.process.send_signal(signal.SIGTERM)
                one.process.wait(30)


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as place:
        return int(place.getsockname()[1])


def answers(server: Server) -> None:
    end = time.monotonic() + 120
    while True:
        try:
            Connection(server.port).ask(asked("warm up", 1))
            return
        except OSError:
            if time.monotonic() > end or server.process.poll() is not None:
                raise
            time.sleep(0.1)


def asked(query: str, k: int) -> bytes:
    return f"GET /search?query={quote(query)}&k={k} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def one_by_one(server: Server, requests: Sequence[bytes], k: int) -> None:
    connection, taken, before = Connection(server.port), [], server.used()
    for request in requests:
        sent = time.perf_counter()
        connection.ask(request)
        taken.append(time.perf_counter() - sent)
    server.seconds.setdefault(k, []).append(taken)
    server.cpu.setdefault(k, []).append((server.used() - before) / len(requests))


def together(server: Server, requests: Sequence[bytes], k: int) -> None:
    def some(part: Sequence[bytes]) -> None:
        connection = Connection(server.port)
        for request in part:
            connection.ask(request)

    begun = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as callers:
        list(callers.map(some, [requests[number::CONNECTIONS] for number in range(CONNECTIONS)]))
    server.rates.setdefault(k, []).append(len(requests) / (time.perf_counter() - begun))


def row(server: Server, plain: Server, k: int) -> tuple[Cell, ...]:
    """Medians over the rounds, and those of the gateway as a share of the plain endpoint's, round by round."""
    p50s = [statistics.median(taken) for taken in server.seconds[k]]
    p99s = [statistics.quantiles(taken, n=100)[98] for taken in server.seconds[k]]
    others = [statistics.median(taken) for taken in plain.seconds[k]]
    more = statistics.median([one / other - 1 for one, other in zip(p50s, others, strict=True)])
    return (server.name, k, 1000 * statistics.median(p50s), 1000 * statistics.median(p99s),
            1000 * statistics.median(server.cpu[k]), statistics.median(server.rates[k]),
            "" if server is plain else f"{100 * more:+.1f} %")  # fmt: skip


def encoders() -> Grid:
    """Microseconds of processor time that a body takes, by encoder; those that are not installed are left out."""
    ways = {"orjson": ("orjson", "dumps"), "msgspec": ("msgspec.json", "encode"), "json": ("json", "dumps"),
            "FastAPI's encoder, then json": ("fastapi.encoders", "jsonable_encoder")}  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for name, (module, function) in ways.items():
        if find_spec(module.partition(".")[0]) is None:
            continue
        encode = getattr(importlib.import_module(module), function)
        rows.append((name, *(microseconds(encode, body(k), both="then" in name) for k in (10, 100))))
    return Grid(("encoder", "10 hits, µs", "100 hits, µs"), rows, digits=1)


def body(k: int) -> dict[str, object]:
    hit = {"id": "document-17", "first_rank": 3, "first_score": 12.345678, "second_score": 0.1234567}
    return {"query": "what is asked", "hits": [{"rank": rank, **hit} for rank in range(1, k + 1)]}


def microseconds(encode: Callable[[object], object], value: object, *, both: bool) -> float:
    def once() -> None:
        found = encode(value)
        if both:
            json.dumps(found)

    best = float("inf")
    for _ in range(20):
        begun = time.process_time()
        for _ in range(200):
            once()
        best = min(best, (time.process_time() - begun) / 200)
    return 1e6 * best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("name", nargs="?", default="scifact")
    parser.add_argument("--encoders", action="store_true")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--model")
    parser.add_argument("--depth", default="20")
    given = parser.parse_args()
    if given.encoders or given.folder is None:
        print(encoders().render("markdown"))
        return
    with tempfile.TemporaryDirectory() as passing:
        place, source = Path(passing), given.folder / given.name
        Index.build(place / "idx", read_documents(source / "corpus.jsonl.gz"))
        queries = list(read_queries(source / "queries.jsonl").values())
        texts = [queries[number % len(queries)] for number in range(given.requests)]
        with servers(place / "idx", place, [given.model, given.depth] if given.model else []) as both:
            for number in range(given.rounds + 1):  # the first is for warmth
                for k in (10, 100):
                    requests = [asked(text, k) for text in texts]
                    for server in both if number % 2 else both[::-1]:
                        one_by_one(server, requests, k)
                        together(server, requests, k)
                talk(f"round {number} of {given.rounds}")
            for server in both:
                for kept in (server.seconds, server.cpu, server.rates):
                    for one in kept.values():
                        del one[0]  # type: ignore[union-attr]
            columns = ("server", "k", "p50 ms", "p99 ms", "CPU ms", f"requests/s, {CONNECTIONS} at once", "p50 more")
            rows = [row(server, both[1], k) for k in (10, 100) for server in both]
            print(Grid(columns, rows, digits=3).render("markdown"))


if __name__ == "__main__":
    main()
