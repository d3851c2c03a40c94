"""What the checkup says of sets whose weaknesses are known: the bundled one, and public collections."""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib import resources
from pathlib import Path

import pytest

import rankgauge as rg
from clinic import finding, findings
from rankgauge.formats.texts import read_texts

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))


@pytest.fixture(scope="module")
def golden() -> rg.Checkup:
    runs = [rg.read_run(GOLDEN / f"{name}.run") for name in ("keyword", "vector")]
    texts = {name: read_texts(GOLDEN / f"{file}.jsonl") for name, file in (("queries", "queries"), ("texts", "corpus"))}
    return rg.doctor(rg.read_qrels(GOLDEN / "qrels.txt"), runs, **texts)


def test_the_golden_sets_special_queries_are_found(golden):
    (none,), (missing,) = golden.named("no-relevant"), golden.named("missing-queries", run="vector")
    (unknown,) = golden.named("unknown-queries", run="vector")
    assert (none.severity, none.count, none.example) == ("warning", 1, "query 'q18'")
    assert (missing.severity, missing.count, missing.example) == ("warning", 1, "'q05'")
    assert (unknown.severity, unknown.count, unknown.example) == ("info", 1, "'q33'")


def test_the_golden_sets_holes_are_an_error_for_the_run_that_was_not_pooled(golden):
    (keyword,), (vector,) = golden.named("unjudged", run="keyword"), golden.named("unjudged", run="vector")
    assert keyword.severity == "ok"
    assert "3.4% of the first 10 documents were not judged" in keyword.says
    assert vector.severity == "error"
    assert "33.9% of the first 10 documents were not judged" in vector.says
    assert golden.named("pool-bias")[0].says == "judged shares of the first 10 differ by 30.4 points between runs"
    assert {f.check for f in golden.of("error")} == {"unjudged"}
    assert golden.not_checked == ()


def test_the_second_round_of_judgments_mends_the_golden_set(golden):
    runs = [rg.read_run(GOLDEN / f"{name}.run") for name in ("keyword", "vector")]
    checkup = rg.doctor(rg.read_qrels(GOLDEN / "qrels.second-round.txt"), runs)
    assert checkup.fit()
    assert [f.severity for f in [*checkup.named("unjudged"), *checkup.named("pool-bias")]] == ["ok"] * 3


def test_scifact_has_mostly_one_relevant_document_and_nothing_judged_non_relevant(shared):
    place = shared / "data" / "collections" / "scifact"
    queries = read_texts(place / "queries.jsonl")
    checkup = rg.doctor(
        rg.read_qrels(place / "qrels.txt"), queries=queries, texts=read_texts(place / "corpus.jsonl.gz")
    )
    (one,), (none,) = checkup.named("one-relevant"), checkup.named("nothing-non-relevant")
    assert (one.severity, one.count, one.of) == ("warning", 277, 300)
    assert (none.severity, none.count) == ("info", 300)
    assert {f.severity for f in [*checkup.named("queries-without-text"), *checkup.named("documents-without-text")]} == {
        "ok"
    }
    assert checkup.named("near-duplicate-queries")[0].count == 10


def test_ms_marcos_dev_queries_have_one_relevant_passage(shared):
    qrels = rg.read_qrels(shared / "data/conformance/trec-qrels/msmarco-passage.dev-subset.qrels")
    one = finding("one-relevant", qrels)
    assert (one.severity, one.count, one.of) == ("warning", 6590, 6980)


def test_the_negative_grades_of_the_web_track_are_explained(shared):
    found = finding("negative-grades", rg.read_qrels(shared / "data/conformance/trec-qrels/web.151-200.qrels"))
    assert (found.severity, found.count, found.says) == ("info", 858, "858 judgments: grades below 0: -2")


def test_cranfield_has_an_empty_document_negative_grades_and_nothing_judged_non_relevant(shared):
    place = shared / "data" / "collections" / "cranfield"
    run = rg.read_run(shared / "data/conformance/cranfield/coord.run.gz")
    checkup = rg.doctor(rg.read_qrels(place / "qrels.txt"), run, texts=read_texts(place / "corpus.jsonl.gz"))
    assert checkup.named("documents-without-text")[0].example == "'995'"
    assert checkup.named("negative-grades")[0].count == 225
    (unjudged,) = checkup.named("unjudged")
    assert (unjudged.severity, "write them with grade 0" in unjudged.do) == ("error", True)
    (ties,) = checkup.named("ties")
    assert (ties.severity, ties.count, ties.of) == ("warning", 89845, 90000)
    assert checkup.named("self-ids", run="coord")[0].severity == "warning"  # numbers that run, no self-retrieval


def test_trec_covid_has_ids_that_would_not_survive_being_read_as_numbers(shared):
    found = finding("fragile-ids", rg.read_qrels(shared / "data/conformance/trec-qrels/covid-complete.qrels"))
    assert (found.severity, found.count) == ("info", 3)
    assert found.example == "document '129608e4', '18375e05', '91e70966'"


def test_arguanas_queries_are_documents_of_its_corpus(shared):
    qrels = rg.read_qrels(shared / "data/conformance/beir-qrels/arguana.test.qrels")
    assert [f.severity for f in findings("self-ids", qrels)] == ["ok"]  # the judgments alone do not show it
    run = {query: {query: 2.0, doc: 1.0} for query, doc in zip(qrels.queries, qrels.docs, strict=True)}
    (found,) = [f for f in findings("self-ids", qrels, {"mine": run}) if f.run == "mine"]
    assert (found.severity, found.count, found.of) == ("warning", 1406, 1406)


def test_a_pool_of_depth_ten_is_found_in_official_runs(shared):
    place = shared / "data" / "collections" / "trec-dl-2019-passage"
    runs = [rg.read_run(place / "runs" / f"{name}.run.gz") for name in ("bm25tuned_p", "p_bert")]
    depths = findings("pool-depth", rg.read_qrels(place / "qrels.txt"), runs)
    assert all(found.severity == "ok" and found.count >= 10 for found in depths)


@pytest.mark.parametrize(("name", "check"), [("qdup", "conflicting-judgments"), ("rdup", "repeated-results")])
def test_files_with_duplicates_are_reported_and_not_refused(shared, name, check):
    place = shared / "data" / "conformance" / "malformed"
    qrels = rg.read_qrels(place / f"{name}.q", on_duplicate="first")
    run = rg.read_run(place / f"{name}.r", on_duplicate="first")
    assert [f.count for f in findings(check, qrels, run)] == [1]


def test_bundled_texts_are_what_the_reader_says():
    first = json.loads((GOLDEN / "queries.jsonl").read_text("utf-8").splitlines()[0])
    assert read_texts(GOLDEN / "queries.jsonl")[first["_id"]] == first["text"]


def test_the_docs_table_of_collections_is_what_the_benchmark_prints(shared):
    root = Path(__file__).resolve().parents[3]
    spec = importlib.util.spec_from_file_location("benchmarks_checkups", root / "benchmarks" / "checkups.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    assert module.table(shared / "data") in (root / "docs" / "doctor.md").read_text("utf-8")


def test_one_text_got_two_grades_in_dl_2019(shared):
    place = shared / "data" / "collections" / "trec-dl-2019-passage"
    texts = read_texts(place / "corpus.jsonl.gz")
    found = finding("texts-judged-differently", rg.read_qrels(place / "qrels.txt"), texts=texts)
    assert (found.severity, found.count, found.of) == ("warning", 95, 867)
    assert found.says.endswith("14 equal")
