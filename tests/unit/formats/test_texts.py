"""Texts of documents and queries."""

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
