"""Texts of documents and queries."""
"""Texts of queries and documents from files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rankgauge.errors import FormatError
from rankgauge.formats.texts import read_texts


def test_a_corpus_of_json_lines_gives_title_and_text_by_id(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl.gz"
    file.write_bytes(
        gzip.compress('{"_id": "007", "title": "Bond", "text": "thé"}\n\n{"_id": 7, "text": "x"}\n'.encode())
    )
    assert read_texts(file) == {"007": "Bond\nthé", "7": "x"}


def test_queries_of_two_columns_give_their_text_by_id(tmp_path: Path) -> None:
    file = tmp_path / "queries.tsv"
    file.write_text("1\twhat is a {}\r\n2\ta\tb\n")
    assert read_texts(file) == {"1": "what is a {}", "2": "a\tb"}


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text(
        '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n{"_id": "b"}\n{\nplain\n{"_id": 1.5, "text": ""}\n'
    )
    with pytest.raises(FormatError) as caught:
        read_texts(file)
    said = str(caught.value).splitlines()
    assert [line.partition(":")[2].partition(":")[0] for line in said] == ["2", "3", "4", "5", "6"]
    assert "expected each id once, got 'a' again" in said[0]
    assert "expected an id and a text, got the fields id" in said[1]


def test_bytes_that_are_no_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "c.tsv"
    file.write_bytes("1\ta\n2\té\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"c\.tsv:2: expected an id and a text, got .*can't decode byte 0xe9"):
        read_texts(file)

import pytest

from rankgauge.errors import EmptyInputError, FormatError
from rankgauge.formats.texts import read_texts


def test_json_lines_of_usual_names_are_read(tmp_path):
    lines = ['{"_id": "q1", "text": "one"}', '{"query_id": 2, "query": "two"}', "", '{"docno": "d", "contents": ""}']
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    assert read_texts(tmp_path / "texts.jsonl") == {"q1": "one", "2": "two", "d": ""}


def test_a_title_stands_before_the_text(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "title": "Refunds", "text": "Five days."}\n')
    assert read_texts(tmp_path / "corpus.jsonl") == {"d": "Refunds\nFive days."}


def test_lines_of_id_tab_text_are_read_compressed_too(tmp_path):
    (tmp_path / "queries.tsv.gz").write_bytes(gzip.compress("007\tmột\n1e5\thai\tba\n".encode()))
    assert read_texts(tmp_path / "queries.tsv.gz") == {"007": "một", "1e5": "hai\tba"}


def test_all_faults_are_said_with_their_lines(tmp_path):
    lines = [
        '{"_id": "a", "text": "x"}',
        '{"_id": "a", "text": "y"}',
        '{"text": "z"}',
        "[1]",
        '{"_id": 1.5, "text": ""}',
        "{",
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    with pytest.raises(FormatError) as error:
        read_texts(tmp_path / "q.jsonl")
    assert error.value.total == 5
    assert [fault.where.rpartition(":")[2] for fault in error.value.faults] == ["2", "3", "4", "5", "6"]
    assert "'a' again" in str(error.value)


def test_an_empty_file_and_a_line_without_a_tab_are_errors(tmp_path):
    (tmp_path / "empty.tsv").write_text("\n")
    with pytest.raises(EmptyInputError, match="at least one text"):
        read_texts(tmp_path / "empty.tsv")
    (tmp_path / "q.tsv").write_text("just words\n")
    with pytest.raises(FormatError, match=r"q\.tsv:1: expected an id and a text"):
        read_texts(tmp_path / "q.tsv")
