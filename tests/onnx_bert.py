"""BERT as an ONNX graph, from weights under their usual names: an encoder, or a classifier of pairs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper, save_model

Weights = Mapping[str, npt.NDArray[np.float32]]

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] refund card days bank paid opening hours shop monday closed the a is how".split()
)


class _Graph:
    """Nodes and tensors of a graph as they are added."""

    def __init__(self, weights: Weights) -> None:
        self.nodes: list[Any] = []
        self.tensors: dict[str, Any] = {}
        self.weights = weights

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node; its output's name."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def tensor(self, value: npt.ArrayLike, name: str = "") -> str:
        """A constant; its name."""
        name = name or f"c{len(self.tensors)}"
        self.tensors[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        """A weight by its name in the model."""
        value = self.weights[name]
        return self.tensor(np.ascontiguousarray(value.T) if transposed else value, f"w.{name}")

    def linear(self, x: str, name: str) -> str:
        """x Wᵀ + b."""
        product = self.add("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        """Layer normalisation."""
        inputs = (x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.add("LayerNormalization", *inputs, axis=-1, epsilon=1e-12)

    def gelu(self, x: str) -> str:
        """x Φ(x)."""
        phi = self.add("Erf", self.add("Div", x, self.tensor(np.float32(np.sqrt(2)))))
        half = self.add("Mul", x, self.tensor(np.float32(0.5)))
        return self.add("Mul", half, self.add("Add", phi, self.tensor(np.float32(1))))


def _attention(g: _Graph, x: str, bias: str, layer: str, heads: int, size: int) -> str:
    split = g.tensor(np.array([0, 0, heads, size // heads], dtype=np.int64))
    parts = []
    for name, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3))):
        shaped = g.add("Reshape", g.linear(x, f"{layer}.attention.self.{name}"), split)
        parts.append(g.add("Transpose", shaped, perm=order))
    scaled = g.add("Mul", g.add("MatMul", parts[0], parts[1]), g.tensor(np.float32((size // heads) ** -0.5)))
    weights = g.add("Softmax", g.add("Add", scaled, bias), axis=-1)
    mixed = g.add("Transpose", g.add("MatMul", weights, parts[2]), perm=(0, 2, 1, 3))
    joined = g.add("Reshape", mixed, g.tensor(np.array([0, 0, size], dtype=np.int64)))
    return g.norm(
        g.add("Add", g.linear(joined, f"{layer}.attention.output.dense"), x), f"{layer}.attention.output.LayerNorm"
    )


def _encoder(g: _Graph, config: Mapping[str, int]) -> str:
    size, heads = config["hidden_size"], config["num_attention_heads"]
    one = g.tensor(np.array([1], dtype=np.int64))
    length = g.add("Slice", g.add("Shape", "input_ids"), one, g.tensor(np.array([2], dtype=np.int64)))
    zero, step = g.tensor(np.int64(0)), g.tensor(np.int64(1))
    places = g.add("Range", zero, g.add("Squeeze", length), step)
    x = g.add("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    x = g.add("Add", x, g.add("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"))
    x = g.add("Add", x, g.add("Gather", g.weight("embeddings.position_embeddings.weight"), places))
    x = g.norm(x, "embeddings.LayerNorm")
    mask = g.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.add("Mul", g.add("Sub", g.tensor(np.float32(1)), mask), g.tensor(np.float32(-1e9)))
    bias = g.add("Unsqueeze", hidden, g.tensor(np.array([1, 2], dtype=np.int64)))
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        x = _attention(g, x, bias, layer, heads, size)
        inner = g.gelu(g.linear(x, f"{layer}.intermediate.dense"))
        x = g.norm(g.add("Add", g.linear(inner, f"{layer}.output.dense"), x), f"{layer}.output.LayerNorm")
    return x


def write_bert(path: Path, weights: Weights, config: Mapping[str, int], *, labels: int = 0) -> None:
    """Write a graph: token vectors, or the logits of a classifier on the first token where there are labels."""
    g = _Graph(weights)
    x = _encoder(g, config)
    if labels:
        first = g.add("Gather", x, g.tensor(np.int64(0)), axis=1)
        x = g.linear(g.add("Tanh", g.linear(first, "pooler.dense")), "classifier")
    output, shape = (
        ("logits", ["n", labels]) if labels else ("last_hidden_state", ["n", "length", config["hidden_size"]])
    )
    g.nodes.append(helper.make_node("Identity", [x], [output]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(g.nodes, "bert", inputs, outputs, initializer=list(g.tensors.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    save_model(model, path)


def random_weights(
    config: Mapping[str, int], *, labels: int, rng: np.random.Generator
) -> dict[str, npt.NDArray[np.float32]]:
    """Weights of a model that was never trained."""
    size, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], size),
    }
    linear = {"pooler.dense": (size, size), "classifier": (labels, size)} if labels else {}
    norms = ["embeddings.LayerNorm"]
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        linear |= {f"{layer}.attention.self.{name}": (size, size) for name in ("query", "key", "value")}
        linear |= {f"{layer}.attention.output.dense": (size, size), f"{layer}.intermediate.dense": (inner, size)}
        linear |= {f"{layer}.output.dense": (size, inner)}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    shapes |= {f"{name}.weight": shape for name, shape in linear.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in linear.items()}
    drawn = {name: rng.normal(scale=0.4, size=shape).astype(np.float32) for name, shape in shapes.items()}
    drawn |= {f"{name}.weight": np.ones(size, dtype=np.float32) for name in norms}
    return drawn | {f"{name}.bias": np.zeros(size, dtype=np.float32) for name in norms}


def write_folder(folder: Path, *, labels: int = 0, seed: int = 0, name: str = "model.onnx", tokens: int = 32) -> Path:
    """Write a tiny model with vocabulary and config, as an export would."""
    config = {
        "hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32,
        "vocab_size": len(WORDS), "max_position_embeddings": tokens, "pad_token_id": 0,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    weights = random_weights(config, labels=labels, rng=np.random.default_rng(seed))
    write_bert(folder / name, weights, config, labels=labels)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    (folder / "config.json").write_text(json.dumps(config))
    return folder
