"""The conventions gdeval, ndeval, cwl_eval and msmarco beside the tools themselves, called in the test."""

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from oracles import inputs, trec
from oracles.compare import assert_agree, ours
from rankgauge.errors import MeasureError

tracks = pytest.importorskip("oracles.tracks")
FIVE_DIGITS, SIX_DIGITS = 0.5e-5 + 1e-9, 0.5e-6 + 1e-9


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval.pl needs perl")
@settings(max_examples=20)
@given(inputs.collections(grades=(-2, -1, 0, 1, 2, 3, 4), docs=inputs.ASCII_DOCS), st.sampled_from([1, 3, 10]))
def test_gdeval_prints_our_value_of_each_query(collection, cutoff):
    qrels, run = collection
    qrels["98"], run["98"] = {"a": 4, "b": 1}, {"b": 1.0, "a": inputs.CLOSE}
    expected = tracks.gdeval(qrels, run, cutoff)
    assert_agree(ours(qrels, run, expected, "gdeval"), expected, within=FIVE_DIGITS)


@pytest.mark.parametrize("system", ["vaswani.coord", "cranfield.bm25", "web2012.rm-catb"])
def test_gdeval_printed_our_values_and_means(shared, system):
    folder = shared / "data/conformance"
    qrels, run = {
        "vaswani.coord": ("vaswani/qrels", "vaswani/coord.run.gz"),
        "cranfield.bm25": ("cranfield/cranfield.graded.qrels", "cranfield/bm25.run.gz"),
        "web2012.rm-catb": ("trec-qrels/web.151-200.qrels", "trec-web-2012/rm-catb.run.gz"),
    }[system]
    qrels, run = trec.read_qrels(folder / qrels), trec.read_run(folder / run)
    for k in (5, 10, 20):
        lines = trec.text_of(folder / f"expected/{system}.gdeval.k{k}.csv.gz").splitlines()[1:]
        rows = {topic: (float(ndcg), float(err)) for _, topic, ndcg, err in (line.split(",") for line in lines)}
        scores = rg.evaluate(qrels, run, [f"nDCG@{k}", f"ERR@{k}"], convention="gdeval")
        means = scores.mean()["mean"].to_list()
        for measure, mean, at in zip(scores.measures, means, (0, 1), strict=True):
            found = scores.of("run", measure) | ({"amean": mean} if "amean" in rows else {})
            assert_agree({measure: found}, {measure: {t: v[at] for t, v in rows.items()}}, within=FIVE_DIGITS)


@settings(max_examples=25)
@given(inputs.judged_subtopics(), inputs.collections(queries=("1", "2"), docs=inputs.ASCII_DOCS))
def test_pyndeval_has_our_value_of_each_query(judged, collection):
    _, run = collection
    run.setdefault("1", {"d0": 1.0})
    expected = tracks.ndeval(judged, run)
    ascending = rg.CONVENTIONS["ndeval"].but(ties="docid-asc")
    assert_agree(ours(inputs.subtopic_qrels(judged), run, tracks.NDEVAL, ascending), expected)


@settings(max_examples=15)
@given(inputs.collections(grades=(0, 1)), st.sampled_from([(0.0, 1.0), (0.25, 0.5), (0.0, 1 / 3)]))
def test_cwl_eval_has_our_value_of_each_query(collection, gains_of):
    qrels, run = collection
    gains = {query: {doc: gains_of[grade] for doc, grade in docs.items()} for query, docs in qrels.items()}
    expected = tracks.cwl(gains, run)
    binary = {"P@5", "RR", "AP"} if gains_of != (0.0, 1.0) else set()  # to cwl_eval, gains; to us, relevant or not
    expected = {name: values for name, values in expected.items() if name not in binary}
    assert_agree(ours(gains, run, expected, "cwl_eval"), expected)


@pytest.mark.parametrize("measure", ["SDCG@5", "INST", "INSQ", "RBP(p=0.8)", "BPM@5", "NERR8@5", "NERR10"])
def test_a_gain_beyond_1_is_refused_as_by_cwl_eval(measure):
    with pytest.raises(MeasureError, match="got grade 2"):
        rg.evaluate({"q": {"a": 2.0}}, {"q": {"a": 1.0}}, measure, convention="cwl_eval")


def test_users_who_would_read_on_at_rank_1000_are_forgotten_as_by_cwl_eval():
    """The total utility that cwl_eval 1.0.12 gives RBP(0.99) on gains 0, 1, unjudged, 2/3, 0, 1/3."""
    gains = {"q": {"b": 0.0, "a": 1.0, "c": 2 / 3, "e": 0.0, "d": 1 / 3}}
    run = {"q": {doc: float(-i) for i, doc in enumerate("baxced")}}
    found = rg.evaluate(gains, run, "RBP(p=0.99, value='ETU')", convention="cwl_eval").values.item()
    assert round(found, 6) == 1.953776


@settings(max_examples=25)
@given(inputs.collections(grades=(1,), distinct_scores=True), st.sampled_from([1, 3, 10]))
def test_ms_marcos_script_has_our_value_of_each_query(collection, cutoff):
    qrels, run = collection
    expected = dict.fromkeys(qrels, 0.0) | tracks.msmarco(qrels, {q: list(docs) for q, docs in run.items()}, cutoff)
    assert_agree(ours(qrels, run, [f"RR@{cutoff}"], "msmarco"), {f"RR@{cutoff}": expected})


def test_ms_marcos_mean_counts_a_query_that_the_run_lacks():
    """By the script: (1/2 + 0) / 2, which divides by the queries of its qrels."""
    found = rg.evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"x": 2.0, "a": 1.0}}, "RR@10", convention="msmarco")
    assert found.mean()["mean"].item() == 0.25


@pytest.mark.parametrize("convention", ["msmarco", "ndeval"])
def test_the_rank_column_holds_where_the_tool_reads_it(tmp_path, convention):
    (tmp_path / "run").write_text("q Q0 b 2 9.0 t\nq Q0 a 1 1.0 t\nq Q0 c 3 5.0 t\n", encoding="utf-8")
    run = rg.read_run(tmp_path / "run", order=rg.CONVENTIONS[convention].order)
    assert ours({"q": {"a": 1}}, run, ["RR@10"], convention) == {"RR@10": {"q": 1.0}}
