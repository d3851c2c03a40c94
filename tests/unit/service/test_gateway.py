"""The gateway over HTTP, on a real port: answers, refusals, limits, keys, metrics."""

from __future__ import annotations

import http.client
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import TypeAdapter

from rankgauge.retrieval.cache import AnswerCache
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.limits import Limits
from rankgauge.retrieval.stores import Memory
from rankgauge.service import replies
from rankgauge.service.asking import Bounds
from rankgauge.service.door import Key
from rankgauge.service.gateway import Room
from rankgauge.service.golden import Golden
from rankgauge.service.http import Manner
from service_worlds import Told, events, gateway_on, index_of, served, until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("animals") / "idx")


@pytest.fixture(scope="module")
def ask(folder):
    golden = Golden({"q1": "a small cat"})
    with served(gateway_on(folder, Told(), golden=golden), Manner(Bounds(k=20, body=2000, batch=3), watch=0)) as client:
        yield client


def test_an_answer_has_both_stages_scores_and_where_each_document_stood(ask, folder):
    got = ask.get("/search?query=a+small+cat&k=2")
    first = dict(Index.open(folder).retriever("bm25").search("a small cat", 10))
    assert list(first) == ["kitten", "cat", "dog", "fish"]
    assert (got.status, got.headers["x-rerank-state"]) == (200, "full")
    assert got.json["hits"] == [
        {"rank": 1, "id": "kitten", "first_rank": 1, "first_score": first["kitten"], "second_score": float(ord("k"))},
        {"rank": 2, "id": "fish", "first_rank": 4, "first_score": first["fish"], "second_score": float(ord("f"))},
    ]
    assert got.json["rerank"] == {"status": "full", "reason": "", "scored": 4, "depth": 10, "stage": "told"}
    assert got.json["query_id"] == "q1"
    assert got.json["seconds"].keys() == {"queue", "first", "second", "total"}


def test_the_same_search_by_address_and_by_body_has_the_same_hits(ask):
    by_address = ask.get("/search?query=cat&k=3&texts=1&allowed=cat&allowed=dog&query_id=mine").json
    by_body = ask.post(
        "/search", {"query": "cat", "k": 3, "texts": True, "allowed": ["cat", "dog"], "query_id": "mine"}
    )
    assert by_body.json["hits"] == by_address["hits"]
    assert by_body.ids == ["dog", "cat"]
    assert (by_address["hits"][1]["title"], by_address["hits"][1]["text"]) == ("Cats", "a cat sleeps on the mat")
    assert by_address["query_id"] == "mine"


def test_a_caller_may_ask_for_less_reranking(ask):
    got = ask.post("/search", {"query": "a small cat", "depth": 2})
    assert got.ids == ["kitten", "cat", "dog", "fish"]
    assert [hit["second_score"] for hit in got.json["hits"]] == [107.0, 99.0, None, None]
    assert ask.post("/search", {"query": "a small cat", "depth": 0}).json["rerank"]["status"] == "full"


def test_a_batch_is_answered_in_its_order(ask):
    got = ask.post("/search/batch", {"queries": ["fish", {"query": "dog", "k": 1}, "nothing here"], "k": 2})
    assert got.status == 200
    assert [[hit["id"] for hit in one["hits"]] for one in got.json["answers"]] == [["fish"], ["dog"], []]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("GET", "/search", None, 422, "address.query: expected a text, got nothing"),
        ("GET", "/search?query=x&k=21", None, 422, "address.k: expected 1 to 20, got 21; ask for fewer"),
        ("POST", "/search", b"{", 400, "body: expected JSON, got "),
        ("POST", "/search", b'{"query": "\xff"}', 400, "body: expected JSON, got "),
        ("POST", "/search", b"[" * 1900, 400, "body: expected JSON, got "),
        ("POST", "/search", b" " * 2001, 413, "body: expected at most 2,000 bytes, got more; send less at once"),
        ("POST", "/search/batch", b'{"queries": ["a", "b", "c", "d"]}', 422, "body.queries: expected 1 to 3 queries"),
        ("GET", "/nowhere", None, 404, "address: expected one of this gateway, got GET /nowhere"),
        ("DELETE", "/search", None, 405, "address: expected one of this gateway, got DELETE /search"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_its_reason(ask, method, path, body, status, said):
    got = ask(method, path, body)
    assert got.status == status
    assert got.json["error"].startswith(said)
    assert got.json["request_id"] == got.headers["x-request-id"]


def test_a_body_without_a_length_is_read_no_further_than_the_limit(ask):
    connection = http.client.HTTPConnection("127.0.0.1", ask.port, timeout=20)
    connection.request(
        "POST", "/search", iter([b" " * 1000] * 3), encode_chunked=True, headers={"Transfer-Encoding": "chunked"}
    )
    assert connection.getresponse().status == 413
    connection.close()


def test_a_trace_is_gone_on_with_and_the_callers_name_for_the_request_kept(ask):
    sent = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "x_request_id": "order-17"}
    got = ask.get("/search?query=cat", **sent)
    assert re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-01", got.headers["traceparent"])
    assert got.headers["x-request-id"] == got.json["request_id"] == "order-17"
    assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-00", ask.get("/nowhere").headers["traceparent"])


def test_bodies_are_those_that_openapi_describes(ask):
    described = ask.get("/openapi.json").json
    assert set(described["paths"]) == {
        "/search", "/search/batch", "/healthz", "/readyz", "/metrics", "/admin/reload"
    }  # fmt: skip
    bodies = {
        replies.SearchBody: ask.get("/search?query=cat&texts=1"), replies.ReadyBody: ask.get("/readyz"),
        replies.BatchBody: ask.post("/search/batch", {"queries": ["cat"]}), replies.ErrorBody: ask.get("/search"),
    }  # fmt: skip
    for shape, got in bodies.items():
        TypeAdapter(shape).validate_json(got.body, strict=True, extra="forbid")
    body = described["paths"]["/search"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]) == {"query", "k", "query_id", "depth", "texts", "allowed", "budget_ms"}
    named = {one["name"]: one["required"] for one in described["paths"]["/search"]["get"]["parameters"]}
    assert named == {name: name == "query" for name in body["properties"]}


def test_answers_are_not_to_be_kept_or_guessed_at_by_browsers(ask):
    headers = ask.get("/search?query=cat").headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_health_is_told_and_whether_searches_are_answered(ask):
    assert ask.get("/healthz").json == {"status": "ok"}
    assert ask.get("/readyz").json == {"ready": True, "generation": 1, "documents": 4, "breaker": "closed"}


def test_metrics_count_requests_answers_and_stages(folder):
    with served(gateway_on(folder, Told(), cache=AnswerCache(Memory()))) as ask:
        ask.get("/search?query=cat")
        ask.get("/search?query=cat")
        ask.get("/search?query=dog&depth=2")
        ask.get("/search")
        ask.get("/what/ever")
        assert ask.metric('rankgauge_request_seconds_count{path="/search",status="200"}') == 3
        assert ask.metric('rankgauge_request_seconds_count{path="/search",status="422"}') == 1
        assert ask.metric('rankgauge_request_seconds_count{path="other",status="404"}') == 1
        assert ask.metric('rankgauge_answers_total{reason="",status="full"}') == 3
        assert ask.metric('rankgauge_stage_seconds_count{stage="queue"}') == 3
        assert ask.metric('rankgauge_stage_seconds_count{stage="second"}') == 2
        assert ask.metric('rankgauge_cache_total{outcome="miss"}') == 2
        assert ask.metric('rankgauge_cache_total{outcome="exact"}') == 1
        assert ask.metric('rankgauge_breaker_state{state="closed"}') == 1
        assert ask.metric('rankgauge_breaker_state{state="open"}') == 0
        assert ask.metric("rankgauge_index_documents") == 4


def test_what_happened_is_told_as_lines_of_json(folder):
    gateway = gateway_on(folder, Told())
    with served(gateway) as ask:
        ask.get("/search?query=cat", x_request_id="one", traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
        ask.get("/healthz")
    told = [one for one in events(gateway) if one["event"] == "request"]
    assert len(told) == 1
    facts = {"method": "GET", "path": "/search", "status": 200, "request_id": "one", "trace_id": TRACE, "scored": 3}
    assert told[0].items() >= (facts | {"parent_id": "00f067aa0ba902b7", "state": "full", "level": "info"}).items()
    assert "cat" not in str(told)


def broken() -> None:
    raise RuntimeError("broken")


def test_a_reranker_that_fails_costs_the_second_stage_and_no_answer(folder):
    with served(gateway_on(folder, Told(broken))) as ask:
        states = [ask.get("/search?query=a+small+cat") for _ in range(12)]
        assert {one.status for one in states} == {200}
        assert [one.headers["x-rerank-state"] for one in states] == ["skipped;error"] * 10 + [
            "skipped;breaker_open"
        ] * 2
        assert all(one.json["degraded"] for one in states)
        assert states[0].ids == ["kitten", "cat", "dog", "fish"]
        assert ask.metric('rankgauge_answers_total{reason="breaker_open",status="skipped"}') == 2
        assert ask.metric('rankgauge_breaker_state{state="open"}') == 1
        assert ask.get("/readyz").json["breaker"] == "open"


def test_a_callers_own_budget_ends_the_second_stage(folder):
    go = threading.Event()
    with served(gateway_on(folder, Told(lambda: go.wait(20)))) as ask:
        got = ask.post("/search", {"query": "a small cat", "budget_ms": 50})
        go.set()
    assert (got.status, got.headers["x-rerank-state"]) == (200, "skipped;timeout")


def test_a_degraded_answer_is_never_remembered_and_a_full_one_is(folder):
    failing = threading.Event()
    failing.set()

    def sometimes() -> None:
        if failing.is_set():
            broken()

    with served(gateway_on(folder, Told(sometimes), cache=AnswerCache(Memory()))) as ask:
        first = ask.get("/search?query=small+cat").json
        failing.clear()
        second, third = (ask.get("/search?query=small+cat").json for _ in range(2))
    assert [one["cache"] for one in (first, second, third)] == ["miss", "miss", "exact"]
    assert [one["degraded"] for one in (first, second, third)] == [True, False, False]
    assert third["hits"] == second["hits"]
    assert "second" not in third["seconds"]


class Slow(AnswerCache):
    """A cache that waits: it stands for any first stage that is slow."""

    def __init__(self) -> None:
        super().__init__(Memory())
        self.go = threading.Event()

    def found(self, key):
        self.go.wait(20)
        return super().found(key)


def test_too_many_requests_are_sent_away_and_health_is_still_told(folder):
    slow = Slow()
    gateway = gateway_on(folder, cache=slow, room=Room(threads=2, waiting=1))
    with served(gateway) as ask, ThreadPoolExecutor(3) as callers:
        held = [callers.submit(ask.get, "/search?query=cat") for _ in range(3)]
        until(lambda: gateway.held == 3)
        away = ask.get("/search?query=cat")
        assert (away.status, away.headers["retry-after"]) == (503, "1")
        assert away.json["error"] == "gateway: expected room for a request, got 3 at work; come again in a second"
        assert ask.get("/healthz").status == 200
        assert ask.metric("rankgauge_in_flight") == 3
        slow.go.set()
        assert [one.result().status for one in held] == [200, 200, 200]
        assert ask.get("/search?query=cat").status == 200


def test_requests_that_wait_for_the_second_stage_take_no_thread_from_the_first(folder):
    go = threading.Event()
    gateway = gateway_on(folder, Told(lambda: go.wait(20)), room=Room(threads=1, waiting=0, budget=20.0),
                         limits=Limits(workers=1, waiting=1, budget=20.0))  # fmt: skip
    with served(gateway) as ask, ThreadPoolExecutor(2) as callers:
        held = [callers.submit(ask.get, "/search?query=cat") for _ in range(2)]
        until(lambda: gateway.parts.guard.standing().busy and gateway.parts.guard.standing().waiting)
        assert ask.get("/search?query=cat").headers["x-rerank-state"] == "skipped;queue_full"
        go.set()
        assert [one.result().headers["x-rerank-state"] for one in held] == ["full", "full"]


def test_with_a_key_only_health_is_told_without_it(folder):
    with served(gateway_on(folder), Manner(watch=0, key=Key("sesame"))) as ask:
        for path in ("/search?query=cat", "/", "/metrics", "/openapi.json", "/nowhere"):
            assert ask.get(path).status == 401
            assert ask.get(path, authorization="Bearer sesam").status == 401
        assert ask.get("/search?query=cat").headers["www-authenticate"].startswith("Basic ")
        assert ask.post("/admin/reload").status == 401
        assert [ask.get(path).status for path in ("/healthz", "/readyz")] == [200, 200]
        ways = {"authorization": "Bearer sesame"}, {"x_api_key": "sesame"}, {"authorization": "Basic OnNlc2FtZQ=="}
        assert [ask.get("/search?query=cat", **way).status for way in ways] == [200, 200, 200]
        assert ask.get("/search?query=cat", authorization="Basic %%%").status == 401


def test_a_fault_of_our_own_is_told_to_the_log_and_not_to_the_caller(folder, monkeypatch):
    gateway = gateway_on(folder)
    with served(gateway) as ask:
        monkeypatch.setattr(replies, "body_of", lambda found, request_id: 1 / 0)
        got = ask.get("/search?query=cat")
    assert (got.status, "Zero" in got.body.decode()) == (500, False)
    assert [one["fault"] for one in events(gateway) if one["level"] == "error"] == [
        "ZeroDivisionError: division by zero"
    ]


def test_without_a_second_stage_there_is_the_first(folder):
    with served(gateway_on(folder)) as ask:
        got = ask.get("/search?query=a+small+cat")
        assert got.json["rerank"] == {"status": "full", "reason": "", "scored": 0, "depth": 10, "stage": None}
        assert got.ids == ["kitten", "cat", "dog", "fish"]
        assert ask.get("/readyz").json["breaker"] is None


def test_requests_that_came_before_the_end_are_answered(folder):
    go = threading.Event()
    gateway = gateway_on(folder, Told(lambda: go.wait(20)))
    with ThreadPoolExecutor(1) as caller:
        with served(gateway) as ask:
            held = caller.submit(ask.get, "/search?query=cat")
            until(lambda: gateway.parts.guard.standing().busy)
            threading.Timer(0.2, go.set).start()
        assert held.result().headers["x-rerank-state"] == "full"
    assert not gateway.ready
