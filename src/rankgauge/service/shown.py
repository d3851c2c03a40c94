"""The lists that were shown, kept by day as parquet, in the form that `rankgauge evaluate` and `trend` read.

FOLDER/date=2026-06-26/part-*.parquet            query_id, document_id, model_rank, relevance_score (null: unjudged)
FOLDER/_requests/date=2026-06-26/part-*.parquet  a row per request: when, how, in what time
FOLDER/_shadow/served/, FOLDER/_shadow/NAME/     lists of a second reranker, and those that were served beside them

Days are UTC. One query on one day is one ranking: its first list is kept, the others are counted.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import itertools
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge.engines.parts import whole
from rankgauge.errors import Fault, InputError
from rankgauge.service.background import Background

LOCK = ".lock"
SERVED = ""
REQUESTS = "_requests"
EVERY = 5.0
LISTS_A_DAY = 500_000
"""Lists that are kept of a day; what is remembered to tell repeats grows with them."""
ROWS = {"query_id": pl.String, "document_id": pl.String, "model_rank": pl.Int32, "relevance_score": pl.Float64}


@dataclass(frozen=True)
class Shown:
    """What one request showed.

    Attributes
    ----------
    at : seconds since 1970
    lists : documents, best first, by the folder they go to ("" for what was served); none to keep no list
    request : the row of `_requests`, or None
    """

    at: float
    query_id: str
    lists: Mapping[str, Sequence[str]]
    request: Mapping[str, Any] | None = None

    @property
    def day(self) -> str:
        """The day, as 2026-06-26."""
        return dt.datetime.fromtimestamp(self.at, dt.UTC).date().isoformat()

    @property
    def kind(self) -> str:
        """What tells lists of one kind from others."""
        return "+".join(self.lists)


@dataclass(eq=False)
class ShownLog:
    """Writes what was shown in whole files, from a thread.

    Parameters
    ----------
    waiting : requests that may wait to be written; more are dropped, and counted
    every : seconds after which what has come is written: what a crash can lose
    """

    folder: Path
    waiting: int = 10_000
    every: float = EVERY
    many: int = 5000
    lists_a_day: int = LISTS_A_DAY
    counts: Counter[str] = field(default_factory=Counter)
    """`lists` that were kept, `repeated` and `beyond` the most of a day that were not, and `rows`."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _only_writer(self.folder)
        self._names = (f"part-{secrets.token_hex(4)}-{number:06d}.parquet" for number in itertools.count())
        self._seen: dict[tuple[str, str], set[int]] = {}
        self._thread = Background[Shown]("shown", self._write, waiting=self.waiting, every=self.every, many=self.many)

    def put(self, shown: Shown) -> bool:
        """Leave what a request showed to be written, if there is room."""
        return self._thread.put(shown)

    def __len__(self) -> int:
        return len(self._thread)

    @property
    def dropped(self) -> int:
        """Requests that are not in the log, since the queue was full or writing failed."""
        return self._thread.dropped + self._thread.failed

    @property
    def fault(self) -> str:
        """Why writing failed the last time."""
        return self._thread.fault

    def close(self) -> None:
        """Write what waits, and let others write here."""
        self._thread.close()
        os.close(self._lock)

    def _write(self, block: list[Shown]) -> None:
        for day in sorted({one.day for one in block}):
            of_day = [one for one in block if one.day == day]
            fresh = [one for one in of_day if one.lists and self._is_kept(one)]
            for place in dict.fromkeys(place for one in fresh for place in one.lists):
                lists = [(one.query_id, one.lists[place]) for one in fresh if place in one.lists]
                self._save(place, day, _rows(lists))
            requests = [one.request for one in of_day if one.request is not None]
            if requests:
                self._save(REQUESTS, day, pl.DataFrame(requests, infer_schema_length=None))

    def _is_kept(self, shown: Shown) -> bool:
        key = (shown.day, shown.kind)
        if key not in self._seen:
            self._seen = {one: seen for one, seen in self._seen.items() if one[0] >= shown.day or one[1] != shown.kind}
            self._seen[key] = {hash(query) for query in self._kept(next(iter(shown.lists)), shown.day)}
        seen, mark = self._seen[key], hash(shown.query_id)
        became = "repeated" if mark in seen else "beyond" if len(seen) >= self.lists_a_day else "lists"
        self.counts[became] += 1
        if became == "lists":
            seen.add(mark)
        return became == "lists"

    def _kept(self, place: str, day: str) -> Iterable[str]:
        """Queries whose lists of this day are there already, from before a restart."""
        files = sorted((self.folder / place / f"date={day}").glob("*.parquet"))
        if not files:
            return []
        found: list[str] = pl.scan_parquet(files).select(pl.col("query_id").unique()).collect()["query_id"].to_list()
        return found

    def _save(self, place: str, day: str, rows: pl.DataFrame) -> None:
        target = self.folder / place / f"date={day}" / next(self._names)
        target.parent.mkdir(parents=True, exist_ok=True)
        whole(target, rows.write_parquet)
        self.counts["rows"] += len(rows)


def _rows(lists: Sequence[tuple[str, Sequence[str]]]) -> pl.DataFrame:
    """Rows of lists, in the schema of logs."""
    columns = {
        "query_id": [query for query, docs in lists for _ in docs],
        "document_id": [doc for _, docs in lists for doc in docs],
        "model_rank": [rank for _, docs in lists for rank in range(1, len(docs) + 1)],
    }
    return pl.DataFrame(columns).with_columns(relevance_score=None).cast(ROWS)  # type: ignore[arg-type]


def _only_writer(folder: Path) -> int:
    """Hold the folder's lock."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        advice = "give each gateway a folder of its own"
        raise InputError(Fault(str(folder), "a log that nobody writes", "another gateway", advice)) from None
    return lock
