"""Writes docs/oracles.md: the largest difference from each oracle, measure by measure, over all runs at hand.

    RANKGAUGE_SHARED=... PYTHONPATH=src:tests python tests/golden/make_oracle_table.py docs/oracles.md

Needs the shared data and every tool of the development environment; takes some minutes.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sklearn import metrics

import rankgauge as rg
from oracles import compare, irm, learning, pytrec, ranx, reference, tracks, trec

warnings.simplefilter("ignore")  # of the tools

SHARED = Path(os.environ["RANKGAUGE_SHARED"])
CONFORMANCE = SHARED / "data/conformance"
MORE = {f"vaswani.{s}": ("vaswani/qrels", f"vaswani/{s}.run.gz") for s in ("lmd", "tfidf")}
MORE |= {f"cranfield.{s}": ("cranfield/cranfield.graded.qrels", f"cranfield/{s}.run.gz") for s in ("lmd", "tfidf")}
COLLECTIONS = {"robust03-runs": "qrels.txt.gz", "trec-dl-2019-passage": "qrels.txt"}


@dataclass
class Table:
    """Largest difference and number of rows, by measure and oracle; measures at their cutoffs are one row."""

    largest: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    rows: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, oracle: str, inputs: Any, expected: compare.Values, how: str | rg.Convention) -> None:
        """Compare our values under a convention with all that the oracle has."""
        found = compare.ours(*inputs, expected, how)
        for measure, queries in expected.items():
            written = str(rg.parse(measure).under(rg.conventions.convention(how)))
            self.put(oracle, written, {query: found[measure].get(query) for query in queries}, queries)

    def put(self, oracle: str, measure: str, found: Any, expected: Any) -> None:
        """Take note of one measure's difference."""
        seen = compare.difference({measure: found}, {measure: expected})
        if seen.largest > 1e-4:
            print(f"{oracle}: {seen.where}", file=sys.stderr)
        key = (family(measure), oracle)
        self.largest[key] = max(self.largest[key], seen.largest)
        self.rows[key] += seen.rows

    def written(self) -> Iterator[str]:
        for measure, oracle in sorted(self.rows, key=lambda key: (key[0].lower(), key[1])):
            largest = self.largest[measure, oracle]
            shown = "0" if largest == 0 else f"{largest:.1e}"
            yield f"| {measure} | {oracle} | {shown} | {self.rows[measure, oracle]:,} |"


def family(measure: str) -> str:
    """Group a measure's cutoffs and numbers: nDCG(gain='linear')@10 is nDCG(gain='linear')@k.

    >>> family("RBP(p=0.8)@5"), family("IPrec(recall=0.1)")
    ('RBP(p=…)@k', 'IPrec(recall=…)')
    """
    return re.sub(r"=\d[\d.]*", "=…", re.sub(r"@\d+$", "@k", measure))


def conformance(names: dict[str, tuple[str, str]]) -> Iterator[tuple[str, trec.Qrels, trec.Run]]:
    for name, (qrels, run) in names.items():
        yield name, trec.read_qrels(CONFORMANCE / qrels), trec.read_run(CONFORMANCE / run)


def collections(most: int | None = None) -> Iterator[tuple[str, trec.Qrels, trec.Run]]:
    for name, qrels in COLLECTIONS.items():
        folder = SHARED / "data/collections" / name
        judged = trec.read_qrels(folder / qrels)
        for path in sorted((folder / "runs").iterdir())[:most]:
            yield f"{name} {path.name}", judged, trec.read_run(path)


def add_pytrec_eval(table: Table) -> None:
    for where, qrels, run in [*conformance(trec.PAIRS | MORE), *collections()]:
        print(where, file=sys.stderr)
        expected = pytrec.per_query(qrels, run)
        table.add("pytrec_eval", (qrels, run), expected, "pytrec_eval")


def add_trec_eval(table: Table) -> None:
    nine = rg.CONVENTIONS["trec_eval9"].but(queries="judged")
    for options, names, how in [
        ("10.0.qc", trec.NAMES | trec.ONLY_10, rg.CONVENTIONS["trec_eval"]),
        ("9.0.8.qc", trec.NAMES, nine),
        ("9.0.8.qc_l2", trec.NAMES, nine.but(level=2)),
    ]:
        for name, qrels, run in conformance(trec.PAIRS):
            printed = trec.read_printed(CONFORMANCE / f"expected/{name}.trec_eval-{options}_all_trec.txt.gz")
            rows = {ours: {q: v for q, v in printed[t].items() if q != "all"} for t, ours in names.items()}
            expected = {ours: queries for ours, queries in rows.items() if queries}
            oracle = f"trec_eval {options.partition('.q')[0]}, printed"
            table.add(oracle, (qrels, run), expected, how)


def add_printed(table: Table) -> None:
    for name, qrels, run in conformance(trec.PAIRS):
        for k in (5, 10, 20):
            lines = trec.text_of(CONFORMANCE / f"expected/{name}.gdeval.k{k}.csv.gz").splitlines()[1:]
            rows = [line.split(",") for line in lines]
            expected = {f"nDCG(gain='exp')@{k}": {t: float(v) for _, t, v, _ in rows if t != "amean"}}
            expected |= {f"ERR(max_grade=4)@{k}": {t: float(v) for _, t, _, v in rows if t != "amean"}}
            table.add("gdeval, printed", (qrels, run), expected, "gdeval")
    judged = rg.read_qrels(CONFORMANCE / "ndeval/web.201-250.ndeval.qrels", subtopics=True)
    triples = list(judged.to_polars().select("query", "subtopic", "doc", "grade").iter_rows())
    for system in ("synthA", "synthB", "synthC"):
        run = trec.read_run(CONFORMANCE / f"ndeval/{system}.run")
        expected = tracks.ndeval([(q, s, d, int(g)) for q, s, d, g in triples], run)
        how = rg.CONVENTIONS["ndeval"].but(ties="docid-asc")
        table.add("pyndeval", (judged, run), expected, how)
        header, *lines = trec.text_of(CONFORMANCE / f"ndeval/{system}.ndeval-c-traditional.csv").splitlines()
        names = {theirs: ours for ours, theirs in tracks.NDEVAL.items()}
        columns = header.split(",")
        cells = [dict(zip(columns, line.split(","), strict=True)) for line in lines]
        ours_of = {c: names.get(c) or f"{names[c.partition('@')[0] + '@10'].partition('@')[0]}@{c.partition('@')[2]}"
                   for c in columns[2:]}  # fmt: skip
        expected = {ours: {row["topic"]: float(row[c]) for row in cells if row["topic"] in run}
                    for c, ours in ours_of.items()}  # fmt: skip
        table.add("ndeval, printed", (judged, run), expected, "ndeval")


def add_classification(table: Table) -> None:
    """Documents as items: their score against whether they are relevant; what nobody judged is left out."""
    for _, qrels, run in [*conformance(trec.PAIRS), *collections(3)]:
        for query in qrels.keys() & run.keys():
            items = [(qrels[query][doc] > 0, score) for doc, score in run[query].items() if doc in qrels[query]]
            labels, scores = zip(*items, strict=True) if items else ((), ())
            if len(set(labels)) == 2:
                middle = sorted(scores)[len(scores) // 2]
                called = [score >= middle for score in scores]
                found = rg.classify(labels, scores, threshold=middle)
                expected = {
                    "ROC AUC": (found.roc_auc, metrics.roc_auc_score(labels, scores)),
                    "average precision": (found.average_precision, metrics.average_precision_score(labels, scores)),
                    "F1": (found.confusion.f1, metrics.f1_score(labels, called)),
                    "accuracy": (found.confusion.accuracy, metrics.accuracy_score(labels, called)),
                    "MCC": (found.confusion.mcc, metrics.matthews_corrcoef(labels, called)),
                }
                for name, (ours, theirs) in expected.items():
                    if ours is not None:  # scikit-learn's MCC of an empty row is 0, ours is undefined
                        table.put("scikit-learn", f"{name} (classification)", {query: ours}, {query: float(theirs)})


def add_live(table: Table) -> None:
    ref = reference.load(SHARED)
    for where, qrels, run in [*conformance({k: v for k, v in trec.PAIRS.items() if "web" in k}), *collections(3)]:
        print("live", where, file=sys.stderr)
        run = {query: docs for query, docs in run.items() if query in qrels}
        gdeval = {name for name in irm.NAMES if "ERR" in name or "exp" in name}
        names = {ours: theirs for ours, theirs in irm.NAMES.items() if ours not in gdeval}
        expected = {m: {q: v for q, v in queries.items() if q in run}
                    for m, queries in irm.per_query(qrels, run, names).items()}  # fmt: skip
        table.add("ir_measures", (qrels, run), expected, "ir_measures")
        expected = reference.per_query(ref, qrels, run)
        table.add("reference", (qrels, run), expected, "trec_eval")
        positive = {query: {doc: max(grade, 0) for doc, grade in docs.items()} for query, docs in qrels.items()}
        expected = learning.sklearn(positive, run)
        table.add("scikit-learn", (positive, run), expected, "sklearn")
        top = max(grade for docs in positive.values() for grade in docs.values())
        gains = {query: {doc: grade / top for doc, grade in docs.items()} for query, docs in positive.items()}
        expected = {m: v for m, v in tracks.cwl(gains, run).items() if m not in ("P@5", "RR", "AP")}
        table.add("cwl_eval", (gains, run), expected, "cwl_eval")
        ones = {query: {doc: float(grade > 0) for doc, grade in docs.items()} for query, docs in positive.items()}
        expected = {m: v for m, v in tracks.cwl(ones, run).items() if m in ("P@5", "RR", "AP")}
        table.add("cwl_eval", (ones, run), expected, "cwl_eval")
        untied = {query: docs for query, docs in run.items() if len(set(docs.values())) == len(docs)}
        if untied:  # beyond 16 documents the order of ties in ranx depends on an unstable sort
            judged = {query: qrels[query] for query in untied}
            expected = ranx.per_query(judged, untied)
            table.add("ranx", (judged, untied), expected, "ranx")
        candidates = {query: {doc: positive[query].get(doc, 0) for doc in docs} for query, docs in run.items()}
        expected = learning.lightgbm_per_query(candidates, run)
        table.add("LightGBM", (candidates, run), expected, "lightgbm")


HEAD = """# How far from other tools

The largest difference seen between a value of rankgauge, under the tool's own convention, and the tool's.
pytrec_eval: 54 runs of TREC 2003 Robust and TREC 2019 Deep Learning, and 11 rankings of Vaswani, Cranfield and the
2012 Web track, some almost wholly tied. The outputs of trec_eval and gdeval: 7 of these rankings; ndeval and pyndeval:
3 rankings of the 2013 Web track. The other tools: 3 runs of each collection and 3 of the Web track (ranx: those of
their queries without ties; scikit-learn's classification: 3 of each collection and the 7). A row is one query under
one measure. Of a tool known by what it printed,
half of the last digit is rounding: 5e-5 (trec_eval), 5e-6 (gdeval), 5e-7 (ndeval). `@k` puts the cutoffs of a measure
together, and `…` its numbers. The rows of trec_eval 9.0.8 are those of levels 1 and 2.

Tools: {versions};
trec_eval 9.0.8 and 10.0, gdeval 1.2a and ndeval 4.5 by their output; "reference" is an
independent oracle in pure Python. Written by `tests/golden/make_oracle_table.py`. BEIR, ranx with ties, XGBoost,
Spark and MS MARCO's script are compared in `tests/golden/test_conventions_*.py`. Where a convention does not follow
its tool is said in [conventions.md](conventions.md).

| measure | oracle | largest difference | rows |
|---|---|---:|---:|
"""
PACKAGES = ("pytrec_eval-terrier", "ir_measures", "ranx", "cwl-eval", "pyndeval", "scikit-learn", "lightgbm")


def main(page: Path) -> None:
    table = Table()
    for add in (add_trec_eval, add_printed, add_classification, add_live, add_pytrec_eval):
        add(table)
    versions = textwrap.fill(", ".join(f"{name} {version(name)}" for name in PACKAGES), 110)
    page.write_text(HEAD.format(versions=versions) + "\n".join(table.written()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
