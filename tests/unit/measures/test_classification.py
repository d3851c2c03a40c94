"""Classification: hand values, then scikit-learn as the oracle."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given
from hypothesis import strategies as st

from rankgauge.errors import EmptyInputError, InputError
from rankgauge.measures.classification import Operating, classify
from rankgauge.measures.confusion import Confusion, share

COUNTS = st.integers(min_value=0, max_value=50)
SCORES = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    st.floats(min_value=0, max_value=1),
)
PAIRS = st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=40)
BOTH_CLASSES = PAIRS.filter(lambda pairs: len({label for label, _ in pairs}) == 2)


def same(ours: float | None, theirs: float) -> bool:
    """Equal, or both undefined."""
    if ours is None:
        return math.isnan(theirs)
    return ours == pytest.approx(theirs, abs=1e-12)


def kinds(labels, scores, **options) -> list[str]:
    return [note.kind for note in classify(labels, scores, **options).notes]


# The confusion


def test_the_confusion_counts_a_score_at_the_threshold_as_positive():
    result = classify([1, 0, 1, 0, 0], [0.5, 0.5, 0.7, 0.1, 0.2])
    assert result.confusion == Confusion(tp=2, fp=1, tn=2, fn=0)
    assert (result.n, result.positives, result.negatives, result.prevalence) == (5, 2, 3, 0.4)


def test_the_ratios_of_a_confusion_are_those_of_its_formulas():
    c = Confusion(tp=6, fp=2, tn=3, fn=4)
    assert c.accuracy == 9 / 15  # (TP + TN) / all, not (TP + FN) / all
    assert c.recall == c.tpr == 6 / 10  # TP / (TP + FN), not TP / (TP + TN)
    assert c.precision == 6 / 8
    assert c.fpr == 2 / 5
    assert c.specificity == 3 / 5
    assert c.balanced_accuracy == 0.6
    assert c.f1 == 12 / 18
    assert c.f(2) == 30 / 48
    assert c.f(0) == c.precision
    assert c.mcc == (6 * 3 - 2 * 4) / math.sqrt(8 * 10 * 5 * 7)


def test_every_ratio_of_an_empty_confusion_is_undefined():
    c = Confusion(tp=0, fp=0, tn=0, fn=0)
    assert [c.accuracy, c.balanced_accuracy, c.precision, c.recall, c.fpr, c.specificity, c.f1, c.mcc] == [None] * 8


def test_precision_is_undefined_and_f1_zero_when_no_positive_is_called():
    c = Confusion(tp=0, fp=0, tn=3, fn=2)
    assert (c.precision, c.recall, c.f1, c.mcc) == (None, 0, 0, None)


def test_a_share_of_zero_is_zero():
    assert share(0, 3) == 0


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.sampled_from([0.5, 1, 2]))
def test_a_confusion_agrees_with_scikit_learn(tp, fp, tn, fn, beta):
    truth = [1] * tp + [0] * fp + [0] * tn + [1] * fn
    called = [1] * (tp + fp) + [0] * (tn + fn)
    c = Confusion(tp=tp, fp=fp, tn=tn, fn=fn)
    assume(truth)
    assert sk.confusion_matrix(truth, called, labels=[0, 1]).ravel().tolist() == [tn, fp, fn, tp]
    assert same(c.accuracy, sk.accuracy_score(truth, called))
    assert same(c.precision, sk.precision_score(truth, called, zero_division=np.nan))
    assert same(c.recall, sk.recall_score(truth, called, zero_division=np.nan))
    assert same(c.specificity, sk.recall_score(truth, called, pos_label=0, zero_division=np.nan))
    assert same(c.f(beta), sk.fbeta_score(truth, called, beta=beta, zero_division=np.nan))
    if c.mcc is not None:
        assert same(c.mcc, sk.matthews_corrcoef(truth, called))
    if c.balanced_accuracy is not None:
        assert same(c.balanced_accuracy, sk.balanced_accuracy_score(truth, called))


# Over all thresholds


def test_a_tie_of_a_positive_and_a_negative_counts_half():
    assert classify([1, 0, 1, 0], [0.5, 0.5, 0.7, 0.1]).roc_auc == 0.875


def test_a_constant_score_has_auc_one_half():
    assert classify([1, 0, 0], [3, 3, 3]).roc_auc == 0.5


def test_turning_the_scores_around_turns_auc_around():
    labels, scores = [1, 0, 1, 0, 0], np.array([0.9, 0.8, 0.3, 0.3, 0.1])
    assert classify(labels, scores).roc_auc == 4.5 / 6
    assert classify(labels, -scores).roc_auc == 1.5 / 6


def test_step_and_trapezoid_areas_are_told_apart():
    result = classify([1, 0, 1], [0.9, 0.8, 0.7])
    assert result.average_precision == pytest.approx(1 / 2 + 1 / 2 * 2 / 3)
    assert result.pr_auc == pytest.approx(1 / 2 + 1 / 2 * (1 / 2 + 2 / 3) / 2)


def test_curves_have_one_point_per_distinct_score():
    result = classify([1, 0, 1, 0], [0.5, 0.5, 0.7, 0.1])
    assert result.roc.thresholds.tolist() == [np.inf, 0.7, 0.5, 0.1]
    assert result.roc.x.tolist() == [0, 0, 0.5, 1]
    assert result.roc.y.tolist() == [0, 0.5, 1, 1]
    assert result.pr.x.tolist() == [0, 0.5, 1, 1]
    assert result.pr.y.tolist() == [1, 1, 2 / 3, 1 / 2]
    assert result.pr.thresholds.tolist() == [np.inf, 0.7, 0.5, 0.1]


def test_curves_are_read_only():
    result = classify([1, 0], [0.5, 0.4])
    for array in (result.roc.x, result.roc.y, result.roc.thresholds, result.pr.x, result.pr.y):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_zero_and_minus_zero_are_one_score():
    assert classify([1, 0], [0.0, -0.0]).roc.thresholds.tolist() == [np.inf, 0.0]


def test_the_best_f1_comes_with_its_threshold():
    result = classify([1, 0, 1, 0, 0], [0.9, 0.6, 0.4, 0.3, 0.2])
    assert result.best_f1 == Operating(threshold=0.4, value=0.8)


def test_equally_good_thresholds_give_the_highest():
    # F1 is 2/(1+2) at 5 and 4/(4+2) at 2
    result = classify([1, 0, 0, 1, 0], [5, 4, 3, 2, 1])
    assert result.best_f1 == Operating(threshold=5.0, value=2 / 3)


def test_auc_of_a_million_items_is_exact():
    n = 1_000_000
    labels = np.arange(n) % 2 == 0
    result = classify(labels, np.arange(n))
    half = n // 2
    assert result.roc_auc == (half * (half - 1) // 2) / (half * half)


@given(BOTH_CLASSES)
def test_areas_and_curves_agree_with_scikit_learn(pairs):
    labels, scores = zip(*pairs, strict=True)
    result = classify(labels, scores)
    assert same(result.roc_auc, sk.roc_auc_score(labels, scores))
    assert same(result.roc.area(), sk.roc_auc_score(labels, scores))
    assert same(result.average_precision, sk.average_precision_score(labels, scores))
    assert same(result.brier, sk.brier_score_loss(labels, scores))
    fpr, tpr, at = sk.roc_curve(labels, scores, drop_intermediate=False)
    assert result.roc.x.tolist() == pytest.approx(fpr.tolist())
    assert result.roc.y.tolist() == pytest.approx(tpr.tolist())
    assert result.roc.thresholds.tolist() == at.tolist()
    precision, recall, at = sk.precision_recall_curve(labels, scores)
    assert result.pr.x[::-1].tolist() == pytest.approx([*recall[:-1].tolist(), 0])
    assert result.pr.y[::-1].tolist() == pytest.approx(precision.tolist())
    assert result.pr.thresholds[:0:-1].tolist() == at.tolist()
    assert same(result.pr_auc, sk.auc(recall, precision))


@given(BOTH_CLASSES)
def test_the_best_f1_is_the_largest_over_all_scores_as_thresholds(pairs):
    labels, scores = zip(*pairs, strict=True)
    best = classify(labels, scores).best_f1
    each = {t: classify(labels, scores, threshold=t).confusion.f1 for t in scores}
    assert best.value == max(each.values()) == each[best.threshold]
    assert best.threshold == max(t for t, f1 in each.items() if f1 == best.value)


@given(BOTH_CLASSES, st.randoms())
def test_the_order_of_items_does_not_matter(pairs, random):
    before = classify(*zip(*pairs, strict=True))
    random.shuffle(pairs)
    after = classify(*zip(*pairs, strict=True))
    assert (before.confusion, before.roc_auc, before.best_f1) == (after.confusion, after.roc_auc, after.best_f1)
    assert before.average_precision == after.average_precision
    assert before.roc.x.tolist() == after.roc.x.tolist()


# What cannot be said


def test_one_class_gives_none_and_a_note_but_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        positive, negative = classify([1, 1], [0.9, 0.8]), classify([0, 0], [0.9, 0.8])
    assert (positive.roc_auc, positive.roc) == (None, None)
    assert (positive.average_precision, positive.pr_auc, positive.confusion.recall) == (1, 1, 1)
    assert (negative.roc_auc, negative.average_precision, negative.pr_auc) == (None, None, None)
    assert (negative.pr, negative.roc, negative.best_f1, negative.confusion.recall) == (None, None, None, None)
    assert positive.notes[0].text == "no item is negative: false positive rate, ROC and ROC-AUC are undefined"
    assert negative.notes[0].text == "no item is positive: recall, ROC, PR and their areas are undefined"


def test_brier_is_undefined_when_a_score_is_no_probability_and_a_note_says_so():
    result = classify([1, 0, 1], [2.0, 0.4, -0.5])
    assert result.brier is None
    assert result.notes[0].count == 2
    assert result.notes[0].text == "2 of 3 scores lie outside [0, 1]: the Brier score is undefined"


def test_brier_is_the_mean_squared_distance():
    assert classify([1, 0], [1.0, 0.5]).brier == 0.125


def test_items_without_a_label_are_left_out_and_counted():
    result = classify([1, None, 0, float("nan")], [0.9, 0.1, 0.2, 0.3])
    assert (result.n, result.dropped) == (2, 2)
    assert result.notes[0].text == "2 of 4 items have no label and were left out"


def test_a_threshold_beyond_all_scores_is_noted():
    assert kinds([1, 0], [0.2, 0.3]) == ["idle_threshold"]
    assert kinds([1, 0], [0.7, 0.6]) == ["idle_threshold"]
    assert kinds([1, 0], [0.5, 0.4]) == []


def test_tied_scores_are_noted():
    assert kinds([1, 0, 0], [0.5, 0.5, 0.4]) == ["ties"]


# Input


@pytest.mark.parametrize(
    "labels",
    [
        [1, 0, 1],
        [True, False, True],
        [1.0, 0.0, 1.0],
        ["1", "0", "1"],
        ["1.0", "0.0", "1.0"],
        ["True", "false", "TRUE"],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([True, False, True]),
        pd.Series([1, 0, 1]),
        pl.Series([True, False, True]),
    ],
)
def test_known_labels_are_read_however_they_are_written(labels):
    assert classify(labels, [0.9, 0.1, 0.2]).confusion == Confusion(tp=1, fp=0, tn=1, fn=1)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [(["yes", "no", "yes"], "yes"), ([1, -1, 1], 1), (["b", "a", "b"], "b"), ([0, 1, 0], 0), (["1", "2", "1"], 1)],
)
def test_the_positive_label_can_be_named(labels, positive):
    result = classify(labels, [0.9, 0.1, 0.2], positive=positive)
    assert result.confusion == Confusion(tp=1, fp=0, tn=1, fn=1)


def test_pandas_missing_labels_are_no_label():
    labels = pd.array([True, None, False], dtype="boolean")
    assert classify(labels, [0.9, 0.5, 0.1]).dropped == 1


def test_the_inputs_are_not_changed():
    labels, scores = np.array([1, 0]), np.array([0.9, 0.1])
    classify(labels, scores)
    labels[0], scores[0] = 0, 0.5
    assert (labels.tolist(), scores.tolist()) == ([0, 0], [0.5, 0.1])


def fails(labels, scores, **options) -> str:
    with pytest.raises(InputError) as caught:
        classify(labels, scores, **options)
    return str(caught.value)


def test_unknown_labels_ask_for_the_positive_one():
    assert fails(["yes", "no"], [1, 2]) == (
        "labels[0]: expected the label 0, 1, true or false, got 'yes'; name the positive label with positive=\n"
        "labels[1]: expected the label 0, 1, true or false, got 'no'; name the positive label with positive="
    )


def test_grades_are_not_labels():
    assert fails([0, 1, 2], [1, 2, 3]) == (
        "labels[2]: expected the label 0, 1, true or false, got 2; "
        "two labels are needed: make grades binary first, for example grade >= 1"
    )


def test_a_third_label_is_an_error_where_it_first_stands():
    assert fails(["yes", "no", "maybe", "maybe"], [1, 2, 3, 4], positive="yes") == (
        "labels[2]: expected 'yes' or 'no', got 'maybe'; two labels are needed: merge or remove the others"
    )


def test_a_positive_label_that_never_occurs_is_an_error():
    assert fails(["yes", "no"], [1, 2], positive="Yes") == (
        "labels[1]: expected the positive label 'Yes' among the labels, got 'yes' and 'no'; "
        "name one of the labels that occur; did you mean 'yes'?"
    )
    assert fails([1, 0], [1, 2], positive="").startswith("positive: expected a label, got none")


def test_scores_that_are_not_finite_numbers_are_all_named():
    assert fails([1, 0, 1], [float("nan"), 0.5, float("inf")]) == (
        "scores[0]: expected a finite score, got nan; give every item a score, or leave the item out\n"
        "scores[2]: expected a finite score, got inf; give every item a score, or leave the item out"
    )
    assert fails([1, 0], ["0.5", None]) == (
        "scores[0]: expected a finite score, got '0.5'; pass numbers\n"
        "scores[1]: expected a finite score, got None; pass numbers"
    )


def test_faults_of_labels_and_scores_are_told_together():
    assert fails(["a", 1], [0.5, math.nan]).count("\n") == 1


def test_many_faults_are_counted():
    assert fails([1] * 100, [math.nan] * 100).endswith("... and 80 more faults")


def test_unequal_lengths_are_an_error():
    assert fails([1, 0, 1], [0.5, 0.4]) == (
        "labels, scores: expected as many labels as scores, got 3 labels and 2 scores; pass one score per label"
    )


def test_a_table_of_probabilities_is_not_a_column_of_scores():
    assert fails([1, 0], np.array([[0.1, 0.9], [0.8, 0.2]])) == (
        "scores: expected one score per item, got an array of shape (2, 2); "
        "pass the positive class's scores, for example proba[:, 1]"
    )


def test_labels_that_are_lists_are_unknown_labels():
    assert fails([[1], [0]], [1, 2]).startswith("labels[0]: expected the label 0, 1, true or false, got [1]")


@pytest.mark.parametrize("labels", [[], [None]])
def test_nothing_labelled_is_nothing_to_measure(labels):
    with pytest.raises(EmptyInputError, match="expected at least one labelled item"):
        classify(labels, [0.5] * len(labels))


def test_the_threshold_must_be_a_number():
    assert fails([1], [1], threshold=math.nan) == "threshold: expected a finite number, got nan"
