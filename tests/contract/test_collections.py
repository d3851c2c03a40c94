"""On real collections too: the bundled golden set always, TREC runs where the reference data lie at hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import polars as pl
import pytest

import rankgauge as rg
from contract.engines import Case, differences, memory
from contract.marks import each_engine

GOLDEN = Path(rg.__file__).parent / "data" / "golden"
COLLECTIONS = ("golden", "trec-dl-2019-passage", "robust03-runs")
MEASURES = ["nDCG@10", "ERR@10", "RBP(p=0.8)", "RR@10", "P@10", "Judged@10", "AP", "bpref", "R@100", "INST", "GMAP"]


@cache
def collection(folder: Path) -> Case:
    """Judgments and the first run of a folder."""
    qrels = min(path for path in folder.iterdir() if path.name in ("qrels.txt", "qrels.txt.gz"))
    run = min(path for path in folder.rglob("*") if path.suffix == ".run" or path.name.endswith(".run.gz"))
    return Case(rg.read_run(run).to_polars(), rg.read_qrels(qrels).to_polars())


@cache
def expected(folder: Path, convention: str) -> pl.DataFrame:
    return memory(collection(folder), MEASURES, convention)


@pytest.mark.parametrize("convention", ["default", "trec_eval9"])
@pytest.mark.parametrize("name", COLLECTIONS)
@each_engine(but=("queries",))
def test_a_run_has_the_numbers_of_the_memory_engine(engine, name, convention, request):
    folder = GOLDEN if name == "golden" else request.getfixturevalue("shared") / "data" / "collections" / name
    case = collection(folder)
    found = engine.table(case, MEASURES, convention)
    assert differences(found, expected(folder, convention)) == []
    assert found["status"].value_counts().filter(status="scored")["count"].item() >= 20


@each_engine(but=("queries",))
def test_a_log_made_of_a_run_and_its_judgments_has_the_numbers_of_both_apart(engine, request):
    """Ranks and grades on the rows, and judged documents that were not retrieved."""
    case = collection(GOLDEN)
    assert case.qrels is not None
    run = rg.read_run(GOLDEN / "hybrid.run").ranked()
    ranks = pl.DataFrame({"rank": run.row_place})
    rows = pl.concat([run.to_polars().select("query", "doc"), ranks], how="horizontal")
    rows = rows.join(case.qrels, on=["query", "doc"], how="full", coalesce=True, maintain_order="left_right")
    found = engine.table(Case(rows), MEASURES)
    apart = memory(Case(run.to_polars(), case.qrels), MEASURES)
    names = [name for name in found.columns if name in apart.columns and name != "tied"]
    assert differences(found.select(names), apart.select(names)) == []
