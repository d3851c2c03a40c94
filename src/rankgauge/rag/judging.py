"""From answers to matrices: what the chosen measures need is asked of a model, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rankgauge.errors import MethodError
from rankgauge.judges.asking import Failed, Model, Request
from rankgauge.judges.fencing import LONGEST, fence
from rankgauge.judges.prompting import Prompt, prompt
from rankgauge.judges.relevance import RelevanceJudge, grade_of
from rankgauge.rag._found import SIDES, Embed, Found, Place, Side
from rankgauge.rag.asking import AT_ONCE, Asker, Claim, claims_in, question_in, read, relates_in, verdicts_in
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.outcomes import refuses, says_something
from rankgauge.rag.table import named
from rankgauge.rag.triad import Need
from rankgauge.records.answers import Answer, Answers
from rankgauge.records.notes import Note, examples

REVERSED = 3
WARM = 0.7
"""Questions made of an answer, and the temperature that makes them differ."""

OF_CLAIMS: tuple[Need, ...] = (
    "answer", "answer_in_contexts", "answer_in_reference", "answer_to_question", "sentences", "citations",
)  # fmt: skip
OF_REFERENCE: tuple[Need, ...] = ("reference", "reference_in_contexts", "reference_in_answer")
Wanted = dict[Place, tuple[str, list[int]]]
"""The text that claims are held against, and which of them (by place)."""


@dataclass(frozen=True)
class Judged:
    """Answers with what the judge found.

    Attributes
    ----------
    rows : in the order of the answers
    source : who judged, "llm:<model>:<prompt>-<digest>"
    notes : what failed, was cut, was not proven or could not be asked
    """

    rows: tuple[Matrices, ...]
    source: str
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class RagJudge:
    """Fills the matrices of answers by a language model.

    Parameters
    ----------
    needs : fields of the matrices to be filled, as `needs_of` gives them
    how, relevance : prompts of claims and of relevance; by default the package's, in English
    embed : makes vectors of texts, for `reverse_cosines` and `similarity`
    refuses : tells a refusal from its text

    An answer that is empty or abstains has no claims, and none are asked for. Blank contexts are not shown to the
    model, and nothing follows from them; where all are blank and there is no reference, the answer stands as one claim,
    and no call is spent on it.
    """

    model: Model
    needs: frozenset[Need]
    how: Prompt = field(default_factory=lambda: prompt("claims"))
    relevance: Prompt = field(default_factory=lambda: prompt("relevance"))
    embed: Embed | None = None
    refuses: Callable[[str], bool] = refuses
    longest: int = LONGEST

    def __post_init__(self) -> None:
        lacking = sorted(self.needs & {"reverse_cosines", "similarity"})
        if lacking and self.embed is None:
            raise MethodError(f"{lacking[0]}: expected a model that embeds texts, got none; name one")

    def judge(self, answers: Answers) -> Judged:
        """Ask all that is needed, in three rounds: claims and grades, verdicts, and verdicts that were left out."""
        rounds = _Rounds(self, answers)
        rounds.first()
        rounds.second()
        rows = tuple(rounds.found.matrices(row) for row in answers)
        return Judged(rows, rounds.asker.source, _notes(self, answers, rows))

    def requests(self, answers: Answers) -> list[Request]:
        """Calls as they would be if each sentence made one claim: what an estimate goes by before claims are known."""
        rounds = _Rounds(self, answers)
        asked = [request for _, request in rounds.first_jobs()]
        for row in answers:
            for side in rounds.sides(row):
                claims = tuple(Claim(part, place) for place, part in enumerate(rounds.found.parts(row, side)))
                rounds.found.claims.setdefault((row.query_id, side), claims)
        asked += [request for _, request, _ in rounds.verdict_jobs(rounds.wanted())]
        if "context_grades" in self.needs:
            asked += self.of_contexts().requests(*_contexts(answers))
        return asked

    def of_contexts(self) -> RelevanceJudge:
        """Return the judge of the contexts' relevance."""
        return RelevanceJudge(self.model, self.relevance, longest=self.longest)


class _Rounds:
    """The calls, one round after the other; each round is asked together."""

    def __init__(self, judge: RagJudge, answers: Answers) -> None:
        self.judge, self.answers = judge, answers
        self.asker = Asker(judge.model, judge.how, judge.longest)
        self.found = Found(judge.needs, judge.refuses, judge.embed)

    def sides(self, row: Answer) -> list[Side]:
        """Whose claims are asked for."""
        answer = self.found.need(*OF_CLAIMS) and self.found.speaks(row)
        reference = self.found.need(*OF_REFERENCE) and bool(row.references)
        return [side for side, wanted in zip(SIDES, (answer, reference), strict=True) if wanted]

    def first_jobs(self) -> list[tuple[tuple[str, str], Request]]:
        """Calls for claims, grades and questions; what needs no call is known at once."""
        jobs: list[tuple[tuple[str, str], Request]] = []
        for row in self.answers:
            for side in self.sides(row):
                parts = self.found.parts(row, side)
                if side == "answer" and self._stands_alone(row):
                    self.found.claims[row.query_id, side] = (Claim(row.text or "", 0),)
                elif parts:
                    jobs.append(((row.query_id, side), self.asker.claims(row.question, parts)))
                else:
                    self.found.claims[row.query_id, side] = ()
            if self.found.need("answer_grade") and says_something(row.text):
                jobs.append(((row.query_id, "grade"), self.asker.grade(row.question, row.text or "")))
            if self.found.need("reverse_cosines", "noncommittal") and self.found.speaks(row):
                for sample in range(REVERSED):
                    request = self.asker.question(row.text or "", sample=sample, temperature=WARM)
                    jobs.append(((row.query_id, "question"), request))
        return jobs

    def _stands_alone(self, row: Answer) -> bool:
        """Whether there is nothing that the answer's claims could be held against."""
        return not row.readable and not row.references and not self.found.need("answer_to_question")

    def first(self) -> None:
        """Ask for claims, grades and questions."""
        jobs, rows = self.first_jobs(), {row.query_id: row for row in self.answers}
        outcomes = self.judge.model.ask([request for _, request in jobs])
        for ((query, kind), _), one in zip(jobs, outcomes, strict=True):
            if kind == "grade":
                self.found.grades[query] = read(one, lambda value: grade_of(value["grade"]))
            elif kind == "question":
                self.found.questions.setdefault(query, []).append(read(one, question_in))
            else:
                side: Side = "answer" if kind == "answer" else "reference"
                self.found.claims[query, side] = read(one, claims_in(len(self.found.parts(rows[query], side))))
        if self.found.need("context_grades"):
            self._grade_contexts()

    def _grade_contexts(self) -> None:
        labels = self.judge.of_contexts().grade(*_contexts(self.answers))
        for row in self.answers:
            for place, context in enumerate(row.contexts):
                known = labels.grades.get((row.query_id, f"{row.query_id}#{place}"))
                self.found.contexts[row.query_id, place] = 0.0 if context.blank else known

    def wanted(self) -> Wanted:
        """Every verdict that is to be asked for."""
        found: Wanted = {}
        for row in self.answers:
            for side in SIDES:
                claims = self.found.claims.get((row.query_id, side))
                if claims and not isinstance(claims, Failed):
                    for against, text in self._against(row, side):
                        found[row.query_id, side, against] = text, list(range(len(claims)))
        return found

    def _against(self, row: Answer, side: Side) -> Iterable[tuple[str, str]]:
        """What a side's claims are held against, with its text."""
        if self.found.need("answer_in_contexts" if side == "answer" else "reference_in_contexts"):
            yield from ((f"context {place}", row.contexts[place].text) for place in row.readable)
        if side == "reference":
            if self.found.need("reference_in_answer") and self.found.speaks(row):
                yield "answer", row.text or ""
            return
        if self.found.need("answer_in_reference") and row.references:
            yield "reference", row.references[0]
        if self.found.need("answer_to_question"):
            yield "question", row.question

    def verdict_jobs(self, wanted: Wanted) -> list[tuple[Place, Request, list[int]]]:
        """Calls for verdicts, a few claims each."""
        jobs = []
        for place, (text, numbers) in wanted.items():
            claims = self.found.claims[place[:2]]
            assert not isinstance(claims, Failed)
            write = self.asker.relates if place[2] == "question" else self.asker.verdicts
            for first in range(0, len(numbers), AT_ONCE):
                part = numbers[first : first + AT_ONCE]
                jobs.append((place, write([claims[number].text for number in part], text), part))
        return jobs

    def second(self) -> None:
        """Ask for verdicts, and once more for those that an answer leaves out."""
        wanted = self.wanted()
        for _ in range(2):
            jobs = self.verdict_jobs(wanted)
            outcomes = self.judge.model.ask([request for _, request, _ in jobs])
            for (place, _, part), one in zip(jobs, outcomes, strict=True):
                given = read(one, (relates_in if place[2] == "question" else verdicts_in)(len(part)))
                known = self.found.verdicts.setdefault(place, {})
                if isinstance(given, Failed):
                    known |= dict.fromkeys(part, given)
                else:
                    known |= {part[at]: verdict for at, verdict in given.items()}
            wanted = {
                place: (text, left)
                for place, (text, numbers) in wanted.items()
                if (left := [number for number in numbers if number not in self.found.verdicts[place]])
            }


def needs_of(measures: Collection[str]) -> frozenset[Need]:
    """Fields of the matrices that some measures need, by the measures' names."""
    return frozenset(need for name in measures for need in named(name).needs)


def _contexts(answers: Answers) -> tuple[list[tuple[str, str]], dict[str, str], dict[str, str]]:
    """Questions and their contexts as pairs for the relevance judge, with the texts of both."""
    texts = {(row.query_id, f"{row.query_id}#{place}"): row.contexts[place].text
             for row in answers for place in row.readable}  # fmt: skip
    return list(texts), {row.query_id: row.question for row in answers}, {doc: text for (_, doc), text in texts.items()}


def _notes(judge: RagJudge, answers: Answers, rows: Sequence[Matrices]) -> tuple[Note, ...]:
    texts = [
        text
        for row in answers
        for text in (row.text or "", *row.references[:1], *(context.text for context in row.contexts))
    ]
    fenced = [(text[:40], fence(text, longest=judge.longest)) for text in texts]
    failed = [row.query_id for row in rows if isinstance(row.answer, Failed) or isinstance(row.reference, Failed)]
    found: Mapping[str, tuple[list[str], str]] = {
        "claims failed": (failed, "questions whose claims the judge did not give"),
        "unproven": ([row.query_id for row in rows for _ in range(row.unproven)],
                     "verdicts whose quotation is not in the text, which count as failed"),
        "references left": ([row.query_id for row in answers if len(row.references) > 1],
                            "questions with several references, judged by the first"),
        "cut texts": ([text for text, one in fenced if one.cut],
                      f"texts judged by their first {judge.longest} characters"),
        "texts with orders": ([text for text, one in fenced if one.orders],
                              "texts that read as if they told a judge what to do: look at their verdicts"),
    }  # fmt: skip
    return tuple(
        Note(kind, len(which), f"{len(which)} {said}: {examples(dict.fromkeys(which))}")
        for kind, (which, said) in found.items()
        if which
    )
