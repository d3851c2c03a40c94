"""Pools for assessors go out with texts and come back as judgments."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.errors import FormatError, InputError
from rankgauge.formats.pools import write_pool
from rankgauge.formats.provenance import provenance_file, read_provenance, write_provenance

TABLE = pl.DataFrame({"query": ["007", "q,2"], "doc": ['d"1', "1e5"], "rank of a": [1, None], "influence": [0.5, 0.0]})


TEXTS = pl.DataFrame({"doc text": ["One\nfirst, text", "second"]})


@pytest.mark.parametrize("name", ["pool.csv", "pool.jsonl", "pool.csv.gz"])
def test_a_pool_with_one_grade_filled_in_is_read_back_as_one_judgment(tmp_path, name):
    write_pool(TABLE, tmp_path / name, texts=TEXTS)
    raw = (tmp_path / name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    filled = (
        text.replace('"grade": null', '"grade": 2', 1) if "jsonl" in name else text.replace(',"d""1",,', ',"d""1",2,')
    )
    assert filled != text
    (tmp_path / "judged").write_text(filled)
    back = rg.read_qrels(tmp_path / "judged")
    assert back.to_dict() == {"007": {'d"1': 2.0}}
    assert [note.kind for note in back.notes] == ["empty grades"]


def test_a_trec_pool_says_pooled_and_not_judged(tmp_path):
    table = TABLE.with_columns(query=pl.Series(["1", "2"]), doc=pl.Series(["a", "b"]))
    write_pool(table, tmp_path / "pool.txt")
    assert (tmp_path / "pool.txt").read_text() == "1 0 a -1\n2 0 b -1\n"


def test_columns_stand_in_the_order_in_which_an_assessor_reads(tmp_path):
    write_pool(TABLE, tmp_path / "pool.csv", texts=TEXTS)
    header = (tmp_path / "pool.csv").read_text().splitlines()[0]
    assert header == "query,doc,grade,doc text,rank of a,influence"


def test_formats_without_a_place_for_open_grades_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a pool as .csv, .jsonl or TREC .txt, got the format 'json'"):
        write_pool(TABLE, tmp_path / "pool.json")
    with pytest.raises(InputError, match="blanks at the ends"):
        write_pool(TABLE.with_columns(doc=pl.Series([" a", "b"])), tmp_path / "pool.csv")


def test_provenance_lies_beside_the_judgments(tmp_path):
    qrels = tmp_path / "qrels.txt"
    table = pl.DataFrame(
        {"query": ["007"], "doc": ["1e5"], "grade": [2.0], "source": ["human, round 2"], "replaced": [None]},
        schema_overrides={"replaced": pl.Float64},
    )
    assert read_provenance(qrels) is None
    assert write_provenance(table, qrels) == tmp_path / "qrels.txt.provenance.csv"
    assert read_provenance(qrels).equals(table)
    provenance_file(qrels).write_text("query,doc\nq,d\n")
    with pytest.raises(FormatError, match="no grade, source, replaced"):
        read_provenance(qrels)
