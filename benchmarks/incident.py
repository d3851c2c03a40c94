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
    hangs       the second stage in threads of the service stops coming back for a quarter of the time
    gateway     through HTTP: `rankgauge serve`'s gateway on a port, its second stage in a process of its own
    gateway killed   the same, and this process is killed three times
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import incident_gateway
import numpy as np
from incident_scene import CANDIDATES, Here, bearable, capped, memory_of
from saying import talk

from rankgauge.retrieval import Document, Index

SCENES = ("unguarded", "guarded", "apart", "killed", "hangs", "gateway", "gateway killed")


def corpus(folder: Path) -> None:
    """Documents that all hold one word, and some that are long."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(5000)])
    texts = [" ".join(["common", *rng.choice(words, 80)]) for _ in range(CANDIDATES + 500)]
    texts[::2000] = ["common " + "long " * 200_000] * len(texts[::2000])
    Index.build(folder, [Document(f"d{number}", text) for number, text in enumerate(texts)])


def play(given) -> None:
    """One scene, in this process or through a gateway; what came of it, as JSON."""
    if given.scene.startswith("gateway"):
        print(json.dumps(incident_gateway.play(given, given.index)), flush=True)
        return
    index = Index.open(given.index)
    scene = Here(given, index)
    borne = bearable(given, index, scene.stage, scene.guard)
    loaded = memory_of()
    cap = capped(given.spare)
    talk(f"{given.scene}: {borne:.1f} requests/s are borne; address space {loaded['VmSize']} MiB, cap {cap} MiB")
    recovery = asyncio.run(scene.play(given.load * borne))
    scene.told |= {
        "scene": given.scene, "bearable": borne, "rate": given.load * borne, "cap": cap, "loaded": loaded,
        "peak": memory_of(), "worker": scene.worker_peak, "recovery": recovery, "alone": scene.alone,
        "starts": scene.apart.starts if scene.apart else 0, "fault": scene.guard.standing().fault,
        "goodput": scene.pairs / given.seconds / given.depth / borne,
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
