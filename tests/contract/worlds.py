"""Random rankings of one seed, by the hundred, with everything that goes wrong in real ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

import rankgauge as rg
from rankgauge.judged import JudgedRun

GRADES = [-2, -1, 0, 0, 0, 1, 1, 2, 3]
Judged = dict[str, dict[str, dict[str, int]]]  # query, document, subtopic
Ranking = dict[str, list[str]]


@dataclass(frozen=True)
class World:
    """Judgments by query, document and subtopic, and one ranking of each query, best first."""

    judged: Judged
    ranking: Ranking

    def grade(self, query: str, doc: str) -> int | None:
        found = self.judged[query].get(doc)
        return None if found is None else max(found.values())


def world(seed: int, *, queries: int = 120, most: int = 12) -> World:
    """Some queries have no relevant document, some no ranking, some rankings hold nothing that was judged."""
    rng = np.random.default_rng(seed)
    judged, ranking = {}, {}
    for number in range(queries):
        docs = [f"d{i}" for i in rng.permutation(40)[: rng.integers(1, most)]]
        judged[f"q{number}"] = {doc: subtopics(rng) for doc in docs}
        others = [f"u{i}" for i in range(rng.integers(0, most // 2))]
        kept = [doc for doc in docs if rng.random() < 0.7]
        ranking[f"q{number}"] = [str(doc) for doc in rng.permutation(kept + others)]
    judged["q0"] = {"a": {"1": 0}, "b": {"1": -1}}
    ranking["q1"] = []
    judged["q2"] = {"n1": {"1": 1}, "n2": {"2": 3}, "n3": {"1": 2}}
    return World(judged, ranking)


def subtopics(rng: np.random.Generator) -> dict[str, int]:
    found = rng.permutation(4)[: rng.integers(1, 4)]
    return {str(topic): int(rng.choice(GRADES)) for topic in found}


def qrels_of(judged: Judged) -> rg.Qrels:
    rows = [(q, d, t, g) for q, docs in judged.items() for d, topics in docs.items() for t, g in topics.items()]
    frame = pl.DataFrame(rows, schema=["query", "doc", "subtopic", "grade"], orient="row")
    return rg.Qrels.from_polars(frame, subtopic="subtopic")


def run_of(ranking: Ranking) -> rg.Run:
    """Scores that fall by one from rank to rank."""
    return rg.Run.from_dict({q: {doc: -float(i) for i, doc in enumerate(docs)} for q, docs in ranking.items()})


def judge(world: World, ranking: Ranking | None = None) -> JudgedRun:
    """A judged run whose arrays cannot be written."""
    judged = rg.judge(qrels_of(world.judged), run_of(world.ranking if ranking is None else ranking))
    assert judged.subtopics is not None
    for record in (judged, judged.judgments, judged.subtopics):
        for column in vars(record).values():
            if isinstance(column, np.ndarray):
                column.setflags(write=False)
    return judged


def alone(judged: JudgedRun, query: int) -> JudgedRun:
    """The same query without the others; the scale of grades stays the collection's."""
    rows, ours = judged.query == query, judged.judgments.query == query
    columns = {name: getattr(judged, name)[rows] for name in ("grade", "rank", "first", "last", "known")}
    known = replace(judged.judgments, query=zeros(ours.sum()), grade=judged.judgments.grade[ours], Q=1)
    pairs = judged.subtopics
    if pairs is not None:
        own = pairs.query == query
        few = {name: getattr(pairs, name)[own] for name in ("doc", "subtopic", "grade", "judgment", "rank")}
        pairs = replace(pairs, query=zeros(own.sum()), ideals={}, **few)
    depth = judged.depth[query : query + 1]
    return replace(judged, query=zeros(rows.sum()), depth=depth, judgments=known, subtopics=pairs, **columns)


def zeros(count: int) -> np.ndarray:
    return np.zeros(count, dtype=np.int64)


Tied = dict[str, dict[str, float]]


def tied_world(seed: int, *, queries: int = 60) -> tuple[World, Tied]:
    """Short rankings in which most scores are shared, some ties of nothing but unjudged documents."""
    small = world(seed, queries=queries, most=6)
    rng = np.random.default_rng(seed)
    scores = {q: {doc: float(rng.integers(0, 3)) for doc in docs[:6]} for q, docs in small.ranking.items()}
    return replace(small, ranking={q: list(docs) for q, docs in scores.items()}), scores


def all_orders(scores: dict[str, float]) -> Iterator[list[str]]:
    """Every ranking that falls by score."""
    groups = [
        [doc for doc, score in scores.items() if score == level] for level in sorted(set(scores.values()), reverse=True)
    ]
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [doc for part in parts for doc in part]


@dataclass(frozen=True)
class BruteForce:
    """A judged run with ties, and one judged run that holds every order of them as a query of its own."""

    tied: JudgedRun
    orders: JudgedRun
    query: np.ndarray

    def mean(self, values: np.ndarray) -> np.ndarray:
        return np.array([values[self.query == q].mean() for q in range(self.tied.Q)])

    def low(self, values: np.ndarray) -> np.ndarray:
        return np.array([values[self.query == q].min() for q in range(self.tied.Q)])

    def high(self, values: np.ndarray) -> np.ndarray:
        return np.array([values[self.query == q].max() for q in range(self.tied.Q)])


def brute_force(seed: int) -> BruteForce:
    small, scores = tied_world(seed)
    judged: Judged = {}
    ranking: Ranking = {}
    owner = []
    for number, (query, docs) in enumerate(scores.items()):
        for order, found in enumerate(all_orders(docs)):
            judged[f"{query}.{order}"] = small.judged[query]
            ranking[f"{query}.{order}"] = found
            owner.append(number)
    tied = rg.judge(qrels_of(small.judged), rg.Run.from_dict(scores))
    return BruteForce(tied, judge(World(judged, ranking)), np.array(owner))
