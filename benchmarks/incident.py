"""The incident: 5,000 candidates per query, more requests than can be borne, little memory; and the reranker killed.

    python benchmarks/incident.py                            # all scenes, a minute of load each, as a table
    python benchmarks/incident.py --scenes killed --seconds 8 --json out.json

Each scene is a process of its own whose address space the system caps (RLIMIT_AS) at what it has once everything is
loaded, and `--spare` MiB more. First it measures how many requests with `--depth` pairs it can bear; then requests come
at random moments, `--load` times as many, whatever has become of those before; latency counts from the moment on which
a request was due. One more request in five asks for all 5,000 candidates to be reranked.

    unguarded   every request reranks its 5,000 candidates, as in the incident
    guarded     the second stage in threads of the service, under a guard
    apart       the second stage in a process of its own, under a guard
    killed      the same, and the process is killed (SIGKILL) three times
    hangs       the second stage in threads of the service stops coming back for a third of the time
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from incident_stage import OneBatch
from saying import talk

from rankgauge.retrieval import Document, Index
from rankgauge.retrieval.rerank import rerank
from rankgauge.retrieval.safety import Guard, Limits
from rankgauge.retrieval.workers import Apart

SCENES = ("unguarded", "guarded", "apart", "killed", "hangs")
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


def corpus(folder: Path) -> None:
    """Documents that all hold one word, and some that are long."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(5000)])
    texts = [" ".join(["common", *rng.choice(words, 80)]) for _ in range(CANDIDATES + 500)]
    texts[::2000] = ["common " + "long " * 200_000] * len(texts[::2000])
    Index.build(folder, [Document(f"d{number}", text) for number, text in enumerate(texts)])


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


class Scene:
    def __init__(self, given, index: Index) -> None:
        self.given, self.index = given, index
        self.first = index.retriever("bm25")
        self.answers: Counter[str] = Counter()
        self.taken: list[float] = []
        self.errors: Counter[str] = Counter()
        self.wrong = self.pairs = 0
        self.worker_peak = 0
        make = functools.partial(OneBatch, given.layers)
        self.apart = None
        if given.scene in ("apart", "killed"):
            self.apart = Apart(make, "one-batch", memory=given.worker * MIB, patience=5.0)
            self.apart.start()
        self.stage = self.apart or Hangs(make())
        limits = Limits(budget=given.budget - given.reserve, workers=1, waiting=4)
        self.guard = Guard(limits)
        self.searching = ThreadPoolExecutor(1, "search")

    def sustainable(self) -> float:
        """Requests per second that are borne one after another, each with all its pairs scored."""
        patient = Guard(Limits(budget=60.0))
        texts = self.index.texts([f"d{number}" for number in range(1, 9)])
        for guard in (patient, self.guard):
            guard.warm(self.stage, texts=texts)
        begun, count = time.monotonic(), 0
        while time.monotonic() - begun < self.given.measuring:
            asked = query(10 * count)
            hits = self.first.search(asked, CANDIDATES)
            found = patient(self.stage, asked, hits, self.index.texts, depth=self.given.depth)
            assert (len(hits), found.status) == (CANDIDATES, "full"), (len(hits), found.reason)
            count += 1
        taken = time.monotonic() - begun
        patient.close()
        return count / taken

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
        loop, asked = asyncio.get_running_loop(), query(number)
        try:
            hits = await loop.run_in_executor(self.searching, self.first.search, asked, CANDIDATES)
            found = await self.answer(asked, hits, depth, due + self.given.budget - self.given.reserve)
        except BaseException as error:
            self.errors[type(error).__name__] += 1
            return "error"
        self.taken.append(time.monotonic() - due)
        self.pairs += found.scored
        self.answers[f"{found.status} {found.reason}".strip()] += 1
        below = found.hits.docs[found.scored :] == hits.docs[found.scored :]
        whole = sorted(found.hits.docs[: found.scored]) == sorted(hits.docs[: found.scored])
        self.wrong += not (below and whole and found.degraded == (found.scored < depth))
        return found.status

    async def answer(self, asked, hits, depth, until):
        if self.given.scene != "unguarded":
            return await self.guard.aanswer(self.stage, asked, hits, self.index.texts, depth=depth, until=until)
        work = functools.partial(rerank, self.stage, asked, hits, self.index.texts, depth=CANDIDATES)
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def harm(self) -> None:
        """What the scene does to the second stage meanwhile."""
        third = self.given.seconds / 4
        if self.given.scene == "hangs":
            await asyncio.sleep(third)
            self.stage.free.clear()
            await asyncio.sleep(third)
            self.stage.free.set()
        for _ in range(3 if self.given.scene == "killed" else 0):
            await asyncio.sleep(third)
            if self.apart.pid is not None:
                os.kill(self.apart.pid, signal.SIGKILL)

    async def watch(self) -> None:
        """Keep the most memory that the child had."""
        while self.apart is not None:
            self.worker_peak = max(self.worker_peak, memory_of(self.apart.pid or 0).get("VmHWM", 0))
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


def query(number: int) -> str:
    """A query that every document answers; one in ten is longer than a guard takes."""
    return f"common w{number % 5000}" + " common" * (1000 if number % 10 == 9 else 0)


def at(taken, share):
    return float(np.quantile(taken, share, method="higher")) if taken else 0.0


def play(given) -> None:
    """One scene, in this process; what came of it, as JSON."""
    scene = Scene(given, Index.open(given.index))
    bearable = scene.sustainable()
    loaded = memory_of()
    cap = capped(given.spare)
    talk(f"{given.scene}: {bearable:.1f} requests/s are borne; address space {loaded['VmSize']} MiB, cap {cap} MiB")
    recovery = asyncio.run(scene.play(given.load * bearable))
    scene.told |= {
        "scene": given.scene, "bearable": bearable, "rate": given.load * bearable, "cap": cap, "loaded": loaded,
        "peak": memory_of(), "worker": scene.worker_peak, "recovery": recovery, "alone": scene.alone,
        "starts": scene.apart.starts if scene.apart else 0, "fault": scene.guard.standing().fault,
        "goodput": scene.pairs / given.seconds / given.depth / bearable,
    }  # fmt: skip
    print(json.dumps(scene.told), flush=True)
    scene.guard.close()
    if scene.apart is not None:
        scene.apart.close()
    os._exit(0)  # the unguarded one's threads may go on for minutes


def played(scene: str, folder: str) -> dict:
    """One scene, in a process of its own."""
    command = [sys.executable, __file__, *sys.argv[1:], "--scene", scene, "--index", folder]
    one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=os.environ | one_core)
    if done.returncode or not done.stdout:
        return {"scene": scene, "died": done.returncode}
    return json.loads(done.stdout)


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", nargs="*", default=SCENES, choices=SCENES)
    parser.add_argument("--scene", help=argparse.SUPPRESS)
    parser.add_argument("--index", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load")
    parser.add_argument("--measuring", type=float, default=5.0, help="seconds in which the bearable load is measured")
    parser.add_argument("--load", type=float, default=4.0, help="times what can be borne")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds that an answer may take")
    parser.add_argument("--reserve", type=float, default=0.03, help="of these, kept for all but the second stage")
    parser.add_argument("--depth", type=int, default=100, help="pairs that a request wants to have scored")
    parser.add_argument("--layers", type=int, default=3, help="of the second stage: what a pair costs")
    parser.add_argument("--spare", type=int, default=512, help="MiB of address space beyond what is loaded")
    parser.add_argument("--worker", type=int, default=1024, help="MiB of address space of the process apart")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(argv)


def row(told: dict) -> str:
    if "died" in told:
        return f"| {told['scene']} | died with exit code {told['died']} |" + " |" * 8
    answers, all_ = told["answers"], sum(told["answers"].values()) or 1
    shares = [sum(n for kind, n in answers.items() if kind.startswith(s)) / all_ for s in ("full", "partial", "skip")]
    cells = [
        f"{all_}", f"{sum(told['errors'].values())}",
        *(f"{share:.0%}" for share in (*shares, told["goodput"])),
        f"{1000 * told['p50']:.0f} / {1000 * told['p99']:.0f} / {1000 * told['most']:.0f}",
        f"{told['peak']['VmHWM']} / {told['worker']}", f"{told['recovery']:.1f}",
    ]  # fmt: skip
    return f"| {told['scene']} | " + " | ".join(cells) + " |"


def main() -> None:
    given = arguments()
    if given.scene:
        play(given)
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus(Path(folder))
        told = [played(scene, folder) for scene in given.scenes]
    head = ["scene", "answers", "errors", "full", "partial", "skipped", "pairs of what is borne"]
    head += ["p50 / p99 / max ms", "MiB, service / child", "recovery s"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for one in told:
        print(row(one))
    for one in told:
        talk(json.dumps(one))
    if given.json:
        given.json.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
