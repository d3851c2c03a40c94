"""What `evaluate` is asked to do at scale, and which engine does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import rankgauge as rg
from rankgauge.records.run import OnDuplicate


@dataclass(frozen=True)
class Request:
    """One call of `evaluate` on logs, or on a run too large for memory.

    Attributes
    ----------
    sources : paths, folders, globs or addresses of the logs or the run
    qrels : judgments that come apart, None where the logs carry them
    measures : names as given
    how : the convention
    columns : {role: column} as given with --columns
    by : columns that part rankings (days); None: the hive partitions that are dates, if any
    trusted : ranks are 1..n and documents distinct, says the user
    out : folder for the results, None to keep none
    memory : bytes that may be used
    master : of Spark
    """

    sources: tuple[str, ...]
    qrels: str | None
    measures: tuple[str, ...]
    how: rg.Convention
    columns: Mapping[str, str] | None = None
    by: tuple[str, ...] | None = None
    on_duplicate: OnDuplicate = "error"
    trusted: bool = False
    out: Path | None = None
    memory: int = 2 << 30
    master: str | None = None
    run_format: str | None = None
    qrels_format: str | None = None
