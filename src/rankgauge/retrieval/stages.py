"""Second stages by the name of a model: what a model is tells how it scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankgauge.errors import Fault, InputError
from rankgauge.records import Note
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval._onnx import Runtime
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.embedding import OnnxEmbedder, load_embedder
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import LambdaMART, Model, is_trained
from rankgauge.retrieval.models import Named, find_model, is_reranker
from rankgauge.retrieval.protocols import Embedder, Vectors
from rankgauge.retrieval.rerank import ByText, Candidates, SecondStage, Tally
from rankgauge.retrieval.rerank_api import SCHEMES, load_rerank_api
from rankgauge.retrieval.unseen import Folds, Unseen


@dataclass(frozen=True, eq=False)
class ByCosine:
    """An embedding model as a second stage: the cosine of the query's vector and the text's, made anew for each."""

    embedder: Embedder
    tally: Tally = field(default_factory=Tally)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.embedder.name

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be said about all that it scored."""
        return self.tally.notes

    def score(self, candidates: Candidates) -> FloatArray:
        """Embed the query and each text."""
        asked = self.embedder.embed([candidates.query], kind="query")[0].astype(np.float64)
        found: FloatArray = self._vectors(candidates.texts).astype(np.float64) @ asked
        return found

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        if not isinstance(self.embedder, OnnxEmbedder):
            return self.embedder.embed(texts, kind="document")
        found = self.embedder.embedded(texts, kind="document")
        self.tally.add(len(texts), found.cut)
        return found.vectors


def load_stage(
    named: Named,
    *,
    index: Index | None = None,
    threads: int = 1,
    runtime: Runtime = "onnxruntime",
    unseen: bool = False,
) -> SecondStage:
    """Load a second stage: a trained one (`rankgauge train`), a rerank API, a cross-encoder, or an embedding model.

    Parameters
    ----------
    named : path or str
        A folder that `rankgauge train` made, the address of a rerank API with the model behind `#`, or what
        `find_model` takes.
    index : Index, optional
        Gives a trained one the features of its candidates.
    runtime : "onnxruntime" or "openvino"
        What runs a cross-encoder.
    unseen : bool
        Whether a trained one scores the queries that it was trained on by models of folds, which have not seen them:
        without, measures on these queries flatter it.

    Raises InputError for what is no model, and for a trained one that looks at other features.
    """
    if index is not None and isinstance(named, str | Path) and is_trained(named):
        model = Model.load(named)
        trained = LambdaMART(model, Features(index), f"lambdamart@{model.id}")
        folds = Folds.load(named) if unseen else None
        return trained if folds is None else Unseen(trained, folds)
    if isinstance(named, str) and named.startswith(SCHEMES):
        return ByText(load_rerank_api(named))
    files = find_model(named)
    if is_reranker(files):
        return ByText(load_reranker(files, threads=threads, runtime=runtime))
    if runtime != "onnxruntime":
        raise InputError(Fault(str(named), f"a cross-encoder for {runtime}", "an embedding model", "leave it out"))
    return ByCosine(load_embedder(files, threads=threads))


def notes_of(stage: SecondStage) -> tuple[Note, ...]:
    """What a stage has to say about all that it scored: of how many texts it saw only the beginning."""
    found: tuple[Note, ...] = getattr(stage, "notes", ())
    return found
