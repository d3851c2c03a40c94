from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import InputError, ParameterError
from rankgauge.judges.calibration import Calibration
from rankgauge.judges.labels import JudgeLabels, Overlap, overlap


def pairs(human: list[float], judge: list[float]) -> Overlap:
    docs = [f"d{at}" for at in range(len(human))]
    people = rg.Qrels.from_dict({"q": dict(zip(docs, human, strict=True))})
    given = rg.Qrels.from_dict({"q": dict(zip(docs, judge, strict=True))})
    return overlap(people, JudgeLabels.from_qrels(given, source="llm:m"))


def test_a_grade_is_worth_the_mean_of_peoples():
    found = Calibration.of(pairs([0, 2, 2, 3], [1, 1, 3, 3]), gain="linear", smoothing=0)
    assert [(g.judge, g.n, g.mean, g.value) for g in found.grades] == [(1, 2, 1, 1), (3, 2, 2.5, 2.5)]


def test_the_mean_gain_is_kept_where_gains_grow_faster_than_grades():
    """(2^0 - 1 + 2^2 - 1) / 2 = 1.5 = 2^1.3219 - 1: the mean grade, 1, has less."""
    (one,) = Calibration.of(pairs([0, 2], [1, 1]), smoothing=0).grades
    assert one.value == pytest.approx(np.log2(2.5))


def test_few_pairs_are_drawn_towards_the_mean_of_all():
    found = Calibration.of(pairs([3, 0, 0, 0], [3, 0, 0, 0]), gain="linear", smoothing=5)
    assert found.prior == 0.75
    assert [g.value for g in found.grades] == pytest.approx([5 * 0.75 / 8, (3 + 5 * 0.75) / 6])


def test_a_grade_that_was_never_seen_is_worth_the_mean_of_all():
    found = Calibration.of(pairs([1, 2], [0, 1]), gain="linear", smoothing=0)
    assert found.apply([0, 3]).tolist() == [1.0, 1.5]
    assert found.unseen([0, 3, 0.5, 2.5]) == 2


def test_a_fraction_counts_for_the_two_grades_beside_it_and_is_read_between_them():
    found = Calibration.of(pairs([0, 1, 2], [0, 0.5, 1]), gain="linear", smoothing=0)
    assert [(g.n, g.value) for g in found.grades] == [(1.5, pytest.approx(1 / 3)), (1.5, pytest.approx(5 / 3))]
    assert found.apply([0.25]) == pytest.approx([1 / 3 + 0.25 * 4 / 3])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_applied_to_its_own_pairs_the_mean_is_peoples(rows):
    human, judge = zip(*rows, strict=True)
    found = Calibration.of(pairs(list(human), list(judge)), gain="linear", smoothing=0)
    assert found.apply(judge).mean() == pytest.approx(np.mean(human))


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(InputError, match="pairs with both labels, got none; let the judge label pairs that people"):
        Calibration.of(pairs([-1], [1]))
    with pytest.raises(ParameterError, match="smoothing"):
        Calibration.of(pairs([1], [1]), smoothing=-1)
