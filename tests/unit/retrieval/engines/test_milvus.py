"""Milvus Lite: a real file, the client's own server."""

from __future__ import annotations

import pytest

from engine_worlds import COSINES, IDS, VECTORS, Ahead
from rankgauge.errors import EngineError
from rankgauge.retrieval.engines.milvus import MilvusVectors

pymilvus = pytest.importorskip("pymilvus")
pytest.importorskip("milvus_lite")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    client = pymilvus.MilvusClient(str(tmp_path_factory.mktemp("milvus") / "m.db"))
    for name, metric in (("docs", "COSINE"), ("far", "L2")):
        client.create_collection(name, dimension=3, id_type="string", max_length=100, metric_type=metric)
        client.insert(name, [{"id": i, "vector": v} for i, v in zip(IDS, VECTORS.tolist(), strict=True)])
        client.load_collection(name)
    yield client
    client.close()


def test_ids_come_back_as_they_are_and_scores_are_cosines(client):
    engine = MilvusVectors(client, "docs", Ahead())
    found = engine.search("anything", 100)
    assert found.docs == tuple(IDS)
    assert found.scores == pytest.approx(COSINES, abs=1e-5)
    assert len(engine) == len(IDS)


def test_distances_are_turned_round(client):
    found = MilvusVectors(client, "far", Ahead(), metric="L2").search("q", 3)
    assert found.docs == tuple(IDS[:3])
    assert found.scores[0] == pytest.approx(0, abs=1e-6)


def test_only_allowed_ids(client):
    engine = MilvusVectors(client, "docs", Ahead())
    assert engine.search("q", 9, allowed=frozenset(["ключ é", "7"])).docs == ("7", "ключ é")
    engine = MilvusVectors(client, "docs", Ahead(), where='id != "7"')
    assert engine.search("q", 9, allowed=frozenset(["ключ é", "7"])).docs == ("ключ é",)


def test_a_collection_that_is_not_there_is_told(client):
    with pytest.raises(EngineError, match="milvus: expected an answer, got "):
        MilvusVectors(client, "nowhere", Ahead()).search("q", 1)
