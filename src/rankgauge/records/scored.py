"""ScoredLabels: one true label and one score per item, what a classification is measured on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import SHOWN_FAULTS, EmptyInputError, Fault, FormatError, InputError
from rankgauge.records._columns import frozen
from rankgauge.records.labels import Place, read_labels
from rankgauge.records.notes import Note


@dataclass(frozen=True, eq=False)
class ScoredLabels:
    """Labels and scores of the labelled items, read-only; what was left out stands in `notes`.

    >>> ScoredLabels.of(["yes", "no", None], [0.9, 0.2, 0.4], positive="yes").labels.tolist()
    [True, False]
    """

    labels: npt.NDArray[np.bool_]  # bool[n], True = positive
    scores: npt.NDArray[np.float64]  # float[n], finite
    dropped: int = 0
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, labels: Iterable[Any], scores: Iterable[Any], *, positive: Any = None) -> ScoredLabels:
        """Read lists, arrays or columns; labels of None or NaN are left out and counted.

        Parameters
        ----------
        labels : one per item
            0/1 or true/false; any two values when `positive` names one of them.
        scores : one finite number per item
            Higher means more surely positive.
        positive : label, optional
            The label that counts as positive.
        """
        kept = labels if isinstance(labels, np.ndarray) else list(labels)
        values, faults = _numbers(scores)
        if not faults and len(kept) != len(values):
            got = f"{len(kept)} labels and {len(values)} scores"
            faults = [Fault("labels, scores", "as many labels as scores", got, "pass one score per label")]
        if faults:
            raise InputError(faults[:SHOWN_FAULTS], len(faults))
        return cls.checked(kept, values, positive=positive, at=_at, error=InputError)

    @classmethod
    def checked(
        cls,
        labels: Iterable[Any],
        scores: npt.NDArray[np.float64],
        *,
        positive: Any,
        at: Place,
        error: type[InputError] = FormatError,
        faults: Sequence[Fault] = (),
        total: int = 0,
    ) -> ScoredLabels:
        """Build from columns of equal length whose rows `at` can name; raises all faults at once.

        `faults` were found before, the first of `total`.
        """
        read = read_labels(labels, positive=positive, at=at)
        bad = np.flatnonzero(~np.isfinite(scores))
        found = [*faults, *read.faults]
        total += len(read.faults) + len(bad)
        for row in bad[:SHOWN_FAULTS].tolist():
            advice = "give every item a score, or leave the item out"
            found.append(Fault(at("score", row), "a finite score", repr(float(scores[row])), advice))
        if total:
            raise error(found[:SHOWN_FAULTS], total)
        if not read.labelled.any():
            got = f"{len(scores)} items, none with a label"
            raise EmptyInputError(Fault("labels", "at least one labelled item", got))
        return cls._kept(read.positive, scores, read.labelled)

    @classmethod
    def _kept(
        cls,
        positive: npt.NDArray[np.bool_],
        scores: npt.NDArray[np.float64],
        labelled: npt.NDArray[np.bool_],
    ) -> ScoredLabels:
        truth, values = frozen(positive[labelled]), frozen(scores[labelled])
        dropped = int(len(labelled) - len(truth))
        text = f"{dropped} of {len(labelled)} items have no label and were left out"
        return cls(truth, values, dropped, (Note("unlabelled", dropped, text),) if dropped else ())


def _at(column: str, row: int) -> str:
    return f"{column}s[{row}]"


def _numbers(scores: Iterable[Any]) -> tuple[npt.NDArray[np.float64], list[Fault]]:
    """Scores as float64[n], and a fault for each that is no number; text is not read as a number."""
    given = scores if isinstance(scores, np.ndarray) else list(scores)
    try:
        array = np.asarray(given)
    except ValueError:  # rows of unequal length
        array = np.array(given, dtype=object)
    if array.ndim != 1:
        advice = "pass the positive class's scores, for example proba[:, 1]"
        got = f"an array of shape {array.shape}"
        return np.empty(0), [Fault("scores", "one score per item", got, advice)]
    if array.dtype.kind in "fiub" or not len(array):
        return array.astype(np.float64), []
    values, faults = np.empty(len(array)), []
    for row, value in enumerate(given):
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError
            values[row] = float(value)
        except (TypeError, ValueError):
            faults.append(Fault(_at("score", row), "a finite score", repr(value), "pass numbers"))
    return values, faults
