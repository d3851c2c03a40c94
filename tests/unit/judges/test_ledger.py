"""Tests of the ledger: keys, what is kept, export, merge, and files that are none."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import FormatError, InputError
from rankgauge.judges.asking import Message, Reply, Request, Token
from rankgauge.judges.ledger import Entry, Ledger, Spent, key_of

ASKED = Request((Message("system", "You grade."), Message("user", "điểm của 文")), "relevance/vi@1", {"type": "object"})
TOKENS = (Token("2", -0.5, {"2": -0.5, "3": -1.25}), Token("\n", -0.1))


def test_an_answer_is_kept_as_it_was(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    reply = Reply("2", TOKENS, 12, 3, cost=0.25, seconds=1.5)
    ledger.put("http://a/v1", "m", ASKED, Entry(reply, "length"))
    found = Ledger(tmp_path / "l.sqlite").get(key_of("http://a/v1", "m", ASKED))
    assert found == Entry(replace(reply, cost=0.0, seconds=0.0, known=True), "length")
    assert ledger.spent() == ledger.spent("m") == Spent(1, 12, 3, 0.25)
    assert ledger.spent("other") == Spent(0, 0, 0, 0.0)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, messages=(Message("user", "You grade."), *ASKED.messages[1:])),
        replace(ASKED, prompt="relevance/vi@2"),
        replace(ASKED, schema=None),
        replace(ASKED, temperature=0.1),
        replace(ASKED, max_tokens=513),
        replace(ASKED, logprobs=5),
        replace(ASKED, sample=1),
    ],
)
def test_whatever_an_answer_depends_on_is_in_its_key(other):
    assert key_of("a", "m", other) != key_of("a", "m", ASKED)


def test_address_and_model_are_in_the_key():
    assert len({key_of(a, m, ASKED) for a in ("a", "b") for m in ("a", "m")}) == 4


@given(st.text(), st.text())
def test_no_two_texts_have_one_key(a, b):
    keys = {key_of("a", "m", Request((Message("user", text),), "p@1")) for text in (a, b)}
    assert len(keys) == len({a, b})


def test_the_first_answer_stays():
    ledger = Ledger()
    for text in ("first", "second"):
        ledger.put("a", "m", ASKED, Entry(Reply(text)))
    assert ledger.get(key_of("a", "m", ASKED)).reply.text == "first"
    assert len(ledger) == 1


def test_export_is_the_same_to_the_byte_whatever_the_order(tmp_path):
    def filled(order):
        ledger = Ledger()
        for number in order:
            ledger.put("a", "m", replace(ASKED, sample=number), Entry(Reply(f"é{number}", TOKENS)))
        ledger._file.execute("UPDATE calls SET at = 0")
        return ledger

    for name, order in (("one", range(5)), ("two", reversed(range(5)))):
        assert filled(order).export(tmp_path / name) == 5
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert json.loads((tmp_path / "one").read_text().splitlines()[0])["prompt"] == "relevance/vi@1"


def test_merging_takes_what_is_new_and_tells_what_differs(tmp_path):
    here, there = Ledger(tmp_path / "here"), Ledger(tmp_path / "there")
    for ledger, texts in ((here, "abc"), (there, "axcd")):
        for number, text in enumerate(texts):
            ledger.put("a", "m", replace(ASKED, sample=number), Entry(Reply(text)))
    assert here.merge(there) == (1, 1)
    assert [here.get(key_of("a", "m", replace(ASKED, sample=n))).reply.text for n in range(4)] == list("abcd")


def test_a_file_that_is_no_ledger_is_refused(tmp_path):
    (tmp_path / "x").write_text("no database, " * 100)
    with pytest.raises(FormatError, match="expected a ledger"):
        Ledger(tmp_path / "x")
    with pytest.raises(InputError, match="a folder that is there"):
        Ledger(tmp_path / "none" / "x")


def _write_and_die(path):
    ledger = Ledger(path)
    for number in range(100):
        ledger.put("a", "m", replace(ASKED, sample=number), Entry(Reply(str(number))))
        if number == 41:
            os.kill(os.getpid(), signal.SIGKILL)


def test_what_was_answered_survives_a_kill(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=_write_and_die, args=(tmp_path / "l",))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert len(Ledger(tmp_path / "l")) == 42
