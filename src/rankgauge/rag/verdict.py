"""Two systems over the same questions: what retrieval gained, what the answers gained, and one verdict over both.

Retrieval alone never makes a winner: a better ranking whose answers cannot be told apart is a "cannot tell".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankgauge.comparison.decision import show, show_p
from rankgauge.judged import FloatArray
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.table import named, numbers
from rankgauge.statistics.corrections import holm
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.results import Interval, PairedTest

Word = Literal["better", "worse", "equivalent", "mixed", "cannot tell"]
Numbers = Mapping[str, float | None]


@dataclass(frozen=True)
class Pair:
    """One measure of two systems, question by question; None where it has no value."""

    measure: str
    a: Numbers
    b: Numbers
    lower_is_better: bool = False


def pair(name: str, a: Iterable[Matrices], b: Iterable[Matrices]) -> Pair:
    """Measure the answers of two systems.

    >>> row = Matrices("q", ["a claim"], ["a passage"], answer_in_contexts=[[True]])
    >>> pair("faithfulness", [row], [row])
    Pair(measure='faithfulness', a={'q': 1.0}, b={'q': 1.0}, lower_is_better=False)
    """
    return Pair(name, numbers(a, name), numbers(b, name), named(name).lower_is_better)


@dataclass(frozen=True)
class Change:
    """What one measure says of B beside A.

    Attributes
    ----------
    a, b : means over the questions that have a value for both; None where there is none
    difference : mean of B - A with its interval
    test : of the differences against 0
    p : of the test, corrected (Holm) for the number of answer measures
    word : of B: "better", "worse", "equivalent" (within the margin) or "cannot tell"
    left_out : questions without a value for one of the two
    """

    measure: str
    a: float | None
    b: float | None
    difference: Interval
    test: PairedTest
    p: float | None
    word: Word
    left_out: int
    lower_is_better: bool = False

    def __str__(self) -> str:
        d = self.difference
        span = "" if d.low is None or d.high is None else f" [{show(d.low)}, {show(d.high)}]"
        said = f"p = {show_p(self.p)}" if self.p is not None else f"no test ({self.test.outcome})"
        return f"{self.measure} {show(d.estimate)}{span}, {said}, {d.n} {'question' if d.n == 1 else 'questions'}"


@dataclass(frozen=True)
class RagVerdict:
    """What can be said of B beside A, over both halves.

    Attributes
    ----------
    word : of B; "mixed" where measures of the answers, or the two halves, point in opposite directions
    sentence : one sentence that is enough to act on
    retrieval, answers : what it rests on
    because : what it should be read with
    """

    word: Word
    sentence: str
    retrieval: Change
    answers: tuple[Change, ...]
    because: tuple[str, ...] = ()


def rag_verdict(
    retrieval: Pair,
    answers: Sequence[Pair],
    *,
    rng: np.random.Generator,
    names: tuple[str, str] = ("A", "B"),
    margin: float = 0.01,
    alpha: float = 0.05,
    resamples: int = 10_000,
) -> RagVerdict:
    """Compare two systems by their retrieval and by their answers.

    B is better where some measure of the answers is and none, nor retrieval, is worse; worse likewise. Equivalent
    where all measures of the answers are shown to be within the margin. What retrieval gained is said beside it, and
    decides nothing.

    Parameters
    ----------
    retrieval : as nDCG@10 of each question, from `Scores.of`
    answers : as faithfulness, answer_correctness; all on scales where 1 is the longest step
    rng, resamples : of intervals (BCa bootstrap) and tests (randomization)
    margin : difference that does not matter
    alpha : chance of a false alarm that is accepted
    """

    def change(given: Pair) -> Change:
        return _change(given, rng, margin, alpha, resamples)

    moved = [change(given) for given in answers]
    corrected = holm([one.p for one in moved]).tolist() if moved else []
    pairs = zip(moved, corrected, strict=True)
    said = tuple(_worded(replace(one, p=None if np.isnan(p) else p), alpha) for one, p in pairs)
    found = _worded(change(retrieval), alpha)
    word = _word(found.word, [one.word for one in said])
    because = tuple(
        f"{one.measure}: without a value for one of the two, and left out: {one.left_out}"
        for one in (found, *said)
        if one.left_out
    )
    return RagVerdict(word, _sentence(word, found, said, names), found, said, because)


def _change(given: Pair, rng: np.random.Generator, margin: float, alpha: float, resamples: int) -> Change:
    """Means, interval and test; the word is "equivalent" or left open."""
    queries = dict.fromkeys([*given.a, *given.b])
    rows = np.array([[_number(side.get(query)) for query in queries] for side in (given.a, given.b)]).reshape(2, -1)
    difference: FloatArray = rows[1] - rows[0]
    both = ~np.isnan(difference)
    drawn = interval(difference, rng=rng, confidence=1 - alpha, resamples=resamples)
    test = paired_test(difference, rng=rng, resamples=resamples)
    largest = max(1.0, float(np.abs(difference[both]).max(initial=0.0)))
    same = equivalence(difference, margin=margin, confidence=1 - alpha, largest=largest)
    a, b = (float(row[both].mean()) if both.any() else None for row in rows)
    word: Word = "equivalent" if same.equivalent else "cannot tell"
    return Change(given.measure, a, b, drawn, test, test.p, word, int((~both).sum()), given.lower_is_better)


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _worded(change: Change, alpha: float) -> Change:
    """Better or worse where test and interval agree; what is within the margin stays equivalent."""
    d = change.difference
    outside = d.low is not None and d.high is not None and (d.low > 0 or d.high < 0)
    if change.word == "equivalent" or change.p is None or change.p >= alpha or not d.estimate or not outside:
        return change
    gained = (d.estimate > 0) != change.lower_is_better
    return replace(change, word="better" if gained else "worse")


def _word(retrieval: Word, answers: Sequence[Word]) -> Word:
    better, worse = "better" in answers, "worse" in answers
    if better and worse:
        return "mixed"
    if better or worse:
        mine: Word = "better" if better else "worse"
        opposite = "worse" if better else "better"
        return "mixed" if retrieval == opposite else mine
    return "equivalent" if answers and set(answers) == {"equivalent"} else "cannot tell"


def _sentence(word: Word, retrieval: Change, answers: Sequence[Change], names: tuple[str, str]) -> str:
    a, b = names
    half = _half("Retrieval", retrieval.word, [str(retrieval)])
    if not answers:
        return f"{half}; no answer was measured: no winner between {a} and {b}."
    kinds: dict[Word, list[str]] = {}
    for one in answers:
        kinds.setdefault(one.word, []).append(str(one))
    rest = ", and ".join(_half("answers", kind, said) for kind, said in kinds.items())
    head = {
        "better": f"{b} is better than {a}",
        "worse": f"{b} is worse than {a}",
        "equivalent": f"{b} and {a} give equivalent answers",
        "mixed": f"Mixed: no winner between {a} and {b}",
        "cannot tell": f"Cannot tell: no winner between {a} and {b}",
    }[word]
    return f"{head}. {half}; {rest}."


def _half(what: str, word: Word, said: Sequence[str]) -> str:
    verb = "are" if what == "answers" else "is"
    kind = "cannot tell the two apart" if word == "cannot tell" else f"{verb} {word}"
    return f"{what} {kind} ({'; '.join(said)})"
