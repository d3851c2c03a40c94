"""The second stage: the head of a first stage's list in a better order, the rest as it was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.records import Note
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval._onnx import cut_notes
from rankgauge.retrieval.protocols import CountingReranker, Hits, Reranker

DEPTH = 100

Status = Literal["full", "partial", "skipped"]
Texts = Callable[[Sequence[str]], Sequence[str]]
"""Texts of documents by their ids, as `Index.texts` gives them."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a second stage is to score: the query, the first stage's hits, and the text of each of them."""

    query: str
    hits: Hits
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.hits)

    def part(self, low: int, high: int) -> Candidates:
        """Return those from place `low` (0: the best) to before `high`."""
        hits = Hits(self.hits.docs[low:high], self.hits.scores[low:high])
        return Candidates(self.query, hits, self.texts[low:high])


class SecondStage(Protocol):
    """Scores candidates, higher is better.

    A candidate's score does not depend on the other candidates: the head may then be scored in chunks, and once at
    the greatest depth for all smaller ones.
    """

    @property
    def name(self) -> str:
        """What it is called in runs and logs."""
        ...

    def score(self, candidates: Candidates) -> FloatArray:
        """Scores float64[n], finite, in the order of the candidates."""
        ...


class Tally:
    """How many texts a second stage has scored so far, and of how many of them it saw only the beginning."""

    def __init__(self) -> None:
        self.texts = self.cut = 0
        self._lock = threading.Lock()

    def add(self, texts: int, cut: int) -> None:
        """Count some more."""
        with self._lock:
            self.texts += texts
            self.cut += cut

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be said about them."""
        return cut_notes(self.cut, self.texts, "reranker")


@dataclass(frozen=True, eq=False)
class ByText:
    """A reranking model, which looks at the query and the texts alone, as a second stage."""

    reranker: Reranker
    tally: Tally = field(default_factory=Tally)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.reranker.name

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be said about all that it scored."""
        return self.tally.notes

    def score(self, candidates: Candidates) -> FloatArray:
        """Score each text."""
        if not isinstance(self.reranker, CountingReranker):
            return self.reranker.scores(candidates.query, candidates.texts)
        found = self.reranker.scored(candidates.query, candidates.texts)
        self.tally.add(len(candidates), found.cut)
        return found.scores


@dataclass(frozen=True, eq=False)
class Reranked:
    """A list whose head was put in a new order.

    Attributes
    ----------
    hits : all documents of the first stage's list, in the final order; a document's score is its place counted from
        the end (n, n - 1, ..., 1), since the scores of two stages have no common scale
    second : float64[n], the second stage's scores in the final order, NaN for documents that it did not score
    first : float64[n], the first stage's scores in the final order
    status : `full` where everything that was asked for was scored, `partial` where a part of it was, else `skipped`
    reason : why it is not full, a word for machines (empty where it is)
    """

    hits: Hits
    second: FloatArray
    first: FloatArray
    status: Status = "full"
    reason: str = ""

    @property
    def scored(self) -> int:
        """How many documents the second stage scored."""
        return int(np.isfinite(self.second).sum())

    @property
    def degraded(self) -> bool:
        """Whether this is less than what was asked for."""
        return self.status != "full"


def candidates_of(query: str, hits: Hits, texts: Texts) -> Candidates:
    """Fetch the texts of hits."""
    return Candidates(query, hits, tuple(texts(hits.docs)) if len(hits) else ())


def rerank(stage: SecondStage, query: str, hits: Hits, texts: Texts, *, depth: int = DEPTH) -> Reranked:
    """Score the first `depth` hits, and put them in order of these scores.

    Raises
    ------
    MethodError
        For a depth below 0.
    InputError
        For scores that are not finite, or not one per candidate.
    """
    head = candidates_of(query, hits.top(checked_depth(depth)), texts)
    return merged(hits, stage.score(head) if len(head) else np.zeros(0), name=stage.name)


def merged(
    hits: Hits, scores: FloatArray, *, status: Status = "full", reason: str = "", name: str = "reranker"
) -> Reranked:
    """Put the first `len(scores)` hits in order of these, equal ones as they stood; the rest stays below them."""
    if len(scores) > len(hits) or not np.isfinite(scores).all():
        got = f"{len(scores)} scores" if len(scores) > len(hits) else "NaN or infinite"
        raise InputError(Fault(name, f"at most {len(hits)} finite scores", got, "mend the reranker"))
    order = np.argsort(-scores, kind="stable")
    row = np.concatenate([order, np.arange(len(scores), len(hits))]).astype(np.int64)
    second = np.full(len(hits), np.nan)
    second[: len(scores)] = scores[order]
    places = np.arange(len(hits), 0, -1, dtype=np.float64)
    docs = tuple(hits.docs[number] for number in row.tolist())
    return Reranked(Hits(docs, places), second, hits.scores[row], status, reason)


def reordered(first: Mapping[str, Hits], scores: Mapping[str, FloatArray]) -> dict[str, Hits]:
    """The lists of many queries, each with its head in order of its scores; one without scores stays as it is."""
    return {query: merged(hits, scores[query]).hits if query in scores else hits for query, hits in first.items()}


def checked_depth(depth: int) -> int:
    """Return the depth; one below 0 is an error."""
    if depth < 0:
        raise MethodError(f"rerank depth: expected 0 or more, got {depth}")
    return depth
