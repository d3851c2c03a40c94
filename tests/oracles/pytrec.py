"""pytrec_eval-terrier: trec_eval 9 in Python."""

from __future__ import annotations

import pytrec_eval

from oracles.trec import CUTS, NAMES

FEW = (1, 2, 3)
CUT = {"P": "P", "recall": "R", "map_cut": "AP", "ndcg_cut": "nDCG", "relative_P": "RelativeP", "success": "Success"}
MEASURES = {
    **{theirs: ours for theirs, ours in NAMES.items() if theirs != "gm_map"},
    **{f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in CUT.items() for k in (*FEW, *CUTS)},
}
"""Its name -> ours; its gm_map gives the logarithm of each query's AP, so AP covers it."""

CUTS_ASKED = ",".join(map(str, (*FEW, *CUTS)))
ASKED = {
    *{theirs for theirs in MEASURES if theirs in pytrec_eval.supported_measures},
    *{f"{theirs}.{CUTS_ASKED}" for theirs in CUT},
    "iprec_at_recall",
}


def per_query(qrels, run, *, level: int = 1, judged_only: bool = False) -> dict[str, dict[str, float]]:
    """Values of all measures in common, by our names."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level, judged_docs_only_flag=judged_only)
    found = evaluator.evaluate(run)
    return {ours: {query: values[theirs] for query, values in found.items()} for theirs, ours in MEASURES.items()}
