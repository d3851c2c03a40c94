"""Measures rankings for search and RAG, with the doubt beside every score."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.checkup import Checkup, CheckupLimits, Finding, doctor
    from rankgauge.comparison.comparing import compare
    from rankgauge.comparison.comparison import Comparison
    from rankgauge.comparison.gate import Gate, gate
    from rankgauge.comparison.holes import Holes, holes
    from rankgauge.comparison.merging import MergedQrels, merge_qrels
    from rankgauge.comparison.trend.rules import TrendRules
    from rankgauge.comparison.trend.trend import Trend
    from rankgauge.comparison.trend.trending import trend
    from rankgauge.comparison.verdict import Thresholds, Verdict
    from rankgauge.conventions import CONVENTIONS, Convention
    from rankgauge.engines.memory import evaluate, judge
    from rankgauge.errors import RankgaugeError
    from rankgauge.formats import read_qrels, read_run, write_qrels, write_run
    from rankgauge.fusion import Tuned, fuse, tune
    from rankgauge.measures import *  # noqa: F403
    from rankgauge.measures.classification import Classification, classify
    from rankgauge.measures.confusion import Confusion
    from rankgauge.reconciliation import Reconciliation, ToolDifference, explain_difference, reconcile
    from rankgauge.records import Note, Qrels, Run
    from rankgauge.records.scores import Scores

__all__ = [
    "AP", "AP_IA", "BPM", "CG", "CONVENTIONS", "Checkup", "CheckupLimits", "Classification", "Comparison",
    "Confusion", "Convention", "DCG", "DynamicBPM", "ERR", "ERR_IA", "F", "Finding", "GMAP", "Gate", "Holes", "IFT",
    "INSQ", "INST", "IPrec", "IPrec11", "Judged", "Measure", "MergedQrels", "NERR10", "NERR11", "NERR8", "NERR9",
    "NPV", "NRBP", "Note", "NumRel", "NumRelRet", "NumRet", "P", "P_IA", "Profile", "PromptGain", "Q",
    "Qrels", "R", "RBP",
    "REGISTRY", "RR", "RankgaugeError", "Reconciliation", "RelativeP", "Residual", "Rprec", "Run", "SDCG", "Scores",
    "SetAP", "SetF", "SetP", "SetR", "Similarity", "StRecall", "Success", "TBG", "Thresholds", "ToolDifference",
    "Trend", "TrendRules",
    "Tuned", "UMeasure", "Unjudged", "Verdict", "alpha_DCG", "alpha_nDCG", "bpref", "classify", "compare", "discount",
    "doctor", "evaluate", "explain_difference", "find", "fuse", "gain", "gate", "holes", "infAP", "judge",
    "kendall_tau", "measure", "merge_qrels", "nDCG", "nERR_IA", "nNRBP", "overlap", "parse", "profile",
    "rank_correlation", "rbo", "read_qrels", "read_run", "reconcile", "tau_ap", "trend", "tune", "user_model",
    "weights", "write_qrels", "write_run",
]  # fmt: skip

_HOMES = {
    "rankgauge.checkup": ("Checkup", "CheckupLimits", "Finding", "doctor"),
    "rankgauge.comparison.comparing": ("compare",),
    "rankgauge.comparison.comparison": ("Comparison",),
    "rankgauge.comparison.gate": ("Gate", "gate"),
    "rankgauge.comparison.holes": ("Holes", "holes"),
    "rankgauge.comparison.merging": ("MergedQrels", "merge_qrels"),
    "rankgauge.comparison.trend.rules": ("TrendRules",),
    "rankgauge.comparison.trend.trend": ("Trend",),
    "rankgauge.comparison.trend.trending": ("trend",),
    "rankgauge.comparison.verdict": ("Thresholds", "Verdict"),
    "rankgauge.conventions": ("CONVENTIONS", "Convention"),
    "rankgauge.engines": ("evaluate", "judge"),
    "rankgauge.errors": ("RankgaugeError",),
    "rankgauge.formats": ("read_qrels", "read_run", "write_qrels", "write_run"),
    "rankgauge.fusion": ("Tuned", "fuse", "tune"),
    "rankgauge.measures.classification": ("Classification", "classify"),
    "rankgauge.measures.confusion": ("Confusion",),
    "rankgauge.reconciliation": ("Reconciliation", "ToolDifference", "explain_difference", "reconcile"),
    "rankgauge.records": ("Note", "Qrels", "Run"),
    "rankgauge.records.scores": ("Scores",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing the package costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'rankgauge' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOME.get(name, "rankgauge.measures")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
