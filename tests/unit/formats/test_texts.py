"""Texts of queries and documents from files."""

from __future__ import annotations

import gzip

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
