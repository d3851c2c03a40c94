"""Measures: one function per measure, which reads like its formula."""

from rankgauge.measures._grammar import find, parse
from rankgauge.measures._measure import REGISTRY, Measure, Residual, measure
from rankgauge.measures._weights import discount, gain
from rankgauge.measures.diversity import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from rankgauge.measures.gain import CG, DCG, ERR, Q, nDCG
from rankgauge.measures.incomplete import IPrec, IPrec11, Judged, Unjudged, bpref, infAP
from rankgauge.measures.precision import (
    AP,
    GMAP,
    RR,
    F,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    RelativeP,
    Rprec,
    SetF,
    SetP,
    SetR,
    Success,
)

__all__ = [
    "AP", "AP_IA", "CG", "DCG", "ERR", "ERR_IA", "F", "GMAP", "IPrec", "IPrec11", "Judged", "Measure", "NRBP",
    "NumRel", "NumRelRet", "NumRet", "P", "P_IA", "Q", "R", "REGISTRY", "RR", "RelativeP", "Residual", "Rprec",
    "SetF", "SetP", "SetR", "StRecall", "Success", "Unjudged", "alpha_DCG", "alpha_nDCG", "bpref", "discount",
    "find", "gain", "infAP", "measure", "nDCG", "nERR_IA", "nNRBP", "parse",
]  # fmt: skip
