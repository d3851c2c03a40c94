"""Files of scored labels."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest
import zstandard

from rankgauge.errors import EmptyInputError, FormatError, InputError
from rankgauge.formats.scored import read_scored

ROWS = "id,label,score\na,1,0.9\nb,0,0.25\nc,1,1e-3\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Put content into a file, and stand beside it so that messages name it shortly."""
    monkeypatch.chdir(tmp_path)

    def put(content: str | bytes, name: str = "s.csv") -> str:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return put


def fails(path: str, **options) -> str:
    with pytest.raises(InputError) as caught:
        read_scored(path, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.csv", ROWS),
        ("s.tsv", ROWS.replace(",", "\t")),
        ("s.csv", ROWS.replace(",", ";")),
        ("s.csv", "\ufeff" + ROWS),
        ("s.csv", ROWS.replace("\n", "\r\n")),
        ("s.csv", ROWS.rstrip("\n")),
        ("s.csv", ROWS.replace("\nb", "\n\n\nb")),
        ("s.csv", '"id","label","score"\n"a, or so","1","0.9"\n"b","0","0.25"\n"c","1"," 1e-3 "\n'),
        ("s.csv.gz", gzip.compress(ROWS.encode(), mtime=0)),
        ("gzip_without_the_suffix.csv", gzip.compress(ROWS.encode(), mtime=0)),
        ("s.csv.zst", zstandard.ZstdCompressor().compress(ROWS.encode())),
        ("s.csv", ROWS.encode("utf-16")),
        ("s.jsonl", '{"label": 1, "score": 0.9}\n{"score": 0.25, "label": false}\n\n{"label": "1", "score": 1e-3}'),
    ],
)
def test_a_file_is_read_whatever_its_dress(write, name, content):
    data = read_scored(write(content, name))
    assert data.labels.tolist() == [True, False, True]
    assert data.scores.tolist() == [0.9, 0.25, 0.001]
    assert (data.dropped, data.notes) == (0, ())


def test_a_parquet_file_is_read(write):
    pl.DataFrame({"label": [True, False], "score": [0.9, 0.25], "x": ["a", "b"]}).write_parquet("s.parquet")
    data = read_scored("s.parquet")
    assert (data.labels.tolist(), data.scores.tolist()) == ([True, False], [0.9, 0.25])


def test_scores_keep_every_digit(write):
    values = np.random.default_rng(1).random(200)
    text = "".join(f"1,{value!r}\n" for value in values.tolist())
    assert read_scored(write("label,score\n" + text)).scores.tolist() == values.tolist()


def test_columns_and_the_positive_label_can_be_named(write):
    path = write("truth,proba\nspam,0.9\nham,0.1\n")
    assert read_scored(path, label="truth", score="proba", positive="spam").labels.tolist() == [True, False]


def test_rows_without_a_label_are_left_out_and_counted(write):
    data = read_scored(write("label,score\n1,0.9\n,0.5\n0,0.1\n"))
    assert (len(data), data.dropped) == (2, 1)
    assert data.notes[0].text == "1 of 3 items have no label and were left out"


def test_the_columns_are_read_only(write):
    data = read_scored(write(ROWS))
    with pytest.raises(ValueError, match="read-only"):
        data.scores[0] = 1


def test_a_missing_column_is_met_with_the_columns_there_are(write):
    assert fails(write("lable,score\n1,0.9\n")) == (
        "s.csv:1: expected one column 'label', got the columns 'lable', 'score'; "
        "name the column with label=; did you mean 'lable'?"
    )


def test_a_column_twice_is_an_error(write):
    assert "expected one column 'score', got the columns 'label', 'score', 'score'" in fails(
        write("label,score,score\n1,0.9,0.8\n")
    )


def test_all_faults_are_told_at_once_with_their_lines(write):
    text = 'label,score\n1,0.9\n0,nan\n\n1,"0,5"\n0\n1,high\n0,1_0\n'
    assert fails(write(text)) == (
        "s.csv:3: expected a finite score in 'score', got 'nan'; "
        "give every row a number as its score, or remove the row\n"
        "s.csv:5: expected a finite score in 'score', got '0,5'; write a decimal point: 0.5\n"
        "s.csv:6: expected 2 fields, got 1; quote a field that holds a comma\n"
        "s.csv:7: expected a finite score in 'score', got 'high'; "
        "give every row a number as its score, or remove the row\n"
        "s.csv:8: expected a finite score in 'score', got '1_0'; "
        "give every row a number as its score, or remove the row"
    )


def test_a_decimal_comma_that_splits_a_field_is_recognised(write):
    assert fails(write("label,score\n1,0,9\n")) == (
        "s.csv:2: expected 2 fields, got 3; "
        "if that is a decimal comma, write a decimal point; quote a field that holds a comma"
    )


def test_labels_of_a_file_are_named_by_line(write):
    assert fails(write("label,score\n1,0.9\nx,0.8\n")).startswith("s.csv:3: expected the label 0, 1, true or false")


def test_a_line_number_counts_the_lines_inside_quoted_fields(write):
    assert fails(write('text,label,score\n"one\ntwo",1,0.5\nx,1,?\n')).startswith("s.csv:4: expected a finite score")


def test_a_score_too_large_for_a_float_is_an_error(write):
    assert fails(write("label,score\n1,1e999\n")).startswith("s.csv:2: expected a finite score, got inf")


def test_a_stray_quote_is_an_error_where_it_opens(write):
    assert fails(write('label,score\n1,0.9\n0,"0.1\n1,0.3\n')).startswith("s.csv:3: expected well-formed quoted")


def test_a_table_separated_by_semicolons_with_decimal_commas_is_told_so(write):
    assert fails(write("label;score\n1;0,9\n")) == (
        "s.csv:2: expected a finite score in 'score', got '0,9'; write a decimal point: 0.9"
    )


def test_many_faults_of_a_file_are_counted(write):
    assert fails(write("label,score\n" + "1,x\n" * 50)).endswith("... and 30 more faults")


def test_lines_of_json_are_checked_one_by_one(write):
    lines = ['{"label": 1, "score": "0.9"}', "{oops}", "[1, 2]", '{"label": 1, "scores": 1}']
    lines += ['{"label": 1, "score": NaN}', '{"label": 1, "score": true}']
    message = fails(write("\n".join(lines), "s.jsonl")).splitlines()
    assert [line.split(": ")[0] for line in message] == [f"s.jsonl:{n}" for n in (2, 3, 4, 6, 5)]
    assert message[0].startswith("s.jsonl:2: expected one JSON object, got Expecting property name")
    assert message[2].endswith("did you mean 'scores'?")


def test_parquet_faults_name_the_row(write):
    pl.DataFrame({"label": [1, 0], "score": [0.9, None]}).write_parquet("s.parquet")
    assert fails("s.parquet").startswith("s.parquet, row 2: expected a finite score in 'score', got None")
    assert fails("s.parquet", score="scor").startswith("s.parquet: expected one column 'scor', got the columns")


def test_a_parquet_file_cut_short_is_an_error(write):
    pl.DataFrame({"label": [1, 0], "score": [0.9, 0.1]}).write_parquet("s.parquet")
    with open("s.parquet", "rb") as file:
        content = file.read()
    assert fails(write(content[:-20], "cut.parquet")).startswith("cut.parquet: expected a whole Parquet file")


@pytest.mark.parametrize(
    ("kind", "whole"),
    [
        ("gzip", gzip.compress(ROWS.encode() * 50, mtime=0)),
        ("zstd", zstandard.ZstdCompressor().compress(ROWS.encode() * 50)),
    ],
)
def test_a_compressed_file_cut_short_is_an_error(write, kind, whole):
    assert fails(write(whole[:-12], "s.csv.x")) == (
        f"s.csv.x: expected a whole {kind} file, got a truncated file; copy or download it again"
    )


def test_bytes_that_are_not_utf8_are_named_by_line(write):
    assert fails(write("label,score\n1,0.9\ncaf\xe9,1\n".encode("latin-1"))) == (
        "s.csv:3: expected UTF-8 text, got the byte 0xe9; save the file as UTF-8"
    )


@pytest.mark.parametrize("content", ["label,score\n", "label,score"])
def test_a_header_alone_is_nothing_to_measure(write, content):
    with pytest.raises(EmptyInputError, match=r"s\.csv: expected rows with a label and a score, got none"):
        read_scored(write(content))


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_nothing_to_measure(write, content):
    with pytest.raises(EmptyInputError):
        read_scored(write(content))


def test_a_file_that_is_not_there_is_an_input_error(write):
    assert fails("nowhere.csv") == "nowhere.csv: expected a file, got nothing of that name; check the path"


def test_faults_of_files_are_format_errors(write):
    with pytest.raises(FormatError):
        read_scored(write(json.dumps({"label": 1})))
