"""The ledger: every call that was answered, in one SQLite file, so that none is paid twice."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.judges.asking import Reply, Request, Token

VERSION = 1
TABLE = """
CREATE TABLE IF NOT EXISTS calls (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, request TEXT NOT NULL, text TEXT NOT NULL,
    finish TEXT NOT NULL, tokens TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    cost REAL NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL
) WITHOUT ROWID
"""
COLUMNS = tuple("key model prompt request text finish tokens tokens_in tokens_out cost seconds at".split())
INSERT = f"INSERT OR IGNORE INTO calls ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


@dataclass(frozen=True)
class Entry:
    """An answer as it was received.

    Attributes
    ----------
    finish : why it ended: `stop`, `length`, `refusal`, `content_filter`
    """

    reply: Reply
    finish: str = "stop"


@dataclass(frozen=True)
class Spent:
    """What calls took: how many, tokens, and cost in the price table's currency."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float


def canonical(address: str, model: str, request: Request) -> str:
    """Write all that an answer depends on, in one way only."""
    return json.dumps({"address": address, "model": model, **asdict(request)}, sort_keys=True, ensure_ascii=False)


def key_of(address: str, model: str, request: Request) -> str:
    """Digest of all that an answer depends on: where, which model, messages, sampling, schema, prompt and sample."""
    return hashlib.sha256(canonical(address, model, request).encode("utf-8", "surrogatepass")).hexdigest()


class Ledger:
    """Calls and their answers, by key. Each is written before the next is waited for; several processes may share it.

    Parameters
    ----------
    path : the file; None keeps them in memory

    Raises
    ------
    FormatError
        For a file that is no ledger.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None and not self.path.parent.is_dir():
            raise InputError(Fault(str(self.path), "a folder that is there", str(self.path.parent), "make it"))
        self._lock = threading.Lock()
        self._open()

    def _open(self) -> None:
        self._file = sqlite3.connect(self.path or ":memory:", check_same_thread=False, timeout=60, isolation_level=None)
        try:
            known = self._file.execute("PRAGMA user_version").fetchone()[0]
            tables = [name for (name,) in self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if known not in (0, VERSION) or (tables and "calls" not in tables):
                raise FormatError(Fault(str(self.path), f"a ledger of version {VERSION}", f"version {known}"))
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.execute(TABLE)
            self._file.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            self._file.close()
            raise FormatError(Fault(str(self.path), "a ledger (SQLite)", str(error), "name another file")) from None

    def __len__(self) -> int:
        return self.spent().calls

    def get(self, key: str) -> Entry | None:
        """Return the answer to a call; None where it was never answered."""
        names = "text, finish, tokens, tokens_in, tokens_out"
        with self._lock:
            row = self._file.execute(f"SELECT {names} FROM calls WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        text, finish, tokens, tokens_in, tokens_out = row
        parted = tuple(Token(*one) for one in json.loads(tokens))
        return Entry(Reply(text, parted, tokens_in, tokens_out, known=True), finish)

    def put(self, address: str, model: str, request: Request, entry: Entry) -> None:
        """Keep an answer, on disk when this returns; one that is there already stays."""
        reply = entry.reply
        tokens = json.dumps([[one.text, one.logprob, dict(one.others)] for one in reply.tokens], ensure_ascii=False)
        row = (
            key_of(address, model, request), model, request.prompt, canonical(address, model, request), reply.text,
            entry.finish, tokens, reply.tokens_in, reply.tokens_out, reply.cost, reply.seconds, time.time(),
        )  # fmt: skip
        with self._lock:
            self._file.execute(INSERT, row)

    def spent(self, model: str | None = None) -> Spent:
        """Add up what the calls took, those of one model or all."""
        where, values = ("", ()) if model is None else (" WHERE model = ?", (model,))
        sums = "COUNT(*), COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0), COALESCE(SUM(cost), 0.0)"
        with self._lock:
            return Spent(*self._file.execute(f"SELECT {sums} FROM calls{where}", values).fetchone())

    def rows(self) -> Iterator[dict[str, Any]]:
        """All calls, by key."""
        with self._lock:
            rows = self._file.execute(f"SELECT {', '.join(COLUMNS)} FROM calls ORDER BY key").fetchall()
        return (dict(zip(COLUMNS, row, strict=True)) for row in rows)

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write all calls as lines of JSON; returns how many."""
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows()]
        Path(path).write_text("".join(lines), encoding="utf-8")
        return len(lines)

    def merge(self, other: Ledger) -> tuple[int, int]:
        """Take over what another ledger knows; returns how many calls were new, and how many had another answer here.

        Where both know a call, the answer here stays.
        """
        new = differ = 0
        for row in other.rows():
            here = self.get(row["key"])
            if here is None:
                with self._lock:
                    self._file.execute(INSERT, tuple(row[name] for name in COLUMNS))
                new += 1
            else:
                differ += here.reply.text != row["text"]
        return new, differ

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def known(entry: Entry) -> Entry:
    """The answer as one that was not paid now."""
    return replace(entry, reply=replace(entry.reply, cost=0.0, seconds=0.0, known=True))
