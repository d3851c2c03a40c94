"""What a judge found for one answer, as it is kept: its claims, and the four matrices of their verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rankgauge.errors import DuplicateError, Fault, FormatError, InputError
from rankgauge.judges.asking import Failed
from rankgauge.rag.outcomes import OUTCOMES, Outcome
from rankgauge.rag.verdicts import Entry, Quote, Row, any_of


@dataclass(frozen=True)
class Matrices:
    """All that a judge found for one answer. Every measure is a function of it.

    What nobody asked the judge is None, and measures that need it do not apply. Within what was asked, an entry of
    None is a failed verdict. Lists are taken as well as tuples.

    Attributes
    ----------
    answer, reference : their claims; Failed where they could not be had; `reference` None: there is none
    contexts : what stood in the prompt, in this order
    answer_in_contexts, reference_in_contexts : a row per claim, an entry per context: does the claim follow from it?
    answer_in_reference, reference_in_answer : an entry per claim: does it follow from the other text?
    answer_to_question : an entry per claim of the answer: does it speak to the question?
    useful : an entry per context: does it help to reach the reference? None: what entails a claim of it does
    context_grades, answer_grade : relevance to the question, from 0 to `top`; None in the list: failed
    reverse_cosines, noncommittal : of questions made from the answer: likeness to the question; whether it evades
    similarity : of answer and reference, as embeddings see it
    sentences : the place (from 0) of the answer's sentence that each of its claims comes from
    citations : the slots (from 1) that each claim of the answer cites
    outcome : None: "judge_failed" where the claims of the answer failed, else "answered"
    answerable : whether the contexts, or the collection, hold an answer; None: nobody said
    quotes_answer, quotes_reference : the words that prove the entries of the two matrices of contexts
    unproven : how many entries are None for a quotation that is not in its context

    Raises
    ------
    InputError
        For shapes that do not fit each other, for what is no verdict, and for support from a blank context.

    >>> m = Matrices("q1", answer=["It is blue."], contexts=["The sky is blue."], answer_in_contexts=[[True]])
    >>> m.supported
    (True,)
    """

    query_id: str
    answer: Sequence[str] | Failed
    contexts: Sequence[str] = ()
    reference: Sequence[str] | Failed | None = None
    answer_in_contexts: Sequence[Sequence[Entry]] | None = None
    reference_in_contexts: Sequence[Sequence[Entry]] | None = None
    answer_in_reference: Sequence[Entry] | None = None
    reference_in_answer: Sequence[Entry] | None = None
    answer_to_question: Sequence[Entry] | None = None
    useful: Sequence[Entry] | None = None
    context_grades: Sequence[float | None] | None = None
    answer_grade: float | Failed | None = None
    top: float = 3.0
    reverse_cosines: Sequence[float | None] | None = None
    noncommittal: Sequence[Entry] | None = None
    similarity: float | None = None
    sentences: Sequence[int] | None = None
    citations: Sequence[Sequence[int]] | None = None
    outcome: Outcome | None = None
    answerable: bool | None = None
    quotes_answer: Sequence[Quote] = ()
    quotes_reference: Sequence[Quote] = ()
    unproven: int = 0

    def __post_init__(self) -> None:
        faults = _tidy(self)
        if faults:
            raise InputError(faults)

    @property
    def supported(self) -> Row:
        """Per claim of the answer: whether some context entails it, max_j e(s, c_j)."""
        return tuple(any_of(row) for row in self.answer_in_contexts or ())

    @property
    def found(self) -> Row:
        """Per claim of the reference: whether some context entails it, max_j e(y, c_j)."""
        return tuple(any_of(row) for row in self.reference_in_contexts or ())

    @property
    def right(self) -> Row:
        """Per claim of the answer: whether the reference entails it."""
        return tuple(self.answer_in_reference or ())

    @property
    def said(self) -> Row:
        """Per claim of the reference: whether the answer entails it."""
        return tuple(self.reference_in_answer or ())

    @property
    def relevant(self) -> Row:
        """Per context: whether it entails some claim of the reference, max_y e(y, c_j)."""
        if not self.reference_in_contexts:
            return (False,) * len(self.contexts)
        return tuple(any_of(column) for column in zip(*self.reference_in_contexts, strict=True))

    @property
    def readable(self) -> int:
        """Number of contexts that are not blank."""
        return sum(bool(context.strip()) for context in self.contexts)


TABLES = ("answer_in_contexts", "reference_in_contexts", "citations")
BOOLEAN = ("answer_in_contexts", "reference_in_contexts", "answer_in_reference", "reference_in_answer",
           "answer_to_question", "useful", "noncommittal")  # fmt: skip
LISTS = (
    "answer", "contexts", "reference", "answer_in_reference", "reference_in_answer", "answer_to_question", "useful",
    "noncommittal", "context_grades", "reverse_cosines", "sentences", "quotes_answer", "quotes_reference",
)  # fmt: skip


def _tidy(m: Matrices) -> list[Fault]:
    """Turn lists into tuples and 1 and 0 into booleans; what is wrong with them."""
    faults = []
    for name in (*LISTS, *TABLES):
        given = getattr(m, name)
        if given is None or isinstance(given, Failed):
            continue
        if isinstance(given, str):
            faults.append(Fault(f"{m.query_id}: {name}", "a list", f"the text {given!r}", f"pass [{given!r}]"))
            continue
        listed = [tuple(row) for row in given] if name in TABLES else [list(given)]
        if name in BOOLEAN:
            wrong = [x for row in listed for x in row if x is not None and not (x in (0, 1) and x == bool(x))]
            faults += [Fault(f"{m.query_id}: {name}", "True, False or None", repr(x)) for x in wrong[:1]]
            listed = [tuple(None if x is None else bool(x) for x in row) for row in listed]
        object.__setattr__(m, name, tuple(listed) if name in TABLES else tuple(listed[0]))
    return faults or [*_misfits(m), *_blank_support(m), *_outside(m)]


def _misfits(m: Matrices) -> list[Fault]:
    claims = {side: () if given is None or isinstance(given, Failed) else given
              for side, given in (("answer", m.answer), ("reference", m.reference))}  # fmt: skip
    a, y, c = len(claims["answer"]), len(claims["reference"]), len(m.contexts)
    wanted = {
        "answer_in_contexts": a, "answer_in_reference": a, "answer_to_question": a, "sentences": a, "citations": a,
        "reference_in_contexts": y, "reference_in_answer": y, "useful": c, "context_grades": c,
    }  # fmt: skip
    faults = [
        Fault(f"{m.query_id}: {name}", f"{n} entries, as there are claims or contexts", str(len(given)))
        for name, n in wanted.items()
        if (given := getattr(m, name)) is not None and len(given) != n
    ]
    return faults + [
        Fault(f"{m.query_id}: {name}[{place}]", f"{c} entries, as there are contexts", str(len(row)))
        for name in ("answer_in_contexts", "reference_in_contexts")
        for place, row in enumerate(getattr(m, name) or ())
        if len(row) != c
    ]


def _blank_support(m: Matrices) -> list[Fault]:
    return [
        Fault(f"{m.query_id}: {name}[{claim}][{place}]", "no support from a blank context", "True", "do not ask of it")
        for name in ("answer_in_contexts", "reference_in_contexts")
        for claim, row in enumerate(getattr(m, name) or ())
        for place, entry in enumerate(row[: len(m.contexts)])
        if entry and not m.contexts[place].strip()
    ]


def _outside(m: Matrices) -> list[Fault]:
    """Grades, cosines, slots and outcomes that cannot be."""
    grade = [] if m.answer_grade is None or isinstance(m.answer_grade, Failed) else [m.answer_grade]
    cosines = [x for x in (*(m.reverse_cosines or ()), m.similarity) if x is not None]
    grades = [x for x in (*(m.context_grades or ()), *grade) if x is not None]
    slots = [slot for row in m.citations or () for slot in row]
    checks = [(f"a grade from 0 to {m.top:g}", x) for x in grades if not 0 <= x <= m.top]
    checks += [("a cosine from -1 to 1", x) for x in cosines if not -1.000001 <= x <= 1.000001]
    checks += [("a slot from 1", x) for x in slots if x < 1]
    faults = [Fault(m.query_id, expected, repr(x)) for expected, x in checks]
    if m.outcome is not None and m.outcome not in OUTCOMES:
        faults.append(Fault(f"{m.query_id}: outcome", f"one of {', '.join(OUTCOMES)}", repr(m.outcome)))
    return faults


def to_json(m: Matrices) -> str:
    """Write one line; what is not there is left out."""
    row: dict[str, Any] = {"query_id": m.query_id}
    for field in fields(m)[1:]:
        value = getattr(m, field.name)
        if value != field.default:
            row[field.name] = _plain_data(value)
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def _plain_data(value: Any) -> Any:
    if isinstance(value, Failed):
        return {"failed": value.reason, "said": value.said}
    if isinstance(value, Quote):
        return asdict(value)
    return [_plain_data(part) for part in value] if isinstance(value, tuple) else value


def from_json(line: str, *, where: str = "matrices") -> Matrices:
    """Read one line.

    Raises FormatError for what is no such line.
    """
    try:
        row = json.loads(line)
        unknown = set(row) - {field.name for field in fields(Matrices)}
        if unknown:
            raise ValueError(f"the field {min(unknown)!r}")
        for name in ("answer", "reference", "answer_grade"):
            if isinstance(row.get(name), dict):
                row[name] = Failed(row[name]["failed"], row[name].get("said", ""))
        for name in ("quotes_answer", "quotes_reference"):
            row[name] = tuple(Quote(**quote) for quote in row.get(name, ()))
        return Matrices(**row)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(Fault(where, "matrices of one answer as JSON", str(error))) from None


def write_matrices(rows: Iterable[Matrices], path: str | Path) -> None:
    """Write a line per question."""
    Path(path).write_text("".join(f"{to_json(row)}\n" for row in rows), encoding="utf-8", newline="\n")


def read_matrices(path: str | Path) -> tuple[Matrices, ...]:
    """Read what `write_matrices` wrote.

    Raises FormatError with the file and line of what cannot be read, DuplicateError for a question that is there twice.
    """
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    rows = tuple(from_json(line, where=f"{path}:{number}") for number, line in numbered)
    twice = [query for query, count in Counter(row.query_id for row in rows).items() if count > 1]
    if twice:
        raise DuplicateError([Fault(str(path), "each question once", f"{query!r} twice") for query in twice])
    return rows
