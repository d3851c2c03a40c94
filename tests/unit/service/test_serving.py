"""The next generation of an index takes the place of the one before, and no request is lost by it."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankgauge.retrieval.index import Index
from rankgauge.retrieval.protocols import Document
from rankgauge.service.http import Manner
from rankgauge.service.models import Stages
from rankgauge.service.serving import Holder, Plan
from service_worlds import ANIMALS, Told, events, gateway_on, index_of, served, until

SQUID = Document("squid", "a squid is no cat")


def test_a_generation_is_taken_up_when_it_is_asked_for(tmp_path):
    with served(gateway_on(index_of(tmp_path / "idx"))) as ask:
        assert ask.post("/admin/reload").json == {"changed": False, "generation": 1, "documents": 4}
        Index.open(tmp_path / "idx").changed([SQUID])
        assert ask.get("/search?query=squid").ids == []
        assert ask.post("/admin/reload").json == {"changed": True, "generation": 2, "documents": 5}
        got = ask.get("/search?query=squid")
        assert (got.ids, got.json["generation"]) == (["squid"], 2)


def test_a_generation_is_taken_up_by_itself_and_told(tmp_path):
    gateway = gateway_on(index_of(tmp_path / "idx"))
    with served(gateway, Manner(watch=0.01)) as ask:
        Index.open(tmp_path / "idx").changed([SQUID])
        until(lambda: ask.get("/readyz").json["generation"] == 2)
    assert [one["documents"] for one in events(gateway) if one["event"] == "generation"] == [5]


def test_an_index_that_was_built_anew_is_another_one_though_its_number_is_the_same(tmp_path):
    holder = Holder(Plan(index_of(tmp_path / "idx")))
    before = holder.current
    assert not holder.refresh()
    shutil.rmtree(tmp_path / "idx")
    index_of(tmp_path / "idx", ANIMALS[:2])
    assert holder.refresh()
    assert (holder.current.index.generation, len(holder.current.index)) == (1, 2)
    assert holder.current.stamp != before.stamp


def test_a_generation_that_cannot_be_opened_is_told_once_and_the_one_before_goes_on(tmp_path):
    gateway = gateway_on(index_of(tmp_path / "idx"))
    manifest, beside = tmp_path / "idx" / "manifest.json", tmp_path / "beside.json"
    sound = manifest.read_text()

    def told() -> list[str]:
        return [one["level"] for one in events(gateway) if one["event"] == "generation"]

    with served(gateway, Manner(watch=0.01)) as ask:
        for number, text in enumerate(("{", '{"format": 1}'), 1):
            beside.write_text(text)
            beside.replace(manifest)
            until(lambda number=number: len(told()) == number)
            got = ask.post("/admin/reload")
            assert got.status == 409
            assert got.json["error"].startswith("index: expected a generation that can be opened, got")
            assert ask.get("/search?query=cat").status == 200
        beside.write_text(sound)
        beside.replace(manifest)
        until(lambda: "info" in told())
    assert told() == ["error", "error", "info"]


def test_no_request_is_lost_while_one_generation_after_the_other_comes(tmp_path):
    folder = index_of(tmp_path / "idx")
    gateway = gateway_on(folder, Told())
    stop = threading.Event()

    def asking(ask) -> list[tuple[int, int]]:
        found = []
        while not stop.is_set():
            got = ask.get("/search?query=a+small+cat&texts=1")
            found.append((got.status, got.json["generation"] if got.status == 200 else got.body))
        return found

    with served(gateway, Manner(watch=0.02)) as ask, ThreadPoolExecutor(3) as callers:
        waiting = [callers.submit(asking, ask) for _ in range(3)]
        try:
            index = Index.open(folder)
            for number in range(8):
                # Two at once: the files of the one that is served may be gone before anybody looks.
                index = index.changed([Document(f"new{number}", "a small cat")])
                index = index.changed([Document(f"more{number}", "a small cat")])
            until(lambda: ask.get("/readyz").json["generation"] == 17, 60)
        finally:
            stop.set()
        answers = [one for got in waiting for one in got.result()]
    assert {status for status, _ in answers} == {200}
    assert max(generation for _, generation in answers) > 10
    assert len(answers) > 30


def test_a_search_whose_files_are_gone_is_answered_from_the_next_generation(tmp_path):
    gateway = gateway_on(index_of(tmp_path / "idx"))
    with served(gateway) as ask:
        for number in range(2):
            Index.open(tmp_path / "idx").changed([Document(f"new{number}", "a small cat")])
        assert not (tmp_path / "idx" / "generation-1").exists()
        got = ask.get("/search?query=small+cat&texts=1")
        assert (got.status, got.json["generation"]) == (200, 3)


def test_a_model_is_loaded_once_for_all_generations(tmp_path, monkeypatch):
    loaded: list[str] = []

    def load(named, *, index=None, threads=1):
        loaded.append(named)
        return Told()

    monkeypatch.setattr("rankgauge.service.models.load_stage", load)
    stages = Stages("some/model")
    holder = Holder(Plan(index_of(tmp_path / "idx"), stage=stages))
    first = holder.current.pipeline.stage
    Index.open(tmp_path / "idx").changed([SQUID])
    assert holder.refresh()
    assert holder.current.pipeline.stage is first
    assert loaded == ["some/model"]


def test_what_looks_into_the_index_is_made_for_each_generation(tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.service.models.is_trained", lambda named: True)
    monkeypatch.setattr("rankgauge.service.models.load_stage", lambda named, *, index=None, threads=1: Told())
    stages = Stages("trained")
    index = Index.open(index_of(tmp_path / "idx"))
    after = index.changed([SQUID])
    assert stages(index) is stages(index)
    assert stages(after) is not stages(index)
    assert stages(index) is stages(index)


@pytest.mark.parametrize("named", ["bm25", None])
def test_the_first_stage_is_by_words_where_nothing_else_is_said(tmp_path, named):
    serving = Plan(index_of(tmp_path / "idx"), named).open()
    assert serving.pipeline.retriever is serving.index.lexical
