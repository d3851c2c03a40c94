"""What a cache of answers must offer, and what an answer depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rankgauge.retrieval.pipeline import Answer


@dataclass(frozen=True)
class Key:
    """All that an answer depends on: answers of equal keys are equal.

    Attributes
    ----------
    query : as it was asked; a cache may take several texts for one
    generation : of the index, unlike that of any other
    first, second : names of both stages; no second one is ""
    """

    query: str
    k: int
    depth: int
    allowed: frozenset[str] | None
    generation: str
    first: str
    second: str


class Cache(Protocol):
    """Remembers answers. It is never handed a degraded one, and its faults are its own: neither call raises."""

    def get(self, key: Key) -> Answer | None:
        """The answer that was kept for this key, or None."""
        ...

    def put(self, key: Key, answer: Answer) -> None:
        """Keep an answer."""
        ...
