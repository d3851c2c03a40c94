"""Measure rankgauge on logs of many million rows, beside queries written by hand for other engines.

    python benchmarks/scale.py --data FOLDER --million-rows 10 --repeat 3
    python benchmarks/scale.py --data FOLDER --growth 1 10 50 100
    python benchmarks/scale.py --data FOLDER --million-rows 10 --executors 1 2

Every call has a process of its own; rounds are interleaved, so that a busy moment hits all alike. The means of all
contestants but the wrong one are compared with each other: a difference makes the exit code 1. Linux only. Only
the standard library is imported here, since a child's peak memory counts from its parent's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from saying import installed, talk
from scale_contestants import CONTESTANTS, WITHOUT_MEANS, WRONG, needs
from scale_processes import Sample, measured
from scale_queries import ONE, SIX

HERE = Path(__file__).resolve().parent
SETS = {"nDCG@10": ONE, "six measures": SIX}
DISTRIBUTIONS = ("rankgauge", "polars", "numpy", "pyarrow", "duckdb", "pyspark", "pandas")
EXACT = 1e-9
BASE = "rankgauge"
GROWING = ("rankgauge", "rankgauge, ranks trusted")
CLUSTERED = ("rankgauge on Spark", "rankgauge on Spark, ranks trusted")


@dataclass(frozen=True)
class Entry:
    """A contestant on a log: one row of a table, or a note why there is none."""

    name: str
    command: tuple[str, ...]
    samples: list[Sample] = field(default_factory=list)

    @property
    def failed(self) -> str | None:
        """Why there are no numbers."""
        bad = [sample.code for sample in self.samples if sample.code]
        return f"exit code {bad[0]}" if bad else None

    def means(self) -> list[float]:
        return list(json.loads(self.samples[-1].output)["means"])

    def spent(self, what: str) -> float:
        """Median of the seconds of the calls themselves, `seconds` or `cpu`."""
        return median(float(json.loads(sample.output)[what]) for sample in self.samples)


def entries(log: Path, measures: Sequence[str], names: Sequence[str], options: Sequence[str]) -> list[Entry]:
    script = str(HERE / "scale_contestants.py")
    return [
        Entry(name, (sys.executable, script, name, str(log), *measures, *options))
        for name in names
        if name not in WRONG or measures == ONE
    ]


def raced(contestants: Sequence[Entry], repeat: int) -> None:
    """Run all in interleaved rounds; one that fails is not run again."""
    env = environment()
    for number in range(repeat):
        for entry in contestants:
            if not entry.failed:
                talk(f"  round {number + 1}: {entry.name}")
                entry.samples.append(measured(entry.command, env))


def environment() -> dict[str, str]:
    known = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    paths = [str(HERE.parent / "src"), *filter(None, [known.get("PYTHONPATH")])]
    return {**known, "PYTHONPATH": os.pathsep.join(paths), "NO_COLOR": "1"}


def differences(contestants: Sequence[Entry]) -> list[str]:
    """Every mean that is not the first contestant's, of those that should be right."""
    right = [e for e in contestants if e.name not in WRONG | WITHOUT_MEANS and not e.failed]
    expected = right[0].means() if right else []
    return [
        f"{entry.name}: {mean!r} instead of {first!r}"
        for entry in right
        for mean, first in zip(entry.means(), expected, strict=True)
        if not abs(mean - first) <= EXACT
    ]


def table(contestants: Sequence[Entry], *, base: str, rows: int, measures: Sequence[str]) -> str:
    """A Markdown table; the base has ratio 1."""
    known = {entry.name: entry for entry in contestants if not entry.failed}
    wall_unit, cpu_unit = (_middle(known[base], what) if base in known else float("nan") for what in ("wall", "cpu"))
    lines = [
        f"| {', '.join(measures)} | wall s | min–max | the call | × {base} | CPU s | × {base} | peak MiB | mean |",
        "|---|" + "--:|" * 8,
    ]
    for entry in contestants:
        if entry.failed:
            lines.append(f"| {entry.name} | {entry.failed} |" + " |" * 7)
            continue
        walls = [s.wall for s in entry.samples]
        wall, cpu, memory = (_middle(entry, what) for what in ("wall", "cpu", "memory"))
        call = entry.spent("seconds")
        mean = "" if entry.name in WITHOUT_MEANS else f"{entry.means()[0]:.6f}"
        lines.append(
            f"| {entry.name} | {wall:.2f} | {min(walls):.2f}–{max(walls):.2f} | {call:.2f} | {wall / wall_unit:.2f} "
            f"| {cpu:.2f} | {cpu / cpu_unit:.2f} | {memory:.0f} | {mean} |"
        )
    return "\n".join(lines)


def growth(tables: Mapping[int, Sequence[Entry]], names: Sequence[str]) -> str:
    """Time per row and peak memory at each size, and how far from linear and flat they are."""
    lines = [
        "| | million rows | wall s | CPU s | CPU s of the call per million rows | peak MiB |",
        "|---|" + "--:|" * 5,
    ]
    said = []
    for name in names:
        paces, peaks = [], []
        for rows, contestants in tables.items():
            entry = next(e for e in contestants if e.name == name)
            wall, cpu, memory = (_middle(entry, what) for what in ("wall", "cpu", "memory"))
            pace = entry.spent("cpu") / rows * 1e6
            paces.append(pace)
            peaks.append(memory)
            lines.append(f"| {name} | {rows / 1e6:g} | {wall:.2f} | {cpu:.2f} | {pace:.3f} | {memory:.0f} |")
        off = max(abs(pace / paces[-1] - 1) for pace in paces)
        said.append(
            f"{name}: processor time per row within {off:.0%} of that of the largest log; "
            f"peak memory {min(peaks):.0f} to {max(peaks):.0f} MiB."
        )
    return "\n".join([*lines, "", *said])


def _middle(entry: Entry, what: str) -> float:
    return median(getattr(sample, what) for sample in entry.samples)


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[str]:
    """A standalone Spark master on loopback with workers of one core each; gives its address."""
    port, started = 17077, []
    home = Path(subprocess.run([sys.executable, "-c", "import pyspark; print(pyspark.__path__[0])"], check=True,
                               capture_output=True, text=True).stdout.strip())  # fmt: skip
    env = environment() | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(home)}
    base, address = [str(home / "bin" / "spark-class")], f"spark://127.0.0.1:{port}"
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port)]
    worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "-c", "1", "-m", "2g"]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for number, what in enumerate([master, *[[*worker, "-d", str(folder), address]] * workers]):
            with (folder / f"process-{number}.txt").open("w") as said:
                ports = ["--webui-port", "0"]
                started.append(subprocess.Popen([*base, what[0], *ports, *what[1:]], env=env, stdout=said, stderr=said))
        yield address
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def there(names: Sequence[str]) -> list[str]:
    """Those contestants whose engine is installed; the others are said."""
    missing = [name for name in names if not find_spec(needs(name))]
    for name in missing:
        talk(f"{name}: {needs(name)} is not installed; left out")
    return [name for name in names if name not in missing]


def written(given: argparse.Namespace, rows: int) -> Path:
    """The log of so many rows, written by a process of its own if it is not there."""
    command = [sys.executable, str(HERE / "scale_log.py"), "--data", str(given.data), "--million-rows", f"{rows / 1e6}"]
    command += ["--scattered"] if given.scattered else []
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    log = Path(made.stdout.strip())
    for path in log.glob("*.parquet"):  # into the page cache, so that nobody reads the disk first
        path.read_bytes()
    return log


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="where logs are kept from run to run")
    parser.add_argument("--million-rows", type=float, default=1)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--contestants", nargs="*", default=list(CONTESTANTS), choices=CONTESTANTS)
    parser.add_argument("--repeat", type=int, default=3, help="rounds; each contestant runs once in each")
    parser.add_argument("--growth", nargs="*", type=float, metavar="MILLIONS", help="only rankgauge, at these sizes")
    parser.add_argument("--executors", nargs="*", type=int, help="only rankgauge on a Spark cluster of so many workers")
    parser.add_argument("--scattered", action="store_true", help="no two rows of a query in one file")
    parser.add_argument("--memory", default="2GB", help="what rankgauge and DuckDB may use")
    parser.add_argument("--heap", default="4g", help="of Spark's driver, which is all of it on one machine")
    parser.add_argument("--json", type=Path, help="where all samples go; scale.json beside the logs if not given")
    return parser.parse_args()


def compared(given: argparse.Namespace, rows: int, names: Sequence[str], *options: str) -> dict[str, list[Entry]]:
    log, found = written(given, rows), {}
    size = sum(path.stat().st_size for path in log.glob("*.parquet"))
    for title in given.sets:
        talk(f"{rows / 1e6:g} million rows, {title}")
        contestants = entries(log, SETS[title], names, ["--memory", given.memory, "--heap", given.heap, *options])
        raced(contestants, given.repeat)
        base = BASE if BASE in names else names[0]
        print(f"\n### {title}, {rows / 1e6:g} million rows ({size / 1e6:.0f} MB of parquet)\n")
        print(table(contestants, base=base, rows=rows, measures=SETS[title]), flush=True)
        found[f"{title}, {rows}{''.join(options)}"] = contestants
    return found


def main() -> int:
    given = arguments()
    rows = round(given.million_rows * 1e6)
    sets: dict[str, list[Entry]] = {}
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(f"Machine: {machine}.", ", ".join(f"{name} {installed(name) or '-'}" for name in DISTRIBUTIONS))
    if given.growth:
        names = there([name for name in given.contestants if name in GROWING])
        for title in given.sets:
            one = argparse.Namespace(**vars(given) | {"sets": [title]})
            sizes = [round(millions * 1e6) for millions in given.growth]
            tables = {size: next(iter(compared(one, size, names).values())) for size in sizes}
            sets |= {f"{title}, growth, {size}": contestants for size, contestants in tables.items()}
            print(f"\n### Growth, {title}\n\n{growth(tables, names)}", flush=True)
    elif given.executors:
        names = there([name for name in given.contestants if name in CLUSTERED])
        for workers in given.executors:
            with cluster(workers, given.data / "cluster") as address:
                print(f"\n## {workers} workers of one core")
                found = compared(given, rows, names, "--master", address)
                sets |= {f"{title}, {workers} workers": contestants for title, contestants in found.items()}
    else:
        sets = compared(given, rows, there(given.contestants))
    failures = [f"{title}: {text}" for title, contestants in sets.items() for text in differences(contestants)]
    write(given.json or given.data / "scale.json", sets, failures)
    failed = [f"{title}: {e.name}: {e.failed}" for title, some in sets.items() for e in some if e.failed]
    print("\n" + "\n".join(["DIFFERENT VALUES", *failures] if failures else ["All but the wrong query agree."]))
    print("\n".join(failed))
    return bool(failures or failed)


def write(path: Path, sets: Mapping[str, Sequence[Entry]], failures: Sequence[str]) -> None:
    rows = {title: [{"name": e.name, "samples": [asdict(s) for s in e.samples]} for e in some]
            for title, some in sets.items()}  # fmt: skip
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    versions = {name: installed(name) for name in DISTRIBUTIONS}
    told = {"machine": machine, "versions": versions, "sets": rows, "different": list(failures)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    sys.exit(main())
