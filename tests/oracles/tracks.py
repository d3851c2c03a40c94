"""Tools of evaluation campaigns: pyndeval, cwl_eval, and gdeval.pl and MS MARCO's script as ir_measures ships them."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pyndeval
from ir_measures.bin import msmarco_eval

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # invalid escapes in its docstrings
    from cwl.ruler import cwl_ruler
    from cwl.ruler.ranking import Ranking

CWL = {
    "P@5": cwl_ruler.PrecisionCWLMetric(5),
    "RR": cwl_ruler.RRCWLMetric(),
    "AP": cwl_ruler.APCWLMetric(),
    "RBP(p=0.8)": cwl_ruler.RBPCWLMetric(0.8),
    "RBP(p=0.99)": cwl_ruler.RBPCWLMetric(0.99),
    "SDCG@5": cwl_ruler.NDCGCWLMetric(5),
    "INST(T=1)": cwl_ruler.INSTCWLMetric(1.0),
    "INSQ(T=2)": cwl_ruler.INSQCWLMetric(2.0),
    "BPM(T=1)@5": cwl_ruler.BPMCWLMetric(1.0, 5),
    "NERR8@5": cwl_ruler.NERReq8CWLMetric(5),
    "NERR9@5": cwl_ruler.NERReq9CWLMetric(5),
    "NERR10(p=0.9)": cwl_ruler.NERReq10CWLMetric(0.9),
    "NERR11(T=1)": cwl_ruler.NERReq11CWLMetric(1.0),
}
NDEVAL = {
    **{f"{ours}@{k}": f"{theirs}@{k}" for k in (1, 3, 10) for ours, theirs in
       {"ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA", "alpha_DCG": "alpha-DCG", "alpha_nDCG": "alpha-nDCG", "P_IA": "P-IA",
        "StRecall": "strec"}.items()},
    **{"NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"},
}  # fmt: skip


def gdeval(qrels, run, cutoff: int) -> dict[str, dict[str, float]]:
    """What gdeval.pl prints for each topic, to five digits; it must have numeric topics."""
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "gdeval.pl").write_bytes(pkgutil.get_data("ir_measures", "bin/gdeval.pl") or b"")
        judged = [f"{q} 0 {doc} {grade}" for q, docs in qrels.items() for doc, grade in docs.items()]
        ranked = [f"{q} Q0 {doc} 1 {score!r} run" for q, docs in run.items() for doc, score in docs.items()]
        (at / "qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")
        (at / "run").write_text("\n".join(ranked) + "\n", encoding="utf-8")
        command = ["perl", at / "gdeval.pl", at / "qrels", at / "run", str(cutoff)]
        printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    rows = [line.split(",") for line in printed.splitlines()[1:]]
    return {
        f"nDCG@{cutoff}": {topic: float(ndcg) for _, topic, ndcg, _ in rows},
        f"ERR@{cutoff}": {topic: float(err) for _, topic, _, err in rows},
    }


def ndeval(triples, run) -> dict[str, dict[str, float]]:
    """pyndeval's values; judgments are (query, subtopic, doc, grade)."""
    ranked = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    found = pyndeval.RelevanceEvaluator(triples, list(NDEVAL.values())).evaluate(ranked)
    return {ours: {query: values[theirs] for query, values in found.items()} for ours, theirs in NDEVAL.items()}


def cwl(gains, run) -> dict[str, dict[str, float]]:
    """Expected utility of each query of both, by cwl_eval's classes; rankings are in the order of the run."""
    found: dict[str, dict[str, float]] = {name: {} for name in CWL}
    for query in gains.keys() & run.keys():
        ranked = [gains[query].get(doc, float("nan")) for doc in run[query]]
        for name, metric in CWL.items():
            found[name][query] = float(metric.measure(Ranking(query, ranked, [1.0] * len(ranked))))
    return found


def msmarco(relevant, ranked, cutoff: int = sys.maxsize) -> dict[str, float]:
    """Reciprocal rank of each query of both: {query: relevant documents} and {query: documents in order}."""
    found: dict[str, float] = msmarco_eval.compute_metrics(relevant, ranked, cutoff)[f"MRR @{cutoff} by query"]
    return found
