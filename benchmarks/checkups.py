"""What the checkup says of public collections: `python benchmarks/checkups.py FOLDER` prints docs/doctor.md's table.

FOLDER holds `collections/` and `conformance/` with qrels, runs and queries of public test collections.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import rankgauge as rg
from rankgauge.formats.texts import read_texts
from rankgauge.report.grid import Grid

COLUMNS = (
    "collection", "queries", "judgments", "one relevant", "more than 10", "none relevant", "only relevant judged",
    "near-duplicate queries", "runs", "unjudged in the first 10", "smallest nDCG@10 difference", "errors", "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class Collection:
    """Where the parts of a collection lie: qrels, a pattern of runs, queries."""

    name: str
    qrels: str
    runs: str = ""
    queries: str = ""


DL19, QRELS = "collections/trec-dl-2019-passage", "conformance/trec-qrels"
COLLECTIONS = (
    Collection("SciFact", "collections/scifact/qrels.txt", "", "collections/scifact/queries.jsonl"),
    Collection("MS MARCO passage, dev", f"{QRELS}/msmarco-passage.dev-subset.qrels"),
    Collection("ArguAna", "conformance/beir-qrels/arguana.test.qrels"),
    Collection("NFCorpus", "conformance/beir-qrels/nfcorpus.test.qrels"),
    Collection("FiQA", "conformance/beir-qrels/fiqa.test.qrels"),
    Collection("Touché 2020", "conformance/beir-qrels/webis-touche2020.test.qrels"),
    Collection("CACM", f"{QRELS}/cacm.qrels"),
    Collection("Cranfield", "collections/cranfield/qrels.txt", "conformance/cranfield/*.run.gz",
               "collections/cranfield/queries.jsonl"),
    Collection("Vaswani", "collections/vaswani/qrels.txt", "conformance/vaswani/*.run.gz",
               "collections/vaswani/queries.jsonl"),
    Collection("TREC-COVID", f"{QRELS}/covid-complete.qrels"),
    Collection("Robust 2003", "collections/robust03-runs/qrels.txt.gz", "collections/robust03-runs/runs/*.run.gz"),
    Collection("Web 2012", f"{QRELS}/web.151-200.qrels", "conformance/trec-web-2012/*.run.gz"),
    Collection("DL 2019 passage", f"{DL19}/qrels.txt", f"{DL19}/runs/*.run.gz", f"{DL19}/queries.jsonl"),
    Collection("DL 2020 passage", f"{QRELS}/dl20-passage.qrels"),
    Collection("RAG 2025", f"{QRELS}/rag25.test.qrels"),
    Collection("XQuAD, Vietnamese", "collections/xquad-vi/qrels.txt", "", "collections/xquad-vi/queries.jsonl"),
    Collection("CMRC 2018, Chinese", "collections/cmrc2018-zh/qrels.txt", "", "collections/cmrc2018-zh/queries.jsonl"),
    Collection("ViQA persons", "collections/viqa-person/qrels.txt", "", "collections/viqa-person/queries.jsonl"),
)  # fmt: skip


def examined(collection: Collection, folder: Path) -> rg.Checkup:
    """Read a collection and look at it."""
    runs = [rg.read_run(path) for path in sorted(folder.glob(collection.runs))] if collection.runs else []
    queries = read_texts(folder / collection.queries) if collection.queries else None
    qrels = rg.read_qrels(folder / collection.qrels, on_duplicate="first")
    return rg.doctor(qrels, runs, measures=["nDCG@10"], queries=queries)


def row(collection: Collection, folder: Path) -> list[str | int | None]:
    """One line of the table."""
    checkup = examined(collection, folder)

    def count(check: str) -> int | None:
        found = checkup.named(check)
        return found[0].count if found else None

    rates = [found.says.partition(": ")[2].split("%")[0].strip("<>") for found in checkup.named("unjudged")]
    power = checkup.named("detectable-difference")
    return [
        collection.name,
        checkup.queries,
        checkup.judgments,
        count("one-relevant"),
        count("more-relevant-than-cutoff"),
        count("no-relevant"),
        count("nothing-non-relevant"),
        count("near-duplicate-queries"),
        len(checkup.runs) or None,
        f"{min(rates, key=float)} to {max(rates, key=float)}%" if rates else None,
        power[0].says.partition("a difference of ")[2].split()[0] if power else None,
        len(checkup.of("error")),
        len(checkup.of("warning")),
    ]


def table(folder: Path) -> str:
    """The table as Markdown."""
    return Grid(COLUMNS, [row(collection, folder) for collection in COLLECTIONS], empty="-").markdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    print(table(parser.parse_args().folder), end="")
