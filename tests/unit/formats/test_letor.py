import pytest

from rankgauge.errors import FormatError
from rankgauge.formats import read_qrels, read_run, sniff

LIST = (
    "# grade (0-4)\tqueryid\tdocId\ttitle\n#\n# qid:1: oak table\n# qid:2: lamp\n#\n"
    "4\tqid:1 #\t5501\tOak table, round\n0\tqid:1 #\t5502\tOak floor # 2\n3\tqid:2 #\t6100\tDesk lamp\n"
)


def test_a_judgment_list_takes_query_texts_from_its_header_and_loses_no_line(file):
    path = file("judgments.txt", LIST)
    qrels = read_qrels(path)
    assert qrels.to_dict() == {"oak table": {"5501": 4, "5502": 0}, "lamp": {"6100": 3}}
    assert [note.text for note in qrels.notes] == [
        "the header's query texts are the query ids ('1: oak table', '2: lamp')"
    ]
    assert sniff(path).format == "letor"


def test_one_text_for_two_queries_leaves_the_ids(file):
    assert read_qrels(file("j", LIST.replace("lamp\n#", "oak table\n#"))).queries.to_list() == ["1", "2"]


def test_features_are_skipped_and_the_document_is_in_the_comment(file):
    text = "2 qid:10 1:0.3 2:-1e-2 #docid = GX000-00-01 inc = 1 prob = 0.08\n0 qid:10 1:0.1 2:0 #docid = GX000-00-02\n"
    assert read_qrels(file("x", text)).to_dict() == {"10": {"GX000-00-01": 2, "GX000-00-02": 0}}


def test_without_comments_documents_are_numbered_in_their_query_and_that_is_said(file):
    qrels = read_qrels(file("x", "2 qid:1 1:0.3\n0 qid:1 1:0.1\n1 qid:2 1:0.5\n"))
    assert qrels.to_dict() == {"1": {"1": 2, "2": 0}, "2": {"1": 1}}
    assert [(note.kind, note.count) for note in qrels.notes] == [("row numbers", 3)]


def test_faults_of_a_judgment_list_are_told_with_their_lines(file):
    path = file("x", "2 qid:1 1:0.3 # a\nx qid:1 1:0.1 # b\n1 qid:2 1:0.5\n1 1:0.5 # c\n")
    with pytest.raises(FormatError) as caught:
        read_qrels(path)
    assert sorted(f.where for f in caught.value.faults) == [f"{path}:2", f"{path}:3", f"{path}:4"]


def test_rows_without_queries_are_refused(file):
    with pytest.raises(FormatError, match=r"x:1: expected grade qid:ID features # document.*rows without qid"):
        read_qrels(file("x", "2 1:0.3 2:0.5\n"))


def test_a_judgment_list_is_no_run(file):
    with pytest.raises(FormatError, match="expected a run, got judgments in the format 'letor'"):
        read_run(file("x", LIST))
