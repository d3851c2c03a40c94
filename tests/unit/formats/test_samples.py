"""Files of other tools, where they lie beside the checkout: each is read, or refused with words."""

import pytest

from rankgauge.errors import InputError
from rankgauge.formats import read_qrels, read_run

QRELS = {
    "01_trec/qrels.test.part": (2, 2769),
    "01_trec/qrels.with-comments.part": (1, 37),
    "01_trec/cwl.qrels": (3, 23),
    "01_trec/umbrela.sample.qrels": (1, 4),
    "02_ranx/qrels.json": (2, 5),
    "02_ranx/qrels.parquet": (2, 5),
    "02_ranx/qrels.trec.gz": (2, 5),
    "03_mixed_separators/qrel1.txt": (3, 30),
    "04_trec_covid/qrels.covid.part": (5, 30),
    "04_trec_covid/qrels.covid-round1.part": (1, 30),
    "05_negative_and_large_grades/qrels.web.part": (1, 66),
    "05_negative_and_large_grades/qrels.backgroundlinking18.part": (1, 60),
    "05_negative_and_large_grades/qrels.ndeval.part": (1, 60),
    "06_odd_ids/qrels.microblog.part": (1, 20),
    "06_odd_ids/qrels.fever.part": (39, 40),
    "06_odd_ids/qrels.dbpedia.part": (4, 30),
    "06_odd_ids/qrels.ciral-ha.part": (2, 25),
    "07_beir/qrels_dev.tsv": (22, 60),
    "08_letor/sample_judgments.txt": (3, 12),
    "09_quepid/rre_import.json": (2, 6),
    "10_rre/ratings_example.json": (6, 9),
    "11_opensearch/ImportJudgments.json": (4, 40),
    "11_opensearch/rank_eval_request.json": (2, 4),
    "14_msmarco/qrels.tsv": (2, 2),
}
RUNS = {
    "01_trec/results.test.part": (2, 1000),
    "01_trec/cwl.run": (3, 30),
    "01_trec/umbrela.sample.run": (1, 4),
    "02_ranx/run.json": (2, 5),
    "02_ranx/run.trec": (2, 5),
    "02_ranx/run.trec.gz": (2, 5),
    "02_ranx/run.lz4": (2, 5),
    "03_mixed_separators/r4.run": (3, 9),
    "09_quepid/static_queryset.csv": (1, 3),
    "14_msmarco/run.tsv": (2, 5),
}


@pytest.mark.parametrize(("name", "sizes"), QRELS.items())
def test_judgments_of_other_tools_are_read(shared, name, sizes):
    qrels = read_qrels(shared / "cases" / "files" / name)
    assert (len(qrels.queries), len(qrels)) == sizes


@pytest.mark.parametrize(("name", "sizes"), RUNS.items())
def test_runs_of_other_tools_are_read(shared, name, sizes):
    run = read_run(shared / "cases" / "files" / name)
    assert (len(run.queries), len(run)) == sizes


def test_every_other_sample_is_refused_with_its_name_and_what_to_do(shared):
    known = {*QRELS, *RUNS}
    folder = shared / "cases" / "files"
    others = [p for p in sorted(folder.rglob("*.*")) if p.is_file() and p.parent != folder]
    refused = [path for path in others if str(path.relative_to(folder)) not in known]
    assert len(refused) > 10
    for path in refused:
        for read in (read_qrels, read_run):
            with pytest.raises(InputError) as caught:
                read(path)
            assert path.name in str(caught.value)
