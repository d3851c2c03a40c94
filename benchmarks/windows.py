"""By how much a window query that filters before it sums the ideal is off: the tables of docs/windows.md.

    python benchmarks/windows.py COLLECTION... --queries 20000

First on made logs, of rankers that know more or less. Then on public collections, of which COLLECTION is a folder
with a qrels file and `runs/*`: each run is made into a log of its first documents with their grades.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scale_log import block

import rankgauge as rg
from rankgauge.report.grid import Grid

K = 10
STRENGTHS = (0.0, 0.5, 1.2, 2.5, 5.0)
QUERY, RANK, GRADE = pl.col("query"), pl.col("rank"), pl.col("grade")
GAIN = 2.0**GRADE - 1


def wrong(log: pl.DataFrame, k: int = K, *, unlucky: bool = False) -> pl.DataFrame:
    """nDCG@k of each query as the page's first query has it; `unlucky`: equal grades in the other order."""
    numbered = log.sort("query", "rank", descending=[False, unlucky], maintain_order=True).with_columns(
        best=GRADE.rank("ordinal", descending=True).over("query")
    )
    top = numbered.filter(RANK <= k)
    value = (GAIN / (RANK + 1).log(2)).sum() / (GAIN / (pl.col("best") + 1).log(2)).sum()
    return top.group_by("query", maintain_order=True).agg(wrong=value.fill_nan(None)).fill_null(0.0)


def right(log: pl.DataFrame, qrels: pl.DataFrame) -> pl.DataFrame:
    """nDCG@k of each query with an ideal; where qrels are the log's own rows, that is all that the ideal knows."""
    run = rg.Run.from_polars(log.select("query", "doc", score=-RANK.cast(pl.Float64)))
    judged = rg.Qrels.from_polars(qrels.select("query", "doc", "grade"))
    scores = rg.evaluate(judged, {"run": run}, [f"nDCG@{K}"])
    return scores.by_query().select("query", pl.last().alias("right")).drop_nulls()


@dataclass(frozen=True)
class Compared:
    """The two values of each query of one ranker, and the mean of the wrong one as it goes into a dashboard."""

    name: str
    values: pl.DataFrame
    shown: float
    unlucky: float

    @property
    def right(self) -> float:
        return float(self.values["right"].mean())  # type: ignore[arg-type]

    def row(self) -> list[str]:
        value, off = self.values, self.values["wrong"] - self.values["right"]
        return [
            self.name,
            f"{self.right:.3f}",
            f"{self.shown:.3f}",
            f"{self.unlucky:.3f}",
            f"{(off > 1e-9).mean():.1%}",
            f"{(off < -1e-9).mean():.1%}",
            f"{(value['wrong'] > 1 + 1e-9).mean():.1%}",
            f"{value['wrong'].max():.2f}",
            f"{np.corrcoef(value['right'], value['wrong'])[0, 1]:.2f}",
        ]


COLUMNS = ("ranker", "right", "wrong", "other ties", "too high", "too low", "above 1", "highest",
           "correlation")  # fmt: skip


def compared(name: str, log: pl.DataFrame, qrels: pl.DataFrame) -> Compared:
    found = wrong(log)
    values = right(log, qrels).join(found, on="query", how="left").fill_null(0.0)
    shown, unlucky = found["wrong"].mean(), wrong(log, unlucky=True)["wrong"].mean()
    return Compared(name, values, shown, unlucky)  # type: ignore[arg-type]


def made(queries: int) -> Iterator[Compared]:
    """Rankers of different strength on the same queries."""
    for strength in STRENGTHS:
        rows = block(0, queries, strength=strength)
        names = {"query_id": "query", "document_id": "doc", "model_rank": "rank", "relevance_score": "grade"}
        log = rows.rename(names).cast({"grade": pl.Float64})
        yield compared(f"strength {strength:g}", log, log.drop_nulls("grade"))


def real(folder: Path) -> Iterator[Compared]:
    """The runs of a collection. Their logs hold the grades of what they show, and the ideal knows all qrels."""
    found = next(folder.glob("qrels.txt*"))
    qrels = rg.read_qrels(found).to_polars()
    judged = qrels.select("query", "doc", pl.col("grade").cast(pl.Float64).clip(0))
    for path in sorted((folder / "runs").iterdir()):
        run = rg.read_run(path)
        rows = run.to_polars().sort("query", "score", "doc", descending=[False, True, True])
        ranked = rows.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))
        log = ranked.join(judged, on=["query", "doc"], how="left", maintain_order="left")
        yield compared(run.name, log.filter(pl.col("query").is_in(judged["query"].implode())), judged)


def order(rankers: list[Compared]) -> str:
    """What becomes of the differences between the rankers."""
    true = np.array([ranker.right for ranker in rankers])
    shown = np.array([ranker.shown for ranker in rankers])
    first, second = np.triu_indices(len(rankers), 1)
    signs = np.sign(true[first] - true[second]) * np.sign(shown[first] - shown[second])
    best, place = int(np.argmax(true)), np.argsort(-shown).tolist()
    return (
        f"{len(rankers)} rankers: means from {true.min():.3f} to {true.max():.3f}, by the wrong query from "
        f"{shown.min():.3f} to {shown.max():.3f}. Kendall's τ between the two orders: {signs.mean():.2f}; "
        f"{(signs < 0).sum()} of {len(first)} pairs change sides. The best ranker is shown at place "
        f"{place.index(best) + 1}; what is shown as the best is at place "
        f"{int((true > true[place[0]]).sum()) + 1}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", type=Path)
    parser.add_argument("--queries", type=int, default=20_000, help="of the made logs")
    parser.add_argument("--all", action="store_true", help="show every run of a collection, not five of them")
    given = parser.parse_args()
    print(f"### Made logs, {given.queries} queries\n")
    print(Grid(COLUMNS, [ranker.row() for ranker in made(given.queries)]).markdown())
    for folder in given.collections:
        rankers = sorted(real(folder), key=lambda ranker: ranker.right)
        some = rankers if given.all else [rankers[i] for i in np.linspace(0, len(rankers) - 1, 5).round().astype(int)]
        print(f"### {folder.name}\n")
        print(Grid(COLUMNS, [ranker.row() for ranker in some]).markdown())
        print(order(rankers), end="\n\n")


if __name__ == "__main__":
    main()
