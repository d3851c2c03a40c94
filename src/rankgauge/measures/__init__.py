"""Measures: one function per measure, which reads like its formula."""

from rankgauge.measures._grammar import find, parse
from rankgauge.measures._measure import REGISTRY, Measure, Residual, measure
from rankgauge.measures._pairing import Similarity
from rankgauge.measures._users import user_model, weights
from rankgauge.measures._weights import discount, gain
from rankgauge.measures.diversity import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from rankgauge.measures.graded import CG, DCG, ERR, Q, nDCG
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
    SetAP,
    SetF,
    SetP,
    SetR,
    Success,
)
from rankgauge.measures.profiles import Profile, profile
from rankgauge.measures.prompt import PromptGain
from rankgauge.measures.similarity import kendall_tau, overlap, rank_correlation, rbo, tau_ap
from rankgauge.measures.users import (
    BPM,
    IFT,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NPV,
    RBP,
    SDCG,
    TBG,
    DynamicBPM,
    UMeasure,
)

__all__ = [
    "AP", "AP_IA", "BPM", "CG", "DCG", "DynamicBPM", "ERR", "ERR_IA", "F", "GMAP", "IFT", "INSQ", "INST", "IPrec",
    "IPrec11", "Judged", "Measure", "NERR10", "NERR11", "NERR8", "NERR9", "NPV", "NRBP", "NumRel", "NumRelRet",
    "NumRet", "P", "P_IA", "Profile",
    "PromptGain", "Q", "R", "RBP", "REGISTRY", "RR", "RelativeP", "Residual", "Rprec", "SDCG",
    "SetAP", "SetF", "SetP", "SetR", "Similarity", "StRecall", "Success", "TBG", "UMeasure", "Unjudged", "alpha_DCG",
    "alpha_nDCG", "bpref", "discount", "find", "gain", "infAP", "kendall_tau", "measure", "nDCG", "nERR_IA",
    "nNRBP", "overlap", "parse", "profile", "rank_correlation", "rbo", "tau_ap", "user_model", "weights",
]  # fmt: skip
