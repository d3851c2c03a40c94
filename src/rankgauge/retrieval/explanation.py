"""Why a document has its score: every term's share of it, W · R, with the numbers that these come from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankgauge.retrieval.formulas import Scoring


@dataclass(frozen=True)
class TermScore:
    """One term of the query in one document.

    Attributes
    ----------
    term : as it is indexed
    in_query : how often the query has it
    containing : documents that hold it, df
    idf : W
    tf : how often the document has it
    saturation : R, 0 where the document lacks it
    score : in_query · W · R
    exact : the score with the document's length as it is, where the engine rounds it
    """

    term: str
    in_query: int
    containing: int
    idf: float
    tf: int
    saturation: float
    score: float
    exact: float


@dataclass(frozen=True)
class Explanation:
    """A score taken apart.

    Attributes
    ----------
    doc, query : what was asked
    scoring : variant, k1, b
    engine : "tantivy" or "exact"
    documents : N, as the engine counts
    average_length : in tokens
    length : of this document, in tokens
    length_used : the same as the engine keeps it: tantivy has one byte for it
    terms : in order of the query
    score : sum of the terms' scores; the engine's score, within float32
    exact : the same sum with the length as it is
    """

    doc: str
    query: str
    scoring: Scoring
    engine: str
    documents: int
    average_length: float
    length: int
    length_used: int
    terms: tuple[TermScore, ...]

    @property
    def score(self) -> float:
        """The engine's score."""
        return sum(term.score for term in self.terms)

    @property
    def exact(self) -> float:
        """The score that the exact formula gives."""
        return sum(term.exact for term in self.terms)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values."""
        return {**asdict(self), "formula": self.scoring.of.formula, "score": self.score, "exact": self.exact}


def term_score(
    scoring: Scoring, term: str, *, in_query: int, documents: int, containing: int, tf: int, norm: float, exact: float
) -> TermScore:
    """Compute one term's share; `norm` is of the length that the engine uses, `exact` of the document's own."""
    if not tf:
        idf = scoring.weight(documents, containing) if containing else 0.0
        return TermScore(term, in_query, containing, idf, 0, 0.0, 0.0, 0.0)
    idf = scoring.weight(documents, containing)
    used, own = scoring.saturated(np.full(2, float(tf)), np.array([norm, exact])).tolist()
    return TermScore(term, in_query, containing, idf, tf, used, in_query * idf * used, in_query * idf * own)
