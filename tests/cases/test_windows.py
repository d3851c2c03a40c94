"""Case window-nDCG: a query that keeps the first K rows before it sums the ideal, and what it says of one ranking.

The grades at ranks 1 to 4 are 1, 0, 3, 2, and K is 2. DCG@2 = 1; the ideal is 7 + 3 / log2(3).
"""

from __future__ import annotations

from math import log2

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.engines import batch, stream
from rankgauge.engines.plan import plan

RIGHT = 1 / (7 + 3 / log2(3))
LOG = pl.DataFrame(
    {"query": ["q"] * 4, "doc": ["a", "b", "c", "d"], "rank": [1, 2, 3, 4], "grade": [1.0, 0.0, 3.0, 2.0]}
)
RANK, GRADE = pl.col("rank"), pl.col("grade")


def windowed(log: pl.DataFrame, k: int, *, filter_first: bool) -> dict[str, float | None]:
    """nDCG@k by window functions; the ideal is summed over the first k rows of the ranking, or of the ideal."""
    numbered = log.with_columns(ideal=GRADE.rank("ordinal", descending=True).over("query"))
    gain = 2.0**GRADE - 1
    shown = RANK <= k
    best = shown if filter_first else pl.col("ideal") <= k
    dcg = (gain / (RANK + 1).log(2)).filter(shown).sum()
    ideal = (gain / (pl.col("ideal") + 1).log(2)).filter(best).sum()
    found = numbered.group_by("query", maintain_order=True).agg((dcg / ideal).alias("value"))
    return dict(found.iter_rows())


def streamed(log: pl.DataFrame, tmp_path, measure: str) -> float | None:
    log.write_parquet(tmp_path / "log.parquet")
    found = stream.evaluate(tmp_path / "log.parquet", measure)
    return found.summary.average(found.about.measures[0].name)


def test_the_filter_before_the_ideal_gives_two():
    assert windowed(LOG, 2, filter_first=True) == {"q": 2.0}


def test_the_same_windows_with_a_condition_for_each_sum_are_right():
    assert windowed(LOG, 2, filter_first=False) == {"q": pytest.approx(RIGHT, rel=1e-15)}


def test_every_engine_gives_the_right_value(tmp_path):
    judged = rg.Qrels.from_polars(LOG.select("query", "doc", "grade"))
    run = rg.Run.from_polars(LOG.select("query", "doc", score=-RANK.cast(pl.Float64)))
    told = rg.evaluate(judged, {"ranker": run}, "nDCG@2").values.item()
    table = batch.score(LOG, plan("nDCG@2", order="rank", top_grade=3.0))
    assert round(told, 4) == 0.1125
    assert told == pytest.approx(RIGHT, rel=1e-15)
    assert table[str(plan("nDCG@2", order="rank").measures[0])].to_list() == [told]
    assert streamed(LOG, tmp_path, "nDCG@2") == told


def test_a_judged_document_that_was_not_retrieved_is_in_the_ideal_and_takes_no_rank(tmp_path):
    missed = pl.DataFrame({"query": ["q"], "doc": ["e"], "rank": [None], "grade": [3.0]}, schema=LOG.schema)
    value = streamed(pl.concat([missed, LOG]), tmp_path, "nDCG@2")
    assert value == pytest.approx(1 / (7 + 7 / log2(3)), rel=1e-15)


def test_equal_grades_in_another_order_change_the_wrong_value_and_not_the_right_one(tmp_path):
    grades = pl.Series("grade", [1.0, 0.0, 1.0, 1.0])
    log = LOG.with_columns(grades)
    other = log.reverse()
    assert windowed(log, 2, filter_first=True)["q"] == 1.0
    assert windowed(other, 2, filter_first=True)["q"] == pytest.approx(2.0, rel=1e-15)
    assert streamed(log, tmp_path, "nDCG@2") == streamed(other, tmp_path, "nDCG@2")


def test_a_query_without_relevant_documents_is_left_out_of_the_mean_and_counted(tmp_path):
    none = LOG.with_columns(query=pl.lit("z"), grade=pl.lit(0.0))
    pl.concat([LOG, none]).write_parquet(tmp_path / "log.parquet")
    found = stream.evaluate(tmp_path / "log.parquet", "nDCG@2")
    moments = found.summary.moments(found.about.measures[0].name)
    assert (moments.n, found.summary.counted()) == (1, 2)
    assert moments.mean == pytest.approx(RIGHT, rel=1e-15)
