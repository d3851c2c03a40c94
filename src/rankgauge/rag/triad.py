"""Measures of an answer, its contexts and its reference, each a function of the stored matrices.

s is a claim of the answer, y one of the reference, c_j the j-th context; e(s, c) = 1 if s follows from c. A verdict
that the judge did not give is left out of a share and counted; where everything hangs on it there is no value. An
answer that abstained has no value of what speaks of its claims: it is counted apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rankgauge.errors import UnknownMeasureError, did_you_mean
from rankgauge.judges.asking import Failed
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.values import Value, f_measure, failed, mean, not_applicable, ordered_precision, share
from rankgauge.rag.verdicts import Entry, any_of, both, no

Formula = Callable[[Matrices], Value]
Need = Literal[
    "answer", "reference",
    "answer_in_contexts", "reference_in_contexts", "answer_in_reference", "reference_in_answer", "answer_to_question",
    "useful", "context_grades", "answer_grade", "reverse_cosines", "noncommittal",
    "similarity", "sentences", "citations", "outcome", "answerable",
]  # fmt: skip

ES_2024 = "Es, James, Espinosa-Anke & Schockaert (2024), RAGAs, doi:10.18653/v1/2024.eacl-demo.16"
RU_2024 = "Ru et al. (2024), RAGChecker, arXiv:2408.08067"
LIU_2023 = "Liu, Zhang & Liang (2023), Evaluating verifiability in generative search engines, arXiv:2304.09848"
TRIAD = "the RAG triad of TruLens"


@dataclass(frozen=True)
class RagMeasure:
    """A measure of one answer.

    Attributes
    ----------
    name : as "faithfulness"; another tool's variant has its name behind a point, as "faithfulness.ragas"
    formula : from the matrices
    needs : fields of the matrices that must have been filled
    empty : what it says where there is nothing to measure
    lower_is_better : as of hallucination
    """

    name: str
    formula: Formula
    needs: tuple[Need, ...]
    source: str
    empty: str
    lower_is_better: bool = False

    @property
    def tool(self) -> str:
        """Whose variant it is; empty for ours."""
        return self.name.partition(".")[2]

    @property
    def help(self) -> str:
        """What it is, in a line."""
        return (inspect.getdoc(self.formula) or "").split("\n")[0]

    def of(self, m: Matrices) -> Value:
        """Measure one answer."""
        return (_lacking if self.tool else _nothing)(m, self.needs) or self.formula(m)


OWN: dict[str, RagMeasure] = {}
"""Our measures, by name."""


def measure(
    *needs: Need, source: str, empty: str = "not applicable", lower_is_better: bool = False
) -> Callable[[Formula], Formula]:
    """Make a measure of a formula; it is called as the function is."""

    def declare(formula: Formula) -> Formula:
        name = formula.__name__
        OWN[name] = RagMeasure(name, formula, needs, source, empty, lower_is_better)
        return formula

    return declare


def _lacking(m: Matrices, needs: tuple[Need, ...]) -> Value | None:
    """Why a measure cannot be had: nobody asked the judge, or it failed as a whole."""
    for need in needs:
        given = getattr(m, need)
        if given is None and not _needless(m, need):
            return not_applicable("no reference" if need == "reference" else f"not asked: {need}")
        if isinstance(given, Failed):
            return failed(1, f"the judge failed: {given.reason}")
    return None


def _needless(m: Matrices, need: Need) -> bool:
    """Whether there was nothing to ask: verdicts of no claims."""
    return (need.startswith("answer_") and m.answer == ()) or (need.startswith("reference_") and m.reference == ())


def _nothing(m: Matrices, needs: tuple[Need, ...]) -> Value | None:
    """Why one of our measures has no value: what it lacks, or that nothing was answered."""
    if "answer" in needs:
        if m.outcome == "abstained":
            return Value(None, missing="abstained", reason="abstained")
        if m.outcome == "empty":
            return not_applicable("the answer is empty")
        if m.outcome == "judge_failed":
            return failed(1)
        if m.answer == ():
            return not_applicable("no claim in the answer")
    return _lacking(m, needs)


@measure("answer", "answer_in_contexts", source=ES_2024, empty="0 without contexts: nothing supports it")
def faithfulness(m: Matrices) -> Value:
    """Share of the answer's claims that some context supports.

    Σ_s max_j e(s, c_j) / |S(answer)|
    """
    return share(m.supported, "claim in the answer")


@measure("answer", "answer_in_contexts", "sentences", source=TRIAD, empty="0 without contexts: nothing supports it")
def groundedness(m: Matrices) -> Value:
    """Mean over the answer's sentences of the share of their claims that some context supports.

    A sentence counts once however many claims it makes; one without a claim is left out.
    """
    shares: list[float | None] = []
    for sentence in sorted(set(m.sentences or ())):
        claims = [entry for entry, at in zip(m.supported, m.sentences or (), strict=True) if at == sentence]
        shares.append(share(claims, "claim").value)
    return mean(shares, "sentence with a claim")


@measure("answer", "answer_grade", source=TRIAD)
def answer_relevance(m: Matrices) -> Value:
    """How far the answer speaks to the question: its grade as a share of the highest."""
    return mean([_graded(m.answer_grade) / m.top], "grade")


@measure(source=ES_2024, empty="not applicable without contexts; 0 where none is useful")
def context_precision(m: Matrices) -> Value:
    """How far the useful contexts stand before the others: Σ_j v_j P@j / Σ_j v_j.

    v_j = 1 if context j is useful: as judged, else if it entails a claim of the reference. AP has all relevant
    documents of the collection below the line; this has the retrieved ones, and is blind to what was missed.
    """
    if m.useful is None and (lacking := _lacking(m, ("reference", "reference_in_contexts"))):
        return lacking
    useful = m.relevant if m.useful is None else tuple(m.useful)
    return ordered_precision(useful if m.readable else ())


@measure("reference", "reference_in_contexts", source=ES_2024, empty="0 without contexts: nothing was found")
def context_recall(m: Matrices) -> Value:
    """Share of the reference's claims that some context supports.

    Σ_y max_j e(y, c_j) / |S(reference)|. RAGChecker calls the same claim recall.
    """
    return share(m.found, "claim in the reference")


@measure("reference", "reference_in_contexts", source=RU_2024, empty="0 without contexts: nothing was found")
def claim_recall(m: Matrices) -> Value:
    """Share of the reference's claims that some context supports: context_recall by RAGChecker's name."""
    return context_recall(m)


@measure("context_grades", source=TRIAD)
def context_relevance(m: Matrices) -> Value:
    """Mean relevance of the contexts to the question: their grades as shares of the highest."""
    grades = zip(m.context_grades or (), m.contexts, strict=True)
    return mean(((None if grade is None else grade / m.top) for grade, text in grades if text.strip()), "context")


@measure("answer", "reference", "reference_in_contexts", "reference_in_answer", source=RU_2024)
def context_utilisation(m: Matrices) -> Value:
    """Share of the reference's claims in the contexts that the answer took up.

    Σ_y found(y) e(y, answer) / Σ_y found(y)
    """
    taken = (None if found is None else said for found, said in zip(m.found, m.said, strict=True) if found is not False)
    return share(taken, "claim of the reference in the contexts")


@measure(
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RU_2024, empty="0 without contexts", lower_is_better=True,
)  # fmt: skip
def noise_sensitivity_relevant(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and come from a relevant context.

    Σ_s wrong(s) max_j [rel_j e(s, c_j)] / |S(answer)|, rel_j = max_y e(y, c_j)
    """
    return share(map(both, map(no, m.right), from_contexts(m, relevant=True)), "claim in the answer")


@measure(
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RU_2024, empty="0 without contexts", lower_is_better=True,
)  # fmt: skip
def noise_sensitivity_irrelevant(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and come from irrelevant contexts only.

    Σ_s wrong(s) max_j [(1 - rel_j) e(s, c_j)] (1 - max_j [rel_j e(s, c_j)]) / |S(answer)|
    """
    only = map(both, from_contexts(m, relevant=False), map(no, from_contexts(m, relevant=True)))
    return share(map(both, map(no, m.right), only), "claim in the answer")


@measure(
    "answer", "reference", "answer_in_contexts", "answer_in_reference",
    source=RU_2024, empty="without contexts all that is wrong", lower_is_better=True,
)  # fmt: skip
def hallucination(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and in no context.

    Σ_s (1 - max_j e(s, c_j)) wrong(s) / |S(answer)|
    """
    return share(map(both, map(no, m.supported), map(no, m.right)), "claim in the answer")


@measure(
    "answer", "reference", "answer_in_contexts", "answer_in_reference",
    source=RU_2024, empty="without contexts all that is right",
)  # fmt: skip
def self_knowledge(m: Matrices) -> Value:
    """Share of the answer's claims that are right and in no context: the model knew them.

    With faithfulness and hallucination it adds up to 1.
    """
    return share(map(both, map(no, m.supported), m.right), "claim in the answer")


@measure("answer", "reference", "answer_in_reference", source=RU_2024)
def answer_precision(m: Matrices) -> Value:
    """Share of the answer's claims that the reference supports."""
    return share(m.right, "claim in the answer")


@measure("answer", "reference", "reference_in_answer", source=RU_2024)
def answer_recall(m: Matrices) -> Value:
    """Share of the reference's claims that the answer makes."""
    return share(m.said, "claim in the reference")


@measure("answer", "reference", "answer_in_reference", "reference_in_answer", source=RU_2024)
def answer_correctness(m: Matrices) -> Value:
    """F1 of answer_precision and answer_recall: 2 P R / (P + R), 0 where both are 0."""
    return f_measure(answer_precision(m), answer_recall(m))


@measure("answer", "answer_in_contexts", "citations", source=LIU_2023, empty="not applicable without citations")
def citation_precision(m: Matrices) -> Value:
    """Share of the citations that support the claim they stand at; a cited slot that does not exist does not."""
    cited = (entry for claim in _cited(m) for entry in claim)
    return share(cited, "citation")


@measure("answer", "answer_in_contexts", "citations", source=LIU_2023, empty="0 without citations")
def citation_recall(m: Matrices) -> Value:
    """Share of the answer's claims that one of the contexts cited for them supports."""
    return share(map(any_of, _cited(m)), "claim in the answer")


@measure("outcome", "answerable", source="the 2x2 of outcomes.cross")
def abstention_accuracy(m: Matrices) -> Value:
    """1 if it answered what can be answered, or abstained from what cannot be; else 0.

    An empty answer is none. It sees a system that abstains to look faithful, which measures of claims leave out.
    """
    if m.outcome == "judge_failed":
        return failed(1)
    return Value(float((m.outcome == "answered") == m.answerable), 1)


def from_contexts(m: Matrices, *, relevant: bool) -> list[Entry]:
    """Per claim of the answer: whether it follows from a context that is relevant, or from one that is not."""
    kinds = m.relevant if relevant else tuple(map(no, m.relevant))
    return [any_of(map(both, kinds, row)) for row in m.answer_in_contexts or ()]


def _cited(m: Matrices) -> list[list[Entry]]:
    """Per claim of the answer: the verdicts against what it cites."""
    pairs = zip(m.answer_in_contexts or (), m.citations or (), strict=True)
    return [[row[slot - 1] if slot <= len(row) else False for slot in slots] for row, slots in pairs]


def _graded(grade: float | Failed | None) -> float:
    assert grade is not None and not isinstance(grade, Failed)
    return grade


def unknown_measure(name: str, known: dict[str, RagMeasure]) -> UnknownMeasureError:
    """Make the error for a name that no measure has."""
    return UnknownMeasureError(f"no RAG measure named {name!r}{did_you_mean(name, known)}")
