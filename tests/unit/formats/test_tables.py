import math

import polars as pl
import pytest

from rankgauge.errors import DuplicateError, EmptyInputError, FormatError, InputError
from rankgauge.formats import read_qrels, read_run, sniff, write_run
from rankgauge.records import Run

NAMES = {"query": "query_id", "doc": "document_id", "score": "relevance_score"}


def kinds(data):
    return {note.kind: note.count for note in data.notes}


def test_csv_of_a_spreadsheet_is_read(file):
    path = file("judgments.csv", '\ufeffquery,docid,rating\r\nstar wars,d1,2\r\n"a, ""b""",d2,0\r\n')
    assert read_qrels(path).to_dict() == {"star wars": {"d1": 2}, 'a, "b"': {"d2": 0}}
    assert sniff(path).format == "quepid"


def test_a_csv_of_semicolons_is_read(file):
    assert read_run(file("r.csv", "query;doc;score\nq;d;1.5\n")).to_dict() == {"q": {"d": 1.5}}


def test_blanks_after_commas_are_taken_off_and_that_is_said(file):
    run = read_run(
        file("s.csv", "Query Text, Doc ID, Doc Position, Title\nstar wars, 11, 1, A\nstar wars, 1891, 2, B\n")
    )
    assert run.to_dict() == {"star wars": {"11": -1, "1891": -2}}
    assert kinds(run) == {"blanks": 2, "rank as score": 2}


def test_ids_of_tables_stay_as_they_are_written(file):
    odd = ["007", "1e5", "NA", "null", "nan", "True", "638727826393444353", "#1"]
    for name, separator in (("r.csv", ","), ("r.tsv", "\t")):
        rows = "".join(f"{doc}{separator}{doc}{separator}{i}\n" for i, doc in enumerate(odd))
        run = read_run(file(name, separator.join(["query", "doc", "score"]) + "\n" + rows))
        assert (run.docs.to_list(), run.queries.to_list()) == (odd, odd)


def test_cells_may_hold_line_ends_and_lines_are_still_right(file):
    text = 'title,query,doc,score\n"two\nlines",q,d1,1\nx,q,d2,2\nx,q,d3,abc\nx,,d4,1\n'
    path = file("r.csv", text)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert [(f.where, f.got) for f in caught.value.faults] == [
        (f"{path}:6", "an empty cell"),
        (f"{path}:5", "'abc', which is not a number"),
    ]


@pytest.mark.parametrize("row", ["q,d2", "q,d2,1,2", "q"])
def test_a_row_with_another_number_of_cells_is_named(file, row):
    path = file("r.csv", f"query,doc,score\nq,d1,1\n\n{row}\n")
    with pytest.raises(FormatError, match=r"r\.csv:4: expected 3 cells, as in the header, got"):
        read_run(path)


def test_a_row_that_lacks_its_last_cell_is_not_shifted(file):
    with pytest.raises(FormatError, match=r"r\.csv:2: expected 4 cells"):
        read_run(file("r.csv", "query,doc,score,title\nq,0.5,1\n"))


def test_trailing_empty_cells_are_no_fault(file):
    assert read_run(file("r.csv", "query,doc,score,\nq,d,1,\n")).to_dict() == {"q": {"d": 1}}


def test_a_decimal_comma_in_a_table_is_guessed(file):
    with pytest.raises(FormatError, match=r"r\.csv:2: .*'0,91', which is not a number \(decimal comma\?\)"):
        read_run(file("r.csv", "query;doc;score\nq;d;0,91\n"))


def test_an_empty_grade_is_unjudged_and_counted(file):
    qrels = read_qrels(file("q.csv", "query,docid,rating\nq,a,2\nq,b,\n"))
    assert (qrels.to_dict(), kinds(qrels)) == ({"q": {"a": 2}}, {"empty grades": 1})


def test_an_empty_score_is_a_fault(file):
    with pytest.raises(FormatError, match=r"r\.csv:3: expected a number as score, got an empty cell"):
        read_run(file("r.csv", "query,doc,score\nq,a,2\nq,b,\n"))


def test_a_nan_score_of_a_table_is_named_with_its_line(file):
    with pytest.raises(FormatError, match=r"r\.csv:3: expected a finite score, got nan"):
        read_run(file("r.csv", "query,doc,score\nq,a,2\nq,b,NaN\n"))


def test_a_duplicate_of_a_table_is_named_with_its_lines(file):
    with pytest.raises(DuplicateError, match=r"r\.csv:2 and .*r\.csv:4: "):
        read_run(file("r.csv", "query,doc,score\nq,a,2\nq,b,1\nq,a,1\n"))
    with pytest.raises(DuplicateError, match=r"j\.jsonl:1 and .*j\.jsonl:3: "):
        read_run(file("j.jsonl", '{"qid":"q","docid":"a","score":1}\n\n{"qid":"q","docid":"a","score":2}\n'))


def test_bytes_of_a_table_that_are_not_utf8_are_named(file):
    with pytest.raises(FormatError, match=r"r\.csv:3: expected UTF-8 text, got the byte b'\\xe9'"):
        read_run(file("r.csv", b"query,doc,score\nq,d,1\nq,\xe9,1\n"))


def test_columns_can_be_named(file):
    text = "query_id,document_id,relevance_score,extra\nq,d,0.5,x\n"
    assert read_run(file("r.csv", text), columns=NAMES).to_dict() == {"q": {"d": 0.5}}
    odd = file("odd.csv", "frage,dokument,wert\nq,d,0.5\n")
    assert read_run(odd, columns={"query": "frage", "doc": "dokument", "score": "wert"}).to_dict() == {"q": {"d": 0.5}}
    assert read_qrels(odd, columns={"query": "frage", "doc": "dokument", "grade": "wert"}).to_dict() == {
        "q": {"d": 0.5}
    }


def test_a_column_that_is_not_there_is_told_with_those_that_are(file):
    path = file("r.csv", "query,doc,score\nq,d,1\n")
    with pytest.raises(
        InputError, match=r"a column 'scor' for score, got the columns 'query', 'doc', 'score'; did you mean"
    ):
        read_run(path, columns={"score": "scor"})
    with pytest.raises(InputError, match="one of query, doc, score"):
        read_run(path, columns={"docs": "doc"})


def test_columns_have_no_meaning_for_a_file_without_names(file):
    with pytest.raises(InputError, match="drop columns"):
        read_run(file("r", "1 Q0 a 1 3.0 t\n"), columns={"query": "query"}, format="trec")


def test_a_table_without_known_names_lists_what_it_has(file):
    with pytest.raises(
        InputError, match=r"r\.csv:1: expected columns for query, doc, score or rank, got the columns 'a', 'b'"
    ):
        read_run(file("r.csv", "a,b\n1,2\n"))


def test_judgments_in_a_table_are_no_run_and_a_run_no_judgments(file):
    with pytest.raises(InputError, match="these look like judgments"):
        read_run(file("q.csv", "query,docid,rating\nq,d,1\n"))
    with pytest.raises(InputError, match="looks like a run"):
        read_qrels(file("r.csv", "query,doc,rank\nq,d,1\n"))
    with pytest.raises(InputError, match="looks like a run"):
        read_qrels(file("r.csv", "query,doc,rank,score\nq,d,1,0.5\n"))


def test_a_rank_column_and_no_score_is_followed_and_said(file):
    run = read_run(file("r.csv", "qid,docno,model_rank\nq,a,1\nq,b,2\n"))
    assert (run.to_dict(), kinds(run), run.ranks) == ({"q": {"a": -1, "b": -2}}, {"rank as score": 2}, None)


def test_a_rank_beside_a_score_is_compared_with_it(file):
    path = file("r.csv", "query,doc,score,rank\nq,a,1,1\nq,b,2,2\n")
    assert kinds(read_run(path)) == {"rank conflict": 1}
    assert read_run(path, order="rank").to_dict() == {"q": {"a": -1, "b": -2}}


def test_a_rank_that_is_not_whole_is_refused(file):
    with pytest.raises(FormatError, match=r"r\.csv:2: expected a whole number as rank, got 0\.5"):
        read_run(file("r.csv", "query,doc,rank\nq,a,0.5\n"))


def test_a_named_subtopic_is_one(file):
    qrels = read_qrels(file("q.csv", "query,doc,grade,subtopic\nq,a,1,s1\nq,b,0,s2\n"))
    assert (qrels.subtopics.to_list(), qrels.notes) == (["s1", "s2"], ())


def test_a_header_and_nothing_else_holds_nothing(file):
    with pytest.raises(EmptyInputError, match="holds no results"):
        read_run(file("r.csv", "query,doc,score\n"))
    with pytest.raises(EmptyInputError, match="holds no judgments"):
        read_qrels(file("q.tsv", "query-id\tcorpus-id\tscore"))


def test_tsv_keeps_quotes_that_belong_to_an_id_and_takes_off_those_around_it(file):
    text = 'query\tdoc\tscore\nq\t"Weird_Al"_Yankovic\t3\nq\t"""Heroes"""\t2\nq\tsay "hi"\t1\n'
    assert read_run(file("r.tsv", text)).docs.to_list() == ['"Weird_Al"_Yankovic', '"Heroes"', 'say "hi"']


def test_a_spreadsheets_tsv_may_have_line_ends_in_quoted_cells(file):
    text = 'query\ttitle\tdoc\tscore\nq\t"two\nlines"\td\t3\n'
    assert read_run(file("r.tsv", text)).to_dict() == {"q": {"d": 3}}


def test_json_lines_with_named_fields(file):
    text = '{"query_id": "q", "doc_id": "a", "score": 1.5, "x": [1]}\n\n{"query_id": "q", "doc_id": 7, "score": 1}\n'
    path = file("r.jsonl", text)
    assert read_run(path).to_dict() == {"q": {"a": 1.5, "7": 1}}
    assert sniff(path).format == "jsonl"
    assert read_run(file("one.jsonl", text.split("\n")[0])).to_dict() == {"q": {"a": 1.5}}
    assert read_qrels(
        file("q.jsonl", '{"qid":"q","docid":"a","rel":null}\n{"qid":"q","docid":"b","rel":2}')
    ).to_dict() == {"q": {"b": 2}}


def test_all_faults_of_json_lines_are_told_with_their_lines(file):
    good = '{"qid": "q", "docid": "a", "score": 1}'
    lines = [good, "{oops", '{"qid": 1.5, "docid": "a", "score": 1}', '{"qid": "q", "docid": "b"}', "[1]"]
    lines.append('{"qid": "q", "docid": "c", "score": "0.5"}')
    path = file("r.jsonl", "\n".join(lines))
    with pytest.raises(FormatError) as caught:
        read_run(path)
    got = {int(f.where.rsplit(":", 1)[1]): f.got for f in caught.value.faults}
    assert sorted(got) == [2, 3, 4, 5, 6]
    assert (got[3], got[4], got[5], got[6]) == ("1.5", "no such field", "list [1]", "'0.5'")


def test_json_lines_of_one_query_each(file):
    path = file("r.jsonl", '{"q1": {"a": 1}}\n{"q2": {"b": 2, "c": 1}}\n')
    assert read_run(path).to_dict() == {"q1": {"a": 1}, "q2": {"b": 2, "c": 1}}
    with pytest.raises(FormatError, match=r"s\.jsonl:2: expected each query on one line"):
        read_run(file("s.jsonl", '{"q1": {"a": 1}}\n{"q1": {"b": 2}}\n'))


def test_a_json_list_of_objects_with_named_fields(file):
    path = file("r.json", '[{"qid": "q", "docid": "a", "rank": 1}, {"qid": "q", "docid": "b", "rank": 2}]')
    assert read_run(path).to_dict() == {"q": {"a": -1, "b": -2}}
    bad = file("b.json", '[{"qid": "q", "docid": "a", "score": 1}, {"qid": "q", "docid": "", "score": 2}]')
    with pytest.raises(FormatError, match=r"b\.json, item 2: expected a doc id"):
        read_run(bad)


@pytest.mark.parametrize(
    ("suffix", "write"), [("parquet", "write_parquet"), ("arrow", "write_ipc"), ("x", "write_ipc_stream")]
)
def test_columnar_files_are_read_by_content(tmp_path, suffix, write):
    frame = pl.DataFrame({"q_id": ["007", "007"], "doc_id": [1, 2], "score": [0.5, 0.25], "text": ["x", "y"]})
    getattr(frame, write)(tmp_path / f"r.{suffix}")
    assert read_run(tmp_path / f"r.{suffix}").to_dict() == {"007": {"1": 0.5, "2": 0.25}}


def test_float_ids_of_a_columnar_file_are_refused(tmp_path):
    pl.DataFrame({"query": [1.0], "doc": ["d"], "score": [1.0]}).write_parquet(tmp_path / "r.parquet")
    with pytest.raises(InputError, match=r"r\.parquet, column 'query': expected ids as text or integers"):
        read_run(tmp_path / "r.parquet")


def test_lost_precision_is_said(tmp_path):
    frame = pl.DataFrame({"query": ["q"], "doc": ["d"], "score": pl.Series([0.1], dtype=pl.Float32)})
    frame.write_parquet(tmp_path / "r.parquet")
    assert kinds(read_run(tmp_path / "r.parquet")) == {"score precision": 1}


def test_a_cut_off_parquet_file_is_an_error(tmp_path):
    pl.DataFrame({"query": ["q"], "doc": ["d"], "score": [1.0]}).write_parquet(tmp_path / "r.parquet")
    whole = (tmp_path / "r.parquet").read_bytes()
    (tmp_path / "r.parquet").write_bytes(whole[:-9])
    with pytest.raises(FormatError, match="expected a whole parquet file"):
        read_run(tmp_path / "r.parquet")


def test_nan_in_a_columnar_file_is_named_by_its_row(tmp_path):
    pl.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "score": [1.0, math.nan]}).write_parquet(
        tmp_path / "r.parquet"
    )
    with pytest.raises(FormatError, match=r"r\.parquet, row 2: expected a finite score"):
        read_run(tmp_path / "r.parquet")


@pytest.mark.parametrize(("name", "bad"), [("r.csv", " a"), ("r.tsv", "a\tb"), ("r.tsv", "a "), ("r.csv", "\ufeffa")])
def test_ids_that_a_text_table_would_change_are_not_written(tmp_path, name, bad):
    with pytest.raises(InputError, match="jsonl"):
        write_run(Run.from_dict({"q": {bad: 1.0}}), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_column_that_is_there_twice_leaves_a_doubt(file):
    with pytest.raises(FormatError, match=r"r\.csv:1: expected one column 'score', got 2 of that name"):
        read_run(file("r.csv", "query,doc,score,score\nq,d,1,2\n"))


def test_a_rank_too_high_to_be_one_is_refused(file):
    for rank in ("1e300", "inf"):
        with pytest.raises(FormatError, match=r"r\.csv:2: expected a whole number as rank"):
            read_run(file("r.csv", f"query,doc,rank\nq,a,{rank}\n"))


def test_a_table_with_all_cells_quoted_is_read_like_one_without(file):
    text = '"query","doc","score"\n"q","007","1.5"\n"q","a ""b""","1"\n"q","c, d","0.5"\n'
    assert read_run(file("r.csv", text)).to_dict() == {"q": {"007": 1.5, 'a "b"': 1, "c, d": 0.5}}
    assert read_run(file("s.csv", text.split('"q","a')[0])).to_dict() == {"q": {"007": 1.5}}


def test_a_separator_in_quotes_does_not_hide_a_missing_cell(file):
    with pytest.raises(FormatError, match=r"r\.csv:2: expected 4 cells, as in the header, got 3"):
        read_run(file("r.csv", 'query,title,doc,score\nq,"x, y",1\n'))
