"""Writes docs/oracles.md: the largest difference from each oracle, measure by measure, over all runs at hand.

    RANKGAUGE_SHARED=... PYTHONPATH=src:tests python tests/golden/make_oracle_table.py docs/oracles.md

Needs the shared data and every tool of the development environment; takes some minutes.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

warnings.simplefilter("ignore")

import rankgauge as rg
from oracles import compare, irm, learning, pytrec, ranx, reference, tracks, trec

SHARED = Path(os.environ["RANKGAUGE_SHARED"])
CONFORMANCE = SHARED / "data/conformance"
PAIRS = {
    "vaswani.bm25": ("vaswani/qrels", "vaswani/bm25.run.gz"),
    "vaswani.coord": ("vaswani/qrels", "vaswani/coord.run.gz"),
    "cranfield.bm25": ("cranfield/cranfield.graded.qrels", "cranfield/bm25.run.gz"),
    "cranfield.coord": ("cranfield/cranfield.graded.qrels", "cranfield/coord.run.gz"),
    "web2012.ql-cata-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/ql-cata-filtered.run.gz"),
    "web2012.rm-catb": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb.run.gz"),
    "web2012.rm-catb-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb-filtered.run.gz"),
}
MORE = {f"vaswani.{s}": ("vaswani/qrels", f"vaswani/{s}.run.gz") for s in ("lmd", "tfidf")}
MORE |= {f"cranfield.{s}": ("cranfield/cranfield.graded.qrels", f"cranfield/{s}.run.gz") for s in ("lmd", "tfidf")}
COLLECTIONS = {"robust03-runs": "qrels.txt.gz", "trec-dl-2019-passage": "qrels.txt"}


@dataclass
class Table:
    """Largest difference and number of rows, by measure and oracle; measures at their cutoffs are one row."""

    largest: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    rows: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, oracle: str, found: compare.Values, expected: compare.Values) -> None:
        for measure, queries in expected.items():
            same = {query: found[measure].get(query) for query in queries}
            seen = compare.difference({measure: same}, {measure: queries})
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
    for where, qrels, run in [*conformance(PAIRS | MORE), *collections()]:
        print(where, file=sys.stderr)
        expected = pytrec.per_query(qrels, run)
        table.add("pytrec_eval", compare.ours(qrels, run, expected, "pytrec_eval"), expected)


def add_trec_eval(table: Table) -> None:
    nine = rg.CONVENTIONS["trec_eval9"].but(queries="judged")
    for options, names, how in [
        ("10.0.qc", trec.NAMES | trec.ONLY_10, rg.CONVENTIONS["trec_eval"]),
        ("9.0.8.qc", trec.NAMES, nine),
        ("9.0.8.qc_l2", trec.NAMES, nine.but(level=2)),
    ]:
        for name, qrels, run in conformance(PAIRS):
            printed = trec.read_printed(CONFORMANCE / f"expected/{name}.trec_eval-{options}_all_trec.txt.gz")
            rows = {ours: {q: v for q, v in printed[t].items() if q != "all"} for t, ours in names.items()}
            expected = {ours: queries for ours, queries in rows.items() if queries}
            oracle = f"trec_eval {options.partition('.q')[0]}, printed"
            table.add(oracle, compare.ours(qrels, run, expected, how), expected)


def add_printed(table: Table) -> None:
    for name, qrels, run in conformance(PAIRS):
        for k in (5, 10, 20):
            lines = trec.text_of(CONFORMANCE / f"expected/{name}.gdeval.k{k}.csv.gz").splitlines()[1:]
            rows = [line.split(",") for line in lines]
            expected = {f"nDCG(gain='exp')@{k}": {t: float(v) for _, t, v, _ in rows if t != "amean"}}
            expected |= {f"ERR(max_grade=4)@{k}": {t: float(v) for _, t, _, v in rows if t != "amean"}}
            table.add("gdeval, printed", compare.ours(qrels, run, expected, "gdeval"), expected)
    judged = rg.read_qrels(CONFORMANCE / "ndeval/web.201-250.ndeval.qrels", subtopics=True)
    triples = list(judged.to_polars().select("query", "subtopic", "doc", "grade").iter_rows())
    for system in ("synthA", "synthB", "synthC"):
        run = trec.read_run(CONFORMANCE / f"ndeval/{system}.run")
        expected = tracks.ndeval([(q, s, d, int(g)) for q, s, d, g in triples], run)
        how = rg.CONVENTIONS["ndeval"].but(ties="docid-asc")
        table.add("pyndeval", compare.ours(judged, run, expected, how), expected)
        header, *lines = trec.text_of(CONFORMANCE / f"ndeval/{system}.ndeval-c-traditional.csv").splitlines()
        names = {theirs: ours for ours, theirs in tracks.NDEVAL.items()}
        columns = header.split(",")
        cells = [dict(zip(columns, line.split(","), strict=True)) for line in lines]
        ours_of = {c: names.get(c) or f"{names[c.partition('@')[0] + '@10'].partition('@')[0]}@{c.partition('@')[2]}"
                   for c in columns[2:]}  # fmt: skip
        expected = {ours: {row["topic"]: float(row[c]) for row in cells if row["topic"] in run}
                    for c, ours in ours_of.items()}  # fmt: skip
        table.add("ndeval, printed", compare.ours(judged, run, expected, "ndeval"), expected)


def add_live(table: Table) -> None:
    ref = reference.load(SHARED)
    for where, qrels, run in [*conformance({k: v for k, v in PAIRS.items() if "web" in k}), *collections(6)]:
        print("live", where, file=sys.stderr)
        run = {query: docs for query, docs in run.items() if query in qrels}
        gdeval = {name for name in irm.NAMES if "ERR" in name or "exp" in name}
        names = {ours: theirs for ours, theirs in irm.NAMES.items() if ours not in gdeval}
        expected = {m: {q: v for q, v in queries.items() if q in run}
                    for m, queries in irm.per_query(qrels, run, names).items()}  # fmt: skip
        table.add("ir_measures", compare.ours(qrels, run, expected, "ir_measures"), expected)
        expected = reference.per_query(ref, qrels, run)
        table.add("reference", compare.ours(qrels, run, expected, "trec_eval"), expected)
        positive = {query: {doc: max(grade, 0) for doc, grade in docs.items()} for query, docs in qrels.items()}
        expected = learning.sklearn(positive, run)
        table.add("scikit-learn", compare.ours(positive, run, expected, "sklearn"), expected)
        top = max(grade for docs in positive.values() for grade in docs.values())
        gains = {query: {doc: grade / top for doc, grade in docs.items()} for query, docs in positive.items()}
        expected = {m: v for m, v in tracks.cwl(gains, run).items() if m not in ("P@5", "RR", "AP")}
        table.add("cwl_eval", compare.ours(gains, run, expected, "cwl_eval"), expected)
        ones = {query: {doc: float(grade > 0) for doc, grade in docs.items()} for query, docs in positive.items()}
        expected = {m: v for m, v in tracks.cwl(ones, run).items() if m in ("P@5", "RR", "AP")}
        table.add("cwl_eval", compare.ours(ones, run, expected, "cwl_eval"), expected)
        untied = {query: docs for query, docs in run.items() if len(set(docs.values())) == len(docs)}
        if untied:  # beyond 16 documents the order of ties in ranx depends on an unstable sort
            judged = {query: qrels[query] for query in untied}
            expected = ranx.per_query(judged, untied)
            table.add("ranx", compare.ours(judged, untied, expected, "ranx"), expected)
        candidates = {query: {doc: positive[query].get(doc, 0) for doc in docs} for query, docs in run.items()}
        expected = learning.lightgbm_per_query(candidates, run)
        table.add("LightGBM", compare.ours(candidates, run, expected, "lightgbm"), expected)


HEAD = """# How far from other tools

The largest difference seen between a value of rankgauge, under the tool's own convention, and the tool's, over all
runs at hand: 54 runs of TREC 2003 Robust and TREC 2019 Deep Learning, and rankings of Vaswani, Cranfield and the
2012 and 2013 Web tracks, some almost wholly tied. A row is one query under one measure. Of a tool known only by
what it printed, half of the last digit is rounding: 5e-5 (trec_eval), 5e-6 (gdeval), 5e-7 (ndeval). `@k` puts the
cutoffs of one measure together, and `…` its numbers; `level 2` rows of trec_eval are among the others.

Tools: {versions}; trec_eval 9.0.8 and 10.0, gdeval 1.2a and ndeval 4.5 by their output; "reference" is an
independent oracle in pure Python. Written by `tests/golden/make_oracle_table.py`. BEIR, ranx with ties, XGBoost,
Spark and MS MARCO's script are compared in `tests/golden/test_conventions_*.py`.

Where a convention does not follow its tool: `rankgauge.CONVENTIONS[name].says`.

| measure | oracle | largest difference | rows |
|---|---|---:|---:|
"""
PACKAGES = ("pytrec_eval-terrier", "ir_measures", "ranx", "cwl-eval", "pyndeval", "scikit-learn", "lightgbm")


def main(page: Path) -> None:
    table = Table()
    for add in (add_trec_eval, add_printed, add_live, add_pytrec_eval):
        add(table)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    page.write_text(HEAD.format(versions=versions) + "\n".join(table.written()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
