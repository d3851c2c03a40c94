"""A small engine to sweep over: ten documents, a first stage in order of their numbers, and a better second one."""

from __future__ import annotations

import numpy as np

import rankgauge as rg
from rankgauge.retrieval.protocols import Hits
from rankgauge.study.sweep import Engine

DOCS = tuple(f"d{number}" for number in range(10))
QUERIES = {f"q{number}": f"text {number}" for number in range(6)}
GRADES = {query: {f"d{3 + row}": 2, f"d{row}": 1, "d9": 0} for row, query in enumerate(QUERIES)}


class First:
    """Finds all documents, always in the same order."""

    name = "by number"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __len__(self) -> int:
        return len(DOCS)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        self.asked.append(query)
        return Hits(DOCS, np.arange(len(DOCS), 0, -1.0)).top(k)


class Second:
    """Knows the grades."""

    def __init__(self, name: str = "oracle", sign: float = 1.0) -> None:
        self.name, self.sign, self.scored = name, sign, list[str]()

    def score(self, candidates):
        self.scored += candidates.texts
        query = next(query for query, text in QUERIES.items() if text == candidates.query)
        return np.array([self.sign * GRADES[query].get(doc, 0) for doc in candidates.hits.docs])


def engine(**stages: Second) -> Engine:
    return Engine(First(), lambda docs: [f"text of {doc}" for doc in docs], stages)


def qrels() -> rg.Qrels:
    return rg.Qrels.from_dict(GRADES)
