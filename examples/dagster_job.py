"""Dagster: a partition per day, scored and then looked at.

An alert fails the step; "cannot tell" is a warning and is kept with the materialization. `rankgauge` must be on the
PATH, and LOGS and RESULTS must be places that every run reaches.
"""

import json
import os
import subprocess

from dagster import (
    AssetExecutionContext,
    DailyPartitionsDefinition,
    Definitions,
    Failure,
    MaterializeResult,
    asset,
    build_schedule_from_partitioned_job,
    define_asset_job,
)

LOGS = os.environ.get("RANKGAUGE_LOGS", "s3://lake/rag-logs")
RESULTS = os.environ.get("RANKGAUGE_RESULTS", "/data/rankgauge/out")
COLUMNS = "query=query_id,doc=document_id,rank=model_rank,grade=relevance_score"
MEASURES = ("nDCG@10", "RBP(p=0.8)")
ALERT, CANNOT_TELL = 1, 3

days = DailyPartitionsDefinition(start_date="2026-06-01")


def measures() -> list[str]:
    """The measures as options of the command line."""
    return [word for measure in MEASURES for word in ("-m", measure)]


@asset(partitions_def=days)
def day_scores(context: AssetExecutionContext) -> None:
    """Per-query scores of one day; a repeated run replaces that day and keeps the others."""
    source = f"{LOGS}/date={context.partition_key}/"
    subprocess.run(["rankgauge", "evaluate", source, *measures(), "--columns", COLUMNS, "-o", RESULTS], check=True)


@asset(partitions_def=days, deps=[day_scores])
def day_trend(context: AssetExecutionContext) -> MaterializeResult:
    """Whether that day left what the days before lead one to expect."""
    asked = ["--expect", context.partition_key, "--direction", "down", "--format", "json"]
    done = subprocess.run(["rankgauge", "trend", RESULTS, *measures(), *asked], capture_output=True, text=True)
    if not done.stdout:  # no answer: bad input or misuse, which also exit with 1 and 2
        raise RuntimeError(done.stderr)
    answer = json.loads(done.stdout)
    said = "\n".join(one["sentence"] for one in answer["trends"])
    if done.returncode == ALERT:
        raise Failure(description=said, allow_retries=False)
    if done.returncode == CANNOT_TELL:
        context.log.warning(said)
    return MaterializeResult(metadata={"outcome": answer["outcome"], "said": said})


# Days share a folder and each is compared with those before it: one at a time.
job = define_asset_job(
    "ranking_trend",
    selection=[day_scores, day_trend],
    config={"execution": {"config": {"multiprocess": {"max_concurrent": 1}}}},
)
defs = Definitions(
    assets=[day_scores, day_trend],
    jobs=[job],
    schedules=[build_schedule_from_partitioned_job(job, hour_of_day=3)],
)
