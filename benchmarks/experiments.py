"""Experiments whose truth is known: size and coverage of every interval of `rankgauge online ab`, and peeking.

    python benchmarks/experiments.py --samples 4000

The tables are those of docs/online.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.judged import FloatArray
from rankgauge.online.contrasts import Means, Proportions, bootstrap
from rankgauge.statistics.confidence_sequences import FEWEST, reach, tuning
from rankgauge.statistics.results import Interval
from rankgauge.statistics.sample_ratio import sample_ratio
from rankgauge.statistics.two_means import cuped, estimated, influences
from rankgauge.statistics.two_proportions import Counted

Rng = np.random.Generator


@dataclass
class Tally:
    """How often an interval held the truth, and how often p was below 0.05 where there is no difference."""

    held: int = 0
    alarms: int = 0
    asked: int = 0
    undefined: int = 0

    def add(self, found: Interval, truth: float, p: float | None) -> None:
        self.asked += 1
        if found.low is None or found.high is None:
            self.undefined += 1
            return
        self.held += found.low <= truth <= found.high
        self.alarms += p is not None and p < 0.05


def wald(a: Counted, b: Counted) -> tuple[Interval, float | None]:
    seen, spread = a.share - b.share, sum(x.share * (1 - x.share) / x.n for x in (a, b))
    half = 1.959964 * spread**0.5
    return Interval(seen, seen - half, seen + half, 0.95, "Wald", a.n + b.n), float(abs(seen) <= half)


def proportions(samples: int, rng: Rng) -> Iterator[list[str]]:
    for n, m, p, q in (
        (10000, 10000, 0.0046, 0.0046),
        (200, 200, 0.031, 0.031),
        (50, 20, 0.3, 0.3),
        (300, 300, 0.02, 0.06),
    ):
        tallies = {name: Tally() for name in ("Miettinen-Nurminen", "Newcombe", "Wald", "relative, score")}
        for x, y in zip(rng.binomial(n, p, samples).tolist(), rng.binomial(m, q, samples).tolist(), strict=True):
            a, b = Counted(x, n), Counted(y, m)
            score, hybrid = Proportions(a, b), Proportions(a, b, "newcombe")
            tallies["Miettinen-Nurminen"].add(score.difference(0.95), p - q, score.p())
            found = hybrid.difference(0.95)
            assert found.low is not None and found.high is not None
            tallies["Newcombe"].add(found, p - q, float(found.low <= 0 <= found.high))
            tallies["Wald"].add(wald(a, b)[0], p - q, wald(a, b)[1])
            tallies["relative, score"].add(score.relative(0.95), p / q - 1, score.p())
        for name, tally in tallies.items():
            yield row(f"{p:g} of {n:,}, {q:g} of {m:,}", name, tally, p == q)


def revenue(n: int, rng: Rng, more: float = 0.0) -> FloatArray:
    """Nothing for nine of ten units, else log-normal: mean 0.1 · exp(½) · (1 + more)."""
    return np.where(rng.random(n) < 0.1, rng.lognormal(0, 1, n) * (1 + more), 0.0)


def means(samples: int, rng: Rng) -> Iterator[list[str]]:
    draw: dict[str, tuple[Callable[[], FloatArray], Callable[[], FloatArray], float, float]] = {
        "normal, 10 and 40, spreads 1 and 3": (lambda: rng.normal(1, 1, 10), lambda: rng.normal(1, 3, 40), 0.0, 0.0),
        "revenue, 1,000 and 1,000": (lambda: revenue(1000, rng), lambda: revenue(1000, rng), 0.0, 0.0),
        "revenue +20%, 5,000 and 500": (
            lambda: revenue(5000, rng, 0.2), lambda: revenue(500, rng), 0.02 * np.exp(0.5), 0.2,
        ),
    }  # fmt: skip
    for name, (arm, control, truth, relative) in draw.items():
        plain, fieller = Tally(), Tally()
        for _ in range(samples):
            both = Means(*(estimated(*influences(values)) for values in (arm(), control())))
            plain.add(both.difference(0.95), truth, both.p())
            fieller.add(both.relative(0.95), relative, both.p())
        yield row(name, "Welch", plain, truth == 0)
        yield row(name, "relative, Fieller", fieller, truth == 0)


def users(n: int, rng: Rng, rate: float = 0.05) -> tuple[FloatArray, FloatArray]:
    """Clicks and impressions by user; who comes often clicks less, and each user has a rate of their own."""
    impressions = rng.geometric(0.1, n).astype(np.float64)
    own = rng.beta(1.0, 1.0 / rate - 1.0, n) * np.where(impressions > 10, 0.7, 1.3)
    return rng.binomial(impressions.astype(np.int64), np.minimum(own, 1)).astype(np.float64), impressions


def by_user(samples: int, n: int, rng: Rng) -> tuple[FloatArray, FloatArray]:
    y, x = users(samples * n, rng)
    return y.reshape(samples, n), x.reshape(samples, n)


PER_IMPRESSION = 0.7 * 0.9**10 * 2 + 1.3 * (1 - 0.9**10 * 2)
"""Clicks per impression by rate: 2 · 0.9^10 of all impressions are of users with more than 10."""


def ratios(samples: int, rng: Rng) -> Iterator[list[str]]:
    for n, m, more in ((50, 50, 0.0), (500, 500, 0.0), (500, 200, 0.2)):
        tallies = {name: Tally() for name in ("delta method", "bootstrap of units", "rows as units, score")}
        fieller, truth = Tally(), 0.05 * more * PER_IMPRESSION
        for at in range(samples):
            arm, control = users(n, rng, 0.05 * (1 + more)), users(m, rng)
            both = Means(*(estimated(*influences(*one)) for one in (arm, control)))
            tallies["delta method"].add(both.difference(0.95), truth, both.p())
            fieller.add(both.relative(0.95), more, None)
            shares = [Counted(int(y.sum()), int(x.sum())) for y, x in (arm, control)]
            rows = Proportions(shares[0], shares[1])
            tallies["rows as units, score"].add(rows.difference(0.95), truth, rows.p())
            if at < samples // 4:
                pairs = [np.column_stack(one) for one in (arm, control)]
                found = bootstrap(pairs[0], pairs[1], rng=rng, resamples=500, confidence=0.95)
                assert found.low is not None and found.high is not None
                tallies["bootstrap of units"].add(found, truth, float(found.low <= 0 <= found.high))
        for name, tally in (*tallies.items(), ("relative, Fieller", fieller)):
            yield row(f"clicks by impressions{' +20%' if more else ''}, {n} and {m} users", name, tally, not more)


def adjustments(samples: int, rng: Rng) -> Iterator[list[str]]:
    for rho in (0.0, 0.3, 0.6, 0.9):
        saved, tally = [], Tally()
        for _ in range(samples // 2):
            before = [rng.normal(size=500) for _ in range(2)]
            y = [rho * x + (1 - rho**2) ** 0.5 * rng.normal(size=500) for x in before]
            found = cuped(influences(y[0] + 0.1), influences(y[1]), (before[0], before[1]))
            both = Means(found.a, found.b)
            saved.append(found.reduction)
            tally.add(both.difference(0.95), 0.1, both.p())
        yield [f"{rho:g}", f"{rho**2:.3f}", f"{np.mean(saved):.3f}", f"{tally.held / tally.asked:.1%}",
               f"{tally.alarms / tally.asked:.1%}"]  # fmt: skip


def looks(y: FloatArray, x: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Estimate and variance of one unit's influence after each unit, float[samples, n]."""
    n = np.arange(1, y.shape[1] + 1)
    Y, YY = np.cumsum(y, axis=1), np.cumsum(y * y, axis=1)
    if x is None:
        return Y / n, np.maximum(YY - Y * Y / n, 0) / np.maximum(n - 1, 1)
    X, XX, XY = np.cumsum(x, axis=1), np.cumsum(x * x, axis=1), np.cumsum(x * y, axis=1)
    R = Y / X
    return R, (YY - 2 * R * XY + R * R * XX) / np.maximum(n - 1, 1) / (X / n) ** 2


def peeking(samples: int, rng: Rng, most: int) -> Iterator[list[str]]:
    """Both arms grow together; every look from 100 units of each on, 1,000 to `most` of each."""
    drawn: dict[str, Callable[[int], tuple[FloatArray, FloatArray | None]]] = {
        "normal": lambda size: (rng.normal(size=(size, most)), None),
        "revenue": lambda size: (revenue(size * most, rng).reshape(size, most), None),
        "proportion 0.03": lambda size: ((rng.random((size, most)) < 0.03).astype(np.float64), None),
        "clicks by impressions": lambda size: by_user(size, most, rng),
    }
    n = np.arange(1, most + 1)
    begins = n >= FEWEST
    for name, draw in drawn.items():
        for tightest_at in (2000, 2 * most):
            rho2 = tuning(tightest_at)
            width = np.array([reach(2 * int(k), rho2=rho2) for k in n])
            missed, naive = 0, 0
            for start in range(0, samples, 100):
                size = min(100, samples - start)
                (a, va), (b, vb) = (looks(*draw(size)) for _ in range(2))
                with np.errstate(divide="ignore", invalid="ignore"):
                    z = np.abs(a - b) / np.sqrt((va + vb) / n)
                z = np.where(np.isnan(z), 0, z)[:, begins]
                missed += int((z > width[begins]).any(axis=1).sum())
                naive += int((z > 1.96).any(axis=1).sum())
            yield [name, f"{tightest_at:,}", f"{most:,}", f"{missed / samples:.1%}", f"{naive / samples:.0%}"]


def splits(samples: int, rng: Rng) -> Iterator[list[str]]:
    for total, part in ((100_000, 0.5), (100_000, 0.49), (1_000_000, 0.498)):
        arms = rng.binomial(total, part, samples).tolist()
        flagged = np.mean([sample_ratio([n, total - n]).mismatch for n in arms])
        yield [f"{total:,}", f"{part:.1%}", f"{flagged:.2%}"]


def row(what: str, method: str, tally: Tally, same: bool) -> list[str]:
    defined = tally.asked - tally.undefined
    size = f"{tally.alarms / defined:.1%}" if same and not method.startswith("relative") else "-"
    return [what, method, f"{tally.held / defined:.1%}", size, str(tally.undefined)]


def table(title: str, heads: list[str], rows: Iterator[list[str]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for cells in rows:
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--most", type=int, default=10_000, help="units of each arm at the last look")
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    seeds = iter(np.random.SeedSequence(said.seed).spawn(6))

    def rng() -> Rng:
        return np.random.default_rng(next(seeds))

    heads = ["truth", "method", "holds the truth", "false alarms", "undefined"]
    table(f"Shares, {said.samples:,} experiments each", heads, proportions(said.samples, rng()))
    table(f"Means, {said.samples:,} experiments each", heads, means(said.samples, rng()))
    table("Ratios by user", heads, ratios(said.samples, rng()))
    table("CUPED, 500 units in each arm", ["correlation", "its square", "variance saved", "holds the truth",
                                          "found the 0.1"], adjustments(said.samples, rng()))  # fmt: skip
    heads = ["metric", "tightest at", "units of each arm", "sequence ever wrong", "fixed interval ever wrong"]
    looked = peeking(max(20, said.samples // 4), rng(), said.most)
    table("Looked at after every unit, no difference", heads, looked)
    table("Split checked at p < 0.001", ["units", "part of the first arm", "flagged"], splits(said.samples, rng()))


if __name__ == "__main__":
    main()
