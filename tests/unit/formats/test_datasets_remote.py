"""Datasets behind addresses: an S3 server on loopback, and pyarrow's file systems."""

from __future__ import annotations

import importlib
import io
import itertools
import sys
import warnings
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import EmptyInputError, FormatError, InputError, MissingExtraError
from rankgauge.formats import _dataset_remote
from rankgauge.formats.datasets import Dataset, open_dataset

LOG = {"query_id": ["q1", "q1"], "document_id": ["007", "NA"], "model_rank": [1, 2], "relevance_score": [1.0, None]}


def parquet() -> bytes:
    content = io.BytesIO()
    pl.DataFrame(LOG).write_parquet(content, row_group_size=1)
    return content.getvalue()


class Bucket:
    """A new bucket on a server; `put` writes an object."""

    numbers = itertools.count()

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port, self.name = host, port, f"lake{next(Bucket.numbers)}"
        self.put("")

    def put(self, key: str, content: bytes = b"") -> None:
        connection = HTTPConnection(self.host, self.port, timeout=30)
        connection.request(
            "PUT", f"/{self.name}/{key}".rstrip("/"), content, {"Content-Type": "application/octet-stream"}
        )
        assert connection.getresponse().status == 200
        connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moto = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    yield running.get_host_and_port()
    running.stop()


@pytest.fixture
def bucket(server: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> Bucket:
    host, port = server
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    return Bucket(host, port)


def rows_of(dataset: Dataset, rows: int = 1, start: int = 0) -> list[tuple[Any, ...]]:
    pieces = range(len(dataset.pieces))
    return [row for piece in pieces for frame in dataset.batches(piece, start=start, rows=rows) for row in frame.rows()]


@pytest.fixture(params=["with pyarrow", "polars alone"])
def listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether pyarrow is there to list what an address holds."""
    how: str = request.param
    if how == "with pyarrow":
        pytest.importorskip("pyarrow.fs")
    else:
        monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    return how


@pytest.mark.parametrize("source", ["s3://{}/logs/", "s3://{}/logs/date=*/*.parquet", "s3a://{}/logs"])
def test_partitioned_parquet_is_read_from_s3(bucket: Bucket, listed: str, source: str) -> None:
    if listed == "polars alone" and not source.endswith(("/", ".parquet")):
        pytest.skip("polars takes an address without a slash for a file")
    for key in ("date=2026-06-26/a.parquet", "date=2026-06-27/b.parquet"):
        bucket.put(f"logs/{key}", parquet())
    bucket.put("logs/date=2026-06-26/_SUCCESS")
    dataset = open_dataset(source.format(bucket.name), holds="log")
    assert (dataset.by, [piece.group for piece in dataset.pieces]) == (("date",), [("2026-06-26",), ("2026-06-27",)])
    assert dataset.pieces[0].path == f"s3://{bucket.name}/logs/date=2026-06-26/a.parquet"
    assert (dataset.survey().pieces, dataset.survey().empty_grades) == ((2, 2), 2)
    assert rows_of(dataset)[:2] == [("2026-06-26", "q1", "007", 1, 1.0), ("2026-06-26", "q1", "NA", 2, None)]
    assert rows_of(dataset, start=1) == [(f"2026-06-{day}", "q1", "NA", 2, None) for day in (26, 27)]
    known = [piece.size > 0 for piece in dataset.pieces]
    assert known == [listed == "with pyarrow"] * 2


def test_one_object_of_s3_is_read(bucket: Bucket, listed: str) -> None:
    bucket.put("one/a.parquet", parquet())
    dataset = open_dataset(f"s3://{bucket.name}/one/a.parquet", holds="log")
    assert rows_of(dataset, rows=5) == [("q1", "007", 1, 1.0), ("q1", "NA", 2, None)]


def test_progress_over_addresses_is_told_file_by_file(bucket: Bucket, listed: str) -> None:
    for key in ("told/a.parquet", "told/b.parquet"):
        bucket.put(key, parquet())
    told: list[float] = []
    open_dataset(f"s3://{bucket.name}/told/", holds="log").survey(lambda done, total: told.append(done / total))
    assert told == [0.5, 1.0]


def test_text_is_read_from_s3(bucket: Bucket) -> None:
    pytest.importorskip("pyarrow.fs")
    bucket.put("text/a.csv", b"query,doc,rank,grade\nq,007,1,2\n")
    dataset = open_dataset(f"s3://{bucket.name}/text/*.csv", holds="log")
    assert dataset.survey().rows == 1
    assert rows_of(dataset) == [("q", "007", 1, 2.0)]


def test_a_broken_object_of_s3_is_named(bucket: Bucket) -> None:
    pytest.importorskip("pyarrow.fs")
    bucket.put("broken/a.parquet", parquet()[:-9])
    with pytest.raises(FormatError, match=rf"s3://{bucket.name}/broken/a.parquet: expected a whole parquet file"):
        open_dataset(f"s3://{bucket.name}/broken/", holds="log")


def test_an_address_without_anything_is_an_error(bucket: Bucket, listed: str) -> None:
    with pytest.raises(InputError, match=f"s3://{bucket.name}/nothing/: expected"):
        open_dataset(f"s3://{bucket.name}/nothing/", holds="log")
    bucket.put("hidden/_SUCCESS", b"x")
    with pytest.raises(InputError, match=f"s3://{bucket.name}/hidden/: expected"):
        open_dataset(f"s3://{bucket.name}/hidden/", holds="log")


def test_text_behind_an_address_needs_an_optional_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    for source in ("s3://lake/text/a.csv", "hdfs://node:8020/logs"):
        with pytest.raises(MissingExtraError, match=r"pip install 'rankgauge\[remote\]'"):
            open_dataset(source, holds="log")


@pytest.fixture
def hdfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of hdfs://node: pyarrow's local file system answers as Hadoop's would."""
    systems = pytest.importorskip("pyarrow.fs")
    local = systems.SubTreeFileSystem(str(tmp_path), systems.LocalFileSystem())
    monkeypatch.setattr(_dataset_remote, "file_system", lambda address: (local, address.removeprefix("hdfs://node/")))
    return tmp_path


@pytest.mark.parametrize("start", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_parquet_on_hdfs_is_read_through_pyarrow(hdfs: Path, start: int, size: int) -> None:
    (hdfs / "logs" / "date=2026-06-26").mkdir(parents=True)
    columns = {"query": ["q"] * 6, "doc": list("abcdef"), "rank": range(1, 7), "label": [1] * 6}
    pl.DataFrame(columns).write_parquet(hdfs / "logs" / "date=2026-06-26" / "a.parquet", row_group_size=size)
    dataset = open_dataset("hdfs://node/logs", holds="log")
    assert dataset.pieces[0].path == "hdfs://node/logs/date=2026-06-26/a.parquet"
    assert (dataset.survey().rows, dataset.by) == (6, ("date",))
    assert [row[2] for row in rows_of(dataset, rows=2, start=start)] == list("abcdef")[start:]


def test_text_on_hdfs_is_read_through_pyarrow(hdfs: Path) -> None:
    (hdfs / "a.jsonl").write_text('{"query":"q","doc":"007","rank":1,"grade":2}\n')
    assert rows_of(open_dataset("hdfs://node/a.jsonl", holds="log")) == [("q", "007", 1, 2.0)]


def test_broken_parquet_on_hdfs_is_named(hdfs: Path) -> None:
    (hdfs / "a.parquet").write_bytes(parquet()[:100])
    with pytest.raises(FormatError, match=r"hdfs://node/a\.parquet: expected a whole parquet file, got broken content"):
        open_dataset("hdfs://node/a.parquet", holds="log")


def test_a_machine_without_hadoop_is_told_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow.fs")
    for name in ("JAVA_HOME", "HADOOP_HOME", "ARROW_LIBHDFS_DIR"):
        monkeypatch.setenv(name, "/nowhere")
    with pytest.raises(
        InputError, match=r"hdfs://node:8020/logs: expected an address that can be read.*HDFS needs Java"
    ):
        open_dataset("hdfs://node:8020/logs", holds="log")


def test_pyarrow_is_not_loaded_for_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame(LOG).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(importlib, "import_module", None)
    assert open_dataset(tmp_path, holds="log").survey().rows == 2
    with pytest.raises(EmptyInputError):
        open_dataset(f"{tmp_path}/*.csv", holds="log")
