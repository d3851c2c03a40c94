"""Elasticsearch and OpenSearch as first stages: by words, or by vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits

WINDOW = 10_000
"""Hits that both give at most, unless `index.max_result_window` says otherwise."""
CANDIDATES = 2
"""Candidates per shard that a vector search looks at, for each hit that is wanted."""

Filter = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ElasticWords:
    """Documents that hold the query's words, by the engine's own BM25; Elasticsearch's client or OpenSearch's.

    Attributes
    ----------
    client : an open client of either
    index : name of the index
    fields : that are searched, with weights if wanted: "title^2"
    id_field : field of the id; by default the document's own `_id`
    where : a filter of one's own, in the engine's words
    window : the index's `max_result_window`
    """

    client: Any
    index: str
    fields: Sequence[str] = ("title", "text")
    id_field: str = "_id"
    where: Filter | None = None
    window: int = WINDOW
    name: str = "elastic-words"

    def __len__(self) -> int:
        with asking(self.name):
            return int(self.client.count(index=self.index)["count"])

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits, fewer where fewer documents match; only among the allowed ids where these are given."""
        must = {"multi_match": {"query": query, "fields": list(self.fields)}}
        asked = {"bool": {"must": [must], "filter": _filters(self.where, allowed, self.id_field)}}
        return _searched(self, {"query": asked}, k)


@dataclass(frozen=True, eq=False)
class ElasticVectors:
    """Documents near the query's vector: Elasticsearch's `knn` (a `dense_vector`), or OpenSearch's (a `knn_vector`)."""

    client: Any
    index: str
    embedder: Embedder
    field: str = "vector"
    dialect: Literal["elasticsearch", "opensearch"] = "elasticsearch"
    id_field: str = "_id"
    where: Filter | None = None
    window: int = WINDOW
    name: str = "elastic-vectors"

    def __len__(self) -> int:
        with asking(self.name):
            return int(self.client.count(index=self.index)["count"])

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits; only among the allowed ids where these are given."""
        vector = self.embedder.embed([query], kind="query")[0].tolist()
        filters = _filters(self.where, allowed, self.id_field)
        if self.dialect == "elasticsearch":
            wide = min(self.window, CANDIDATES * k)
            knn: dict[str, Any] = {"field": self.field, "query_vector": vector, "k": k, "num_candidates": wide}
            return _searched(self, {"knn": knn | ({"filter": filters} if filters else {})}, k)
        near = {"vector": vector, "k": k} | ({"filter": {"bool": {"filter": filters}}} if filters else {})
        return _searched(self, {"query": {"knn": {self.field: near}}}, k)


def _filters(where: Filter | None, allowed: frozenset[str] | None, id_field: str) -> list[Filter]:
    filters = [] if where is None else [where]
    if allowed is None:
        return filters
    ids = sorted(allowed)
    return [*filters, {"ids": {"values": ids}} if id_field == "_id" else {"terms": {id_field: ids}}]


def _searched(engine: ElasticWords | ElasticVectors, body: dict[str, Any], k: int) -> Hits:
    checked_k(k, engine.name, engine.window)
    wanted = False if engine.id_field == "_id" else [engine.id_field]
    with asking(engine.name):
        said = engine.client.search(index=engine.index, body={**body, "size": k, "_source": wanted})
        found = said["hits"]["hits"]
    if said.get("timed_out") or said.get("_shards", {}).get("failed"):
        failed = said.get("_shards", {}).get("failed", 0)
        with asking(engine.name):
            raise TimeoutError(f"part of the index did not answer ({failed} shards failed)")
    pairs = ((_id(hit, engine.id_field), hit["_score"]) for hit in found)
    return hits_of(pairs, k, engine.name)


def _id(hit: Mapping[str, Any], field: str) -> object:
    if field == "_id":
        return hit["_id"]
    inner: object = hit.get("_source", {})
    for part in field.split("."):
        inner = inner.get(part) if isinstance(inner, Mapping) else None
    return inner
