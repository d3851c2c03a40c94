"""One Spark for all tests here: two cores of this machine. Without pyspark or a Java they are skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgauge.engines.java import use_java
from rankgauge.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests on one worker, for the sake of one session (--dist loadgroup)."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def java_home() -> str:
    """A Java for what the tests start, found as it is for users."""
    pytest.importorskip("pyspark", reason="needs pyspark: scripts/test installs it")
    try:
        home = str(use_java().home)
    except EngineError as error:
        pytest.skip(f"needs Java: {error}")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    return home


@pytest.fixture(scope="session")
def session(java_home: str) -> Iterator[SparkSession]:
    """A classic session."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    started = builder.getOrCreate()
    yield started
    started.stop()


@pytest.fixture
def table(session: SparkSession) -> Callable[[pl.DataFrame], DataFrame]:
    """Makes a Spark DataFrame of four partitions out of polars'; NaN stays NaN."""

    def make(frame: pl.DataFrame) -> Any:
        return session.createDataFrame(frame.to_arrow()).repartition(4)

    return make
