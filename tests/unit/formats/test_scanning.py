from __future__ import annotations

import gzip

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.formats.scanning import scan

ROWS = pl.DataFrame({"id": ["007", "8"], "n": [1, 2]})


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl", "csv", "tsv"])
def test_a_table_of_any_kind_is_named_by_its_path_and_keeps_its_ids(tmp_path, suffix):
    path = tmp_path / f"log.{suffix}"
    writers = {"parquet": ROWS.write_parquet, "arrow": ROWS.write_ipc, "jsonl": ROWS.write_ndjson}
    if suffix in writers:
        writers[suffix](path)
    else:
        ROWS.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    label, frame = scan(path)
    assert label == str(path)
    assert frame.collect().with_columns(pl.col("n").cast(pl.Int64)).rows() == [("007", 1), ("8", 2)]


def test_a_folder_is_all_its_files_and_packed_text_is_unpacked(tmp_path):
    for number in range(2):
        (tmp_path / f"part-{number}.csv.gz").write_bytes(gzip.compress(b"id,n\n1,2\n"))
    assert scan(tmp_path)[1].collect().height == 2


def test_a_frame_is_taken_as_it_is():
    label, frame = scan(ROWS, label="events")
    assert (label, frame.collect().equals(ROWS)) == ("events", True)
    assert scan(ROWS.lazy())[0] == "frame"


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a file, a folder or a glob, got nothing of that name"):
        scan(tmp_path / "log.parquet")
