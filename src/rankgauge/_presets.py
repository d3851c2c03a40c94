"""The conventions of other tools, one record each: what differs from ours, and the reason in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankgauge._convention import Convention

LINEAR = {"nDCG": {"gain": "linear"}, "DCG": {"gain": "linear"}, "CG": {"gain": "linear"}}
V9 = {"IPrec": {"rounding": "v9"}, "IPrec11": {"rounding": "v9"}}
TREC = {**LINEAR, "Judged": {"over": "k"}, "Unjudged": {"over": "k"}, "RBP": {"scale": "query"}}

# C/W/L tools stop at rank 1000, and forget the users who would read on there.
HORIZON = {"RBP": {"horizon": 1000, "tail": "lost"}}
LOST = {name: {"tail": "lost"} for name in ("INSQ", "INST", "NERR10", "NERR11", "NPV", "IFT", "DynamicBPM")}
KEPT: dict[str, dict[str, Any]] = {name: {} for name in ("SDCG", "BPM", "NERR8", "NERR9", "TBG", "UMeasure")}
CWL: dict[str, dict[str, Any]] = {**HORIZON, **LOST, **KEPT}

RAW_AT_1 = {"alpha_DCG": {"at1": "raw"}, "ERR_IA": {"at1": "raw"}}
SUBTOPICS = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")

DEFAULT = Convention(
    "default",
    "ours: exponential gain, every judged query counts, undefined values are left out of means and counted",
)

TREC_EVAL = Convention(
    "trec_eval",
    "trec_eval 10 with -c: float64 scores, ties by descending id, linear gain, every judged query counts, 0/0 is 0",
    undefined="zero",
    negative="unjudged",
    defaults=TREC,
)

TREC_EVAL9 = replace(
    TREC_EVAL,
    name="trec_eval9",
    says="trec_eval 9 without -c: as trec_eval, but float32 scores, and only queries that the run holds",
    score_type="float32",
    queries="both",
    defaults={**TREC, **V9},
)

PYTREC_EVAL = replace(
    TREC_EVAL9,
    name="pytrec_eval",
    says="pytrec_eval-terrier: trec_eval 9 in Python; the caller averages the queries of the run. "
    "A query whose ranking is empty scores 0 there; here it is missing",
)

_GDEVAL_IN_IR_MEASURES: Mapping[str, Any] = {"score_type": "float64", "decimals": 5}
_CWL_IN_IR_MEASURES: Mapping[str, Any] = {"score_type": "float64", "ties": "input"}
_NDEVAL_IN_IR_MEASURES: Mapping[str, Any] = {"score_type": "float64", "ties": "docid-asc"}

IR_MEASURES = Convention(
    "ir_measures",
    "ir_measures' default pipeline: a query missing from the run scores 0; each measure has the order of the tool "
    "behind it, so that RR (pytrec_eval, descending ids, float32) and RR@10 (ascending ids) differ on ties",
    undefined="zero",
    negative="judged",
    score_type="float32",
    defaults={**LINEAR, **V9, **LOST, **RAW_AT_1, "ERR": {"max_grade": 4.0}, "RBP": {**HORIZON["RBP"], "rel": 1.0}},
    apart={
        "RR@": {"score_type": "float64", "ties": "docid-asc"},
        "Judged": {"score_type": "float64", "ties": "docid-asc"},
        "ERR@": _GDEVAL_IN_IR_MEASURES,
        "nDCG(gain='exp')@": _GDEVAL_IN_IR_MEASURES,
        **dict.fromkeys(CWL, _CWL_IN_IR_MEASURES),
        **dict.fromkeys(SUBTOPICS, _NDEVAL_IN_IR_MEASURES),
    },
)

RANX = Convention(
    "ranx",
    "ranx with make_comparable=True: ties keep the order of the run up to 16 documents (beyond, its sort is "
    "unstable and nothing reproduces it), every judged query counts, 0/0 is 0, RBP takes grades unscaled. Its bpref "
    "is NaN where nothing was judged non-relevant, wrong with negative grades, and zeroes other queries after one "
    "without relevant documents: ours stays trec_eval's",
    ties="input",
    undefined="zero",
    negative="judged",
    defaults={**LINEAR, **V9, "RBP": {"scale": "none"}},
)

BEIR = Convention(
    "beir",
    "BEIR's evaluate: pytrec_eval over the queries of the run, documents with the query's own id dropped, means "
    "rounded to 5 digits; its MRR@k, R_cap@k and accuracy@k keep the order of the run among ties (and divide by all "
    "judged queries: the same number where the run lacks none)",
    undefined="zero",
    negative="unjudged",
    score_type="float32",
    queries="both",
    drop_self=True,
    mean_decimals=5,
    defaults=TREC,
    apart={name: {"score_type": "float64", "ties": "input"} for name in ("RR@", "RelativeP@", "Success@")},
)

SKLEARN = Convention(
    "sklearn",
    "scikit-learn's ndcg_score and dcg_score on each query's retrieved documents: the mean over all orders of ties, "
    "linear gain, an ideal made of the retrieved documents, 0 where nothing is relevant. With unretrieved judged "
    "documents appended below, k up to the number retrieved gives ideal='judged'",
    ties="expected",
    undefined="zero",
    queries="both",
    ideal="retrieved",
    defaults=LINEAR,
)

GDEVAL = Convention(
    "gdeval",
    "gdeval.pl 1.2a of the Web tracks: exponential gain, ERR on a scale up to 4, ties by descending id; only queries "
    "of the run that have a relevant document are printed (5 digits) and averaged",
    queries="relevant",
    undefined="zero",
    negative="judged",
    defaults={"ERR": {"max_grade": 4.0}},
)

NDEVAL = Convention(
    "ndeval",
    "ndeval 4.5 of the Web tracks: the rank column holds; without one, as ndeval -traditional: ties by descending id. "
    "pyndeval puts ties in ascending order: ties='docid-asc'. Both leave ERR-IA@1 and alpha-DCG@1 unnormalised "
    "and know no cutoff beyond 20",
    order="rank",
    queries="both",
    undefined="zero",
    negative="judged",
    defaults=RAW_AT_1,
)

CWL_EVAL = Convention(
    "cwl_eval",
    "cwl_eval 1.0.12: rankings stand in file order whatever their scores, and end at rank 1000; AP divides by the "
    "relevant documents retrieved. Grades are gains and must lie in [0, 1]",
    order="input",
    queries="both",
    undefined="zero",
    negative="judged",
    defaults={"AP": {"denominator": "retrieved"}, **{m: {**own, "max_grade": 1.0} for m, own in CWL.items()}},
)

LIGHTGBM = Convention(
    "lightgbm",
    "LightGBM's metrics ndcg and map: gain 2^grade-1, ties in the order of the data, 1 for a query without relevant "
    "documents, map@k divides by min(R, k); a query's documents are all there is, so the ideal is made of them",
    ties="input",
    queries="both",
    undefined="one",
    ideal="retrieved",
    defaults={"AP": {"denominator": "min(R,k)"}},
)

XGBOOST = replace(
    LIGHTGBM,
    name="xgboost",
    says="XGBoost's ndcg, map and pre: as LightGBM, with float32 scores; the names ndcg- and map- give 0 instead of 1 "
    "to a query without relevant documents (undefined='zero'); pre@k divides by the number ranked where that is less",
    score_type="float32",
)

MSMARCO = Convention(
    "msmarco",
    "MS MARCO's ms_marco_eval.py, for RR@10: the rank column holds, every judged query counts, a missing one scores 0. "
    "The script takes every line of its qrels as relevant, whatever the grade",
    order="rank",
    undefined="zero",
)

SPARK_MLLIB = Convention(
    "spark_mllib",
    "Spark MLlib's RankingMetrics from Python: rankings as the caller ordered them, labels without grades, "
    "meanAveragePrecisionAt(k) divides by min(R, k), 0 for a query without relevant documents. "
    "With grades, from Scala, ndcgAt has gain='exp'",
    order="input",
    queries="both",
    undefined="zero",
    defaults={"AP": {"denominator": "min(R,k)"}, **{name: {"gain": "binary"} for name in ("nDCG", "DCG", "CG")}},
)

PRESETS = (
    DEFAULT, TREC_EVAL, TREC_EVAL9, PYTREC_EVAL, IR_MEASURES, RANX, BEIR, SKLEARN, GDEVAL, NDEVAL, CWL_EVAL,
    LIGHTGBM, XGBOOST, MSMARCO, SPARK_MLLIB,
)  # fmt: skip
