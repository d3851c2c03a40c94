"""User models against the field's own tools, and the numbers they printed.

Tools: cwl_eval 1.0.12 (run here, from its `cwl.ruler` classes), rbp_eval 0.2 (`rbp_eval -B -q -p ...`, its output
in the reference data), cwl_eval's printed table of one query with an unjudged document (`cwl-eval -n -r`).
"""

from __future__ import annotations

import gzip
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import rankgauge as rg
from rankgauge.engines.ties import spread
from rankgauge.judged import JudgedRun, Judgments

ruler: Any
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")

VALUES = ("EU", "ETU", "EC", "ETC", "ED")
KEPT = {"TBG", "UMeasure"}  # cwl_eval ends these at the last rank as we do
PAIRS = [
    ("RBP(p=0.5, horizon=1000)", "RBPCWLMetric", (0.5,)),
    ("RBP(p=0.99, horizon=1000)", "RBPCWLMetric", (0.99,)),
    ("NPV(rate=0.1)", "NPVCWLMetric", (0.1,)),
    ("SDCG@10", "NDCGCWLMetric", (10,)),
    ("INST(T=1)", "INSTCWLMetric", (1.0,)),
    ("INST(T=3)", "INSTCWLMetric", (3.0,)),
    ("INSQ(T=1)", "INSQCWLMetric", (1.0,)),
    ("INSQ(T=0.5)", "INSQCWLMetric", (0.5,)),
    ("BPM(T=1)@5", "BPMCWLMetric", (1.0, 5)),
    ("BPM(T=1.3)@1000", "BPMCWLMetric", (1.3, 1000)),
    ("DynamicBPM(T=1.3, K=8.4, hb=1, hc=0, medium=0.4)", "BPMDCWLMetric", (1.3, 8.4, 1.0, 0.0, 0.4)),
    ("NERR8@5", "NERReq8CWLMetric", (5,)),
    ("NERR9@5", "NERReq9CWLMetric", (5,)),
    ("NERR10(p=0.9)", "NERReq10CWLMetric", (0.9,)),
    ("NERR11(T=1)", "NERReq11CWLMetric", (1.0,)),
    ("TBG(h=22)", "TBGCWLMetric", (22,)),
    ("TBG(h=224)", "TBGCWLMetric", (224,)),
    ("UMeasure(L=10)", "UMeasureCWLMetric", (10,)),
    ("UMeasure(L=50)", "UMeasureCWLMetric", (50,)),
    ("IFT(T=2, b1=0.9, R1=10, A=0.2, b2=0.9, R2=10)", "IFTGoalRateCWLMetric", (2.0, 0.9, 10, 0.2, 0.9, 10)),
    ("IFT(T=2, b1=0.9, R1=1, A=0.2, b2=0.9, R2=1)", "IFTGoalRateCWLMetric", (2.0, 0.9, 1, 0.2, 0.9, 1)),
]
GRADES = st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=40)


def judged(grades: list[float | None]) -> JudgedRun:
    """Judge one ranking: a grade, or None, for each rank from 1; the top of the scale is 3."""
    rows = [(rank, grade) for rank, grade in enumerate(grades, 1) if grade is not None]
    rank = np.array([r for r, _ in rows], dtype=np.int64)
    grade = np.array([g for _, g in rows], dtype=np.float64)
    zero = np.zeros(len(rows), dtype=np.int64)
    known = Judgments(np.zeros(len(rows) + 1, dtype=np.int64), -np.sort(-np.append(grade, 3.0)), 1, 3.0)
    return JudgedRun(zero, grade, rank, rank, rank, zero == 0, np.array([len(grades)]), known)


@cache
def pair(name: str, peer: str, arguments: tuple[float, ...]) -> tuple[rg.Measure, Any]:
    ours, theirs = rg.parse(name), getattr(_module(peer), peer)(*arguments)
    if "tail" in ours.parameters and ours.name not in KEPT:
        ours = ours(tail="lost")
    theirs.residuals = True
    return ours, theirs


def _module(peer: str) -> Any:
    if peer != "NPVCWLMetric":
        return ruler
    return pytest.importorskip("cwl.ruler.measures.cwl_npv")


def measured(theirs: Any, grades: list[float | None]) -> list[float]:
    """cwl_eval's five values, and its residual of the first."""
    gains = [np.nan if grade is None else grade / 3 for grade in grades]
    theirs.measure(ruler.Ranking("1", gains, [1.0] * len(gains)))
    return [*theirs.get_scores(), theirs.residual_expected_utility]


@pytest.mark.parametrize(("name", "peer", "arguments"), PAIRS)
@settings(deadline=None, max_examples=25)
@given(grades=GRADES)
def test_every_value_is_cwl_evals_if_the_tail_is_lost_as_there(name, peer, arguments, grades):
    ours, theirs = pair(name, peer, arguments)
    *values, residual = measured(theirs, grades)
    j = judged(grades)
    assert_allclose([ours(value=which).of(j)[0] for which in VALUES], values, rtol=1e-9, atol=1e-12)
    found = ours.residual(j)
    if not np.isnan(found.tail[0]):
        assert_allclose(found.unjudged + found.tail, residual, rtol=1e-9, atol=1e-9)
    else:
        assert ours.name in ("BPM", "DynamicBPM", "IFT")


@pytest.mark.parametrize(
    ("name", "peer", "arguments"),
    [("P@3", "PrecisionCWLMetric", (3,)), ("RR", "RRCWLMetric", ()), ("AP", "APCWLMetric", ())],
)
@settings(deadline=None, max_examples=5)
@given(grades=st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=20))
def test_the_users_of_measures_outside_the_frame_are_cwl_evals(name, peer, arguments, grades):
    _, theirs = pair("RBP", peer, arguments)
    found = rg.profile(name, gains=[grade / 3 for grade in grades])
    if any(grades):  # without a gain, our user of RR stops at the horizon; theirs never
        *values, _ = measured(theirs, grades)
        assert_allclose([getattr(found, which) for which in VALUES], values, rtol=1e-9)


def test_a_total_is_utility_times_depth_where_cwl_eval_forgets_the_last_readers():
    ours, theirs = pair("RBP(p=0.99, horizon=1000)", "RBPCWLMetric", (0.99,))
    theirs.measure(ruler.Ranking("1", [0, 1, np.nan, 2 / 3, 0, 1 / 3], [1.0] * 6))
    kept = ours(tail="kept")
    j = judged([0, 3, None, 2, 0, 1])
    assert theirs.expected_total_utility == pytest.approx(1.953776, abs=1e-6)
    assert kept(value="ETU").of(j)[0] == pytest.approx(1.953863, abs=1e-6)
    assert kept(value="ETU").of(j)[0] == pytest.approx(theirs.expected_utility * theirs.expected_items, rel=1e-12)


def test_the_convention_cwl_eval_gives_its_values_by_name():
    gains = {"b": 0.0, "a": 1.0, "c": 2 / 3, "e": 0.0, "d": 1 / 3}
    run = {"1": {doc: -float(rank) for rank, doc in enumerate("baxced")}}
    names = [
        "RBP(p=0.99, value='ETU')",
        "INST(T=1, value='ED')",
        "INSQ(value='ETC')",
        "SDCG@10",
        "UMeasure(value='ETC')",
    ]
    scores = rg.evaluate({"1": gains}, {"r": run}, names, convention="cwl_eval")
    found = scores.mean()["mean"].to_list()
    peers = [
        ("RBP", (0.99,), 1),
        ("INST", (1.0,), 4),
        ("INSQ", (1.0,), 3),
        ("NDCG", (10,), 0),
        ("UMeasure", (1000,), 3),
    ]
    theirs = []
    for peer, arguments, which in peers:
        metric = getattr(ruler, f"{peer}CWLMetric")(*arguments)
        metric.measure(ruler.Ranking("1", [0, 1, np.nan, 2 / 3, 0, 1 / 3], [1.0] * 6))
        theirs.append(metric.get_scores()[which])
    assert found[:4] == pytest.approx(theirs[:4], rel=1e-12)
    assert found[4] == pytest.approx(theirs[4], rel=1e-3)  # their U-measure gives rank 1000 no weight


PRINTED = {"NDCG-k@": "SDCG@{}", "RBP@": "RBP(p={}, horizon=1000)", "INST-T=": "INST(T={})"}


def test_the_table_that_cwl_eval_prints(shared: Path):
    lines = (shared / "data/conformance/tiny/q1.cwl-eval-1.0.12.residuals.tsv").read_text("utf-8").splitlines()[1:]
    j, seen = judged([0, 3, None, 2, 0, 1]), 0
    for _, metric, *numbers in (line.split() for line in lines):
        start = next((start for start in PRINTED if metric.startswith(start)), None)
        if start is None:
            continue
        ours = rg.parse(PRINTED[start].format(metric.removeprefix(start)))
        ours = ours(tail="lost") if "tail" in ours.parameters else ours
        found = [ours(value=which).of(j)[0] for which in VALUES]
        residual = ours.residual(j)
        assert [*found, (residual.unjudged + residual.tail)[0]] == pytest.approx(
            [float(x) for x in numbers[:6]], abs=5.1e-5
        )
        seen += 1
    assert seen == 8


LINE = re.compile(r"p= (?P<p>[\d.]+) q=\s*(?P<query>\S+) d= full rbp= (?P<value>[\d.]+) \+(?P<residual>[\d.]+)")


@pytest.mark.parametrize(
    ("qrels", "run", "printed"),
    [
        ("cranfield/cranfield.graded.qrels", "cranfield/bm25.run.gz", "cranfield.bm25.rbp_eval-0.2.B.txt.gz"),
        ("cranfield/cranfield.graded.qrels", "cranfield/coord.run.gz", "cranfield.coord.rbp_eval-0.2.B.txt.gz"),
        ("vaswani/qrels", "vaswani/bm25.run.gz", "vaswani.bm25.rbp_eval-0.2.B.txt.gz"),
        ("vaswani/qrels", "vaswani/coord.run.gz", "vaswani.coord.rbp_eval-0.2.B.txt.gz"),
    ],
)
def test_binary_rbp_averaged_over_ties_is_rbp_evals(shared: Path, qrels, run, printed):
    folder = shared / "data/conformance"
    text = gzip.decompress((folder / "expected" / printed).read_bytes()).decode()
    j = spread(rg.judge(rg.read_qrels(folder / qrels), rg.read_run(folder / run)))
    queries = rg.read_qrels(folder / qrels).flat.queries.to_list()
    lines = [m for m in map(LINE.fullmatch, map(str.strip, text.splitlines())) if m and m["query"] != "all"]
    assert len(lines) > 200
    for p in ("0.50", "0.80", "0.95"):
        measure, those = rg.parse(f"RBP(p={p}, rel=1)"), [m for m in lines if m["p"] == p]
        at = [queries.index(m["query"]) for m in those]
        residual = measure.residual(j)
        assert_allclose(measure.of(j)[at], [float(m["value"]) for m in those], rtol=0, atol=5.1e-5)
        found = (residual.unjudged + residual.tail)[at]
        assert_allclose(found, [float(m["residual"]) for m in those], rtol=0, atol=5.1e-5)
