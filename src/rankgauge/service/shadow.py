"""A second reranker beside the one that answers: both lists are kept, no answer waits for it."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.rerank import rerank
from rankgauge.service.serving import MakeStage, Serving
from rankgauge.service.shown import Shown, ShownLog

FOLDER = "_shadow"


class Shadow:
    """Reranks a share of the first stage's lists once more, one at a time, and leaves both lists to a log.

    Only full answers are looked at: a list that was cut short says nothing of its reranker.

    Parameters
    ----------
    stage : makes it for a generation of the index
    name : folder of its lists
    share : of the requests, drawn at random
    waiting : requests that may wait for it; more are passed over, and counted
    """

    def __init__(
        self, stage: MakeStage, log: ShownLog, *, name: str = "shadow", share: float = 1.0, waiting: int = 16,
        rng: random.Random | None = None,
    ) -> None:  # fmt: skip
        self.stage, self.log, self.share = stage, log, share
        self.places = {"served": f"{FOLDER}/served", "shadow": f"{FOLDER}/{name}"}
        self.counts: Counter[str] = Counter()
        self._rng, self._lock = rng or random.Random(), threading.Lock()
        self._pool = ThreadPoolExecutor(1, "shadow")
        self._room = threading.Semaphore(waiting + 1)

    def offer(self, query_id: str, answer: Answer, serving: Serving, *, depth: int, shown: int) -> None:
        """Look at an answer, if it is drawn and there is room; never waits.

        `shown` is how much of either list is kept.
        """
        if answer.degraded:
            self._count("degraded")
        elif self._rng.random() >= self.share:
            self._count("not drawn")
        elif not self._room.acquire(blocking=False):
            self._count("dropped")
        else:
            self._pool.submit(self._look, query_id, answer, serving, depth, shown)

    def close(self) -> None:
        """Let nothing more in, and wait for the one that runs."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _look(self, query_id: str, answer: Answer, serving: Serving, depth: int, shown: int) -> None:
        try:
            stage = self.stage(serving.index)
            assert stage is not None
            other = rerank(stage, answer.query, answer.first, serving.index.texts, depth=depth)
            lists: dict[str, Sequence[str]] = {
                self.places["served"]: answer.final.hits.docs[:shown],
                self.places["shadow"]: other.hits.docs[:shown],
            }
            kept = self.log.put(Shown(time.time(), query_id, lists))
        except Exception:
            # Whatever a model raises: it is on trial, and nobody waits for it.
            self._count("failed")
        else:
            self._count("compared" if kept else "dropped")
        finally:
            self._room.release()

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1
