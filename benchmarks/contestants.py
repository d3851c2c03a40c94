"""Each tool as its users call it: one function from files, one from dicts, one from frames. Run by run.py.

A contestant returns the mean of each measure under our name. Its process prints them as JSON, with the seconds
that the call itself took; run.py measures the process as a whole.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

MEASURES = ["nDCG@10", "AP", "RR@10", "P@10", "R@100", "R@1000"]
TREC_EVAL = ["ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100", "recall.1000"]
RANX = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "recall@1000"]
Means = dict[str, float]


def within_10(reciprocal_rank: float) -> float:
    """RR@10 from RR, which trec_eval and pytrec_eval do not cut."""
    return reciprocal_rank if reciprocal_rank > 1 / 10.5 else 0.0


def rankgauge_files(qrels: Path, run: Path) -> Means:
    import rankgauge as rg

    return _rankgauge_means(rg.evaluate(rg.read_qrels(qrels), rg.read_run(run), MEASURES, convention="trec_eval"))


def pytrec_eval_files(qrels: Path, run: Path) -> Means:
    import pytrec_eval

    with qrels.open() as q, run.open() as r:
        return pytrec_eval_dicts(pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r))


def ir_measures_files(qrels: Path, run: Path) -> Means:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    read = ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    means = ir_measures.calc_aggregate(measures, *read)
    return {name: means[measure] for name, measure in zip(MEASURES, measures, strict=True)}


def ranx_files(qrels: Path, run: Path) -> Means:
    import ranx

    made = ranx.Qrels.from_file(str(qrels), kind="trec"), ranx.Run.from_file(str(run), kind="trec")
    return _ranx_means(ranx.evaluate(*made, RANX))


def rankgauge_dicts(qrels: dict[str, Any], run: dict[str, Any]) -> Means:
    import rankgauge as rg

    return _rankgauge_means(rg.evaluate(qrels, {"run": run}, MEASURES, convention="trec_eval"))


def pytrec_eval_dicts(qrels: dict[str, Any], run: dict[str, Any]) -> Means:
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL)).evaluate(run)
    names = [name.replace(".", "_") for name in TREC_EVAL]
    means = {
        ours: fmean(within_10(q[theirs]) if ours == "RR@10" else q[theirs] for q in found.values())
        for ours, theirs in zip(MEASURES, names, strict=True)
    }
    return means


def ir_measures_dicts(qrels: dict[str, Any], run: dict[str, Any]) -> Means:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    means = ir_measures.calc_aggregate(measures, qrels, run)
    return {name: means[measure] for name, measure in zip(MEASURES, measures, strict=True)}


def ranx_dicts(qrels: dict[str, Any], run: dict[str, Any]) -> Means:
    import ranx

    return _ranx_means(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), RANX))


def rankgauge_frames(qrels: Any, run: Any) -> Means:
    import rankgauge as rg

    made = rg.Qrels.from_polars(qrels), rg.Run.from_polars(run)
    return _rankgauge_means(rg.evaluate(*made, MEASURES, convention="trec_eval"))


def pytrec_eval_frames(qrels: Any, run: Any) -> Means:
    return pytrec_eval_dicts(nested(qrels, "grade"), nested(run, "score"))


def ranx_frames(qrels: Any, run: Any) -> Means:
    return ranx_dicts(nested(qrels, "grade"), nested(run, "score"))


def ir_measures_frames(qrels: Any, run: Any) -> Means:
    return ir_measures_dicts(nested(qrels, "grade"), nested(run, "score"))


def nested(frame: Any, value: str) -> dict[str, dict[str, Any]]:
    """{query: {doc: value}}, the one input that all peers accept."""
    made = {}
    for (query,), group in frame.group_by("query", maintain_order=True):
        made[query] = dict(zip(group["doc"].to_list(), group[value].to_list(), strict=True))
    return made


def _rankgauge_means(scores: Any) -> Means:
    found = scores.mean()
    return dict(zip(MEASURES, found["mean"].to_list(), strict=True))


def _ranx_means(means: dict[str, Any]) -> Means:
    return {ours: float(means[theirs]) for ours, theirs in zip(MEASURES, RANX, strict=True)}


def frames(qrels: Path, run: Path) -> tuple[Any, Any]:
    import polars as pl

    def read(path: Path, names: dict[str, Any]) -> Any:
        frame = pl.read_csv(path, separator=" ", has_header=False, quote_char=None, schema=names)
        return frame.select([name for name in names if name in ("query", "doc", "grade", "score")])

    text, whole = pl.String, pl.Int64
    return (
        read(qrels, {"query": text, "zero": text, "doc": text, "grade": whole}),
        read(run, {"query": text, "q0": text, "doc": text, "rank": whole, "score": pl.Float64, "tag": text}),
    )


WARM_UP = 20  # queries of the input


def prepared(tool: str, form: str, qrels: Path, run: Path) -> tuple[Any, Any]:
    """What a call gets. In memory, a tool's modules are loaded and its compiler has run before the clock starts."""
    if form == "files":
        return qrels, run
    read = frames(qrels, run)
    some = read[0]["query"].unique(maintain_order=True).head(WARM_UP)
    few = tuple(frame.filter(frame["query"].is_in(some.implode())) for frame in read)
    if form == "dicts":
        read, few = ((nested(q, "grade"), nested(r, "score")) for q, r in (read, few))
    globals()[f"{tool}_{form}"](*few)
    return read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=["rankgauge", "pytrec_eval", "ir_measures", "ranx"])
    parser.add_argument("form", choices=["files", "dicts", "frames"])
    parser.add_argument("qrels", type=Path)
    parser.add_argument("run", type=Path)
    given = parser.parse_args()
    call: Callable[[Any, Any], Means] = globals()[f"{given.tool}_{given.form}"]
    inputs = prepared(given.tool, given.form, given.qrels, given.run)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    means = call(*inputs)
    spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    json.dump({"means": means, **spent}, sys.stdout)


if __name__ == "__main__":
    main()
