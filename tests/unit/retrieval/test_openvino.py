"""Tests of OpenVINO in the place of onnxruntime."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from onnx_bert import write_folder
from rankgauge.errors import EngineError, InputError
from rankgauge.retrieval import _openvino
from rankgauge.retrieval.cross_encoder import load_reranker
from rankgauge.retrieval.stages import load_stage

openvino = pytest.importorskip("openvino")
TEXTS = ["refund paid", "card", "", "opening hours of the shop monday closed", "how how how"]


@pytest.fixture(scope="module", params=[1, 2])
def folder(request, tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("ce") / "tiny", labels=request.param)


def test_its_scores_are_those_of_onnxruntime(folder):
    here, there = load_reranker(folder, chunk=2), load_reranker(folder, chunk=2, runtime="openvino")
    assert there.scores("how", TEXTS) == pytest.approx(here.scores("how", TEXTS), abs=1e-5)
    assert there.name == here.name
    assert there.scored("how", ["refund " * 500]).cut == 1


def test_threads_do_not_disturb_each_other(folder):
    reranker = load_reranker(folder, runtime="openvino")
    alone = {text: reranker.scores(text, TEXTS).tolist() for text in ("refund", "card", "shop hours")}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: reranker.scores(text, TEXTS).tolist(), list(alone) * 8))
    assert together == list(alone.values()) * 8


def test_bf16_rounds_and_says_so_in_its_name_or_is_refused(folder):
    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        with pytest.raises(EngineError, match="expected a processor with bf16, got one without"):
            load_reranker(folder, runtime="openvino-bf16")
        return
    exact, rounded = (load_reranker(folder, runtime=runtime) for runtime in ("openvino", "openvino-bf16"))
    assert rounded.name == f"{exact.name}/bf16"
    assert np.abs(rounded.scores("how", TEXTS) - exact.scores("how", TEXTS)).max() < 0.1


def test_a_processor_without_bf16_is_told(folder, monkeypatch):
    class Core:
        def get_property(self, *_):
            return ["FP32", "INT8"]

    monkeypatch.setattr(_openvino, "optional", lambda *_: type("openvino", (), {"Core": Core}))
    with pytest.raises(EngineError, match="expected a processor with bf16, got one without; take openvino, which is"):
        load_reranker(folder, runtime="openvino-bf16")


def test_what_cannot_be_run_is_told(folder, tmp_path):
    with pytest.raises(InputError, match="runtime: expected onnxruntime or openvino or openvino-bf16, got 'tvm'"):
        load_reranker(folder, runtime="tvm")
    with pytest.raises(InputError, match="expected a cross-encoder for openvino, got an embedding model"):
        load_stage(write_folder(tmp_path / "encoder"), runtime="openvino")
    broken = write_folder(tmp_path / "broken", labels=1)
    (broken / "model.onnx").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="expected an ONNX model, got broken content"):
        load_reranker(broken, runtime="openvino")
