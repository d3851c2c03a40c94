"""Random qrels and runs: ties, gaps, unjudged documents, empty and missing queries, negative and graded judgments."""

from __future__ import annotations

from hypothesis import strategies as st

QUERIES = ("q1", "q10", "q2", "007", "ü")
DOCS = (*"abcdefgh", "é", "10", "9")
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
SCORES = st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0, 1e9])

Graded = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def gradings(*, most: int = 8) -> st.SearchStrategy[dict[str, int]]:
    """Judgments of one query: at least one, perhaps none of them relevant."""
    return st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=1, max_size=most)


def rankings(*, least: int = 0, most: int = 10) -> st.SearchStrategy[dict[str, float]]:
    """A ranking of one query, perhaps empty, with many ties; documents may be unjudged."""
    docs = st.sampled_from((*DOCS, "u1", "u2", "u3"))
    return st.dictionaries(docs, SCORES, min_size=least, max_size=most)


@st.composite
def inputs(draw: st.DrawFn) -> tuple[Graded, Scored]:
    """Qrels and a run that share a query; each may hold queries that the other lacks."""
    qrels = draw(st.dictionaries(st.sampled_from(QUERIES), gradings(), min_size=1, max_size=4))
    run = draw(st.dictionaries(st.sampled_from(QUERIES), rankings(), max_size=4))
    shared = draw(st.sampled_from(sorted(qrels)))
    run[shared] = draw(rankings(least=1))
    return qrels, run


@st.composite
def one_query(draw: st.DrawFn, *, most: int = 6) -> tuple[Graded, Scored]:
    """One query with at most `most` documents, so that all orders of its ties can be tried."""
    return {"q": draw(gradings(most=6))}, {"q": draw(rankings(least=1, most=most))}


@st.composite
def shuffled(draw: st.DrawFn, run: Scored) -> list[tuple[str, str, float]]:
    """Rows of a run with the queries interleaved in any way."""
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    return draw(st.permutations(rows))
