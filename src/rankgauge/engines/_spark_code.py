"""What travels to Spark's executors: plans as bytes, functions by value, and this package where it is missing."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import io
import json
import pickle
import socket
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge import measures as builtin
from rankgauge.engines.plan import Plan
from rankgauge.errors import EngineError, Fault
from rankgauge.measures import REGISTRY, Measure
from rankgauge.measures._weights import DISCOUNTS, GAINS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGE = "rankgauge"
NEEDED = ("numpy", "polars", "pyarrow")
PROBES = 512


def packed(plan: Plan) -> bytes:
    """Write a plan so that `unpacked` reads it on another machine.

    What users declared themselves (measures, gains, discounts) goes along by value, code and all.
    """
    cloudpickle = importlib.import_module("pyspark.cloudpickle")
    measures = [(_known_name(m) or m.declared, m.chosen, m.cutoff) for m in plan.measures]
    own = [{name: f for name, f in known.items() if not _ours(f)} for known in (GAINS, DISCOUNTS)]
    modules = {f.__module__ for f in (*own[0].values(), *own[1].values())}
    modules |= {m.declared.formula.__module__ for m in plan.measures}
    modules |= {getattr(v, "__module__", None) or "" for m in plan.measures for _, v in m.chosen if callable(v)}
    by_value = [sys.modules[name] for name in modules if name in sys.modules and name.split(".")[0] != PACKAGE]
    by_value = [module for module in by_value if module.__name__ != "__main__"]
    for module in by_value:
        cloudpickle.register_pickle_by_value(module)
    try:
        found: bytes = cloudpickle.dumps((replace(plan, measures=()), measures, *own))
    finally:
        for module in by_value:
            cloudpickle.unregister_pickle_by_value(module)
    return found


def unpacked(written: bytes) -> Plan:
    """Read what `packed` wrote."""
    plan, measures, gains, discounts = pickle.loads(written)
    GAINS.update(gains)
    DISCOUNTS.update(discounts)
    found = [
        Measure(REGISTRY[one].declared if isinstance(one, str) else one, chosen, cutoff)
        for one, chosen, cutoff in measures
    ]
    known: Plan = replace(plan, measures=tuple(found))
    return known


def _known_name(measure: Measure) -> str | None:
    """Name of a measure that every installation knows."""
    known = getattr(builtin, measure.name, None)
    return measure.name if isinstance(known, Measure) and known.declared is measure.declared else None


def _ours(function: Any) -> bool:
    return str(function.__module__).split(".")[0] == PACKAGE


def remote(name: str, *arguments: Any) -> Callable[[Any], Iterator[Any]]:
    """Return a function for `mapInArrow` that runs one of `_spark_work` with these plain arguments.

    It travels by value and imports rankgauge only where it runs, so that an executor without it can say so.
    """

    def run(batches: Any) -> Iterator[Any]:
        try:
            work = importlib.import_module("rankgauge.engines._spark_work")
        except ImportError as error:
            raise RuntimeError(
                f"the executor on {socket.gethostname()}: expected rankgauge with numpy, polars and pyarrow, "
                f"got {error}; install rankgauge there, or call rankgauge.engines.spark.ship(session) first"
            ) from error
        yield from getattr(work, name)(batches, *arguments)

    return run


@functools.cache
def digest() -> str:
    """Tell this version of rankgauge from others by its code."""
    found = hashlib.sha256()
    for name, content in _sources():
        found.update(name.encode() + b"\0" + content)
    return found.hexdigest()[:16]


def _sources() -> list[tuple[str, bytes]]:
    """Every module of the package: its place in it, and its text. Works from a folder and from a zip."""

    def within(folder: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
        for entry in folder.iterdir():
            if entry.is_dir() and entry.name != "__pycache__":
                yield from within(entry, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".py"):
                yield f"{prefix}{entry.name}", entry.read_bytes()

    return sorted(within(resources.files(PACKAGE), f"{PACKAGE}/"))


def ship(session: SparkSession) -> None:
    """Send rankgauge to a session's executors; numpy, polars and pyarrow must be there."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _sources():
            archive.writestr(name, content)
    folder = Path(tempfile.mkdtemp(prefix="rankgauge-"))
    path = folder / f"{PACKAGE}-{digest()}.zip"
    path.write_bytes(written.getvalue())
    session.addArtifacts(str(path), pyfile=True)
    _CHECKED.discard(session)


@dataclass(frozen=True)
class Executor:
    """What one machine has: its name, the packages it lacks, and which rankgauge (empty for none)."""

    host: str
    lacks: tuple[str, ...]
    rankgauge: str


def executors(session: SparkSession) -> list[Executor]:
    """Ask the executors what they have; a plain function, which needs nothing there but Python."""
    kind = "pyspark.sql.connect.functions" if ".connect." in f"{type(session).__module__}." else "pyspark.sql.functions"
    functions = importlib.import_module(kind)
    asked = functions.udf(_probe(NEEDED), "string", useArrow=False)
    said = session.range(PROBES).select(asked(functions.col("id")).alias("said")).distinct().collect()
    found = [json.loads(row["said"]) for row in said]
    return [Executor(one["host"], tuple(one["lacks"]), one["rankgauge"]) for one in found]


def _probe(needed: tuple[str, ...]) -> Callable[[int], str]:
    def probe(_: int) -> str:
        lacks = [name for name in needed if importlib.util.find_spec(name) is None]
        there = ""
        if not lacks and importlib.util.find_spec("rankgauge") is not None:
            try:
                there = importlib.import_module("rankgauge.engines._spark_code").digest()
            except (ImportError, AttributeError) as error:
                there = f"one that cannot be used ({error})"
        return json.dumps({"host": socket.gethostname(), "lacks": lacks, "rankgauge": there}, sort_keys=True)

    return probe


_CHECKED: weakref.WeakSet[Any] = weakref.WeakSet()


def check(session: SparkSession) -> None:
    """Refuse executors that lack a package, or have another rankgauge than this; asks once per session.

    Raises EngineError.
    """
    if session in _CHECKED:
        return
    faults = []
    for one in executors(session):
        where = f"the executor on {one.host}"
        if one.lacks:
            got = f"none of {', '.join(one.lacks)}" if len(one.lacks) > 1 else f"no {one.lacks[0]}"
            faults.append(Fault(where, "numpy, polars and pyarrow", got, f"pip install {' '.join(one.lacks)} there"))
        elif one.rankgauge != digest():
            got = "none" if not one.rankgauge else f"another version ({one.rankgauge}, here {digest()})"
            advice = "install this version there, or send it: rankgauge.engines.spark.ship(session)"
            faults.append(Fault(where, "this version of rankgauge", got, advice))
    if faults:
        raise EngineError("\n".join(map(str, faults)))
    _CHECKED.add(session)
