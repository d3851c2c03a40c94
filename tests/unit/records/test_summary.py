"""Summaries: exact totals per group that add up in any order, and the means and deviations they give."""

from __future__ import annotations

import io
import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgauge.records.summary import STATUSES, Moments, Summary

DAYS = ("2026-06-01", "2026-06-02", "ü/é", None)
VALUES = st.one_of(st.none(), st.floats(0, 1), st.floats(-1e6, 1e6), st.sampled_from([0.1, 0.0, 1.0]))
ROWS = st.lists(st.tuples(st.sampled_from(DAYS), st.sampled_from(STATUSES), VALUES, VALUES), max_size=25)
SCHEMA = {"day": pl.String, "query": pl.String, "status": pl.String, "P": pl.Float64, "G": pl.Float64}


def table(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    numbered = [(day, str(number), *rest) for number, (day, *rest) in enumerate(rows)]
    return pl.DataFrame(numbered, schema=SCHEMA, orient="row")


def of(values: list[float | None], status: str = "scored") -> Summary:
    return Summary.of(table([(None, status, value, None) for value in values]))


def same(one: Summary, other: Summary) -> None:
    assert one.by == other.by
    assert_frame_equal(one.totals, other.totals)
    assert_frame_equal(one.counts, other.counts)


@given(ROWS)
def test_moments_are_those_of_exact_arithmetic(rows):
    summary = Summary.of(table(rows), ["day"])
    for day in {row[0] for row in rows}:
        values = [value for its, _, value, _ in rows if its == day and value is not None]
        found = summary.moments("P", day=day)
        assert found.n == len(values)
        assert summary.total("P", day=day) == math.fsum(values)
        assert found.mean == (float(sum(map(Fraction, values)) / len(values)) if values else None)
        if len(values) < 2:
            assert found.deviation is None
        else:
            scale = max(abs(value) for value in values)
            assert found.deviation == pytest.approx(statistics.stdev(values), rel=1e-6, abs=3e-8 * scale + 1e-150)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_moments_agree_with_numpy(values):
    found = of(values).moments("P")
    assert found.mean == pytest.approx(np.mean(values), abs=1e-15)
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-15)
    assert found.deviation == pytest.approx(np.std(values, ddof=1), abs=2e-8)


@given(ROWS)
def test_statuses_are_counted(rows):
    summary = Summary.of(table(rows), ["day"])
    for status in STATUSES:
        assert summary.count(status) == sum(row[1] == status for row in rows)
        for day in DAYS:
            assert summary.count(status, day=day) == sum(row[:2] == (day, status) for row in rows)
    assert summary.counted() == sum(row[1] in ("scored", "missing") for row in rows)
    assert summary.queries == len(rows)


@given(st.lists(ROWS, min_size=1, max_size=4), st.permutations(range(4)))
def test_parts_in_any_order_are_the_whole(parts, order):
    whole = Summary.of(table(list(itertools.chain.from_iterable(parts))), ["day"])
    pieces = [Summary.of(table(part), ["day"]) for part in parts]
    same(Summary.merge(pieces), whole)
    same(Summary.merge([pieces[number] for number in order if number < len(pieces)]), whole)
    if whole.queries:
        same(whole.whole(), Summary.of(table(list(itertools.chain.from_iterable(parts)))))


@given(ROWS, st.sampled_from(DAYS))
def test_a_group_that_is_taken_out_leaves_the_others(rows, day):
    summary = Summary.of(table(rows), ["day"])
    left = summary.without(pl.DataFrame({"day": [day]}, schema={"day": pl.String}))
    same(left, Summary.of(table([row for row in rows if row[0] != day]), ["day"]))


@given(ROWS)
def test_it_comes_back_from_parquet_as_it_was(rows):
    summary = Summary.of(table(rows), ["day"])
    frames = []
    for frame in (summary.totals, summary.counts):
        file = io.BytesIO()
        frame.write_parquet(file)
        file.seek(0)
        frames.append(pl.read_parquet(file))
    same(Summary(summary.by, *frames), summary)


def test_empty_sums_are_empty_lists_in_parquet():
    file = io.BytesIO()
    of([0.0, None]).totals.write_parquet(file)
    file.seek(0)
    back = pl.read_parquet(file)
    assert back.schema["sum"] == pl.List(pl.Float64)
    assert back["sum"].to_list() == back["squares"].to_list() == [[], []]
    assert back["n"].to_list() == [1, 0]


def test_groups_stand_in_order_of_their_values():
    rows = [(day, "scored", 1.0, None) for day in ("b", None, "a", "ü")]
    summary = Summary.of(table(rows), ["day"])
    assert summary.groups() == [{"day": None}, {"day": "a"}, {"day": "b"}, {"day": "ü"}]
    assert Summary.of(table(rows)).groups() == [{}]
    assert repr(summary) == "Summary(4 groups, 4 queries)"


def test_several_columns_part_the_queries():
    frame = table([("a", "scored", 1.0, None), ("a", "missing", 0.0, None), ("b", "scored", 0.5, None)])
    frame = frame.with_columns(system=pl.Series(["x", "y", "x"]))
    summary = Summary.of(frame, ["day", "system"])
    assert summary.moments("P", day="a", system="x").mean == 1.0
    assert summary.moments("P", system="x").mean == 0.75
    assert summary.count("missing", day="a", system="y") == 1
    assert summary.whole().moments("P").mean == 0.5


@pytest.mark.parametrize("name", ["group", "how", "self", "frame", "status_", "which"])
def test_a_column_of_any_name_may_part_the_queries(name):
    frame = table([("a", "scored", 1.0, None), ("b", "scored", 0.5, None)]).rename({"day": name})
    summary = Summary.of(frame, [name])
    assert summary.average("P", "mean", **{name: "a"}) == 1.0
    assert summary.moments("P", **{name: "b"}).mean == summary.total("P", **{name: "b"}) == 0.5
    assert summary.count("scored", **{name: "a"}) == summary.counted(**{name: "b"}) == 1
    same(Summary.merge([summary, summary.without(pl.DataFrame({name: ["a", "b"]}))]), summary)


def test_equal_values_have_no_deviation():
    for value in (0.1, 1 / 3, 0.7, 1e-200, 12345.678):
        assert of([value] * 10).moments("P") == Moments(10, value, 0.0)


def test_a_single_value_has_no_deviation_and_none_has_no_mean():
    assert of([0.25]).moments("P") == Moments(1, 0.25, None)
    assert of([None]).moments("P") == Moments(0, None, None)
    assert of([]).moments("P") == Moments(0, None, None)
    assert of([]).average("P", "sum") is None


def test_a_geometric_mean_is_that_of_the_logarithms():
    frame = table([(None, "scored", None, value) for value in (0.5, 0.125, 0.0)])
    summary = Summary.of(frame, logs=["G"])
    assert summary.average("G", "geometric") == pytest.approx((0.5 * 0.125 * 1e-5) ** (1 / 3), rel=1e-15)
    assert summary.average("P", "geometric") is None


def test_a_sum_is_of_values_and_rounded_once():
    summary = of([0.1] * 10)
    assert summary.average("P", "sum") == summary.total("P") == 1.0
    assert summary.average("P") == 0.1


def test_sums_beyond_float64_are_infinite_and_have_no_deviation():
    assert of([1e200, 2e200]).moments("P") == Moments(2, 1.5e200, None)
    assert of([1e308] * 3).moments("P") == Moments(3, math.inf, None)
    assert of([1e308] * 3).total("P") == math.inf


def test_columns_of_counts_are_summed_too():
    frame = table([(None, "scored", 0.5, None)] * 3).with_columns(retrieved=pl.Series([10, 20, 30]))
    assert Summary.of(frame).total("retrieved") == 60
