"""What judges are worth on real labels: certificates, filling policies by unjudged share, prediction-powered intervals.

    python benchmarks/judging.py certify COLLECTION/qrels.txt COLLECTION/llm_labels/*.txt
    python benchmarks/judging.py fill COLLECTION [--labels NAME...] [--draws 1500]
    python benchmarks/judging.py verdict COLLECTION [--labels NAME...] [--draws 300]
    python benchmarks/judging.py power COLLECTION [--labels NAME...] [--draws 1000]
    python benchmarks/judging.py simulate [--draws 4000]

`certify` prints each judge's agreement with people. `fill` plays the study of benchmarks/unjudged.py (an incumbent
whose first k documents were judged with those of up to four other runs, and a challenger judged only as far as it is
in that pool), with the holes filled from a judge's labels; the collection's own judgments are the truth. `verdict`
plays the same and counts what the judged verdict says, without and with queries that people judged wholly. `power`
judges n of the collection's queries, drawn at random, and takes the judge's labels for all. `simulate` has a known
truth.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
from unjudged import BINS, Collection, _judged, _top

import rankgauge as rg
from rankgauge.comparison.coverage import coverages
from rankgauge.conventions import convention
from rankgauge.engines import as_measures
from rankgauge.judged import FloatArray
from rankgauge.judges.certificate import certify
from rankgauge.judges.filling import fill
from rankgauge.judges.labels import JudgeLabels
from rankgauge.judges.verdict import JudgedVerdict, judged_verdict
from rankgauge.statistics.prediction_powered import prediction_powered
from rankgauge.statistics.proportions import rogan_gladen

MEASURE = "nDCG@10"
LEAST = 0.02
"""True differences in nDCG@10 that matter."""


def rows(lines: Iterable[Iterable[object]]) -> str:
    """Write Markdown; the first line is the head."""
    head, *body = [[str(cell) for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---", *["--:"] * (len(head) - 1)], *body])


def certificates(human: Path, labels: list[Path]) -> str:
    """A row per judge."""
    qrels = rg.read_qrels(human)
    head = [
        "judge",
        "pairs",
        "kappa",
        "quadratic kappa",
        "alpha (ordinal)",
        "AC2",
        "bias",
        "sensitivity",
        "specificity",
    ]
    table: list[list[str]] = [head]
    for path in labels:
        given = JudgeLabels.from_qrels(rg.read_qrels(path), source=f"llm:{path.stem}")
        c = certify(qrels, given, resamples=1000)
        found = [c.kappa, c.quadratic_kappa, c.alpha, c.ac2]
        cells = [f"{x.value:.2f} ({x.low:.2f} to {x.high:.2f})" for x in found]
        bias = f"{c.bias.estimate:+.2f} ({c.bias.low:+.2f} to {c.bias.high:+.2f})"
        shares = [f"{x.estimate:.2f}" for x in (c.sensitivity, c.specificity)]
        table.append([path.stem, f"{c.n:,}", *cells, bias, *shares])
    return rows(table)


class Study:
    """A collection with its judges' labels."""

    def __init__(self, folder: Path, names: list[str], k: int = 10) -> None:
        self.collection = Collection.read(folder, k=k, most_unjudged=0.02)
        files = {p.stem: p for p in sorted((folder / "llm_labels").iterdir())}
        chosen = [next(stem for stem in files if name in stem) for name in names] or list(files)
        self.labels = {
            stem: JudgeLabels.from_qrels(rg.read_qrels(files[stem]), source=f"llm:{stem}") for stem in chosen
        }
        self.tops = [_top(run, k) for run in self.collection.runs]
        self.truth = rg.evaluate(self.collection.qrels, self.collection.runs, [MEASURE]).values[:, 0]

    def draw(self, rng: np.random.Generator) -> tuple[rg.Qrels, rg.Run, rg.Run, float]:
        """Judgments of a pool, incumbent, challenger, and their true difference."""
        order = rng.permutation(len(self.tops))
        challenger, pooled = order[0], order[1 : 2 + rng.integers(0, 5)]
        qrels = _judged(self.collection.qrels, pl.concat([self.tops[n] for n in pooled]))
        true = float(np.nanmean(self.truth[challenger] - self.truth[pooled[0]]))
        return qrels, self.collection.runs[pooled[0]], self.collection.runs[challenger], true


def difference(qrels: rg.Qrels, baseline: rg.Run, run: rg.Run) -> float:
    values = rg.evaluate(qrels, [baseline, run], [MEASURE]).values[:, 0]
    return float(np.nanmean(values[1] - values[0]))


def filling(study: Study, draws: int, seed: int) -> str:
    """Wrong signs and bias under each policy, by the challenger's unjudged share."""
    rng, how = np.random.default_rng(seed), convention("default")
    measures = as_measures(MEASURE, how)
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for number in range(draws):
        qrels, baseline, run, true = study.draw(rng)
        cover = coverages(qrels, baseline, [run], measures, how=how, rng=rng, samples=20)[0]
        share = float(np.nanmean(cover.unjudged_run))
        for policy in ("unjudged=0", "condensed"):
            found[policy].append((share, true, float(np.nanmean(cover.policies[policy]))))
        for name, labels in study.labels.items():
            for policy in ("holes", "calibrated", "both-arms"):
                asked = labels.of(pl.concat([study.tops[study.collection.runs.index(r)] for r in (baseline, run)]))
                filled = fill(policy, qrels, asked, [baseline, run])  # type: ignore[arg-type]
                found[f"{policy}: {name}"].append((share, true, difference(filled.qrels, baseline, run)))
        tell(number, draws)
    return _by_share(found)


def _by_share(found: dict[str, list[tuple[float, float, float]]]) -> str:
    bins = list(itertools.pairwise(BINS))
    table: list[list[str]] = [["policy: judge", *[f"{low:.0%} to {high:.0%}".replace("%", " %") for low, high in bins]]]
    counts: list[str] = []
    for name, draws in found.items():
        cells, counts = [], []
        for low, high in bins:
            mine = [d for d in draws if (low <= d[0] < high or d[0] == high == 1) and abs(d[1]) >= LEAST]
            counts.append(str(len(mine)))
            wrong = np.mean([np.sign(d[1]) != np.sign(d[2]) for d in mine]) if mine else np.nan
            bias = np.mean([d[2] - d[1] for d in mine]) if mine else np.nan
            cells.append(f"{wrong:.0%} ({bias:+.2f})".replace("%", " %"))
        table.append([name, *cells])
    return rows([table[0], ["pairs", *counts], *table[1:]])


AUDITED = 15
"""Queries that people judge wholly, where the judge alone does not decide."""


def verdicts(study: Study, draws: int, seed: int) -> str:
    """What the judged verdict says by unjudged share, and how often its sign is wrong."""
    head = ["judge", "unjudged", "n", "people decide", "the judge decides", "better or worse (wrong)"]
    head += ["all words the same: better or worse (wrong)", f"{AUDITED} queries audited: better or worse (wrong)"]
    table = [head]
    for name, labels in study.labels.items():
        seen: dict[int, Counter[str]] = defaultdict(Counter)
        rng = np.random.default_rng(seed)
        for number in range(draws):
            qrels, baseline, run, true = study.draw(rng)
            found = judged_verdict(qrels, labels, baseline, run, MEASURE, seed=number)
            share = found.people.verdicts[0].unjudged[1]
            c = seen[max(i for i, low in enumerate(BINS[:-1]) if share >= low)]
            _count(c, found, true)
            queries = rng.permutation(study.collection.qrels.queries.to_list())[:AUDITED].tolist()
            if found.verdict.rule == "holes":
                audited = _audit(study.collection.qrels, qrels, queries)
                again = judged_verdict(audited, labels, baseline, run, MEASURE, audited=queries)
                if again.verdict.rule == "prediction-powered":
                    c["audit"] += 1
                    c["audit wrong"] += (true > 0) != (again.verdict.word == "better")
            tell(number, draws)
        for at in sorted(seen):
            c = seen[at]
            label = f"{BINS[at]:.0%} to {BINS[at + 1]:.0%}".replace("%", " %")
            pairs = [f"{c[key]} ({c[f'{key} wrong']})" for key in ("sided", "strict", "audit")]
            table.append([name, label, str(c["n"]), str(c["people"]), str(c["judge"]), *pairs])
    return rows(table)


def _audit(whole: rg.Qrels, pool: rg.Qrels, queries: list[str]) -> rg.Qrels:
    """The pool's judgments, and all of the queries'."""
    rest = pool.to_polars().filter(~pl.col("query").is_in(queries))
    return rg.Qrels.from_polars(pl.concat([rest, whole.to_polars().filter(pl.col("query").is_in(queries))]))


def _count(c: Counter[str], found: JudgedVerdict, true: float) -> None:
    c["n"] += 1
    c["people"] += not found.ways
    if found.verdict.rule != "judge":
        return
    c["judge"] += 1
    if found.verdict.word in ("better", "worse"):
        wrong = (true > 0) != (found.verdict.word == "better")
        c["sided"] += 1
        c["sided wrong"] += wrong
        strict = len({way.word for way in found.ways}) == 1
        c["strict"] += strict
        c["strict wrong"] += strict and wrong


def power(study: Study, draws: int, seed: int) -> str:
    """RMSE and coverage of the difference from n audited queries."""
    rng, runs = np.random.default_rng(seed), study.collection.runs
    by_judge = {}
    for name, labels in study.labels.items():
        given = labels.graded
        qrels = rg.Qrels.from_columns(given["query"], given["doc"], given["grade"])
        scores = rg.evaluate(qrels, runs, [MEASURE])
        place = {query: at for at, query in enumerate(scores.queries)}
        order = [place[query] for query in study.collection.qrels.queries]
        by_judge[name] = scores.values[:, 0][:, order]
    table = [
        [
            "queries of people",
            "judge",
            "RMSE people",
            "RMSE judge",
            "RMSE PPI++",
            "covered people",
            "covered PPI++",
            "width PPI++ / people",
        ]
    ]
    for n in (10, 15, 20):
        for name, values in by_judge.items():
            errors, hits, widths = [], [], []
            for _ in range(draws):
                a, b = rng.choice(len(runs), 2, replace=False)
                truth, judge = study.truth[b] - study.truth[a], values[b] - values[a]
                audited = rng.permutation(len(truth))[:n]
                people = np.full(len(truth), np.nan)
                people[audited] = truth[audited]
                found, true = prediction_powered(people, judge), float(np.nanmean(truth))
                three = (found.people, found.judge, found.interval)
                errors.append([(x.estimate - true) ** 2 for x in three])
                hits.append([x.low <= true <= x.high for x in (found.people, found.interval)])
                if found.people.high > found.people.low:  # some runs are the same for all queries drawn
                    widths.append((found.interval.high - found.interval.low) / (found.people.high - found.people.low))
            rmse = [f"{x:.3f}" for x in np.sqrt(np.mean(errors, axis=0))]
            covered = [f"{x:.0%}".replace("%", " %") for x in np.mean(hits, axis=0)]
            table.append([str(n), name, *rmse, *covered, f"{np.mean(widths):.2f}"])
    return rows(table)


def simulate(draws: int, seed: int) -> str:
    """Coverage and width for pass rates: θ = .8, sensitivity .9, specificity .7."""
    table = [["labelled", "unlabelled", "way", "covered", "mean width"]]
    for m, N in ((30, 1000), (100, 1000), (300, 1000)):
        rng = np.random.default_rng(seed)
        hits: dict[str, list[bool]] = defaultdict(list)
        widths: dict[str, list[float]] = defaultdict(list)
        for _ in range(draws):
            truth = (rng.random(m + N) < 0.8).astype(float)
            judge = np.where(truth == 1, rng.random(m + N) < 0.9, rng.random(m + N) < 0.3).astype(float)
            found = prediction_powered(np.where(np.arange(m + N) < m, truth, np.nan), judge)
            y, f = truth[:m], judge[:m]
            known = (int(f[y == 1].sum()), int(y.sum())), (int((1 - f)[y == 0].sum()), int((1 - y).sum()))
            undone = rogan_gladen(int(judge[m:].sum()), N, sensitivity=known[0], specificity=known[1])
            ways = {
                "judge alone": found.judge,
                "people alone": found.people,
                "PPI++": found.interval,
                "Rogan-Gladen": undone,
            }
            for name, one in ways.items():
                if one.low is None or one.high is None:
                    hits[name].append(False)
                    continue
                hits[name].append(one.low <= 0.8 <= one.high)
                widths[name].append(one.high - one.low)
        for name in hits:
            covered = f"{np.mean(hits[name]):.1%}".replace("%", " %")
            table.append([str(m), str(N), name, covered, f"{np.mean(widths[name]):.3f}"])
    return rows(table)


def few(draws: int, seed: int) -> str:
    """Coverage of mean differences from few labelled queries: three worlds, each with 100 queries."""

    def skewed(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        truth = rng.exponential(0.2, 100) * (rng.random(100) < 0.7)
        return truth, 1.5 * truth + rng.normal(0, 0.1, 100)

    def normal(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        truth = rng.normal(0, 0.2, 100)
        return truth, truth + rng.normal(0.1, 0.2, 100)

    def zeros(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        truth = rng.laplace(0, 0.1, 100) * (rng.random(100) < 0.8)
        return truth, 0.5 * truth + rng.normal(0, 0.03, 100)

    table = [
        ["labelled", "differences", "people alone", "PPI++, normal quantiles", "PPI++ here", "width, here / people"]
    ]
    for n, (world, true) in itertools.product((8, 10, 20, 50), ((normal, 0.0), (zeros, 0.0), (skewed, 0.14))):
        rng, hits, widths = np.random.default_rng(seed), [], []
        for _ in range(draws):
            truth, judge = world(rng)
            found = prediction_powered(np.where(np.arange(100) < n, truth, np.nan), judge)
            ends = [(one.low, one.high) for one in (found.people, found.interval)]
            ends.insert(1, _textbook(truth[:n], judge[:n], judge[n:], found.tuning or 0.0))
            hits.append([low <= true <= high for low, high in ends])
            widths.append((ends[2][1] - ends[2][0]) / (ends[0][1] - ends[0][0]))
        covered = [f"{x:.1%}".replace("%", " %") for x in np.mean(hits, axis=0)]
        table.append([str(n), world.__name__, *covered, f"{np.mean(widths):.2f}"])
    return rows(table)


def _textbook(y: FloatArray, f: FloatArray, rest: FloatArray, weight: float) -> tuple[float, float]:
    """The interval of the paper on PPI++, example 6.1."""
    half = 1.959964 * np.sqrt((y - weight * f).var(ddof=1) / len(y) + weight**2 * rest.var(ddof=1) / len(rest))
    estimate = y.mean() + weight * (rest.mean() - f.mean())
    return float(estimate - half), float(estimate + half)


def tell(number: int, draws: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{number + 1} of {draws}", end="", file=sys.stderr)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["certify", "fill", "verdict", "power", "simulate"])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--labels", nargs="*", default=[], help="parts of the names of the judges' files")
    parser.add_argument("--draws", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.what == "certify":
        print(certificates(chosen.paths[0], chosen.paths[1:]))
    elif chosen.what == "simulate":
        print(simulate(chosen.draws, chosen.seed))
        print(few(chosen.draws, chosen.seed))
    else:
        study = Study(chosen.paths[0], chosen.labels)
        print(f"{len(study.collection.runs)} runs, {chosen.draws} draws, seed {chosen.seed}\n")
        play = {"fill": filling, "verdict": verdicts, "power": power}[chosen.what]
        print(play(study, chosen.draws, chosen.seed))


if __name__ == "__main__":
    main()
