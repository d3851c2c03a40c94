"""Which point of a sweep to take: the front, and the best under a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rankgauge.errors import MethodError
from rankgauge.statistics.intervals import interval
from rankgauge.study.sweep import Point, Sweep

LATENCIES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
UNITS = {"ms": 1e-3, "s": 1.0}
LIMIT = re.compile(r"\s*(?P<what>\w+)\s*(<=|=)\s*(?P<number>\d+(\.\d+)?)\s*(?P<unit>ms|s|)\s*")


@dataclass(frozen=True)
class Budget:
    """A limit that a point keeps or not: `p50`, `p95` or `p99` in seconds, or `cost` of 1,000 queries."""

    what: str
    most: float

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read a limit.

        Raises MethodError for anything else than p50, p95 or p99 with a unit, or cost without one.

        >>> Budget.parse("p99=300ms"), Budget.parse("cost=0.5")
        (Budget(what='p99', most=0.3), Budget(what='cost', most=0.5))
        """
        found = LIMIT.fullmatch(text)
        what, unit = (found["what"], found["unit"]) if found else ("", "")
        if found is None or (what in LATENCIES) != bool(unit) or what not in (*LATENCIES, "cost"):
            raise MethodError(f"budget: expected a limit such as p99=300ms or cost=0.5, got {text!r}")
        return cls(what, float(found["number"]) * UNITS.get(unit, 1.0))

    def keeps(self, point: Point) -> bool:
        """Whether a point stays within the limit."""
        return spent(point, self.what) <= self.most

    def __str__(self) -> str:
        return f"{self.what} <= {1000 * self.most:g} ms" if self.what in LATENCIES else f"cost <= {self.most:g}"


@dataclass(frozen=True, eq=False)
class Choice:
    """What a sweep comes to.

    Attributes
    ----------
    front : points that no other beats: at least as good, as fast and as cheap, and better in one of these
    best : the point of the highest mean within the budgets; None where none keeps them
    cheaper : the fastest point within the budgets whose difference to the best is not sure; may be the best itself
    """

    budgets: tuple[Budget, ...]
    front: tuple[Point, ...]
    best: Point | None
    cheaper: Point | None


def spent(point: Point, what: str) -> float:
    """Seconds or cost that a limit speaks of."""
    if what in LATENCIES:
        return point.latency.at(LATENCIES[what])
    if point.cost is None:
        raise MethodError("budget: expected prices for a budget of cost, got none; name them with --price")
    return point.cost


def choose(sweep: Sweep, budgets: Sequence[Budget] = ()) -> Choice:
    """Choose among the points; of equal means the faster.

    Raises MethodError for a budget of cost where there are no prices.
    """
    within = [point for point in sweep.points if all(budget.keeps(point) for budget in budgets)]
    best = max(within, key=lambda point: (point.value, -_slow(point)), default=None)
    cheaper = None
    if best is not None:
        cheaper = min((point for point in within if not surely_below(point, best)), key=_slow)
    return Choice(tuple(budgets), front(sweep.points), best, cheaper)


def front(points: Sequence[Point]) -> tuple[Point, ...]:
    """Leave out each point that another beats."""
    return tuple(point for point in points if not any(_beats(other, point) for other in points))


def surely_below(point: Point, best: Point) -> bool:
    """Whether the paired 95 % interval of the difference leaves out 0."""
    differences = best.values - point.values
    low = interval(differences, method="t").low
    return low is not None and low > 0


def _beats(one: Point, other: Point) -> bool:
    ours, theirs = _goods(one), _goods(other)
    return ours != theirs and all(mine >= yours for mine, yours in zip(ours, theirs, strict=True))


def _goods(point: Point) -> tuple[float, float, float]:
    return point.value, -_slow(point), -(point.cost or 0.0)


def _slow(point: Point) -> float:
    return point.latency.at(LATENCIES["p99"])
