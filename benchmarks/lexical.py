"""What BM25 finds in public collections, and how fast: the tables of docs/retrieval.md.

    python benchmarks/lexical.py FOLDER [--speed]

FOLDER holds a folder per collection: corpus.jsonl.gz, queries.jsonl, qrels.txt. With --speed, the times of both engines
over 100,000 documents, made of SciFact's sentences, are printed instead.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rankgauge as rg
from rankgauge.report.grid import Grid
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.documents import read_documents, read_queries
from rankgauge.retrieval.formulas import Scoring
from rankgauge.retrieval.protocols import Document
from rankgauge.retrieval.running import retrieve
from rankgauge.retrieval.tokenizers import tokenizer

MEASURES = ["nDCG@10", "R@100"]
SCORINGS = {
    "tantivy 1.2/.75": Scoring(),
    "exact 1.2/.75": Scoring("lucene"),
    "exact .9/.4": Scoring("lucene", 0.9, 0.4),
}
COLLECTIONS = {
    "scifact": ("plain", "en", "en-stop", "multi"),
    "vaswani": ("plain", "en", "en-stop", "multi"),
    "cranfield": ("plain", "en", "en-stop", "multi"),
    "xquad-en": ("plain", "en", "en-stop", "multi"),
    "xquad-vi": ("vi", "vi-words", "multi"),
    "viqa-person": ("vi", "vi-words", "multi"),
    "xquad-zh": ("plain", "zh", "zh-words", "multi"),
    "cmrc2018-zh": ("plain", "zh", "zh-words", "multi"),
    "rgb-zh": ("plain", "zh", "zh-words", "multi"),
}


def quality(folder: Path, names: list[str]) -> Grid:
    """nDCG@10 and R@100 by collection, tokenizer and scoring."""
    rows = []
    for name in names:
        documents = list(read_documents(folder / name / "corpus.jsonl.gz"))
        queries, qrels = read_queries(folder / name / "queries.jsonl"), rg.read_qrels(folder / name / "qrels.txt")
        for language in COLLECTIONS[name]:
            row: list[str | float] = [name, language]
            for scoring in SCORINGS.values():
                with tempfile.TemporaryDirectory() as place:
                    index = BM25Index.build(place, documents, tokenizer=language, scoring=scoring)
                    run = retrieve(index, queries, 100)
                means = rg.evaluate(qrels, run, MEASURES, convention="trec_eval").mean()["mean"]
                row += means.to_list()
            rows.append(row)
    columns = ["collection", "tokenizer", *(f"{m} {s}" for s in SCORINGS for m in MEASURES)]
    return Grid(columns, rows)


@dataclass(frozen=True)
class Sample:
    """Documents and queries of one length."""

    documents: list[Document]
    queries: list[str]


def sample(folder: Path, number: int = 100_000, queries: int = 500) -> Sample:
    """Documents of one to three sentences, and titles as queries."""
    corpus = list(read_documents(folder / "scifact" / "corpus.jsonl.gz"))
    sentences = [s for d in corpus for s in re.split(r"(?<=[.!?])\s*(?=[A-Z])", d.text)]
    rng = np.random.default_rng(0)
    picked = rng.integers(len(sentences), size=(number, 3))
    texts = (" ".join(sentences[i] for i in row[: 1 + place % 3]) for place, row in enumerate(picked))
    documents = [Document(f"d{place}", text) for place, text in enumerate(texts)]
    return Sample(documents, [d.title for d in corpus[:queries]])


def speed(folder: Path) -> Grid:
    """CPU seconds to index, and milliseconds of CPU per query, by engine."""
    given = sample(folder)
    started = time.process_time()
    words = tokenizer("en")
    for document in given.documents:
        words(document.whole)
    rows: list[list[str | float | None]] = [["tokens alone", time.process_time() - started, None, None, None, None]]
    for engine, scoring in (("tantivy", Scoring()), ("exact", Scoring("lucene"))):
        with tempfile.TemporaryDirectory() as place:
            started = time.process_time()
            index = BM25Index.build(place, given.documents, tokenizer=words, engine=engine, scoring=scoring)
            took = time.process_time() - started
            size = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
            for k in (10, 1000):
                p50, p99 = np.percentile(list(timed(index, given.queries, k)), [50, 99]).tolist()
                rows.append([f"{engine}, k {k}", took, size / 1e6, p50, p99, peak()])
    return Grid(["engine", "index CPU s", "MB", "query p50 ms", "p99 ms", "peak MB"], rows, digits=2)


def timed(index: BM25Index, queries: list[str], k: int) -> Iterator[float]:
    """Milliseconds of CPU that each query takes; the first ones warm up."""
    for query in queries[:20]:
        index.search(query, k)
    for query in queries:
        started = time.process_time()
        index.search(query, k)
        yield 1000 * (time.process_time() - started)


def peak() -> float:
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="collections; all, if not said")
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    grid = speed(given.folder) if given.speed else quality(given.folder, given.names or list(COLLECTIONS))
    print(grid.markdown())


if __name__ == "__main__":
    main()
