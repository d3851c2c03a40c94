"""The docs' page of fusion: text written by hand around tables written from the registries."""

from __future__ import annotations

from rankgauge.report.fusion import filled


def page() -> str:
    """The page as Markdown."""
    return filled(TEMPLATE)


TEMPLATE = """# Fusion

The tables are written from the registries by `scripts/docs`; a test fails when this page is out of date.

`rankgauge fuse` merges several rankings into one, as hybrid search does with a keyword and a vector engine:

```console
$ rankgauge fuse keyword.run vector.run --method rrf -k 60 -o fused.run
note: run 'keyword' lacks 1 of 33 queries ('q33'): they are fused from the other runs
note: run 'vector' lacks 1 of 33 queries ('q05'): they are fused from the other runs
698 documents of 33 queries -> fused.run
$ rankgauge fuse keyword.run vector.run --method wsum --norm min-max --weights 0.3,0.7 --depth 10 -o fused.run
$ rankgauge fuse --methods
```

```python
import rankgauge as rg

runs = [rg.read_run("keyword.run", name="keyword"), rg.read_run("vector.run", name="vector")]
fused = rg.fuse(runs, method="rrf", k=60)
assert fused.to_dict()["q01"]["refund-how-long"] == 2 / 61  # first in both
```

## What holds for every method

- Ranks count from 1, in the order of `Run.ranked()`: falling score, ties by falling document id. Ranks that a run came
  with (`read_run(..., order="rank")`) hold.
- A document that a run does not hold gets nothing from it; no rank is made up for it. (BordaFuse, BayesFuse and the
  normalisation `borda` say in their formulas what it counts.)
- Queries are united. A query that a run lacks is fused from the other runs, and the notes count it. An empty run changes
  nothing, and the notes say so.
- Sums are taken in an order of their own: the order of the runs cannot change the last bit of a score.
- Scores are finite. Infinite scores are an error where a method reads scores, and have a rank where it reads ranks; scores
  too large to be added are an error.
- Where lower scores are better, say so: `--distances dense.run`, `lower_is_better=["dense"]`. They are negated before
  anything else. The scores of two different scales are never mixed unless `norm="none"` is asked for.
- The fused run is ordered; documents with equal scores stand by falling id. `--depth` keeps the first of each query.

## Methods

`h` is the number of runs that hold the document, `s_i` its normalised score and `rank_i` its rank in run `i`, `w_i` the
run's weight (1 unless given), `n_i` the length of its list, `C` the number of candidates of the query. Upper and lower
case, `-` and `_` do not matter in names, and ranx's names are known: `mnz`, `wsum`, `w_bordafuse`.

{{methods}}

Methods that need training qrels learn from the queries that these judge (`--train`, `qrels=`); a document is relevant
from grade 1, or from `--level`. Their scores on those same queries flatter them: use other queries, or `--tune`.

## Normalisations

Methods that read scores take `min-max` unless told otherwise; methods that read ranks take none, and giving them one is
an error.

{{norms}}

A list of one document, or of equal scores, is 0/0 in `min-max`. It becomes 1, as in Anserini: what was returned is worth
more than what was not. The constant is one for all: `max` gives 1 to each as well, and `sum` shares 1 among them. A
`z-score` needs no rule: such a list is 0, the mean. `max` needs a highest score above 0, or dividing by it would turn the
order round: anything else is an error.

## Tuning, and an honest estimate

`--tune` tries methods, normalisations, parameters and weights on judged queries and chooses what has most of a measure:

```console
$ rankgauge fuse keyword.run vector.run --tune nDCG@10 --train qrels.second-round.txt -o fused.run --held-out apart.run
...
chosen of 181 ways: RBC(phi=0.5, weights=0.1,0.9)
held out: 0.8180 nDCG(gain='exp')@10 on 31 queries, chosen without them
best single run: 0.7898 held out, chosen in the same manner (vector has 0.7898 on all)
the difference: +0.0282 held out; better on 7 queries, worse on 13, equal on 11
in sample: 0.8296, on the queries it was chosen on: too good, not for reports
...
```

The best of many ways is partly lucky: on the queries it was chosen on (*in sample*) it looks better than it is. So the
queries are dealt into folds (`--folds 5`), the choice is made again without each fold, and its value is measured on that
fold: *held out* is what choosing in this manner is worth, and is the number to report. The best single run is chosen in
the same manner. What was learned is learned again without the fold, and for the choice within a fold without both. Queries
for which the measure is undefined are left out and counted.

`--held-out FILE` writes each query as it was fused by the choice made without it: a run like any other, so that intervals
and tests against a single run are honest as well. Here they are needed: a mean that is 0.028 higher, from 7 queries
that gained and 13 that lost, is no verdict.

```python
qrels = rg.read_qrels("qrels.second-round.txt")
tuned = rg.tune(
    qrels, runs, measure="nDCG@10", methods=["rrf", "wsum", "CombMNZ"], norms=["min-max", "z-score"], seed=0
)
assert tuned.held_out < tuned.in_sample
fused = tuned.fuse(runs)  # also for new queries of the same systems
best = tuned.to_polars().head(3)  # every way that was tried, best first, with the value of each fold
```

Without more said, it tries CombSUM, CombMNZ, ISR, RRF, RBC and WSUM with `min-max` and `z-score`; `--method all --norm all`
tries everything. Weights lie on an even grid of at most 100 points: steps of 0.1 for two and three runs.

## What it gained

Held out, five folds, seed 0, on public collections (`rankgauge fuse RUN RUN [RUN] --tune MEASURE --train QRELS`):

| collection | runs | measure | best single run | RRF, k = 60 | CombSUM | tuned, in sample | tuned, held out |
|---|---|---|--:|--:|--:|--:|--:|
| TREC 2003 Robust, first 100, 100 queries | pircRBa1, UIUC03Rd1, THUIRr0301 | AP | 0.2695 | 0.2776 | 0.2811 | 0.2930 | 0.2917 |
| golden set, second round, 31 queries | keyword, vector | nDCG@10 | 0.7898 | 0.7496 | 0.7966 | 0.8296 | 0.8180 |
| TREC DL 2019 passages, 43 queries | bm25tuned_p, p_bert | nDCG@10 | 0.6683 | 0.6081 | 0.5698 | 0.6721 | 0.6676 |
| TREC DL 2019 passages, 43 queries | bm25tuned_p, ms_duet_passage | nDCG@10 | 0.5472 | 0.5310 | 0.5332 | 0.5504 | 0.5341 |
| TREC DL 2019 passages, 43 queries | bm25base_p, bm25tuned_prf_p | nDCG@10 | 0.4828 | 0.4723 | 0.4687 | 0.4838 | 0.4646 |

On Robust fusing gains, on 73 of 100 queries. Where one run is far better than the other, equal weights lose: an untuned
RRF of BM25 and BERT is 0.06 below BERT alone. In the last three rows the tuned fusion beats the best run in sample, and
does not held out: what the in-sample number promises is not there.

## Speed

Three runs of 1,000 queries with 100 documents each, ranx 0.3.21 compiled and warm, rounds interleaved, medians of three, on
2 cores. Only the fusion is timed: both have their runs in memory.

```
python benchmarks/fusion.py --repeat 3 --methods CombSUM CombMNZ WSUM RRF ISR BordaFuse
```

| method | rankgauge s | ranx s | ratio | ratio of CPU s | largest difference |
|---|--:|--:|--:|--:|--:|
| CombSUM | 0.137 | 0.479 | 3.5 | 4.9 | 4.4e-16 |
| CombMNZ | 0.172 | 0.537 | 3.1 | 4.9 | 1.8e-15 |
| WSUM | 0.126 | 0.478 | 3.8 | 5.9 | 1.1e-16 |
| RRF | 0.156 | 0.637 | 4.1 | 6.2 | 6.9e-18 |
| ISR | 0.159 | 0.665 | 4.2 | 6.7 | 8.9e-16 |
| BordaFuse | 0.170 | 4.986 | 29.3 | 34.1 | 0.0e+00 |

Condorcet compares all pairs of a query's candidates: 0.6 s for 50 such queries, and 21.6 s with ranx (`--queries 50
--methods Condorcet`; ratio of processor seconds 28).

## Beside ranx

Every method and normalisation gives ranx 0.3.21's scores to 1e-9 (`tests/golden/test_fusion.py`: stored values, live with
`pytest -m slow`), and RRF, interpolation and average those of Pyserini's tests. Different on purpose:

| what | ranx | here |
|---|---|---|
| runs with different queries | refused | united, and counted |
| `min-max` and `sum` of equal scores | 0 | 1, and 1/n |
| `max` where the highest score is 0 or below | divides by 1e-9: about -1e9 | an error |
| a range of scores below 1e-9 | counts as 1e-9 | is a range |
| ties within a list | the run's order, unstable beyond 16 documents | falling document id |
| Condorcet | the order of a set decides among ties and cycles; of two documents that a run lacks one gets its vote | same runs, same order; no vote |
| a normalisation for a method that reads ranks | no effect, but for `borda`, whose lists come in no order | an error |
| BayesFuse below rank 1000 | reads past its table | as for a document not returned |
| `min-max-inverted` | a normalisation | `min-max` with `lower_is_better` |

Where the majorities make no cycle and no tie, Condorcet's order is the only one and both give it. SegFuse's segments end at
ranks 5, 15, 35, ... as in ranx.

## Sources

{{sources}}"""
