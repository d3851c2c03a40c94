"""The documents of a lexical index by place: which id stands there, how long the document is, whether it is deleted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import DuplicateError, Fault, InputError
from rankgauge.records._columns import HashArray, IntArray

ABSENT = -1
FEW = 50
"""Up to so many ids are looked up one by one, which is faster."""


@dataclass(frozen=True, eq=False)
class Places:
    """Documents in the order in which they were added; a deleted one keeps its place.

    Attributes
    ----------
    ids : String[n]
    lengths : uint32[n], tokens of each document
    dead : bool[n], which are deleted
    """

    ids: pl.Series
    lengths: npt.NDArray[np.uint32]
    dead: npt.NDArray[np.bool_]

    @classmethod
    def open(cls, folder: Path) -> Places:
        """Read the places of an index."""
        ids = pl.read_ipc(folder / "ids.arrow")["id"]
        lengths = np.load(folder / "lengths.npy", mmap_mode="r")
        return cls(ids, lengths, np.load(folder / "deleted.npy"))

    def save(self, folder: Path) -> None:
        """Write the places; each file is whole or as it was."""
        part = folder / "places.part"
        pl.DataFrame({"id": self.ids}).write_ipc(part, compression="uncompressed")
        part.replace(folder / "ids.arrow")
        for name, values in (("lengths", self.lengths), ("deleted", self.dead)):
            with part.open("wb") as file:
                np.save(file, values)
            part.replace(folder / f"{name}.npy")

    @cached_property
    def alive(self) -> int:
        """Number of documents that are not deleted."""
        return len(self.dead) - int(self.dead.sum())

    @cached_property
    def average(self) -> float:
        """Mean length of the documents that are not deleted, 0 without documents."""
        return float(self.lengths[~self.dead].mean()) if self.alive else 0.0

    @cached_property
    def _by_hash(self) -> tuple[HashArray, IntArray]:
        hashes, places = self.ids.hash().to_numpy(), np.flatnonzero(~self.dead)
        order = np.argsort(hashes[places], kind="stable")
        return hashes[places[order]], places[order]

    def named(self, places: IntArray) -> tuple[str, ...]:
        """Ids at these places."""
        if len(places) <= FEW:
            return tuple(self.ids[place] for place in places.tolist())
        return tuple(self.ids.gather(places).to_list())

    def find(self, ids: Iterable[str]) -> IntArray:
        """Places of these ids, -1 for those that are not here."""
        wanted = pl.Series(list(ids), dtype=pl.String)
        found: IntArray = np.full(len(wanted), ABSENT, dtype=np.int64)
        hashes, places = self._by_hash
        if not len(places):
            return found
        want = wanted.hash().to_numpy()
        at = np.minimum(np.searchsorted(hashes, want), len(hashes) - 1)
        same = np.flatnonzero(hashes[at] == want)
        real = (self.ids.gather(places[at[same]]) == wanted.gather(same)).to_numpy()
        found[same[real]] = places[at[same[real]]]
        return found


@dataclass
class Growing:
    """Places while documents are added and deleted."""

    before: Places | None = None
    place_of: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    dead: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.before is not None:
            alive = np.flatnonzero(~self.before.dead)
            self.place_of = dict(zip(self.before.ids.gather(alive).to_list(), alive.tolist(), strict=True))

    @property
    def first(self) -> int:
        """The place of the first document that is added."""
        return 0 if self.before is None else len(self.before.ids)

    def add(self, id_: str, length: int) -> int:
        """Give a document the next place."""
        if not isinstance(id_, str) or not id_:
            raise InputError(Fault("documents", "an id as text", repr(id_), "pass ids as strings"))
        if id_ in self.place_of:
            raise DuplicateError(Fault("documents", "each id once", f"{id_!r} again", "upsert it to replace it"))
        place = self.first + len(self.ids)
        self.place_of[id_] = place
        self.ids.append(id_)
        self.lengths.append(length)
        return place

    def delete(self, ids: Sequence[str]) -> list[int]:
        """Take out documents, and return their places; ids that are not here are passed over."""
        gone = [self.place_of.pop(id_) for id_ in ids if id_ in self.place_of]
        self.dead.update(gone)
        return gone

    def places(self) -> Places:
        """The places as they now are."""
        ids, lengths = pl.Series(self.ids, dtype=pl.String), np.array(self.lengths, dtype=np.uint32)
        if self.before is not None:
            ids, lengths = pl.concat([self.before.ids, ids]), np.concatenate([self.before.lengths, lengths])
        dead = np.zeros(len(ids), dtype=np.bool_)
        if self.before is not None:
            dead[: self.first] = self.before.dead
        dead[list(self.dead)] = True
        return Places(ids, lengths, dead)
