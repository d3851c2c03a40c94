"""ranx's fusion by our names: method, normalisation and parameters in, {query: {doc: score}} out."""

from __future__ import annotations

import ranx
from ranx import fusion as methods
from ranx.meta.fuse import fuse

WEIGHTS = [0.5, 0.3, 0.2]
METHODS = {
    "CombMIN": ("min", {}),
    "CombMAX": ("max", {}),
    "CombMED": ("med", {}),
    "CombSUM": ("sum", {}),
    "CombANZ": ("anz", {}),
    "CombMNZ": ("mnz", {}),
    "CombGMNZ": ("gmnz", {"gamma": 1.7}),
    "WSUM": ("wsum", {"weights": WEIGHTS}),
    "WMNZ": ("wmnz", {"weights": WEIGHTS}),
    "Mixed": ("mixed", {"weights": WEIGHTS}),
    "RRF": ("rrf", {"k": 60}),
    "ISR": ("isr", {}),
    "log_ISR": ("log_isr", {}),
    "logN_ISR": ("logn_isr", {"sigma": 0.2}),
    "RBC": ("rbc", {"phi": 0.9}),
    "BordaFuse": ("bordafuse", {}),
    "BordaFuse weighted": ("w_bordafuse", {"weights": WEIGHTS}),
    "Condorcet": ("condorcet", {}),
    "Condorcet weighted": ("w_condorcet", {"weights": WEIGHTS}),
    "MAPFuse": ("mapfuse", {}),
    "PosFuse": ("posfuse", {}),
    "SlideFuse": ("slidefuse", {"w": 2}),
    "ProbFuse": ("probfuse", {"n_segments": 3}),
    "SegFuse": ("segfuse", {}),
    "BayesFuse": ("bayesfuse", {}),
}
"""Our method -> ranx's, with its parameters."""
OURS = {"w": "window", "n_segments": "segments"}
"""ranx's parameter -> ours, where the names differ."""
NORMS = {
    "none": None, "min-max": "min-max", "max": "max", "sum": "sum", "z-score": "zmuv", "rank": "rank", "borda": "borda",
}  # fmt: skip


def parameters(method: str, runs: int) -> dict[str, object]:
    """The parameters that a method is compared with, by our names."""
    given = {OURS.get(name, name): value for name, value in METHODS[method][1].items()}
    return {name: value[:runs] if name == "weights" else value for name, value in given.items()}


def fused(qrels, runs, method: str, norm: str) -> dict[str, dict[str, float]]:
    """Every run with the same queries as the qrels."""
    theirs, given = METHODS[method]
    given = {name: value[: len(runs)] if name == "weights" else value for name, value in given.items()}
    made, judged = [ranx.Run(run) for run in runs], ranx.Qrels(qrels)
    if theirs == "mapfuse":
        given = {"map_scores": methods.mapfuse_train(judged, made)}
    elif theirs in ("posfuse", "slidefuse", "segfuse"):
        given |= {"probs": getattr(methods, f"{theirs}_train")(judged, made)}
    elif theirs == "probfuse":
        given = {"probs": methods.probfuse_train(judged, made, **given)}
    elif theirs == "bayesfuse":
        given = {"log_odds": methods.bayesfuse_train(judged, made)}
    combined = fuse(made, NORMS[norm], theirs, given)
    return {query: {doc: float(score) for doc, score in docs.items()} for query, docs in combined.run.items()}
