"""Second stages by the name of a model: what a model is tells how it scores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.embedding import load_embedder
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import LambdaMART, Model, is_trained
from rankgauge.retrieval.models import Named, find_model, is_reranker
from rankgauge.retrieval.protocols import Embedder
from rankgauge.retrieval.rerank import ByText, Candidates, SecondStage
from rankgauge.retrieval.unseen import Folds, Unseen


@dataclass(frozen=True, eq=False)
class ByCosine:
    """An embedding model as a second stage: the cosine of the query's vector and the text's, made anew for each."""

    embedder: Embedder

    @property
    def name(self) -> str:
        """The model's name."""
        return self.embedder.name

    def score(self, candidates: Candidates) -> FloatArray:
        """Embed the query and each text."""
        asked = self.embedder.embed([candidates.query], kind="query")[0].astype(np.float64)
        found: FloatArray = self.embedder.embed(candidates.texts, kind="document").astype(np.float64) @ asked
        return found


def load_stage(named: Named, *, index: Index | None = None, threads: int = 1, unseen: bool = False) -> SecondStage:
    """Load a second stage: a trained one (`rankgauge train`), a cross-encoder, or an embedding model.

    `index` gives a trained one the features of its candidates. With `unseen`, it scores the queries that it was
    trained on by models of folds, which have not seen them: without, measures on these queries flatter it.

    Raises InputError for what is no model, and for a trained one that looks at other features.
    """
    if index is not None and isinstance(named, str | Path) and is_trained(named):
        whole = LambdaMART(Model.load(named), Features(index))
        folds = Folds.load(named) if unseen else None
        return whole if folds is None else Unseen(whole, folds)
    files = find_model(named)
    if is_reranker(files):
        return ByText(load_reranker(files, threads=threads))
    return ByCosine(load_embedder(files, threads=threads))
