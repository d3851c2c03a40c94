"""The examples for schedulers: imported beside stand-ins of Airflow and Dagster, run against a folder of results."""

from __future__ import annotations

import datetime as dt
import importlib.util
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trends import date, simulated

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MEASURES = ("P@5", "RBP(p=0.8)")


class Task:
    """What Airflow's `task` and `dag` make of a function: it is kept, and calling it gives a node."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.after = function, []  # type: ignore[var-annotated]

    def __call__(self) -> Task:
        return self

    def __rshift__(self, other: Task) -> Task:
        self.after.append(other)
        return other


class FailException(Exception):
    """Airflow's way to fail without a retry."""


class SkipException(Exception):
    """Airflow's way to skip."""


class Failure(Exception):
    """Dagster's way to fail with words."""

    def __init__(self, description: str, allow_retries: bool) -> None:
        super().__init__(description)
        self.allow_retries = allow_retries


class Context:
    """What a Dagster step knows of its partition, and its log."""

    def __init__(self, partition_key: str) -> None:
        self.partition_key, self.warnings = partition_key, []  # type: ignore[var-annotated]
        self.log = types.SimpleNamespace(warning=self.warnings.append)


def module(name: str, **content: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(content)
    return made


def airflow(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand-ins of the modules that the example imports; what `dag` was told."""
    told: dict[str, Any] = {}

    def dag(**options: Any) -> Callable[[Callable[[], None]], Callable[[], None]]:
        told.update(options)
        return lambda function: function

    sdk = module("airflow.sdk", dag=dag, task=lambda **options: Task)
    exceptions = {"AirflowFailException": FailException, "AirflowSkipException": SkipException}
    for made in (module("airflow"), sdk, module("airflow.sdk.exceptions", **exceptions)):
        monkeypatch.setitem(sys.modules, made.__name__, made)
    return told


def dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in of the module that the example imports."""
    options = lambda **given: types.SimpleNamespace(**given)  # noqa: E731
    made = module(
        "dagster", AssetExecutionContext=Context, DailyPartitionsDefinition=options, Definitions=options,
        Failure=Failure, MaterializeResult=options, asset=lambda **given: lambda function: function,
        build_schedule_from_partitioned_job=lambda job, **given: (job, given),
        define_asset_job=lambda name, **given: types.SimpleNamespace(name=name, **given),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "dagster", made)


def example(name: str, monkeypatch: pytest.MonkeyPatch, results: Path) -> Any:
    monkeypatch.setenv("RANKGAUGE_RESULTS", str(results))
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    loaded.MEASURES = MEASURES
    return loaded


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty days; the last one fell."""
    return simulated(tmp_path_factory.mktemp("results"), 20, drop=0.2, at=19, measures=MEASURES).folder


@pytest.fixture(autouse=True)
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `rankgauge` on the PATH that is the one under test."""
    script = tmp_path / "bin" / "rankgauge"
    script.parent.mkdir()
    call = "import sys; sys.argv[0] = 'rankgauge'; from rankgauge.cli import main; sys.exit(main())"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{call}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent / "src"))


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are run, in place of running them."""
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, **options: commands.append(words))
    return commands


def morning_after(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(3), dt.UTC)


def test_airflow_fails_on_an_alert_skips_what_cannot_be_told_and_else_says_it(
    monkeypatch: pytest.MonkeyPatch, results: Path
) -> None:
    told = airflow(monkeypatch)
    loaded = example("airflow_dag", monkeypatch, results)
    look = loaded.look.function
    assert look(morning_after(date(18))).startswith("P@5 on 2026-06-19 is ")
    with pytest.raises(FailException, match=r"P@5 on 2026-06-20 is .*: below"):
        look(morning_after(date(19)))
    with pytest.raises(SkipException, match="no results of 2026-06-21"):
        look(morning_after(date(20)))
    assert loaded.score.after == [loaded.look], "scored before it is looked at"
    assert told["max_active_runs"] == 1


def test_airflow_scores_the_day_before(monkeypatch: pytest.MonkeyPatch, results: Path) -> None:
    airflow(monkeypatch)
    loaded = example("airflow_dag", monkeypatch, results)
    commands = recorded(monkeypatch)
    loaded.score.function(morning_after(date(3)))
    assert commands == [
        ["rankgauge", "evaluate", "s3://lake/rag-logs/date=2026-06-04/", "-m", "P@5", "-m", "RBP(p=0.8)", "--columns",
         loaded.COLUMNS, "-o", str(results)],
    ]  # fmt: skip


def test_dagster_fails_on_an_alert_warns_of_what_cannot_be_told_and_keeps_the_outcome(
    monkeypatch: pytest.MonkeyPatch, results: Path
) -> None:
    dagster(monkeypatch)
    loaded = example("dagster_job", monkeypatch, results)
    fine = loaded.day_trend(Context("2026-06-19"))
    assert fine.metadata["outcome"] == "nothing new"
    with pytest.raises(Failure, match=r"P@5 on 2026-06-20 is .*: below") as failure:
        loaded.day_trend(Context("2026-06-20"))
    assert not failure.value.allow_retries
    missing = Context("2026-06-21")
    assert loaded.day_trend(missing).metadata["outcome"] == "cannot tell"
    assert missing.warnings[0].startswith("no results of 2026-06-21")
    assert loaded.defs.schedules == [(loaded.job, {"hour_of_day": 3})]


def test_dagster_scores_its_partition(monkeypatch: pytest.MonkeyPatch, results: Path) -> None:
    dagster(monkeypatch)
    loaded = example("dagster_job", monkeypatch, results)
    commands = recorded(monkeypatch)
    loaded.day_scores(Context("2026-06-04"))
    assert commands[0][:3] == ["rankgauge", "evaluate", "s3://lake/rag-logs/date=2026-06-04/"]
    assert commands[0][-2:] == ["-o", str(results)]


@pytest.mark.parametrize("name", ["airflow_dag", "dagster_job"])
def test_no_answer_is_an_error_and_no_alert(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    airflow(monkeypatch)
    dagster(monkeypatch)
    loaded = example(name, monkeypatch, tmp_path / "nowhere")
    look = loaded.look.function if name == "airflow_dag" else loaded.day_trend
    asked = morning_after(date(1)) if name == "airflow_dag" else Context("2026-06-02")
    with pytest.raises(RuntimeError, match="expected a folder of results"):
        look(asked)
