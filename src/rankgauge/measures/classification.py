"""Classification over scored labels: the confusion at a threshold, and ROC and PR over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import Fault, InputError
from rankgauge.measures.confusion import Confusion, share
from rankgauge.records.notes import Note
from rankgauge.records.scored import ScoredLabels

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y), one per distinct score from the highest down, after a first point at threshold +inf.

    Items of equal score are decided together, so they give one point: between two points no order of
    tied items is preferred. Arrays are read-only.
    """

    x: FloatArray  # float[m+1]
    y: FloatArray  # float[m+1]
    thresholds: FloatArray  # float[m+1], falling

    def __post_init__(self) -> None:
        for array in (self.x, self.y, self.thresholds):
            array.setflags(write=False)

    def area(self) -> float:
        """Area under straight lines between the points (trapezoids).

        >>> Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([np.inf, 0.5])).area()
        0.5
        """
        return float(np.sum(np.diff(self.x) * (self.y[1:] + self.y[:-1])) / 2)


@dataclass(frozen=True)
class Operating:
    """A threshold and the value reached by calling positive what scores at least that much."""

    threshold: float
    value: float


@dataclass(frozen=True, eq=False)
class Classification:
    """What scored labels are worth. None is undefined; `notes` says why and what was left out.

    Attributes
    ----------
    confusion : Confusion
        Of calling positive what scores `threshold` or more, and the ratios made of it.
    roc_auc : float or None
        Chance that a positive item scores above a negative one, ties counting half.
    average_precision : float or None
        Area under the PR curve as a sum of steps (scikit-learn's average_precision_score).
    pr_auc : float or None
        Area under the PR curve with straight lines between its points; too high where they lie
        far apart. Source: Davis & Goadrich (2006), doi:10.1145/1143844.1143874.
    brier : float or None
        Mean squared distance of score and label, when all scores lie in [0, 1].
    best_f1 : Operating or None
        The threshold with the highest F1 on these data.
    roc, pr : Curve or None
        (FPR, TPR) and (recall, precision), one point per distinct score.
    dropped : int
        Items left out because they have no label.
    """

    threshold: float
    confusion: Confusion
    roc_auc: float | None
    average_precision: float | None
    pr_auc: float | None
    brier: float | None
    best_f1: Operating | None
    roc: Curve | None
    pr: Curve | None
    dropped: int
    notes: tuple[Note, ...]

    @property
    def n(self) -> int:
        """Number of labelled items."""
        return self.confusion.n

    @property
    def positives(self) -> int:
        """Number of items whose label is positive."""
        return self.confusion.positives

    @property
    def negatives(self) -> int:
        """Number of items whose label is negative."""
        return self.confusion.negatives

    @property
    def prevalence(self) -> float:
        """Positives / n: the precision of calling everything positive."""
        return self.positives / self.n


@dataclass(frozen=True, eq=False)
class _Steps:
    """Counts of what scores at least each distinct score, from the highest score down."""

    thresholds: FloatArray  # float[m]
    tp: npt.NDArray[np.int64]  # int[m]
    fp: npt.NDArray[np.int64]  # int[m]

    @classmethod
    def of(cls, data: ScoredLabels) -> _Steps:
        levels, level = np.unique(data.scores, return_inverse=True)
        n = np.bincount(level, minlength=len(levels))
        positives = np.bincount(level[data.labels], minlength=len(levels))
        tp = np.cumsum(positives[::-1]).astype(np.int64)
        fp = np.cumsum((n - positives)[::-1]).astype(np.int64)
        return cls(levels[::-1].copy(), tp, fp)

    @property
    def positives(self) -> int:
        return int(self.tp[-1])

    @property
    def negatives(self) -> int:
        return int(self.fp[-1])


def classify(
    labels: Iterable[Any], scores: Iterable[Any], *, threshold: float = 0.5, positive: Any = None
) -> Classification:
    """Measure scores against labels of two values.

    Parameters
    ----------
    labels : one per item
        0/1 or true/false (numbers, booleans or text); any two values when `positive` is given.
        None and NaN are "no label": left out and counted.
    scores : one finite number per item
        Higher means more surely positive.
    threshold : float
        Items that score this much or more are called positive.
    positive : label, optional
        The label that counts as positive.

    >>> classify([1, 0, 1, 0], [0.5, 0.5, 0.7, 0.1]).roc_auc
    0.875
    """
    return classify_scored(ScoredLabels.of(labels, scores, positive=positive), threshold=threshold)


def classify_scored(data: ScoredLabels, *, threshold: float = 0.5) -> Classification:
    """Measure labels and scores that were read already, as by `read_scored`."""
    if not np.isfinite(threshold):
        raise InputError(Fault("threshold", "a finite number", repr(threshold)))
    steps = _Steps.of(data)
    roc, pr = _roc(steps), _pr(steps)
    return Classification(
        threshold=float(threshold),
        confusion=_confusion(data, threshold),
        roc_auc=_roc_auc(steps),
        average_precision=_average_precision(steps),
        pr_auc=None if pr is None else pr.area(),
        brier=_brier(data),
        best_f1=_best_f1(steps),
        roc=roc,
        pr=pr,
        dropped=data.dropped,
        notes=(*data.notes, *_notes(data, steps, threshold)),
    )


def _confusion(data: ScoredLabels, threshold: float) -> Confusion:
    called = data.scores >= threshold
    tp = int(np.count_nonzero(called & data.labels))
    fp = int(np.count_nonzero(called)) - tp
    fn = int(np.count_nonzero(data.labels)) - tp
    return Confusion(tp=tp, fp=fp, tn=len(data) - tp - fp - fn, fn=fn)


def _roc_auc(steps: _Steps) -> float | None:
    """P(positive scores above negative) + ½ P(they tie); undefined without both classes.

    AUC = U / (P N), U the Mann-Whitney statistic, counted in whole numbers and divided once.
    Source: Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747.
    """
    tp_before = np.concatenate([[0], steps.tp[:-1]])
    twice_u = int(np.sum(np.diff(steps.fp, prepend=0) * (tp_before + steps.tp)))
    return share(twice_u, 2 * steps.positives * steps.negatives)


def _average_precision(steps: _Steps) -> float | None:
    """Σ (recall_i - recall_{i-1}) precision_i over the distinct scores; undefined without positives.

    A sum of steps, without interpolation: agrees with scikit-learn's average_precision_score. Where no
    scores tie it is the AP of the ranking.
    """
    if not steps.positives:
        return None
    gained = np.diff(steps.tp, prepend=0) / steps.positives
    return float(np.sum(gained * (steps.tp / (steps.tp + steps.fp))))


def _brier(data: ScoredLabels) -> float | None:
    """Mean (score - label)², for scores that are probabilities. Source: Brier (1950)."""
    if data.scores.min() < 0 or data.scores.max() > 1:
        return None
    return float(np.mean((data.scores - data.labels) ** 2))


def _best_f1(steps: _Steps) -> Operating | None:
    """Highest F1 over all thresholds, at the highest threshold that reaches it; undefined without positives.

    Chosen on the data it is measured on, so it flatters: confirm the threshold on other data.
    """
    if not steps.positives:
        return None
    f1 = 2 * steps.tp / (steps.tp + steps.fp + steps.positives)
    best = int(np.argmax(f1))
    return Operating(float(steps.thresholds[best]), float(f1[best]))


def _roc(steps: _Steps) -> Curve | None:
    """(FPR, TPR) from (0, 0), nothing called positive, to (1, 1); undefined without both classes."""
    if not steps.positives or not steps.negatives:
        return None
    x = np.concatenate([[0], steps.fp]) / steps.negatives
    y = np.concatenate([[0], steps.tp]) / steps.positives
    return Curve(x, y, np.concatenate([[np.inf], steps.thresholds]))


def _pr(steps: _Steps) -> Curve | None:
    """(recall, precision) for every distinct score; undefined without positives.

    Nothing called positive has no precision: as scikit-learn does, the curve starts at (0, 1).
    """
    if not steps.positives:
        return None
    x = np.concatenate([[0], steps.tp]) / steps.positives
    y = np.concatenate([[1], steps.tp / (steps.tp + steps.fp)])
    return Curve(x, y, np.concatenate([[np.inf], steps.thresholds]))


def _notes(data: ScoredLabels, steps: _Steps, threshold: float) -> list[Note]:
    """Say which values are undefined and why, and a threshold that decides nothing."""
    notes = []
    if not steps.positives:
        text = "no item is positive: recall, ROC, PR and their areas are undefined"
        notes.append(Note("one_class", len(data), text))
    if not steps.negatives:
        text = "no item is negative: false positive rate, ROC and ROC-AUC are undefined"
        notes.append(Note("one_class", len(data), text))
    outside = int(np.count_nonzero((data.scores < 0) | (data.scores > 1)))
    if outside:
        text = f"{outside} of {len(data)} scores lie outside [0, 1]: the Brier score is undefined"
        notes.append(Note("not_probabilities", outside, text))
    low, high = float(data.scores.min()), float(data.scores.max())
    if not low < threshold <= high:
        called = "positive" if threshold <= low else "negative"
        text = f"the threshold {threshold:g} calls every item {called}: scores go from {low:g} to {high:g}"
        notes.append(Note("idle_threshold", len(data), text))
    tied = len(data) - len(steps.thresholds)
    if tied:
        distinct = len(steps.thresholds)
        text = f"{len(data)} items have {distinct} distinct scores: tied items are decided together"
        notes.append(Note("ties", tied, text))
    return notes
