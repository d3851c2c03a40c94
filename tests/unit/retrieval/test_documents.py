"""Documents and queries from files."""

from __future__ import annotations

import gzip

import pytest
import zstandard

from rankgauge.errors import EmptyInputError, FormatError, InputError
from rankgauge.retrieval.documents import read_documents, read_queries
from rankgauge.retrieval.protocols import Document

BEIR = '{"_id": "d1", "title": "Refunds", "text": "Five days.", "metadata": {}, "lang": "en"}\n{"_id": 2, "text": ""}\n'


def test_title_text_and_fields_are_read(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(BEIR)
    found = list(read_documents(tmp_path / "corpus.jsonl"))
    assert found == [Document("d1", "Five days.", "Refunds", {"lang": "en"}), Document("2", "")]
    assert found[0].whole == "Refunds\nFive days."


@pytest.mark.parametrize(
    "pack", [gzip.compress, zstandard.compress, lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])]
)
def test_compressed_files_and_beir_folders_are_read(tmp_path, pack):
    (tmp_path / "corpus.jsonl.gz").write_bytes(pack(BEIR.encode()))
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "refund"}\n')
    assert [document.id for document in read_documents(tmp_path)] == ["d1", "2"]
    assert read_queries(tmp_path) == {"q1": "refund"}


def test_lines_of_id_tab_text_are_read(tmp_path):
    (tmp_path / "corpus.tsv").write_bytes("\ufeff007\tmột\r\n\r\n1e5\thai\tba".encode())
    assert list(read_documents(tmp_path / "corpus.tsv")) == [Document("007", "một"), Document("1e5", "hai\tba")]


def test_all_faults_are_said_with_their_lines_after_the_last_document(tmp_path):
    lines = [
        '{"_id": "a", "text": "x"}', '{"_id": "a", "text": "y"}', '{"text": "z"}', "[1]", '{"_id": 1.5, "text": ""}',
        "{", '{"_id": "b", "text": null}', '{"_id": "c", "text": "last"}',
    ]  # fmt: skip
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    found = []
    with pytest.raises(FormatError) as error:
        found.extend(read_documents(tmp_path / "c.jsonl"))
    assert [fault.where.rpartition(":")[2] for fault in error.value.faults] == ["2", "3", "4", "5", "6", "7"]
    assert "c.jsonl:2: expected each id once, got 'a' again" in str(error.value)


def test_documents_come_one_by_one(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"_id": "a", "text": "x"}\n{\n')
    stream = read_documents(tmp_path / "c.jsonl")
    assert next(stream).id == "a"
    with pytest.raises(FormatError, match=r"c\.jsonl:2"):
        next(stream)


def test_bytes_that_are_no_utf8_are_a_fault(tmp_path):
    (tmp_path / "c.tsv").write_bytes(b"a\tx\nb\t\xff\n")
    with pytest.raises(FormatError, match=r"c\.tsv:2: expected an id and a text"):
        list(read_documents(tmp_path / "c.tsv"))


def test_nothing_to_read_is_an_error(tmp_path):
    (tmp_path / "c.jsonl").write_text("\n\n")
    with pytest.raises(EmptyInputError, match="expected at least one document, got none"):
        list(read_documents(tmp_path / "c.jsonl"))
    with pytest.raises(InputError, match="expected a file, got nothing of that name"):
        list(read_documents(tmp_path / "none.jsonl"))
    with pytest.raises(FormatError, match=r"expected corpus\.jsonl, plain or compressed, in the folder, got none"):
        list(read_documents(tmp_path))


def test_progress_is_told_in_bytes_of_the_file(tmp_path):
    (tmp_path / "c.jsonl").write_text(BEIR)
    said = []
    list(read_documents(tmp_path / "c.jsonl", progress=lambda done, total: said.append((done, total))))
    assert said == [(len(BEIR), len(BEIR))]
