"""Values of ndeval 4.5 over 44,814 judgments by subtopic and three runs.

Made with `ndeval QRELS RUN`, `ndeval -c -traditional QRELS RUN` and `ndeval -alpha 0.2 -beta 0.8 QRELS RUN`;
ndeval prints six decimals. Without -traditional it ranks by the file's rank column.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rankgauge as rg
from rankgauge.measures import Measure, find

NAMES = {
    "ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA", "alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG", "NRBP": "NRBP",
    "nNRBP": "nNRBP", "MAP-IA": "AP_IA", "P-IA": "P_IA", "strec": "StRecall",
}  # fmt: skip
RUN_COLUMNS = {"query": pl.String, "q0": pl.String, "doc": pl.String, "rank": pl.Int64, "score": pl.Float64,
               "tag": pl.String}  # fmt: skip
QRELS_COLUMNS = {"query": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int64}
PRINTED = 0.5e-6 * (1 + 1e-6)


@pytest.fixture(scope="module")
def judged(shared: Path) -> rg.Qrels:
    path = shared / "data" / "conformance" / "ndeval" / "web.201-250.ndeval.qrels"
    frame = pl.read_csv(path, separator=" ", has_header=False, schema=QRELS_COLUMNS)
    return rg.Qrels.from_frame(frame, subtopic="subtopic")


@pytest.mark.parametrize("system", ["synthA", "synthB", "synthC"])
@pytest.mark.parametrize("how", ["", "-c-traditional", "-a0.2-b0.8"])
def test_every_printed_value_of_ndeval_is_ours(shared: Path, judged: rg.Qrels, system: str, how: str) -> None:
    folder = shared / "data" / "conformance" / "ndeval"
    rows = pl.read_csv(folder / f"{system}.run", separator=" ", has_header=False, schema=RUN_COLUMNS)
    if how != "-c-traditional":
        rows = rows.with_columns(score=-pl.col("rank").cast(pl.Float64))
    printed = pl.read_csv(folder / f"{system}.ndeval{how}.csv", infer_schema=False).filter(pl.col("topic") != "amean")
    measures = {column: ours(column, "0.2" in how) for column in printed.columns[2:]}
    scores = rg.evaluate(judged, rg.Run.from_frame(rows), list(measures.values()))
    found = scores.by_query().join(printed, left_on="query", right_on="topic")
    assert len(found) == len(printed) >= 48
    for column, measure in measures.items():
        theirs = found[column].cast(pl.Float64)
        assert (found[str(measure)] - theirs).abs().max() <= PRINTED, column  # type: ignore[operator]


def ours(column: str, other_parameters: bool) -> Measure:
    name, _, cutoff = column.partition("@")
    measure = find(NAMES[name])
    if other_parameters:
        measure = measure(**{p: v for p, v in (("alpha", 0.2), ("beta", 0.8)) if p in measure.parameters})
    return measure @ int(cutoff) if cutoff else measure
