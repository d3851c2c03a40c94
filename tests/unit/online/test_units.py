from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import EmptyInputError, InputError, ParameterError
from rankgauge.online.units import read_units

LOG = pl.DataFrame(
    {
        "user": ["u1", "u1", "u2", "u3", "u3", "u4"],
        "arm": ["B", "B", "A", "A", "A", "B"],
        "click": [1, 0, 0, 1, 1, 0],
        "spent": [0.5, 0.25, 0.0, 2.0, 1.0, 0.0],
        "earlier": [3.0, 3.0, 1.0, None, None, 2.0],
    }
)
WRITERS = {
    "parquet": pl.DataFrame.write_parquet, "csv": pl.DataFrame.write_csv, "jsonl": pl.DataFrame.write_ndjson,
    "arrow": pl.DataFrame.write_ipc,
}  # fmt: skip


def told(units):
    return {
        name: sorted(zip(*(units.sums[at][column].tolist() for column in ("rows", "click", "spent")), strict=True))
        for at, name in enumerate(units.arms)
    }


EXPECTED = {"A": [(1.0, 0.0, 0.0), (2.0, 2.0, 3.0)], "B": [(1.0, 0.0, 0.0), (2.0, 1.0, 0.75)]}


@pytest.mark.parametrize("suffix", WRITERS)
def test_rows_are_added_up_by_unit_from_every_kind_of_file(tmp_path, suffix):
    path = tmp_path / f"events.{suffix}"
    WRITERS[suffix](LOG, path)
    units = read_units(path, columns=["click", "spent"], before=["earlier"], arm="arm", unit="user", control="A")
    assert told(units) == EXPECTED
    assert (units.arms, units.rows, units.counts(), units.notes) == (("A", "B"), 6, (2, 2), ())
    assert np.isnan(units.before[0]["earlier"]).sum() == 1


def test_one_file_per_arm_names_the_arms_and_the_first_is_the_control(tmp_path):
    for name in "AB":
        LOG.filter(pl.col("arm") == name).write_csv(tmp_path / f"{name}.csv")
    units = read_units({"B": tmp_path / "B.csv", "A": tmp_path / "A.csv"}, columns=["click", "spent"], unit="user")
    assert units.arms == ("B", "A")
    assert told(units) == EXPECTED


def test_without_a_unit_each_row_is_one():
    units = read_units(LOG, columns=["click"], arm="arm", control="A")
    assert units.counts() == (3, 3)


@given(st.permutations(range(6)))
def test_the_order_of_rows_is_nothing(order):
    found = read_units(LOG[list(order)], columns=["click", "spent"], arm="arm", unit="user", control="A")
    assert [s["spent"].tolist() for s in found.sums] == [[0.0, 3.0], [0.0, 0.75]]


def read(frame, **how):
    return read_units(frame, **{"columns": ["click"], "arm": "arm", "unit": "user", "control": "A", **how})


BAD = [
    (pl.lit(None, pl.String).alias("arm"), "events, column 'arm': expected an arm in every row, got 1 rows without"),
    (pl.lit(None, pl.String).alias("user"), "events, column 'user': expected a unit in every row, got 1 rows without"),
    (pl.lit(float("inf")).alias("click"), "events, column 'click': expected finite numbers, got 1 other values"),
    (pl.lit(float("nan")).alias("click"), "events, column 'click': expected finite numbers, got 1 other values"),
    (pl.lit(None, pl.Float64).alias("click"), "events, column 'click': expected a number in every row, 0 for nothing"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_row_that_cannot_be_counted_is_refused_or_left_out_and_counted(change, message):
    frame = LOG.with_columns(pl.col("click").cast(pl.Float64))
    spoilt = pl.concat([frame, frame[2:3].with_columns(change)])
    with pytest.raises(InputError) as error:
        read(spoilt)
    assert message in str(error.value)
    units = read(spoilt, on_bad="drop")
    assert units.counts() == (2, 2)
    assert [note.count for note in units.notes] == [1]
    assert "1 rows that cannot be counted were left out: 1 of " in units.notes[0].text


def test_text_that_is_no_number_is_refused_by_file(tmp_path):
    (tmp_path / "log.csv").write_text("user,arm,click\nu,A,1\nv,B,yes\nw,B,1e999\nx,A,true\n")
    with pytest.raises(InputError, match=r"log\.csv, column 'click': expected finite numbers, got 2 other values"):
        read(tmp_path / "log.csv")


def test_a_unit_in_two_arms_is_refused_or_left_out_and_counted():
    crossed = pl.concat([LOG, LOG[0:1].with_columns(arm=pl.lit("A"))])
    with pytest.raises(InputError, match="events: expected each unit in one arm, got 1 units in several, as 'u1'"):
        read(crossed)
    units = read(crossed, on_bad="drop")
    assert units.counts() == (2, 1)
    assert "1 units in several, as 'u1': left out" in units.notes[0].text


def test_a_unit_has_one_value_of_before():
    uneven = LOG.with_columns(earlier=pl.Series([3.0, 4.0, 1.0, None, None, 2.0]))
    with pytest.raises(InputError, match="column 'earlier': expected one value of before per unit, got several for 1"):
        read(uneven, before=["earlier"])


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ({"control": None}, ParameterError, "control: expected one of the arms A, B, got none; name it"),
        ({"control": "C"}, ParameterError, "control: expected one of the arms A, B, got 'C'"),
        ({"arm": None}, ParameterError, "arm: expected the name of a column, got none"),
        ({"arm": "arms"}, InputError, "events: expected a column 'arms', got the columns user, arm"),
        ({"columns": ["clik"]}, InputError, "did you mean 'click'"),
        ({"on_bad": "skip"}, ParameterError, "on_bad: expected 'error' or 'drop', got 'skip'"),
    ],
)
def test_what_cannot_be_told_is_refused(how, kind, message):
    with pytest.raises(kind) as error:
        read(LOG, **how)
    assert message in str(error.value)


def test_an_experiment_has_two_arms_at_least_and_rows_in_each():
    with pytest.raises(InputError, match="events: expected from 2 to 20 arms, got 1: 'A'"):
        read(LOG.filter(pl.col("arm") == "A"))
    with pytest.raises(EmptyInputError, match="events: expected at least one row with an arm, got none"):
        read(LOG.clear())
    with pytest.raises(EmptyInputError, match="expected rows of the arm 'B', got none"):
        read_units({"A": LOG, "B": LOG.clear()}, columns=["click"])
    with pytest.raises(InputError, match=r"expected from 2 to 20 arms, got 30: .*is it the column of arms\?"):
        read(pl.DataFrame({"arm": [str(i) for i in range(30)], "user": range(30), "click": [1] * 30}), control="0")
    with pytest.raises(ParameterError, match="arm: expected no column, as each file is an arm"):
        read_units({"A": LOG, "B": LOG}, columns=["click"], arm="arm")
