"""trec_eval's names and files: its measures beside ours, its printed results, its inputs read plainly."""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

# Qrels and run, in the folder of conformance data, of each pair that trec_eval was run over.
PAIRS = {
    "vaswani.bm25": ("vaswani/qrels", "vaswani/bm25.run.gz"),
    "vaswani.coord": ("vaswani/qrels", "vaswani/coord.run.gz"),
    "cranfield.bm25": ("cranfield/cranfield.graded.qrels", "cranfield/bm25.run.gz"),
    "cranfield.coord": ("cranfield/cranfield.graded.qrels", "cranfield/coord.run.gz"),
    "web2012.ql-cata-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/ql-cata-filtered.run.gz"),
    "web2012.rm-catb": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb.run.gz"),
    "web2012.rm-catb-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb-filtered.run.gz"),
}
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(step / 10 for step in range(11))

NAMES = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "map": "AP",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "infAP": "infAP",
    "11pt_avg": "IPrec11",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    **{f"iprec_at_recall_{x:.2f}": f"IPrec(recall={x:g})" for x in RECALLS},
    **{f"P_{k}": f"P@{k}" for k in CUTS},
    **{f"recall_{k}": f"R@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTS},
    **{f"relative_P_{k}": f"RelativeP@{k}" for k in CUTS},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
}
"""trec_eval's name -> ours, for what trec_eval 9, 10 and pytrec_eval have in common."""

ONLY_10 = {**{f"unj_{k}": f"Unjudged@{k}" for k in (5, 10, 20)}, "rbp": "RBP(p=0.9)"}

ABSENT = (
    *("G", "Rndcg", "binG", "gm_bpref", "ndcg_rel", "num_nonrel_judged_ret", "set_relative_P", "utility", "Rprec_mult"),
    *("prefs_*", "*_avgjg"),
)
"""Measures of trec_eval that rankgauge has not."""


def text_of(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def read_qrels(path: Path) -> Qrels:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in text_of(path).splitlines():
        query, _, doc, grade, *_ = line.split()
        qrels[query][doc] = int(grade)
    return dict(qrels)


def read_run(path: Path) -> Run:
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in text_of(path).splitlines():
        query, _, doc, _, score, *_ = line.split()
        run[query][doc] = float(score)
    return dict(run)


def read_printed(path: Path) -> dict[str, dict[str, float]]:
    """Results of trec_eval -q: {its measure: {query or 'all': value}}."""
    printed: dict[str, dict[str, float]] = defaultdict(dict)
    for line in text_of(path).splitlines():
        measure, query, value = line.split("\t")
        if measure.strip() != "runid" and not measure.startswith("relstring"):
            printed[measure.strip()][query] = float(value)
    return dict(printed)
