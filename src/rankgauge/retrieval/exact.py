"""The exact lexical engine: every matching document is scored by the formula itself, in float64."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval._places import Places
from rankgauge.retrieval._postings import BLOCK, Block, Segment, merge, remove
from rankgauge.retrieval.formulas import Scoring

MOST_SEGMENTS = 8
LIST = "segments.json"


@dataclass(frozen=True, eq=False)
class Found:
    """Places of the best documents, by falling score and then by rising place, and their scores."""

    places: IntArray
    scores: FloatArray


@dataclass(frozen=True)
class Facts:
    """What a document's score is made of: collection, length as the engine has it, and per term df and tf."""

    documents: int
    average_length: float
    length: int
    containing: Mapping[str, int]
    tf: Mapping[str, int]


def best(places: IntArray, scores: FloatArray, k: int) -> Found:
    """Pick the best k of these, ties by rising place, which `places` must be in."""
    if len(places) > k:
        least = -np.partition(-scores, k - 1)[k - 1]
        above, tied = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
        kept = np.sort(np.concatenate([above, tied[: k - len(above)]]))
        places, scores = places[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")
    return Found(places[order], scores[order])


@dataclass(frozen=True, eq=False)
class ExactReader:
    """Searches one state of the index; a change makes another reader."""

    scoring: Scoring
    places: Places
    segments: tuple[Segment, ...]

    @classmethod
    def open(cls, folder: Path, scoring: Scoring, places: Places) -> ExactReader:
        """Open the segments of an index."""
        names = json.loads((folder / LIST).read_text())
        return cls(scoring, places, tuple(Segment.open(folder / name) for name in names))

    @cached_property
    def _norm(self) -> FloatArray:
        return self.scoring.norm(self.places.lengths.astype(np.float64), self.places.average)

    @cached_property
    def _any_dead(self) -> bool:
        return bool(self.places.dead.any())

    def postings(self, term: str) -> tuple[IntArray, FloatArray]:
        """Places that hold a term, and how often; deleted documents left out."""
        parts = [segment.postings(term) for segment in self.segments]
        docs = np.concatenate([np.zeros(0, dtype=np.int64), *(docs for docs, _ in parts)])
        tf = np.concatenate([np.zeros(0), *(tf for _, tf in parts)])
        if self._any_dead:
            alive = ~self.places.dead[docs]
            docs, tf = docs[alive], tf[alive]
        return docs, tf

    def search(self, terms: Mapping[str, int], k: int, allowed: IntArray | None) -> Found:
        """Score all documents that hold any of the terms; `terms` tells how often each stands in the query."""
        scores, matched = np.zeros(len(self.places.ids)), []
        for term, times in terms.items():
            docs, tf = self.postings(term)
            if len(docs):
                weight = times * self.scoring.weight(self.places.alive, len(docs))
                scores[docs] += weight * self.scoring.saturated(tf, self._norm[docs])
                matched.append(docs)
        if not matched:
            return Found(np.zeros(0, dtype=np.int64), np.zeros(0))
        found = matched[0] if len(matched) == 1 else _union(matched, len(scores))
        if allowed is not None:
            found = np.intersect1d(found, allowed)
        return best(found, scores[found], k)

    def facts(self, terms: Sequence[str], place: int) -> Facts:
        """Look up what a document's score is made of."""
        containing, tf = {}, {}
        for term in terms:
            docs, often = self.postings(term)
            at = int(np.searchsorted(docs, place))
            containing[term] = len(docs)
            tf[term] = int(often[at]) if at < len(docs) and docs[at] == place else 0
        length = int(self.places.lengths[place])
        return Facts(self.places.alive, self.places.average, length, containing, tf)


def _union(lists: Sequence[IntArray], size: int) -> IntArray:
    if sum(map(len, lists)) < size // 8:
        return np.unique(np.concatenate(lists))
    seen = np.zeros(size, dtype=np.bool_)
    for places in lists:
        seen[places] = True
    return np.flatnonzero(seen)


class ExactWriter:
    """Adds to the segments; what it has written counts from `commit` on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        listed = folder / LIST
        self.folder, self.block = folder, Block()
        self.names: list[str] = json.loads(listed.read_text()) if listed.exists() else []
        self.next = 1 + max((int(name) for name in self.names), default=0)

    def add(self, place: int, tokens: Sequence[str]) -> None:
        """Take in a document."""
        self.block.add(place, tokens)
        if len(self.block) >= BLOCK:
            self._flush()

    def delete(self, places: Sequence[int]) -> None:
        """Nothing to do: the places know which documents are deleted."""

    def _folder(self) -> Path:
        """A folder for the next segment; what a broken-off change left there goes."""
        name = f"{self.next:06}"
        self.next += 1
        self.names.append(name)
        remove(self.folder / name)
        return self.folder / name

    def _flush(self) -> None:
        if self.block.places:
            self.block.write(self._folder())
            self.block = Block()

    def commit(self, places: Places, *, merged: bool = False) -> None:
        """Write what is held; many segments, or on demand several, become one."""
        self._flush()
        old = []
        if len(self.names) > (1 if merged else MOST_SEGMENTS):
            old = self.names
            self.names = []
            merge([Segment.open(self.folder / name) for name in old], places.dead, self._folder())
        part = self.folder / f"{LIST}.part"
        part.write_text(json.dumps(self.names))
        part.replace(self.folder / LIST)
        for name in old:
            remove(self.folder / name)

    def close(self) -> None:
        """Nothing to do."""
