from __future__ import annotations

import pytest

from rankgauge.errors import ParameterError
from rankgauge.online.metrics import Margin, Metric, parse_margin, parse_metric


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("clicks", Metric("clicks", "clicks")),
        ("clicks:mean", Metric("clicks", "clicks", None, "mean")),
        ("bought:proportion", Metric("bought", "bought", None, "proportion")),
        ("clicks:ratio", Metric("clicks", "clicks", "rows", "ratio")),
        ("clicks/shown", Metric("clicks/shown", "clicks", "shown", "ratio")),
        ("clicks/shown:ratio", Metric("clicks/shown", "clicks", "shown", "ratio")),
        ("utm:source", Metric("utm:source", "utm:source")),
    ],
)
def test_a_metric_is_read_as_it_is_written(text, expected):
    assert parse_metric(text) == expected


def test_per_row_touches_only_metrics_without_a_kind():
    assert parse_metric("clicks", per_row=True).denominator == "rows"
    assert parse_metric("clicks:mean", per_row=True).denominator is None
    assert parse_metric("a/b", per_row=True).denominator == "b"


def test_a_ratio_sums_both_columns():
    assert parse_metric("clicks/shown").columns == ("clicks", "shown")
    assert parse_metric("clicks:ratio").columns == ("clicks",)


@pytest.mark.parametrize("text", ["", "/b", "a/", ":mean"])
def test_a_metric_has_a_column(text):
    with pytest.raises(ParameterError, match="metric: expected COLUMN or COLUMN/COLUMN"):
        parse_metric(text)


def test_a_quotient_is_a_ratio():
    with pytest.raises(ParameterError, match="expected the kind ratio for 'a/b', got 'mean'"):
        parse_metric("a/b:mean")


def test_margins_are_absolute_or_shares():
    assert parse_margin("0.5") == Margin(0.5)
    assert parse_margin("2%") == Margin(0.02, relative=True)
    assert (str(parse_margin("2%")), str(parse_margin("0.5")), str(parse_margin("0.25%"))) == ("2%", "0.5", "0.250%")


@pytest.mark.parametrize("text", ["0", "-1", "x", "nan", "inf", "100%", ""])
def test_a_margin_is_above_0(text):
    with pytest.raises(ParameterError, match="margin: expected a number above 0"):
        parse_margin(text)
