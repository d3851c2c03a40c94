"""The index folder: words, vectors and the documents themselves, always at one and the same generation."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.records.notes import Note
from rankgauge.retrieval import assembly
from rankgauge.retrieval.assembly import Dense, Lexical, Progress
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.embedding import load_embedder
from rankgauge.retrieval.hybrid import HybridRetriever
from rankgauge.retrieval.manifest import Manifest, changing
from rankgauge.retrieval.protocols import Document, Embedder, Retriever, Tokenizer
from rankgauge.retrieval.store import DocumentStore
from rankgauge.retrieval.vectors import VectorIndex, VectorRetriever

Stage = Literal["bm25", "vector", "hybrid"]


@dataclass(frozen=True, eq=False)
class Index:
    """One generation of an index, open for searching; a change makes the next one, and leaves this as it is.

    Attributes
    ----------
    lexical : the words, or None
    vectors : the vectors, or None
    documents : the documents themselves, by id
    """

    folder: Path
    manifest: Manifest
    lexical: BM25Index | None
    vectors: VectorIndex | None
    documents: DocumentStore
    notes: tuple[Note, ...] = ()

    @classmethod
    def open(cls, folder: str | Path, *, tokenizer: Tokenizer | None = None) -> Index:
        """Open an index; one that was built with a tokenizer of your own needs it again.

        Raises
        ------
        InputError
            For a folder without an index or with one that is not finished, and for another tokenizer.
        """
        folder = Path(folder)
        manifest = Manifest.read(folder)
        while True:
            try:
                return cls._opened(folder, manifest, tokenizer)
            except (OSError, InputError):
                # Two changes since the manifest was read have removed what it names.
                before, manifest = manifest, Manifest.read(folder)
                if manifest == before:
                    raise

    @classmethod
    def _opened(cls, folder: Path, manifest: Manifest, tokenizer: Tokenizer | None) -> Index:
        place = folder / manifest.folder
        lexical = BM25Index.open(place / "bm25", tokenizer=tokenizer) if manifest.lexical else None
        vectors = VectorIndex.open(place / "vectors") if manifest.model else None
        return cls(folder, manifest, lexical, vectors, DocumentStore(place / "documents.sqlite"))

    @classmethod
    def build(
        cls,
        folder: str | Path,
        documents: Iterable[Document],
        *,
        lexical: Lexical | None = None,
        dense: Dense | None = None,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> Index:
        """Index documents, by words where neither words nor vectors are asked for.

        Everything is written beside; the index is there when all of it is. After a stop, the same call goes on:
        vectors of texts that are embedded already are taken as they are.

        Parameters
        ----------
        overwrite : whether an index in the folder is replaced, once the new one is whole
        progress : told the step, how much of it is done, and of how much (0: nobody knows)

        Raises
        ------
        InputError
            For a folder with an index, for one that another process is changing, and what reading documents raises.
        """
        folder, say = Path(folder), progress or assembly.silent
        lexical = Lexical() if lexical is None and dense is None else lexical
        with changing(folder):
            generation = assembly.next_generation(folder, overwrite=overwrite)
            place = assembly.working(folder, keep="embedding")
            opened = assembly.build_words(place, documents, lexical, say)
            manifest = Manifest(generation, len(opened), assembly.described(place, lexical))
            notes: tuple[Note, ...] = ()
            if dense is not None:
                manifest, notes = assembly.build_vectors(place, opened, dense, manifest, say)
            assembly.finish(folder, place, manifest)
        return replace(cls.open(folder, tokenizer=assembly.own(lexical)), notes=notes)

    def __len__(self) -> int:
        return self.manifest.documents

    @property
    def generation(self) -> int:
        """Raised by every change: a remembered answer is good for one generation."""
        return self.manifest.generation

    def texts(self, ids: Sequence[str]) -> list[str]:
        """Titles and texts of these documents, in this order; an id that is not here is an InputError."""
        return [document.whole for document in self.documents.get(ids)]

    def embedder(self) -> Embedder:
        """Load the model that made the vectors.

        Raises InputError where there are no vectors, or the model is not the same any more.
        """
        model = self.manifest.model
        if model is None:
            fault = Fault(str(self.folder), "vectors in the index", "none", "build it with --vectors --model ...")
            raise InputError(fault)
        if not model.source:
            got, advice = "an embedder of your own", f"pass the embedder {model.name!r}"
            raise InputError(Fault(str(self.folder), "a model that can be loaded", got, advice))
        return self._checked(load_embedder(model.source))

    @property
    def first_stage(self) -> Stage:
        """By what it is searched where nothing else is said: by words, if these are indexed."""
        return "bm25" if self.lexical is not None else "vector"

    def retriever(
        self, stage: Stage = "bm25", *, embedder: Embedder | None = None, depth: int = 1000, method: str = "rrf"
    ) -> Retriever:
        """Make a first stage: by words, by vectors, or both, fused."""
        if stage == "bm25":
            return self._words()
        if stage not in ("vector", "hybrid"):
            raise MethodError(f"first stage: expected bm25, vector or hybrid, got {stage!r}")
        loaded = self.embedder() if embedder is None else self._checked(embedder)
        assert self.vectors is not None
        by_vector = VectorRetriever(self.vectors, loaded)
        return (
            by_vector if stage == "vector" else HybridRetriever([self._words(), by_vector], depth=depth, method=method)
        )

    def changed(
        self,
        documents: Iterable[Document] = (),
        *,
        deleted: Iterable[str] = (),
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> Index:
        """Delete documents, add others or put them in place of those with their ids, and open the next generation.

        The index is copied, changed, and then made the one that counts: nobody sees a half of it, and who has this
        generation open goes on with it. The generation before this one is removed.
        """
        say = progress or assembly.silent
        with changing(self.folder):
            if Manifest.read(self.folder) != self.manifest:
                got = "one that was changed since"
                raise InputError(Fault(str(self.folder), "the index that was opened", got, "open it again"))
            place = assembly.working(self.folder)
            shutil.rmtree(place)
            shutil.copytree(self.folder / self.manifest.folder, place)
            tokenizer = None if self.lexical is None else self.lexical.tokenizer
            change = assembly.Change(place, self.manifest, tokenizer, self._embedder_for_change(embedder))
            count = change.make(documents, list(deleted), say)
            manifest = replace(self.manifest, generation=self.generation + 1, documents=count)
            assembly.finish(self.folder, place, manifest)
        return Index.open(self.folder, tokenizer=tokenizer)

    def _words(self) -> BM25Index:
        if self.lexical is None:
            raise InputError(Fault(str(self.folder), "words in the index", "none", "build it with --bm25"))
        return self.lexical

    def _checked(self, embedder: Embedder) -> Embedder:
        model = self.manifest.model
        if model is None or embedder.name != model.name:
            wanted = "no vectors" if model is None else f"the model {model.name!r}"
            advice = "vectors of two models cannot be compared: use the same one, or build the index again"
            raise InputError(Fault(str(self.folder), wanted, f"{embedder.name!r}", advice))
        return embedder

    def _embedder_for_change(self, given: Embedder | None) -> Callable[[], Embedder] | None:
        if self.vectors is None:
            return None
        return self.embedder if given is None else lambda: self._checked(given)
