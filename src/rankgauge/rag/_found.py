"""What is known so far of some answers, and the matrices that it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.judges.asking import Failed
from rankgauge.rag.asking import Claim, sentences_of
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.outcomes import outcome
from rankgauge.rag.triad import Need
from rankgauge.rag.verdicts import Entry, Verdict, prove
from rankgauge.records.answers import Answer

Embed = Callable[[Sequence[str]], FloatArray]
"""Texts to vectors, float[n, d]."""

Side = Literal["answer", "reference"]
SIDES: tuple[Side, ...] = ("answer", "reference")
Place = tuple[str, Side, str]
"""A question, whose claims, and against what: "context 2", "reference", "answer" or "question"."""


@dataclass
class Found:
    """What a judge said.

    Attributes
    ----------
    needs : what the matrices are to hold
    claims : of each question and side
    verdicts : by the claim's place
    grades : of whole answers
    questions : made of an answer, each with whether the answer evades
    contexts : grades of contexts, by question and place
    """

    needs: frozenset[Need]
    refuses: Callable[[str], bool]
    embed: Embed | None
    claims: dict[tuple[str, Side], tuple[Claim, ...] | Failed] = field(default_factory=dict)
    verdicts: dict[Place, dict[int, Any]] = field(default_factory=dict)
    grades: dict[str, float | Failed] = field(default_factory=dict)
    questions: dict[str, list[tuple[str, bool] | Failed]] = field(default_factory=dict)
    contexts: dict[tuple[str, int], float | None] = field(default_factory=dict)

    def need(self, *names: Need) -> bool:
        """Whether one of these is wanted."""
        return not self.needs.isdisjoint(names)

    def speaks(self, row: Answer) -> bool:
        """Whether the answer says something that can be looked at."""
        return outcome(row, refuses=self.refuses) == "answered"

    def parts(self, row: Answer, side: Side) -> list[str]:
        """Sentences of a side; none of an answer that is empty or abstains."""
        if side == "reference":
            return sentences_of(row.references[0]) if row.references else []
        if not self.speaks(row):
            return []
        return [one.text for one in row.sentences] or sentences_of(row.text or "")

    def matrices(self, row: Answer) -> Matrices:
        """Put together what is known of one answer."""
        answer, reference = (self.claims.get((row.query_id, side)) for side in SIDES)
        filled: dict[str, Any] = {"contexts": [context.text for context in row.contexts], "unproven": 0}
        for side, claims in zip(SIDES, (answer, reference), strict=True):
            if claims is not None and not isinstance(claims, Failed):
                self._of_side(row, side, claims, filled)
        said = _texts(answer)
        return Matrices(
            row.query_id, () if said is None else said, reference=_texts(reference), answerable=row.answerable,
            outcome=outcome(row, said, refuses=self.refuses), **filled, **self._of_answer(row),
        )  # fmt: skip

    def _of_side(self, row: Answer, side: Side, claims: Sequence[Claim], filled: dict[str, Any]) -> None:
        """Verdicts of the claims of one side."""
        if self.need("answer_in_contexts" if side == "answer" else "reference_in_contexts"):
            proof = prove(self._by_context(row, side, claims), filled["contexts"])
            filled |= {f"{side}_in_contexts": proof.entries, f"quotes_{side}": proof.quotes}
            filled["unproven"] += proof.unproven
        if side == "reference":
            if self.need("reference_in_answer") and self.speaks(row):
                filled["reference_in_answer"] = [_entry(one) for one in self._verdicts(row, side, "answer", claims)]
            return
        filled["sentences"] = [claim.sentence for claim in claims]
        if row.sentences:
            filled["citations"] = [row.sentences[claim.sentence].citations for claim in claims]
        for name, against in (("answer_in_reference", "reference"), ("answer_to_question", "question")):
            if name in self.needs and (against == "question" or row.references):
                filled[name] = [_entry(one) for one in self._verdicts(row, side, against, claims)]

    def _verdicts(self, row: Answer, side: Side, against: str, claims: Sequence[Claim]) -> list[Any]:
        known = self.verdicts.get((row.query_id, side, against), {})
        return [known.get(place, Failed("unparseable", "left out twice")) for place in range(len(claims))]

    def _by_context(self, row: Answer, side: Side, claims: Sequence[Claim]) -> list[list[Verdict | Failed]]:
        columns = [
            [Verdict(False)] * len(claims) if context.blank else self._verdicts(row, side, f"context {place}", claims)
            for place, context in enumerate(row.contexts)
        ]
        return [[column[claim] for column in columns] for claim in range(len(claims))]

    def _of_answer(self, row: Answer) -> dict[str, Any]:
        """What is known of the answer as a whole, and of its contexts."""
        found: dict[str, Any] = {}
        if row.query_id in self.grades:
            found["answer_grade"] = self.grades[row.query_id]
        if self.need("context_grades"):
            found["context_grades"] = [self.contexts[row.query_id, place] for place in range(len(row.contexts))]
        asked = self.questions.get(row.query_id)
        if asked is not None:
            found["noncommittal"] = [None if isinstance(one, Failed) else one[1] for one in asked]
        if asked is not None and self.embed is not None:
            made = ["" if isinstance(one, Failed) else one[0] for one in asked]
            near = _cosines(self.embed([row.question, *made]))
            found["reverse_cosines"] = [value if text else None for value, text in zip(near, made, strict=True)]
        if self.need("similarity") and self.embed is not None and row.references and self.speaks(row):
            found["similarity"] = _cosines(self.embed([row.text or "", row.references[0]]))[0]
        return found


def _texts(claims: tuple[Claim, ...] | Failed | None) -> tuple[str, ...] | Failed | None:
    return claims if claims is None or isinstance(claims, Failed) else tuple(claim.text for claim in claims)


def _entry(verdict: Verdict | bool | Failed) -> Entry:
    if isinstance(verdict, Failed):
        return None
    return verdict.supported if isinstance(verdict, Verdict) else verdict


def _cosines(vectors: FloatArray) -> list[float]:
    """Likeness of the first to each of the others; 0 to one without a direction."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1.0, lengths)
    return [float(value) for value in np.clip(unit[1:] @ unit[0], -1, 1)]
