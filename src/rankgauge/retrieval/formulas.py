"""BM25's formulas by name: what a term weighs, and what its frequency in a document is worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.errors import MethodError, did_you_mean
from rankgauge.records._columns import FloatArray, IntArray

Idf = Callable[[float, float], float]
Saturation = Callable[[FloatArray, FloatArray, float], FloatArray]

DELTA_L, DELTA_PLUS = 0.5, 1.0


@dataclass(frozen=True)
class Variant:
    """One BM25: score = Σ W(t) R(t, d) over the query's terms that stand in the document.

    idf(N, df) is W; saturation(tf, norm, k1) is R, with norm = 1 - b + b · length / average length.
    """

    name: str
    idf: Idf
    saturation: Saturation
    formula: str
    source: str = ""


def _lucene_idf(N: float, df: float) -> float:
    return math.log1p((N - df + 0.5) / (df + 0.5))


def _robertson_idf(N: float, df: float) -> float:
    # A term in more than half of the documents would count against those that have it.
    return max(0.0, math.log((N - df + 0.5) / (df + 0.5)))


def _saturation(tf: FloatArray, norm: FloatArray, k1: float) -> FloatArray:
    return tf / (tf + k1 * norm)


def _scaled(tf: FloatArray, norm: FloatArray, k1: float) -> FloatArray:
    return (k1 + 1) * tf / (tf + k1 * norm)


def _bm25l(tf: FloatArray, norm: FloatArray, k1: float) -> FloatArray:
    c = tf / norm + DELTA_L
    return (k1 + 1) * c / (k1 + c)


def _bm25_plus(tf: FloatArray, norm: FloatArray, k1: float) -> FloatArray:
    return DELTA_PLUS + _scaled(tf, norm, k1)


KAMPHUIS = "Kamphuis et al. (2020), doi:10.1007/978-3-030-45442-5_4"
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("lucene", _lucene_idf, _saturation, "ln(1 + (N - df + ½)/(df + ½)) · tf/(tf + k1 norm)", KAMPHUIS),
        Variant("tantivy", _lucene_idf, _scaled, "ln(1 + (N - df + ½)/(df + ½)) · (k1+1) tf/(tf + k1 norm)"),
        Variant(
            "robertson",
            _robertson_idf,
            _saturation,
            "max(0, ln((N - df + ½)/(df + ½))) · tf/(tf + k1 norm)",
            "Robertson & Zaragoza (2009), doi:10.1561/1500000019",
        ),
        Variant(
            "atire", lambda N, df: math.log(N / df), _scaled, "ln(N/df) · (k1+1) tf/(tf + k1 norm)",
            "Trotman et al. (2014), doi:10.1145/2682862.2682863",
        ),
        Variant(
            "bm25l", lambda N, df: math.log((N + 1) / (df + 0.5)), _bm25l,
            "ln((N + 1)/(df + ½)) · (k1+1)(c + ½)/(k1 + c + ½), c = tf/norm",
            "Lv & Zhai (2011), doi:10.1145/2009916.2010070",
        ),
        Variant(
            "bm25+", lambda N, df: math.log((N + 1) / df), _bm25_plus,
            "ln((N + 1)/df) · (1 + (k1+1) tf/(tf + k1 norm))",
            "Lv & Zhai (2011), doi:10.1145/2063576.2063584",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Scoring:
    """A variant with its parameters.

    >>> Scoring("lucene", k1=0.9, b=0.4)
    Scoring(variant='lucene', k1=0.9, b=0.4)
    """

    variant: str = "tantivy"
    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            near = did_you_mean(self.variant, VARIANTS) or f"; there are {', '.join(VARIANTS)}"
            raise MethodError(f"no BM25 variant named {self.variant!r}{near}")
        if not 0 <= self.k1 < math.inf:
            raise MethodError(f"k1: expected a number from 0, got {self.k1}")
        if not 0 <= self.b <= 1:
            raise MethodError(f"b: expected a number from 0 to 1, got {self.b}")

    @property
    def of(self) -> Variant:
        """The variant's functions."""
        return VARIANTS[self.variant]

    @property
    def is_tantivys(self) -> bool:
        """Whether these are the choices that are compiled into tantivy."""
        return self == replace(self, variant="tantivy", k1=1.2, b=0.75)

    def norm(self, length: FloatArray, average: float) -> FloatArray:
        """1 - b + b · length / average; without words anywhere, lengths do not matter."""
        return 1 - self.b + self.b * length / (average or 1.0)

    def weight(self, documents: float, containing: float) -> float:
        """W: what a term weighs that stands in this many documents."""
        return self.of.idf(documents, containing)

    def saturated(self, tf: FloatArray, norm: FloatArray) -> FloatArray:
        """R: what these frequencies are worth."""
        return self.of.saturation(tf, norm, self.k1)


def byte_length(length: IntArray) -> IntArray:
    """Lengths as Lucene and tantivy keep them, in one byte: exact up to 40, then rounded down to 4 binary digits.

    >>> byte_length(np.array([39, 40, 41, 42, 57, 1000])).tolist()
    [39, 40, 40, 42, 56, 984]
    """
    rest = np.maximum(length - 24, 0)
    shift = np.maximum(np.frexp(rest.astype(np.float64))[1] - 4, 0)
    return np.where(length < 24, length, 24 + (rest >> shift << shift))
