"""Qdrant's client in its local mode: the same calls as to a server."""

from __future__ import annotations

import pytest

from engine_worlds import COSINES, IDS, VECTORS, Ahead
from rankgauge.errors import EngineError, InputError
from rankgauge.retrieval.engines.qdrant import QdrantVectors

qdrant_client = pytest.importorskip("qdrant_client")


@pytest.fixture
def client():
    models, client = qdrant_client.models, qdrant_client.QdrantClient(":memory:")
    client.create_collection("docs", vectors_config=models.VectorParams(size=3, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=number, vector=vector, payload={"doc_id": id_, "even": number % 2 == 0})
        for number, (id_, vector) in enumerate(zip(IDS, VECTORS.tolist(), strict=True))
    ]
    client.upsert("docs", points)
    yield client
    client.close()


def test_ids_come_from_the_payload_and_scores_are_cosines(client):
    engine = QdrantVectors(client, "docs", Ahead())
    found = engine.search("anything", 100)
    assert found.docs == tuple(IDS)
    assert found.scores == pytest.approx(COSINES, abs=1e-6)
    assert len(engine) == len(IDS)


def test_only_allowed_ids_with_a_filter_of_ones_own(client):
    models = qdrant_client.models
    even = models.Filter(must=[models.FieldCondition(key="even", match=models.MatchValue(value=True))])
    engine = QdrantVectors(client, "docs", Ahead(), where=even)
    assert engine.search("q", 9).docs == tuple(IDS[::2])
    assert engine.search("q", 9, allowed=frozenset(["7", "007"])).docs == ("7",)
    assert QdrantVectors(client, "docs", Ahead()).search("q", 9, allowed=frozenset(["7", "007"])).docs == ("007", "7")


def test_points_without_the_field_are_refused(client):
    with pytest.raises(InputError, match="qdrant, hit 1: expected the id of a document, got None; name the field"):
        QdrantVectors(client, "docs", Ahead(), id_field="other").search("q", 1)


def test_a_collection_that_is_not_there_is_told(client):
    with pytest.raises(EngineError, match="qdrant: expected an answer, got ValueError: Collection nowhere not found"):
        QdrantVectors(client, "nowhere", Ahead()).search("q", 1)
