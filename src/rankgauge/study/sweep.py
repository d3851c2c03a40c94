"""The sweep: for each depth and each second stage, how good the lists are, what they take and what they cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.engines.memory import evaluate
from rankgauge.engines.parts import whole
from rankgauge.errors import MethodError
from rankgauge.records import Note, Qrels, Run
from rankgauge.records._columns import FloatArray
from rankgauge.records.scores import Scores
from rankgauge.retrieval.pipeline import TwoStage
from rankgauge.retrieval.protocols import Hits, Retriever
from rankgauge.retrieval.rerank import SecondStage, Texts
from rankgauge.retrieval.running import run_of
from rankgauge.statistics.intervals import interval
from rankgauge.statistics.paired import paired_test
from rankgauge.statistics.results import Interval
from rankgauge.study.load import Latency, Load, machine, measured
from rankgauge.study.scoring import Kept, at_depth, scored

DEPTHS = (0, 10, 20, 50, 100, 200, 500, 1000)
MEASURE = "nDCG@10"
NO_STAGE = "first stage"
HOUR = 3600.0
MANY = 100
"""Requests below which the slowest is what stands for the 99th percentile."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Prices:
    """What is paid: per hour of one processor core, and per 1,000 scored pairs (an API's price)."""

    cpu_hour: float = 0.0
    pairs: float = 0.0

    def of(self, cpu: float, pairs: float) -> float:
        """Price of 1,000 queries of so many seconds of processor time, and so many pairs, each."""
        return 1000 * cpu / HOUR * self.cpu_hour + pairs * self.pairs


@dataclass(frozen=True, eq=False)
class Change:
    """The mean difference to the point before, paired by query, with its 95 % interval and p."""

    depth: int
    interval: Interval
    p: float | None

    @property
    def sure(self) -> bool:
        """Whether the interval leaves out 0."""
        ends = self.interval.low, self.interval.high
        return None not in ends and not ends[0] <= 0 <= ends[1]  # type: ignore[operator]


@dataclass(frozen=True, eq=False)
class Point:
    """One choice.

    Attributes
    ----------
    stage, depth : which second stage, on how many candidates
    mean : of the measure, with its interval over the queries
    unjudged : share of what the measure sees that nobody judged
    recall : of the candidates that are reranked, R@depth, None at depth 0
    change : against the next smaller depth of the stage, None for the smallest
    latency : of the whole answer, both stages
    pairs : that are scored per query, on average
    cost : of 1,000 queries, in the unit of the prices; None where there are no prices
    values : float64[Q], the measure of each query, NaN where it is undefined
    """

    stage: str
    depth: int
    mean: Interval
    unjudged: float
    recall: float | None
    change: Change | None
    latency: Latency
    pairs: float
    cost: float | None
    values: FloatArray

    @property
    def value(self) -> float:
        """The mean itself, NaN where no query has a value."""
        return np.nan if self.mean.estimate is None else self.mean.estimate

    @property
    def name(self) -> str:
        """What it is called."""
        return NO_STAGE if not self.depth else f"{self.stage}, depth {self.depth}"


@dataclass(frozen=True, eq=False)
class Sweep:
    """All points, the first stage alone first, then stage by stage with rising depth."""

    measure: str
    points: tuple[Point, ...]
    load: Load
    prices: Prices
    first: str
    queries: int
    on: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What is swept: depths of at least 0, the measure, the load, the prices."""

    depths: Sequence[int] = DEPTHS
    measure: str = MEASURE
    load: Load = field(default_factory=Load)
    prices: Prices = field(default_factory=Prices)

    def __post_init__(self) -> None:
        if not self.depths or min(self.depths) < 0:
            raise MethodError(f"depths: expected numbers of at least 0, got {list(self.depths)}")

    @property
    def rising(self) -> list[int]:
        """The depths above 0, each once."""
        return sorted({depth for depth in self.depths if depth})

    @property
    def candidates(self) -> int:
        """How many the first stage is asked for."""
        return max([*self.rising, 100])


@dataclass(frozen=True, eq=False)
class Engine:
    """What is swept over: a first stage, the texts, and second stages by name (`fp32`, `int8`, ...)."""

    retriever: Retriever
    texts: Texts
    stages: Mapping[str, SecondStage]
    identity: str = ""


def sweep(
    engine: Engine,
    queries: Mapping[str, str],
    qrels: Qrels,
    plan: Plan | None = None,
    *,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Score every query once at the greatest depth of each stage, judge each smaller depth, and time each depth.

    Parameters
    ----------
    queries : {id: text}; those without a judgment are left out, and counted
    folder : keeps what is done: the same sweep goes on there after a stop

    Raises
    ------
    MethodError
        Where no query has a judgment.
    InputError
        For a folder with other files in it, and for what the stages raise.
    """
    plan, say = plan or Plan(), progress or _silent
    judged = set(qrels.queries.to_list())
    asked = {query: text for query, text in queries.items() if query in judged}
    if not asked:
        raise MethodError("sweep: expected queries with judgments, got none in common; check the ids")
    kept = Kept.open(None if folder is None else Path(folder), _job(engine, asked, plan))
    first: dict[str, Hits] = {}
    for number, (query, text) in enumerate(asked.items(), 1):
        first[query] = engine.retriever.search(text, plan.candidates)
        say("first stage", number, len(asked))
    runs = _runs(engine, asked, first, plan, kept, say)
    values = {key: evaluate(qrels, run, plan.measure) for key, run in runs.items()}
    recalls = _recalls(qrels, runs[NO_STAGE, 0], plan.rising)
    points = _points(engine, asked, plan, first, values, recalls, kept, say)
    notes = [*values[NO_STAGE, 0].notes]
    if left := len(queries) - len(asked):
        notes.append(Note("queries without judgments", left, f"{left} of {len(queries)} queries have no judgment"))
    return Sweep(plan.measure, tuple(points), plan.load, plan.prices, engine.retriever.name, len(asked), machine(),
                 tuple(notes))  # fmt: skip


def _runs(
    engine: Engine, asked: Mapping[str, str], first: Mapping[str, Hits], plan: Plan, kept: Kept, say: Progress
) -> dict[tuple[str, int], Run]:
    """The run of each point, by stage and depth."""
    runs = {(NO_STAGE, 0): run_of(first, name=NO_STAGE)}
    for number, (name, stage) in enumerate(engine.stages.items()):
        told = partial(say, f"scoring, {name}")
        scores = scored(
            stage, asked, first, engine.texts, max(plan.depths), kept=kept, name=f"scores{number}", progress=told
        )
        for depth in plan.rising:
            runs[name, depth] = run_of(at_depth(first, scores, depth), name=f"{name}@{depth}")
    return runs


def _points(
    engine: Engine, asked: Mapping[str, str], plan: Plan, first: Mapping[str, Hits],
    values: Mapping[tuple[str, int], Scores], recalls: Mapping[int, float], kept: Kept, say: Progress,
) -> list[Point]:  # fmt: skip
    wanted = [key for key in values if key[1] or 0 in plan.depths]
    points: list[Point] = []
    for number, (stage, depth) in enumerate(wanted):
        say("timing", number, len(wanted))
        latency = _timed(engine, asked, plan, stage, depth, kept)
        pairs = float(np.mean([min(depth, len(hits)) for hits in first.values()]))
        scores = values[stage, depth]
        own, unjudged = scores.values[0, 0], float(scores.mean()["unjudged"].item())
        point = Point(
            stage, depth, interval(own, rng=np.random.default_rng(0)), unjudged, recalls.get(depth), None, latency,
            pairs, plan.prices.of(latency.cpu, pairs) if plan.prices != Prices() else None, own,
        )  # fmt: skip
        points.append(replace(point, change=_change(point, points)))
        say("timing", number + 1, len(wanted))
    return points


def _change(point: Point, before: Sequence[Point]) -> Change | None:
    """Compare with the point of the stage's next smaller depth; that of depth 0 is everybody's."""
    smaller = [one for one in before if one.stage in (point.stage, NO_STAGE)]
    if not smaller or not point.depth:
        return None
    other = smaller[-1]
    differences = point.values - other.values
    test = paired_test(differences, rng=np.random.default_rng(0))
    return Change(other.depth, interval(differences, method="t"), test.p)


def _recalls(qrels: Qrels, run: Run, depths: Sequence[int]) -> dict[int, float]:
    if not depths:
        return {}
    means = evaluate(qrels, run, [f"R@{depth}" for depth in depths]).mean()["mean"].to_list()
    return dict(zip(depths, means, strict=True))


def _timed(engine: Engine, asked: Mapping[str, str], plan: Plan, stage: str, depth: int, kept: Kept) -> Latency:
    """Measure a point, or take what is kept of it."""
    number = list(engine.stages).index(stage) if depth else 0
    file = None if kept.folder is None else kept.folder / f"latency{number}-{depth}.json"
    if file is not None and file.is_file():
        return Latency.of_json(json.loads(file.read_text()))
    pipeline = TwoStage(
        engine.retriever, engine.texts, engine.stages.get(stage), depth=depth, candidates=plan.candidates
    )
    found = measured(pipeline.answer, list(asked.values()), plan.load)
    if file is not None:
        whole(file, lambda path: path.write_text(json.dumps(found.as_json())))
    return found


def _job(engine: Engine, asked: Mapping[str, str], plan: Plan) -> dict[str, Any]:
    """What must be equal for a sweep to go on: not the prices, and not which depths up to the greatest."""
    texts = hashlib.sha256(json.dumps(list(asked.items())).encode()).hexdigest()
    return {"index": engine.identity, "first": engine.retriever.name, "documents": len(engine.retriever),
            "stages": {name: stage.name for name, stage in engine.stages.items()}, "queries": texts,
            "candidates": plan.candidates, "load": repr(plan.load)}  # fmt: skip


def _silent(step: str, done: int, total: int) -> None:
    """Say nothing."""
