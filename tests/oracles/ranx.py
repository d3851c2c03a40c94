"""ranx with make_comparable=True, by our names."""

from __future__ import annotations

import ranx

NAMES = {
    "NumRelRet@3": "hits@3",
    "Success@2": "hit_rate@2",
    "P@3": "precision@3",
    "R@3": "recall@3",
    "R": "recall",
    "F@3": "f1@3",
    "Rprec": "r-precision",
    "RR": "mrr",
    "RR@2": "mrr@2",
    "AP": "map",
    "AP@2": "map@2",
    "nDCG": "ndcg",
    "nDCG@3": "ndcg@3",
    "nDCG(gain='exp')@3": "ndcg_burges@3",
}
"""Our name -> ranx's."""


def per_query(qrels, run, names=NAMES) -> dict[str, dict[str, float]]:
    judged, ranked = ranx.Qrels(qrels), ranx.Run(run)
    ranx.evaluate(judged, ranked, list(names.values()), make_comparable=True, save_results_in_run=True)
    return {ours: {query: float(v) for query, v in ranked.scores[theirs].items()} for ours, theirs in names.items()}
