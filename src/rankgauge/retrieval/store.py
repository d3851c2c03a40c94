"""The documents themselves, by id: one SQLite file, each document compressed with a dictionary of its neighbours."""

from __future__ import annotations

import importlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankgauge.errors import DuplicateError, Fault, InputError
from rankgauge.records.notes import examples
from rankgauge.retrieval.protocols import Document

TRAINING = 2000
"""Documents whose common strings become the dictionary; fewer than a tenth of that are too few for one."""

DICTIONARY = 110_000
LEVEL = 3
ASKED_AT_ONCE = 500
TABLES = """
    CREATE TABLE documents (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL);
    CREATE TABLE dictionary (bytes BLOB);
"""


class DocumentStore:
    """Documents on disk, in the order of adding; any number of threads may read."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._local = threading.local()
        self._codec = _Codec.of(self._connection)

    @property
    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            if not self.file.is_file():
                raise InputError(Fault(str(self.file), "the documents of an index", "no such file"))
            uri = f"{self.file.absolute().as_uri()}?mode=ro&immutable=1"
            self._local.connection = sqlite3.connect(uri, uri=True)
        found: sqlite3.Connection = self._local.connection
        return found

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM documents").fetchone()[0])

    def __iter__(self) -> Iterator[Document]:
        for id_, body in self._connection.execute("SELECT id, body FROM documents ORDER BY place"):
            yield self._codec.document(id_, body)

    def ids(self) -> list[str]:
        """Every id, in the order of adding."""
        return [id_ for (id_,) in self._connection.execute("SELECT id FROM documents ORDER BY place")]

    def lacking(self, ids: Sequence[str]) -> list[str]:
        """Those of the ids that are not here."""
        found: set[str] = set()
        for low in range(0, len(ids), ASKED_AT_ONCE):
            part = list(ids[low : low + ASKED_AT_ONCE])
            asked = ",".join("?" * len(part))
            found |= {
                id_ for (id_,) in self._connection.execute(f"SELECT id FROM documents WHERE id IN ({asked})", part)
            }
        return [id_ for id_ in ids if id_ not in found]

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Documents of these ids, in this order.

        Raises InputError where any is not here.
        """
        found: dict[str, Document] = {}
        for low in range(0, len(ids), ASKED_AT_ONCE):
            part = list(ids[low : low + ASKED_AT_ONCE])
            asked = ",".join("?" * len(part))
            rows = self._connection.execute(f"SELECT id, body FROM documents WHERE id IN ({asked})", part)
            found |= {id_: self._codec.document(id_, body) for id_, body in rows}
        if lacking := [id_ for id_ in ids if id_ not in found]:
            got = f"{len(lacking)} others: {examples(lacking)}"
            raise InputError(Fault(str(self.file), "ids of the index", got, "is it the index that made the run?"))
        return [found[id_] for id_ in ids]


class StoredTexts(Sequence[str]):
    """Texts of all documents, read block by block as they are asked for."""

    def __init__(self, store: DocumentStore, ids: Sequence[str]) -> None:
        self.store, self.ids = store, ids

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [document.whole for document in self.store.get(self.ids[at])]
        return self.store.get([self.ids[at]])[0].whole


class StoreWriter:
    """Adds documents to a store, and deletes them; a new file is made where there is none."""

    def __init__(self, file: Path) -> None:
        new = not file.exists()
        self._connection = sqlite3.connect(file)
        # The whole file is made beside and renamed: a journal against crashes would double the writing.
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        if new:
            self._connection.executescript(TABLES)
        self._codec = None if new else _Codec.of(self._connection)
        self._waiting: list[Document] = []

    def adding(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Store documents on their way through."""
        for document in documents:
            self.add(document)
            yield document

    def add(self, document: Document) -> None:
        """Add a document."""
        self._waiting.append(document)
        if len(self._waiting) >= TRAINING:
            self._write()

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents, and return how many there were."""
        self._write()
        before = self._connection.total_changes
        self._connection.executemany("DELETE FROM documents WHERE id = ?", ((id_,) for id_ in ids))
        return self._connection.total_changes - before

    def close(self) -> None:
        """Write what waits."""
        self._write()
        self._connection.commit()
        self._connection.close()

    def _write(self) -> None:
        if self._codec is None:
            self._codec = _Codec.trained(self._waiting)
            self._connection.execute("INSERT INTO dictionary VALUES (?)", (self._codec.dictionary,))
        rows = [(document.id, self._codec.body(document)) for document in self._waiting]
        self._waiting = []
        try:
            self._connection.executemany("INSERT INTO documents (id, body) VALUES (?, ?)", rows)
        except sqlite3.IntegrityError:
            fault = Fault("documents", "each id once", "an id again", "upsert it to replace it")
            raise DuplicateError(fault) from None


class _Codec:
    """A document as compressed JSON."""

    def __init__(self, dictionary: bytes) -> None:
        self.dictionary = dictionary
        self._local = threading.local()

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> _Codec:
        """Take the dictionary that lies in the file."""
        return cls(connection.execute("SELECT bytes FROM dictionary").fetchone()[0])

    @classmethod
    def trained(cls, documents: Sequence[Document]) -> _Codec:
        """Train a dictionary where there are enough documents for it."""
        if len(documents) < TRAINING // 10:
            return cls(b"")
        zstandard = importlib.import_module("zstandard")
        samples = [_packed(document) for document in documents]
        try:
            return cls(zstandard.train_dictionary(DICTIONARY, samples).as_bytes())
        except zstandard.ZstdError:
            return cls(b"")  # documents that have nothing in common

    @property
    def _pair(self) -> tuple[Any, Any]:
        """Compressor and decompressor; each thread has its own, since they are not made to be shared."""
        if not hasattr(self._local, "pair"):
            zstandard = importlib.import_module("zstandard")
            shared = zstandard.ZstdCompressionDict(self.dictionary) if self.dictionary else None
            pair = zstandard.ZstdCompressor(LEVEL, dict_data=shared), zstandard.ZstdDecompressor(dict_data=shared)
            self._local.pair = pair
        found: tuple[Any, Any] = self._local.pair
        return found

    def body(self, document: Document) -> bytes:
        """Compress a document, without its id."""
        compressed: bytes = self._pair[0].compress(_packed(document))
        return compressed

    def document(self, id_: str, body: bytes) -> Document:
        """Read a document."""
        title, text, fields = json.loads(self._pair[1].decompress(body))
        return Document(id_, text, title, fields)


def _packed(document: Document) -> bytes:
    fields: Mapping[str, Any] = document.fields
    packed = json.dumps([document.title, document.text, dict(fields)], ensure_ascii=False, separators=(",", ":"))
    return packed.encode(errors="surrogatepass")
