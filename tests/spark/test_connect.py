"""Spark Connect: the same table from a client that has no Java."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgauge.engines import batch
from rankgauge.engines.plan import plan
from spark_processes import LONGEST_WAIT, free_port, listens, wait_for
from spark_worlds import judgments, logs

MEASURES = ["nDCG@10", "AP", "Judged@5"]
CLIENT = """
import sys
import polars as pl
from rankgauge.engines import spark
from rankgauge.errors import InputError

folder, measures, address = sys.argv[1], {measures!r}, sys.argv[2]
session = spark.session(address)
assert "connect" in type(session).__module__
read = lambda name: session.read.parquet(f"file://{{folder}}/{{name}}.parquet")
rows, qrels = read("rows"), read("qrels")
scores = spark.evaluate(rows, measures, qrels=qrels, by="day", grade="grade")
pl.from_arrow(scores.toArrow()).write_parquet(folder + "/scores.parquet")
whole = spark.summary(scores, by="day")
whole.totals.write_parquet(folder + "/totals.parquet")
ready = spark.prepare(rows, measures, by="day", trusted=True)
assert ready.states is not None
pl.from_arrow(ready.scores.toArrow()).write_parquet(folder + "/states.parquet")
try:
    spark.summary(spark.evaluate(rows.union(rows), measures, by="day"), by="day")
except InputError as error:
    print(str(error).splitlines()[0])
"""


@pytest.fixture(scope="module")
def address(java_home: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on this machine."""
    pytest.importorskip("grpc", reason="needs pyspark[connect]: scripts/test installs it")
    pyspark = pytest.importorskip("pyspark")
    port, home = free_port(), Path(pyspark.__file__).parent
    folder = tmp_path_factory.mktemp("connect")
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    conf = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    name = "org.apache.spark.sql.connect.service.SparkConnectServer"
    server = subprocess.Popen(
        [str(home / "bin" / "spark-submit"), "--master", "local[2]", *conf, "--class", name, "spark-internal"],
        env=os.environ | {"JAVA_HOME": java_home, "SPARK_HOME": str(home)},
        cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(lambda: listens(port) or server.poll() is not None)
        assert server.poll() is None
        yield f"sc://127.0.0.1:{port}"
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def test_connect_gives_the_same_table_and_summary_without_java(address, tmp_path):
    rows, qrels = logs(31).drop("score"), judgments(32)
    rows.write_parquet(tmp_path / "rows.parquet")
    qrels.write_parquet(tmp_path / "qrels.parquet")
    (tmp_path / "client.py").write_text(CLIENT.format(measures=MEASURES), "utf-8")
    bare = os.environ | {"PATH": "/nowhere", "JAVA_HOME": "/nowhere"}
    command = [sys.executable, str(tmp_path / "client.py"), str(tmp_path), address]
    client = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=LONGEST_WAIT)
    assert client.returncode == 0, client.stderr
    wanted = plan(MEASURES, order="rank", by=("day",), top_grade=3.0)
    expected = batch.score(rows, wanted, qrels)
    read = lambda name: pl.read_parquet(tmp_path / f"{name}.parquet")  # noqa: E731
    keys = ["day", "query"]
    assert_frame_equal(read("scores").sort(keys), expected.sort(keys), check_exact=True)
    assert_frame_equal(
        read("totals").sort("day", "column"), wanted.summary(expected).totals.sort("day", "column"), check_exact=True
    )
    assert_frame_equal(read("states").sort(keys), batch.score(rows, wanted).sort(keys), check_exact=True)
    assert "expected each document once, got 2 times" in client.stdout
