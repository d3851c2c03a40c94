"""Conventions: everything in which tools differ, in one record, with the peers' choices by name.

A measure's formula is ours and one; a convention says how rankings are ordered, which queries count,
what an undefined value becomes, and which defaults a measure's parameters take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from rankgauge.errors import ConventionError, did_you_mean

Ties = Literal["docid-desc", "docid-asc", "input", "expected"]
Defaults = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Convention:
    """How a tool turns qrels and a run into numbers.

    Attributes
    ----------
    ties
        Order of documents with equal scores: "docid-desc" and "docid-asc" by the id's bytes, "input" as
        given, "expected" the mean over all orders.
    order
        What ranks documents: their "score", the file's "rank" column, or the "input" order.
    score_type
        Precision in which scores are compared.
    queries
        Which queries a mean is over: every "judged" one (a ranking that is missing scores 0), or those in
        "both" qrels and run.
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
        Digits to which the tool rounds each query's value, or None.
    defaults
        Parameters that its measures take where the user gives none: {measure: {parameter: value}}.
    """

    name: str
    says: str
    ties: Ties = "docid-desc"
    order: Literal["score", "rank", "input"] = "score"
    score_type: Literal["float64", "float32"] = "float64"
    queries: Literal["judged", "both"] = "judged"
    undefined: Literal["skip", "zero", "one"] = "skip"
    negative: Literal["pooled", "unjudged", "judged"] = "pooled"
    ideal: Literal["judged", "retrieved"] = "judged"
    level: float = 1.0
    drop_self: bool = False
    decimals: int | None = None
    defaults: Defaults = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def but(self, **changes: Any) -> Convention:
        """Return the same convention with some choices changed; None leaves a choice as it is."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})


_LINEAR = {"nDCG": {"gain": "linear"}, "DCG": {"gain": "linear"}, "CG": {"gain": "linear"}}
_TREC = {**_LINEAR, "RBP": {"scale": "query"}, "Judged": {"over": "k"}}

_trec_eval = Convention(
    "trec_eval",
    "trec_eval 10 with -c: float64 scores, ties by descending id, linear gain, every judged query counts, 0/0 is 0",
    undefined="zero",
    negative="unjudged",
    defaults=_TREC,
)

CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        convention.name: convention
        for convention in [
            Convention(
                "default",
                "ours: exponential gain, every judged query counts, undefined values are left out of means and counted",
            ),
            _trec_eval,
            replace(
                _trec_eval,
                name="trec_eval9",
                says="trec_eval 9 without -c: as trec_eval, but float32 scores, and only queries that the run holds",
                score_type="float32",
                queries="both",
                defaults={**_TREC, "IPrec": {"rounding": "v9"}, "IPrec11": {"rounding": "v9"}},
            ),
            replace(
                _trec_eval,
                name="pytrec_eval",
                says="pytrec_eval-terrier: trec_eval 9 in Python; the caller averages the queries of the run",
                score_type="float32",
                queries="both",
                defaults={**_TREC, "IPrec": {"rounding": "v9"}, "IPrec11": {"rounding": "v9"}},
            ),
        ]
    }
)


def convention(name: str | Convention) -> Convention:
    """Return the convention of this name.

    Raises ConventionError for a name that nobody declared.

    >>> convention("trec_eval").ties
    'docid-desc'
    """
    if isinstance(name, Convention):
        return name
    if name not in CONVENTIONS:
        known = ", ".join(CONVENTIONS)
        raise ConventionError(f"no convention named {name!r}{did_you_mean(name, CONVENTIONS)} (known: {known})")
    return CONVENTIONS[name]
