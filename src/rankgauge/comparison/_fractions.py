"""Smallest value of (A + Σ x d) / D(x) over all grades x of the holes: bounds of measures that have an ideal.

Notation: a query has m holes with gains x_j in [0, G], G the top gain. Numerator N(x) = A + Σ x_j d_j, d_j what
hole j's place in the run is worth more than its place in the baseline. D(x) = Σ_i w(i) g_(i) over the gains of
judged documents and holes in falling order, with weights w that do not rise: the ideal ranking of nDCG.

1. With F(n) = Σ_{i≤n} w(i), D(x) = ∫ F(number of gains above t) dt. Where all x_j are 0 or G, D depends on
   how many are G alone, so the best of these vertices switches on the c smallest d_j, for some c.
2. D is convex. Let λ be the smallest ratio. If λ ≥ 0, N - λD is concave and has its minimum 0 at a vertex. If
   λ < 0, N is negative somewhere, and so it is at the vertex that switches on every d_j < 0. So a smallest vertex
   that is not negative is the minimum.
3. If it is negative, N + |λ|D is convex and splits by the integral into one problem for each level t: switch on c
   holes so that the sum of the c smallest d_j plus |λ| F(J(t) + c) is least, J(t) the judged documents with a gain
   above t. The higher t, the fewer are switched on, since F is concave: the solutions fit together into one x,
   whose values are judged gains, 0 or G. Dinkelbach's (1967) iteration over λ then ends at the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.judged import FloatArray, IntArray, places

MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class Fractions:
    """The queries that have holes.

    Attributes
    ----------
    A : float64[Q], judged part of the numerator
    d : float64[U], of each hole
    query : int64[U], ascending
    above : int64[Q, L], judged documents with a gain above each level but the last
    width : float64[L], distance from each level to the next; they add up to G
    F : float64[n], F(0), F(1), ..., and so on as F(n)
    """

    A: FloatArray
    d: FloatArray
    query: IntArray
    above: IntArray
    width: FloatArray
    F: FloatArray

    def ideal(self) -> FloatArray:
        """D where every hole has no gain, float64[Q]."""
        found: FloatArray = (self.F[np.minimum(self.above, len(self.F) - 1)] * self.width).sum(axis=1)
        return found

    def smallest(self) -> FloatArray:
        """Smallest ratio of each query, float64[Q], over the grades for which D > 0; NaN where there are none."""
        worst = self._vertices()
        negative = np.flatnonzero(worst < 0)
        if len(negative):
            worst[negative] = self._inside(negative, worst[negative])
        return worst

    def largest(self) -> FloatArray:
        """Largest ratio of each query, float64[Q]."""
        return -Fractions(-self.A, -self.d, self.query, self.above, self.width, self.F).smallest()

    def _sums(self) -> FloatArray:
        """Sum of the c smallest d of each query, float64[Q, m+1]; infinite where it has fewer than c holes."""
        order = np.lexsort((self.d, self.query))
        query, d = self.query[order], self.d[order]
        counts = np.bincount(query, minlength=len(self.A))
        sums = np.zeros((len(self.A), int(counts.max(initial=0)) + 1))
        sums[query, places(query, len(self.A))] = d
        sums = np.cumsum(sums, axis=1)
        sums[np.arange(sums.shape[1]) > counts[:, None]] = np.inf
        return sums

    def _ideal(self, level: int, on: IntArray, which: IntArray | slice = slice(None)) -> FloatArray:
        """F(J(t) + c) at a level."""
        at = np.minimum(self.above[which, level][:, None] + on, len(self.F) - 1)
        found: FloatArray = self.F[at]
        return found

    def _vertices(self) -> FloatArray:
        sums = self._sums()
        on = np.arange(sums.shape[1])[None, :]
        ideal = sum((w * self._ideal(level, on) for level, w in enumerate(self.width)), np.zeros(sums.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(ideal > 0, (self.A[:, None] + self.width.sum() * sums) / ideal, np.inf)
        best: FloatArray = ratio.min(axis=1)
        return np.where(np.isinf(best), np.nan, best)

    def _inside(self, which: IntArray, start: FloatArray) -> FloatArray:
        sums, rows = self._sums()[which], np.arange(len(which))
        on = np.arange(sums.shape[1])[None, :]
        best = start
        for _ in range(MOST_STEPS):
            N, D = self.A[which].copy(), np.zeros(len(which))
            for level, width in enumerate(self.width):
                ideal = self._ideal(level, on, which)
                c = np.argmin(sums - best[:, None] * ideal, axis=1)
                N += width * sums[rows, c]
                D += width * ideal[rows, c]
            found = np.where(D > 0, N / np.where(D > 0, D, 1), best)
            if not (found < best).any():
                break
            best = np.minimum(best, found)
        return best
