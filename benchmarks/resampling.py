"""Measure rankgauge's statistics beside a loop over scipy's: time per row of paired differences, ratios.

    python benchmarks/resampling.py --runs 100 --queries 1000 --resamples 10000 --repeat 3

Rounds are interleaved, so that a busy moment hits both; a table shows medians. rankgauge takes all rows in one call.
scipy takes `--peer-rows` of them, one call each, since all would take minutes; the ratio is of CPU time per row. All
results are compared with each other, sampled ones within the error of sampling: a difference makes the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from statistics import median

import numpy as np
from scipy import stats

from rankgauge.statistics.corrections import randomized_tukey
from rankgauge.statistics.intervals import intervals
from rankgauge.statistics.paired import paired_tests

Floats = np.typing.NDArray[np.float64]


@dataclass(frozen=True)
class Contest:
    """One line of the table: rankgauge's call over all rows, the peer's over some, and how far they may part."""

    name: str
    peer: str
    rows: int
    peer_rows: int
    ours: Callable[[], Floats]
    theirs: Callable[[], Floats] | None
    tolerance: Callable[[Floats], Floats]
    our_walls: list[float] = field(default_factory=list)
    our_seconds: list[float] = field(default_factory=list)
    peer_seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def round(self) -> None:
        start, wall = time.process_time(), time.perf_counter()
        ours = self.ours()
        self.our_seconds.append(time.process_time() - start)
        self.our_walls.append(time.perf_counter() - wall)
        if self.theirs is None:
            return
        start = time.process_time()
        theirs = self.theirs()
        self.peer_seconds.append(time.process_time() - start)
        apart = np.abs(ours[: len(theirs)] - theirs)
        if not (apart <= self.tolerance(theirs)).all():
            self.failures.append(f"{self.name}: {apart.max():.3g} apart")

    @property
    def line(self) -> str:
        ours = median(self.our_seconds)
        walls = median(self.our_walls)
        mine = f"| {self.name} | {self.rows:,} | {walls:.3f} | {ours:.3f} | {1e3 * ours / self.rows:.3f} |"
        if not self.peer_seconds:
            return f"{mine} | | | |"
        each, theirs = ours / self.rows, median(self.peer_seconds) / self.peer_rows
        return f"{mine} {self.peer} | {self.peer_rows:,} | {1e3 * theirs:.3f} | {theirs / each:.0f} |"


def exact(values: Floats) -> Floats:
    return 1e-9 * np.maximum(1, np.abs(values))


def contests(given: argparse.Namespace) -> list[Contest]:
    rng = np.random.default_rng(1)
    hard = rng.beta(2, 3, given.queries)
    runs = np.clip(
        hard + rng.normal(0, 0.15, (given.runs, given.queries)) + rng.normal(0, 0.004, (given.runs, 1)), 0, 1
    )
    rows = runs[1:] - runs[0]
    left, right = np.triu_indices(given.runs, 1)
    pairs = runs[left] - runs[right]
    some = rows[: given.peer_rows]
    count = given.resamples

    def sampled(p: Floats) -> Floats:  # scipy doubles the smaller tail and with it its error
        return 5 * np.sqrt(3 * p / count) + 3 / count

    def wide(ends: Floats) -> Floats:  # an end of a 95% interval has an error of about 3 standard errors / √resamples
        return np.full(ends.shape, 25 * float(rows.std()) / np.sqrt(given.queries * count))

    def tests(method: str, which: Floats = rows) -> Callable[[], Floats]:
        return lambda: p_of(paired_tests(which, rng=rng, method=method, resamples=count))  # type: ignore[arg-type]

    def each(call: Callable[[Floats], float]) -> Callable[[], Floats]:
        return lambda: np.array([call(row) for row in some])

    def permuted(row: Floats) -> float:
        options = {"permutation_type": "samples", "n_resamples": count, "vectorized": True, "batch": 1000, "rng": rng}
        return float(stats.permutation_test((row,), lambda x, axis: x.mean(axis=axis), **options).pvalue)

    def covered(row: Floats) -> float:
        return float(stats.bootstrap((row,), np.mean, n_resamples=count, batch=1000, rng=rng).confidence_interval.low)

    def signs(row: Floats) -> float:
        return float(stats.binomtest(int((row > 0).sum()), int((row != 0).sum())).pvalue)

    def lows() -> Floats:
        return np.array([x.low for x in intervals(rows, rng=rng, resamples=count)])

    n, m = len(rows), len(some)
    against = "against a baseline"
    return [
        Contest(f"randomization {against}", "permutation_test", n, m, tests("randomization"), each(permuted), sampled),
        Contest("randomization of all pairs", "", len(pairs), 0, tests("randomization", pairs), None, sampled),
        Contest("BCa intervals", "bootstrap", n, m, lows, each(covered), wide),
        Contest(f"bootstrap {against}", "", n, 0, tests("bootstrap"), None, sampled),
        Contest(
            f"t {against}", "ttest_1samp", n, m, tests("t"), each(lambda row: stats.ttest_1samp(row, 0).pvalue), exact
        ),
        Contest(
            f"Wilcoxon {against}",
            "wilcoxon",
            n,
            m,
            tests("wilcoxon"),
            each(lambda row: stats.wilcoxon(row).pvalue),
            exact,
        ),
        Contest(f"sign {against}", "binomtest", n, m, tests("sign"), each(signs), exact),
    ]


def p_of(found: Sequence[object]) -> Floats:
    return np.array([test.p for test in found])  # type: ignore[attr-defined]


def tukey(given: argparse.Namespace) -> list[Contest]:
    """Randomized Tukey: one test each, so that a "row" is a permutation; scipy's takes fewer of them."""
    rng = np.random.default_rng(2)
    runs = rng.beta(2, 3, (given.runs, given.queries)) + rng.normal(0, 0.01, (given.runs, 1))
    observed = np.ptp(runs.mean(axis=1))

    def widest() -> Floats:
        found = randomized_tukey(runs, rng=rng, resamples=given.resamples)
        return np.array([found.p.min()])

    def scipys() -> Floats:
        def spread(*samples: Floats, axis: int) -> Floats:
            return np.ptp([x.mean(axis=axis) for x in samples], axis=0)

        found = stats.permutation_test(
            tuple(runs),
            spread,
            permutation_type="samples",
            n_resamples=given.peer_permutations,
            vectorized=True,
            batch=10,
            alternative="greater",
            rng=rng,
        )
        assert np.isclose(found.statistic, observed)
        return np.array([found.pvalue])

    def sampled(p: Floats) -> Floats:
        return 5 * np.sqrt(2 * np.maximum(p * (1 - p), 0.01) / given.peer_permutations) + 3 / given.peer_permutations

    name = "randomized Tukey, all pairs (row: permutation)"
    return [Contest(name, "permutation_test", given.resamples, given.peer_permutations, widest, scipys, sampled)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3, help="rounds; each call runs once in each")
    parser.add_argument("--peer-rows", type=int, default=10, help="rows that scipy takes, one call each")
    parser.add_argument("--peer-permutations", type=int, default=100, help="permutations of scipy's Tukey")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    rows = [*contests(given), *tukey(given)]
    for number in range(given.repeat):
        for contest in rows:
            print(f"  round {number + 1}: {contest.name}", file=sys.stderr, flush=True)
            contest.round()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    print(f"Python {platform.python_version()}, {versions}; {os.cpu_count()} cores, OMP_NUM_THREADS: {threads}")
    print(f"{given.runs} runs, {given.queries:,} queries, {given.resamples:,} resamples; {given.repeat} rounds\n")
    print(
        "| | rows | wall s | CPU s | CPU ms per row | scipy's | its rows | CPU ms per row | ratio |",
        "|---|--:|--:|--:|--:|---|--:|--:|--:|",
        sep="\n",
    )
    print("\n".join(contest.line for contest in rows))
    failures = [text for contest in rows for text in contest.failures]
    print("\n" + ("\n".join(["DIFFERENT VALUES", *failures]) if failures else "All values agree."))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
