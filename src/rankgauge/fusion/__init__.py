"""Fusion: what several runs say together, and how to choose the way of saying it."""

from rankgauge.fusion import combinations, ranks, trained, votes
from rankgauge.fusion._collect import empty_run
from rankgauge.fusion._method import METHODS, FusionMethod, fusion_method
from rankgauge.fusion.merging import fuse
from rankgauge.fusion.norms import NORMS, Norm, normalization
from rankgauge.fusion.tuning import Trial, Tuned, tune

__all__ = [
    "METHODS", "NORMS", "FusionMethod", "Norm", "Trial", "Tuned", "combinations", "empty_run", "fuse",
    "fusion_method", "normalization", "ranks", "trained", "tune", "votes",
]  # fmt: skip
