"""What searches of one moment see: segments, and which of their rows are deleted."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval._segments import Mask, Segment
from rankgauge.retrieval.protocols import Hits

Allowed = frozenset[str]

REMEMBERED_FILTERS = 8


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Segments in the order of adding, and the rows of each that are alive (None: all of them)."""

    generation: int
    segments: tuple[Segment, ...] = ()
    masks: tuple[Mask | None, ...] = ()
    _filters: dict[Allowed, tuple[Mask, ...]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __len__(self) -> int:
        return sum(map(self.alive, range(len(self.segments))))

    def alive(self, number: int) -> int:
        """How many rows of a segment are alive."""
        mask = self.masks[number]
        return len(self.segments[number]) if mask is None else int(mask.sum())

    def find(self, id_: str) -> tuple[int, int] | None:
        """Segment and row of an id, or None where it is not there or deleted."""
        for number in reversed(range(len(self.segments))):
            row, mask = self.segments[number].row_of.get(id_), self.masks[number]
            if row is not None and (mask is None or mask[row]):
                return number, row
        return None

    def ids(self) -> list[str]:
        """Ids that are alive, in the order of adding."""
        kept = [
            segment.ids if mask is None else segment.ids.filter(pl.Series(mask))
            for segment, mask in zip(self.segments, self.masks, strict=True)
        ]
        return [id_ for ids in kept for id_ in ids.to_list()]

    def sample(self, count: int, *, seed: int) -> list[tuple[str, FloatArray]]:
        """Some ids that are alive, each with its vector, drawn at random without repeats."""
        places = [
            (number, row)
            for number, (segment, mask) in enumerate(zip(self.segments, self.masks, strict=True))
            for row in (np.arange(len(segment)) if mask is None else np.flatnonzero(mask)).tolist()
        ]
        drawn = np.random.default_rng(seed).permutation(len(places))[:count]
        return [self._at(*places[place]) for place in np.sort(drawn).tolist()]

    def _at(self, number: int, row: int) -> tuple[str, FloatArray]:
        segment = self.segments[number]
        return segment.ids[row], segment.stored.rows(slice(row, row + 1))[0].astype(np.float64)

    def search(self, query: FloatArray, k: int, allowed: Allowed | None, *, exact: bool = False) -> Hits:
        """At most k hits, by falling score, then in the order of adding."""
        masks = self.masks if allowed is None else self._allowing(allowed)
        found = [
            (number, *segment.best(query, k, mask, exact=exact))
            for number, (segment, mask) in enumerate(zip(self.segments, masks, strict=True))
            if mask is None or mask.any()
        ]
        if not found:
            return Hits((), np.empty(0))
        numbers = np.concatenate([np.full(len(rows), number) for number, rows, _ in found])
        rows = np.concatenate([rows for _, rows, _ in found])
        scores = np.concatenate([scores for _, _, scores in found])
        best = np.lexsort((rows, numbers, -scores))[:k]
        names = dict(zip(best.tolist(), self._names(numbers[best], rows[best]), strict=True))
        return Hits(tuple(names[place] for place in best.tolist()), scores[best])

    def _names(self, numbers: IntArray, rows: IntArray) -> list[str]:
        names = np.empty(len(rows), dtype=object)
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number)
            names[places] = self.segments[number].ids.gather(rows[places]).to_list()
        found: list[str] = names.tolist()
        return found

    def _allowing(self, allowed: Allowed) -> tuple[Mask, ...]:
        """Rows of each segment that are alive and allowed; the last few filters are remembered."""
        with self._lock:
            if (known := self._filters.get(allowed)) is not None:
                return known
        made = tuple(_mask(segment, mask, allowed) for segment, mask in zip(self.segments, self.masks, strict=True))
        with self._lock:
            while len(self._filters) >= REMEMBERED_FILTERS:
                del self._filters[next(iter(self._filters))]
            self._filters[allowed] = made
        return made


def _mask(segment: Segment, alive: Mask | None, allowed: Allowed) -> Mask:
    row_of = segment.row_of
    mask = np.zeros(len(segment), dtype=bool)
    mask[[row for id_ in allowed if (row := row_of.get(id_)) is not None]] = True
    return mask if alive is None else mask & alive
