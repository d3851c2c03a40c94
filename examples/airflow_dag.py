"""Airflow 3: score the log of the day before, then look whether the measure left what was expected of it.

An alert fails the task, "cannot tell" skips it, and both say why. Put this file into the DAGs folder; `rankgauge` must
be on the worker's PATH, and LOGS and RESULTS must be places that every worker reaches.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

LOGS = os.environ.get("RANKGAUGE_LOGS", "s3://lake/rag-logs")
RESULTS = os.environ.get("RANKGAUGE_RESULTS", "/data/rankgauge/out")
COLUMNS = "query=query_id,doc=document_id,rank=model_rank,grade=relevance_score"
MEASURES = ("nDCG@10", "RBP(p=0.8)")
ALERT, CANNOT_TELL = 1, 3


@task(retries=2)
def score(logical_date: dt.datetime | None = None) -> None:
    """Score one day; a repeated run replaces that day and keeps the others."""
    source = f"{LOGS}/date={day_before(logical_date)}/"
    subprocess.run(["rankgauge", "evaluate", source, *measures(), "--columns", COLUMNS, "-o", RESULTS], check=True)


@task(retries=0)
def look(logical_date: dt.datetime | None = None) -> str:
    """Look at that day: fail on an alert, skip where nobody can tell, else return what was found."""
    asked = ["--expect", day_before(logical_date), "--direction", "down", "--format", "json"]
    done = subprocess.run(["rankgauge", "trend", RESULTS, *measures(), *asked], capture_output=True, text=True)
    if not done.stdout:  # no answer: bad input or misuse, which also exit with 1 and 2
        raise RuntimeError(done.stderr)
    said = "\n".join(one["sentence"] for one in json.loads(done.stdout)["trends"])
    if done.returncode == ALERT:
        raise AirflowFailException(said)
    if done.returncode == CANNOT_TELL:
        raise AirflowSkipException(said)
    return said


def day_before(logical_date: dt.datetime | None) -> str:
    """The day whose log is complete when the DAG runs."""
    assert logical_date is not None
    return (logical_date.date() - dt.timedelta(days=1)).isoformat()


def measures() -> list[str]:
    """The measures as options of the command line."""
    return [word for measure in MEASURES for word in ("-m", measure)]


# One run at a time, in the order of the days: a day is compared with those before it.
@dag(schedule="0 3 * * *", start_date=dt.datetime(2026, 6, 1, tzinfo=dt.UTC), catchup=True, max_active_runs=1)
def ranking_trend() -> None:
    """Every morning."""
    score() >> look()


ranking_trend()
