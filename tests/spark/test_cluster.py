"""A real cluster on this machine: a master, two workers, one of which is killed; and executors without rankgauge."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankgauge.engines import batch
from rankgauge.engines.plan import plan
from spark_processes import LONGEST_WAIT, free_port, listens, wait_for
from spark_worlds import logs

PARTS = 8
AT_ONCE = 2
MEASURES = ["nDCG@10", "AP"]


@dataclass
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]]
    environment: dict[str, str]

    def drive(self, program: str, folder: Path, *, python: Path | str = sys.executable) -> subprocess.Popen[str]:
        """Start a driver in a process of its own; `python` is that of the executors."""
        known = {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.driver.memory": "512m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": str(PARTS),
            "spark.sql.adaptive.enabled": "false",
            "spark.network.timeout": "60s",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        text = f"master, folder, settings = {self.address!r}, {str(folder)!r}, {known!r}\n{START}\n{program}"
        (folder / "driver.py").write_text(text, "utf-8")
        return subprocess.Popen(
            [sys.executable, str(folder / "driver.py")],
            env=self.environment | {"PYSPARK_PYTHON": str(python)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


START = """
import polars as pl
from pathlib import Path
from pyspark.sql import SparkSession
from rankgauge.engines import spark

builder = SparkSession.builder.master(master)
for key, value in settings.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
rows = session.read.parquet("file://" + folder + "/rows.parquet").repartition(4)
"""


@pytest.fixture(scope="module")
def cluster(java_home: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pyspark = pytest.importorskip("pyspark")
    home, port = Path(pyspark.__file__).parent, free_port()
    address, folder = f"spark://127.0.0.1:{port}", tmp_path_factory.mktemp("cluster")
    environment = os.environ | {"JAVA_HOME": java_home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    environment |= {"SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "SPARK_HOME": str(home)}

    def start(kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        name = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
        command = [str(home / "bin" / "spark-class"), name, "--host", "127.0.0.1", "--webui-port", "0", *arguments]
        return subprocess.Popen(
            command, env=environment, cwd=folder, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    started = [start("Master", "--port", str(port))]
    try:
        wait_for(lambda: listens(port))
        for number in range(2):
            room = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"worker{number}"))
            started.append(start("Worker", *room, address))
        yield Cluster(address, started[1:], environment)
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def written(folder: Path) -> pl.DataFrame:
    rows = logs(21, days=1, queries=600).drop("score", "day")
    rows.write_parquet(folder / "rows.parquet")
    return rows


WITHOUT = """
from rankgauge.engines import _spark_code
from rankgauge.errors import EngineError

said = []
try:
    spark.evaluate(rows, {measures!r})
except EngineError as error:
    said.append(str(error))
_spark_code._CHECKED.add(session)
try:
    spark.summary(spark.evaluate(rows, {measures!r}))
except Exception as error:
    said.append(str(error))
spark.ship(session)
pl.from_arrow(spark.evaluate(rows, {measures!r}).toArrow()).write_parquet(folder + "/scores.parquet")
import json
Path(folder, "said.json").write_text(json.dumps(said))
session.stop()
"""


def test_executors_without_rankgauge_are_named_and_can_be_sent_it(cluster, tmp_path):
    rows = written(tmp_path)
    packages, python = tmp_path / "packages", tmp_path / "python"
    packages.mkdir()
    for found in Path(pl.__file__).parents[1].iterdir():
        if re.match(r"(numpy|_?polars|pyarrow|pyspark|py4j)", found.name):
            (packages / found.name).symlink_to(found)
    # Without `site`, nothing else is found, such as pandas or what a .pth file names.
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    driver = cluster.drive(WITHOUT.format(measures=MEASURES), tmp_path, python=python)
    output = driver.communicate(timeout=LONGEST_WAIT)[0]
    assert driver.returncode == 0, output
    asked, failed = json.loads((tmp_path / "said.json").read_text())
    assert asked.startswith("the executor on ")
    assert ": expected this version of rankgauge, got none; install this version there, or send it: " in asked
    assert "expected rankgauge with numpy, polars and pyarrow, got No module named 'rankgauge'; install" in failed
    expected = batch.score(rows, plan(MEASURES, order="rank", top_grade=3.0))
    found = pl.read_parquet(tmp_path / "scores.parquet")
    assert_frame_equal(found.sort("query"), expected.sort("query"), check_exact=True)


KILLED = """
import rankgauge as rg

@rg.measure()
def Waits(j):
    \"\"\"Documents seen, by those who wait for the kill.\"\"\"
    import os, time
    from pathlib import Path
    mark = Path(folder, f"started-{{os.getpid()}}-{{time.monotonic_ns()}}")
    mark.touch()
    if len(list(Path(folder).glob("started-*"))) > {before}:
        while not Path(folder, "killed").exists():
            time.sleep(0.02)
    return j.seen.astype(float)

scores = spark.evaluate(rows, ["Waits", *{measures!r}])
table = pl.from_arrow(scores.toArrow())
table.drop("Waits", "unjudged").write_parquet(folder + "/scores.parquet")
session.stop()
"""


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    rows = written(tmp_path)
    before = PARTS // 3
    driver = cluster.drive(KILLED.format(before=before, measures=MEASURES), tmp_path)
    wait_for(lambda: len(list(tmp_path.glob("started-*"))) >= before + AT_ONCE or driver.poll() is not None)
    assert driver.poll() is None, driver.communicate()[0]
    os.killpg(cluster.workers[1].pid, signal.SIGKILL)  # and its executor with it
    (tmp_path / "killed").touch()
    output = driver.communicate(timeout=LONGEST_WAIT)[0]
    assert driver.returncode == 0, output
    found = pl.read_parquet(tmp_path / "scores.parquet").sort("query")
    expected = batch.score(rows, plan(MEASURES, order="rank", top_grade=3.0)).sort("query")
    assert_frame_equal(found, expected.select(found.columns), check_exact=True)
    assert len(found) == 600
