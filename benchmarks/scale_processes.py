"""A command with all the processes that it starts: seconds, processor seconds and peak memory of the whole tree.

Processes that outlive their parent (Spark's Java and its workers) are inherited here, so that none is forgotten.
Memory is the sum of what is resident in each process at one time, looked at every 50 ms: pages that processes
share count once for each. Linux only. Only the standard library, since a child's peak counts from its parent's.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
EVERY = 0.05
PATIENCE = 20.0  # seconds that orphans have to end by themselves
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Sample:
    """Wall seconds, processor seconds and peak MiB of a tree of processes, its exit code, and what it printed."""

    wall: float
    cpu: float
    memory: float
    code: int
    output: str


def measured(command: Sequence[str], env: dict[str, str], *, limit: float = 3600) -> Sample:
    """Run a command to its end; its process is killed after `limit` seconds. What it says goes to our stderr."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    others = {*_children(os.getpid())}
    with tempfile.TemporaryFile("w+") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, env=env)
        peak = cpu = 0.0
        while True:
            done, status, used = os.wait4(process.pid, os.WNOHANG)
            peak = max(peak, _resident({*_children(os.getpid())} - others))
            if done:
                break
            if time.perf_counter() - start > limit:
                process.kill()
            time.sleep(EVERY)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = used.ru_utime + used.ru_stime + _orphans(others)
        out.seek(0)
        peak = max(peak, used.ru_maxrss * 1024) / 2**20
        return Sample(wall, cpu, peak, process.returncode, out.read())


def _children(pid: int) -> Iterator[int]:
    """The children of all threads of a process."""
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())
    except (FileNotFoundError, ProcessLookupError):
        return


def _resident(pids: set[int]) -> float:
    """Bytes resident in processes and all their descendants."""
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += int(_resident({*_children(pid)}))
    return total


def _orphans(others: set[int]) -> float:
    """Wait for what the command has left running; its processor seconds. What does not end is ended."""
    cpu, start = 0.0, time.perf_counter()
    while left := {*_children(os.getpid())} - others:
        for pid in left:
            if time.perf_counter() - start > PATIENCE:
                os.kill(pid, signal.SIGKILL)
            done, _, used = os.wait4(pid, os.WNOHANG)
            cpu += used.ru_utime + used.ru_stime if done else 0.0
        time.sleep(EVERY)
    return cpu
