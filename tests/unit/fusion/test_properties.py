"""What every fusion method owes, whatever the runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.errors import InputError
from rankgauge.fusion import METHODS, NORMS

DOCS = (*"abcdefgh", "é", "10", "9")
SCORES = st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0, 3.0, 1e9])
QUERIES = ("q1", "q2", "007")
UNTRAINED = [name for name, method in METHODS.items() if method.train is None]
OF_RANKS = [name for name, method in METHODS.items() if not method.reads_scores]

few = settings(max_examples=12, deadline=None)


@st.composite
def runs(draw, least=2, most=4):
    """Several runs with many ties; a run may lack queries or hold nothing, but not all of them."""
    ranking = st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=9)
    drawn = draw(
        st.lists(st.dictionaries(st.sampled_from(QUERIES), ranking, max_size=3), min_size=least, max_size=most)
    )
    drawn[0]["q1"] = draw(st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1, max_size=9))
    return drawn


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "a": 0}, "007": {"e": 0}}


@pytest.mark.parametrize("method", METHODS)
@few
@given(world=runs())
def test_scores_are_finite_and_every_document_is_there_once(method, world):
    fused = rg.fuse(world, method=method, qrels=QRELS)
    assert np.isfinite(fused.scores).all()
    union = {(query, doc) for run in world for query, docs in run.items() for doc in docs}
    found = [(query, doc) for query, docs in fused.to_dict().items() for doc in docs]
    assert sorted(found) == sorted(union)


@pytest.mark.parametrize("norm", NORMS)
@few
@given(world=runs())
def test_normalised_scores_are_finite(norm, world):
    try:
        fused = rg.fuse(world, method="CombSUM", norm=norm)
    except InputError:
        assert norm == "max"  # a list whose highest score is not above 0
    else:
        assert np.isfinite(fused.scores).all()


@pytest.mark.parametrize("method", UNTRAINED)
@few
@given(world=runs(least=3), data=st.data())
def test_the_order_of_the_runs_does_not_matter(method, world, data):
    mixed = data.draw(st.permutations(world))
    one, other = rg.fuse(world, method=method).to_dict(), rg.fuse(mixed, method=method).to_dict()
    assert one.keys() == other.keys()
    assert all(list(one[query].items()) == list(other[query].items()) for query in one)  # to the last bit


@pytest.mark.parametrize("method", OF_RANKS)
@few
@given(world=runs(), scale=st.sampled_from([(2.0, 1.0), (0.5, -3.0), (1024.0, 0.0)]))
def test_rank_based_methods_do_not_see_the_scale_of_scores(method, world, scale):
    factor, shift = scale
    moved = [{q: {d: s * factor + shift for d, s in docs.items()} for q, docs in run.items()} for run in world]
    assert rg.fuse(world, method=method, qrels=QRELS).to_dict() == rg.fuse(moved, method=method, qrels=QRELS).to_dict()


@pytest.mark.parametrize("method", ["CombSUM", "CombMNZ", "CombMED", "RRF", "ISR", "RBC", "BordaFuse", "Condorcet"])
@few
@given(ranking=st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1))
def test_a_run_fused_with_itself_keeps_its_order(method, ranking):
    run = rg.Run.from_dict({"q": ranking})
    assert list(rg.fuse([run, run, run], method=method).docs) == list(run.ranked().docs)


@pytest.mark.parametrize("norm", ["min-max", "sum", "z-score"])
@few
@given(world=runs())
def test_a_linear_change_of_scores_is_undone_by_normalisation(norm, world):
    moved = [{q: {d: 2 * s + 3 for d, s in docs.items()} for q, docs in run.items()} for run in world]
    one, other = (rg.fuse(w, method="CombSUM", norm=norm).to_dict() for w in (world, moved))
    assert all(one[query] == pytest.approx(other[query], abs=1e-6) for query in one)


@pytest.mark.parametrize("method", UNTRAINED)
@few
@given(world=runs())
def test_each_query_is_fused_on_its_own(method, world):
    together = rg.fuse(world, method=method).to_dict()
    for query, docs in together.items():
        alone = [{query: run.get(query, {})} for run in world]
        assert list(rg.fuse(alone, method=method).to_dict()[query].items()) == list(docs.items())


@few
@given(world=runs())
def test_the_kin_of_a_method_are_its_special_cases(world):
    def fused(method, **how):
        return rg.fuse(world, method=method, **how).to_dict()

    assert fused("CombGMNZ", gamma=0) == fused("CombSUM")
    assert fused("CombGMNZ", gamma=1) == fused("CombMNZ")
    assert fused("WSUM", weights=[1.0] * len(world)) == fused("CombSUM")
    assert fused("logN_ISR", sigma=0) == fused("log_ISR")
    one, other = fused("SlideFuse", window=0, qrels=QRELS), fused("PosFuse", qrels=QRELS)
    assert all(one[query] == pytest.approx(other[query]) for query in one)
