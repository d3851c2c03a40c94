"""Confusion: the four counts of a decision, and the ratios made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass


def share(part: float, whole: float) -> float | None:
    """part / whole; nothing of nothing is undefined, None.

    >>> share(1, 4), share(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None


@dataclass(frozen=True)
class Confusion:
    """Counts of true and false positives and negatives. A ratio 0/0 is None: never NaN, never a silent 0.

    Formulas: Fawcett (2006), "An introduction to ROC analysis", doi:10.1016/j.patrec.2005.10.010.

    >>> c = Confusion(tp=3, fp=1, tn=4, fn=2)
    >>> c.accuracy, c.precision, c.recall
    (0.7, 0.75, 0.6)
    """

    tp: int
    fp: int
    tn: int
    fn: int

    @property
    def n(self) -> int:
        """TP + FP + TN + FN."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def positives(self) -> int:
        """TP + FN."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """TN + FP."""
        return self.tn + self.fp

    @property
    def accuracy(self) -> float | None:
        """(TP + TN) / (TP + FP + TN + FN): the share of right decisions."""
        return share(self.tp + self.tn, self.n)

    @property
    def balanced_accuracy(self) -> float | None:
        """(recall + specificity) / 2. Source: Brodersen et al. (2010), doi:10.1109/ICPR.2010.764."""
        if self.recall is None or self.specificity is None:
            return None
        return (self.recall + self.specificity) / 2

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP); undefined when nothing was called positive."""
        return share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN); undefined without positives."""
        return share(self.tp, self.positives)

    @property
    def tpr(self) -> float | None:
        """Recall by its other name, true positive rate: the y axis of the ROC curve."""
        return self.recall

    @property
    def fpr(self) -> float | None:
        """FP / (FP + TN), false positive rate: the x axis of the ROC curve."""
        return share(self.fp, self.negatives)

    @property
    def specificity(self) -> float | None:
        """TN / (TN + FP) = 1 - FPR; undefined without negatives."""
        return share(self.tn, self.negatives)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN): the harmonic mean of precision and recall."""
        return self.f(1)

    def f(self, beta: float) -> float | None:
        """(1 + β²) TP / ((1 + β²) TP + β² FN + FP): recall counts β times as much as precision.

        Undefined when there are no positives and none were called. Source: van Rijsbergen (1979), ch. 7.
        """
        hits = (1 + beta**2) * self.tp
        return share(hits, hits + beta**2 * self.fn + self.fp)

    @property
    def mcc(self) -> float | None:
        """(TP TN - FP FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [-1, 1].

        Undefined when a row or column of the table is empty. Source: Matthews (1975),
        doi:10.1016/0005-2795(75)90109-9.
        """
        margins = (self.tp + self.fp) * self.positives * self.negatives * (self.tn + self.fn)
        return share(self.tp * self.tn - self.fp * self.fn, math.sqrt(margins))
