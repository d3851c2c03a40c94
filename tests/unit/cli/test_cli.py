"""The command line in this process: what it prints, what it says, how it exits."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import rankgauge as rg
from rankgauge.formats import FORMATS

GOLDEN = Path(str(resources.files("rankgauge") / "data" / "golden"))
QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq3 0 d 0\n"
RUN = "q1 Q0 b 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 x 3 1.0 t\nq3 Q0 d 1 1.0 t\nq9 Q0 z 1 1.0 t\n"


@pytest.fixture(autouse=True)
def small(rankgauge, tmp_path):
    """Judgments and a run of three queries, beside the golden set."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "sys.run").write_text(RUN)


def test_the_demo_answers_its_four_questions_rightly(rankgauge):
    """Holes, better, equivalent, too few queries: what a reader of the verdict line alone would do is right."""
    done = rankgauge("demo")
    assert done.code == 0
    assert "nDCG(gain='exp')@10   keyword   0.8561   31           1         0       3.4%" in done.out
    verdicts = [line.partition(":")[0] for line in done.out.splitlines() if line[:2] in ("▲ ", "▼ ", "= ", "~ ", "? ")]
    assert verdicts == ["? NOT COMPARABLE OFFLINE", "▲ BETTER", "= EQUIVALENT", "~ NO DIFFERENCE SEEN"]


def test_the_demo_copies_the_golden_set_for_trying_other_verbs(rankgauge, tmp_path):
    assert rankgauge("demo", "--copy-to", tmp_path / "golden").code == 0
    assert (tmp_path / "golden" / "qrels.txt").read_bytes() == (GOLDEN / "qrels.txt").read_bytes()


def test_a_table_says_how_many_queries_were_undefined_missing_and_unjudged(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "nDCG@10", "-m", "RR")
    rows = [line.split() for line in done.out.splitlines() if "sys" in line]
    assert rows[0][:6] == ["nDCG(gain='exp')@10", "sys", "0.3155", "2", "1", "1"]
    assert rows[1][:6] == ["RR", "sys", "0.1667", "3", "0", "1"]
    assert "1 judged queries have no results: 'q2'" in done.err
    assert "1 queries without judgments were left out: 'q9'" in done.err


def test_json_is_one_object_with_scores_per_query_and_input(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "RR", "-m", "nDCG@10", "--by-query", "--format", "json")
    said = json.loads(done.out)
    assert list(said) == ["scores", "per_query", "input"]
    first = said["scores"][0]
    assert (first["run"], first["measure"], first["mean"], first["n"]) == ("sys", "RR", (0.5 + 0 + 0) / 3, 3)
    assert {"run": "sys", "query": "q3", "measure": "nDCG(gain='exp')@10", "value": None} in said["per_query"]
    counts = said["input"]["runs"][0]
    assert (counts["documents"], counts["judged"], counts["unjudged"]) == (5, 3, 1)
    assert (counts["missing"], counts["left_out"]) == (["q2"], ["q9"])


def test_csv_carries_every_digit(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "RR", "--format", "csv")
    row = next(csv.DictReader(io.StringIO(done.out)))
    assert float(row["mean"]) == 1 / 6
    by_query = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "RR", "--format", "csv", "--by-query").out
    assert by_query.splitlines()[:2] == ["run,query,measure,value", "sys,q1,RR,0.5"]


@pytest.mark.parametrize(("format", "sign"), [("markdown", "| --- |"), ("latex", "\\begin{tabular}")])
def test_tables_for_pull_requests_and_papers(rankgauge, format, sign):
    assert sign in rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "P@1", "--format", format).out


def test_a_convention_changes_the_gain_and_what_counts(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "nDCG@10", "--convention", "trec_eval")
    assert "nDCG(gain='linear')@10   sys   0.2103   3" in done.out


def test_the_relevance_level_holds_for_binary_measures_only(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-l", "2", "-m", "AP", "-m", "nDCG@10", "--format", "json")
    assert [row["measure"] for row in json.loads(done.out)["scores"]] == ["AP(rel=2)", "nDCG(gain='exp')@10"]


def test_ties_can_be_averaged(rankgauge, tmp_path):
    (tmp_path / "tied.run").write_text("q1 Q0 a 1 1 t\nq1 Q0 x 2 1 t\n")
    done = rankgauge("evaluate", "qrels.txt", "tied.run", "-m", "RR", "--ties", "expected", "--format", "json")
    row = json.loads(done.out)["scores"][0]
    assert (row["mean"], row["tie_low"], row["tie_high"]) == (0.75 / 3, 0.5 / 3, 1.0 / 3)


def test_a_misspelt_measure_is_misuse_and_a_near_one_is_offered(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "-m", "NDGC@10")
    assert done.code == 2
    assert "no measure named 'NDGC'; did you mean 'nDCG'" in done.err


def test_an_unknown_convention_is_misuse(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "--convention", "trec-eval")
    assert done.code == 2
    assert "did you mean 'trec_eval'" in done.err


def test_a_bad_file_is_an_error_with_file_and_line_and_no_traceback(rankgauge, tmp_path):
    (tmp_path / "bad.run").write_text("q1 Q0 a 1 abc t\nq1 Q0 b 2 2,5 t\n")
    done = rankgauge("evaluate", "qrels.txt", "bad.run", "-m", "RR")
    assert done.code == 1
    assert "bad.run:1" in done.err
    assert "bad.run:2" in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_a_file_that_is_not_there_is_an_error_not_a_traceback(rankgauge):
    done = rankgauge("evaluate", "qrels.txt", "nowhere.run", "-m", "RR")
    assert done.code == 1
    assert "nowhere.run" in done.err


def test_a_missing_argument_is_misuse(rankgauge):
    assert rankgauge("evaluate").code == 2


def test_runs_of_one_name_keep_their_folders(rankgauge, tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.run").write_text(RUN)
    done = rankgauge("evaluate", "qrels.txt", "old/a.run", "new/a.run", "-m", "RR", "--format", "json")
    assert [row["run"] for row in json.loads(done.out)["scores"]] == ["old/a.run", "new/a.run"]


def test_a_measure_of_ones_own_comes_from_a_file(rankgauge, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import rankgauge as rg\n\n"
        "@rg.measure(binary=True)\n"
        "def FirstIsRelevant(j):\n"
        '    """Whether the first document is relevant."""\n'
        "    return j.sum(j.rel & (j.rank == 1))\n"
    )
    try:
        arguments = ["qrels.txt", "sys.run", "--measures-from", "mine.py", "-m", "FirstIsRelevant"]
        done = rankgauge("evaluate", *arguments, "--format", "json")
        assert json.loads(done.out)["scores"][0]["mean"] == 0.0
    finally:
        rg.REGISTRY.pop("FirstIsRelevant", None)


def test_a_file_of_measures_that_does_not_run_is_said(rankgauge, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    done = rankgauge("evaluate", "qrels.txt", "sys.run", "--measures-from", "broken.py")
    assert done.code == 1
    assert "broken.py: expected a file that runs, got ZeroDivisionError" in done.err


def test_columns_of_a_table_can_be_named(rankgauge, tmp_path):
    (tmp_path / "t.csv").write_text("frage,dok,wert\nq1,a,1.5\nq1,b,2.5\n")
    done = rankgauge(
        "evaluate", "qrels.txt", "t.csv", "--columns", "query=frage,doc=dok,score=wert", "-m", "RR", "--format", "json"
    )
    assert done.code == 1  # the qrels are no table: their columns cannot be named
    (tmp_path / "q.csv").write_text("frage,dok,grad\nq1,a,1\n")
    named = "query=frage,doc=dok,score=wert,grade=grad"
    done = rankgauge("evaluate", "q.csv", "t.csv", "--columns", named, "-m", "RR", "--format", "json")
    assert json.loads(done.out)["scores"][0]["mean"] == 0.5


def test_a_repeated_document_is_refused_or_dropped_and_counted(rankgauge, tmp_path):
    (tmp_path / "twice.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 a 2 2 t\n")
    refused = rankgauge("evaluate", "qrels.txt", "twice.run", "-m", "RR")
    assert refused.code == 1
    assert "twice.run:2" in refused.err
    kept = rankgauge("evaluate", "qrels.txt", "twice.run", "-m", "RR", "--on-duplicate", "max")
    assert kept.code == 0
    assert "1 repeated" in kept.err


def test_every_measure_is_listed_with_its_formula_and_source(rankgauge):
    listed = rankgauge("measures").out
    assert all(f" {name} " in listed for name in rg.REGISTRY)
    assert "Järvelin & Kekäläinen (2002)" in listed


def test_one_measure_is_explained_with_its_parameters(rankgauge):
    said = rankgauge("measures", "nDCG").out
    assert "nDCG@k = DCG@k / IDCG@k" in said
    assert "`gain='exp'`" in said


def test_the_conventions_are_listed(rankgauge):
    assert "`trec_eval9`" in rankgauge("measures", "--conventions").out


def test_user_models_are_drawn(rankgauge, tmp_path):
    done = rankgauge("measures", "--profile", "RBP(p=0.8)", "DCG", "ERR", "-o", "models.svg")
    assert done.code == 0
    assert "RBP(p=0.8)" in (tmp_path / "models.svg").read_text()


def test_a_run_is_converted_and_comes_back_the_same(rankgauge, tmp_path):
    assert rankgauge("convert", "sys.run", "sys.json").code == 0
    assert rankgauge("convert", "sys.json", "back.trec.gz", "--kind", "run").code == 0
    assert rg.read_run("back.trec.gz").to_dict() == rg.read_run("sys.run").to_dict()


def test_judgments_are_told_from_runs_by_their_content(rankgauge, tmp_path):
    assert rankgauge("convert", "qrels.txt", "j.json").code == 0
    done = rankgauge("convert", "j.json", "j.tsv")
    assert "read as judgments" in done.err
    assert rg.read_qrels("j.tsv").to_dict() == rg.read_qrels("qrels.txt").to_dict()


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if "qrels" in known.writes])
def test_judgments_are_converted_to_every_format_that_can_hold_them(rankgauge, name):
    assert rankgauge("convert", "qrels.txt", "out", "--to", name).code == 0
    assert rg.read_qrels("out").to_dict() == rg.read_qrels("qrels.txt").to_dict()


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if "run" in known.writes])
def test_a_run_is_converted_to_every_format_that_can_hold_it(rankgauge, name):
    assert rankgauge("convert", "sys.run", "out", "--to", name).code == 0
    order = {query: list(found) for query, found in rg.read_run("sys.run").to_dict().items()}
    assert {query: list(found) for query, found in rg.read_run("out").to_dict().items()} == order


def test_a_run_is_not_written_as_judgments(rankgauge):
    done = rankgauge("convert", "sys.run", "out", "--to", "quepid")
    assert done.code == 1
    assert "format 'quepid': expected a format that can hold a run, got one that cannot; trec, msmarco" in done.err


def test_classify_prints_the_areas_and_draws_the_curves(rankgauge, tmp_path):
    done = rankgauge("classify", GOLDEN / "scored.csv", "--plot", "roc.svg", "--format", "json")
    values = {row["measure"]: row["value"] for row in json.loads(done.out)["scores"]}
    assert round(values["ROC-AUC"], 4) == 0.8521
    assert "0.8521" in (tmp_path / "roc.svg").read_text()


@pytest.mark.parametrize(
    "verb", ["demo", "evaluate", "compare", "gate", "trend", "holes", "doctor", "measures", "convert", "classify"]
)
def test_the_help_of_every_verb_ends_with_an_example(rankgauge, verb):
    said = rankgauge(verb, "--help")
    assert said.code == 0
    assert f"Example: rankgauge {verb}" in " ".join(said.out.split())


def test_python_m_rankgauge_is_the_command():
    said = subprocess.run([sys.executable, "-m", "rankgauge", "--help"], capture_output=True, text=True, check=True)
    assert "Measures rankings for search and RAG" in said.stdout
