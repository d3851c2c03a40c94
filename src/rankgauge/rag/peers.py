"""The measures as other tools compute them, with what those say where there is nothing to measure.

No tool knows abstention as an outcome: here an answer that abstained has the value that the tool gives it. Where a
tool returns NaN, the value is "not applicable". A verdict that the judge did not give is left out, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from rankgauge.rag import triad
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.triad import Formula, Need, RagMeasure
from rankgauge.rag.values import Value, f_measure, failed, mean, not_applicable, ordered_precision, share
from rankgauge.rag.verdicts import any_of

RAGAS = "Ragas 0.4.3"
DEEPEVAL = "DeepEval 4.3.1"
TRULENS = "TruLens 2.16.0"
RAGCHECKER = "RAGChecker 0.1.9"

PEERS: dict[str, RagMeasure] = {}
"""Other tools' variants, by name."""


def variant(
    name: str, *needs: Need, source: str, empty: str, lower_is_better: bool = False
) -> Callable[[Formula], Formula]:
    """Make another tool's measure of a formula."""

    def declare(formula: Formula) -> Formula:
        PEERS[name] = RagMeasure(name, formula, needs, source, empty, lower_is_better)
        return formula

    return declare


# Ragas


@variant("faithfulness.ragas", "answer", "answer_in_contexts", source=RAGAS, empty="NaN: not applicable")
def ragas_faithfulness(m: Matrices) -> Value:
    """Share of the verdicts returned that are 1; it asks of all contexts joined."""
    return share(m.supported, "statement in the answer")


@variant("answer_relevance.ragas", "reverse_cosines", "noncommittal", source=RAGAS, empty="NaN: not applicable")
def ragas_answer_relevance(m: Matrices) -> Value:
    """Mean cosine of the question and of questions made from the answer; 0 if all of these are noncommittal.

    1/n Σ_i cos(E(q), E(q_i)) · [not all noncommittal], in [-1, 1]
    """
    evades = bool(m.noncommittal) and all(entry is True for entry in m.noncommittal or ())
    found = mean(m.reverse_cosines or (), "question made from the answer")
    return found if found.value is None else Value(found.value * (not evades), found.n, found.unknown)


@variant("context_precision.ragas", source=RAGAS, empty="0 without contexts, and where none is useful")
def ragas_context_precision(m: Matrices) -> Value:
    """Σ_i v_i P@i / (Σ_i v_i + 1e-10)."""
    return _ordered(m, slack=1e-10)


@variant("context_recall.ragas", "reference", "reference_in_contexts", source=RAGAS, empty="NaN: not applicable")
def ragas_context_recall(m: Matrices) -> Value:
    """Share of the reference's statements that can be attributed to the contexts; it asks of all joined."""
    return share(m.found, "statement in the reference")


@variant(
    "noise_sensitivity_relevant.ragas",
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RAGAS, empty="NaN: not applicable", lower_is_better=True,
)  # fmt: skip
def ragas_noise_sensitivity_relevant(m: Matrices) -> Value:
    """Ours; it has no value without claims or contexts."""
    return triad.noise_sensitivity_relevant(m) if _complete(m) else not_applicable("no claim or no context")


@variant(
    "noise_sensitivity_irrelevant.ragas",
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RAGAS, empty="NaN: not applicable", lower_is_better=True,
)  # fmt: skip
def ragas_noise_sensitivity_irrelevant(m: Matrices) -> Value:
    """Ours; it has no value without claims or contexts."""
    return triad.noise_sensitivity_irrelevant(m) if _complete(m) else not_applicable("no claim or no context")


@variant(
    "factual_correctness.ragas", "answer", "reference", "answer_in_reference", "reference_in_answer",
    source=RAGAS, empty="0 without claims",
)  # fmt: skip
def ragas_factual_correctness(m: Matrices) -> Value:
    """F1 of TP and FP (claims of the answer) and FN (claims of the reference), rounded to two digits.

    R = TP / (TP + FN) has claims of the answer above the line and of both texts below it: not a share of either.
    """
    counted = _counted(m, empty=0.0)
    return counted if counted.value is None else Value(round(counted.value, 2), counted.n, counted.unknown)


@variant(
    "answer_correctness.ragas",
    "answer", "reference", "answer_in_reference", "reference_in_answer", "similarity",
    source=RAGAS, empty="the F part is 1 if either text has no statement",
)  # fmt: skip
def ragas_answer_correctness(m: Matrices) -> Value:
    """¾ F1 of statements + ¼ cosine of the two texts; the F part is 1 if either has no statement."""
    f = _counted(m, empty=0.0) if m.answer and m.reference else Value(1.0)
    return f if f.value is None else Value(0.75 * f.value + 0.25 * (m.similarity or 0.0), f.n, f.unknown)


def _counted(m: Matrices, *, empty: float) -> Value:
    """F1 = 2 TP / (2 TP + FP + FN), which is what its precision and recall come to."""
    known = [entry for entry in (*m.right, *m.said) if entry is not None]
    unknown = len(m.right) + len(m.said) - len(known)
    if unknown and not known:
        return failed(unknown)
    tp = m.right.count(True)
    wrong = m.right.count(False) + m.said.count(False)
    return Value(2 * tp / (2 * tp + wrong) if tp else empty, len(known), unknown)


# DeepEval


@variant("faithfulness.deepeval", "answer", "answer_in_contexts", source=DEEPEVAL, empty="1 without claims")
def deepeval_faithfulness(m: Matrices) -> Value:
    """Share of the claims that the contexts support; 1 without claims.

    That is its penalize_ambiguous_claims=True: by default it counts contradicted claims only, which these matrices do
    not tell from claims that the contexts do not speak of.
    """
    return share(m.supported, "claim in the answer", empty=1.0)


@variant("answer_relevance.deepeval", "answer", "answer_to_question", source=DEEPEVAL, empty="1 without statements")
def deepeval_answer_relevance(m: Matrices) -> Value:
    """Share of the answer's statements that speak to the question; 1 without statements."""
    return share(m.answer_to_question or (), "statement in the answer", empty=1.0)


@variant("context_precision.deepeval", source=DEEPEVAL, empty="0 without contexts, and where none is useful")
def deepeval_context_precision(m: Matrices) -> Value:
    """Σ_i v_i P@i / Σ_i v_i."""
    return _ordered(m)


@variant("context_recall.deepeval", "reference", "reference_in_contexts", source=DEEPEVAL, empty="0 without sentences")
def deepeval_context_recall(m: Matrices) -> Value:
    """Share of the reference's sentences that can be attributed to the contexts."""
    return share(m.found, "sentence in the reference", empty=0.0)


# TruLens


@variant("groundedness.trulens", "answer", "answer_in_contexts", source=TRULENS, empty="0 if all sentences are trivial")
def trulens_groundedness(m: Matrices) -> Value:
    """Mean support of the answer's sentences (of its claims where sentences are not known); abstentions get 1."""
    if m.outcome == "abstained":
        return Value(1.0)
    return triad.groundedness(m) if m.sentences else share(m.supported, "sentence", empty=0.0)


@variant(
    "groundedness_answerable.trulens", "answer", "answer_in_contexts",
    source=TRULENS, empty="0 if all sentences are trivial",
)  # fmt: skip
def trulens_groundedness_answerable(m: Matrices) -> Value:
    """Groundedness that looks at answerability: an abstention gets 0 if the question can be answered, else 1."""
    if m.outcome != "abstained":
        return trulens_groundedness(m)
    return not_applicable("not asked: answerable") if m.answerable is None else Value(float(not m.answerable))


@variant("answer_relevance.trulens", "answer_grade", source=TRULENS, empty="0 for a refusal")
def trulens_answer_relevance(m: Matrices) -> Value:
    """Grade of the answer as a share of the highest; a refusal gets 0."""
    return Value(0.0) if m.outcome == "abstained" else triad.answer_relevance(m)


@variant("context_relevance.trulens", "context_grades", source=TRULENS, empty="NaN: not applicable")
def trulens_context_relevance(m: Matrices) -> Value:
    """Mean grade of the contexts as a share of the highest, blank ones among them."""
    return mean(((None if grade is None else grade / m.top) for grade in m.context_grades or ()), "context")


# RAGChecker: 0 for whatever has nothing to count


@variant("faithfulness.ragchecker", "answer", "answer_in_contexts", source=RAGCHECKER, empty="0")
def ragchecker_faithfulness(m: Matrices) -> Value:
    """Share of the answer's claims that some chunk entails."""
    return share(m.supported, "claim", empty=0.0)


@variant("claim_recall.ragchecker", "reference", "reference_in_contexts", source=RAGCHECKER, empty="0")
def ragchecker_claim_recall(m: Matrices) -> Value:
    """Share of the reference's claims that some chunk entails."""
    return share(m.found, "claim", empty=0.0)


@variant("context_precision.ragchecker", "reference", "reference_in_contexts", source=RAGCHECKER, empty="0")
def ragchecker_context_precision(m: Matrices) -> Value:
    """Share of the chunks that entail a claim of the reference; their order does not count."""
    return share(m.relevant, "context", empty=0.0)


@variant(
    "context_utilisation.ragchecker", "reference", "reference_in_contexts", "reference_in_answer",
    source=RAGCHECKER, empty="0",
)  # fmt: skip
def ragchecker_context_utilisation(m: Matrices) -> Value:
    """Share of the reference's claims in the chunks that the answer took up."""
    return triad.context_utilisation(m) if any_of(m.found) is not False else Value(0.0)


@variant(
    "noise_sensitivity_relevant.ragchecker",
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RAGCHECKER, empty="0", lower_is_better=True,
)  # fmt: skip
def ragchecker_noise_sensitivity_relevant(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and come from a relevant chunk."""
    return triad.noise_sensitivity_relevant(m) if _complete(m) else Value(0.0)


@variant(
    "noise_sensitivity_irrelevant.ragchecker",
    "answer", "reference", "answer_in_contexts", "reference_in_contexts", "answer_in_reference",
    source=RAGCHECKER, empty="0", lower_is_better=True,
)  # fmt: skip
def ragchecker_noise_sensitivity_irrelevant(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and come from irrelevant chunks only."""
    return triad.noise_sensitivity_irrelevant(m) if _complete(m) else Value(0.0)


@variant(
    "hallucination.ragchecker", "answer", "reference", "answer_in_contexts", "answer_in_reference",
    source=RAGCHECKER, empty="0, without chunks too", lower_is_better=True,
)  # fmt: skip
def ragchecker_hallucination(m: Matrices) -> Value:
    """Share of the answer's claims that are wrong and in no chunk."""
    return triad.hallucination(m) if m.answer and m.contexts else Value(0.0)


@variant(
    "self_knowledge.ragchecker", "answer", "reference", "answer_in_contexts", "answer_in_reference",
    source=RAGCHECKER, empty="0, without chunks too",
)  # fmt: skip
def ragchecker_self_knowledge(m: Matrices) -> Value:
    """Share of the answer's claims that are right and in no chunk."""
    return triad.self_knowledge(m) if m.answer and m.contexts else Value(0.0)


@variant("answer_precision.ragchecker", "answer", "reference", "answer_in_reference", source=RAGCHECKER, empty="0")
def ragchecker_answer_precision(m: Matrices) -> Value:
    """Share of the answer's claims that the reference entails (its overall precision)."""
    return share(m.right, "claim", empty=0.0)


@variant("answer_recall.ragchecker", "reference", "reference_in_answer", source=RAGCHECKER, empty="0")
def ragchecker_answer_recall(m: Matrices) -> Value:
    """Share of the reference's claims that the answer entails (its overall recall)."""
    return share(m.said, "claim", empty=0.0)


@variant(
    "answer_correctness.ragchecker", "answer", "reference", "answer_in_reference", "reference_in_answer",
    source=RAGCHECKER, empty="0",
)  # fmt: skip
def ragchecker_answer_correctness(m: Matrices) -> Value:
    """F1 of the two (its overall F1)."""
    return f_measure(ragchecker_answer_precision(m), ragchecker_answer_recall(m))


def _ordered(m: Matrices, *, slack: float = 0.0) -> Value:
    if m.useful is None and m.reference_in_contexts is None:
        return not_applicable("not asked: useful")
    useful = m.relevant if m.useful is None else tuple(m.useful)
    return ordered_precision(useful, slack=slack) if useful else Value(0.0)


def _complete(m: Matrices) -> bool:
    return bool(m.answer and m.reference and m.contexts)
