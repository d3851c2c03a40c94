"""The incident through HTTP: the gateway as a process of its own on a real port, and those who ask it.

Run as a program it is the server: `python incident_gateway.py SCENE.json` measures what it bears, caps its memory, says
so in a line of JSON, and serves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

from incident_scene import CANDIDATES, Scene, apart_of, bearable, capped, memory_of, query

from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.safety import Guard
from rankgauge.service.asking import Bounds
from rankgauge.service.gateway import Gateway, Parts, Room
from rankgauge.service.http import Manner
from rankgauge.service.journal import Journal
from rankgauge.service.metrics import Metrics
from rankgauge.service.server import listening, run
from rankgauge.service.serving import Holder, Plan
from rankgauge.service.setup import standing_of

SHOWN = 100


class Through(Scene):
    """A gateway that is asked over HTTP; each request has a connection of its own."""

    def __init__(self, given, index: str) -> None:
        super().__init__(given)
        settings = json.dumps({name: value for name, value in vars(given).items() if name != "json"} | {"index": index})
        self.server = subprocess.Popen([sys.executable, __file__, settings], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.told_first = json.loads(self.server.stdout.readline())
        self.port = int(json.loads(self.server.stderr.readline())["address"].rpartition(":")[2])
        # Events would fill the pipe; nobody reads them here, and the gateway must not mind.

    @property
    def worker(self) -> int | None:
        tasks = Path(f"/proc/{self.server.pid}/task")
        children = " ".join(path.read_text() for path in tasks.glob("*/children")).split()
        serving = [int(pid) for pid in children if "resource_tracker" not in _command(pid)]
        return serving[0] if serving else None

    async def ask(self, number, depth, due):
        asked = {"query": query(number)[: Bounds().query], "k": SHOWN, "depth": depth}
        status, body = await _get(self.port, f"/search?{urlencode(asked)}")
        if status != 200:
            raise LookupError(f"HTTP {status}")
        found = json.loads(body)
        rerank, hits = found["rerank"], found["hits"]
        scored = min(rerank["scored"], SHOWN)
        before = [hit["first_rank"] for hit in hits]
        right = sorted(before[:scored]) == list(range(1, scored + 1)) or rerank["scored"] > SHOWN
        right &= before[scored:] == list(range(scored + 1, SHOWN + 1))
        right &= found["degraded"] == (rerank["scored"] < depth) == (rerank["status"] != "full")
        return rerank["status"], rerank["reason"] or "", rerank["scored"], right

    def end(self) -> int:
        """End it as one ends a service; its exit code."""
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate(timeout=40)
        return self.server.returncode


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return "resource_tracker"


async def _get(port: int, path: str) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        got = await reader.read()
    finally:
        writer.close()
    head, _, body = got.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def serve(given) -> None:
    """The server, with a second stage in a process of its own, as `rankgauge serve --apart` has it."""
    stage, guard = apart_of(given), Guard(Limits(budget=given.budget))
    plan = Plan(Path(given.index), stage=lambda index: stage, how=guard, depth=given.depth, candidates=CANDIDATES)
    holder = Holder(plan)
    rate = bearable(given, holder.current.index, stage, guard)
    made: list[Gateway] = []
    metrics = Metrics(lambda: standing_of(made[0]))
    made.append(Gateway(Parts(holder, metrics, Journal(), guard), Room(budget=given.budget)))
    loaded = memory_of()
    print(json.dumps({"bearable": rate, "loaded": loaded, "cap": capped(given.spare)}), flush=True)
    with listening("127.0.0.1", 0) as place:
        run(made[0], place, Manner(bounds=Bounds(k=SHOWN), watch=0))
    stage.close()


def play(given, index: str) -> dict:
    """One scene; what came of it."""
    scene = Through(given, index)
    first = scene.told_first
    rate = given.load * first["bearable"]
    recovery = asyncio.run(scene.play(rate))
    peak = memory_of(scene.server.pid)
    begun = time.monotonic()
    code = scene.end()
    return scene.told | first | {
        "scene": given.scene, "rate": rate, "peak": peak, "worker": scene.worker_peak, "recovery": recovery,
        "alone": scene.alone, "goodput": scene.pairs / given.seconds / given.depth / first["bearable"],
        "end": {"code": code, "seconds": time.monotonic() - begun},
    }  # fmt: skip


if __name__ == "__main__":
    serve(argparse.Namespace(**json.loads(sys.argv[1])))
