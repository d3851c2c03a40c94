"""Postings on disk: which documents hold a term, and how often; written in blocks, merged in bounded memory."""

from __future__ import annotations

import bisect
import shutil
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rankgauge.records._columns import IntArray

BLOCK = 4_000_000
"""Tokens that are held before they are written: about 100 MB with what sorting them takes."""

Counts = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Segment:
    """Terms in order of their bytes, and for each its documents by rising place.

    Attributes
    ----------
    terms : uint8[bytes], one term after the other
    ends : int64[T+1], where each begins and ends
    starts : int64[T+1], where each one's postings begin and end
    docs, tf : uint32[P]
    """

    terms: npt.NDArray[np.uint8]
    ends: IntArray
    starts: IntArray
    docs: Counts
    tf: Counts

    @classmethod
    def open(cls, folder: Path) -> Segment:
        """Map a segment's files into memory."""
        terms, ends, starts = (np.load(folder / f"{name}.npy") for name in ("terms", "ends", "starts"))
        docs, tf = (_opened(folder / f"{name}.npy", mapped=bool(starts[-1])) for name in ("docs", "tf"))
        return cls(terms, ends, starts, docs, tf)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def term(self, number: int) -> bytes:
        """One of the terms."""
        return self.terms[self.ends[number] : self.ends[number + 1]].tobytes()

    def postings(self, term: str) -> tuple[Counts, Counts]:
        """Places of the documents that hold the term, and how often each does."""
        wanted = term.encode(errors="surrogatepass")
        number = bisect.bisect_left(range(len(self)), wanted, key=self.term)
        if number == len(self) or self.term(number) != wanted:
            return self.docs[:0], self.tf[:0]
        at = slice(self.starts[number], self.starts[number + 1])
        return self.docs[at], self.tf[at]


def _opened(file: Path, *, mapped: bool) -> Counts:
    """Postings, mapped into memory; an array without numbers cannot be mapped."""
    numbers: Counts = np.load(file, mmap_mode="r") if mapped else np.load(file)
    return numbers


class Block:
    """Tokens that wait to be written as a segment."""

    def __init__(self) -> None:
        self.number_of: defaultdict[str, int] = defaultdict()
        self.number_of.default_factory = self.number_of.__len__
        self.numbers, self.places, self.lengths = array("I"), array("I"), array("I")

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, place: int, tokens: Sequence[str]) -> None:
        """Take in a document."""
        self.numbers.extend(map(self.number_of.__getitem__, tokens))
        self.places.append(place)
        self.lengths.append(len(tokens))

    def write(self, folder: Path) -> None:
        """Write the segment."""
        terms = [term.encode(errors="surrogatepass") for term in self.number_of]
        order = sorted(range(len(terms)), key=terms.__getitem__)
        rank = np.empty(len(terms), dtype=np.uint64)
        rank[order] = np.arange(len(terms), dtype=np.uint64)
        docs = np.repeat(np.asarray(self.places, dtype=np.uint64), np.asarray(self.lengths, dtype=np.int64))
        keys = rank[np.asarray(self.numbers, dtype=np.int64)] << np.uint64(32) | docs
        pairs, tf = np.unique(keys, return_counts=True)
        starts = np.searchsorted(pairs >> np.uint64(32), np.arange(len(terms) + 1, dtype=np.uint64))
        _write_terms(folder, [terms[number] for number in order], starts.astype(np.int64))
        np.save(folder / "docs.npy", (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32))
        np.save(folder / "tf.npy", tf.astype(np.uint32))


def _write_terms(folder: Path, terms: Sequence[bytes], starts: IntArray) -> None:
    folder.mkdir(parents=True)
    ends = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in terms], out=ends[1:])
    np.save(folder / "terms.npy", np.frombuffer(b"".join(terms), dtype=np.uint8))
    np.save(folder / "ends.npy", ends)
    np.save(folder / "starts.npy", starts)


def merge(segments: Sequence[Segment], dead: npt.NDArray[np.bool_], folder: Path) -> None:
    """Write several segments as one, without the postings of deleted documents.

    Segments follow each other by place, so that each term's postings are those of the first, then of the second.
    One segment's postings are held at a time.
    """
    terms = sorted({segment.term(number) for segment in segments for number in range(len(segment))})
    number_of = {term: number for number, term in enumerate(terms)}
    maps = [np.array([number_of[s.term(n)] for n in range(len(s))], dtype=np.int64) for s in segments]
    counts = np.zeros(len(terms), dtype=np.int64)
    for segment, mapped in zip(segments, maps, strict=True):
        counts[mapped] += _without(segment, dead)[1]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    _write_terms(folder, terms, starts)
    docs, tf = (_mapped(folder / f"{name}.npy", int(starts[-1])) for name in ("docs", "tf"))
    at = starts[:-1].copy()
    for segment, mapped in zip(segments, maps, strict=True):
        keep, per_term = _without(segment, dead)
        before = np.cumsum(per_term) - per_term
        target = np.repeat(at[mapped] - before, per_term) + np.arange(int(per_term.sum()))
        docs[target], tf[target] = segment.docs[keep], segment.tf[keep]
        at[mapped] += per_term


def _mapped(file: Path, size: int) -> Counts:
    """An array in a file; an empty one cannot be mapped, and has nothing to hold."""
    if not size:
        np.save(file, np.zeros(0, dtype=np.uint32))
        return np.zeros(0, dtype=np.uint32)
    mapped: Counts = np.lib.format.open_memmap(file, mode="w+", dtype=np.uint32, shape=(size,))
    return mapped


def _without(segment: Segment, dead: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """Which postings are of documents that are not deleted, and how many of these each term has."""
    keep = ~dead[segment.docs]
    upto = np.concatenate([[0], np.cumsum(keep)])
    return keep, np.diff(upto[segment.starts])


def remove(folder: Path) -> None:
    """Delete a segment that nothing names any more; whoever has it open keeps it."""
    shutil.rmtree(folder, ignore_errors=True)
