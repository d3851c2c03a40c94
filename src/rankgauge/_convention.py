"""The record of a convention: everything in which tools differ, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

Ties = Literal["docid-desc", "docid-asc", "input", "expected"]
Rules = Mapping[str, Mapping[str, Any]]


def _none() -> Rules:
    return MappingProxyType({})


@dataclass(frozen=True)
class Convention:
    """How a tool turns qrels and a run into numbers.

    Attributes
    ----------
    ties
        Order of documents with equal scores: "docid-desc" and "docid-asc" by the id's bytes, "input" as
        given, "expected" the mean over all orders.
    order
        What ranks documents: their "score", the file's "rank" column (the score where there is none), or
        the "input" order.
    score_type
        Precision in which scores are compared.
    queries
        Which queries a mean is over: every "judged" one (a ranking that is missing scores 0), those in
        "both" qrels and run, or of these the ones with a "relevant" document.
    undefined
        What 0/0 becomes: "skip" leaves the query out of the mean and counts it, "zero" and "one" are values.
    negative
        What a grade below 0 says of a document: "pooled" -1 is in the pool but unjudged and lower is junk,
        judged and worthless; "unjudged" all are unjudged; "judged" all are judged. None ever has a gain.
    ideal
        Where the ideal ranking comes from: all "judged" documents, or the "retrieved" ones only.
    level
        Grade from which a document counts as relevant in binary measures.
    drop_self
        Drop documents whose id equals the query's id (BEIR).
    decimals
        Digits to which the tool rounds each query's value before it averages, or None. What a tool only
        prints with few digits isn't rounded here.
    mean_decimals
        Digits to which the tool rounds a mean, or None.
    defaults
        Parameters that its measures take where the user gives none: {measure: {parameter: value}}.
    apart
        Measures to which the tool applies other rules: {measure: {attribute: value}}. "RR@" means RR with
        a cutoff, "nDCG(gain='exp')@" that measure with any cutoff, "RBP" the measure in all its forms.
    """

    name: str
    says: str
    ties: Ties = "docid-desc"
    order: Literal["score", "rank", "input"] = "score"
    score_type: Literal["float64", "float32"] = "float64"
    queries: Literal["judged", "both", "relevant"] = "judged"
    undefined: Literal["skip", "zero", "one"] = "skip"
    negative: Literal["pooled", "unjudged", "judged"] = "pooled"
    ideal: Literal["judged", "retrieved"] = "judged"
    level: float = 1.0
    drop_self: bool = False
    decimals: int | None = None
    mean_decimals: int | None = None
    defaults: Rules = field(default_factory=_none, hash=False)
    apart: Rules = field(default_factory=_none, hash=False)

    def but(self, **changes: Any) -> Convention:
        """Return the same convention with some choices changed, for all measures; None leaves a choice as it is."""
        changed = {name: value for name, value in changes.items() if value is not None}
        apart = {
            measure: {name: value for name, value in rules.items() if name not in changed}
            for measure, rules in self.apart.items()
        }
        return replace(self, **({"apart": apart} | changed))

    def of(self, measure: str) -> Convention:
        """Return the rules that hold for a measure, named as it prints itself.

        >>> Convention("odd", "", apart={"RR@": {"ties": "docid-asc"}}).of("RR@10").ties
        'docid-asc'
        """
        written = measure.rstrip("0123456789") if "@" in measure else measure
        name = written.partition("(")[0].partition("@")[0]
        keys = (written, f"{name}@" if "@" in written else name, name)
        rules = next((self.apart[key] for key in keys if key in self.apart), {})
        return replace(self, apart=_none(), **rules) if rules else self
