"""One generation of an index as it is served, and how the next one takes its place without a lost request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rankgauge.retrieval.index import Index, Stage
from rankgauge.retrieval.manifest import FILE
from rankgauge.retrieval.pipeline import CANDIDATES, Rerank, TwoStage
from rankgauge.retrieval.protocols import Embedder
from rankgauge.retrieval.rerank import DEPTH, SecondStage

MakeStage = Callable[[Index], SecondStage | None]
"""Makes the second stage for a generation: some look into the index, others are the same for all."""


@dataclass(frozen=True, eq=False)
class Serving:
    """A generation that requests are answered from.

    Attributes
    ----------
    stamp : tells this generation from every other, also from one of the same number that was built anew
    """

    index: Index
    pipeline: TwoStage
    stamp: str
    embedder: Embedder | None = None

    @property
    def identity(self) -> str:
        """Tells what is served from every other index, also on another machine; of an index without an id, the stamp.

        A stamp alone would not do for a cache that others share: copies in images may have all times set to one.
        """
        return self.index.manifest.id or self.stamp


@dataclass(frozen=True, eq=False)
class Plan:
    """How a generation is made ready.

    Attributes
    ----------
    first : the first stage; None: by words where these are indexed, else by vectors
    method : how hybrid fuses
    stage : makes the second stage
    how : how it is run
    candidates : how many the first stage is asked for
    """

    folder: Path
    first: Stage | None = None
    method: str = "rrf"
    stage: MakeStage = lambda index: None
    how: Rerank | None = None
    depth: int = DEPTH
    candidates: int = CANDIDATES

    def open(self, before: Serving | None = None) -> Serving:
        """Open what the manifest names, and search it once; a model that is loaded already is taken over."""
        stamp = self.stamp()
        index = Index.open(self.folder)
        first = self.first or index.first_stage
        embedder = self._embedder(index, before) if first != "bm25" else None
        retriever = index.retriever(first, embedder=embedder, method=self.method, depth=self.candidates)
        pipeline = TwoStage(
            retriever, index.texts, self.stage(index), depth=self.depth, candidates=self.candidates, how=self.how
        )
        index.texts(pipeline.retriever.search("warm up", 1).docs)
        return Serving(index, pipeline, f"{index.generation}-{stamp}", embedder)

    def stamp(self) -> str:
        """When the manifest was written, and as which file: cheap to look at again and again."""
        state = (self.folder / FILE).stat()
        return f"{state.st_mtime_ns:x}-{state.st_ino:x}"

    @staticmethod
    def _embedder(index: Index, before: Serving | None) -> Embedder:
        same = before is not None and before.index.manifest.model == index.manifest.model
        return before.embedder if same and before and before.embedder else index.embedder()


class Holder:
    """Holds the generation that counts; whoever took one before goes on with it."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self._lock = plan, threading.Lock()
        self._current = plan.open()

    @property
    def current(self) -> Serving:
        """The generation that counts."""
        return self._current

    @property
    def outdated(self) -> bool:
        """Whether the folder has another generation than this."""
        return not self._current.stamp.endswith(f"-{self.plan.stamp()}")

    def refresh(self) -> bool:
        """Open the folder's generation, if it is another one; only when it is ready does it count.

        Returns whether it was another one. What opening raises is raised, and the one before goes on.
        """
        with self._lock:
            if not self.outdated:
                return False
            self._current = self.plan.open(self._current)
            return True
