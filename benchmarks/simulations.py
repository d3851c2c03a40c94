"""Simulate statistics where the truth is known: coverage of intervals, size of tests, false alarms among many runs,
and what a trend flags.

    python benchmarks/simulations.py --samples 5000 --resamples 1000 --families 3000 --series 500

Prints Markdown tables of shares; each table says the standard error that its number of samples leaves.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.trend.expectation import Measured
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.comparison.trend.trend import SIGNS
from rankgauge.comparison.trend.walk import walk
from rankgauge.statistics import corrections
from rankgauge.statistics.corrections import benjamini_hochberg, holm, randomized_tukey
from rankgauge.statistics.equivalence import equivalence
from rankgauge.statistics.intervals import intervals
from rankgauge.statistics.paired import paired_tests

Floats = np.typing.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

SIZES = (10, 25, 50, 200)
LEVEL = 0.05
ZEROS, ONES = 0.2, 0.1
SHARING = 50
SHARED = f"randomized_tukey, {SHARING} to a relabelling"


@dataclass(frozen=True)
class Population:
    """Where values come from, and their true mean."""

    name: str
    draw: Draw
    mean: float


def spiked(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    which = rng.random(size)
    return np.where(which < ZEROS, 0, np.where(which < ZEROS + ONES, 1, rng.beta(2, 3, size)))


def differences(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Two systems of the same quality: each query gives both the same value half of the time."""
    return np.where(rng.random(size) < 0.5, 0, spiked(rng, size) - spiked(rng, size))


VALUES = (
    Population("normal", lambda rng, size: rng.normal(0.5, 0.2, size), 0.5),
    Population("skewed (exponential)", lambda rng, size: rng.exponential(0.3, size), 0.3),
    Population("like nDCG (20% 0, 10% 1)", spiked, ONES + (1 - ZEROS - ONES) * 0.4),
    Population("differences of nDCG, half 0", differences, 0.0),
)
NULLS = (
    Population("normal", lambda rng, size: rng.normal(0, 0.2, size), 0),
    Population("differences of nDCG, half 0", differences, 0),
    Population("asymmetric (exponential)", lambda rng, size: rng.exponential(0.2, size) - 0.2, 0),
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * 2 + "|--:" * (len(head) - 2) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def error(rate: float, samples: int) -> str:
    return f"standard error {np.sqrt(rate * (1 - rate) / samples):.4f}"


def coverage(given: argparse.Namespace) -> str:
    methods = ("t", "bca", "percentile")
    rows = []
    for population in VALUES:
        for n in SIZES:
            rng = np.random.default_rng([1, n])
            values = population.draw(rng, (given.samples, n))
            shares = []
            for method in methods:
                found = intervals(values, rng=rng, method=method, resamples=given.resamples)
                ends = np.array([[np.nan if x is None else x for x in (i.low, i.high)] for i in found])
                below, above = np.mean(ends[:, 1] < population.mean), np.mean(ends[:, 0] > population.mean)
                covered = np.mean((ends[:, 0] <= population.mean) & (population.mean <= ends[:, 1]))
                shares.append(f"{covered:.3f} ({100 * below:.1f}, {100 * above:.1f})")
            rows.append([population.name, str(n), *shares])
    said = f"Coverage of 95% intervals, {given.samples:,} samples each ({error(0.95, given.samples)});"
    said += " in brackets the percentage that lies below the true mean, and above it"
    return f"{said}\n\n{table(['values', 'n', *methods], rows)}"


def size(given: argparse.Namespace) -> str:
    methods = ("randomization", "t", "wilcoxon", "sign", "bootstrap")
    rows = []
    for population in NULLS:
        for n in SIZES:
            rng = np.random.default_rng([2, n])
            values = population.draw(rng, (given.samples, n))
            shares = []
            for method in methods:
                found = paired_tests(values, rng=rng, method=method, resamples=given.resamples)
                shares.append(np.mean([test.p is not None and test.p <= LEVEL for test in found]))
            rows.append([population.name, str(n), *(f"{share:.3f}" for share in shares)])
    said = f"Share of p ≤ {LEVEL} where the true mean is 0, {given.samples:,} samples each"
    return f"{said} ({error(LEVEL, given.samples)})\n\n{table(['differences', 'n', *methods], rows)}"


def families(given: argparse.Namespace) -> str:
    """Runs that do not differ, over queries that do: how often is any pair called different?"""
    rows = []
    for runs in (5, 20):
        left, right = np.triu_indices(runs, 1)
        for n in (25, 50):
            rng = np.random.default_rng([3, runs, n])
            alarms = dict.fromkeys(("none", "benjamini_hochberg", "holm", "randomized_tukey", SHARED), 0)
            for _ in range(given.families):
                values = np.clip(spiked(rng, (1, n)) + rng.normal(0, 0.1, (runs, n)), 0, 1)
                p = np.array([x.p or 1 for x in paired_tests(values[left] - values[right], method="t")])
                found = {"none": p, "benjamini_hochberg": benjamini_hochberg(p), "holm": holm(p)}
                found["randomized_tukey"] = randomized_tukey(values, rng=rng, resamples=given.permutations).p
                found[SHARED] = shared_tukey(values, rng, given.permutations)
                for name, corrected in found.items():
                    alarms[name] += bool((corrected <= LEVEL).any())
            rows.append([str(runs), str(n), *(f"{count / given.families:.3f}" for count in alarms.values())])
    said = f"Share of families with any p ≤ {LEVEL} where no run differs, {given.families:,} families each"
    return f"{said} ({error(LEVEL, given.families)})\n\n{table(['runs', 'n', *alarms], rows)}"


def shared_tukey(values: Floats, rng: np.random.Generator, permutations: int) -> Floats:
    """The test with relabellings that many permutations share, which else only large inputs have."""
    independent = corrections._INDEPENDENT
    try:
        corrections._INDEPENDENT = permutations * values.size // SHARING
        return randomized_tukey(values, rng=rng, resamples=permutations).p
    finally:
        corrections._INDEPENDENT = independent


def margins(given: argparse.Namespace) -> str:
    """True differences at the margin: how often are they called equivalent?"""
    margin = 0.05
    rows = []
    for population in NULLS:
        for n in SIZES:
            rng = np.random.default_rng([4, n])
            values = population.draw(rng, (given.samples, n)) + margin
            wrong = np.mean([equivalence(row, margin=margin, largest=10).equivalent for row in values])
            rows.append([population.name, str(n), f"{wrong:.3f}"])
    said = f"Share called equivalent (t) where the true difference is the margin, {given.samples:,} samples each"
    return f"{said} ({error(LEVEL, given.samples)})\n\n{table(['differences', 'n', 'equivalent'], rows)}"


@dataclass(frozen=True)
class Days:
    """How daily means vary where nothing changes.

    Attributes
    ----------
    queries : per day, whose values have the deviation 0.35
    between : deviation from day to day beyond that
    carried : how much of it the next day has too (AR(1))
    weekly : height of a wave over the days of the week
    """

    queries: int
    between: float
    carried: float = 0.0
    weekly: float = 0.0

    @property
    def sampling(self) -> float:
        return 0.35 / np.sqrt(self.queries)

    def draw(self, rng: np.random.Generator, days: int, drop: float, at: int) -> list[Measured]:
        steps = rng.normal(0, self.between, days) * np.append(1, np.full(days - 1, np.sqrt(1 - self.carried**2)))
        effect = np.array(list(itertools.accumulate(steps, lambda state, step: self.carried * state + step)))
        means = (
            0.4 + effect + rng.normal(0, self.sampling, days) + self.weekly * np.sin(np.arange(days) * 2 * np.pi / 7)
        )
        means -= drop * (np.arange(days) >= at)
        half, first = 1.96 * self.sampling, dt.date(2026, 1, 1)
        return [
            Measured(first + dt.timedelta(i), m, m - half, m + half, self.sampling, self.queries)
            for i, m in enumerate(means.tolist())
        ]


QUIET, DAYS_BEFORE, DAYS_AFTER = 90, 40, 14
TRENDS = (
    (Days(1000, 0.005), TrendRules()),
    (Days(1000, 0.005), TrendRules(slow=0)),
    (Days(1000, 0.005), TrendRules(window=14)),
    (Days(1000, 0.010), TrendRules()),
    (Days(100_000, 0.005), TrendRules()),
    (Days(200, 0.005), TrendRules()),
    (Days(1000, 0.005, carried=0.5), TrendRules()),
    (Days(100_000, 0.005, carried=0.5), TrendRules()),
    (Days(1000, 0.005, weekly=0.02), TrendRules()),
    (Days(1000, 0.005, weekly=0.02), TrendRules(seasonal=7)),
)


def trends(given: argparse.Namespace) -> str:
    """Days on which nothing changes, and days after a drop: how often is an alarm false, how soon is a drop found?"""
    rows = []
    for days, rules in TRENDS:
        rng = np.random.default_rng(5)
        signs = [_signs(days.draw(rng, QUIET, 0, 0), rules) for _ in range(given.series)]
        told = sum(len(one) for one in signs)
        starts = sum(int((np.diff(one != 0, prepend=False) & (one != 0)).sum()) for one in signs)
        shares = [f"{100 * sum(int((one != 0).sum()) for one in signs) / told:.1f}", f"{100 * starts / told:.1f}"]
        for drop in (0.02, 0.05):
            found = np.array([_found(days.draw(rng, DAYS_BEFORE + DAYS_AFTER, drop, DAYS_BEFORE), rules)
                              for _ in range(given.series)])  # fmt: skip
            shares += [f"{np.mean(found <= within):.2f}" for within in (1, 7, 14)]
        other = TrendRules()
        changed = [f"{name} {getattr(rules, name)}" for name in ("slow", "window", "seasonal")
                   if getattr(rules, name) != getattr(other, name)]  # fmt: skip
        rows.append([f"{days.queries:,}", ", ".join(changed) or "default", f"{days.between:g}", f"{days.carried:g}",
                     f"{days.weekly:g}", *shares])  # fmt: skip
    head = ["queries a day", "rules", "between days", "carried over", "weekly", "false alarm days per 100",
            "false alarms per 100 days"]  # fmt: skip
    head += [f"{drop} found {when}" for drop in (0.02, 0.05) for when in ("at once", "in 7 days", "in 14 days")]
    said = f"What a trend flags where nothing changes, and after a drop, {given.series:,} series each"
    return f"{said} (shares found: {error(0.5, given.series)})\n\n{table(head, rows)}"


def _signs(days: list[Measured], rules: TrendRules) -> np.typing.NDArray[np.int64]:
    """-1 for a drop, 1 for a rise, 0 for neither, of each day on which something can be told."""
    found = walk(days, rules).days
    return np.array([SIGNS.get(day.status, 0) for day in found if day.status != "too early"])


def _found(days: list[Measured], rules: TrendRules) -> float:
    """On which day after it a drop was flagged first."""
    found = walk(days, rules).days
    after = [number for number, day in enumerate(found[DAYS_BEFORE:], 1) if SIGNS.get(day.status) == -1]
    return after[0] if after else np.inf


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--families", type=int, default=3000)
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--series", type=int, default=500)
    parts = {part.__name__: part for part in (coverage, size, families, margins, trends)}
    parser.add_argument("--only", nargs="*", choices=list(parts), default=list(parts))
    given = parser.parse_args()
    for name in given.only:
        print(f"{parts[name](given)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
