"""What answers take under a stated load: one caller after another, or arrivals that wait for nobody."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.records._columns import FloatArray

Call = Callable[[str], object]

FEWEST = 5


@dataclass(frozen=True)
class Load:
    """How requests come.

    Attributes
    ----------
    rate : requests per second, at random moments (a Poisson process); 0: the next when the one before is answered
    requests : how many are measured
    seconds : time after which no more are sent, once there are a few
    workers : requests that are worked on at a time, the others wait; counts where there is a rate
    warm : requests before the first that is measured
    seed : of the moments and of the order of the queries
    """

    rate: float = 0.0
    requests: int = 200
    seconds: float = 20.0
    workers: int = 1
    warm: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rate < 0 or min(self.requests, self.workers) < 1 or self.seconds <= 0 or self.warm < 0:
            raise MethodError(f"load: expected a rate of 0 or more, and requests, workers and seconds, got {self}")

    def __str__(self) -> str:
        if not self.rate:
            return "one request at a time"
        return f"{self.rate:g} requests/s at random moments, {self.workers} at a time"


@dataclass(frozen=True, eq=False)
class Latency:
    """What requests took.

    Attributes
    ----------
    seconds : float64[n], from the moment a request was due to its answer, in order of the requests
    cpu : seconds of processor time that a request took of this process, on average
    behind : seconds by which the last answer came later than the last request was due: large where the load is
        more than what can be borne
    """

    seconds: FloatArray
    cpu: float
    behind: float = 0.0

    def __len__(self) -> int:
        return len(self.seconds)

    def at(self, share: float) -> float:
        """Latency that this share of the requests did not exceed: one of those measured, the higher where in doubt.

        >>> Latency(np.array([0.4, 0.1, 0.2, 0.3]), 0.0).at(0.5), Latency(np.array([0.1, 0.2]), 0.0).at(0.99)
        (0.3, 0.2)
        """
        return float(np.quantile(self.seconds, share, method="higher"))

    def as_json(self) -> dict[str, Any]:
        """Give what `of_json` takes."""
        return asdict(self) | {"seconds": self.seconds.tolist()}

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> Latency:
        """Take what `as_json` gave."""
        return cls(np.array(kept["seconds"], dtype=np.float64), kept["cpu"], kept["behind"])


def measured(call: Call, queries: Sequence[str], load: Load) -> Latency:
    """Send queries, over and over, and measure what each takes. An error of the call ends it."""
    if not queries:
        raise MethodError("load: expected queries to send, got none")
    rng = np.random.default_rng(load.seed)
    texts = itertools.cycle([queries[row] for row in rng.permutation(len(queries))])
    for text in itertools.islice(texts, load.warm):
        call(text)
    cpu = time.process_time()
    taken, behind = _one_by_one(call, texts, load) if not load.rate else _open(call, texts, load, rng)
    cpu = time.process_time() - cpu
    return Latency(np.array(taken, dtype=np.float64), cpu / len(taken), behind)


def _one_by_one(call: Call, texts: itertools.cycle[str], load: Load) -> tuple[list[float], float]:
    begun, taken = time.monotonic(), list[float]()
    for text in itertools.islice(texts, load.requests):
        sent = time.monotonic()
        if sent - begun > load.seconds and len(taken) >= FEWEST:
            break
        call(text)
        taken.append(time.monotonic() - sent)
    return taken, 0.0


def _open(call: Call, texts: itertools.cycle[str], load: Load, rng: np.random.Generator) -> tuple[list[float], float]:
    """Send each request when it is due, whatever has become of those before: waiting counts."""
    due = np.cumsum(rng.exponential(1 / load.rate, load.requests))
    due = due[: max(FEWEST, int(np.searchsorted(due, load.seconds)))]
    begun = time.monotonic()

    def answered(text: str, at: float) -> float:
        call(text)
        return time.monotonic() - begun - at

    with ThreadPoolExecutor(load.workers, "load") as pool:
        pending = []
        for at in due.tolist():
            time.sleep(max(0.0, begun + at - time.monotonic()))
            pending.append(pool.submit(answered, next(texts), at))
        taken = [one.result() for one in pending]
    return taken, max(at + one for at, one in zip(due.tolist(), taken, strict=True)) - float(due[-1])


def machine() -> str:
    """Say on what this was measured."""
    return f"{os.cpu_count()} processor cores"
