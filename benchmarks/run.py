"""Measure rankgauge beside its peers: time, processor time and memory from files, dicts and frames, and imports.

    python benchmarks/run.py --sizes S M --repeat 5 --trec-eval PATH_OF_TREC_EVAL

Every call has a process of its own; rounds are interleaved, so that a busy moment hits all alike. All tools'
means are compared with each other: a difference makes the exit code 1. Only the standard library is imported
here, since a child's peak memory counts from its parent's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean, median

from contestants import MEASURES, TREC_EVAL, within_10
from saying import installed, talk

HERE = Path(__file__).resolve().parent
TOOLS = ("rankgauge", "pytrec_eval", "ir_measures", "ranx")
DISTRIBUTIONS = ("rankgauge", "polars", "numpy", "pytrec-eval-terrier", "ir-measures", "ranx")
EXACT = 1e-9
PRINTED = 5e-5 + EXACT  # trec_eval prints four decimals


@dataclass(frozen=True)
class Sample:
    """One process: its seconds, its processor seconds, its peak memory in MiB, and what it printed."""

    wall: float
    cpu: float
    memory: float
    output: str


@dataclass(frozen=True)
class Contestant:
    """One row of a table. Its first process only fills caches, unless `once`: then the first process is the row."""

    name: str
    command: tuple[str, ...]
    means: Callable[[str], dict[str, float]] | None = None
    inner: bool = False  # the process tells the seconds of the call itself
    tolerance: float = EXACT
    once: bool = False
    samples: list[Sample] = field(default_factory=list)


def environment(numba: Path) -> dict[str, str]:
    known = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    paths = [str(HERE.parent / "src"), *filter(None, [known.get("PYTHONPATH")])]
    return {**known, "PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(numba), "NO_COLOR": "1"}


def measured(contestant: Contestant, env: dict[str, str]) -> Sample:
    with tempfile.TemporaryFile("w+") as out:
        start = time.perf_counter()
        process = subprocess.Popen(contestant.command, stdout=out, env=env)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{contestant.name}: exit code {process.returncode}: {' '.join(contestant.command)}")
        out.seek(0)
        output = out.read()
    memory = used.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    if not contestant.inner:
        return Sample(wall, used.ru_utime + used.ru_stime, memory, output)
    told = json.loads(output)
    return Sample(told["wall"], told["cpu"], memory, output)


def raced(contestants: Sequence[Contestant], repeat: int) -> None:
    """Run all in interleaved rounds; samples are kept in the contestants."""
    with tempfile.TemporaryDirectory() as numba:
        env = environment(Path(numba))
        for contestant in contestants:
            talk(f"  first: {contestant.name}")
            first = measured(contestant, env)
            contestant.samples.extend([first] if contestant.once else [])
        for number in range(repeat):
            for contestant in contestants:
                if not contestant.once:
                    talk(f"  round {number + 1}: {contestant.name}")
                    contestant.samples.append(measured(contestant, env))


def from_files(folder: Path, tools: Sequence[str], trec_eval: Path | None) -> Iterator[Contestant]:
    files = (str(folder / "qrels.txt"), str(folder / "bm25.run"))
    options = [part for name in MEASURES for part in ("-m", name)]
    command = (sys.executable, "-m", "rankgauge", "evaluate", *files, *options)
    yield Contestant(
        "rankgauge (command)", (*command, "--convention", "trec_eval", "--format", "json"), told_by_command
    )
    for tool in tools:
        call = Contestant(tool, (sys.executable, str(HERE / "contestants.py"), tool, "files", *files), told_by_process)
        if tool == "ranx":
            yield replace(call, name="ranx (first call: compiles)", once=True, samples=[])
        yield call
    if trec_eval:
        # trec_eval keeps only the last cutoffs that are given for a measure.
        options = [part for name in [*TREC_EVAL[:-2], "recall.100,1000"] for part in ("-m", name)]
        yield Contestant(
            "trec_eval (C)", (str(trec_eval), "-q", *options, *files), told_by_trec_eval, tolerance=PRINTED
        )


def in_memory(folder: Path, tools: Sequence[str], form: str) -> Iterator[Contestant]:
    files = (str(folder / "qrels.txt"), str(folder / "bm25.run"))
    for tool in tools:
        command = (sys.executable, str(HERE / "contestants.py"), tool, form, *files)
        yield Contestant(tool, command, told_by_process, inner=True)


def imports(tools: Sequence[str]) -> Iterator[Contestant]:
    for name in ("polars", *tools):
        yield Contestant(f"import {name}", (sys.executable, "-c", f"import {name}"))
    yield Contestant("rankgauge --help", (sys.executable, "-m", "rankgauge", "--help"))


def told_by_process(output: str) -> dict[str, float]:
    return dict(json.loads(output)["means"])


def told_by_command(output: str) -> dict[str, float]:
    means = [row["mean"] for row in json.loads(output)["scores"]]
    return dict(zip(MEASURES, means, strict=True))


def told_by_trec_eval(output: str) -> dict[str, float]:
    """Means over the queries' printed values, so that RR can be cut at 10."""
    values: dict[str, list[float]] = {name.replace(".", "_"): [] for name in TREC_EVAL}
    for line in output.splitlines():
        name, query, value = line.split()
        if query != "all" and name in values:
            values[name].append(within_10(float(value)) if name == "recip_rank" else float(value))
    return {ours: fmean(values[name]) for ours, name in zip(MEASURES, values, strict=True)}


def differences(contestants: Sequence[Contestant]) -> list[str]:
    """Every mean that is not the first contestant's."""
    found = []
    expected: dict[str, float] = {}
    for contestant in contestants:
        if contestant.means is None:
            continue
        told = contestant.means(contestant.samples[-1].output)
        expected = expected or told
        for name, value in told.items():
            if not abs(value - expected[name]) <= contestant.tolerance:
                found.append(f"{contestant.name}, {name}: {value!r} instead of {expected[name]!r}")
    return found


def table(contestants: Sequence[Contestant], *, base: str, size: int | None) -> str:
    """A Markdown table; the base has ratio 1."""
    unit = median(s.wall for c in contestants if c.name == base for s in c.samples)
    share = " peak / file |" if size else ""
    lines = [f"| | wall s | min–max | × {base} | CPU s | peak MiB |{share}", "|---|" + "--:|" * (6 if size else 5)]
    for contestant in contestants:
        walls = [s.wall for s in contestant.samples]
        cpu, memory = (median(getattr(s, what) for s in contestant.samples) for what in ("cpu", "memory"))
        wall = median(walls)
        cells = f"{wall:.3f} | {min(walls):.3f}–{max(walls):.3f} | {wall / unit:.2f} | {cpu:.2f} | {memory:.0f} |"
        lines.append(f"| {contestant.name} | {cells}" + (f" {memory * 2**20 / size:.2f} |" if size else ""))
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", default=["S"], choices=["XS", "S", "M"])
    parser.add_argument("--forms", nargs="*", default=["files", "dicts", "frames", "imports"])
    parser.add_argument("--tools", nargs="*", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--repeat", type=int, default=5, help="rounds; each tool runs once in each")
    parser.add_argument("--trec-eval", type=Path, default=os.environ.get("TREC_EVAL"), help="trec_eval's program")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where inputs are kept from run to run")
    parser.add_argument("--json", type=Path, help="where all samples go; results.json beside the inputs if not given")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    tools = [tool for tool in given.tools if tool == "rankgauge" or find_spec(tool)]
    for tool in set(given.tools) - set(tools):
        talk(f"{tool} is not installed and is left out")
    sets: dict[str, list[Contestant]] = {}
    failures: list[str] = []
    for size in given.sizes:
        folder = given.data / size
        if not (folder / "qrels.txt").exists():
            subprocess.run([sys.executable, str(HERE / "data.py"), size, str(folder)], check=True)
        for form in [form for form in given.forms if form != "imports"]:
            title = f"{size} from {form}"
            talk(title)
            files = form == "files"
            made = from_files(folder, tools, given.trec_eval) if files else in_memory(folder, tools, form)
            sets[title] = list(made)
            raced(sets[title], given.repeat)
            length = (folder / "bm25.run").stat().st_size
            print(f"\n### {title} ({length / 1e6:.1f} MB as a file)\n")
            print(table(sets[title], base="rankgauge", size=length))
            failures += [f"{title}: {text}" for text in differences(sets[title])]
    if "imports" in given.forms:
        sets["imports"] = list(imports(tools))
        raced(sets["imports"], max(given.repeat, 10))
        print(f"\n### Imports\n\n{table(sets['imports'], base='import polars', size=None)}")
    write(given.json or given.data / "results.json", sets, failures)
    print("\n" + ("\n".join(["DIFFERENT VALUES", *failures]) if failures else "All tools found the same means."))
    return bool(failures)


def write(path: Path, sets: dict[str, list[Contestant]], failures: list[str]) -> None:
    rows = {
        title: [{"name": c.name, "samples": [{**asdict(s), "output": None} for s in c.samples]} for c in contestants]
        for title, contestants in sets.items()
    }
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    versions = {name: installed(name) for name in DISTRIBUTIONS}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"machine": machine, "versions": versions, "sets": rows, "different": failures}, indent=1)
    )


if __name__ == "__main__":
    sys.exit(main())
