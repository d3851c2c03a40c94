"""Time rankgauge's fusion beside ranx's, in one process, warm, rounds interleaved.

    python benchmarks/fusion.py --runs 3 --queries 1000 --depth 100 --repeat 5

ranx fuses runs that it has turned into its own form already, rankgauge runs that are not in order yet; both give
a run in order. Scores are compared for every method but Condorcet, whose order ranx leaves to chance.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rankgauge as rg

METHODS = {
    "CombSUM": ("sum", {}, {}),
    "CombMNZ": ("mnz", {}, {}),
    "CombMED": ("med", {}, {}),
    "WSUM": ("wsum", {"weights": [0.5, 0.3, 0.2]}, {"weights": [0.5, 0.3, 0.2]}),
    "RRF": ("rrf", {"k": 60}, {"k": 60}),
    "ISR": ("isr", {}, {}),
    "RBC": ("rbc", {"phi": 0.9}, {"phi": 0.9}),
    "BordaFuse": ("bordafuse", {}, {}),
    "Condorcet": ("condorcet", {}, {}),
}
"""Our method -> ranx's, our parameters, ranx's."""

Nested = dict[str, dict[str, float]]


def world(runs: int, queries: int, depth: int, *, seed: int = 20260101) -> list[Nested]:
    """Runs that share about half of their documents, with distinct scores."""
    rng = np.random.default_rng(seed)

    def ranking() -> dict[str, float]:
        docs = rng.permutation(2 * depth)[:depth]
        return {f"doc{doc}": float(score) for doc, score in zip(docs, rng.permutation(depth) + 0.5, strict=True)}

    return [{f"q{query}": ranking() for query in range(queries)} for _ in range(runs)]


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and processor seconds of all threads."""
    start, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - used


def largest_difference(ours: Nested, theirs: Nested) -> float:
    return max(abs(ours[query][doc] - score) for query, docs in theirs.items() for doc, score in docs.items())


def measured(nested: list[Nested], methods: list[str], repeat: int) -> Iterator[dict[str, Any]]:
    import ranx

    made = {"ours": [rg.Run.from_dict(run) for run in nested], "theirs": [ranx.Run(run) for run in nested]}
    for name in methods:
        theirs, mine, given = METHODS[name]
        mine, given = ({k: v[: len(nested)] if k == "weights" else v for k, v in p.items()} for p in (mine, given))
        calls = {
            "ours": lambda name=name, mine=mine: rg.fuse(made["ours"], method=name, **mine),
            "theirs": lambda theirs=theirs, given=given: ranx.fuse(
                made["theirs"], norm="min-max", method=theirs, params=given
            ),
        }
        warm = {tool: call() for tool, call in calls.items()}
        samples: dict[str, list[tuple[float, float]]] = {tool: [] for tool in calls}
        for _ in range(repeat):
            for tool, call in calls.items():
                samples[tool].append(timed(call))
        found = {query: dict(docs) for query, docs in warm["theirs"].run.items()}
        row: dict[str, Any] = {"method": name}
        for tool, seconds in samples.items():
            row[tool], row[f"{tool} cpu"] = (statistics.median(kind) for kind in zip(*seconds, strict=True))
        apart = None if name == "Condorcet" else largest_difference(warm["ours"].to_dict(), found)
        ratios = {"ratio": row["theirs"] / row["ours"], "ratio cpu": row["theirs cpu"] / row["ours cpu"]}
        yield row | ratios | {"apart": apart}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    asked = parser.parse_args()
    nested = world(asked.runs, asked.queries, asked.depth)
    print("| method | rankgauge s | ranx s | ratio | ratio of CPU s | largest difference |", flush=True)
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    differing = []
    for row in measured(nested, asked.methods, asked.repeat):
        apart = "-" if row["apart"] is None else f"{row['apart']:.1e}"
        times = f"{row['ours']:.3f} | {row['theirs']:.3f} | {row['ratio']:.1f} | {row['ratio cpu']:.1f}"
        print(f"| {row['method']} | {times} | {apart} |", flush=True)
        differing += [row["method"]] * (row["apart"] is not None and row["apart"] > 1e-9)
    if differing:
        raise SystemExit(f"the tools' scores differ: {', '.join(differing)}")


if __name__ == "__main__":
    main()
