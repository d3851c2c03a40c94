"""Elasticsearch's and OpenSearch's clients, against a server that speaks their documented JSON."""

from __future__ import annotations

import pytest

from engine_worlds import IDS, VECTORS, Ahead, speaking
from rankgauge.errors import EngineError, InputError
from rankgauge.retrieval.engines.elastic import ElasticVectors, ElasticWords

elasticsearch = pytest.importorskip("elasticsearch")
opensearchpy = pytest.importorskip("opensearchpy")
PRODUCT = {"x-elastic-product": "Elasticsearch"}


def hit(number):
    return {"_index": "docs", "_id": IDS[number], "_score": 9.5 - number, "_source": {"meta": {"id": f"m{number}"}}}


class Server:
    """Keeps what it was asked, and answers with all documents, or with what it was told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict]] = []
        self.more: dict = {}

    def __call__(self, method, path, body):
        path = path.split("?")[0]
        self.asked.append((path, body))
        if path == "/docs/_count":
            return 200, {"count": len(IDS), "_shards": {"total": 1, "successful": 1, "failed": 0}}
        if path == "/docs/_search":
            hits = [hit(number) for number in range(min(body["size"], len(IDS)))]
            shards = {"total": 1, "successful": 1, "failed": 0}
            return 200, {"took": 1, "timed_out": False, "_shards": shards, "hits": {"hits": hits}} | self.more
        error = {"type": "index_not_found_exception", "reason": f"no such index [{path}]"}
        return 404, {"error": {"root_cause": [error], **error}, "status": 404}


@pytest.fixture
def server():
    return Server()


@pytest.fixture(params=["elasticsearch", "opensearch"])
def client(request, server):
    with speaking(server, PRODUCT) as address:
        make = elasticsearch.Elasticsearch if request.param == "elasticsearch" else opensearchpy.OpenSearch
        with make(address) as client:
            client.dialect = request.param
            yield client


def test_words_are_asked_for_in_the_fields_and_ids_come_back_as_they_are(client, server):
    engine = ElasticWords(client, "docs", fields=["title^2", "text"])
    found = engine.search("card refund", 100)
    assert found.docs == tuple(IDS)
    assert found.scores.tolist() == [9.5 - number for number in range(len(IDS))]
    body = server.asked[-1][1]
    must = {"multi_match": {"query": "card refund", "fields": ["title^2", "text"]}}
    assert body == {"query": {"bool": {"must": [must], "filter": []}}, "size": 100, "_source": False}
    assert len(engine) == len(IDS)


def test_filters_and_ids_of_ones_own_field(client, server):
    where = {"term": {"language": "vi"}}
    engine = ElasticWords(client, "docs", id_field="meta.id", where=where)
    assert engine.search("q", 2, allowed=frozenset(["m1", "m0"])).docs == ("m0", "m1")
    body = server.asked[-1][1]
    assert body["query"]["bool"]["filter"] == [where, {"terms": {"meta.id": ["m0", "m1"]}}]
    assert body["_source"] == ["meta.id"]
    ElasticWords(client, "docs").search("q", 2, allowed=frozenset(["b", "a"]))
    assert server.asked[-1][1]["query"]["bool"]["filter"] == [{"ids": {"values": ["a", "b"]}}]


def test_vectors_in_either_dialect(client, server):
    engine = ElasticVectors(client, "docs", Ahead(), dialect=client.dialect)
    assert engine.search("q", 3, allowed=frozenset(["a"])).docs == tuple(IDS[:3])
    body, vector, among = server.asked[-1][1], VECTORS[0].tolist(), [{"ids": {"values": ["a"]}}]
    if client.dialect == "elasticsearch":
        knn = {"field": "vector", "query_vector": vector, "k": 3, "num_candidates": 6, "filter": among}
        assert body == {"knn": knn, "size": 3, "_source": False}
    else:
        near = {"vector": vector, "k": 3, "filter": {"bool": {"filter": among}}}
        assert body == {"query": {"knn": {"vector": near}}, "size": 3, "_source": False}


def test_more_than_the_window_is_refused_before_anything_is_asked(client, server):
    with pytest.raises(InputError, match="elastic-words: expected a k of at most 10,000, got 10,001"):
        ElasticWords(client, "docs").search("q", 10_001)
    assert server.asked == []


def test_an_index_that_is_not_there_and_a_part_that_does_not_answer_are_told(client, server):
    with pytest.raises(EngineError, match="elastic-words: expected an answer, got NotFoundError"):
        ElasticWords(client, "nowhere").search("q", 1)
    server.more = {"timed_out": True}
    with pytest.raises(EngineError, match="part of the index did not answer"):
        ElasticWords(client, "docs").search("q", 1)
    server.more = {"_shards": {"total": 2, "successful": 1, "failed": 1}}
    with pytest.raises(EngineError, match=r"part of the index did not answer \(1 shards failed\)"):
        ElasticWords(client, "docs").search("q", 1)
