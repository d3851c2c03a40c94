"""Queries that are known, and what people judged of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rankgauge.engines.memory import evaluate
from rankgauge.records import Qrels, Run

MEASURE = "nDCG@10"


def id_of(text: str) -> str:
    """Name a query that nobody named: the same text has the same name.

    >>> id_of(" How?") == id_of("How? "), id_of("How?") == id_of("how?")
    (True, False)
    """
    plain = unicodedata.normalize("NFC", text).strip()
    return f"q-{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


@dataclass(frozen=True, eq=False)
class Golden:
    """Texts of queries by id, and judgments; either may be missing."""

    queries: Mapping[str, str] = field(default_factory=dict)
    qrels: Qrels | None = None

    @cached_property
    def _by_text(self) -> dict[str, str]:
        return {id_of(text): id_ for id_, text in reversed(list(self.queries.items()))}

    @cached_property
    def _grades(self) -> dict[str, dict[str, float]]:
        return {} if self.qrels is None else self.qrels.to_dict()

    def name(self, text: str, given: str | None = None) -> str:
        """The query's id: as given, else that of the known query with this text, else one made of the text."""
        if given is not None:
            return given
        own = id_of(text)
        return self._by_text.get(own, own)

    def grades(self, query_id: str) -> Mapping[str, float] | None:
        """Grades of a query's documents, None where it has no judgment."""
        return self._grades.get(query_id)

    def value(self, query_id: str, docs: Sequence[str], measure: str = MEASURE) -> float | None:
        """How good a list is for a judged query; None where the measure is undefined."""
        qrels = Qrels.from_dict({query_id: dict(self._grades[query_id])})
        scores = {doc: float(len(docs) - place) for place, doc in enumerate(docs)}
        if not scores:
            return 0.0 if qrels.top_grade > 0 else None
        found = float(evaluate(qrels, Run.from_dict({query_id: scores}), measure).values[0, 0, 0])
        return None if found != found else found
