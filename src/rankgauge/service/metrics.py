"""What is counted, in the form that Prometheus reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rankgauge._extras import optional

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0)
PREFIX = "rankgauge_"
KIND = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class Sample:
    """Values of one metric at this moment, by the values of its labels."""

    name: str
    help: str
    values: Mapping[tuple[str, ...], float]
    labels: tuple[str, ...] = ()
    counter: bool = False


class Metrics:
    """Counters and times of one gateway, in a registry of its own.

    Parameters
    ----------
    now : tells what is looked up at the moment of reading: queues, the breaker, the index
    """

    def __init__(self, now: Callable[[], Iterable[Sample]]) -> None:
        self._library = library = optional("prometheus_client", "the gateway", "serve")
        self.registry = library.CollectorRegistry()
        self.registry.register(_Now(now))
        within = {"registry": self.registry, "buckets": SECONDS}
        self._requests = library.Histogram(
            f"{PREFIX}request_seconds", "Time from a request's head to its answer's end.", ("path", "status"), **within
        )
        stages = library.Histogram(
            f"{PREFIX}stage_seconds", "Time of a search by stage; queue: waiting for a thread.", ("stage",), **within
        )
        self._stages = {name: stages.labels(name) for name in ("queue", "first", "second")}
        self._answers = library.Counter(
            f"{PREFIX}answers", "Searches answered: full, partial or skipped, and why not full.",
            ("status", "reason"), registry=self.registry,
        )  # fmt: skip
        self._caches = library.Counter(
            f"{PREFIX}cache", "Answers looked up in the cache.", ("outcome",), registry=self.registry
        )
        self._children: dict[tuple[Any, ...], Any] = {}

    def requested(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._child(self._requests, path, str(status)).observe(seconds)

    def answered(self, status: str, reason: str, seconds: Mapping[str, float]) -> None:
        """Count an answer, and what its stages took."""
        self._child(self._answers, status, reason).inc()
        for stage, taken in seconds.items():
            self._stages[stage].observe(taken)

    def looked_up(self, outcome: str) -> None:
        """Count a look into the cache."""
        self._child(self._caches, outcome).inc()

    def text(self) -> bytes:
        """Everything, as text."""
        found: bytes = self._library.generate_latest(self.registry)
        return found

    def _child(self, metric: Any, *labels: str) -> Any:
        key = (metric, *labels)
        if key not in self._children:
            self._children[key] = metric.labels(*labels)
        return self._children[key]


class _Now:
    """Looks values up when they are read."""

    def __init__(self, now: Callable[[], Iterable[Sample]]) -> None:
        self.now = now

    def collect(self) -> Iterable[Any]:
        """All of them, as the library wants them."""
        core = optional("prometheus_client.core", "the gateway", "serve")
        for one in self.now():
            family = core.CounterMetricFamily if one.counter else core.GaugeMetricFamily
            metric = family(PREFIX + one.name, one.help, labels=one.labels)
            for labels, value in one.values.items():
                metric.add_metric(labels, value)
            yield metric
