"""How often unjudged documents lead to the wrong decision, and what helps: a study on complete judgments.

A collection's judgments are taken as the truth. Each draw plays one incumbent whose first k documents were judged,
with those of up to four other runs, and a challenger whose documents were judged only as far as they are in that
pool. The challenger less the incumbent is then measured on the pool's judgments under each policy, and its sign
compared with that of the truth:

    python benchmarks/unjudged.py COLLECTION... [--draws 1500] [--rule module:function] [--json out.json]

A collection is a folder with `qrels.txt` or `qrels.txt.gz` and a folder `runs`. `--rule` names a function of
(qrels, baseline, run, measure, seed) that returns a word, as "better", "worse" or any other: the table says how often
it gave each, and how often "better" or "worse" was wrong. `--rule unjudged:verdict` is rankgauge's own.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

import rankgauge as rg
from rankgauge.comparison.coverage import coverages
from rankgauge.conventions import convention
from rankgauge.engines import as_measures

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
POLICIES = ("unjudged=0", "condensed", "bootstrapped")
BOUNDED = ("nDCG", "DCG")
Rule = Callable[[rg.Qrels, rg.Run, rg.Run, rg.Measure, int], str]


@dataclass(frozen=True)
class Draw:
    """One incumbent, one challenger, one pool: what was true and what each way said."""

    unjudged: float
    unjudged_incumbent: float
    true: dict[str, float]
    said: dict[str, float]
    bounds: dict[str, tuple[float, float]]
    open_bounds: tuple[float, float] | None
    rule: str | None = None


@dataclass(frozen=True)
class Collection:
    """A collection whose judgments cover what its runs show first."""

    name: str
    qrels: rg.Qrels
    runs: list[rg.Run]
    left_out: int
    k: int

    @classmethod
    def read(cls, folder: Path, *, k: int, most_unjudged: float) -> Collection:
        """Read a folder; runs of whose first k documents more was never judged are left out."""
        path = next(p for p in (folder / "qrels.txt", folder / "qrels.txt.gz") if p.exists())
        qrels = rg.read_qrels(path)
        runs = [rg.read_run(file, name=file.name.split(".run")[0]) for file in sorted((folder / "runs").iterdir())]
        scores = rg.evaluate(qrels, runs, [f"Unjudged@{k}"])
        shares = np.nan_to_num(scores.values[:, 0], nan=1.0).mean(axis=1)
        kept = [run for run, share in zip(runs, shares, strict=True) if share <= most_unjudged]
        return cls(folder.name, qrels, kept, len(runs) - len(kept), k)


def play(collection: Collection, *, draws: int, seed: int, most_others: int, rule: Rule | None) -> list[Draw]:
    """Draw incumbents, challengers and pools."""
    rng = np.random.default_rng(seed)
    k, how = collection.k, convention("default")
    measures = as_measures([f"{name}@{k}" for name in BOUNDED], how)
    true = dict(
        zip(BOUNDED, rg.evaluate(collection.qrels, collection.runs, measures).values.swapaxes(0, 1), strict=True)
    )
    tops = [_top(run, k) for run in collection.runs]
    found = []
    for number in range(draws):
        order = rng.permutation(len(collection.runs))
        challenger, pooled = order[0], order[1 : 2 + rng.integers(0, most_others + 1)]
        incumbent = pooled[0]
        qrels = _judged(collection.qrels, pl.concat([tops[n] for n in pooled]))
        runs = collection.runs[incumbent], collection.runs[challenger]
        covers = coverages(qrels, runs[0], [runs[1]], measures, how=how, rng=rng)
        first = covers[0]
        found.append(
            Draw(
                unjudged=float(np.nanmean(first.unjudged_run)),
                unjudged_incumbent=float(np.nanmean(first.unjudged_baseline)),
                true={name: float(np.nanmean(v[challenger] - v[incumbent])) for name, v in true.items()},
                said={policy: float(np.nanmean(first.policies[policy])) for policy in POLICIES},
                bounds={name: c.bounds.mean() for name, c in zip(BOUNDED, covers, strict=True) if c.bounds is not None},
                open_bounds=first.bounds.open_mean() if first.bounds is not None else None,
                rule=None if rule is None else rule(qrels, *runs, measures[0], seed + number),
            )
        )
        if sys.stderr.isatty():
            print(f"\r{collection.name}: {number + 1} of {draws}", end="", file=sys.stderr)
    return found


def _top(run: rg.Run, k: int) -> pl.DataFrame:
    return run.ranked().to_polars().group_by("query", maintain_order=True).head(k).select("query", "doc")


def _judged(qrels: rg.Qrels, pool: pl.DataFrame) -> rg.Qrels:
    """The judgments of the pool's documents."""
    kept = qrels.to_polars().join(pool.unique(), on=["query", "doc"], how="semi", maintain_order="left")
    return rg.Qrels.from_polars(kept)


def table(draws: list[Draw], *, least: float) -> str:
    """Rows by the challenger's unjudged share, of draws whose true difference is large enough to matter."""
    heads = [f"wrong: {policy}" for policy in POLICIES]
    heads += ["all three agree (wrong)"]
    heads += [f"bounds of {name} decide (wrong)" for name in BOUNDED] + ["open bounds of nDCG decide (wrong)"]
    lines = [["unjudged", "n", *heads], ["---", *["--:"] * (len(heads) + 1)]]
    rows = [draw for draw in draws if abs(draw.true["nDCG"]) >= least]
    for low, high in itertools.pairwise(BINS):
        mine = [draw for draw in rows if low <= draw.unjudged < high or (high == 1 and draw.unjudged == 1)]
        label = f"{low:.0%} to {high:.0%}".replace("%", " %")
        lines.append([label, str(len(mine)), *(_cells(mine) if mine else ["-"] * len(heads))])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(draws: list[Draw]) -> list[str]:
    cells = []
    for policy in POLICIES:
        wrong = np.mean([np.sign(d.said[policy]) != np.sign(d.true["nDCG"]) for d in draws])
        bias = np.mean([d.said[policy] - d.true["nDCG"] for d in draws])
        cells.append(f"{wrong:.0%} (bias {bias:+.2f})".replace("%", " %"))
    agreed = [d for d in draws if len({np.sign(d.said[policy]) for policy in POLICIES}) == 1]
    wrong = int(sum(np.sign(d.said[POLICIES[0]]) != np.sign(d.true["nDCG"]) for d in agreed))
    cells.append(f"{len(agreed) / len(draws):.0%} ({wrong})".replace("%", " %"))
    ends = [(name, [d.bounds[name] for d in draws]) for name in BOUNDED]
    for name, pairs in [*ends, ("nDCG", [d.open_bounds or (np.nan, np.nan) for d in draws])]:
        signs = np.array([np.sign(low) if low * high > 0 else 0 for low, high in pairs])
        wrong = int(np.sum((signs != 0) & (signs != np.sign([d.true[name] for d in draws]))))
        cells.append(f"{np.mean(signs != 0):.0%} ({wrong})".replace("%", " %"))
    return cells


def outside(draws: list[Draw]) -> str:
    """How often the true mean difference lies outside the bounds, as relevant documents nobody shows can bring it."""
    pairs = {name: [(d.bounds[name], d.true[name]) for d in draws] for name in BOUNDED}
    pairs["nDCG, open"] = [(d.open_bounds, d.true["nDCG"]) for d in draws if d.open_bounds is not None]
    counts = {name: sum(not low - 1e-9 <= true <= high + 1e-9 for (low, high), true in p) for name, p in pairs.items()}
    return "true mean outside the bounds: " + ", ".join(f"{name} {count}" for name, count in counts.items())


def decisions(draws: list[Draw], *, least: float) -> str:
    """What the rule said, by the challenger's unjudged share; wrong: a sign that is not the truth's."""
    words = sorted({d.rule for d in draws if d.rule is not None})
    lines = [["unjudged", "n", *words, "wrong better or worse", "decided though the truth is below the limit"]]
    lines.append(["---", *["--:"] * (len(lines[0]) - 1)])
    for low, high in itertools.pairwise(BINS):
        mine = [draw for draw in draws if low <= draw.unjudged < high or (high == 1 and draw.unjudged == 1)]
        count = Counter(d.rule for d in mine)
        sided = [d for d in mine if d.rule in ("better", "worse")]
        wrong = sum((d.true["nDCG"] > 0) != (d.rule == "better") for d in sided)
        small = sum(abs(d.true["nDCG"]) < least for d in sided)
        label = f"{low:.0%} to {high:.0%}".replace("%", " %")
        lines.append([label, str(len(mine)), *[str(count[word]) for word in words], str(wrong), str(small)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdict(qrels: rg.Qrels, baseline: rg.Run, run: rg.Run, measure: rg.Measure, seed: int) -> str:
    """Return the word of `rankgauge compare` with its defaults, but for fewer resamples."""
    found = rg.compare(qrels, [baseline, run], [measure], seed=seed, resamples=2000)
    return found.verdicts[0].verdict.word


def _rule(name: str) -> Rule:
    module, _, function = name.partition(":")
    found: Rule = getattr(importlib.import_module(module), function)
    return found


def main() -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--least", type=float, default=0.02, help="true differences in nDCG that matter")
    parser.add_argument("--others", type=int, default=4, help="other runs in the pool, at most")
    parser.add_argument("--most-unjudged", type=float, default=0.02, help="of a run in the truth")
    parser.add_argument("--rule", help="module:function of a decision rule")
    parser.add_argument("--json", type=Path, help="write every draw")
    chosen = parser.parse_args()
    everything = {}
    for folder in chosen.collections:
        collection = Collection.read(folder, k=chosen.k, most_unjudged=chosen.most_unjudged)
        rule = None if chosen.rule is None else _rule(chosen.rule)
        draws = play(collection, draws=chosen.draws, seed=chosen.seed, most_others=chosen.others, rule=rule)
        everything[collection.name] = [asdict(draw) for draw in draws]
        print(f"\n{collection.name}: {len(collection.qrels.queries)} queries, {len(collection.runs)} runs", end=" ")
        print(f"({collection.left_out} left out), {chosen.draws} draws, seed {chosen.seed}\n")
        print(table(draws, least=chosen.least))
        print(outside(draws), end="\n\n")
        if rule is not None:
            print(decisions(draws, least=chosen.least))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(everything))


if __name__ == "__main__":
    main()
