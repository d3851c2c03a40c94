"""Checks of what the set can decide: differences it can show, measures and queries that add nothing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.registry import Found, Skipped, check, weigh
from rankgauge.checkup.wording import percent, queries
from rankgauge.judged import FloatArray
from rankgauge.measures._concordance import tau_b
from rankgauge.statistics.power import detectable, sample_size

SMALL_DIFFERENCE = 0.02
RUNS_FOR_TAU = 3


@check(
    do="judge more queries, or do not expect to see smaller differences",
    finds=("warning",),
    needs=("runs",),
)
def detectable_difference(e: Evidence) -> Iterator[Found | Skipped]:
    """How small a difference these queries can show with a paired test.

    The spread is that of the paired differences of the given runs, the median over pairs; with one run, the
    spread of its values times √2, as if the other run were independent of it.
    """
    for number, measure in enumerate(e.measures):
        found = _spread(e.values[:, number])
        if found is None:
            yield Skipped(f"{measure}: fewer than two queries have a value in two runs")
            continue
        sd, n = found
        if sd == 0:
            yield Skipped(f"{measure}: the runs have the same value on every query")
            continue
        power, alpha, wished = e.limits.power, e.limits.alpha, (e.limits.difference, SMALL_DIFFERENCE)
        smallest = detectable(n, sd=sd, power=power, alpha=alpha)
        wanted, small = (sample_size(d, sd=sd, power=power, alpha=alpha) for d in wished)
        source = "differences of the given runs" if len(e.runs) > 1 else "values of one run, times √2"
        says = (
            f"{measure}: these {queries(n)} show a difference of {smallest:.3f} with {percent(e.limits.power)} power; "
            f"{e.limits.difference:g} takes {queries(wanted)}, {SMALL_DIFFERENCE:g} takes {small:,} "
            f"(sd {sd:.3f}, from {source})"
        )
        yield Found("warning" if smallest > e.limits.difference else "ok", n, wanted, says)


def _spread(values: FloatArray) -> tuple[float, int] | None:
    """Standard deviation of paired differences and number of queries, from float64[runs, Q]."""
    if len(values) == 1:
        defined = values[0][~np.isnan(values[0])]
        return (float(np.std(defined, ddof=1)) * math.sqrt(2), len(defined)) if len(defined) > 1 else None
    spreads, sizes = [], []
    for a, b in itertools.combinations(values, 2):
        difference = (a - b)[~np.isnan(a - b)]
        if len(difference) > 1:
            spreads.append(float(np.std(difference, ddof=1)))
            sizes.append(len(difference))
    return (float(np.median(spreads)), int(np.median(sizes))) if spreads else None


@check(do="report one of them: agreement between such measures is no second witness", finds=("info",),
       needs=("runs", "two measures"))  # fmt: skip
def same_story(e: Evidence) -> Iterator[Found | Skipped]:
    """Requested measures that say the same on these runs: per-query correlation, and Kendall's tau of the runs."""
    pairs = list(itertools.combinations(range(len(e.measures)), 2))
    told, most = [], (-2.0, "no pair of measures varies together")
    for a, b in pairs:
        r = _pearson(e.values[:, a].ravel(), e.values[:, b].ravel())
        if math.isnan(r):
            continue
        said = f"{e.measures[a]} and {e.measures[b]}: r = {r:.4f}{_tau(e.values[:, a], e.values[:, b])}"
        most = max(most, (r, said))
        if r >= e.limits.same_story:
            told.append((r, said))
    if most[0] < -1:
        yield Skipped("no two measures vary over these queries")
        return
    says = f"{len(told)} of {len(pairs)} pairs of measures correlate query by query at {e.limits.same_story:g} or more"
    says += f"; closest {most[1]}"
    example = "; ".join(said for _, said in sorted(told, reverse=True)[1:3])
    yield Found("info" if told else "ok", len(told), len(pairs), says, example)


def _pearson(x: FloatArray, y: FloatArray) -> float:
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return min(1.0, float(np.corrcoef(x, y)[0, 1]))


def _tau(a: FloatArray, b: FloatArray) -> str:
    """Kendall's τ_b of the runs' means, in words; nothing for too few runs."""
    if len(a) < RUNS_FOR_TAU:
        return ""
    means = [np.nanmean(side, axis=1) for side in (a, b) if not np.isnan(side).all(axis=1).any()]
    return f", tau of the runs {tau_b(*means):.4f}" if len(means) == len("ab") else ""


@check(
    do="add queries on which the systems differ: easier or harder ones, or judge more documents of these",
    finds=("warning", "info"),
    needs=("two runs",),
)
def undecided_queries(e: Evidence) -> Iterator[Found | Skipped]:
    """Queries on which all runs have the same value: they carry no evidence."""
    for number, measure in enumerate(e.measures):
        values = e.values[:, number]
        defined = ~np.isnan(values).any(axis=0)
        of = int(defined.sum())
        if not of:
            yield Skipped(f"{measure}: no query has a value in every run")
            continue
        same = defined & (np.ptp(np.where(defined, values, 0.0), axis=0) == 0)
        count = int(same.sum())
        severity = weigh(count / of, info=0.25, warning=e.limits.undecided)
        says = f"{measure}: all runs score the same on {queries(count)} of {of:,} ({percent(count / of)})"
        at = int(same.argmax())
        example = f"query {e.name(at)!r}: {values[0, at]:.4f}" if count else ""
        yield Found(severity, count, of, says, example)


@check(do="add harder queries, or judge with finer grades: improvements cannot show here", finds=("warning",),
       needs=("runs",))  # fmt: skip
def ceiling(e: Evidence) -> Iterator[Found]:
    """Measures on which every run is nearly perfect."""
    full, of = [], 0
    for number, measure in enumerate(e.measures):
        values = e.values[:, number]
        if measure.range[1] != 1.0 or np.isnan(values).all(axis=1).any():
            continue
        of += 1
        least = float(np.nanmean(values, axis=1).min())
        if least > e.limits.ceiling:
            full.append(f"{measure}: {least:.4f} or more")
    says = f"every run has a mean above {e.limits.ceiling:g} on {len(full)} of {of} measures"
    yield Found("warning" if full else "ok", len(full), of, says, full[0] if full else "")
