"""How alike two runs are, query by query, whatever is relevant; and how alike two orders of systems are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray
from rankgauge.measures import _concordance
from rankgauge.measures._pairing import AnyRun, Similarity, Ties, pairing
from rankgauge.measures._rbo import rank_biased_overlap
from rankgauge.records.notes import examples
from rankgauge.records.run import TieOrder


def rbo(a: AnyRun, b: AnyRun, *, p: float = 0.9, depth: int | None = None, ties: Ties = "docid-desc") -> Similarity:
    """Rank-biased overlap: agreement of the first d documents, for a reader who goes on with probability p.

    RBO = (1-p) Σ_d p^(d-1) · |A_d ∩ B_d| / d, where agreement below the ends goes on as it was (RBO_EXT);
    `low` is RBO_MIN, where nothing below the ends agrees, `high` is RBO_MAX, and `residual` their difference.

    Parameters
    ----------
    p : 0.9 puts 86% of the weight on the first 10 documents
    depth : compare only the first so many documents
    ties : order of documents with equal scores; "expected" is the mean over all orders (RBO^a of Corsi & Urbano),
        under which a run with ties does not agree fully with itself

    Source: Webber, Moffat & Zobel (2010), equations 11, 30 and 32, doi:10.1145/1852102.1852106.

    >>> rbo({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}, p=0.5).values.tolist()
    [0.5]
    """
    if not 0 < p < 1:
        raise ParameterError(f"rbo: expected p to be a number in (0, 1), got {p!r}")
    pair = pairing(a, b, ties, depth)
    found = [rank_biased_overlap(one.a, one.b, p) for one in pair]
    values, low, high = (np.array(column) for column in zip(*found, strict=True))
    return pair.result(f"RBO(p={p:g})" + ("" if depth is None else f"@{depth}"), values, low, high)


def overlap(a: AnyRun, b: AnyRun, *, k: int = 10, ties: TieOrder = "docid-desc") -> Similarity:
    """Share of the first k documents that two rankings have in common; k shrinks to the longer ranking's length.

    overlap@k = |A_k ∩ B_k| / max(|A_k|, |B_k|)
    """
    pair = pairing(a, b, ties, k)
    return pair.result(f"overlap@{k}", np.array([len(one.a.first) / max(one.a.size, one.b.size) for one in pair]))


def kendall_tau(a: AnyRun, b: AnyRun) -> Similarity:
    """Kendall's τ_b of the scores that two runs give their common documents.

    τ_b = (concordant - discordant) / √((pairs - tied in a)(pairs - tied in b))

    It is undefined with fewer than two common documents, and where one run ties them all. `alone` counts the
    documents that it does not see: where these are many, prefer `rbo`.

    Source: Kendall (1945), doi:10.1093/biomet/33.3.239.
    """
    pair = pairing(a, b, "docid-desc", None)
    return pair.result("kendall_tau", np.array([_concordance.tau_b(one.score_a, one.score_b) for one in pair]))


def tau_ap(a: AnyRun, b: AnyRun, *, symmetric: bool = True) -> Similarity:
    """AP correlation of two runs on their common documents: a swap at the top costs more than one below.

    τ_AP = 2/(n-1) Σ_{i=2..n} C(i) / (i-1) - 1, C(i) of the documents above rank i in b are above it in a too

    Parameters
    ----------
    symmetric : mean of both directions, τ_AP,b; else `a` is the reference and `b` its estimate

    Documents that `b` ties are not above each other, and a pair that only the other run ties is not in the
    same order: without ties this is Yilmaz's coefficient, with them that of Urbano & Marrero.

    Source: Yilmaz, Aslam & Robertson (2008), doi:10.1145/1390334.1390435; Urbano & Marrero (2017),
    doi:10.1145/3121050.3121106.
    """
    pair = pairing(a, b, "docid-desc", None)
    values = [_tau_ap(one.score_a, one.score_b, symmetric) for one in pair]
    return pair.result("tau_ap" if symmetric else "tau_ap(symmetric=False)", np.array(values))


def rank_correlation(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    method: Literal["kendall", "tau_ap"] = "kendall",
    symmetric: bool = True,
) -> float:
    """Correlation of two orders of the same systems, each given as {system: score}; NaN where undefined.

    Parameters
    ----------
    method : Kendall's τ_b, or the AP correlation, which looks at the best systems first
    symmetric : of tau_ap: mean of both directions; else `a` holds the true scores, `b` their estimates

    >>> rank_correlation({"bm25": 0.3, "dense": 0.4, "rrf": 0.5}, {"bm25": 0.2, "dense": 0.7, "rrf": 0.6})
    0.3333333333333333
    """
    if differ := a.keys() ^ b.keys():
        got = f"{examples(sorted(differ))} in only one of the two"
        raise InputError(Fault("rank_correlation", "the same systems on both sides", got))
    x, y = (np.array([side[system] for system in a], dtype=np.float64) for side in (a, b))
    for side, values in (("a", x), ("b", y)):
        if np.isnan(values).any():
            system = list(a)[int(np.isnan(values).argmax())]
            raise InputError(Fault(f"rank_correlation, {side}, system {system!r}", "a score", "NaN"))
    if method == "kendall":
        return _concordance.tau_b(x, y)
    if method == "tau_ap":
        return _tau_ap(x, y, symmetric)
    raise ParameterError(f"rank_correlation: expected method to be 'kendall' or 'tau_ap', got {method!r}")


def _tau_ap(x: FloatArray, y: FloatArray, symmetric: bool) -> float:
    there = _concordance.tau_ap(x, y)
    return (there + _concordance.tau_ap(y, x)) / 2 if symmetric else there
