import math

import pytest

from rankgauge.errors import DuplicateError, EmptyInputError, FormatError, InputError
from rankgauge.formats import read_qrels, read_run, write_qrels, write_run
from rankgauge.records import Qrels, Run


def kinds(data):
    return {note.kind: note.count for note in data.notes}


def test_blanks_tabs_windows_lines_blank_lines_and_a_missing_last_newline_change_nothing(file):
    qrels = "1\t0\tdoc_a\t0\r\n1   0 doc_b\t1  \r\n\r\n1 0  doc_c 2\t\r\n2 0.5  doc_a  1\r\n2 Q0 doc_d 0"
    run = (
        " 1 Q0\tdoc_c   0 9.5 myrun\r\n1 Q0 doc_b 1 8.5\tmyrun \r\n1\tQ0 doc_a 2 7.5 myrun\r\n\r\n"
        "2  Q0 doc_d 0 3 myrun\r\n2 Q0 doc_a 1 2.5e0 myrun"
    )
    judged, found = read_qrels(file("qrels.txt", qrels)), read_run(file("run.txt", run))
    assert judged.to_dict() == {"1": {"doc_a": 0, "doc_b": 1, "doc_c": 2}, "2": {"doc_a": 1, "doc_d": 0}}
    assert found.to_dict() == {"1": {"doc_c": 9.5, "doc_b": 8.5, "doc_a": 7.5}, "2": {"doc_d": 3, "doc_a": 2.5}}
    assert found.notes == ()


def test_old_macintosh_line_ends_are_line_ends(file):
    assert read_qrels(file("q", "1 0 a 1\r1 0 b 0\r")).to_dict() == {"1": {"a": 1, "b": 0}}


def test_a_byte_order_mark_is_not_part_of_the_first_query(file):
    mark = b"\xef\xbb\xbf"
    assert read_qrels(file("q", mark + b"101 0 d1 1\n")).queries.to_list() == ["101"]
    assert read_run(file("r", mark + b"101 Q0 d1 1 2 s\n" + mark + b"102 Q0 d1 1 2 s\n")).queries.to_list() == [
        "101",
        "102",
    ]


def test_utf16_of_windows_tools_is_read(file):
    assert read_qrels(file("q", "1 0 é 1\r\n".encode("utf-16"))).to_dict() == {"1": {"é": 1}}


def test_only_lines_that_start_with_a_hash_are_comments_and_they_are_counted(file):
    qrels = read_qrels(file("q", "# team A\nc1 0 d#1 1\n# second\nc1 0 d2 0\n# end"))
    run = read_run(file("r", "# S\nc1 Q0 d#1 1 2.0 S\n\nc1 Q0 d2 2 1.0 S\n"))
    assert (qrels.to_dict(), kinds(qrels)) == ({"c1": {"d#1": 1, "d2": 0}}, {"comments": 3})
    assert (run.to_dict(), kinds(run)) == ({"c1": {"d#1": 2.0, "d2": 1.0}}, {"comments": 1})


ODD = ["007", "7", "1e5", "100000", "638727826393444353", "638727826393444352", "NA", "null", "91e70966", "nan"]
ODD += ["129608e4", "None", "True", '"quoted"', "a,b", "<x:Rome,_Italy>", "Raven-Symone\u0301", "Beyoncé", "-1", "1.0"]


def test_ids_stay_as_they_are_written(file):
    qrels = read_qrels(file("q", "".join(f"n 0 {doc} 1\n" for doc in ODD)))
    run = read_run(file("r", "".join(f"{doc} Q0 {doc} {i} {9 - i} t\n" for i, doc in enumerate(ODD))))
    assert qrels.docs.to_list() == ODD
    assert (run.docs.to_list(), run.queries.to_list()) == (ODD, ODD)


def test_a_score_keeps_all_the_digits_of_a_double(file):
    run = read_run(file("r", "f Q0 z 1 0.50000000 s\nf Q0 m 2 0.50000001 s\nf Q0 k 3 0.1000000000000000055 s\n"))
    assert run.scores.tolist() == [0.5, 0.50000001, 0.1]


def test_rows_of_one_query_need_not_lie_together(file):
    run = read_run(file("r", "1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 c 2 2 t\n"))
    assert run.to_dict() == {"1": {"a": 3, "b": 2}, "2": {"a": 3, "c": 2}}


def test_real_grades_are_real(file):
    assert read_qrels(file("q", "1 0 a 1.5\n1 0 b 1.0\n1 0 c -2\n")).to_dict() == {"1": {"a": 1.5, "b": 1, "c": -2}}


def test_all_faults_of_a_file_are_told_at_once_with_their_lines(file):
    path = file("bm25.run", "# c\n1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0\n\n1 Q0 c 3 abc t\n1 Q0 d 4 nan t\n1 Q0 e 5 1 t x\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    fields = "6 fields (query Q0 document rank score tag)"
    assert [(f.where, f.expected, f.got) for f in caught.value.faults] == [
        (f"{path}:3", fields, "5 in '1 Q0 b 2 2.0'"),
        (f"{path}:5", "a number as score", "'abc', which is not a number"),
        (f"{path}:6", "a finite score", "'nan'"),
        (f"{path}:7", fields, "7 in '1 Q0 e 5 1 t x'"),
    ]


def test_faults_are_all_counted_but_not_all_kept(file):
    with pytest.raises(FormatError) as caught:
        read_qrels(file("q", "1 0 a 1\n" + "".join(f"1 0 d{i} x\n" for i in range(250))))
    assert (len(caught.value.faults), caught.value.total) == (100, 250)
    assert str(caught.value).endswith("... and 230 more faults")


def test_a_decimal_comma_is_guessed_and_never_read(file):
    path = file("r", "l Q0 a 1 0,91 s\nl Q0 b 2 0,95 s\nl Q0 c 3 1.234,5 s\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert [f.where for f in caught.value.faults] == [f"{path}:{line}" for line in (1, 2, 3)]
    assert {f.got.split(", which ")[1] for f in caught.value.faults} == {"is not a number (decimal comma?)"}


def test_infinite_scores_are_ranked_and_told(file):
    run = read_run(file("r", "x Q0 a 1 inf s\nx Q0 b 2 0.5 s\nx Q0 c 3 -inf s\n"))
    assert run.scores.tolist() == [math.inf, 0.5, -math.inf]
    assert kinds(run) == {"infinite scores": 2}


def test_an_infinite_grade_is_refused(file):
    with pytest.raises(InputError, match=r"q:1: expected a finite grade, got inf"):
        read_qrels(file("q", "x 0 a inf\n"))


def test_bytes_that_are_not_utf8_are_shown_with_their_line(file):
    path = file("latin.run", b"2 Q0 a 1 3.0 t\n2 Q0 \xe9 3 1.0 t\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:2: expected UTF-8 text, got the byte b'\\xe9' in b'2 Q0 \\xe9 3 1.0 t'; "
        "convert it: iconv -f latin1 -t utf-8 latin.run"
    )


def test_a_header_line_is_called_one(file):
    with pytest.raises(FormatError, match=r":1: .*'query-id 0 corpus-id score', which looks like a header line"):
        read_qrels(file("q", "query-id 0 corpus-id score\n1 0 a 0\n"))
    with pytest.raises(FormatError, match=r":1: .*looks like a header line"):
        read_run(file("r", "qid Q0 docno rank score tag\n1 Q0 a 1 2 t\n"))


def test_swapped_files_are_called_swapped(file):
    with pytest.raises(FormatError, match=r"got 6 in every line.*looks like a run: were the two files swapped"):
        read_qrels(file("a", "1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n"))
    with pytest.raises(FormatError, match=r"got 4 in every line.*look like judgments: were the two files swapped"):
        read_run(file("b", "1 0 a 0\n1 0 b 1\n"))


def test_judgments_of_three_or_five_columns_are_told_what_is_missing(file):
    with pytest.raises(FormatError, match=r"q3:1: .* got 3 in every line.*'query-id corpus-id score'"):
        read_qrels(file("q3", "1 a 0\n1 b 1\n"))
    with pytest.raises(FormatError, match=r"q5:1: .* got 5 in every line.*prels"):
        read_qrels(file("q5", "1 a 0 1 0.5\n1 b 1 1 0.5\n"))


def test_a_repeated_document_is_named_with_both_lines_and_scores(file):
    path = file("r", "# c\ndup Q0 a 1 3.0 s\ndup Q0 a 2 2.0 s\ndup Q0 c 3 1.0 s\n")
    with pytest.raises(DuplicateError) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:2 and {path}:3: expected one result for query 'dup', document 'a', got scores 3, 2; "
        'remove one, or pass on_duplicate="first" or "max"'
    )


@pytest.mark.parametrize("policy", ["first", "max"])
def test_a_plain_file_with_repeats_is_read_as_one_that_is_not_plain(file, policy):
    text = "d Q0 a 1 2 s\nc Q0 a 1 1 s\nd Q0 b 2 2.5 s\nd Q0 a 3 3 s\nc Q0 a 2 0.5 s\n"
    plain, tolerant = (read_run(file("r", content), on_duplicate=policy) for content in (text, text.replace(" ", "  ")))
    assert (plain.to_dict(), plain.notes) == (tolerant.to_dict(), tolerant.notes)
    assert kinds(plain) == {"duplicates": 2, "rank conflict": 1}


@pytest.mark.parametrize("policy", ["first", "max"])
def test_a_repeated_document_is_dropped_on_demand_and_counted(file, policy):
    rising = read_run(file("r", "d Q0 a 1 2 s\nd Q0 b 2 2.5 s\nd Q0 a 3 3 s\n"), on_duplicate=policy)
    assert rising.to_dict() == {"d": {"b": 2.5, "a": {"first": 2, "max": 3}[policy]}}
    assert kinds(rising)["duplicates"] == 1


def test_a_pair_judged_twice_is_named_with_lines_and_grades(file):
    path = file("q", "c 0 b 1\nc 0 b 3\nc 0 d 2\n")
    with pytest.raises(
        DuplicateError, match=r"q:1 and .*q:2: expected one judgment for query 'c', document 'b', got"
    ) as e:
        read_qrels(path)
    assert "grades 1, 3" in str(e.value)
    assert "subtopic" not in str(e.value)
    for policy, grade in (("first", 1), ("last", 3), ("max", 3)):
        assert read_qrels(path, on_duplicate=policy).to_dict()["c"]["b"] == grade


SUBTOPICS = "201 1 d1 1\n201 1 d2 0\n201 2 d1 0\n201 2 d3 2\n"


def test_pairs_that_repeat_under_several_values_of_column_2_are_subtopics_and_that_is_said(file):
    qrels = read_qrels(file("q", SUBTOPICS))
    assert qrels.subtopics.to_list() == ["1", "1", "2", "2"]
    assert kinds(qrels) == {"subtopics": 1}
    assert qrels.to_dict() == {"201": {"d1": 1, "d2": 0, "d3": 2}}


def test_refusing_subtopics_names_the_likely_cause(file):
    with pytest.raises(DuplicateError, match="column 2 differs, so it looks like subtopic qrels"):
        read_qrels(file("q", SUBTOPICS), subtopics=False)


def test_subtopics_can_be_forced(file):
    assert read_qrels(file("q", "1 a d1 1\n1 b d2 1\n"), subtopics=True).subtopics.to_list() == ["a", "b"]
    assert read_qrels(file("q", "1 a d1 1\n1 b d2 1\n")).subtopics is None


def test_the_same_subtopic_twice_for_a_pair_is_a_duplicate(file):
    with pytest.raises(DuplicateError, match=r"q:1 and .*q:3: .*grades 1, 2"):
        read_qrels(file("q", "1 1 d 1\n1 2 d 0\n1 1 d 2\n"))


def test_a_rank_column_that_contradicts_the_scores_is_counted_and_can_be_followed(file):
    path = file("r", "# c\nq Q0 a 1 1.0 s\nq Q0 b 2 2.0 s\nq Q0 c 3 0.5 s\np Q0 a 1 9 s\n")
    by_score, by_rank = read_run(path), read_run(path, order="rank")
    assert by_score.scores.tolist() == [1.0, 2.0, 0.5, 9.0]
    assert kinds(by_score) == {"comments": 1, "rank conflict": 1}
    assert f"first at {path}:3" in by_score.notes[1].text
    assert by_rank.to_dict()["q"] == {"a": -1, "b": -2, "c": -3}


def test_ranks_that_fall_while_scores_fall_are_a_conflict_too(file):
    assert kinds(read_run(file("r", "q Q0 a 2 3 s\nq Q0 b 1 2 s\n"))) == {"rank conflict": 1}


def test_a_constant_rank_column_contradicts_nothing(file):
    assert read_run(file("r", "q Q0 a 0 3 s\nq Q0 b 0 4 s\n")).notes == ()


def test_a_rank_column_of_words_is_not_looked_at_unless_it_should_decide(file):
    path = file("r", "q Q0 a - 3 s\nq Q0 b - 4 s\n")
    assert kinds(read_run(path)) == {"rank column": 2}
    with pytest.raises(FormatError, match="rank"):
        read_run(path, order="rank")


@pytest.mark.parametrize("content", ["", "\n  \n\n", "# only a comment\n"])
def test_a_file_without_lines_holds_nothing(file, content):
    with pytest.raises(EmptyInputError, match=r"run_zero\.txt: .* holds no results"):
        read_run(file("run_zero.txt", content))
    with pytest.raises(EmptyInputError, match=r"qrels_empty\.txt: .* holds no judgments"):
        read_qrels(file("qrels_empty.txt", content))


def test_what_is_written_has_ranks_in_the_order_of_scores_and_then_ids_descending(tmp_path):
    run = Run.from_dict({"q": {"a": 1.0, "b": 2.0, "c": 1.0}}, name="my run")
    write_run(run, tmp_path / "out.run")
    assert (tmp_path / "out.run").read_text() == "q Q0 b 1 2.0 my_run\nq Q0 c 2 1.0 my_run\nq Q0 a 3 1.0 my_run\n"
    write_run(run, tmp_path / "out.run", tag="T")
    assert (tmp_path / "out.run").read_text().split()[5] == "T"


def test_written_grades_are_whole_where_they_can_be(tmp_path):
    write_qrels(Qrels.from_dict({"q": {"a": 1.0, "b": 0.5}}), tmp_path / "q.qrels")
    assert (tmp_path / "q.qrels").read_text() == "q 0 a 1\nq 0 b 0.5\n"


@pytest.mark.parametrize("bad", ["a b", "a\tb", "a\nb"])
def test_ids_with_blanks_cannot_be_written_as_trec(tmp_path, bad):
    with pytest.raises(InputError, match=r"document ids: .*blanks.*jsonl"):
        write_run(Run.from_dict({"q": {bad: 1.0}}), tmp_path / "x.run")
    with pytest.raises(InputError, match=r"query ids: "):
        write_qrels(Qrels.from_dict({bad: {"d": 1}}), tmp_path / "x.qrels")
    assert list(tmp_path.iterdir()) == []


def test_a_query_that_would_be_a_comment_cannot_be_written_as_trec(tmp_path):
    with pytest.raises(InputError, match="leading #"):
        write_run(Run.from_dict({"#1": {"d": 1.0}}), tmp_path / "x.run")


def test_a_score_with_thousands_signs_is_guessed(file):
    with pytest.raises(FormatError, match=r"'1,234\.5', which is not a number \(thousands signs\?\); write numbers"):
        read_run(file("r", "q Q0 a 1 1,234.5 s\n"))


def test_a_page_of_text_is_not_called_judgments(file):
    with pytest.raises(
        FormatError, match=r"r:1: expected 6 fields .* got 4 in '<html>404 not found here</html>'; complete"
    ):
        read_run(file("r", "<html>404 not found here</html>"))


def test_a_query_that_begins_as_a_compressed_file_does_is_a_query(file):
    assert read_run(file("r", "x^ Q0  a 1 2 s\nx^ Q0 b 2 1 s\n")).to_dict() == {"x^": {"a": 2, "b": 1}}
    assert read_qrels(file("q", "x^ 0 a 1\n")).to_dict() == {"x^": {"a": 1}}


def test_scores_of_any_size_are_compared_with_the_ranks(file):
    assert kinds(read_run(file("r", "q Q0 a 1 -1.7e308 s\nq Q0 b 2 1.7e308 s\n"))) == {"rank conflict": 1}
