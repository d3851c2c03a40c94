"""Pairs of yes-or-no outcomes: McNemar's exact test."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from rankgauge.errors import Fault, InputError
from rankgauge.statistics._samples import NO_QUERY, as_rows
from rankgauge.statistics.results import PairedTest

SAME = "no question has different outcomes"


def mcnemar(before: npt.ArrayLike, after: npt.ArrayLike) -> PairedTest:
    """Exact test of whether as many questions changed from right to wrong as from wrong to right.

    The statistic is the number that changed from wrong to right; p is two-sided, from the binomial distribution.

    Source: McNemar (1947), doi:10.1007/BF02295996. Agrees with statsmodels' mcnemar(exact=True).
    """
    rows = as_rows(np.stack([np.asarray(before, np.float64), np.asarray(after, np.float64)], axis=1), what="outcomes")
    kept = rows[~np.isnan(rows).any(axis=1)]
    check_binary(kept)
    up, down = int((kept[:, 1] > kept[:, 0]).sum()), int((kept[:, 1] < kept[:, 0]).sum())
    left_out, zeros = len(rows) - len(kept), len(kept) - up - down
    if not up + down:
        return PairedTest("mcnemar", None, None, len(kept), outcome=SAME if len(kept) else NO_QUERY, zeros=zeros,
                          left_out=left_out)  # fmt: skip
    p = min(1.0, 2 * float(special.bdtr(min(up, down), up + down, 0.5)))
    return PairedTest("mcnemar", float(up), p, len(kept), exact=True, zeros=zeros, left_out=left_out)


def check_binary(rows: npt.NDArray[np.float64]) -> None:
    """Raise InputError for an outcome other than 0 and 1."""
    wrong = rows[(rows != 0) & (rows != 1)]
    if len(wrong):
        raise InputError(Fault("outcomes", "0, 1 or NaN", str(wrong[0]), "one yes-or-no outcome each"))
