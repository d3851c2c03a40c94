"""Pairs of a query and a text to scores: any sequence-classification model exported to ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.records._columns import FloatArray
from rankgauge.records.notes import Note
from rankgauge.retrieval._onnx import Runtime, TextModel, cut_notes, load, texts_of
from rankgauge.retrieval.models import Named, find_model

MAX_TOKENS = 256


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores float64[n], in the order of the texts, and how many texts were cut to the limit of tokens."""

    scores: FloatArray
    cut: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be said about them."""
        return cut_notes(self.cut, len(self.scores), "reranker")


@dataclass(frozen=True, eq=False)
class CrossEncoder:
    """A reranking model run by onnxruntime. Calls from several threads may overlap."""

    model: TextModel
    name: str

    def scores(self, query: str, texts: Sequence[str]) -> FloatArray:
        """Scores float64[n], finite, in the order of the texts; one text's score does not depend on the others.

        One logit is the score itself; of two, it is the probability of the second.
        """
        return self.scored(query, texts).scores

    def scored(self, query: str, texts: Sequence[str]) -> Scored:
        """Like `scores`, with the count of the texts that were cut; the query never is.

        Raises
        ------
        InputError
            For a query that leaves no room for a text, and for a model that gives NaN.
        """
        listed = texts_of(texts, self.name)
        asked = self._asked(*texts_of([query], f"{self.name}, query"))
        scores = np.empty(len(listed), dtype=np.float64)
        tokens = [self.model.tokens(text, first=asked) for text in listed]
        for rows in self.model.chunks(tokens):
            logits, _ = self.model.run([tokens[row] for row in rows])
            scores[rows] = _score(logits, str(self.model.files.onnx))
        if not np.isfinite(scores).all():
            bad = listed[int(np.argmin(np.isfinite(scores)))]
            raise InputError(Fault(f"{self.name}, text {bad[:60]!r}", "a finite score", "NaN or infinite"))
        return Scored(scores, sum(one.cut for one in tokens))

    def _asked(self, query: str) -> Any:
        asked = self.model.words(query)
        if self.model.room(asked) < 1:
            most = self.model.room(asked) + len(asked.ids) - 1
            advice = "shorten it, or load the model with more max_tokens"
            fault = Fault(f"{self.name}, query", f"at most {most} tokens", f"{len(asked.ids)} tokens", advice)
            raise InputError(fault)
        return asked


def load_reranker(
    named: Named,
    *,
    threads: int = 1,
    max_tokens: int = MAX_TOKENS,
    chunk: int | None = None,
    revision: str | None = None,
    runtime: Runtime = "onnxruntime",
) -> CrossEncoder:
    """Load a reranking model, once and before the first request.

    Parameters
    ----------
    named : path or str
        What `find_model` takes: a folder, an .onnx file, `package:NAME`, a name on the hub.
    threads : int
        Threads within one call; they wait without spinning.
    max_tokens : int
        Of query and text together, at most what the model has places for; longer texts are cut, and counted.
    chunk : int, optional
        Pairs that go through the model at a time: 8, and 1 for a model that quantizes activations by chunk.
    runtime : "onnxruntime", "openvino" or "openvino-bf16"
        What runs the model; OpenVINO is an extra of its own, and in bf16, on processors that have it, rounds scores.
    """
    files = find_model(named, revision=revision)
    model = load(files, threads=threads, max_tokens=max_tokens, chunk=chunk, runtime=runtime)
    _score(model.run([model.tokens("a", first=model.words("a"))])[0], str(files.onnx))
    return CrossEncoder(model, model.name)


def _score(logits: npt.NDArray[Any], where: str) -> FloatArray:
    """One score per pair of its one or two logits."""
    table = logits.astype(np.float64).reshape(len(logits), -1)
    if logits.ndim > 2 or table.shape[1] not in (1, 2):
        shape = list(logits.shape)
        advice = "name a model for sequence classification; an embedding model is no reranker"
        raise InputError(Fault(where, "one or two logits per pair", f"an output of shape {shape}", advice))
    if table.shape[1] == 1:
        return table[:, 0]
    odds = table[:, 1] - table[:, 0]
    return 0.5 * (1 + np.tanh(odds / 2))
