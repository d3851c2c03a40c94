"""Both halves of one or two systems: retrieval, answers, what became of the questions, whose fault, and one verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankgauge.engines.memory import evaluate
from rankgauge.errors import Fault, InputError
from rankgauge.formats.answers import context_run
from rankgauge.rag import overlap
from rankgauge.rag.blame import Blame, blame
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.outcomes import Outcome, Outcomes, cross, outcome
from rankgauge.rag.table import Mean, mean_of, means, named, numbers
from rankgauge.rag.values import Value
from rankgauge.rag.verdict import Pair, RagVerdict, rag_verdict
from rankgauge.records import Note, Qrels
from rankgauge.records.answers import Answers
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.results import Interval

ALWAYS = ("faithfulness", "groundedness", "answer_relevance", "context_relevance")
WITH_REFERENCES = (
    "answer_correctness", "claim_recall", "context_precision", "context_utilisation",
    "noise_sensitivity_relevant", "noise_sensitivity_irrelevant", "hallucination",
)  # fmt: skip
WITH_CITATIONS = ("citation_precision", "citation_recall")
WITH_ANSWERABLE = ("abstention_accuracy",)
CORRECTNESS = "answer_correctness"
DECIDING = ("faithfulness", "answer_relevance", CORRECTNESS, "abstention_accuracy")
"""Measures of the answers on which the verdict on two systems rests, as far as they were taken."""
WITHOUT_JUDGE = {"exact_match": overlap.exact_match, "token_f1": overlap.token_f1}

Numbers = Mapping[str, float | None]


@dataclass(frozen=True)
class Retrieval:
    """How well the passages of the prompts were retrieved.

    Attributes
    ----------
    measure : its name
    values : by question; None where it is undefined
    mean : with its interval
    unjudged : share of the passages, as deep as the measure looks, that nobody judged
    """

    measure: str
    values: Numbers = field(repr=False)
    mean: Interval
    unjudged: float | None


@dataclass(frozen=True)
class Evaluated:
    """One system.

    Attributes
    ----------
    rows : what the judge found, by question; empty without a judge
    means : of the measures that need a judge
    overlap : of those that need none
    outcomes : what became of the questions, crossed with whether they could be answered
    retrieval, blame : None where nothing was judged, or nothing says which answers are right
    """

    name: str
    questions: int
    rows: tuple[Matrices, ...] = field(repr=False)
    means: tuple[Mean, ...]
    overlap: tuple[Mean, ...]
    outcomes: Outcomes
    retrieval: Retrieval | None
    blame: Blame | None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class RagEvaluation:
    """One or two systems over the same questions; with two, the verdict on the second."""

    systems: tuple[Evaluated, ...]
    verdict: RagVerdict | None


def measures_for(answers: Sequence[Answers]) -> tuple[str, ...]:
    """Measures that the data can carry: those of references, citations or answerability only where these are there."""
    rows = [row for one in answers for row in one]
    found = [*ALWAYS]
    if any(row.references for row in rows):
        found += WITH_REFERENCES
    if any(row.sentences for row in rows):
        found += WITH_CITATIONS
    if any(row.answerable is not None for row in rows):
        found += WITH_ANSWERABLE
    return tuple(found)


def evaluate_answers(
    systems: Sequence[tuple[Answers, Sequence[Matrices]]],
    *,
    measures: Sequence[str] | None = None,
    qrels: Qrels | None = None,
    retrieval: str = "nDCG@10",
    language: overlap.Language = "en",
    margin: float = 0.01,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
) -> RagEvaluation:
    """Measure both halves of one or two systems.

    Parameters
    ----------
    systems : each with what a judge found; nothing for measures that need no judge
    measures : of the answers; None: those that the data can carry
    qrels, retrieval : judgments of the passages, and what is measured with them
    language : of exact match and token F1
    margin, alpha, resamples, seed : of intervals and of the verdict

    Right answers are those whose claims and the reference's agree (`answer_correctness` from ½ on); without a judge,
    those that share half of the reference's words (token F1).

    Raises InputError for no system, and for more than two.
    """
    if not 1 <= len(systems) <= 2:
        raise InputError(Fault("systems", "one or two", f"{len(systems)}"))
    chosen = tuple(measures) if measures is not None else measures_for([answers for answers, _ in systems])
    for name in chosen:
        named(name)
    how = _How(chosen, qrels, retrieval, language, 1 - alpha, resamples, seed)
    found = tuple(how.evaluated(answers, tuple(rows)) for answers, rows in systems)
    verdict = how.verdict(found, margin) if len(found) == 2 else None
    return RagEvaluation(found, verdict)


@dataclass(frozen=True)
class _How:
    measures: tuple[str, ...]
    qrels: Qrels | None
    retrieval: str
    language: overlap.Language
    confidence: float
    resamples: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def evaluated(self, answers: Answers, rows: tuple[Matrices, ...]) -> Evaluated:
        """All of one system."""
        by_id = {row.query_id: row for row in rows}
        lacking = [row.query_id for row in answers if row.query_id not in by_id]
        if rows and lacking:
            raise InputError(Fault(f"matrices of {answers.name}", f"question {lacking[0]!r}", "none", "judge it anew"))
        said: list[tuple[Outcome, bool | None]] = [
            ((by_id[row.query_id].outcome if rows else None) or outcome(row), row.answerable) for row in answers
        ]
        means_ = means(rows, self.measures, rng=self.rng, confidence=self.confidence, resamples=self.resamples)
        retrieval, notes = self.retrieved(answers)
        return Evaluated(
            answers.name, len(answers), rows, means_ if rows else (), self.without_judge(answers),
            cross(said, confidence=self.confidence), retrieval, self.fault(answers, rows, retrieval, said),
            (*answers.notes, *notes),
        )  # fmt: skip

    def without_judge(self, answers: Answers) -> tuple[Mean, ...]:
        """Means of the measures of words in common."""
        found = []
        for name in WITHOUT_JUDGE:
            given = list(self.words(answers, name).values())
            known = [np.nan if value.value is None else value.value for value in given]
            drawn = interval(known, rng=self.rng, confidence=self.confidence, resamples=self.resamples)
            found.append(mean_of(name, given, drawn))
        return tuple(found) if any(one.n for one in found) else ()

    def words(self, answers: Answers, name: str) -> dict[str, Value]:
        """One measure of words in common, by question."""
        measure = WITHOUT_JUDGE[name]
        return {row.query_id: measure(row.text or "", row.references, language=self.language) for row in answers}

    def retrieved(self, answers: Answers) -> tuple[Retrieval | None, tuple[Note, ...]]:
        """Retrieval by the ids of the passages."""
        if self.qrels is None:
            return None, ()
        asked = {row.query_id for row in answers}
        judged = {query: docs for query, docs in self.qrels.flat.to_dict().items() if query in asked}
        if not judged:
            raise InputError(Fault(self.qrels.name, f"judgments of the questions of {answers.name}", "none of them"))
        run, qrels = context_run(answers), Qrels.from_dict(judged, name=self.qrels.name)
        depth = self.retrieval.partition("@")[2]
        wanted = [self.retrieval, f"Unjudged@{depth}" if depth else "Unjudged"]
        scores = evaluate(qrels, {answers.name: run}, wanted)
        measure, unjudged = scores.measures
        found = {query: scores.of(answers.name, measure).get(query) for query in [row.query_id for row in answers]}
        known = [np.nan if value is None else value for value in found.values()]
        drawn = interval(known, rng=self.rng, confidence=self.confidence, resamples=self.resamples)
        rates = [value for value in scores.of(answers.name, unjudged).values() if value is not None]
        return Retrieval(measure, found, drawn, float(np.mean(rates)) if rates else None), (*run.notes, *scores.notes)

    def fault(
        self, answers: Answers, rows: tuple[Matrices, ...], retrieval: Retrieval | None,
        said: Sequence[tuple[Outcome, bool | None]],
    ) -> Blame | None:  # fmt: skip
        """Cross retrieval with right and wrong; None where one of them is not known."""
        if retrieval is None or not any(row.references for row in answers):
            return None
        judged = rows and CORRECTNESS in self.measures
        right = numbers(rows, CORRECTNESS) if judged else _plain(self.words(answers, "token_f1"))
        silent = [row.query_id for row, (one, _) in zip(answers, said, strict=True) if one in ("abstained", "empty")]
        return blame(retrieval.values, right, abstained=silent, confidence=self.confidence)

    def verdict(self, found: Sequence[Evaluated], margin: float) -> RagVerdict:
        """The second system beside the first."""
        a, b = found
        deciding = [name for name in DECIDING if name in self.measures] or list(self.measures)
        pairs = [
            Pair(name, numbers(a.rows, name), numbers(b.rows, name), named(name).lower_is_better) for name in deciding
        ] if a.rows and b.rows else []  # fmt: skip
        none: Numbers = {}
        ranking = Pair(
            a.retrieval.measure if a.retrieval else "retrieval",
            a.retrieval.values if a.retrieval else none, b.retrieval.values if b.retrieval else none,
        )  # fmt: skip
        return rag_verdict(
            ranking, pairs, rng=self.rng, names=(a.name, b.name), margin=margin, alpha=1 - self.confidence,
            resamples=self.resamples,
        )  # fmt: skip


def _plain(found: Mapping[str, Value]) -> dict[str, float | None]:
    return {query: value.value for query, value in found.items()}
