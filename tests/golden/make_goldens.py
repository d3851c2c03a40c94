"""Makes tests/golden/data/TOOL.json from the tool itself, where it is too heavy to be installed for every test run.

    pip install beir --no-deps && python tests/golden/make_goldens.py beir       (2.2.0; its evaluation code only)
    pip install ranx && python tests/golden/make_goldens.py ranx                 (0.3.21; minutes of compilation)
    pip install xgboost-cpu && python tests/golden/make_goldens.py xgboost       (3.2.0)
    pip install pyspark numpy && python tests/golden/make_goldens.py spark       (4.3.0, Java 17)

Each with PYTHONPATH=tests. A file holds its inputs, each query's values and the means, under our measures' names.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

from oracles import inputs

DATA = Path(__file__).parent / "data"


def beir(qrels, run):
    from beir.retrieval.evaluation import EvaluateRetrieval

    run["3"]["3"] = 9.0  # a document with the query's own id

    def scored(judged, ranked):
        found = {}
        ranked = {query: dict(docs) for query, docs in ranked.items()}
        for values in EvaluateRetrieval.evaluate(judged, ranked, [1, 3, 10]):  # drops the query's own id, for all
            found |= values
        ours = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R"}
        named = {name.partition("@"): value for name, value in found.items()}
        found = {ours.get(name, name) + at + k: value for (name, at, k), value in named.items()}
        custom = {"mrr": "RR@", "recall_cap": "RelativeP@", "accuracy": "Success@"}
        if all(max(grades.values()) > 0 for grades in judged.values()):  # else it divides by zero
            for metric, name in custom.items():
                values = EvaluateRetrieval.evaluate_custom(judged, ranked, [1, 3, 10], metric)
                found |= {name + key.partition("@")[2]: value for key, value in values.items()}
        return found

    relevant = {query: docs for query, docs in qrels.items() if max(docs.values()) > 0}
    with_some = {query: docs for query, docs in run.items() if query in relevant}
    half = dict(list(run.items())[::2])
    return {"mean": scored(relevant, with_some), "mean_of_half_the_run": scored(qrels, half)}


def ranx(qrels, run):
    from oracles.ranx import NAMES, per_query

    return {"per_query": per_query(qrels, run, {**NAMES, "RBP(p=0.5)": "rbp.50", "RBP(p=0.8)": "rbp.80"})}


def xgboost(qrels, run):
    import numpy as np
    import xgboost as xgb

    qrels["close"], run["close"] = {"a": 3, "b": 1, "c": 0}, {"b": 1.0, "a": inputs.CLOSE, "c": 0.0}
    names = {"nDCG": "ndcg", "nDCG@3": "ndcg@3", "AP": "map", "AP@3": "map@3", "P@3": "pre@3", "nDCG@5 zero": "ndcg@5-"}

    def scored(queries):
        labels = np.array([qrels[q][doc] for q in queries for doc in run[q]])
        data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels)
        data.set_group([len(run[q]) for q in queries])
        data.set_base_margin(np.array([score for q in queries for score in run[q].values()]))
        found = {}
        for ours, theirs in names.items():
            if ours.startswith(("AP", "P")):
                data.set_label(labels >= 1)
            settings = {"objective": "rank:ndcg", "eval_metric": theirs, "base_score": 0, "verbosity": 0}
            found[ours] = float(xgb.Booster(settings, [data]).eval(data).rsplit(":", 1)[1])
            data.set_label(labels)
        return found

    each = {query: scored([query]) for query in run}
    per_query = {name: {query: values[name] for query, values in each.items()} for name in names}
    return {"per_query": per_query, "mean": scored(list(run))}


def spark(qrels, run):
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()

    def scored(queries):
        pairs = [(list(run[q]), [doc for doc, grade in qrels[q].items() if grade >= 1]) for q in queries]
        metrics = RankingMetrics(session.sparkContext.parallelize(pairs, 1))
        found = {"AP": metrics.meanAveragePrecision}
        for k in (1, 3, 20):
            found |= {f"AP@{k}": metrics.meanAveragePrecisionAt(k), f"nDCG@{k}": metrics.ndcgAt(k)}
            found |= {f"P@{k}": metrics.precisionAt(k), f"R@{k}": metrics.recallAt(k)}
        return found

    # Spark cannot tell the type of an empty list of labels on its own: the last query counts in the mean only.
    each = {query: scored([query]) for query in run if max(qrels[query].values()) >= 1}
    per_query = {name: {query: values[name] for query, values in each.items()} for name in each["1"]}
    return {"per_query": per_query, "mean": scored(list(run))}


TOOLS = {"beir": (beir, "beir", 10), "ranx": (ranx, "ranx", 25), "xgboost": (xgboost, "xgboost-cpu", 25)}
TOOLS |= {"spark": (spark, "pyspark", 6)}


def main(tool: str) -> None:
    make, package, queries = TOOLS[tool]
    qrels, run = inputs.made(queries, judged_only=tool == "xgboost")
    values = make(qrels, run)
    head = {"tool": package, "version": version(package), "command": f"python tests/golden/make_goldens.py {tool}"}
    text = json.dumps(head | {"qrels": qrels, "run": run} | values, indent=1, ensure_ascii=False)
    (DATA / f"{tool}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
