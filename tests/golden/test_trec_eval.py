"""The conventions trec_eval and trec_eval9 beside what trec_eval printed, to its four digits.

Tools: trec_eval 10.0 and 9.0.8, built from source. Commands: trec_eval -q -c -m all_trec [-l2] [-J] QRELS RUN over
six pairs; and the inputs and expected outputs of trec_eval's own tests (out.test.aq: -a -q, aqc: -c, aql: -l2,
aqcM: -M100). The files lie in shared/data/conformance and may be absent.
"""

import pytest

import rankgauge as rg
from oracles import trec
from oracles.compare import assert_agree

PAIRS = {
    "vaswani.bm25": ("vaswani/qrels", "vaswani/bm25.run.gz"),
    "vaswani.coord": ("vaswani/qrels", "vaswani/coord.run.gz"),
    "cranfield.bm25": ("cranfield/cranfield.graded.qrels", "cranfield/bm25.run.gz"),
    "cranfield.coord": ("cranfield/cranfield.graded.qrels", "cranfield/coord.run.gz"),
    "web2012.ql-cata-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/ql-cata-filtered.run.gz"),
    "web2012.rm-catb": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb.run.gz"),
    "web2012.rm-catb-filtered": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb-filtered.run.gz"),
}
HALF_A_DIGIT = 0.5e-4 + 1e-9
COUNTED_9 = rg.CONVENTIONS["trec_eval9"].but(queries="judged")


def inputs_of(shared, pair):
    folder = shared / "data/conformance"
    qrels, run = (folder / part for part in PAIRS[pair])
    return trec.read_qrels(qrels), trec.read_run(run)


def check(qrels, run, printed, how, *, names=trec.NAMES, judged_only=False, only_printed=False):
    """Compare each query's row and the mean of every measure that was printed and that we have."""
    asked = {theirs: rg.parse(ours) for theirs, ours in names.items() if theirs in printed}
    if judged_only:
        asked = {theirs: measure(judged_only=True) for theirs, measure in asked.items()}
    scores = rg.evaluate(qrels, run, list(asked.values()), convention=how)
    means = dict(scores.mean().select("measure", "mean").iter_rows())
    for theirs, measure in asked.items():
        written = str(measure.under(rg.conventions.convention(how)))
        rows = {query: value for query, value in printed[theirs].items() if query != "all"}
        found = scores.of("run", written)
        found = {q: v for q, v in found.items() if q in rows} if only_printed else found
        found, expected = found | {"all": means[written]}, rows | {"all": printed[theirs]["all"]}
        if not rows and theirs != "gm_map":
            found = {"all": means[written]}
        if theirs == "gm_map":
            found, expected = {"all": means[written]}, {"all": printed[theirs]["all"]}
        assert_agree({theirs: found}, {theirs: expected}, within=HALF_A_DIGIT)
    return set(asked)


@pytest.mark.parametrize("pair", PAIRS)
def test_trec_eval_10_printed_our_values(shared, pair):
    printed = trec.read_printed(shared / f"data/conformance/expected/{pair}.trec_eval-10.0.qc_all_trec.txt.gz")
    names = trec.NAMES | trec.ONLY_10
    assert check(*inputs_of(shared, pair), printed, "trec_eval", names=names) == set(names)


@pytest.mark.parametrize("pair", PAIRS)
def test_trec_eval_9_printed_our_values(shared, pair):
    printed = trec.read_printed(shared / f"data/conformance/expected/{pair}.trec_eval-9.0.8.qc_all_trec.txt.gz")
    assert check(*inputs_of(shared, pair), printed, COUNTED_9, only_printed=True) == set(trec.NAMES)


@pytest.mark.parametrize("pair", PAIRS)
def test_trec_eval_9_printed_our_values_at_level_2(shared, pair):
    printed = trec.read_printed(shared / f"data/conformance/expected/{pair}.trec_eval-9.0.8.qc_l2_all_trec.txt.gz")
    check(*inputs_of(shared, pair), printed, COUNTED_9.but(level=2), only_printed=True)


@pytest.mark.parametrize("pair", PAIRS)
def test_trec_eval_9_printed_our_values_of_condensed_rankings(shared, pair):
    printed = trec.read_printed(shared / f"data/conformance/expected/{pair}.trec_eval-9.0.8.qc_J_all_trec.txt.gz")
    check(*inputs_of(shared, pair), printed, COUNTED_9, judged_only=True, only_printed=True)


@pytest.mark.parametrize(
    ("printed", "how"),
    [
        ("out.test.aq", rg.CONVENTIONS["trec_eval"].but(queries="both")),
        ("out.test.aqc", rg.CONVENTIONS["trec_eval"]),
        ("out.test.aql", rg.CONVENTIONS["trec_eval"].but(queries="both", level=2)),
    ],
)
def test_trec_evals_own_tests_expect_our_values(shared, printed, how):
    folder = shared / "data/conformance/trec_eval-10.0"
    qrels = trec.read_qrels(folder / ("qrels.rel_level" if printed.endswith("l") else "qrels.test"))
    if printed.endswith("c"):
        qrels = trec.read_qrels(folder / "qrels.123")
    run = trec.read_run(folder / "results.test")
    check(qrels, run, trec.read_printed(folder / printed), how, names=trec.NAMES | trec.ONLY_10)
