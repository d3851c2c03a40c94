"""Matrices for tests: one worked by hand, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from rankgauge.rag.matrices import Matrices

WORKED = Matrices(
    "worked",
    answer=["right, from c1", "wrong, from c2", "wrong, from none", "right, from none", "wrong, from c1 and c2"],
    contexts=["c1", "c2", "c3"],
    reference=["in c1, said", "in none", "in c1 and c3"],
    answer_in_contexts=[[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0]],  # type: ignore[list-item]
    reference_in_contexts=[[1, 0, 0], [0, 0, 0], [1, 0, 1]],  # type: ignore[list-item]
    answer_in_reference=[True, False, False, True, False],
    reference_in_answer=[True, False, False],
    answer_to_question=[True, True, True, False, True],
    context_grades=[3, 0, 1.5],
    answer_grade=2,
    reverse_cosines=[0.9, 0.6, 0.3],
    noncommittal=[False, True, False],
    similarity=0.8,
    sentences=[0, 0, 1, 2, 2],
    citations=[[1], [1, 2], [], [3, 4], [2]],
    outcome="answered",
    answerable=True,
)
"""Claims of the answer: 3 of 5 in contexts, 2 of 5 right. Of the reference: 2 of 3 in contexts, 1 of 3 said."""

CERTAIN = st.booleans()
OPEN = st.sampled_from([True, False, None])


@st.composite
def matrices(draw: st.DrawFn, entries: st.SearchStrategy[bool | None] = OPEN, least: int = 0) -> Matrices:
    """Matrices of up to four claims, contexts and claims of the reference."""
    a, y, c = (draw(st.integers(least, 4)) for _ in range(3))

    def row(n: int) -> list[bool | None]:
        return draw(st.lists(entries, min_size=n, max_size=n))

    return Matrices(
        "q",
        answer=[f"s{i}" for i in range(a)],
        contexts=[f"c{i}" for i in range(c)],
        reference=[f"y{i}" for i in range(y)],
        answer_in_contexts=[row(c) for _ in range(a)],
        reference_in_contexts=[row(c) for _ in range(y)],
        answer_in_reference=row(a),
        reference_in_answer=row(y),
        answer_to_question=row(a),
        context_grades=draw(st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=c, max_size=c)),
        answer_grade=draw(st.integers(0, 3)),
        reverse_cosines=draw(st.lists(st.floats(-1, 1), max_size=3)),
        noncommittal=draw(st.lists(entries, max_size=3)),
        similarity=draw(st.floats(-1, 1)),
        sentences=draw(st.lists(st.integers(0, 2), min_size=a, max_size=a)),
        citations=draw(st.lists(st.lists(st.integers(1, 6), max_size=3), min_size=a, max_size=a)),
        outcome=draw(st.sampled_from([None, "answered", "abstained", "empty", "judge_failed"])),
        answerable=draw(st.sampled_from([None, True, False])),
    )
