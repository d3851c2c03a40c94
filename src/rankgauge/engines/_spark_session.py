"""A Spark session of our own: on this machine, on a cluster, or through Spark Connect."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Any

from rankgauge.engines._spark_rows import pyspark
from rankgauge.engines.java import use_java
from rankgauge.errors import EngineError, Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECT = "sc://"
QUERIES_AT_ONCE = "1000"
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",
}
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
SETTINGS = {
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # date=007 stays "007"
    "spark.sql.execution.arrow.maxRecordsPerBatch": QUERIES_AT_ONCE,  # a record is a query with all of its rows
}


def session(master: str | None = None, *, memory: int | None = None, name: str = "rankgauge") -> SparkSession:
    """Start a session, or take the one that runs.

    Parameters
    ----------
    master : "local[*]", "spark://host:7077", "yarn", "sc://host:15002" (Spark Connect); None: what the environment
        says (SPARK_REMOTE, spark-defaults.conf), else all cores of this machine
    memory : bytes for a Spark on this machine

    Raises EngineError where Spark does not start or cannot be reached.
    """
    builder: Any = pyspark().SparkSession.builder.appName(name)
    connect = (master or os.environ.get("SPARK_REMOTE", "")).startswith(CONNECT)
    if connect:
        builder = builder.remote(master or os.environ["SPARK_REMOTE"])
    else:
        builder = _classic(builder, master, memory)
    try:
        found: SparkSession = builder.getOrCreate()
        for key, value in SETTINGS.items():
            found.conf.set(key, value)
    except Exception as error:  # py4j's, gRPC's and Spark's own share no ancestor
        where = master or "Spark"
        got = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise EngineError(
            str(Fault(where, "a Spark that answers", got, "check the address and that it runs"))
        ) from error
    return found


def _classic(builder: Any, master: str | None, memory: int | None) -> Any:
    """Set up a session whose driver is this process."""
    running = pyspark().SparkSession.getActiveSession()
    if running is not None:
        return builder
    use_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    logging.getLogger("SQLQueryContextLogger").disabled = True  # what fails is raised; it need not be printed too
    settings = dict(QUIET)
    if master is None or master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK["spark.driver.host"])
        settings |= LOOPBACK | ({} if memory is None else {"spark.driver.memory": f"{max(memory >> 20, 512)}m"})
    if master is not None:
        builder = builder.master(master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder
