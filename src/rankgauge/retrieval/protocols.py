"""What the parts of retrieval owe each other: hits, and the protocols of everything that can be exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from rankgauge.records._columns import FloatArray

Vectors = npt.NDArray[np.float32]
TextKind = Literal["query", "document"]


@dataclass(frozen=True)
class Document:
    """A document to be indexed: its id, the text that is searched, its title, and fields that filters can use."""

    id: str
    text: str
    title: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def whole(self) -> str:
        """The title and the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, eq=False)
class Hits:
    """What one query got, best first: `docs` and `scores` float64[n], by falling score, then by rising place."""

    docs: tuple[str, ...]
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.docs)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.docs, self.scores.tolist(), strict=True)

    def top(self, k: int) -> Hits:
        """Return the first k hits."""
        return Hits(self.docs[:k], self.scores[:k])


class Tokenizer(Protocol):
    """Texts to tokens; `name` and `version` together say which tokens, and stand in an index's manifest."""

    @property
    def name(self) -> str:
        """What it is called in runs and manifests."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the tokens of any text change."""
        ...

    def __call__(self, text: str) -> list[str]:
        """Tokens of a text, in order."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """A first stage: the best k documents for a query."""

    @property
    def name(self) -> str:
        """What it is called in runs and manifests."""
        ...

    def __len__(self) -> int:
        """Number of documents that can be found."""
        ...

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits, fewer where fewer documents match; only among the allowed ids where these are given."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str:
        """What it is called in runs and manifests."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Vectors float32[n, dimension] of length 1, in the order of the texts."""
        ...


class Reranker(Protocol):
    """A second stage: how well each text answers the query, higher is better."""

    @property
    def name(self) -> str:
        """What it is called in runs and manifests."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> FloatArray:
        """Scores float64[n], finite, in the order of the texts; one text's score does not depend on the others."""
        ...


class Counted(Protocol):
    """Scores float64[n] of texts, and how many of the texts were cut to a limit of tokens."""

    @property
    def scores(self) -> FloatArray:
        """In the order of the texts."""
        ...

    @property
    def cut(self) -> int:
        """How many of the texts were cut."""
        ...


@runtime_checkable
class CountingReranker(Reranker, Protocol):
    """A second stage that also tells how many texts it saw only the beginning of."""

    def scored(self, query: str, texts: Sequence[str]) -> Counted:
        """Like `scores`, with the count of the texts that were cut."""
        ...
