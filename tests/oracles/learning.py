"""scikit-learn and LightGBM: tools that see a query as two arrays, labels and scores."""

from __future__ import annotations

import lightgbm
import numpy as np
from sklearn.metrics import dcg_score, ndcg_score

SKLEARN = ("nDCG", "nDCG@2", "nDCG@5", "DCG", "DCG@3")
LIGHTGBM = ("nDCG@1", "nDCG@3", "nDCG@10", "AP@1", "AP@3", "AP@10")


def arrays(qrels, run, query):
    """Grades (0 where unjudged) and scores of a query's documents, in the run's order."""
    docs = run[query]
    return np.array([qrels[query].get(doc, 0) for doc in docs]), np.array(list(docs.values()), dtype=np.float64)


def sklearn(qrels, run) -> dict[str, dict[str, float]]:
    """Values of queries with two documents or more: of one alone scikit-learn refuses to compute any."""
    found: dict[str, dict[str, float]] = {name: {} for name in SKLEARN}
    for query in qrels.keys() & run.keys():
        grades, scores = arrays(qrels, run, query)
        if len(grades) > 1:
            for name in SKLEARN:
                measure, _, k = name.partition("@")
                of = ndcg_score if measure == "nDCG" else dcg_score
                found[name][query] = float(of([grades], [scores], k=int(k) if k else None))
    return found


def _evaluated(labels, scores, sizes) -> dict[str, float]:
    settings = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [1, 3, 10], "verbose": -1}
    data = lightgbm.Dataset(np.zeros((len(labels), 1)), label=labels, group=sizes, init_score=scores,
                            params={"verbose": -1, "min_data_in_bin": 1})  # fmt: skip
    names = {"ndcg": "nDCG", "map": "AP"}
    return {
        f"{names[metric.partition('@')[0]]}@{metric.partition('@')[2]}": float(value)
        for _, metric, value, _ in lightgbm.Booster(settings, data).eval_train()
    }


def lightgbm_per_query(qrels, run) -> dict[str, dict[str, float]]:
    """Metrics of scores given as a model's first guess, one data set for each query."""
    found: dict[str, dict[str, float]] = {name: {} for name in LIGHTGBM}
    for query in qrels.keys() & run.keys():
        grades, scores = arrays(qrels, run, query)
        for name, value in _evaluated(grades, scores, [len(grades)]).items():
            found[name][query] = value
    return found


def lightgbm_means(qrels, run) -> dict[str, float]:
    both = [arrays(qrels, run, query) for query in run if query in qrels]
    grades, scores = (np.concatenate(column) for column in zip(*both, strict=True))
    return _evaluated(grades, scores, [len(g) for g, _ in both])
