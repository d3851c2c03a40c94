import pytest

from rankgauge.errors import DuplicateError, FormatError
from rankgauge.formats import read_qrels, read_run, sniff, write_run

RUN = [("90001", "700", 1), ("90001", "701", 2), ("90001", "702", 3), ("2", "810", 1), ("2", "811", 2), ("5", "10", 11)]


def lines(rows, shift=0):
    return "".join(f"{query}\t{doc}\t{rank + shift}\n" for query, doc, rank in rows)


@pytest.mark.parametrize("shift", [0, -1])
def test_an_ms_marco_run_follows_its_ranks_from_1_or_from_0(file, shift):
    path = file("run.tsv", lines(RUN, shift))
    run = read_run(path)
    assert run.ranks.tolist() == [1, 2, 3, 1, 2, 11]
    assert run.scores.tolist() == [-1, -2, -3, -1, -2, -11]
    assert ("from 0" in run.notes[0].text) == bool(shift)
    assert "in 1 queries ranks are left out" in run.notes[0].text
    assert sniff(path).format == "msmarco"


def test_ranks_without_gaps_need_no_further_record(file):
    assert read_run(file("run.tsv", lines(RUN[:5]))).ranks is None


def test_the_ranks_stay_with_their_documents_when_rows_of_a_query_are_brought_together(file):
    run = read_run(file("run.tsv", lines([("a", "x", 4), ("b", "y", 1), ("a", "z", 2)])))
    assert dict(zip(run.docs, run.ranks.tolist(), strict=True)) == {"x": 4, "z": 2, "y": 1}


def test_a_run_written_as_ms_marco_keeps_its_ranks(file, tmp_path):
    run = read_run(file("run.tsv", lines(RUN)))
    for name, given in (("out.tsv", "msmarco"), ("out.csv", None), ("out.jsonl", None), ("out.parquet", None)):
        write_run(run, tmp_path / name, format=given)
        assert read_run(tmp_path / name).ranks.tolist() == [1, 2, 3, 1, 2, 11]


def test_ms_marco_qrels_are_trec_qrels_with_tabs(file):
    assert read_qrels(file("q.tsv", "9\t0\t701\t1\r\n2\t0\t810\t1\r\n")).to_dict() == {"9": {"701": 1}, "2": {"810": 1}}


def test_one_rank_for_two_documents_is_refused_with_the_lines(file):
    path = file("run.tsv", lines([("q", "a", 1), ("q", "b", 2), ("q", "c", 2)]))
    with pytest.raises(
        FormatError, match=r"run\.tsv:2 and .*run\.tsv:3: expected each rank once in query 'q', got rank 2"
    ):
        read_run(path)


def test_one_document_at_two_ranks_is_a_duplicate(file):
    with pytest.raises(DuplicateError, match=r"run\.tsv:1 and .*run\.tsv:2: "):
        read_run(file("run.tsv", lines([("q", "a", 1), ("q", "a", 2)])))


def test_a_rank_below_the_first_is_refused(file):
    with pytest.raises(FormatError, match=r"run\.tsv:2: expected a rank from 1, or from 0, on, got -1"):
        read_run(file("run.tsv", lines([("q", "a", 1), ("q", "b", -1)])))


def test_scores_in_the_place_of_ranks_are_not_read_upside_down(file):
    with pytest.raises(FormatError, match=r"numbers that fall in every query.*header line"):
        read_run(file("run.tsv", "q\ta\t95\nq\tb\t90\nq\tc\t12\n"))
    with pytest.raises(FormatError, match=r"run\.tsv:\d: .*query|3 in every line"):
        read_run(file("run.tsv", "q\ta\t9.5\nq\tb\t9.0\n"))


def test_all_faults_of_an_ms_marco_run_are_told(file):
    path = file("run.tsv", "q\ta\t1\n" * 1 + "".join(f"q\td{i}\t{i}\n" for i in range(2, 30)) + "q\tx\nq\ty\tz\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert [(f.where, f.got) for f in caught.value.faults] == [(f"{path}:30", "2 in 'q x'"), (f"{path}:31", "'z'")]
