"""Which measures each tool has, so that no number is laid at the door of a tool that cannot give it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankgauge.conventions import CONVENTIONS, Convention
from rankgauge.measures import Measure

_TREC = (
    "AP GMAP RR P R Rprec RelativeP Success nDCG bpref infAP IPrec IPrec11 SetP SetR SetF SetAP NumRet NumRel NumRelRet"
)
_CWL = "RBP INSQ INST SDCG BPM DynamicBPM NERR8 NERR9 NERR10 NERR11 TBG UMeasure NPV IFT"
_SUBTOPICS = "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall"

MEASURES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        name: frozenset(measures.split())
        for name, measures in {
            "trec_eval": f"{_TREC} Judged Unjudged RBP",
            "trec_eval9": _TREC,
            "pytrec_eval": _TREC,
            "ir_measures": f"AP RR P R Rprec Success nDCG bpref infAP IPrec SetP SetR SetF SetAP "
            f"NumRet NumRel NumRelRet Judged ERR RBP INSQ INST SDCG BPM NERR8 NERR9 NERR10 NERR11 {_SUBTOPICS}",
            "ranx": "NumRelRet Success P R F Rprec RR AP nDCG RBP bpref",
            "beir": "nDCG AP R P RR RelativeP Success",
            "sklearn": "nDCG DCG",
            "gdeval": "nDCG ERR",
            "ndeval": _SUBTOPICS,
            "cwl_eval": f"{_CWL} P RR AP",
            "lightgbm": "nDCG AP",
            "xgboost": "nDCG AP",  # its pre@k divides by the documents ranked where those are fewer
            "msmarco": "RR",
            "spark_mllib": "nDCG AP P R",
        }.items()
    }
)
"""Our names of each tool's measures; a convention that is not listed has all."""


def gives(convention: Convention, measure: Measure) -> bool:
    """Whether the convention's tool has this measure."""
    return measure.name in MEASURES.get(convention.name, {measure.name})


def tools_with(measure: Measure) -> tuple[Convention, ...]:
    """Conventions of the tools that have this measure; ours is the first."""
    return tuple(known for known in CONVENTIONS.values() if gives(known, measure))
