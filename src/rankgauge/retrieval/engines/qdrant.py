"""Qdrant as a first stage by vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankgauge._extras import optional
from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits


@dataclass(frozen=True, eq=False)
class QdrantVectors:
    """Points near the query's vector.

    Qdrant's own ids are numbers and UUIDs, so that the document's id is taken from the payload.

    Attributes
    ----------
    client : an open `QdrantClient`
    collection : its name
    id_field : payload field of the document's id
    vector : name of the vector, where the collection has several
    where : a `models.Filter` of one's own, which the allowed ids are added to
    """

    client: Any
    collection: str
    embedder: Embedder
    id_field: str = "doc_id"
    vector: str | None = None
    where: Any = None
    name: str = "qdrant"

    def __len__(self) -> int:
        with asking(self.name):
            return int(self.client.count(self.collection, exact=True).count)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits; only among the allowed ids where these are given."""
        checked_k(k, self.name)
        vector = self.embedder.embed([query], kind="query")[0].tolist()
        with asking(self.name):
            points = self.client.query_points(
                self.collection, query=vector, limit=k, using=self.vector, with_payload=[self.id_field],
                query_filter=self._filter(allowed),
            ).points  # fmt: skip
        return hits_of((((point.payload or {}).get(self.id_field), point.score) for point in points), k, self.name)

    def _filter(self, allowed: frozenset[str] | None) -> Any:
        if allowed is None:
            return self.where
        models = optional("qdrant_client.models", "searching Qdrant", "qdrant")
        among = models.FieldCondition(key=self.id_field, match=models.MatchAny(any=sorted(allowed)))
        return models.Filter(must=[among] if self.where is None else [among, self.where])
