"""Pinecone's client, against a server that speaks its documented JSON."""

from __future__ import annotations

import pytest

from engine_worlds import COSINES, IDS, VECTORS, Ahead, speaking
from rankgauge.errors import EngineError
from rankgauge.retrieval.engines.pinecone import PineconeVectors

pinecone = pytest.importorskip("pinecone")


class Server:
    """Keeps what it was asked, and answers with the first of all records."""

    def __init__(self) -> None:
        self.asked: list[dict] = []
        self.status = 200

    def __call__(self, method, path, body):
        if self.status != 200:
            return self.status, {"code": 3, "message": "Vector dimension 3 does not match", "details": []}
        if path.startswith("/describe_index_stats"):
            return 200, {"namespaces": {}, "dimension": 3, "indexFullness": 0, "totalVectorCount": len(IDS)}
        self.asked.append(body)
        matches = [
            {"id": id_, "score": float(score), "values": [], "metadata": {"own": f"own {id_}"}}
            for id_, score in zip(IDS, COSINES, strict=True)
        ]
        return 200, {"matches": matches[: body["topK"]], "namespace": "", "usage": {"readUnits": 1}}


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def index(server):
    with speaking(server) as address:
        yield pinecone.Pinecone(api_key="none").Index(host=address)


def test_ids_and_scores_come_back_as_they_are(index, server):
    engine = PineconeVectors(index, Ahead(), namespace="n")
    found = engine.search("q", 100)
    assert found.docs == tuple(IDS)
    assert found.scores == pytest.approx(COSINES, abs=1e-6)
    assert server.asked[-1]["vector"] == pytest.approx(VECTORS[0].tolist())
    assert (server.asked[-1]["topK"], server.asked[-1]["namespace"]) == (100, "n")
    assert len(engine) == len(IDS)


def test_filters_and_ids_from_metadata(index, server):
    engine = PineconeVectors(index, Ahead(), id_field="own", where={"language": {"$eq": "vi"}})
    assert engine.search("q", 1, allowed=frozenset(["b", "a"])).docs == ("own doc-7",)
    assert server.asked[-1]["filter"] == {"$and": [{"language": {"$eq": "vi"}}, {"doc_id": {"$in": ["a", "b"]}}]}
    assert server.asked[-1]["includeMetadata"] is True


def test_a_refusal_is_told(index, server):
    server.status = 400
    with pytest.raises(EngineError, match="pinecone: expected an answer, got "):
        PineconeVectors(index, Ahead()).search("q", 1)
