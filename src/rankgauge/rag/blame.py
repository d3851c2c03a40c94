"""Whose fault a wrong answer is: retrieval hit or miss, crossed with an answer that is right or wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rankgauge.records.answers import Answer, Answers
from rankgauge.records.qrels import Qrels
from rankgauge.statistics.proportions import wilson
from rankgauge.statistics.results import Interval

@dataclass(frozen=True)
class Blame:
    """Questions of one system by what was retrieved and what was answered.

    Attributes
    ----------
    hit_right : retrieval and generation did their work
    hit_wrong : what was needed stood in the prompt, and the answer is wrong: the generator's fault
    hit_abstained : it stood there, and nothing was answered: the generator's as well
    miss_right : right without it: the model knew, or guessed
    miss_wrong : wrong without it: the retriever's fault, and the generator's for answering all the same
    miss_abstained : nothing was answered where there was nothing to answer from
    unknown : one side has no value; in none of the cells
    confidence : of the intervals
    """

    hit_right: tuple[str, ...]
    hit_wrong: tuple[str, ...]
    hit_abstained: tuple[str, ...]
    miss_right: tuple[str, ...]
    miss_wrong: tuple[str, ...]
    miss_abstained: tuple[str, ...]
    unknown: tuple[str, ...]
    confidence: float = 0.95

    @property
    def hits(answers: Answers, qrels: Qrels, *, rel: float = 1.0) -> dict[str, float | None]:
    """1 for a question of which some context is judged relevant, 0 for one of which none is, unjudged ones included.

    None where the judgments do not know the question, or where its contexts have no ids.

    Parameters
    ----------
    rel : grade from which a document is relevant

    >>> from rankgauge.records.answers import Context
    >>> rows = Answers((Answer("q", "Who?", "Ada", (Context(doc_id="d1"),)), Answer("x", "When?", "1843")))
    >>> hits(rows, Qrels.from_dict({"q": {"d1": 1}}))
    {'q': 1.0, 'x': None}
    """
    judged = qrels.flat().to_dict()
    return {row.query_id: _hit(row, judged.get(row.query_id), rel) for row in answers}


def _hit(row: Answer, grades: Mapping[str, float] | None, rel: float) -> float | None:
    ids = [context.doc_id for context in row.contexts if context.doc_id is not None]
    if grades is None or (row.contexts and not ids):
        return None
    return float(any(grades.get(doc, 0.0) >= rel for doc in ids))
