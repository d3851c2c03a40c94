"""Requests to answers: a bounded number at a time, each within its time, counted and logged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rankgauge.errors import Fault
from rankgauge.retrieval.cache import AnswerCache, Key
from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.safety import Guard
from rankgauge.service.asking import Asked, Refused
from rankgauge.service.golden import Golden
from rankgauge.service.journal import Journal
from rankgauge.service.metrics import Metrics
from rankgauge.service.serving import Holder, Serving
from rankgauge.service.shadow import Shadow
from rankgauge.service.shown import SERVED, Shown, ShownLog

SHOWN = 100
RESERVE = 0.03
"""Seconds of an answer's time, a tenth of it at most, that are left for what comes after the second stage."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Room:
    """How much is worked on.

    Attributes
    ----------
    threads : searches of the first stage at a time
    waiting : requests that wait for a thread; further ones are sent away (503)
    budget : seconds in which an answer is to be there, from its request on
    shown : places of each list that are logged
    """

    threads: int = 2
    waiting: int = 256
    budget: float = 0.3
    shown: int = SHOWN


@dataclass(frozen=True, eq=False)
class Found:
    """An answer, and what it was an answer to.

    Attributes
    ----------
    cache : `off`, `miss`, or how the answer was found there: `exact`, `words` or `like`
    seconds : of each stage (`queue`, `first`, `second`), and `total`
    documents : of the hits that are shown, where texts were asked for
    """

    asked: Asked
    query_id: str
    answer: Answer
    serving: Serving
    depth: int
    cache: str
    seconds: Mapping[str, float]
    documents: tuple[Document, ...] | None = None


@dataclass(frozen=True, eq=False)
class Parts:
    """What a gateway is made of."""

    holder: Holder
    metrics: Metrics
    journal: Journal
    guard: Guard | None = None
    cache: AnswerCache | None = None
    shown: ShownLog | None = None
    shadow: Shadow | None = None
    golden: Golden = field(default_factory=Golden)


class Gateway:
    """Answers searches in threads of its own.

    A thread that waits for the second stage is not one that the first stage may have: there are as many more threads
    as the second stage lets requests in.
    """

    def __init__(self, parts: Parts, room: Room | None = None) -> None:
        self.parts, self.room = parts, room or Room()
        limits = parts.guard.limits if parts.guard else None
        threads = self.room.threads + (limits.workers + limits.waiting if limits else 0)
        self._pool = ThreadPoolExecutor(threads, "search")
        self._most, self._held = threads + self.room.waiting, 0
        self.ready = True

    @property
    def held(self) -> int:
        """Requests that are worked on or wait."""
        return self._held

    async def search(self, asked: Asked, since: float, request_id: str = "") -> Found:
        """Answer one search; `since` is when its request came. Raises Refused where too many wait."""
        with self._place():
            return await self._in_thread(lambda: self._found(asked, since, request_id))

    async def search_each(self, asked: tuple[Asked, ...], request_id: str = "") -> list[Found]:
        """Answer one after the other; each has its own time."""
        with self._place():
            return [
                await self._in_thread(lambda one=one: self._found(one, time.monotonic(), request_id))  # type: ignore[misc]
                for one in asked
            ]

    async def beside(self, work: Callable[[], Result]) -> Result:
        """Do some other work in one of the threads."""
        return await self._in_thread(work)

    async def refresh(self) -> bool:
        """Take up the index's next generation, if there is one; requests go on meanwhile."""
        moved = await asyncio.to_thread(self.parts.holder.refresh)
        if moved:
            index = self.parts.holder.current.index
            self.parts.journal.tell("generation", generation=index.generation, documents=len(index))
        return moved

    def close(self) -> None:
        """Finish what runs, and write what waits to be written."""
        self.ready = False
        self._pool.shutdown(wait=True)
        for part in (self.parts.guard, self.parts.shadow, self.parts.shown):
            if part is not None:
                part.close()

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._held >= self._most:
            advice = "come again in a second"
            raise Refused(503, Fault("gateway", "room for a request", f"{self._held} at work", advice), retry=True)
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _found(self, asked: Asked, since: float, request_id: str) -> Found:
        serving = self.parts.holder.current
        try:
            found = self._answered(asked, serving, since)
        except Exception:
            # Two changes of the index may have taken away the files of this generation.
            if not self._moved_on(serving):
                raise
            found = self._answered(asked, self.parts.holder.current, since)
        self._tell(found, request_id)
        return found

    def _moved_on(self, serving: Serving) -> bool:
        try:
            self.parts.holder.refresh()
        except Exception:
            return False
        return self.parts.holder.current is not serving

    def _answered(self, asked: Asked, serving: Serving, since: float) -> Found:
        begun = time.monotonic()
        pipeline, cache = serving.pipeline, self.parts.cache
        own = self.room.budget if asked.budget_ms is None else min(self.room.budget, asked.budget_ms / 1000)
        depth = pipeline.depth if asked.depth is None else asked.depth
        until = since + own - min(RESERVE, own / 10)
        key = _key(asked, serving, depth)
        known, outcome = (None, "off") if cache is None else cache.found(key)
        answer = known or pipeline.answer(asked.query, allowed=key.allowed, depth=depth, until=until)
        if cache is not None and known is None:
            cache.put(key, _cut(answer, max(asked.k, depth, self.room.shown)))
        documents = tuple(serving.index.documents.get(answer.final.hits.docs[: asked.k])) if asked.texts else None
        stages = {} if known else answer.seconds
        seconds = {"queue": begun - since, **stages, "total": time.monotonic() - since}
        name = self.parts.golden.name(asked.query, asked.query_id)
        return Found(asked, name, answer, serving, depth, outcome, seconds, documents)

    def _tell(self, found: Found, request_id: str) -> None:
        """Count, log and shadow an answer."""
        parts, final = self.parts, found.answer.final
        stages = {name: taken for name, taken in found.seconds.items() if name != "total"}
        parts.metrics.answered(final.status, final.reason, stages)
        if parts.cache is not None:
            parts.metrics.looked_up(found.cache)
        if parts.shown is not None:
            # A search that was narrowed, or reranked as its caller wished, is no list of this ranker.
            ordinary = found.asked.allowed is None and found.depth == found.serving.pipeline.depth
            lists = {SERVED: final.hits.docs[: self.room.shown]} if ordinary else {}
            parts.shown.put(Shown(time.time(), found.query_id, lists, _row(found, request_id)))
        if parts.shadow is not None and found.cache in ("off", "miss") and found.asked.allowed is None:
            parts.shadow.offer(
                found.query_id, found.answer, found.serving, depth=found.depth, shown=self.room.shown
            )  # fmt: skip


def _key(asked: Asked, serving: Serving, depth: int) -> Key:
    """All that the answer depends on."""
    pipeline = serving.pipeline
    allowed = None if asked.allowed is None else frozenset(asked.allowed)
    first, second = pipeline.retriever.name, pipeline.stage.name if pipeline.stage else ""
    # Where candidates are fused, how many of each list decides what they are.
    first = f"{first}, {pipeline.candidates} candidates"
    return Key(asked.query, asked.k, depth, allowed, serving.identity, first, second)


def _cut(answer: Answer, count: int) -> Answer:
    """The head of an answer: below the depth both lists go on with the same documents, which a cache need not hold."""
    final = answer.final
    cut = replace(final, hits=final.hits.top(count), second=final.second[:count], first=final.first[:count])
    return replace(answer, first=answer.first.top(count), final=cut)


def _row(found: Found, request_id: str) -> dict[str, Any]:
    """The request's row of the log."""
    final, seconds = found.answer.final, found.seconds
    return {
        "time": time.time_ns() // 1_000_000, "request_id": request_id, "query_id": found.query_id, "k": found.asked.k,
        "depth": found.depth, "status": final.status, "reason": final.reason, "scored": final.scored,
        "generation": found.serving.index.generation, "cache": found.cache, "queue_seconds": seconds["queue"],
        "first_seconds": seconds.get("first"), "second_seconds": seconds.get("second"), "seconds": seconds["total"],
    }  # fmt: skip
