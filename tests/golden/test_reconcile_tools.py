"""reconcile given what the tools themselves say of a run: the tool must be among the plainest explanations.

pytrec_eval, ir_measures, scikit-learn, LightGBM, gdeval and cwl_eval are called here; ranx, BEIR, XGBoost and PySpark
gave the values that make_goldens.py stored; ranx also runs under -m slow. trec_eval 9.0.8, 10.0 and gdeval 1.2a printed
what lies in the reference data.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import warnings
from importlib import resources
from pathlib import Path
from statistics import fmean

import pytest

import rankgauge as rg
from oracles import inputs, trec

DATA = Path(__file__).parent / "data"
GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


def golden(name):
    return trec.read_qrels(GOLDEN / "qrels.txt"), trec.read_run(GOLDEN / name)


def with_both(qrels, run):
    return {q: docs for q, docs in run.items() if q in qrels}


def tools_behind(qrels, run, measure, value, *, digits=4, changes=1):
    """Tools whose convention gives the value as printed, without any change."""
    found = rg.reconcile(qrels, run, measure=measure, reported=f"{value:.{digits}f}", changes=changes)
    assert found.explanations, [(one.says, one.value) for one in found.nearest]
    return tuple(tool for one in found.explanations for tool in one.tools)


def stored(tool):
    return json.loads((DATA / f"{tool}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["keyword.run", "vector.run"])
@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "P@5", "R@10", "bpref"])
def test_pytrec_evals_mean_over_the_queries_of_the_run_is_its_own(name, measure):
    pytrec = pytest.importorskip("oracles.pytrec")
    qrels, run = golden(name)
    values = pytrec.per_query(qrels, run)[measure]
    assert "pytrec_eval" in tools_behind(qrels, run, measure, fmean(values.values()))


@pytest.mark.parametrize("measure", ["nDCG@3", "RR@10", "AP", "ERR@3", "P@3"])
def test_ir_measures_mean_is_its_own(measure):
    irm = pytest.importorskip("oracles.irm")
    qrels, run = inputs.made(20)
    value = irm.means(qrels, run)[measure]
    assert "ir_measures" in tools_behind(qrels, run, measure, value)


def test_ir_measures_two_orders_of_ties_show_in_RR_and_RR_at_10():
    irm = pytest.importorskip("oracles.irm")
    qrels, run = inputs.made(20)
    means = irm.means(qrels, run)
    assert means["RR"] != means["RR@10"]
    said = rg.explain_difference(qrels, run, "trec_eval", "ir_measures", measure="RR@10")
    assert [step.change.axis for step in said.steps] == ["ties"]
    assert said.values[1] == pytest.approx(means["RR@10"])


@pytest.mark.parametrize(
    "measure", ["nDCG", "nDCG@3", "nDCG(gain='exp')@3", "AP", "AP@2", "RR", "P@3", "F@3", "RBP(p=0.5)", "RBP(p=0.8)"]
)
def test_ranx_mean_is_its_own(measure):
    found = stored("ranx")
    value = fmean(found["per_query"][measure].values())
    assert "ranx" in tools_behind(found["qrels"], found["run"], measure, value)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP@10", "R@10", "P@3"])
def test_beirs_mean_over_the_queries_of_half_a_run_is_its_own(measure):
    found = stored("beir")
    half = dict(list(found["run"].items())[::2])
    assert "beir" in tools_behind(found["qrels"], half, measure, found["mean_of_half_the_run"][measure], digits=5)


@pytest.mark.parametrize("measure", ["RR@3", "RR@10", "Success@3"])
def test_beirs_own_measures_keep_the_order_of_the_run(measure):
    found = stored("beir")
    relevant = {q: docs for q, docs in found["qrels"].items() if max(docs.values()) > 0}
    run = with_both(relevant, found["run"])
    assert "beir" in tools_behind(relevant, run, measure, found["mean"][measure], digits=5)


@pytest.mark.parametrize("name", ["keyword.run", "vector.run"])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "DCG@10"])
def test_scikit_learns_mean_is_its_own(monkeypatch, name, measure):
    learning = pytest.importorskip("oracles.learning")
    monkeypatch.setattr(learning, "SKLEARN", (measure,))
    qrels, run = golden(name)
    value = fmean(learning.sklearn(qrels, run)[measure].values())
    assert "sklearn" in tools_behind(qrels, run, measure, value)


@pytest.mark.parametrize("name", ["keyword.run", "vector.run"])
@pytest.mark.parametrize("measure", ["nDCG@10", "AP@10", "nDCG@3"])
def test_lightgbms_value_is_its_own(name, measure):
    learning = pytest.importorskip("oracles.learning")
    qrels, run = golden(name)
    if measure.startswith("AP"):  # its data hold the candidates of a query, and its map counts no others
        qrels = {q: {doc: qrels[q].get(doc, 0) for doc in docs} for q, docs in with_both(qrels, run).items()}
    value = learning.lightgbm_means(qrels, run)[measure]
    assert "lightgbm" in tools_behind(qrels, run, measure, value)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@3", "AP", "AP@3"])
def test_xgboosts_value_is_its_own(measure):
    found = stored("xgboost")
    assert "xgboost" in tools_behind(found["qrels"], found["run"], measure, found["mean"][measure])


def test_xgboosts_name_with_a_minus_is_one_change_away():
    found = stored("xgboost")
    value = found["mean"]["nDCG@5 zero"]
    said = rg.reconcile(found["qrels"], found["run"], measure="nDCG@5", reported=f"{value:.6f}")
    (first, *_) = said.explanations
    assert (first.start, [str(change) for change in first.changed]) == ("xgboost", ["undefined values: zero"])


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "AP@3", "P@3", "R@3"])
def test_pysparks_value_is_its_own(measure):
    found = stored("spark")
    assert "spark_mllib" in tools_behind(found["qrels"], found["run"], measure, found["mean"][measure])


@pytest.mark.parametrize("measure", ["nDCG@5", "ERR@5"])
def test_gdevals_mean_is_its_own(measure):
    tracks = pytest.importorskip("oracles.tracks")
    qrels, run = inputs.made(15)
    value = fmean(tracks.gdeval(qrels, run, 5)[measure].values())
    assert "gdeval" in tools_behind(qrels, run, measure, value)


def test_cwl_evals_AP_is_its_own():
    tracks = pytest.importorskip("oracles.tracks")
    qrels, run = inputs.made(15, grades=(0, 0, 1))
    value = fmean(tracks.cwl(qrels, run)["AP"].values())
    assert "cwl_eval" in tools_behind(qrels, run, "AP", value)


# The reference data


def expected(shared, name):
    return shared / "data" / "conformance" / "expected" / name


def pair(shared, name):
    return [shared / "data" / "conformance" / part for part in trec.PAIRS[name]]


@pytest.mark.parametrize("name", trec.PAIRS)
@pytest.mark.parametrize("measure", ["map", "ndcg_cut_10", "recip_rank", "P_10"])
@pytest.mark.parametrize(("version", "convention"), [("9.0.8", "trec_eval9"), ("10.0", "trec_eval")])
def test_what_trec_eval_printed_is_its_own(shared, name, measure, version, convention):
    qrels, run = pair(shared, name)
    printed = trec.read_printed(expected(shared, f"{name}.trec_eval-{version}.qc_all_trec.txt.gz"))[measure]["all"]
    judged, ranked = rg.read_qrels(qrels), rg.read_run(run)
    assert convention in tools_behind(judged, ranked, trec.NAMES[measure], printed, changes=0)


@pytest.mark.parametrize("name", ["cranfield.coord", "web2012.rm-catb"])
def test_trec_evals_level_of_2_is_found(shared, name):
    qrels, run = pair(shared, name)
    printed = trec.read_printed(expected(shared, f"{name}.trec_eval-9.0.8.qc_l2_all_trec.txt.gz"))["map"]["all"]
    found = rg.reconcile(rg.read_qrels(qrels), rg.read_run(run), measure="AP", reported=f"{printed:.4f}", changes=1)
    first = found.explanations[0]
    assert [str(change) for change in first.changed] == ["relevance level: 2"]
    assert found.telling


@pytest.mark.parametrize("name", ["vaswani.bm25", "vaswani.coord", "cranfield.coord", "web2012.rm-catb"])
def test_what_gdeval_printed_is_its_own(shared, name):
    text = gzip.decompress(expected(shared, f"{name}.gdeval.k10.csv.gz").read_bytes()).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    qrels, run = pair(shared, name)
    judged, ranked = rg.read_qrels(qrels), rg.read_run(run)
    for theirs, ours in {"ndcg@10": "nDCG@10", "err@10": "ERR@10"}.items():
        value = fmean(float(row[theirs]) for row in rows if row["topic"] != "amean")
        assert "gdeval" in tools_behind(judged, ranked, ours, value, changes=0)


def test_beir_on_arguana_drops_the_documents_that_are_the_queries(shared):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = trec.read_qrels(shared / "data" / "conformance" / "beir-qrels" / "arguana.test.qrels")
    rng = random.Random(3)
    docs = sorted({doc for found in qrels.values() for doc in found})
    run = {q: {d: rng.choice([1.0, 2.0, 3.0]) for d in (*rng.sample(docs, 9), *qrels[q])} | {q: 9.0} for q in qrels}
    dropped = {q: {d: s for d, s in found.items() if d != q} for q, found in run.items()}
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(dropped)
    value = fmean(one["ndcg_cut_10"] for one in values.values())
    assert tools_behind(qrels, run, "nDCG@10", value) == ("beir",)


def test_lightgbm_on_its_own_example_is_its_own(shared):
    learning = pytest.importorskip("oracles.learning")
    folder = shared / "data" / "conformance" / "ltr"
    sizes = [int(line) for line in (folder / "lightgbm-rank.test.query").read_text().split()]
    rows = [line.split() for line in (folder / "lightgbm-rank.test").read_text().splitlines()]
    qrels, run, at = {}, {}, 0
    for number, size in enumerate(sizes):
        part = rows[at : at + size]
        at += size
        qrels[str(number)] = {f"d{i}": int(row[0]) for i, row in enumerate(part)}
        run[str(number)] = {
            f"d{i}": round(sum(float(cell.split(":")[1]) for cell in row[1:6]), 1) for i, row in enumerate(part)
        }
    means = learning.lightgbm_means(qrels, run)
    for measure in ("nDCG@10", "AP@10"):
        assert "lightgbm" in tools_behind(qrels, run, measure, means[measure])


def test_scikit_learn_on_a_run_that_is_nearly_all_ties_is_its_own(shared, monkeypatch):
    learning = pytest.importorskip("oracles.learning")
    monkeypatch.setattr(learning, "SKLEARN", ("nDCG@10",))
    qrels, run = pair(shared, "vaswani.coord")
    value = fmean(learning.sklearn(trec.read_qrels(qrels), trec.read_run(run))["nDCG@10"].values())
    assert tools_behind(rg.read_qrels(qrels), rg.read_run(run), "nDCG@10", value, changes=0) == ("sklearn",)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["vaswani.bm25", "cranfield.bm25"])
def test_ranx_on_real_runs_is_its_own(shared, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx = pytest.importorskip("oracles.ranx")
    qrels, run = pair(shared, name)
    values = ranx.per_query(trec.read_qrels(qrels), trec.read_run(run), {"nDCG@3": "ndcg@3", "AP": "map"})
    for measure, queries in values.items():
        tools = tools_behind(rg.read_qrels(qrels), rg.read_run(run), measure, fmean(queries.values()), changes=0)
        assert "ranx" in tools


# The page


def documented():
    """Rows of the page's table: tool, value as printed, what reconcile says."""
    page = (Path(__file__).parents[2] / "docs" / "reconcile.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    return {row[0].strip(): (row[2].strip(), tuple(row[3].strip().split(", "))) for row in rows[1:]}


def printed(value, like):
    return f"{value:.{len(like.partition('.')[2])}f}"


def test_the_pages_table_is_what_reconcile_says():
    qrels, run = golden("vector.run")
    rows = documented()
    assert len(rows) == 8
    for reported, says in rows.values():
        found = rg.reconcile(qrels, run, measure="nDCG@10", reported=reported, changes=0)
        assert [one.tools for one in found.explanations] == [says]


def test_the_pages_values_are_the_tools():
    pytrec, irm = pytest.importorskip("oracles.pytrec"), pytest.importorskip("oracles.irm")
    learning, tracks = pytest.importorskip("oracles.learning"), pytest.importorskip("oracles.tracks")
    qrels, run = golden("vector.run")
    numeric = [{query[1:]: docs for query, docs in found.items()} for found in (qrels, run)]
    both = [learning.arrays(qrels, run, query) for query in run if query in qrels]
    values = {
        "trec_eval 9": fmean(pytrec.per_query(qrels, run)["nDCG@10"].values()),
        "trec_eval with `-c`": irm.means(qrels, run, {"nDCG@10": "nDCG@10"})["nDCG@10"],
        "scikit-learn": fmean(learning.ndcg_score([grades], [scores], k=10) for grades, scores in both),
        "LightGBM": learning.lightgbm_means(qrels, run)["nDCG@10"],
        "gdeval": fmean(tracks.gdeval(*numeric, 10)["nDCG@10"].values()),
    }
    rows = documented()
    assert {tool: printed(value, rows[tool][0]) for tool, value in values.items()} == {t: rows[t][0] for t in values}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_pages_value_of_ranx_is_ranx():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx = pytest.importorskip("oracles.ranx")
    values = ranx.per_query(*golden("vector.run"), {"nDCG@10": "ndcg@10"})["nDCG@10"]
    assert printed(fmean(values.values()), "0.7580") == documented()["ranx"][0]
