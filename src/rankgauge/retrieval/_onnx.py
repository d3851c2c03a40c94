"""Texts through an ONNX model on the CPU: tokens cut to a limit, chunks of like lengths, padded to their longest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankgauge._extras import optional
from rankgauge.errors import Fault, InputError, RankgaugeError
from rankgauge.records import Note
from rankgauge.records._columns import IntArray
from rankgauge.retrieval import _openvino
from rankgauge.retrieval.models import ModelFiles

Runtime = Literal["onnxruntime", "openvino", "openvino-bf16"]
"""What runs a model. The last one rounds within the model: its scores are others, and so is its name."""
Progress = Callable[[int, int], None]

LONGEST = 512
CHUNK = 8
FED = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


@dataclass(frozen=True, eq=False)
class Tokens:
    """What a tokenizer made of one text or pair."""

    ids: Sequence[int]
    types: Sequence[int]
    cut: bool

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class TextModel:
    """A loaded model: its session, its tokenizer and how many texts go through it at a time."""

    files: ModelFiles
    session: Any
    tokenizer: Any
    pad: int
    max_tokens: int
    chunk: int
    rounding: str = ""

    @property
    def name(self) -> str:
        """What the files are called, the beginning of their hash, and what rounds within the model."""
        return f"{self.files.called}{self.rounding}"

    def room(self, first: Any = None) -> int:
        """How many tokens fit beside the signs, and beside the first text of a pair."""
        signs = self.tokenizer.num_special_tokens_to_add(is_pair=first is not None)
        return self.max_tokens - int(signs) - (0 if first is None else len(first.ids))

    def words(self, text: str) -> Any:
        """Tokens of a text without signs, all of them."""
        try:
            return self.tokenizer.encode(text, add_special_tokens=False)
        except (UnicodeEncodeError, TypeError):
            # Half of a surrogate pair, as JSON can carry it, is no character.
            mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return self.tokenizer.encode(mended, add_special_tokens=False)

    def tokens(self, text: str, *, first: Any = None) -> Tokens:
        """Tokens of a text with signs, alone or behind the words of another; the text is cut where it is too long."""
        words, room = self.words(text), self.room(first)
        cut = len(words.ids) > room
        if cut:
            words.truncate(room)
        whole = self.tokenizer.post_process(words) if first is None else self.tokenizer.post_process(first, words)
        # A tokenizer without signs makes nothing of an empty text: the model then sees one padding token.
        return Tokens(whole.ids or [self.pad], whole.type_ids or [0], cut)

    def run(self, tokens: Sequence[Tokens]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """First wanted output of a chunk, and its attention mask int64[n, longest]."""
        longest = max(map(len, tokens))
        ids = np.full((len(tokens), longest), self.pad, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, one in enumerate(tokens):
            ids[row, : len(one)], mask[row, : len(one)], types[row, : len(one)] = one.ids, 1, one.types
        places = np.broadcast_to(np.arange(longest), ids.shape)
        given = dict(zip(FED, (ids, mask, types, places), strict=True))
        fed = {slot.name: given[slot.name].astype(_integer(slot.type)) for slot in self.session.get_inputs()}
        return self.session.run([self.output.name], fed)[0], mask

    @property
    def output(self) -> Any:
        """The output that holds what is wanted: sentence vectors or logits by name, else the first one."""
        outputs = self.session.get_outputs()
        named = [slot for slot in outputs if slot.name in ("sentence_embedding", "logits")]
        return (named or outputs)[0]

    def chunks(self, tokens: Sequence[Tokens]) -> Iterator[IntArray]:
        """Rows of each chunk: texts of like lengths go together, the longest first."""
        lengths = np.array([len(one) for one in tokens], dtype=np.int64)
        order = np.argsort(-lengths, kind="stable")
        yield from (order[low : low + self.chunk] for low in range(0, len(order), self.chunk))


def load(
    files: ModelFiles, *, threads: int, max_tokens: int | None, chunk: int | None, runtime: Runtime = "onnxruntime"
) -> TextModel:
    """Load a model and its tokenizer."""
    tokenizer, pad = _tokenizer(files)
    limit = min(max_tokens or LONGEST, _most_tokens(files))
    session = _session(files, threads, runtime)
    # A scale that a whole chunk shares would make a text's outcome depend on the others of its chunk.
    size = 1 if files.quantizes_activations else CHUNK
    rounding = "/bf16" if runtime == "openvino-bf16" else ""
    return TextModel(files, session, tokenizer, pad, limit, chunk or size, rounding)


def _tokenizer(files: ModelFiles) -> tuple[Any, int]:
    tokenizers = optional("tokenizers", "running a model", "retrieval")
    try:
        if files.tokenizer.name == "vocab.txt":
            lower = files.setting("tokenizer_config", "do_lower_case")
            bert = tokenizers.BertWordPieceTokenizer(str(files.tokenizer), lowercase=lower is not False)
            tokenizer = tokenizers.Tokenizer.from_str(bert.to_str())
        else:
            tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # The library raises plain Exception.
        advice = "copy or download it again"
        raise InputError(Fault(str(files.tokenizer), "a tokenizer", f"broken content ({error})", advice)) from None
    padding = tokenizer.padding or {}
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, _pad(files, tokenizer, padding)


def _pad(files: ModelFiles, tokenizer: Any, padding: dict[str, Any]) -> int:
    """Padding token's number; its mask is 0, so that any number would do where none is known."""
    known = (padding.get("pad_id"), files.setting("config", "pad_token_id"), tokenizer.token_to_id("[PAD]"))
    return int(next((number for number in known if number is not None), 0))


def _most_tokens(files: ModelFiles) -> int:
    """Most tokens that the model has places for, as its files tell."""
    places = files.setting("config", "max_position_embeddings")
    if places is not None and str(files.setting("config", "model_type")).endswith("roberta"):
        places -= 2  # The first two are taken by padding.
    told = (places, files.setting("sentence_bert_config", "max_seq_length"))
    return min((int(number) for number in told if number), default=LONGEST)


def _session(files: ModelFiles, threads: int, runtime: Runtime) -> Any:
    if runtime not in get_args(Runtime):
        raise InputError(Fault("runtime", " or ".join(get_args(Runtime)), repr(runtime)))
    try:
        session = _started(files, threads, runtime)
    except RankgaugeError:
        raise
    except Exception as error:  # The libraries' errors have no base but Exception.
        said = str(error).strip().splitlines()[0]
        advice = "copy or export it again"
        raise InputError(Fault(str(files.onnx), "an ONNX model", f"broken content ({said})", advice)) from None
    unknown = [slot.name for slot in session.get_inputs() if slot.name not in FED]
    if unknown:
        advice = "export the encoder for texts alone"
        raise InputError(Fault(str(files.onnx), f"inputs among {', '.join(FED)}", ", ".join(unknown), advice))
    return session


def _started(files: ModelFiles, threads: int, runtime: Runtime) -> Any:
    if runtime != "onnxruntime":
        precision: _openvino.Precision = "bf16" if runtime == "openvino-bf16" else "f32"
        return _openvino.compiled(files.onnx, threads=threads, precision=precision)
    ort = optional("onnxruntime", "running a model", "retrieval")
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    for pool in ("intra_op", "inter_op"):
        # Waiting threads would burn cores that others need.
        options.add_session_config_entry(f"session.{pool}.allow_spinning", "0")
    return ort.InferenceSession(str(files.onnx), options, providers=["CPUExecutionProvider"])


def _integer(kind: str) -> type[np.signedinteger[Any]]:
    return np.int32 if kind == "tensor(int32)" else np.int64


def cut_notes(cut: int, texts: int, model: str) -> tuple[Note, ...]:
    """Say how many of the texts were cut to the limit of tokens, if any were."""
    if not cut:
        return ()
    return (Note("cut texts", cut, f"{cut:,} of {texts:,} texts were cut to the {model}'s limit of tokens"),)


def texts_of(texts: Sequence[str], where: str) -> list[str]:
    """The texts as a list, each of them text."""
    if isinstance(texts, str):
        raise InputError(Fault(where, "a list of texts", "one text", "put it into a list"))
    listed = list(texts)
    for row, text in enumerate(listed):
        if not isinstance(text, str):
            raise InputError(Fault(f"{where}, text {row + 1}", "a text", repr(text)))
    return listed
