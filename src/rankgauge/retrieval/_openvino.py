"""OpenVINO in the place of onnxruntime: the same few calls, on the same ONNX file."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankgauge._extras import optional
from rankgauge.errors import EngineError, Fault

Precision = Literal["f32", "bf16"]
TYPES = {"i32": "tensor(int32)", "i64": "tensor(int64)"}


@dataclass(frozen=True)
class Slot:
    """An input or output: its name and its type, as onnxruntime writes types."""

    name: str
    type: str


class Session:
    """A compiled model. Calls from several threads may overlap: each has its own request."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._local = threading.local()

    def get_inputs(self) -> list[Slot]:
        """Inputs, in order."""
        return [_slot(port) for port in self._compiled.inputs]

    def get_outputs(self) -> list[Slot]:
        """Outputs, in order."""
        return [_slot(port) for port in self._compiled.outputs]

    def run(self, outputs: Sequence[str], fed: Mapping[str, npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
        """Values of outputs, each an array of its own."""
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()
        request = self._local.request
        request.infer(dict(fed))
        return [np.array(request.get_tensor(name).data) for name in outputs]


def _slot(port: Any) -> Slot:
    kind = port.element_type.get_type_name()
    return Slot(port.any_name, TYPES.get(kind, kind))


def compiled(onnx: Path, *, threads: int, precision: Precision) -> Session:
    """Load a model.

    Raises EngineError for bf16 on a processor that has none: it would run in f32 without a word.
    """
    openvino = optional("openvino", "running a model by OpenVINO", "openvino")
    core = openvino.Core()
    if precision == "bf16" and "BF16" not in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        raise EngineError(Fault("openvino", "a processor with bf16", "one without", "take openvino, which is f32"))
    settings = {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision,
        "ENABLE_CPU_PINNING": False,
    }  # fmt: skip
    return Session(core.compile_model(str(onnx), "CPU", settings))
