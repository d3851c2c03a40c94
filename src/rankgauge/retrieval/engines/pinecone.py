"""Pinecone as a first stage by vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits

MOST = 10_000
"""Hits that Pinecone gives at a time, at most."""


@dataclass(frozen=True, eq=False)
class PineconeVectors:
    """Records near the query's vector; Pinecone's ids are text, and are the documents'.

    Attributes
    ----------
    index : an open index of Pinecone's client
    id_field : metadata field of the document's id; by default the record's own id
    allowed_field : metadata field that holds the id too, which a restriction to allowed ids needs
    where : a metadata filter of one's own
    distance : whether the index's metric is a distance (euclidean), where lower is better
    """

    index: Any
    embedder: Embedder
    id_field: str | None = None
    allowed_field: str = "doc_id"
    where: Mapping[str, Any] | None = None
    namespace: str = ""
    distance: bool = False
    name: str = "pinecone"

    def __len__(self) -> int:
        with asking(self.name):
            return int(self.index.describe_index_stats().total_vector_count)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits; only among the allowed ids where these are given."""
        checked_k(k, self.name, MOST)
        vector = self.embedder.embed([query], kind="query")[0].tolist()
        with asking(self.name):
            found = self.index.query(
                vector=vector, top_k=k, namespace=self.namespace, include_metadata=self.id_field is not None,
                filter=self._filter(allowed),
            ).matches  # fmt: skip
        sign = -1.0 if self.distance else 1.0
        return hits_of(((self._id(match), sign * match.score) for match in found), k, self.name)

    def _id(self, match: Any) -> object:
        return match.id if self.id_field is None else (match.metadata or {}).get(self.id_field)

    def _filter(self, allowed: frozenset[str] | None) -> dict[str, Any] | None:
        own = None if self.where is None else dict(self.where)
        if allowed is None:
            return own
        among = {self.allowed_field: {"$in": sorted(allowed)}}
        return among if own is None else {"$and": [own, among]}
