"""What the trained methods learn, and how they use it, on values worked out by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.errors import InputError, MethodError
from rankgauge.fusion import METHODS
from rankgauge.fusion._collect import as_list, collect
from rankgauge.fusion._training import (
    Training,
    average_precision,
    relevance_by_depth,
    relevance_by_rank,
    relevance_by_share,
    segment_of,
)

# Relevant at ranks 1 and 3 of four, and at rank 2 of two; z is relevant and not retrieved.
RUN = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"e": 2.0, "f": 1.0}}
QRELS = {"q1": {"a": 1, "c": 2, "z": 1, "b": 0}, "q2": {"f": 1}}


def training(runs=(RUN,), qrels=QRELS, **how):
    return Training.of(collect(as_list(runs)), rg.Qrels.from_dict(qrels), **how)


def test_average_precision_counts_relevant_documents_that_were_not_retrieved():
    assert average_precision(training()) == pytest.approx(np.array([[((1 + 2 / 3) / 3 + 1 / 2) / 2]]))


def test_average_precision_is_that_of_evaluate():
    expected = rg.evaluate(QRELS, RUN, "AP").mean()["mean"].to_list()
    assert average_precision(training())[:, 0].tolist() == pytest.approx(expected)


def test_relevance_by_rank_counts_the_lists_that_reach_it():
    assert relevance_by_rank(training()).tolist() == [[1 / 2, 1 / 2, 1.0, 0.0]]


def test_relevance_by_share_cuts_each_list_into_the_same_number_of_segments():
    # Two segments: of two and two documents, and of one and one.
    assert relevance_by_share(training(), segments=2).tolist() == [[(1 / 2 + 0) / 2, (1 / 2 + 1) / 2]]
    # Three segments: ceil(4/3) = 2, so the third is empty; ceil(2/3) = 1, so the third is empty as well.
    assert relevance_by_share(training(), segments=3).tolist() == [[(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, 0.0]]


def test_relevance_by_depth_divides_by_the_segments_full_length():
    found = relevance_by_depth(training(), np.array([1, 3, 10]))
    assert found == pytest.approx(np.array([[1 / 2, (1 / 2 + 1 / 2) / 2, 0.0]]))


def test_segments_end_at_their_last_rank():
    assert segment_of(np.array([1, 5, 6, 15, 16]), np.array([5, 15])).tolist() == [0, 0, 1, 1, -1]


def test_a_grade_below_the_level_is_not_relevant():
    assert relevance_by_rank(training(level=2)).tolist() == [[0.0, 0.0, 1.0, 0.0]]


def test_only_judged_queries_are_learned_from():
    more = {**RUN, "q3": {"x": 1.0}}
    assert training((more,)).used.tolist() == [True, True, False]
    assert relevance_by_rank(training((more,))).tolist() == [[1 / 2, 1 / 2, 1.0, 0.0]]
    with pytest.raises(InputError, match="training qrels 'qrels': expected judgments of the runs' queries, got none"):
        training((RUN,), {"q9": {"a": 1}})


def test_a_run_that_lacks_a_training_query_found_nothing_there():
    found = average_precision(training((RUN, {"q1": {"a": 1.0}})))
    assert found[1] == pytest.approx([(1 / 3) / 2])


def test_subtopic_judgments_count_once_per_document():
    frame = rg.Qrels.from_columns(
        *(rg.records.run.pl.Series(values) for values in (["q1", "q1"], ["a", "a"], [1, 1])),
        subtopic=rg.records.run.pl.Series(["1", "2"]),
    )
    assert Training.of(collect(as_list([RUN])), frame).R.tolist() == [1, 0]


TWO = [{"q1": {"a": 4.0, "b": 3.0}, "q2": {"e": 2.0, "f": 1.0}}, {"q1": {"b": 9.0, "c": 8.0}, "q2": {"f": 1.0}}]
JUDGED = {"q1": {"a": 1}, "q2": {"f": 1}}


@pytest.mark.parametrize(
    ("method", "how", "expected"),
    [
        # MAP of the first run (1 + 1/2) / 2, of the second (0 + 1) / 2.
        ("MAPFuse", {}, {"a": 3 / 4, "b": 3 / 8 + 1 / 2, "c": 1 / 4}),
        # Relevant at rank 1 and 2 of the first: 1/2, 1/2; of the second 1/2 and 0.
        ("PosFuse", {}, {"a": 1 / 2, "b": 1 / 2 + 1 / 2, "c": 0.0}),
        ("SlideFuse", {"window": 1}, {"a": 1 / 2, "b": 1 / 2 + 1 / 4, "c": 1 / 4}),
        ("ProbFuse", {"segments": 1}, {"a": 1 / 2, "b": 1 / 2 + 1 / 2, "c": 1 / 2}),
        # One segment of five ranks: (1/5 + 1/5) / 2 and (0 + 1/5) / 2; scores are 1 and 0.
        ("SegFuse", {}, {"a": 0.2 * 2, "b": 0.2 + 0.1 * 2, "c": 0.1}),
        (
            "BayesFuse",
            {},
            {"a": log(0.25) + log(1 / 999), "b": log(0.25) + log(1 / 9), "c": log(1 / 999) + log(1 / 9)},
        ),
    ],
)
def test_a_trained_method(method, how, expected):
    fused = rg.fuse(TWO, method=method, qrels=JUDGED, **how).to_dict()["q1"]
    assert fused == pytest.approx(expected)


def test_ranks_deeper_than_in_training_are_worth_nothing_to_posfuse():
    learned = np.array([[0.5, 0.25]])
    lists = collect(as_list([{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}]))
    assert METHODS["PosFuse"].formula(lists, learned).tolist() == [0.5, 0.25, 0.0]
    assert METHODS["SlideFuse"].formula(lists, learned, window=1).tolist() == pytest.approx([0.375, 0.25, 0.125])


def test_bayesfuse_takes_ranks_below_a_thousand_as_not_returned():
    lists = collect(as_list([{"q": {f"d{i:04}": -float(i) for i in range(1001)}}]))
    scores = METHODS["BayesFuse"].formula(lists, np.full((1, 9), log(1 / 9)))
    assert scores[[0, 999]].tolist() == pytest.approx([log(1 / 9)] * 2)
    assert scores[1000] == pytest.approx(log(0.001 / 0.999))


def test_a_method_that_learns_needs_judgments():
    for name in [name for name, method in METHODS.items() if method.train is not None]:
        with pytest.raises(MethodError, match=f"{name} learns from judged queries: pass qrels"):
            rg.fuse(TWO, method=name)
