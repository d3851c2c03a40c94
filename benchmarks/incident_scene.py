"""One scene of the incident: the load, what came of it, and a second stage in this process that has to bear it."""

from __future__ import annotations

import asyncio
import functools
import os
import re
import resource
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from incident_stage import OneBatch

from rankgauge.retrieval import Index
from rankgauge.retrieval.rerank import rerank
from rankgauge.retrieval.safety import Guard, Limits
from rankgauge.retrieval.workers import Apart

CANDIDATES = 5000
MIB = 1 << 20


class Hangs:
    """A second stage that can be made to hang."""

    def __init__(self, stage):
        self.stage, self.name = stage, stage.name
        self.free = threading.Event()
        self.free.set()

    def score(self, candidates):
        self.free.wait()
        return self.stage.score(candidates)


def memory_of(pid: int | str = "self") -> dict[str, int]:
    """VmSize, VmPeak, VmHWM and VmRSS in MiB."""
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return {name: int(kib) // 1024 for name, kib in re.findall(r"^(Vm\w+):\s+(\d+)", told, re.MULTILINE)}


def capped(spare: int) -> int:
    """Cap the address space at what it is and so many MiB more; the cap."""
    cap = memory_of()["VmSize"] + spare
    resource.setrlimit(resource.RLIMIT_AS, (cap * MIB, cap * MIB))
    return cap


def apart_of(given) -> Apart:
    """The second stage in a process of its own, which is there."""
    apart = Apart(functools.partial(OneBatch, given.layers), "one-batch", memory=given.worker * MIB, patience=5.0)
    apart.start()
    return apart


def bearable(given, index: Index, stage, guard: Guard) -> float:
    """Requests per second that are borne one after another, each with all its pairs scored; the guard learns of it."""
    patient, first = Guard(Limits(budget=60.0)), index.retriever("bm25")
    texts = index.texts([f"d{number}" for number in range(1, 9)])
    for one in (patient, guard):
        one.warm(stage, texts=texts)
    begun, count = time.monotonic(), 0
    while time.monotonic() - begun < given.measuring:
        asked = query(10 * count)
        hits = first.search(asked, CANDIDATES)
        found = patient(stage, asked, hits, index.texts, depth=given.depth)
        assert (len(hits), found.status) == (CANDIDATES, "full"), (len(hits), found.reason)
        count += 1
    taken = time.monotonic() - begun
    patient.close()
    return count / taken


class Scene(ABC):
    """The load, and the counts of what came of it."""

    def __init__(self, given) -> None:
        self.given = given
        self.answers: Counter[str] = Counter()
        self.taken: list[float] = []
        self.errors: Counter[str] = Counter()
        self.wrong = self.pairs = self.worker_peak = 0

    @abstractmethod
    async def ask(self, number: int, depth: int, due: float) -> tuple[str, str, int, bool]:
        """Answer one request: status, reason, pairs scored, and whether the list is as it should be."""

    @property
    @abstractmethod
    def worker(self) -> int | None:
        """The process of the second stage, None where there is none at the moment."""

    async def load(self, rate: float) -> None:
        """Requests at random moments; each is answered or counted as an error."""
        rng = np.random.default_rng(1)
        begun, at, tasks, number = time.monotonic(), 0.0, [], 0
        while at < self.given.seconds:
            at += rng.exponential(1 / rate)
            await asyncio.sleep(max(0.0, begun + at - time.monotonic()))
            tasks.append(asyncio.create_task(self.request(number, begun + at, self.given.depth)))
            if number % 5 == 0:
                tasks.append(asyncio.create_task(self.request(number, begun + at, CANDIDATES)))
            number += 1
        await asyncio.gather(*tasks)

    async def request(self, number: int, due: float, depth: int) -> str:
        try:
            status, reason, scored, right = await self.ask(number, depth, due)
        except BaseException as error:
            self.errors[str(error) if isinstance(error, LookupError) else type(error).__name__] += 1
            return "error"
        self.taken.append(time.monotonic() - due)
        self.pairs += scored
        self.answers[f"{status} {reason}".strip()] += 1
        self.wrong += not right
        return status

    async def harm(self) -> None:
        """What the scene does to the second stage meanwhile."""
        for _ in range(3 if self.given.scene.endswith("killed") else 0):
            await asyncio.sleep(self.given.seconds / 4)
            if self.worker is not None:
                os.kill(self.worker, signal.SIGKILL)

    async def watch(self) -> None:
        """Keep the most memory that the child had."""
        while True:
            if self.worker is not None:
                self.worker_peak = max(self.worker_peak, memory_of(self.worker).get("VmHWM", 0))
            await asyncio.sleep(0.1)

    async def recovered(self) -> float:
        """Seconds after the load until three requests in a row have pairs scored."""
        begun, row = time.monotonic(), 0
        while row < 3 and time.monotonic() - begun < 60:
            reranked = await self.request(0, time.monotonic(), self.given.depth) in ("full", "partial")
            row = row + 1 if reranked else 0
            await asyncio.sleep(0.1)
        return time.monotonic() - begun - 0.3

    async def play(self, rate: float) -> float:
        self.alone = await self.request(0, time.monotonic(), self.given.depth)
        self.taken.clear()
        self.answers.clear()
        self.pairs = 0
        watching = asyncio.create_task(self.watch())
        await asyncio.gather(self.load(rate), self.harm())
        self.told = {
            "answers": dict(self.answers), "errors": dict(self.errors), "wrong": self.wrong,
            "p50": at(self.taken, 0.5), "p99": at(self.taken, 0.99), "most": max(self.taken, default=0.0),
        }  # fmt: skip
        seconds = await self.recovered() if self.given.scene != "unguarded" else 0.0
        watching.cancel()
        return seconds


class Here(Scene):
    """The two stages in this process, called from its event loop."""

    def __init__(self, given, index: Index) -> None:
        super().__init__(given)
        self.index, self.first = index, index.retriever("bm25")
        self.apart = apart_of(given) if given.scene in ("apart", "killed") else None
        self.stage = self.apart or Hangs(OneBatch(given.layers))
        self.guard = Guard(Limits(budget=given.budget - given.reserve, workers=1, waiting=4))
        self.searching = ThreadPoolExecutor(1, "search")

    @property
    def worker(self) -> int | None:
        return None if self.apart is None else self.apart.pid

    async def ask(self, number, depth, due):
        loop, asked = asyncio.get_running_loop(), query(number)
        hits = await loop.run_in_executor(self.searching, self.first.search, asked, CANDIDATES)
        found = await self.answer(asked, hits, depth, due + self.given.budget - self.given.reserve)
        below = found.hits.docs[found.scored :] == hits.docs[found.scored :]
        whole = sorted(found.hits.docs[: found.scored]) == sorted(hits.docs[: found.scored])
        right = below and whole and found.degraded == (found.scored < depth)
        return found.status, found.reason, found.scored, right

    async def answer(self, asked, hits, depth, until):
        if self.given.scene != "unguarded":
            return await self.guard.aanswer(self.stage, asked, hits, self.index.texts, depth=depth, until=until)
        work = functools.partial(rerank, self.stage, asked, hits, self.index.texts, depth=CANDIDATES)
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def harm(self) -> None:
        if self.given.scene == "hangs":
            await asyncio.sleep(self.given.seconds / 4)
            self.stage.free.clear()
            await asyncio.sleep(self.given.seconds / 4)
            self.stage.free.set()
        await super().harm()


def query(number: int) -> str:
    """A query that every document answers; one in ten is longer than a guard takes."""
    return f"common w{number % 5000}" + " common" * (1000 if number % 10 == 9 else 0)


def at(taken, share):
    return float(np.quantile(taken, share, method="higher")) if taken else 0.0
