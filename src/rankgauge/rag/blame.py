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
    def hit_rate(self) -> Interval:
        """Share of questions for which retrieval hit."""
        hit = len(self.hit_right) + len(self.hit_wrong) + len(self.hit_abstained)
        missed = len(self.miss_right) + len(self.miss_wrong) + len(self.miss_abstained)
        return wilson(hit, hit + missed, confidence=self.confidence)

    @property
    def right_after_hit(self) -> Interval:
        """Share of right answers among those given after a hit."""
        right = len(self.hit_right)
        return wilson(right, right + len(self.hit_wrong), confidence=self.confidence)

    @property
    def right_after_miss(self) -> Interval:
        """Share of right answers among those given after a miss: what the model does without retrieval."""
        right = len(self.miss_right)
        return wilson(right, right + len(self.miss_wrong), confidence=self.confidence)

    @property
    def sentence(self) -> str:
        """The table in words."""
        wrong = len(self.hit_wrong) + len(self.miss_wrong)
        said = (
            f"{wrong} wrong: {len(self.hit_wrong)} although retrieval hit (generation), "
            f"{len(self.miss_wrong)} after it missed (retrieval)"
        )
        kept = f"{len(self.hit_abstained)} abstained after a hit, {len(self.miss_abstained)} after a miss"
        return f"{said}; {kept}; {len(self.miss_right)} right without retrieval; {len(self.unknown)} unknown"


def blame(
    retrieval: Mapping[str, float | None],
    answers: Mapping[str, float | None],
    *,
    abstained: Collection[str] = (),
    hit_above: float = 0.0,
    right_from: float = 0.5,
    confidence: float = 0.95,
) -> Blame:
    """Cross retrieval with the answers, question by question.

    Parameters
    ----------
    retrieval : how well what was needed was retrieved, as nDCG of `Scores.of(run, measure)`, or what `hits` gives
    answers : how right each answer is, as answer_correctness or exact match
    abstained : questions that were not answered; neither right nor wrong
    hit_above : retrieval hit where its value is larger
    right_from : an answer is right from this value on

    >>> found = blame({"a": 1.0, "b": 1.0, "c": 0.0}, {"a": 1.0, "b": 0.2, "c": 0.0})
    >>> found.hit_wrong, found.miss_wrong, found.right_after_hit.estimate
    (('b',), ('c',), 0.5)
    """
    silent = set(abstained)
    cells: dict[tuple[str, str], list[str]] = {}
    unknown = []
    for query in dict.fromkeys([*retrieval, *answers, *abstained]):
        found, said = retrieval.get(query), answers.get(query)
        if found is None or (said is None and query not in silent):
            unknown.append(query)
            continue
        spoken = "abstained" if query in silent or said is None else "right" if said >= right_from else "wrong"
        cells.setdefault(("hit" if found > hit_above else "miss", spoken), []).append(query)

    def cell(side: str, spoken: str) -> tuple[str, ...]:
        return tuple(cells.get((side, spoken), ()))

    return Blame(
        hit_right=cell("hit", "right"),
        hit_wrong=cell("hit", "wrong"),
        hit_abstained=cell("hit", "abstained"),
        miss_right=cell("miss", "right"),
        miss_wrong=cell("miss", "wrong"),
        miss_abstained=cell("miss", "abstained"),
        unknown=tuple(unknown),
        confidence=confidence,
    )


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
    judged = qrels.flat.to_dict()
    return {row.query_id: _hit(row, judged.get(row.query_id), rel) for row in answers}


def _hit(row: Answer, grades: Mapping[str, float] | None, rel: float) -> float | None:
    ids = [context.doc_id for context in row.contexts if context.doc_id is not None]
    if grades is None or (row.contexts and not ids):
        return None
    return float(any(grades.get(doc, 0.0) >= rel for doc in ids))
