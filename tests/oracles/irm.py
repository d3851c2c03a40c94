"""ir_measures' default pipeline, by our names."""

from __future__ import annotations

import ir_measures

NAMES = {
    **{name: name for name in ("RR", "RR@2", "RR@10", "P@3", "R@3", "AP", "AP@2", "Rprec", "nDCG", "nDCG@3", "infAP")},
    **{name: name for name in ("Success@2", "SetP", "SetR", "SetF", "SetAP", "Judged@2", "Judged@10", "Judged")},
    **{f"IPrec(recall={x})": f"IPrec@{x}" for x in (0.1, 0.5, 1.0)},
    "bpref": "Bpref",
    "NumRet": "NumRet",
    "NumRel": "NumRel",
    "NumRelRet": "NumRet(rel=1)",
    "nDCG(gain='exp')@3": "nDCG(dcg='exp-log2')@3",
    "ERR@3": "ERR@3",
}
"""Our name -> ir_measures'."""


def per_query(qrels, run, names=NAMES) -> dict[str, dict[str, float]]:
    theirs = {ir_measures.parse_measure(name): ours for ours, name in names.items()}
    found: dict[str, dict[str, float]] = {ours: {} for ours in names}
    for metric in ir_measures.iter_calc(list(theirs), qrels, run):
        found[theirs[metric.measure]][metric.query_id] = metric.value
    return found


def means(qrels, run, names=NAMES) -> dict[str, float]:
    theirs = {ir_measures.parse_measure(name): ours for ours, name in names.items()}
    return {theirs[m]: value for m, value in ir_measures.calc_aggregate(list(theirs), qrels, run).items()}
