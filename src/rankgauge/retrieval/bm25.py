"""BM25: an index of words on disk, exact or fast, that can say why a document has its score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from rankgauge.errors import Fault, InputError, MethodError
from rankgauge.records._columns import IntArray
from rankgauge.retrieval._places import ABSENT, Growing, Places
from rankgauge.retrieval._tantivy import TantivyReader, TantivyWriter
from rankgauge.retrieval.exact import ExactReader, ExactWriter, Facts, Found
from rankgauge.retrieval.explanation import Explanation, term_score
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.protocols import Document, Hits, Tokenizer
from rankgauge.retrieval.tokenizers import Mark, tokenizer, tokens_of

EngineName = Literal["tantivy", "exact"]
Count = Callable[[int], None]

FORMAT = 1
SETTINGS = "bm25.json"
ENGINES: tuple[EngineName, ...] = ("tantivy", "exact")


class Reader(Protocol):
    """An engine over one state of an index."""

    def search(self, terms: Mapping[str, int], k: int, allowed: IntArray | None) -> Found:
        """The best k documents that hold any of the terms."""
        ...

    def facts(self, terms: Sequence[str], place: int) -> Facts:
        """What a document's score is made of."""
        ...


class Writer(Protocol):
    """An engine that is being changed."""

    def add(self, place: int, tokens: Sequence[str]) -> None:
        """Take in a document."""
        ...

    def delete(self, places: Sequence[int]) -> None:
        """Take out documents."""
        ...

    def commit(self, places: Places, *, merged: bool = False) -> None:
        """Write what is held."""
        ...

    def close(self) -> None:
        """Let go of the index."""
        ...


@dataclass(frozen=True)
class Settings:
    """What an index was built with."""

    engine: EngineName
    scoring: Scoring
    mark: Mark

    @classmethod
    def read(cls, folder: Path) -> Settings:
        """Read the settings of an index."""
        file = folder / SETTINGS
        try:
            read = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            raise InputError(Fault(str(folder), "a BM25 index", "none", "build one: rankgauge index")) from None
        if read.get("format") != FORMAT:
            got = f"format {read.get('format')}"
            raise InputError(Fault(str(file), f"an index of format {FORMAT}", got, "build it again")) from None
        return cls(read["engine"], Scoring(**read["scoring"]), Mark(**read["tokenizer"]))

    def write(self, folder: Path) -> None:
        """Write the settings."""
        record = {"format": FORMAT, "engine": self.engine, "scoring": asdict(self.scoring)}
        text = json.dumps({**record, "tokenizer": asdict(self.mark)}, indent=2)
        (folder / SETTINGS).write_text(text + "\n", "utf-8")

    def writer(self, folder: Path) -> Writer:
        """Open the engine for changes."""
        return TantivyWriter(folder / "engine") if self.engine == "tantivy" else ExactWriter(folder / "engine")

    def reader(self, folder: Path, places: Places) -> Reader:
        """Open the engine for searching."""
        if self.engine == "tantivy":
            return TantivyReader.open(folder / "engine", places)
        return ExactReader.open(folder / "engine", self.scoring, places)


class BM25Index:
    """Documents that are found by their words.

    Only documents that hold a word of the query are found. They come by falling score; among equal scores, the one
    that was added first comes first. A word that the query has twice counts twice.

    Two engines: "tantivy" is fast on large collections and has k1 = 1.2, b = 0.75 and lengths in one byte compiled in;
    "exact" scores every matching document by any variant of the formula. Numbers of documents that were deleted stay
    in tantivy's idf until it merges; the exact engine forgets them at once.
    """

    def __init__(self, folder: Path, settings: Settings, tokenizer: Tokenizer, name: str = "bm25") -> None:
        self.folder, self.settings, self.tokenizer, self.name = folder, settings, tokenizer, name
        self.places = Places.open(folder)
        self.reader = settings.reader(folder, self.places)
        self._change: _Change | None = None

    @classmethod
    def build(
        cls,
        folder: str | Path,
        documents: Iterable[Document],
        *,
        tokenizer: Tokenizer | str = "en",
        engine: EngineName | None = None,
        scoring: Scoring | None = None,
        progress: Count | None = None,
    ) -> BM25Index:
        """Index documents in a new folder; they are taken one by one, and only their ids and a block are held.

        Parameters
        ----------
        tokenizer : a name (see `tokenizers.tokenizer`) or any tokenizer
        scoring : variant, k1, b; by default what tantivy has
        engine : by default tantivy where it can do that scoring, else exact
        progress : told how many documents were taken

        Raises
        ------
        MethodError
            For a scoring that tantivy does not have.
        DuplicateError
            For an id that stood before.
        """
        folder, scoring = Path(folder), scoring or Scoring()
        if (folder / SETTINGS).exists():
            fault = Fault(str(folder), "a folder without an index", "one with an index", "open it, or choose another")
            raise InputError(fault)
        chosen = engine or ("tantivy" if scoring.is_tantivys else "exact")
        if chosen not in ENGINES:
            raise MethodError(f"engine: expected tantivy or exact, got {chosen!r}")
        if chosen == "tantivy" and not scoring.is_tantivys:
            raise MethodError(f"tantivy has variant tantivy, k1 1.2 and b 0.75 only, got {scoring}; take engine exact")
        words = _tokenizer(tokenizer)
        folder.mkdir(parents=True, exist_ok=True)
        settings = Settings(chosen, scoring, Mark.of(words))
        change = _Change(settings.writer(folder), Growing(), words)
        for number, document in enumerate(documents, 1):
            change.add(document)
            if progress is not None:
                progress(number)
        change.commit(folder, merged=True)
        settings.write(folder)
        return cls(folder, settings, words)

    @classmethod
    def open(cls, folder: str | Path, *, tokenizer: Tokenizer | None = None) -> BM25Index:
        """Open an index; one that was built with a tokenizer of your own needs it again.

        Raises
        ------
        InputError
            For a folder without an index, and for a tokenizer that gives other tokens.
        """
        settings = Settings.read(Path(folder))
        return cls(Path(folder), settings, settings.mark.opened(tokenizer, str(folder)))

    def __len__(self) -> int:
        return self.places.alive

    def __repr__(self) -> str:
        return f"BM25Index({str(self.folder)!r}, {len(self):,} documents, {self.settings.engine})"

    def terms(self, query: str) -> dict[str, int]:
        """The query's tokens, each with how often it stands there."""
        return dict(Counter(tokens_of(self.tokenizer, query)))

    def containing(self, term: str) -> int:
        """How many documents hold a term, as it is indexed; the engine's count."""
        return self.reader.facts([term], 0).containing[term] if len(self.places.ids) else 0

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits, fewer where fewer documents match; only among the allowed ids where these are given."""
        if k < 1:
            raise MethodError(f"k: expected 1 or more, got {k}")
        among = None
        if allowed is not None:
            among = self.places.find(allowed)
            among = np.sort(among[among != ABSENT])
        found = self.reader.search(self.terms(query), k, among)
        return Hits(self.places.named(found.places), found.scores)

    def search_many(self, queries: Iterable[str], k: int, *, allowed: frozenset[str] | None = None) -> list[Hits]:
        """Hits of each query."""
        return [self.search(query, k, allowed=allowed) for query in queries]

    def explain(self, query: str, doc: str) -> Explanation:
        """Take a document's score apart, term by term.

        Raises InputError for a document that is not in the index.
        """
        place = int(self.places.find([doc])[0])
        if place == ABSENT:
            raise InputError(Fault(str(self.folder), "a document of the index", repr(doc), "check the id"))
        terms, scoring, length = self.terms(query), self.settings.scoring, int(self.places.lengths[place])
        facts = self.reader.facts(list(terms), place)
        norm, exact = scoring.norm(np.array([facts.length, float(length)]), facts.average_length).tolist()
        shares = tuple(
            term_score(
                scoring, term, in_query=times, documents=facts.documents, containing=facts.containing[term],
                tf=facts.tf[term], norm=norm, exact=exact,
            )
            for term, times in terms.items()
        )  # fmt: skip
        return Explanation(
            doc, query, scoring, self.settings.engine, facts.documents, facts.average_length, length, facts.length,
            shares,
        )  # fmt: skip

    def add(self, documents: Iterable[Document]) -> int:
        """Add documents, and return how many; they are found after `commit`.

        Raises DuplicateError for an id that is in the index.
        """
        change = self._changing()
        return sum(change.add(document) for document in documents)

    def upsert(self, documents: Iterable[Document]) -> int:
        """Add documents, in place of those with the same ids, and return how many; they are found after `commit`."""
        change, count = self._changing(), 0
        for document in documents:
            change.delete([document.id])
            count += change.add(document)
        return count

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents, and return how many there were; they are gone after `commit`."""
        return self._changing().delete(list(ids))

    def commit(self) -> None:
        """Make what was added and deleted count."""
        if self._change is not None:
            change, self._change = self._change, None
            change.commit(self.folder)
            self.places = Places.open(self.folder)
            self.reader = self.settings.reader(self.folder, self.places)

    def rollback(self) -> None:
        """Forget what was added and deleted since the last commit."""
        if self._change is not None:
            change, self._change = self._change, None
            change.writer.close()

    def _changing(self) -> _Change:
        if self._change is None:
            self._change = _Change(self.settings.writer(self.folder), Growing(self.places), self.tokenizer)
        return self._change


@dataclass
class _Change:
    """Documents on their way into an index and out of it."""

    writer: Writer
    growing: Growing
    tokenizer: Tokenizer

    def add(self, document: Document) -> int:
        tokens = tokens_of(self.tokenizer, document.whole)
        self.writer.add(self.growing.add(document.id, len(tokens)), tokens)
        return 1

    def delete(self, ids: Sequence[str]) -> int:
        places = self.growing.delete(ids)
        self.writer.delete(places)
        return len(places)

    def commit(self, folder: Path, *, merged: bool = False) -> None:
        places = self.growing.places()
        self.writer.commit(places, merged=merged)
        self.writer.close()
        places.save(folder)


def _tokenizer(given: Tokenizer | str) -> Tokenizer:
    return tokenizer(given) if isinstance(given, str) else given


def describe(folder: Path) -> dict[str, Any]:
    """What an index was built with, in plain values."""
    settings = Settings.read(folder)
    return {"engine": settings.engine, **asdict(settings.scoring), "tokenizer": asdict(settings.mark)}
