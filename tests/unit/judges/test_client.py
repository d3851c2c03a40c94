"""Tests of the client on real connections: what is retried, what is not, what is paid, and what ends a run."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from judge_worlds import Says, server
from rankgauge.errors import EngineError, MethodError
from rankgauge.judges import client as clients
from rankgauge.judges.asking import Failed, Message, Reply, Request
from rankgauge.judges.client import Manner, open_model
from rankgauge.judges.ledger import Ledger
from rankgauge.judges.prices import Price


def ask(text, **how):
    return Request((Message("user", text),), "test@1", **how)


def asked(*texts, **how):
    return [ask(text, **how) for text in texts]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(clients, "FIRST_WAIT", 0.01)


def texts_of(found):
    return [one.text if isinstance(one, Reply) else one.reason for one in found]


def test_answers_come_in_the_order_of_the_requests_and_equal_ones_are_asked_once():
    with server(lambda body, _: body["messages"][-1]["content"].upper()) as told:
        model = open_model(url=told.address, model="m")
        assert texts_of(model.ask(asked("a", "b", "a", "c"))) == ["A", "B", "A", "C"]
    assert sorted(told.texts()) == ["a", "b", "c"]


def test_what_was_answered_is_not_asked_again(tmp_path):
    with server(lambda body, _: "yes") as told:
        for texts in (["a", "b"], ["b", "c"]):
            model = open_model(url=told.address, model="m", ledger=tmp_path / "l")
            found = model.ask(asked(*texts))
        assert [one.known for one in found] == [True, False]
    assert sorted(told.texts()) == ["a", "b", "c"]
    replay = open_model(url=f"replay:{told.address}", model="m", ledger=tmp_path / "l")
    assert texts_of(replay.ask(asked("a", "c", "d"))) == ["yes", "yes", "not_in_replay"]


def test_the_reported_server():
    """Case rate-limit-and-timeout: item 4 is rate-limited once, 5 hangs, 6 breaks twice."""

    def answer(body, before):
        item = body["messages"][-1]["content"]
        if item == "4" and before == 0:
            return Says(status=429, text="slow down", headers={"retry-after": "1"})
        if item == "5":
            return Says(delay=60)
        if item == "6" and before < 2:
            return Says(status=500, text="oops")
        return "1"

    with server(answer) as told:
        model = open_model(url=told.address, model="m", patience=0.5)
        found = model.ask(asked(*map(str, range(1, 11))))
    assert [type(one) for one in found].count(Reply) == 9
    assert found[4] == Failed("timeout", "no answer within 0.5 s")
    calls = [told.texts().count(str(item)) for item in range(1, 11)]
    assert calls == [1, 1, 1, 2, 3, 3, 1, 1, 1, 1]
    first, second = (at for at, text in zip(told.at, told.texts(), strict=True) if text == "4")
    assert second - first >= 1.0


def test_nothing_is_sent_before_the_time_that_the_server_named():
    def answer(body, before):
        if body["messages"][-1]["content"] == "a" and not before:
            return Says(status=429, headers={"retry-after": "0.5"})
        return Says("ok", delay=0.02)

    with server(answer) as told:
        open_model(url=told.address, model="m", manner=Manner(at_once=1)).ask(asked(*"abcd"))
    assert told.at[1] - told.at[0] >= 0.5


def test_complaints_use_up_no_tries_but_have_an_end():
    with server(lambda body, _: Says(status=429, text="too many")) as told:
        model = open_model(url=told.address, model="m", manner=Manner(tries=1))
        assert texts_of(model.ask(asked("a"))) == ["rate_limit"]
    assert len(told.asked) == clients.COMPLAINTS


def test_no_more_calls_run_at_a_time_than_allowed():
    with server(lambda body, _: Says("ok", delay=0.01)) as told:
        open_model(url=told.address, model="m", manner=Manner(at_once=3)).ask(asked(*map(str, range(30))))
    assert told.most_at_once <= 3
    assert len(told.asked) == 30


@pytest.mark.parametrize(
    ("says", "reason", "text"),
    [
        (Says(None, refusal="I can't."), "refused", "I can't."),
        (Says("", finish="content_filter"), "filtered", ""),
        (Says(raw=b"{not json"), "server", None),
        (Says(raw=b'{"choices": []}'), "server", None),
        (Says(status=400, text="context length exceeded"), "rejected", None),
        (Says(status=503), "server", None),
    ],
)
def test_what_is_no_answer_is_a_reason_and_never_a_reply(says, reason, text):
    with server(lambda body, _: says) as told:
        (found,) = open_model(url=told.address, model="m").ask(asked("a"))
    assert isinstance(found, Failed)
    assert found.reason == reason
    assert text is None or found.said == text


def test_refusals_are_paid_and_therefore_known(tmp_path):
    with server(lambda body, _: Says(None, refusal="no")) as told:
        for _ in range(2):
            assert texts_of(open_model(url=told.address, model="m", ledger=tmp_path / "l").ask(asked("a"))) == [
                "refused"
            ]
    assert len(told.asked) == 1


@pytest.mark.parametrize(("limit", "expected"), [(20, ["long"]), (1000, ["truncated"])])
def test_an_answer_that_was_cut_gets_twice_the_room_once(limit, expected):
    def answer(body, _):
        return Says("long", finish="length" if body["max_tokens"] < limit else "stop", usage=(100, 50))

    with server(answer) as told:
        model = open_model(url=told.address, model="m", price=Price(1.0, 2.0))
        assert texts_of(model.ask(asked("a", max_tokens=10))) == expected
    assert [body["max_tokens"] for body in told.asked] == [10, 20]
    assert model.spent == pytest.approx(2 * (100 + 2 * 50) / 1e6)
    assert model.ledger.spent().tokens_out == 100


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("takes", ["json_schema", "json_object", None])
def test_structure_is_asked_for_as_far_as_the_server_wants(takes, status):
    def answer(body, _):
        kind = body.get("response_format", {}).get("type")
        return "{}" if kind == takes else Says(status=status, text=f"response_format {kind} is not supported")

    with server(answer) as told:
        model = open_model(url=told.address, model="m", manner=Manner(at_once=1))
        assert texts_of(model.ask(asked("a", "b", schema={"type": "object"}))) == ["{}", "{}"]
    kinds = [body.get("response_format", {}).get("type") for body in told.asked]
    ladder = ["json_schema", "json_object", None]
    assert kinds == [*ladder[: ladder.index(takes) + 1], takes]


def test_one_request_that_is_refused_does_not_take_structure_from_the_others():
    def answer(body, _):
        if body["messages"][-1]["content"] == "long":
            return Says(status=400, text="context length exceeded")
        return body["response_format"]["type"]

    with server(answer) as told:
        model = open_model(url=told.address, model="m", manner=Manner(at_once=1))
        found = model.ask(asked("long", "b", schema={"type": "object"}))
    assert texts_of(found) == ["rejected", "json_schema"]


def test_a_parameter_that_the_server_does_not_know_is_left_out():
    def answer(body, _):
        if "max_tokens" in body:
            return Says(status=400, error={"message": "use max_completion_tokens", "param": "max_tokens"})
        if "temperature" in body:
            return Says(status=400, error={"message": "unsupported", "param": "temperature"})
        return str(body["max_completion_tokens"])

    with server(answer) as told:
        model = open_model(url=told.address, model="m", manner=Manner(at_once=1))
        assert texts_of(model.ask(asked("a", "b", max_tokens=7))) == ["7", "7"]
    assert len(told.asked) == 4
    assert model.transport.left_out == {"max_tokens", "temperature"}


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_ends_everything(status):
    with server(lambda body, _: Says(status=status, text="no")) as told:
        with pytest.raises(EngineError, match=r"expected an answer, got .*; check the address, the key"):
            open_model(url=told.address, model="m").ask(asked(*map(str, range(50))))
        assert len(told.asked) <= 8


def test_a_server_that_is_not_there_is_a_failure_of_each_call():
    found = open_model(url="http://127.0.0.1:9/v1", model="m").ask(asked("a"))
    assert texts_of(found) == ["server"]


NOW = {"content": [{"token": "2", "logprob": -0.5, "bytes": None, "top_logprobs": [
    {"token": "2", "logprob": -0.5, "bytes": None}, {"token": "3", "logprob": -1.0, "bytes": None}]}]}  # fmt: skip
ONCE = {"tokens": ["2"], "token_logprobs": [-0.5], "top_logprobs": [{"2": -0.5, "3": -1.0}], "text_offset": [7]}


@pytest.mark.parametrize("logprobs", [NOW, ONCE])
def test_log_probabilities_come_with_their_alternatives(logprobs):
    with server(lambda body, _: Says("2", logprobs=logprobs, finish="length")) as told:
        (found,) = open_model(url=told.address, model="m").ask(asked("a", logprobs=5, max_tokens=1))
    assert [(one.text, one.logprob, dict(one.others)) for one in found.tokens] == [("2", -0.5, {"2": -0.5, "3": -1.0})]
    assert (told.asked[0]["logprobs"], told.asked[0]["top_logprobs"]) == (True, 5)
    assert len(told.asked) == 1  # that the room was for one token is no lack of room


def test_the_budget_is_never_passed():
    price = Price(1e4, 1e4)
    with server(lambda body, _: Says("ok", usage=(1, 10), delay=0.01)) as told:
        model = open_model(url=told.address, model="m", price=price, manner=Manner(budget=0.5))
        found = model.ask(asked(*map(str, range(100)), max_tokens=10))
    assert model.spent <= 0.5
    assert texts_of(found).count("ok") == len(told.asked) >= 1
    assert set(texts_of(found)) == {"ok", "budget"}


def test_a_budget_wants_a_price():
    with pytest.raises(MethodError, match="budget: expected a price for 'm'"):
        open_model(url="http://x/v1", model="m", manner=Manner(budget=1.0))


def test_an_estimate_calls_nobody_and_leaves_out_what_is_known():
    with server(lambda body, _: "ok") as told:
        model = open_model(url=told.address, model="m", price=Price(1.0, 2.0))
        model.ask(asked("a", max_tokens=100))
        found = model.estimate(asked("a", "bbbbbbbb", "bbbbbbbb", max_tokens=100))
        assert len(told.asked) == 1
    assert (found.calls, found.known, found.tokens_in, found.tokens_out) == (1, 1, 2, 200)


def test_a_key_is_sent():
    with server(lambda body, _: "ok") as told:
        open_model(url=told.address, model="m", key="sesame").ask(asked("a"))
    assert told.headers[0]["authorization"] == "Bearer sesame"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "neither or both"),
        ({"url": "http://x", "function": str, "model": "m"}, "neither or both"),
        ({"url": "http://x"}, "expected its name"),
        ({"url": "localhost:8000", "model": "m"}, "expected an address as http"),
    ],
)
def test_a_model_that_cannot_be_opened_is_told(how, said):
    with pytest.raises(MethodError, match=said):
        open_model(**how)


def test_a_function_is_a_model_too_also_an_async_one():
    async def later(messages):
        await asyncio.sleep(0)
        return messages[-1].content * 2

    for function in (lambda messages: messages[-1].content * 2, later):
        assert texts_of(open_model(function=function, model="twice").ask(asked("a", "b"))) == ["aa", "bb"]


def test_what_a_function_raises_is_raised():
    def broken(messages):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        open_model(function=broken, model="m").ask(asked("a"))


def test_it_works_inside_a_running_event_loop():
    found = []

    async def outside():
        found.extend(open_model(function=lambda messages: "ok", model="m").ask(asked("a")))

    thread = threading.Thread(target=lambda: asyncio.run(outside()))  # a loop of its own: browsers' tests have one here
    thread.start()
    thread.join()
    assert texts_of(found) == ["ok"]


def test_progress_is_told():
    told = []
    with server(lambda body, _: Says("ok", usage=(10, 0))) as at:
        model = open_model(url=at.address, model="m", price=Price(1e6, 0), told=lambda *how: told.append(how),
                           manner=Manner(at_once=1))  # fmt: skip
        model.ask(asked("a", "b"))
    assert told == [(1, 2, 10.0), (2, 2, 20.0)]


RUN = """
import sys
from rankgauge.judges.asking import Message, Request
from rankgauge.judges.client import Manner, open_model

model = open_model(url=sys.argv[1], model="m", ledger=sys.argv[2], manner=Manner(at_once=2))
try:
    found = model.ask([Request((Message("user", str(n)),), "test@1") for n in range(40)])
except KeyboardInterrupt:
    sys.exit("interrupted")
print(sum(one.known for one in found), len(found))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_the_middle_no_paid_call_is_lost_and_the_second_run_makes_the_missing_ones(tmp_path, number):
    answered, enough = [], threading.Event()

    def answer(body, _):
        answered.append(body)
        if len(answered) >= 15:
            enough.set()
        return Says("ok", delay=0.03)

    with server(answer) as told:
        command = [sys.executable, "-c", textwrap.dedent(RUN), told.address, str(tmp_path / "l")]
        first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert enough.wait(60)
        first.send_signal(number)
        _, said = first.communicate(timeout=30)
        assert first.returncode != 0
        if number == signal.SIGINT:
            assert said == "interrupted\n"
        kept = len(Ledger(tmp_path / "l"))
        assert 15 - 2 - 2 <= kept <= len(told.asked)
        before = len(told.asked)
        second = subprocess.run(command, capture_output=True, text=True, check=True)
        assert second.stdout.split() == [str(kept), "40"]
        assert len(told.asked) - before == 40 - kept


def test_the_library_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(Exception, match=r"rankgauge\[judge\]"):
        open_model(url="http://x/v1", model="m")


def test_a_hanging_server_ends_within_its_time():
    begun = time.monotonic()
    with server(lambda body, _: Says(delay=30)) as told:
        found = open_model(url=told.address, model="m", patience=0.1, manner=Manner(tries=2)).ask(asked("a"))
    assert texts_of(found) == ["timeout"]
    assert time.monotonic() - begun < 15
