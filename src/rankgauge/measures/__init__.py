"""Measures: one function per measure, which reads like its formula."""

from rankgauge.measures._grammar import find, parse
from rankgauge.measures._measure import REGISTRY, Measure, Residual, measure
from rankgauge.measures._weights import discount, gain
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
    "AP", "CG", "DCG", "ERR", "F", "GMAP", "IPrec", "IPrec11", "Judged", "Measure", "NumRel", "NumRelRet", "NumRet",
    "P", "Q", "R", "REGISTRY", "RR", "RelativeP", "Residual", "Rprec", "SetF", "SetP", "SetR", "Success",
    "Unjudged", "bpref", "discount", "find", "gain", "infAP", "measure", "nDCG", "parse",
]  # fmt: skip
