"""What a long run leaves where it is stopped, and how the next one goes on."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from pieces import Frames
from rankgauge.engines import stream, streaming, units, working
from rankgauge.engines.budget import Budget
from rankgauge.engines.results import Results, read_results
from rankgauge.errors import InputError

ROWS = pl.DataFrame(
    [(f"q{query:02}", f"d{rank}", rank, float(query % rank == 0)) for query in range(20) for rank in range(1, 4)],
    {"query": pl.String, "doc": pl.String, "rank": pl.Int64, "grade": pl.Float64},
    orient="row",
)
SCATTERED = ROWS[[six + one for six in range(0, 60, 6) for one in (0, 3, 1, 4, 2, 5)]]
PROGRAM = """
import os, signal, sys
from pathlib import Path
from rankgauge.engines import batch, stream, streaming, units
from rankgauge.engines.budget import Budget

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may be told to ignore it
source, out, stop_at, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
streaming.budget = lambda memory, sample: Budget(7, 7, 1 << 20)
units.PART_QUERIES = 4
calls, score = [], batch.score

def stopping(*given):
    calls.append(given)
    if len(calls) == stop_at:
        print(len(list(out.rglob("*.arrow"))), "files of rows", flush=True)
        os.kill(os.getpid(), number)
    return score(*given)

batch.score = stopping
stream.evaluate(source, ["P@1", "RR"], out=out, say=lambda text: print(text, flush=True))
print(len(calls), "batches", flush=True)
"""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven rows at once, a score file for every four queries."""
    monkeypatch.setattr(streaming, "budget", lambda memory, sample: Budget(7, 7, 1 << 20))
    monkeypatch.setattr(units, "PART_QUERIES", 4)


def evaluate(source: Frames, out: Path, said: list[str] | None = None, measure: str = "RR") -> Results:
    say = None if said is None else said.append
    return stream.evaluate_dataset(source, ["P@1", measure], stream.Choices(out=out, say=say))


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> None:
    """Fail at a batch as Ctrl-C would."""
    calls: list[object] = []
    score = units.batch.score

    def stopping(*given: object) -> pl.DataFrame:
        calls.append(given)
        if len(calls) > batches:
            raise error or KeyboardInterrupt
        return score(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(units.batch, "score", stopping)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def table(folder: Path) -> list[tuple[object, ...]]:
    return read_results(folder).scores().sort("query").collect().rows()


def test_a_stopped_run_is_no_result_and_goes_on_after_its_last_score_file(tmp_path, monkeypatch):
    evaluate(Frames([ROWS[:31], ROWS[31:]]), tmp_path / "whole")
    with monkeypatch.context() as patch:
        stop_after(4, patch)
        with pytest.raises(KeyboardInterrupt):
            evaluate(Frames([ROWS[:31], ROWS[31:]]), tmp_path / "out")
    with pytest.raises(InputError, match=r"expected a folder of results, got no about\.json"):
        read_results(tmp_path / "out")
    source, said = Frames([ROWS[:31], ROWS[31:]]), list[str]()
    evaluate(source, tmp_path / "out", said)
    assert said == [f"{tmp_path / 'out'}: going on where the last run stopped"]
    assert min(row for piece, row in source.read[1:] if piece == 0) == 27  # nine queries were in two files
    assert table(tmp_path / "out") == table(tmp_path / "whole")
    assert read_results(tmp_path / "out").summary.totals.equals(read_results(tmp_path / "whole").summary.totals)
    assert not (tmp_path / "out" / working.HIDDEN).exists()


def test_finished_days_are_not_read_again(tmp_path, monkeypatch):
    frames = [
        ROWS[:30].select(pl.lit("mon").alias("day"), pl.all()),
        ROWS[:9].select(pl.lit("tue").alias("day"), pl.all()),
    ]
    days = {"by": ("day",), "groups": [("mon",), ("tue",)]}
    with monkeypatch.context() as patch:
        stop_after(6, patch)
        with pytest.raises(KeyboardInterrupt):
            evaluate(Frames(frames, **days), tmp_path)
    source = Frames(frames, **days)
    found = evaluate(source, tmp_path)
    assert [piece for piece, _ in source.read[1:]] == [1, 1]
    assert [found.summary.counted(day=day) for day in ("mon", "tue")] == [10, 3]


def test_a_query_that_was_closed_before_the_stop_is_still_known_after_it(tmp_path, monkeypatch):
    rows = pl.concat([ROWS[:58], ROWS[:1].with_columns(doc=pl.lit("d9"), rank=pl.lit(9, pl.Int64)), ROWS[58:]])
    with monkeypatch.context() as patch:
        stop_after(5, patch)
        with pytest.raises(KeyboardInterrupt):
            evaluate(Frames([rows]), tmp_path)
    evaluate(Frames([rows]), tmp_path)
    assert read_results(tmp_path).scores().filter(pl.col("query") == "q00").collect()["retrieved"].to_list() == [9]


@pytest.mark.parametrize("other", ["rows", "measure"])
def test_another_job_begins_anew_and_says_so(tmp_path, monkeypatch, other):
    with monkeypatch.context() as patch:
        stop_after(4, patch)
        with pytest.raises(KeyboardInterrupt):
            evaluate(Frames([ROWS]), tmp_path)
    said = list[str]()
    evaluate(Frames([ROWS[:-3] if other == "rows" else ROWS]), tmp_path, said, "RR" if other == "rows" else "AP")
    assert said == [f"{tmp_path}: what a stopped run had left is of other inputs or choices; begun anew"]
    assert len(table(tmp_path)) == (19 if other == "rows" else 20)


def test_score_files_that_are_not_accounted_for_are_written_again(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(4, patch)
        with pytest.raises(KeyboardInterrupt):
            evaluate(Frames([ROWS]), tmp_path)
    scores = tmp_path / working.HIDDEN / "new" / "scores"
    (scores / "part-00007.parquet").write_bytes(b"half")
    (scores / ".part-00002.parquet").write_bytes(b"half")
    evaluate(Frames([ROWS]), tmp_path)
    assert sorted(path.name for path in (tmp_path / "scores").iterdir()) == [f"part-{n:05}.parquet" for n in range(5)]
    assert len(table(tmp_path)) == 20


def test_a_run_killed_while_it_puts_results_in_their_place_is_completed_by_the_next(tmp_path, monkeypatch):
    """At whatever step: until the end the folder holds the old results, whole, or none."""
    states = []
    for step in itertools.count():
        out = tmp_path / str(step)
        evaluate(Frames([ROWS[:30]]), out)
        old = table(out)
        with monkeypatch.context() as patch:
            stopped = _stop_at_move(step, out, patch)
            if stopped:
                states.append("none" if not (out / "about.json").exists() else "old" if table(out) == old else "new")
        evaluate(Frames([ROWS]), out)
        assert table(out) == table_of_all()
        if not stopped:
            break
    assert list(dict.fromkeys(states)) == ["old", "none", "new"]


def _stop_at_move(step: int, out: Path, patch: pytest.MonkeyPatch) -> bool:
    """Evaluate, and stop at a change of files after everything was computed; say whether there was such a one."""
    calls: list[object] = []

    def failing(function):
        def wrapped(*given, **named):
            computed = any((out / working.HIDDEN / name / "about.json").exists() for name in ("new", "joined"))
            calls.extend([given] * computed)
            if len(calls) > step:
                raise SystemExit
            return function(*given, **named)

        return wrapped

    for name in ("rename", "unlink", "rmdir", "mkdir", "replace"):
        patch.setattr(os, name, failing(getattr(os, name)))
    try:
        evaluate(Frames([ROWS]), out)
    except SystemExit:
        return True
    return False


def table_of_all() -> list[tuple[object, ...]]:
    return units.batch.score(ROWS, stream.plan(["P@1", "RR"], order="rank")).sort("query").rows()


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    with working.Work(tmp_path, "job"), pytest.raises(InputError, match="one that another run is writing into"):
        evaluate(Frames([ROWS]), tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    ROWS.write_parquet(tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


def run(source: Path, out: Path, *, stop_at: int = 0, number: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a process that sends itself a signal before it scores a batch."""
    words = [sys.executable, "-c", PROGRAM, str(source), str(out), str(stop_at), str(number)]
    return subprocess.run(words, capture_output=True, text=True)


def test_a_killed_process_goes_on_where_it_was(tmp_path, log):
    assert run(log, tmp_path / "out", stop_at=6, number=signal.SIGKILL).returncode == -signal.SIGKILL
    again = run(log, tmp_path / "out")
    assert again.stdout.splitlines() == [f"{tmp_path / 'out'}: going on where the last run stopped", "5 batches"]
    assert table(tmp_path / "out") == table_of_all()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_terminated_process_removes_what_it_parted_on_disk(tmp_path, number, code):
    SCATTERED.write_parquet(tmp_path / "log.parquet")
    stopped = run(tmp_path / "log.parquet", tmp_path / "out", stop_at=3, number=number)
    assert stopped.returncode == code
    assert int(stopped.stdout.split()[0]) > 1
    assert list((tmp_path / "out").rglob("*.arrow")) == []
    evaluate_file(tmp_path / "log.parquet", tmp_path / "out")


def test_what_a_killed_process_parted_on_disk_is_removed_by_the_next(tmp_path):
    SCATTERED.write_parquet(tmp_path / "log.parquet")
    run(tmp_path / "log.parquet", tmp_path / "out", stop_at=3, number=signal.SIGKILL)
    assert list((tmp_path / "out").rglob("*.arrow"))
    evaluate_file(tmp_path / "log.parquet", tmp_path / "out")


def evaluate_file(source: Path, out: Path) -> None:
    stream.evaluate(source, ["P@1", "RR"], out=out)
    assert list(out.rglob("*.arrow")) == []
    assert table(out) == table_of_all()


def test_a_spill_folder_elsewhere_is_cleared_by_the_next_run_too(tmp_path):
    left = tmp_path / "spill" / "rankgauge-spill-left"
    left.mkdir(parents=True)
    hidden = tmp_path / "out" / working.HIDDEN
    hidden.mkdir(parents=True)
    (hidden / working.STATE).write_text(json.dumps({"job": "other", "spill": str(left), "units": {}}))
    choices = stream.Choices(out=tmp_path / "out", spill=tmp_path / "spill")
    stream.evaluate_dataset(Frames([SCATTERED]), ["P@1", "RR"], choices)
    assert list((tmp_path / "spill").iterdir()) == []
    assert table(tmp_path / "out") == table_of_all()
