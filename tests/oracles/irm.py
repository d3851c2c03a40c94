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

USERS = {
    "RBP(p=0.8)": "RBP(rel=1,p=0.8)",
    "RBP(p=0.99, rel=2)": "RBP(rel=2,p=0.99)",
    "SDCG(max_grade=3)@3": "SDCG(max_rel=3)@3",
    "INST(T=1, max_grade=3)": "INST(T=1.0,max_rel=3)",
    "INSQ(T=1, max_grade=3)": "INSQ(T=1.0,max_rel=3)",
    "BPM(T=1, max_grade=3)@5": "BPM(T=1.0,max_rel=3)@5",
    "NERR8(max_grade=3)@5": "NERR8(max_rel=3)@5",
    "NERR9(max_grade=3)@5": "NERR9(max_rel=3)@5",
    "NERR10(p=0.9, max_grade=3)": "NERR10(p=0.9,max_rel=3)",
    "NERR11(T=1, max_grade=3)": "NERR11(T=1.0,max_rel=3)",
}
DIVERSITY = {name: name for name in ("alpha_nDCG@10", "alpha_DCG@1", "ERR_IA@1", "ERR_IA@10", "nERR_IA@10")}
DIVERSITY |= {name: name for name in ("NRBP", "nNRBP", "AP_IA", "P_IA@10", "StRecall@10")}


def per_query(qrels, run, names=NAMES) -> dict[str, dict[str, float]]:
    theirs = {ir_measures.parse_measure(name): ours for ours, name in names.items()}
    found: dict[str, dict[str, float]] = {ours: {} for ours in names}
    for metric in ir_measures.iter_calc(list(theirs), qrels, run):
        found[theirs[metric.measure]][metric.query_id] = metric.value
    return found


def diversity_per_query(triples, run) -> dict[str, dict[str, float]]:
    """Values of judgments by subtopic: (query, subtopic, doc, grade)."""
    qrels = [ir_measures.Qrel(query, doc, grade, iteration=topic) for query, topic, doc, grade in triples]
    docs = [ir_measures.ScoredDoc(query, doc, score) for query, found in run.items() for doc, score in found.items()]
    return per_query(qrels, docs, DIVERSITY)


def means(qrels, run, names=NAMES) -> dict[str, float]:
    theirs = {ir_measures.parse_measure(name): ours for ours, name in names.items()}
    return {theirs[m]: value for m, value in ir_measures.calc_aggregate(list(theirs), qrels, run).items()}
