"""What is answered: the shape of each body, for OpenAPI, and the body itself, ready to be encoded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.rerank import Reranked
from rankgauge.service.gateway import Found


@dataclass(frozen=True)
class HitBody:
    """One document: its place in the answer and in the first stage's list, and both scores."""

    rank: int
    id: str
    first_rank: int
    first_score: float
    second_score: float | None
    title: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class RerankBody:
    """What became of the second stage; `reason` says why it is not full, `scored` how many it scored."""

    status: Literal["full", "partial", "skipped"]
    reason: str
    scored: int
    depth: int
    stage: str | None


@dataclass(frozen=True)
class SearchBody:
    """An answer. `degraded`: it is less than what was asked for; then `rerank` says why."""

    request_id: str
    query_id: str
    query: str
    generation: int
    degraded: bool
    rerank: RerankBody
    cache: Literal["off", "miss", "exact", "words", "like"]
    seconds: dict[str, float]
    hits: list[HitBody]


@dataclass(frozen=True)
class BatchBody:
    """Answers in the order of the queries."""

    answers: list[SearchBody]


@dataclass(frozen=True)
class ReadyBody:
    """Whether requests are answered, from which generation, and how the second stage stands."""

    ready: bool
    generation: int
    documents: int
    breaker: str | None


@dataclass(frozen=True)
class ErrorBody:
    """What was wrong: `<where>: expected <what>, got <value>; <what to do>`."""

    error: str
    request_id: str


def body_of(found: Found, request_id: str) -> dict[str, Any]:
    """The body of one answer, as `SearchBody` describes it."""
    final, pipeline = found.answer.final, found.serving.pipeline
    return {
        "request_id": request_id,
        "query_id": found.query_id,
        "query": found.asked.query,
        "generation": found.serving.index.generation,
        "degraded": final.degraded,
        "rerank": {
            "status": final.status, "reason": final.reason, "scored": final.scored, "depth": found.depth,
            "stage": pipeline.stage.name if pipeline.stage else None,
        },
        "cache": found.cache,
        "seconds": {name: round(taken, 6) for name, taken in found.seconds.items()},
        "hits": hits_of(found),
    }  # fmt: skip


def hits_of(found: Found) -> list[dict[str, Any]]:
    """The hits that are shown."""
    final, k = found.answer.final, found.asked.k
    docs = final.hits.docs[:k]
    ranks = first_ranks(found.answer.first.docs, final, len(docs))
    rows = zip(docs, ranks, final.first[:k].tolist(), _or_none(final.second[:k]), strict=True)
    hits = [
        {"rank": rank, "id": doc, "first_rank": before, "first_score": first, "second_score": second}
        for rank, (doc, before, first, second) in enumerate(rows, 1)
    ]
    for hit, document in zip(hits, found.documents or (), strict=False):
        hit |= _texts(document)
    return hits


def first_ranks(first: Sequence[str], final: Reranked, count: int) -> list[int]:
    """Ranks that the first `count` documents had: only the head that was scored has moved."""
    scored = final.scored
    before: Mapping[str, int] = {doc: rank for rank, doc in enumerate(first[:scored], 1)}
    return [before[doc] for doc in final.hits.docs[: min(scored, count)]] + list(range(scored + 1, count + 1))


def state_of(found: Found) -> str:
    """The header `X-Rerank-State`: the status, and why.

    A proxy or a log can tell degraded answers without reading bodies.
    """
    final = found.answer.final
    return f"{final.status};{final.reason}" if final.reason else final.status


def _or_none(scores: FloatArray) -> list[float | None]:
    return [None if math.isnan(score) else score for score in scores.tolist()]


def _texts(document: Document) -> dict[str, str]:
    return {"title": document.title, "text": document.text}
