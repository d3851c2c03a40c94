"""Tests of how a gateway is put together: what its cache takes for the same question, and what for the same index."""

from __future__ import annotations

import os
import shutil

import pytest

from onnx_bert import write_folder
from rankgauge.retrieval.index import Index
from rankgauge.service.asking import Asked
from rankgauge.service.gateway import _key
from rankgauge.service.models import Apartness, Stages
from rankgauge.service.serving import Plan
from rankgauge.service.setup import Model, Remembering, Wish, gateway_of
from service_worlds import Told, index_of


@pytest.fixture
def folder(tmp_path):
    return index_of(tmp_path / "idx")


def key_of(folder, **plan):
    return _key(Asked("a cat", 10), Plan(folder, **plan).open(), 10)


def test_only_answers_by_words_alone_are_shared_by_queries_of_the_same_words(folder, tmp_path):
    plain = gateway_of(Wish(folder, cache=Remembering("memory"))).parts.cache
    assert plain.words_alone and plain.words is not None
    write_folder(tmp_path / "tiny", labels=1)
    reranked = gateway_of(Wish(folder, model=Model(str(tmp_path / "tiny")), cache=Remembering("memory"))).parts.cache
    assert reranked.words is None


def test_whatever_makes_another_answer_makes_another_key(folder):
    keys = {
        key_of(folder), key_of(folder, candidates=5), key_of(folder, stage=lambda index: Told()),
        key_of(index_of(folder.parent / "other")),
    }  # fmt: skip
    assert len(keys) == 4
    Index.open(folder).changed(deleted=["cat"])
    assert key_of(folder) not in keys


def test_a_copy_of_an_index_has_its_key_and_another_index_has_not_whatever_its_times(folder, tmp_path):
    other, copy = index_of(tmp_path / "other"), tmp_path / "copy"
    shutil.copytree(folder, copy)
    for place in (folder, other, copy):
        os.utime(place / "manifest.json", (0, 0))
    assert key_of(copy) == key_of(folder) != key_of(other)


def test_a_stage_in_a_process_of_its_own_is_named_by_the_hash_of_its_files(folder, tmp_path):
    write_folder(tmp_path / "tiny", labels=1)
    here = Stages(str(tmp_path / "tiny"))(Index.open(folder)).name
    assert Stages(str(tmp_path / "tiny"), apart=Apartness())(Index.open(folder)).name == here
    write_folder(tmp_path / "tiny", labels=1, seed=1)
    assert Stages(str(tmp_path / "tiny"), apart=Apartness())(Index.open(folder)).name != here
