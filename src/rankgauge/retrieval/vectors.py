"""An index of vectors on disk: exact while it is small, a graph where it is not; filters, deletions, no fillers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import DuplicateError, Fault, InputError
from rankgauge.records._columns import FloatArray, id_column
from rankgauge.records.notes import examples
from rankgauge.retrieval import _commits
from rankgauge.retrieval._segments import Progress, Settings
from rankgauge.retrieval._snapshot import Snapshot
from rankgauge.retrieval._stored import Metric, Precision, comparable
from rankgauge.retrieval._unit import matrix
from rankgauge.retrieval.protocols import Embedder, Hits, Vectors

Allowed = frozenset[str]

SAME_MODEL = "use the model that the index was built with, or build it again"


@dataclass(frozen=True)
class Recall:
    """Share of the exact best k that the index returns: its mean over the queries, and the worst query's."""

    k: int
    queries: int
    mean: float
    lowest: float

    def __str__(self) -> str:
        return f"recall@{self.k} {self.mean:.4f} over {self.queries} queries (lowest {self.lowest:.2f})"


class VectorIndex:
    """Vectors of documents by their ids, in a folder.

    Searches see what was last committed, and go on undisturbed while more is added: a commit writes new files and
    then changes what the next search sees. One process writes at a time, any number of threads and processes read.
    """

    def __init__(self, folder: Path, settings: Settings, snapshot: Snapshot) -> None:
        self._folder, self._settings, self._snapshot = folder, settings, snapshot
        self._lock = threading.RLock()
        self._added: dict[str, Vectors] = {}
        self._deleted: set[str] = set()

    @classmethod
    def build(
        cls,
        folder: str | os.PathLike[str],
        ids: Sequence[str],
        vectors: npt.ArrayLike,
        *,
        model: str = "",
        metric: Metric = "cosine",
        precision: Precision = "f32",
        exact_below: int = 20_000,
        connectivity: int = 16,
        expansion: int = 200,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> VectorIndex:
        """Write a new index.

        Parameters
        ----------
        ids, vectors : n ids, each once, and an array [n, d], which may be mapped from a file
        model : str
            Name of the embedder that made the vectors: `VectorRetriever` refuses another.
        metric : "cosine" or "l2"
            Scores are the cosine, or minus the squared distance.
        precision : "f32", "f16" or "i8"
            How vectors are stored and scored: 4, 2 or 1 bytes a number.
        exact_below : int
            Up to so many vectors, and among so few allowed ones, all are compared: the result is exact.
        connectivity, expansion, seed : int
            Of the graph: edges per vector, candidates kept while it is built and searched, and its levels.
        """
        listed, given = _ids(ids), matrix(vectors, "vectors")
        _check_lengths(listed, given)
        place = Path(folder)
        if (place / _commits.MANIFEST).exists():
            raise InputError(Fault(str(place), "a new folder", "an index", "open it, or delete the folder"))
        settings = Settings(given.shape[1], metric, precision, exact_below, connectivity, expansion, seed, model)
        place.mkdir(parents=True, exist_ok=True)
        return cls(place, settings, _commits.first(place, listed, given, settings, progress=progress))

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> VectorIndex:
        """Map an index that was built; nothing is read before it is searched."""
        settings, snapshot = _commits.opened(Path(folder))
        return cls(Path(folder), settings, snapshot)

    def __len__(self) -> int:
        return len(self._snapshot)

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and self._snapshot.find(id_) is not None

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._settings.dimension

    @property
    def model(self) -> str:
        """Name of the embedder that made the vectors, or nothing."""
        return self._settings.model

    @property
    def generation(self) -> int:
        """Number of the last commit that was seen: another generation may have other answers."""
        return self._snapshot.generation

    @property
    def ids(self) -> list[str]:
        """Every id that can be found, in the order of adding."""
        return self._snapshot.ids()

    @property
    def exact(self) -> bool:
        """Whether every search compares all vectors, so that nothing can be missed."""
        return all(segment.graph is None for segment in self._snapshot.segments)

    def search(self, vector: npt.ArrayLike, k: int, allowed: Allowed | None = None, *, exact: bool = False) -> Hits:
        """At most k hits by falling score, ties in the order of adding; fewer where fewer are there or allowed.

        `exact` compares all vectors, however many there are.
        """
        return self._snapshot.search(self._query(vector), _positive(k), allowed, exact=exact)

    def search_many(
        self, vectors: npt.ArrayLike, k: int, allowed: Allowed | None = None, *, threads: int = 1, exact: bool = False
    ) -> list[Hits]:
        """Hits of each query [n, d], in order; all see the same commit."""
        snapshot, count = self._snapshot, _positive(k)
        queries = [self._query(vector) for vector in np.asarray(vectors)]

        def one(query: FloatArray) -> Hits:
            return snapshot.search(query, count, allowed, exact=exact)

        if threads == 1:
            return [one(query) for query in queries]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, queries))

    def _query(self, vector: npt.ArrayLike) -> FloatArray:
        given = np.asarray(vector)
        row = matrix(given[None], "query vector", dimension=self.dimension)[0].astype(np.float64)
        length = float(np.linalg.norm(row))
        if not np.isfinite(length) or (self._settings.metric == "cosine" and length == 0):
            got = "only zeros" if length == 0 else "NaN or infinity"
            raise InputError(Fault("query vector", "finite numbers, not all zero", got))
        query: FloatArray = row / length if self._settings.metric == "cosine" else row
        return query

    def add(self, ids: Sequence[str], vectors: npt.ArrayLike) -> None:
        """Add vectors under new ids; searches see them after `commit`.

        Raises
        ------
        DuplicateError
            For an id that is there already: `upsert` replaces.
        InputError
            For vectors of another dimension, with NaN or, for cosine, of nothing but zeros; all are named.
        """
        with self._lock:
            self._put(ids, vectors, replace=False)

    def upsert(self, ids: Sequence[str], vectors: npt.ArrayLike) -> None:
        """Add vectors, in place of those that have the same ids."""
        with self._lock:
            self._put(ids, vectors, replace=True)

    def _put(self, ids: Sequence[str], vectors: npt.ArrayLike, *, replace: bool) -> None:
        listed = _ids(ids)
        given = matrix(vectors, "vectors", dimension=self.dimension) if listed else np.empty((0, 0), np.float32)
        _check_lengths(listed, given)
        there = [id_ for id_ in listed if self._is_there(id_)]
        if there and not replace:
            raise DuplicateError(Fault("ids", "new ones", f"known ones ({examples(there)})", "upsert replaces them"))
        settings = self._settings
        comparable(
            given, "vectors", metric=settings.metric, precision=settings.precision, name=lambda r: _called(listed[r])
        )
        self._deleted.update(id_ for id_ in there)
        for id_, vector in zip(listed, given, strict=True):
            self._added.pop(id_, None)
            self._added[id_] = vector

    def _is_there(self, id_: str) -> bool:
        return id_ in self._added or (id_ not in self._deleted and id_ in self)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents, and return how many of them were there; searches miss them after `commit`."""
        with self._lock:
            there = {id_ for id_ in ids if self._is_there(id_)}
            for id_ in there:
                self._added.pop(id_, None)
            self._deleted |= there
            return len(there)

    def commit(self) -> None:
        """Make all that was added and deleted visible at once, and lasting.

        Raises
        ------
        InputError
            Where another writer has committed since this index was opened: nothing is written then.
        """
        with self._lock:
            if self._added or self._deleted:
                self._snapshot = _commits.commit(
                    self._folder, self._settings, self._snapshot, self._added, self._deleted
                )
                self._added, self._deleted = {}, set()

    def recall(self, k: int, *, sample: int = 100, seed: int = 0, queries: Vectors | None = None) -> Recall:
        """Measure the share of the exact best k that `search` returns.

        Without `queries`, these are vectors of the index, drawn by `seed`; each is left out of its own hits.
        """
        snapshot = self._snapshot
        drawn = snapshot.sample(sample, seed=seed) if queries is None else [(None, self._query(q)) for q in queries]
        if not drawn or len(snapshot) < 2:
            raise InputError(Fault("recall", "at least two vectors and one query", f"{len(snapshot)} and {len(drawn)}"))
        shares = []
        for own, query in drawn:
            more = k if own is None else k + 1
            found, truth = (_but(own, snapshot.search(query, more, None, exact=exact), k) for exact in (False, True))
            shares.append(len(found & truth) / len(truth))
        return Recall(k, len(shares), float(np.mean(shares)), min(shares))


@dataclass(frozen=True, eq=False)
class VectorRetriever:
    """A first stage by vectors: an index, and the embedder that its vectors are from."""

    index: VectorIndex
    embedder: Embedder

    def __post_init__(self) -> None:
        if self.index.dimension != self.embedder.dimension:
            expected, got = f"vectors of {self.index.dimension} numbers", f"{self.embedder.dimension} numbers"
            raise InputError(Fault(f"embedder {self.embedder.name!r}", expected, got, SAME_MODEL))
        if self.index.model not in ("", self.embedder.name):
            got = repr(self.embedder.name)
            raise InputError(Fault("embedder", f"the index's own, {self.index.model!r}", got, SAME_MODEL))

    @property
    def name(self) -> str:
        """What it is called in runs and manifests."""
        return f"vectors:{self.embedder.name}"

    def __len__(self) -> int:
        return len(self.index)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits, fewer where fewer documents are there or allowed."""
        return self.index.search(self.embedder.embed([query], kind="query")[0], k, allowed)


def _ids(ids: Sequence[str]) -> list[str]:
    """Check ids: texts, none empty, each once."""
    listed = list(ids)
    column = id_column(pl.Series("id", listed, dtype=None if listed else pl.String, strict=True), "ids")
    if column.n_unique() != len(column):
        twice = column.filter(column.is_duplicated()).unique(maintain_order=True).to_list()
        raise DuplicateError(Fault("ids", "each id once", f"{examples(twice)} again", "keep one of them"))
    found: list[str] = column.to_list()
    return found


def _check_lengths(ids: list[str], vectors: Vectors) -> None:
    if len(vectors) != len(ids):
        raise InputError(Fault("vectors", f"one per id, {len(ids)}", f"{len(vectors)}"))


def _called(id_: str) -> str:
    return f"document {id_!r}"


def _positive(k: int) -> int:
    if k < 1:
        raise InputError(Fault("k", "1 or more", f"{k}"))
    return k


def _but(own: str | None, hits: Hits, k: int) -> set[str]:
    """Ids of the first k hits that are not the query itself."""
    return set([id_ for id_ in hits.docs if id_ != own][:k])
