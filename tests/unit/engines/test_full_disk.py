"""A full disk: which folder, how much is free, and nothing that looks whole."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pieces import Frames
from rankgauge.engines import stream, streaming, units, working
from rankgauge.engines.budget import Budget
from rankgauge.engines.parts import room
from rankgauge.engines.results import read_results
from rankgauge.errors import InputError


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a disk of one megabyte can only be had by root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def rows(queries: int, *, scattered: bool) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    ids = pl.Series(rng.permutation(10**6)[: queries * 5]).cast(pl.String)
    query = np.tile(np.arange(queries), 5) if scattered else np.repeat(np.arange(queries), 5)
    rank = np.repeat(np.arange(1, 6), queries) if scattered else np.tile(np.arange(1, 6), queries)
    return pl.DataFrame(
        {"query": pl.Series(query).cast(pl.String), "doc": ids, "rank": rank, "grade": rng.random(5 * queries)}
    )


@pytest.mark.parametrize("scattered", [True, False], ids=["while rows are parted", "while scores are written"])
def test_a_full_disk_is_named_and_leaves_no_result(small_disk, monkeypatch, scattered):
    monkeypatch.setattr(streaming, "budget", lambda memory, sample: Budget(2000, 2000, 1 << 20))
    monkeypatch.setattr(units, "PART_QUERIES", 1000)
    source = Frames([rows(40_000, scattered=scattered)])
    with pytest.raises(
        OSError, match=r"expected room .*, got a full disk .* MB free.; free some, or name another folder"
    ) as full:
        stream.evaluate_dataset(source, ["nDCG@5", "ERR", "RBP", "AP"], stream.Choices(out=small_disk / "out"))
    assert full.value.errno == errno.ENOSPC
    assert str(small_disk) in str(full.value)
    assert list(small_disk.rglob("*.arrow")) == []
    assert [path.name for path in small_disk.rglob(".part*")] == []
    with pytest.raises(InputError, match="a folder of results"):
        read_results(small_disk / "out")


def test_rows_are_parted_where_there_is_room(small_disk, tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "budget", lambda memory, sample: Budget(2000, 2000, 1 << 20))
    source = Frames([rows(20_000, scattered=True)])
    choices = stream.Choices(out=small_disk / "out", spill=tmp_path / "elsewhere")
    found = stream.evaluate_dataset(source, ["P@1"], choices)
    assert found.summary.queries == 20_000
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), pl.exceptions.ComputeError("No space left (os error 28)")],
)
def test_what_needs_room_says_how_much(tmp_path, error):
    with pytest.raises(OSError, match=r"out: expected room for 5 MB more, got a full disk \([\d,]+ MB free\)"):
        with room(tmp_path / "out", 5 << 20):
            raise error


def test_other_errors_pass(tmp_path):
    with pytest.raises(PermissionError, match="not yours"), room(tmp_path):
        raise PermissionError(errno.EACCES, "not yours")


def test_a_folder_that_cannot_be_written_is_an_error_and_stays_as_it_is(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OSError, match="out"):
        working.Work(tmp_path / "out", "job").__enter__()
    assert (tmp_path / "out").read_text() == "a file"
