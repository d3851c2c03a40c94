"""The streaming engine: the same table as one batch gives, however the rows come and whatever fits in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pieces import Frames
from rankgauge.engines import batch, stream, streaming
from rankgauge.engines.budget import Budget
from rankgauge.engines.plan import Plan, plan
from rankgauge.engines.results import Results, read_results
from rankgauge.errors import EmptyInputError, InputError

MEASURES = ["nDCG@3", "AP", "P@2", "Judged@3", "GMAP"]
QUERIES = ("q1", "q2", "q3", "007", "ü")
DAYS = ("mon", "tue")
ROWS = {"day": pl.String, "query": pl.String, "doc": pl.String, "score": pl.Float64, "grade": pl.Float64}
GRADES = st.sampled_from([None, float("nan"), -1.0, 0.0, 1.0, 3.0])


def rows_of(days: tuple[str, ...], grades: st.SearchStrategy[Any]) -> st.SearchStrategy[pl.DataFrame]:
    """Rows of rankings in any order, no document twice in one."""
    keys = st.tuples(st.sampled_from(days), st.sampled_from(QUERIES), st.sampled_from("abcde"))
    row = st.tuples(keys, st.sampled_from([0.0, 0.5, 1.0]), grades)
    listed = st.lists(row, min_size=1, max_size=30, unique_by=lambda one: one[0])
    return listed.map(lambda rows: pl.DataFrame([(*key, *rest) for key, *rest in rows], ROWS, orient="row"))


def cut(frame: pl.DataFrame, at: list[int]) -> list[pl.DataFrame]:
    """Cut a frame into pieces, some of them empty."""
    borders = [0, *sorted(place % (len(frame) + 1) for place in at), len(frame)]
    return [frame[low:high] for low, high in itertools.pairwise(borders)]


def in_memory(rows: pl.DataFrame, how: Plan, qrels: pl.DataFrame | None = None) -> pl.DataFrame:
    """The table of one batch; judged groups without rankings are not in it."""
    table = batch.score(rows, how, qrels)
    return table.join(rows.select(how.by).unique(), on=list(how.by), how="semi") if how.by else table


def same(found: Results, expected: pl.DataFrame, how: Plan) -> None:
    """To the bit, scores and summary."""
    keys = [*how.by, "query"]
    assert_frame_equal(found.scores().collect().select(expected.columns).sort(keys), expected.sort(keys), check_exact=True)
    summary = how.summary(expected)
    for name in how.numbers:
        assert found.summary.moments(name) == summary.moments(name)


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let so few rows be in memory."""

    def bound(rows: int, most: int | None = None, judgments: int = 1 << 30) -> None:
        monkeypatch.setattr(streaming, "budget", lambda memory, sample: Budget(rows, most or rows, judgments))

    return bound


def planned(by: tuple[str, ...] = (), **choices: Any) -> Plan:
    return plan(MEASURES, order="score", top_grade=3.0, by=by, **choices)


def log(frames: list[pl.DataFrame], **choices: Any) -> Frames:
    return Frames(frames, order="score", **choices)


def qrels_of(frame: pl.DataFrame) -> Frames:
    return Frames(cut(frame, [2]), label="qrels", by=tuple(name for name in ("day",) if name in frame.columns))


@settings(max_examples=40)
@given(rows_of(DAYS[:1], GRADES), st.lists(st.integers(0, 30), max_size=3), st.integers(1, 12))
def test_any_order_pieces_and_batches_give_the_table_of_one_batch(tmp_path_factory, rows, at, size):
    check(tmp_path_factory.mktemp("out"), rows.drop("day"), at, size, None, judgments=1 << 30)


@settings(max_examples=40)
@given(
    rows_of(DAYS, GRADES),
    rows_of(DAYS, st.sampled_from([-1.0, 0.0, 1.0, 3.0])),
    st.lists(st.integers(0, 30), max_size=3),
    st.integers(1, 12),
    st.sampled_from([0, 1 << 30]),
    st.booleans(),
)
def test_judgments_that_come_apart_hold_in_memory_or_parted_on_disk(tmp_path_factory, rows, qrels, at, size, held, days):
    """Conflicts, judged queries without rankings, and days that are judged or not, included."""
    qrels = qrels.drop("score")
    qrels = qrels if days else qrels.drop("day").unique(["query", "doc"], maintain_order=True)
    check(tmp_path_factory.mktemp("out"), rows, at, size, qrels, judgments=held)


def check(out: Path, rows: pl.DataFrame, at: list[int], size: int, qrels: pl.DataFrame | None, judgments: int) -> None:
    by = ("day",) if "day" in rows.columns else ()
    top = max(1.0, *(frame["grade"].fill_nan(None).max() or 0.0 for frame in (rows, *([] if qrels is None else [qrels]))))
    how = planned(by).but(top_grade=top)
    expected = in_memory(rows, how, qrels)
    judged = None if qrels is None else qrels_of(qrels)
    choices = stream.Choices(out=out, memory=1 << 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "budget", lambda memory, sample: Budget(size, size, judgments))
        run = lambda: stream.evaluate_dataset(log(cut(rows, at), by=by), MEASURES, choices, judged)
        common = ((expected["status"] != "left out") & (expected["retrieved"] > 0)).any()
        if common:
            same(run(), expected, how)
        else:
            with pytest.raises(InputError):
                run()
    assert not list(out.rglob("*.arrow"))
    assert (out / ".rankgauge").exists() != common
