"""A gateway put together from what was wished for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from rankgauge.errors import MethodError
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.breaker import Breaker, BreakerRules
from rankgauge.retrieval.cache import DAY, AnswerCache
from rankgauge.retrieval.index import Stage
from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.pipeline import CANDIDATES, TwoStage
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import DEPTH, candidates_of
from rankgauge.retrieval.safety import Guard
from rankgauge.retrieval.stores import Memory, Redis
from rankgauge.service.gateway import Gateway, Parts, Room
from rankgauge.service.golden import Golden
from rankgauge.service.journal import Journal
from rankgauge.service.metrics import Metrics, Sample
from rankgauge.service.models import Apartness, Stages
from rankgauge.service.serving import Holder, Plan, Serving
from rankgauge.service.shadow import OUTCOMES, Shadow
from rankgauge.service.shown import ShownLog

STATES = ("closed", "half-open", "open")
SHADOW_NICE = 15
MEMORY = "memory"
WARM = 32
"""Characters of a query that stands for any."""

Values = dict[tuple[str, ...], float]


@dataclass(frozen=True)
class Model:
    """A second stage to be loaded: where from, with how many threads, and in what process (None: this one)."""

    named: str
    threads: int = 1
    apart: Apartness | None = None


@dataclass(frozen=True)
class Remembering:
    """Where answers are kept, `memory` or the address of a Redis, and for how many seconds at most."""

    place: str
    seconds: float = DAY

    def open(self, pipeline: TwoStage) -> AnswerCache:
        """Open it; where answers are BM25's, queries of the same words, as the index reads them, have one answer.

        Vectors and rerankers look at more than words, and then only the same query has the same answer.
        """
        first = pipeline.retriever
        words = first.tokenizer if isinstance(first, BM25Index) and pipeline.stage is None else None
        store = Memory() if self.place == MEMORY else Redis(self.place)
        return AnswerCache(store, words=words, words_alone=True, seconds=self.seconds)


@dataclass(frozen=True)
class Wish:
    """What a gateway is to be.

    Attributes
    ----------
    first, method : the first stage, and how hybrid fuses
    model : the second stage, None for none
    depth : candidates that are reranked, `candidates` that are found
    limits : of the second stage; its budget is that of the room
    shadow : a second stage that runs beside, on this share of the requests
    log : folder of the lists that are shown
    cache : where answers are remembered, None for nowhere
    """

    index: Path
    first: Stage | None = None
    method: str = "rrf"
    model: Model | None = None
    depth: int = DEPTH
    candidates: int = CANDIDATES
    room: Room = field(default_factory=Room)
    limits: Limits = field(default_factory=Limits)
    shadow: str | None = None
    share: float = 0.1
    log: Path | None = None
    cache: Remembering | None = None
    golden: Golden = field(default_factory=Golden)


def gateway_of(wish: Wish, journal: Journal | None = None) -> Gateway:
    """Load everything, and make the gateway: when it is there, it answers."""
    if wish.shadow is not None and wish.log is None:
        raise MethodError("shadow: expected a log for its lists, got none; name a folder (--log)")
    journal = journal or Journal()
    stages = (
        None if wish.model is None else Stages(wish.model.named, threads=wish.model.threads, apart=wish.model.apart)
    )
    guard = None if stages is None else _guard_of(wish.limits, journal)
    plan = Plan(
        wish.index, wish.first, wish.method, stage=stages or (lambda index: None), how=guard, depth=wish.depth,
        candidates=wish.candidates,
    )  # fmt: skip
    holder = Holder(plan)
    if guard is not None:
        _warm(guard, holder.current)
    shown = None if wish.log is None else ShownLog(wish.log)
    shadow = None
    if wish.shadow is not None and shown is not None:
        shadow = Shadow(Stages(wish.shadow, apart=Apartness(nice=SHADOW_NICE)), shown, share=wish.share)
    made: list[Gateway] = []
    metrics = Metrics(lambda: standing_of(made[0]))
    cache = None if wish.cache is None else wish.cache.open(holder.current.pipeline)
    parts = Parts(holder, metrics, journal, guard, cache, shown, shadow, wish.golden)
    made.append(Gateway(parts, wish.room))
    return made[0]


def _guard_of(limits: Limits, journal: Journal) -> Guard:
    """A guard that tells of its breaker's changes, and of what the second stage raises."""

    def changed(before: str, state: str) -> None:
        journal.tell("breaker", level="warning" if state == "open" else "info", before=before, state=state)

    def fault(reason: str, error: BaseException) -> None:
        journal.tell("second stage", level="error", reason=reason, fault=f"{type(error).__name__}: {error}"[:500])

    breaker = Breaker(BreakerRules(slow_after=limits.budget), on_change=changed)
    return Guard(limits, breaker, on_fault=fault)


def _warm(guard: Guard, serving: Serving) -> None:
    """Have the second stage score documents of the index: it works, and what it takes is known before requests come."""
    stage, documents = serving.pipeline.stage, list(islice(serving.index.documents, guard.limits.chunk))
    if stage is None or not documents:
        return
    hits = Hits(tuple(document.id for document in documents), np.zeros(len(documents)))
    query = documents[0].text[:WARM]
    stage.score(candidates_of(query, hits, serving.index.texts))
    guard(stage, query, hits, serving.index.texts, depth=len(hits))


def standing_of(gateway: Gateway) -> Iterable[Sample]:
    """What is looked up when metrics are read."""
    parts, index = gateway.parts, gateway.parts.holder.current.index
    yield _one("in_flight", "Requests that are worked on or wait.", gateway.held)
    yield _one("index_generation", "Generation of the index.", index.generation)
    yield _one("index_documents", "Documents of the index.", len(index))
    yield _one("ready", "Whether searches are answered.", gateway.ready)
    yield Sample("journal_dropped", "Events that were not told.", {(): parts.journal.lines.dropped}, counter=True)
    if parts.guard is not None:
        yield from _guard(parts.guard)
    if parts.cache is not None:
        yield Sample("cache_faults", "Looks that the cache failed at.", {(): float(parts.cache.faults)}, counter=True)
    if parts.shown is not None:
        yield from _shown(parts.shown)
    if parts.shadow is not None:
        yield from _shadow(parts.shadow)


def _guard(guard: Guard) -> Iterable[Sample]:
    now = guard.standing()
    states: Values = {(state,): float(state == now.state) for state in STATES}
    yield Sample("breaker_state", "The breaker of the second stage: 1 at its state.", states, ("state",))
    yield _one("rerank_busy", "Requests that are being reranked.", now.busy)
    yield _one("rerank_waiting", "Requests that wait for the second stage.", now.waiting)
    yield _one("rerank_hanging", "Workers in a call that does not come back.", now.hanging)
    yield _one("rerank_pair_seconds", "Estimated seconds of a pair.", now.pair or 0.0)
    yield Sample("rerank_cut_texts", "Texts that were cut before scoring.", {(): now.cut}, counter=True)


def _shown(shown: ShownLog) -> Iterable[Sample]:
    counts: Values = {(what,): float(shown.counts[what]) for what in ("lists", "repeated", "beyond", "rows")}
    counts["dropped",] = float(shown.dropped)
    yield Sample("log", "Lists and rows of the log, and requests that are not in it.", counts, ("what",), counter=True)
    yield _one("log_waiting", "Requests that wait to be written.", len(shown))


def _shadow(shadow: Shadow) -> Iterable[Sample]:
    counts: Values = {(what,): float(shadow.counts[what]) for what in OUTCOMES}
    yield Sample("shadow", "What became of requests at the shadow.", counts, ("outcome",), counter=True)


def _one(name: str, help: str, value: float) -> Sample:
    return Sample(name, help, {(): float(value)})
