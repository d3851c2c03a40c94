"""Second stages for a service: loaded once, or anew for each generation that they look into."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial

from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import is_trained
from rankgauge.retrieval.models import find_model
from rankgauge.retrieval.rerank import SecondStage
from rankgauge.retrieval.rerank_api import SCHEMES
from rankgauge.retrieval.stages import load_stage
from rankgauge.retrieval.workers import Apart

KEPT = 2


@dataclass(frozen=True)
class Apartness:
    """How a second stage runs in a process of its own: with how much memory, and how politely (nice)."""

    memory: int | None = None
    nice: int = 0


class Stages:
    """Makes the second stage of each generation.

    One that `rankgauge train` made reads features from the index: it is made for each generation, in this process.
    Every other one is loaded once, in a process of its own where that is asked for.
    """

    def __init__(self, named: str, *, threads: int = 1, apart: Apartness | None = None) -> None:
        self.named, self.threads, self.apart = named, threads, apart
        self.by_index = is_trained(named)
        self._stage: SecondStage | None = None
        self._kept: list[tuple[Index, SecondStage]] = []

    def __call__(self, index: Index) -> SecondStage:
        """Return the second stage for a generation."""
        if not self.by_index:
            self._stage = self._stage or self._load()
            return self._stage
        for known, stage in list(self._kept):
            if known is index:
                return stage
        made = load_stage(self.named, index=index, threads=self.threads)
        self._kept = [*self._kept, (index, made)][-KEPT:]
        return made

    def close(self) -> None:
        """End the process, if there is one."""
        if isinstance(self._stage, Apart):
            self._stage.close()

    def _load(self) -> SecondStage:
        if self.apart is None:
            return load_stage(self.named, threads=self.threads)
        make = partial(load_politely, self.named, self.threads, self.apart.nice)
        return Apart(make, _name(self.named), memory=self.apart.memory)


def _name(named: str) -> str:
    """What the stage is called that will be loaded: with the hash of its files, as answers that are kept need it."""
    return named if named.startswith(SCHEMES) else find_model(named).called


def load_politely(named: str, threads: int, nice: int) -> SecondStage:
    """Load a second stage in a child process, which lets others go first."""
    if nice:
        os.nice(nice)
    return load_stage(named, threads=threads)
