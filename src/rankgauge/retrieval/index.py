"""The index folder: words, vectors and the documents themselves, always at one and the same generation."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.formats._rows import blocks
from rankgauge.records.notes import Note
from rankgauge.retrieval._stored import Precision
from rankgauge.retrieval.bm25 import BM25Index, EngineName, describe
from rankgauge.retrieval.embedding import embed_many, load_embedder
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.hybrid import HybridRetriever
from rankgauge.retrieval.manifest import BUILDING, FILE, Manifest, Model, changing
from rankgauge.retrieval.protocols import Document, Embedder, Retriever, Tokenizer
from rankgauge.retrieval.store import DocumentStore, StoredTexts, StoreWriter
from rankgauge.retrieval.vectors import VectorIndex, VectorRetriever

Stage = Literal["bm25", "vector", "hybrid"]
Progress = Callable[[str, int, int], None]

EMBEDDED_AT_ONCE = 1024


@dataclass(frozen=True)
class Lexical:
    """How words are indexed: see `BM25Index.build`."""

    tokenizer: Tokenizer | str = "multi"
    engine: EngineName | None = None
    scoring: Scoring | None = None


@dataclass(frozen=True)
class Dense:
    """How texts become vectors: where the model is loaded from, or an embedder of your own, and how they are kept."""

    model: str = ""
    embedder: Embedder | None = None
    precision: Precision = "f32"

    def loaded(self) -> Embedder:
        """The embedder, loaded where it is not given."""
        return load_embedder(self.model) if self.embedder is None else self.embedder


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
        folder, say = Path(folder), progress or _silent
        lexical = Lexical() if lexical is None and dense is None else lexical
        with changing(folder):
            generation = _next_generation(folder, overwrite=overwrite)
            place = _working(folder, keep="embedding")
            opened = _build_words(place, documents, lexical, say)
            manifest = Manifest(generation, len(opened), _described(place, lexical))
            notes: tuple[Note, ...] = ()
            if dense is not None:
                manifest, notes = _build_vectors(place, opened, dense, manifest, say)
            _finish(folder, place, manifest)
        return replace(cls.open(folder, tokenizer=_own(lexical)), notes=notes)

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
        say = progress or _silent
        with changing(self.folder):
            if Manifest.read(self.folder) != self.manifest:
                got = "one that was changed since"
                raise InputError(Fault(str(self.folder), "the index that was opened", got, "open it again"))
            place = _working(self.folder)
            shutil.rmtree(place)
            shutil.copytree(self.folder / self.manifest.folder, place)
            tokenizer = None if self.lexical is None else self.lexical.tokenizer
            change = _Change(place, self.manifest, tokenizer, self._embedder_for_change(embedder))
            count = change.make(documents, list(deleted), say)
            manifest = replace(self.manifest, generation=self.generation + 1, documents=count)
            _finish(self.folder, place, manifest)
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


@dataclass(frozen=True)
class _Change:
    """A copy of an index on its way to the next generation."""

    place: Path
    manifest: Manifest
    tokenizer: Tokenizer | None
    embedder: Callable[[], Embedder] | None

    def make(self, documents: Iterable[Document], deleted: Sequence[str], say: Progress) -> int:
        """Change every part in the same way, and return how many documents there are."""
        lexical = BM25Index.open(self.place / "bm25", tokenizer=self.tokenizer) if self.manifest.lexical else None
        vectors = VectorIndex.open(self.place / "vectors") if self.embedder else None
        loaded: list[Embedder] = []
        with closing(StoreWriter(self.place / "documents.sqlite")) as store:
            for part in (lexical, vectors, store):
                if part is not None and deleted:
                    part.delete(deleted)
            for number, given in enumerate(blocks(documents, EMBEDDED_AT_ONCE)):
                block = list({document.id: document for document in given}.values())
                ids = [document.id for document in block]
                store.delete(ids)
                for document in block:
                    store.add(document)
                if lexical is not None:
                    lexical.upsert(block)
                if vectors is not None and self.embedder is not None:
                    loaded = loaded or [self.embedder()]
                    vectors.upsert(ids, loaded[0].embed([document.whole for document in block], kind="document"))
                say("documents", number * EMBEDDED_AT_ONCE + len(block), 0)
        for changed in (lexical, vectors):
            if changed is not None:
                changed.commit()
        return len(DocumentStore(self.place / "documents.sqlite"))


def _next_generation(folder: Path, *, overwrite: bool) -> int:
    if not (folder / FILE).exists():
        return 1
    if not overwrite:
        advice = "choose another folder, add to it (--add), or replace it (--overwrite)"
        raise InputError(Fault(str(folder), "a folder without an index", "one with an index", advice))
    return Manifest.read(folder).generation + 1


def _working(folder: Path, *, keep: str = "") -> Path:
    """An empty folder to build in, but for what a stopped build may go on with."""
    place = folder / BUILDING
    place.mkdir(exist_ok=True)
    for item in place.iterdir():
        if item.name != keep:
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    return place


def _build_words(place: Path, documents: Iterable[Document], lexical: Lexical | None, say: Progress) -> DocumentStore:
    file = place / "documents.sqlite"
    with closing(StoreWriter(file)) as store:
        stream = _counted(store.adding(documents), say)
        if lexical is None:
            for _ in stream:
                pass
        else:
            how = {"tokenizer": lexical.tokenizer, "engine": lexical.engine, "scoring": lexical.scoring}
            BM25Index.build(place / "bm25", stream, **how)  # type: ignore[arg-type]
    return DocumentStore(file)


def _build_vectors(
    place: Path, documents: DocumentStore, dense: Dense, manifest: Manifest, say: Progress
) -> tuple[Manifest, tuple[Note, ...]]:
    embedder, ids = dense.loaded(), documents.ids()

    def embedding(done: int, total: int) -> None:
        say("embedding", done, total)

    found = embed_many(embedder, StoredTexts(documents, ids), place / "embedding", progress=embedding)
    say("vectors", 0, len(ids))
    VectorIndex.build(place / "vectors", ids, found.vectors, model=embedder.name, precision=dense.precision)
    shutil.rmtree(place / "embedding")
    model = Model(dense.model, embedder.name, embedder.dimension)
    return replace(manifest, model=model, precision=dense.precision), found.notes


def _described(place: Path, lexical: Lexical | None) -> dict[str, object]:
    return {} if lexical is None else describe(place / "bm25")


def _own(lexical: Lexical | None) -> Tokenizer | None:
    return None if lexical is None or isinstance(lexical.tokenizer, str) else lexical.tokenizer


def _finish(folder: Path, place: Path, manifest: Manifest) -> None:
    """Make what was built the generation that counts; the one before it stays for those who have it open."""
    target = folder / manifest.folder
    shutil.rmtree(target, ignore_errors=True)
    place.rename(target)
    manifest.write(folder)
    kept = {manifest.folder, replace(manifest, generation=manifest.generation - 1).folder}
    for old in folder.glob("generation-*"):
        if old.name not in kept:
            shutil.rmtree(old, ignore_errors=True)


def _counted(documents: Iterable[Document], say: Progress) -> Iterator[Document]:
    for number, document in enumerate(documents, 1):
        yield document
        if number % 100 == 0:
            say("documents", number, 0)


def _silent(step: str, done: int, total: int) -> None:
    """Say nothing."""
