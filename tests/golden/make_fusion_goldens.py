"""Makes tests/golden/data/ranx_fusion.json: what ranx makes of three small runs, by method and normalisation.

    pip install ranx && PYTHONPATH=tests python tests/golden/make_fusion_goldens.py       (0.3.21; minutes)

Scores are distinct within a list, so that no order of ties matters, no list has one document only, where ranx's
min-max differs, and every run has every query, as ranx demands. Condorcet has runs of its own: each ranks every
document, and the majorities make no cycle, so that only one order is right (ranx's depends on the order of a set).
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from oracles import ranx_fusion

TARGET = Path(__file__).parent / "data" / "ranx_fusion.json"


def world(seed: int, queries: int = 6, runs: int = 3):
    """Qrels and runs: lists of 2 to 9 of 12 documents, some judged, each query with a relevant one."""
    rng = np.random.default_rng(seed)
    docs = [f"d{number}" for number in range(12)]
    qrels = {}
    for query in range(queries):
        judged = rng.permutation(docs)[:8]
        grades = rng.integers(0, 3, 8)
        grades[0] = 2
        qrels[f"q{query}"] = {str(doc): int(grade) for doc, grade in zip(judged, grades, strict=True)}
    return qrels, [{query: ranking(rng, docs, run) for query in qrels} for run in range(runs)]


def ranking(rng, docs, run):
    chosen = rng.permutation(docs)[: rng.integers(2, 10)]
    scale = (1.0, 20.0, 0.01)[run]
    scores = np.sort(rng.choice(10_000, len(chosen), replace=False) * scale / 10_000 + scale / 5)[::-1]
    return {str(doc): float(score) for doc, score in zip(chosen, scores, strict=True)}


ODD = {
    "flat": {
        "norms": ["min-max", "sum", "max", "z-score"],
        "runs": [{"q": {"a": 3.3, "b": 3.3}}, {"q": {"a": 9.0, "b": 5.0, "c": 1.0}}],
    },
    "below zero": {"norms": ["max"], "runs": [{"q": {"a": -1.0, "b": -2.0}}, {"q": {"a": 9.0, "b": 5.0}}]},
    "narrow": {
        "norms": ["min-max"],
        "runs": [{"q": {"a": 4e-10, "b": 3e-10, "c": 0.0}}, {"q": {"a": 9.0, "b": 5.0, "c": 1.0}}],
    },
}
"""Where ranx computes something else than we do."""


def odd():
    fused = ranx_fusion.fused
    return {
        name: {
            "runs": case["runs"],
            "fused": {n: fused({"q": {"a": 1}}, case["runs"], "CombSUM", n) for n in case["norms"]},
        }
        for name, case in ODD.items()
    }


def votes(seed: int, queries: int = 6, runs: int = 3):
    """Complete runs of 8 documents whose majorities, weighted or not, make no cycle and no tie."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < queries:
        places = np.argsort(np.argsort(np.arange(8) + rng.normal(0, 2.0, (runs, 8)), axis=1), axis=1)
        if all(_is_an_order(places, weights) for weights in ([1.0] * runs, ranx_fusion.WEIGHTS[:runs])):
            found.append(places)
    return [
        {
            f"q{query}": {f"d{doc}": float(8 - place) for doc, place in enumerate(places[run])}
            for query, places in enumerate(found)
        }
        for run in range(runs)
    ]


def _is_an_order(places, weights):
    """Whether the numbers of documents beaten are 0, 1, ..., 7."""
    above = np.tensordot(weights, places[:, :, None] < places[:, None, :], axes=1)
    return sorted((above > sum(weights) / 2).sum(axis=1)) == list(range(8))


def main() -> None:
    qrels, runs = world(20260)
    values = {}
    elections = votes(20261)
    for method in ranx_fusion.METHODS:
        if method.startswith("Condorcet"):
            continue
        norm = "none" if method == "RRF" else "min-max"
        values[f"{method}/{norm}"] = ranx_fusion.fused(qrels, runs, method, norm)
    for norm in ranx_fusion.NORMS:
        for method in ("CombSUM", "CombMIN"):
            values[f"{method}/{norm}"] = ranx_fusion.fused(qrels, runs, method, norm)
    elected = {m: ranx_fusion.fused(qrels, elections, m, "none") for m in ("Condorcet", "Condorcet weighted")}
    command = "PYTHONPATH=tests python tests/golden/make_fusion_goldens.py"
    head = {"tool": "ranx", "version": version("ranx"), "command": command}
    content = {"qrels": qrels, "runs": runs, "fused": values, "elections": elections, "elected": elected, "odd": odd()}
    TARGET.write_text(json.dumps(head | content) + "\n")


if __name__ == "__main__":
    main()
