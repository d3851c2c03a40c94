"""How an index is put together and changed: beside the one that counts, and then in its place."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from rankgauge.errors import Fault, InputError
from rankgauge.formats._rows import blocks
from rankgauge.records.notes import Note
from rankgauge.retrieval._stored import Precision
from rankgauge.retrieval.bm25 import BM25Index, EngineName, describe
from rankgauge.retrieval.embedding import embed_many, load_embedder
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.manifest import BUILDING, FILE, Manifest, Model
from rankgauge.retrieval.protocols import Document, Embedder, Tokenizer
from rankgauge.retrieval.store import DocumentStore, StoredTexts, StoreWriter
from rankgauge.retrieval.vectors import VectorIndex

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


@dataclass(frozen=True)
class Change:
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


def next_generation(folder: Path, *, overwrite: bool) -> int:
    """Number of the generation to build; an index that is there is replaced only on demand."""
    if not (folder / FILE).exists():
        return 1
    if not overwrite:
        advice = "choose another folder, add to it (--add), or replace it (--overwrite)"
        raise InputError(Fault(str(folder), "a folder without an index", "one with an index", advice))
    return Manifest.read(folder).generation + 1


def working(folder: Path, *, keep: str = "") -> Path:
    """An empty folder to build in, but for what a stopped build may go on with."""
    place = folder / BUILDING
    place.mkdir(exist_ok=True)
    for item in place.iterdir():
        if item.name != keep:
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    return place


def build_words(place: Path, documents: Iterable[Document], lexical: Lexical | None, say: Progress) -> DocumentStore:
    """Read the documents once, into the store and into the index of words."""
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


def build_vectors(
    place: Path, documents: DocumentStore, dense: Dense, manifest: Manifest, say: Progress
) -> tuple[Manifest, tuple[Note, ...]]:
    """Embed the stored documents, going on where that was stopped, and index the vectors."""
    embedder, ids = dense.loaded(), documents.ids()

    def embedding(done: int, total: int) -> None:
        say("embedding", done, total)

    found = embed_many(embedder, StoredTexts(documents, ids), place / "embedding", progress=embedding)
    say("vectors", 0, len(ids))
    VectorIndex.build(place / "vectors", ids, found.vectors, model=embedder.name, precision=dense.precision)
    shutil.rmtree(place / "embedding")
    model = Model(dense.model, embedder.name, embedder.dimension)
    return replace(manifest, model=model, precision=dense.precision), found.notes


def described(place: Path, lexical: Lexical | None) -> dict[str, object]:
    """What the manifest says of the words."""
    return {} if lexical is None else describe(place / "bm25")


def own(lexical: Lexical | None) -> Tokenizer | None:
    """The user's own tokenizer, if there is one."""
    return None if lexical is None or isinstance(lexical.tokenizer, str) else lexical.tokenizer


def finish(folder: Path, place: Path, manifest: Manifest) -> None:
    """Make what was built the generation that counts; the one before it stays for those who have it open."""
    target = folder / manifest.folder
    shutil.rmtree(target, ignore_errors=True)
    place.rename(target)
    replace(manifest, id=uuid.uuid4().hex).write(folder)
    kept = {manifest.folder, replace(manifest, generation=manifest.generation - 1).folder}
    for old in folder.glob("generation-*"):
        if old.name not in kept:
            shutil.rmtree(old, ignore_errors=True)


def _counted(documents: Iterable[Document], say: Progress) -> Iterator[Document]:
    for number, document in enumerate(documents, 1):
        yield document
        if number % 100 == 0:
            say("documents", number, 0)


def silent(step: str, done: int, total: int) -> None:
    """Say nothing."""
