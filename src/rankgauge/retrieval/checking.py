"""Whether an index is sound: its parts hold the same documents, and find what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankgauge.retrieval.index import Index
from rankgauge.retrieval.protocols import Document

SAMPLE = 100
TOP = 10
CLOSE = 1e-5
"""Of two scores, one summed in float32."""


@dataclass(frozen=True)
class Checked:
    """One thing that was looked at."""

    what: str
    sound: bool
    found: str

    def __str__(self) -> str:
        return f"{'ok   ' if self.sound else 'FAULT'} {self.what}: {self.found}"


def check(index: Index, *, sample: int = SAMPLE, seed: int = 0) -> list[Checked]:
    """Compare the parts of an index, search for documents by their own words, and measure the vectors' recall."""
    return [*_counts(index), *_words(index, sample), *_vectors(index, sample, seed)]


def _counts(index: Index) -> Iterator[Checked]:
    ids = index.documents.ids()
    yield Checked("documents", len(ids) == len(index), f"{len(ids):,} stored, {len(index):,} in the manifest")
    parts = {"words": index.lexical, "vectors": index.vectors}
    for name, part in parts.items():
        if part is not None:
            yield Checked(name, len(part) == len(ids), f"{len(part):,} documents")


def _words(index: Index, sample: int) -> Iterator[Checked]:
    """Each document of a sample, searched for by all of its words, among itself only: it must be found."""
    if index.lexical is None or not len(index):
        return
    asked = [document for document in _spread(index, sample) if index.lexical.terms(document.whole)]
    found: list[Document] = []
    explained = 0
    for document in asked:
        for _, score in index.lexical.search(document.whole, 1, allowed=frozenset([document.id])):
            found.append(document)
            said = index.lexical.explain(document.whole, document.id).score
            explained += abs(said - score) <= CLOSE * abs(score)
    whole = len(found) == len(asked)
    yield Checked("words find documents", whole, f"{len(found)} of {len(asked)} by their own words")
    yield Checked("scores are explained", explained == len(found), f"{explained} of {len(found)}")


def _spread(index: Index, sample: int) -> Sequence[Document]:
    ids = index.documents.ids()
    return index.documents.get(ids[:: max(1, len(ids) // sample)][:sample])


def _vectors(index: Index, sample: int, seed: int) -> Iterator[Checked]:
    if index.vectors is not None and len(index.vectors) > 1:
        k = min(TOP, len(index.vectors) - 1)
        recall = index.vectors.recall(k, sample=sample, seed=seed)
        yield Checked("vectors beside exact search", recall.mean > 0, str(recall))
