"""Tests of means over answers."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import UnknownMeasureError
from rankgauge.judges.asking import Failed
from rankgauge.rag.matrices import Matrices
from rankgauge.rag.table import means, named, numbers, to_polars
from rankgauge.rag.triad import OWN
from rankgauge.statistics.intervals import interval


def row(query: str, *entries: bool | None, **given: object) -> Matrices:
    claims = [f"{query}{i}" for i in range(len(entries))]
    return Matrices(query, claims, ["c"], answer_in_contexts=[[entry] for entry in entries], **given)  # type: ignore[arg-type]


ROWS = [
    row("half", True, False),
    row("full", True, None),
    row("none", False),
    row("abstained", outcome="abstained"),
    row("empty", outcome="empty"),
    row("unsure", None),
    Matrices("failed", Failed("timeout"), ["c"]),
]


def test_a_mean_is_over_the_answers_that_have_a_value_and_the_others_are_counted_apart():
    (found,) = means(ROWS, ["faithfulness"], rng=np.random.default_rng(1))
    assert (found.mean, found.n, found.failed, found.abstained, found.not_applicable) == (0.5, 3, 2, 1, 1)
    assert found.unknown == 1
    assert found.reasons == {
        "abstained": 1, "the answer is empty": 1, "the judge failed": 1, "the judge failed: timeout": 1
    }  # fmt: skip


def test_the_interval_is_that_of_the_values():
    (found,) = means(ROWS, ["faithfulness"], rng=np.random.default_rng(1))
    expected = interval([0.5, 1.0, 0.0], rng=np.random.default_rng(1))
    assert (found.interval.low, found.interval.high) == (expected.low, expected.high)
    assert found.interval.left_out == 4


def test_without_any_value_there_is_no_mean():
    (found,) = means([row("a", outcome="abstained")], ["faithfulness"], method="t")
    assert (found.mean, found.n, found.abstained, found.interval.outcome) == (None, 0, 1, "no query")


def test_all_of_ours_are_averaged_by_default():
    assert [one.measure for one in means(ROWS, method="t")] == list(OWN)


def test_the_table_has_a_row_per_measure():
    frame = to_polars(means(ROWS, ["faithfulness", "hallucination"], method="t"))
    assert frame.select("measure", "mean", "n", "failed", "abstained", "not_applicable", "unknown").rows() == [
        ("faithfulness", 0.5, 3, 2, 1, 1, 1),
        ("hallucination", None, 0, 1, 1, 5, 0),
    ]


def test_values_are_given_by_question():
    assert numbers(ROWS[:4], "faithfulness") == {"half": 0.5, "full": 1.0, "none": 0.0, "abstained": None}


def test_a_name_that_is_none_offers_the_nearest():
    with pytest.raises(UnknownMeasureError, match="no RAG measure named 'faithfullness'; did you mean 'faithfulness"):
        named("faithfullness")
