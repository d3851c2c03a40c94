"""Tests of the client of rerank APIs, against a server on this machine that answers as it is told."""

from __future__ import annotations

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from rankgauge.errors import EngineError, InputError
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import ByText, rerank
from rankgauge.retrieval.rerank_api import KEY, load_rerank_api
from rankgauge.retrieval.stages import load_stage


class Server:
    """Scores a text by its length, shuffled by score as the real API does, once the waiting answers are used up."""

    def __init__(self) -> None:
        self.asked: list[dict] = []
        self.headers: list[dict] = []
        self.answers: list[tuple[int, str, dict]] = []
        self.silent, self.over = threading.Event(), threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.asked.append(body)
                owner.headers.append(dict(self.headers))
                if owner.silent.is_set():
                    owner.over.wait(10)
                    return
                status, text, headers = owner.answers.pop(0) if owner.answers else (200, ranked(body), {})
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text.encode())), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}/v2/rerank"


def ranked(body):
    """What Cohere's API answers: the best first, each with its place in the request."""
    scores = [len(text) / 100 for text in body["documents"]]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    results = [{"index": place, "relevance_score": scores[place]} for place in order]
    return json.dumps({"id": "x", "results": results, "meta": {"api_version": {"version": "2"}}})


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    found = Server()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.01,))
    thread.start()
    yield found
    found.over.set()
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def test_scores_come_back_in_the_order_of_the_texts(server):
    api = load_rerank_api(server.url, model="rerank-v3.5", key="secret", more={"max_tokens_per_doc": 512})
    assert api.scores("how", ["long text", "", "short"]).tolist() == [0.09, 0.0, 0.05]
    wanted = {"model": "rerank-v3.5", "query": "how", "documents": ["long text", "", "short"], "top_n": 3}
    assert server.asked == [wanted | {"max_tokens_per_doc": 512}]
    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert "secret" not in repr(api)
    assert api.name == f"rerank-v3.5@{server.host}"


def test_a_list_longer_than_a_batch_is_sent_in_several_requests(server):
    api = load_rerank_api(server.url, batch=2)
    assert api.scores("q", ["a", "bb", "ccc", "dddd", "eeeee"]).tolist() == [0.01, 0.02, 0.03, 0.04, 0.05]
    assert [len(body["documents"]) for body in server.asked] == [2, 2, 1]
    assert "model" not in server.asked[0]
    assert api.scores("q", []).tolist() == [] and len(server.asked) == 3


def test_the_key_comes_from_the_environment_and_from_nowhere_else(server, monkeypatch):
    load_rerank_api(server.url).scores("q", ["a"])
    monkeypatch.setenv(KEY, "from-outside")
    load_rerank_api(server.url).scores("q", ["a"])
    assert [headers.get("Authorization") for headers in server.headers] == [None, "Bearer from-outside"]


def test_it_is_a_second_stage_by_its_address(server):
    stage = load_stage(f"{server.url}#tiny")
    assert isinstance(stage, ByText) and stage.name == f"tiny@{server.host}"
    hits = Hits(("a", "b", "c"), np.array([3.0, 2.0, 1.0]))
    found = rerank(stage, "q", hits, lambda docs: [{"a": "x", "b": "xxx", "c": "xxxxxx"}[doc] for doc in docs], depth=2)
    assert found.hits.docs == ("b", "a", "c")
    assert server.asked[0]["model"] == "tiny"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(server, status):
    server.answers = [(status, "busy", {}), (status, "busy", {"Retry-After": "0"})]
    assert load_rerank_api(server.url, wait=0.0).scores("q", ["ab"]).tolist() == [0.02]
    assert len(server.asked) == 3


def test_after_the_last_attempt_the_servers_words_are_told(server):
    server.answers = [(503, "overloaded", {})] * 3
    with pytest.raises(EngineError, match=r"/v2/rerank: expected scores, got 503: 'overloaded'"):
        load_rerank_api(server.url, wait=0.0, attempts=2).scores("q", ["a"])
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [400, 401, 422])
def test_a_refusal_is_not_tried_again(server, status):
    server.answers = [(status, "invalid token", {})] * 3
    with pytest.raises(EngineError, match=f"got {status}: 'invalid token'"):
        load_rerank_api(server.url, wait=0.0, key="secret").scores("q", ["a"])
    assert len(server.asked) == 1


def test_a_wait_beyond_the_patience_is_not_begun(server):
    server.answers = [(429, "later", {"Retry-After": "3600"})]
    with pytest.raises(EngineError, match="got 429: 'later'"):
        load_rerank_api(server.url).scores("q", ["a"])
    assert len(server.asked) == 1


def test_a_server_that_says_nothing_costs_no_more_than_the_patience(server):
    server.silent.set()
    with pytest.raises(EngineError, match="expected scores, got ReadTimeout"):
        load_rerank_api(server.url, patience=0.2, wait=0.0).scores("q", ["a"])
    assert len(server.asked) == 1


def test_each_attempt_has_its_own_limit(server):
    server.silent.set()
    with pytest.raises(EngineError, match="got ReadTimeout"):
        load_rerank_api(server.url, timeout=0.05, attempts=3, wait=0.0).scores("q", ["a"])
    assert len(server.asked) == 3


def test_nobody_at_the_address(server):
    # A reserved port of this machine, where nothing listens.
    with pytest.raises(EngineError, match=r"http://127\.0\.0\.1:1/rerank: expected scores, got ConnectError"):
        load_rerank_api("http://127.0.0.1:1/rerank", wait=0.0).scores("q", ["a"])


@pytest.mark.parametrize(
    "answer",
    [
        "<html>",
        "[]",
        "null",
        '{"results": 3}',
        '{"results": [{"index": 0}]}',
        '{"results": [{"index": 2, "relevance_score": 1}]}',
        '{"results": [{"index": -1, "relevance_score": 1}]}',
        '{"results": [{"index": 0, "relevance_score": "high"}]}',
        '{"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}]}',
    ],
)
def test_an_answer_of_another_shape_is_refused(server, answer):
    server.answers = [(200, answer, {})]
    with pytest.raises(EngineError, match=r"expected results with index and relevance_score, got .*; is it the url"):
        load_rerank_api(server.url).scores("q", ["a", "b"])


@pytest.mark.parametrize("score", ["NaN", "Infinity", None])
def test_every_text_needs_a_finite_score(server, score):
    rows = ['{"index": 0, "relevance_score": 1}'] + ([f'{{"index": 1, "relevance_score": {score}}}'] if score else [])
    server.answers = [(200, f'{{"results": [{", ".join(rows)}]}}', {})]
    with pytest.raises(EngineError, match="expected a finite score for each text, got 1 of 2"):
        load_rerank_api(server.url).scores("q", ["a", "b"])


def test_the_key_does_not_follow_a_redirect(server):
    server.answers = [(302, "", {"Location": f"http://{server.host}/elsewhere"})]
    with pytest.raises(EngineError, match="got 302"):
        load_rerank_api(server.url, key="secret").scores("q", ["a"])
    assert len(server.asked) == 1


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(InputError, match="expected an address that begins with http:// or https://, got 'ftp://x'"):
        load_rerank_api("ftp://x")


def test_texts_that_are_none_are_refused(server):
    with pytest.raises(InputError, match="text 2: expected a text, got nan"):
        load_rerank_api(server.url).scores("q", ["a", math.nan])
    assert server.asked == []
