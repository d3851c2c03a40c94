"""The conventions trec_eval and trec_eval9 beside what trec_eval printed, to its four digits.

Tools: trec_eval 10.0 and 9.0.8, built from source. Commands: trec_eval -q -c -m all_trec [-l2] [-J] QRELS RUN over
six pairs; and the inputs and expected outputs of trec_eval's own tests (out.test.aq, aqc: -c, aql: -l2).
The files lie in shared/data/conformance and may be absent.
"""

import functools

import pytest

import rankgauge as rg
from oracles import trec
from oracles.compare import assert_agree

DIGITS = 0.5e-4 + 1e-9
FEW = ("vaswani.coord", "web2012.rm-catb")
COUNTED_9 = rg.CONVENTIONS["trec_eval9"].but(queries="judged")


@functools.cache
def read(folder, qrels, run):
    return rg.Qrels.from_dict(trec.read_qrels(folder / qrels)), rg.Run.from_dict(trec.read_run(folder / run))


def check(inputs, printed, how, *, names=trec.NAMES, judged_only=False):
    """Compare each printed row and mean of every measure that we have; return the names compared."""
    asked = {theirs: rg.parse(ours)(judged_only=judged_only) for theirs, ours in names.items() if theirs in printed}
    scores = rg.evaluate(*inputs, list(asked.values()), convention=how)
    means = dict(scores.mean().select("measure", "mean").iter_rows())
    for theirs, measure in asked.items():
        written = str(measure.under(rg.conventions.convention(how)))
        found = scores.of("run", written) | {"all": means[written]}
        assert_agree({theirs: {row: found[row] for row in printed[theirs]}}, {theirs: printed[theirs]}, within=DIGITS)
    return set(asked)


def expected(shared, pair, options):
    return trec.read_printed(shared / f"data/conformance/expected/{pair}.trec_eval-{options}_all_trec.txt.gz")


@pytest.mark.parametrize("pair", trec.PAIRS)
def test_trec_eval_10_printed_our_values(shared, pair):
    names = trec.NAMES | trec.ONLY_10
    inputs = read(shared / "data/conformance", *trec.PAIRS[pair])
    assert check(inputs, expected(shared, pair, "10.0.qc"), "trec_eval", names=names) == set(names)


@pytest.mark.parametrize("pair", FEW)
def test_trec_eval_9_printed_our_values(shared, pair):
    inputs = read(shared / "data/conformance", *trec.PAIRS[pair])
    assert check(inputs, expected(shared, pair, "9.0.8.qc"), COUNTED_9) == set(trec.NAMES)


@pytest.mark.parametrize("pair", FEW)
def test_trec_eval_9_printed_our_values_at_level_2(shared, pair):
    printed = expected(shared, pair, "9.0.8.qc_l2")
    del printed["num_rel"]["all"]  # with -c -l2 it sums the relevant documents of level 1, against its own rows
    check(read(shared / "data/conformance", *trec.PAIRS[pair]), printed, COUNTED_9.but(level=2))


@pytest.mark.parametrize("pair", FEW)
def test_trec_eval_9_printed_our_values_of_condensed_rankings(shared, pair):
    inputs = read(shared / "data/conformance", *trec.PAIRS[pair])
    check(inputs, expected(shared, pair, "9.0.8.qc_J"), COUNTED_9, judged_only=True)


@pytest.mark.parametrize(
    ("printed", "qrels", "run", "how"),
    [
        ("out.test.aq", "qrels.test", "results.test", rg.CONVENTIONS["trec_eval"].but(queries="both")),
        ("out.test.aqc", "qrels.test", "results.trunc", rg.CONVENTIONS["trec_eval"]),
        ("out.test.aql", "qrels.rel_level", "results.test", rg.CONVENTIONS["trec_eval"].but(queries="both", level=2)),
    ],
)
def test_trec_evals_own_tests_expect_our_values(shared, printed, qrels, run, how):
    folder = shared / "data/conformance/trec_eval-10.0"
    check(read(folder, qrels, run), trec.read_printed(folder / printed), how, names=trec.NAMES | trec.ONLY_10)
