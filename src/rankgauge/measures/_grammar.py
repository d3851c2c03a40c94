"""The grammar of measures' names: nDCG(gain='linear')@10, as ir_measures writes them."""

from __future__ import annotations

import ast
import re
from typing import Any

from rankgauge.errors import ParameterError, UnknownMeasureError, did_you_mean
from rankgauge.measures._measure import REGISTRY, Measure

ALIASES = {
    "MRR": "RR", "MAP": "AP", "NDCG": "nDCG", "Recall": "R", "Precision": "P", "HitRate": "Success", "F1": "F",
    "RPrec": "Rprec", "BPref": "bpref", "Bpref": "bpref", "InfAP": "infAP", "set_map": "SetAP",
    "NumRetRel": "NumRelRet", "NumQRels": "NumRel", "recip_rank": "RR", "map": "AP",
    "ndcg": "nDCG", "recall": "R", "success": "Success", "P_": "P", "set_P": "SetP", "set_recall": "SetR",
    "set_F": "SetF", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet", "gm_map": "GMAP",
    "11pt_avg": "IPrec11", "unj": "Unjudged", "MAP_IA": "AP_IA", "strec": "StRecall",
}  # fmt: skip
WRITTEN = re.compile(r"(?P<name>[A-Za-z0-9_]+)\s*(?:\((?P<args>.*)\))?\s*(?:@\s*(?P<cut>[^@\s]+))?", re.DOTALL)
TREC_CUT = re.compile(r"(?P<name>P|recall|success|map_cut|ndcg_cut|unj|recip_rank)_(?P<cut>\d+)")


def parse(text: str) -> Measure:
    """Read a measure's name, as `rankgauge measures` and every result print it.

    Raises
    ------
    UnknownMeasureError
        For a name that nobody declared; near ones are offered.
    ParameterError
        For a parameter, a value or a cutoff that the measure does not take, or a text that is no name.

    >>> parse("nDCG(gain='linear')@10")
    nDCG(gain='linear')@10
    >>> parse("P(rel=2)@5") == parse("P_5")(rel=2)
    True
    """
    text = text.strip()
    if trec := TREC_CUT.fullmatch(text):
        return find(trec["name"].removesuffix("_cut")) @ int(trec["cut"])
    parts = WRITTEN.fullmatch(text)
    if parts is None:
        raise ParameterError(f"expected a measure such as nDCG@10 or RBP(p=0.8), got {text!r}")
    found = find(parts["name"])
    if parts["args"]:
        found = found(**_arguments(found, parts["args"], text))
    return found if parts["cut"] is None else _cut(found, parts["cut"])


def find(name: str) -> Measure:
    """Return the measure of this name or of this alias."""
    known = REGISTRY.get(name) or REGISTRY.get(ALIASES.get(name, ""))
    if known is None:
        hint = did_you_mean(name, REGISTRY)
        raise UnknownMeasureError(f"no measure named {name!r}{hint} (`rankgauge measures` lists all)")
    return known


def _arguments(measure: Measure, written: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"_({written})", mode="eval").body
        assert isinstance(call, ast.Call) and not call.args
        found = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        expected = "parameters as name=value with numbers, quoted text or {grade: gain}"
        raise ParameterError(f"{text}: expected {expected}, got ({written})") from None
    if measure.name in ("nDCG", "DCG") and (dcg := found.pop("dcg", None)):  # ir_measures' words for the gain
        found["gain"] = {"log2": "linear", "exp-log2": "exp"}.get(dcg, dcg)
    return found


def _cut(measure: Measure, written: str) -> Measure:
    if "recall" in measure.parameters and measure.declared.cutoff == "none":
        return measure(recall=_number(measure, written))
    number = _number(measure, written)
    if not number.is_integer():
        raise ParameterError(f"{measure.name}: expected a whole number after @, got {written!r}")
    return measure @ int(number)


def _number(measure: Measure, written: str) -> float:
    try:
        return float(written)
    except ValueError:
        raise ParameterError(f"{measure.name}: expected a number after @, got {written!r}") from None
