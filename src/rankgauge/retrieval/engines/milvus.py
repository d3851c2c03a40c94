"""Milvus as a first stage by vectors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits

MOST = 16_384
"""Hits that Milvus gives at a time, at most."""


@dataclass(frozen=True, eq=False)
class MilvusVectors:
    """Entities near the query's vector.

    Attributes
    ----------
    client : an open `MilvusClient`
    collection : its name
    id_field : VARCHAR field of the document's id, the primary key or another
    field : the vector field
    metric : as the index has it; distances (L2) are turned round, so that higher is better
    where : a filter of one's own, in Milvus' words
    """

    client: Any
    collection: str
    embedder: Embedder
    id_field: str = "id"
    field: str = "vector"
    metric: Literal["COSINE", "IP", "L2"] = "COSINE"
    where: str = ""
    name: str = "milvus"

    def __len__(self) -> int:
        with asking(self.name):
            found = self.client.query(self.collection, filter=self.where, output_fields=["count(*)"])
            return int(found[0]["count(*)"])

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits; only among the allowed ids where these are given."""
        checked_k(k, self.name, MOST)
        vector = self.embedder.embed([query], kind="query")[0].tolist()
        with asking(self.name):
            [found] = self.client.search(
                self.collection, data=[vector], anns_field=self.field, limit=k, filter=self._filter(allowed),
                output_fields=[self.id_field], search_params={"metric_type": self.metric},
            )  # fmt: skip
        sign = -1.0 if self.metric == "L2" else 1.0
        return hits_of(((hit["entity"].get(self.id_field), sign * hit["distance"]) for hit in found), k, self.name)

    def _filter(self, allowed: frozenset[str] | None) -> str:
        if allowed is None:
            return self.where
        among = f"{self.id_field} in {json.dumps(sorted(allowed), ensure_ascii=False)}"
        return f"({self.where}) and {among}" if self.where else among
