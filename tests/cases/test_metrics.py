"""Faults reported of other tools' measures, one by one; values to six digits, by hand or as the docstring says."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from cases.inline import kinds, qrels, run, value, values
from rankgauge.errors import DuplicateError, InputError

SIX = {"abs": 5e-7}


def test_scores_that_differ_past_float32_still_order_the_documents():
    """Case float32-score; trec_eval 10."""
    judged = qrels("f 0 m 1")
    precise = run("f Q0 z 1 0.50000000 sys\nf Q0 m 2 0.50000001 sys")
    assert value(judged, precise, "RR") == 1.0
    assert value(judged, precise, "RR", convention="trec_eval") == 1.0
    assert value(judged, precise, "RR", convention="trec_eval9") == 0.5


@pytest.mark.parametrize("precision", [np.float32, np.float16])
def test_scores_that_come_in_less_precision_are_tied_and_said_to_be(precision):
    """Case float32-score: precision that the caller lost cannot come back, but it is said."""
    scores = pl.Series(np.array([0.50000000, 0.50000001], dtype=precision))
    lossy = rg.Run.from_columns(pl.Series(["f", "f"]), pl.Series(["z", "m"]), scores)
    found = rg.evaluate({"f": {"m": 1}}, lossy, "RR")
    assert found.values.item() == 0.5
    assert (found.low.item(), found.high.item()) == (0.5, 1.0)
    assert {"ties", "score precision"} <= kinds(found)


def test_the_gain_of_nDCG_is_part_of_its_name_and_holds_for_the_ideal_too():
    """Case gain-variants; linear as trec_eval, exponential and binary by the formula."""
    judged = qrels("\n".join(f"wiki 0 D{i} {g}" for i, g in enumerate([3, 2, 3, 0, 1, 2, 3, 2], 1)))
    ranking = run("\n".join(f"wiki Q0 D{i} {i} {11 - i} sys" for i in range(1, 7)))
    scores = rg.evaluate(judged, ranking, ["nDCG(gain='linear')@6", "nDCG@6", "nDCG(gain={1: 1, 2: 1, 3: 1})@6"])
    assert scores.values.ravel() == pytest.approx([0.785002, 0.751083, 0.869676], **SIX)
    assert scores.measures == ("nDCG(gain='linear')@6", "nDCG(gain='exp')@6", "nDCG(gain={1: 1, 2: 1, 3: 1})@6")


def test_huge_grades_keep_nDCG_exact():
    """Case exp-gain-overflow; exact arithmetic with 60 digits."""
    judged = qrels("big 0 u1 72\nbig 0 u2 40\nbig 0 u3 31\nbig 0 u4 0\nhuge 0 v1 2000\nhuge 0 v2 1999\nhuge 0 v3 0")
    ranking = run(
        "big Q0 u2 1 9 sys\nbig Q0 u1 2 8 sys\nbig Q0 u3 3 7 sys\nbig Q0 u4 4 6 sys\n"
        "huge Q0 v2 1 9 sys\nhuge Q0 v1 2 8 sys\nhuge Q0 v3 3 7 sys"
    )
    found = rg.evaluate(judged, ranking, ["nDCG", "nDCG(gain='linear')"]).values[0]
    assert found[0] == pytest.approx([0.63093, 0.859719], **SIX)
    assert found[1] == pytest.approx([0.895241, 0.999887], **SIX)


def test_a_gain_beyond_float64_is_refused_with_the_grade_and_the_limit():
    """Case exp-gain-overflow: a DCG of 2^2000 has no float64."""
    with pytest.raises(ValueError, match=r"grades up to 1023 for the exponential gain, got 2000"):
        rg.evaluate({"q": {"d": 2000}}, {"q": {"d": 1.0}}, "DCG")


NEGATIVE = "w 0 a -2\nw 0 b 1\nw 0 c -1\nw 0 d 2"
NEGATIVE_RUN = "w Q0 a 1 9 sys\nw Q0 c 2 8 sys\nw Q0 b 3 7 sys\nw Q0 d 4 6 sys"


def test_a_negative_grade_gains_nothing():
    """Case negative-grades; trec_eval 10."""
    asked = ("nDCG(gain='linear')", "nDCG(gain='linear')@2", "AP", "P@1")
    (found,) = values(qrels(NEGATIVE), run(NEGATIVE_RUN), *asked).values()
    assert list(found.values()) == pytest.approx([0.517442, 0.0, 0.416667, 0.0], **SIX)


@pytest.mark.parametrize(
    ("convention", "precision", "ndcg"), [("default", 0.0, 0.517442), ("trec_eval", 1.0, 0.859719)]
)
def test_judged_only_keeps_judged_spam_unless_the_convention_is_that_of_trec_eval_J(convention, precision, ndcg):
    """Case negative-grades; trec_eval 10 -J."""
    asked = ("P(judged_only=True)@1", "nDCG(gain='linear', judged_only=True)")
    (found,) = values(qrels(NEGATIVE), run(NEGATIVE_RUN), *asked, convention=convention).values()
    assert list(found.values()) == pytest.approx([precision, ndcg], **SIX)


TWICE = "dup Q0 a 1 3.0 sys\ndup Q0 a 2 2.0 sys\ndup Q0 c 3 1.0 sys"


def test_a_document_twice_in_a_ranking_is_refused_by_name():
    """Case duplicate-in-run."""
    with pytest.raises(DuplicateError, match=r"query 'dup', document 'a': expected each document once, got 2 times"):
        run(TWICE)


@pytest.mark.parametrize("policy", ["first", "max"])
def test_a_document_twice_counts_once_where_that_is_asked_for(policy):
    """Case duplicate-in-run."""
    asked = ("R@3", "P@3", "nDCG(gain='linear')@3", "AP")
    judged, ranking = qrels("dup 0 a 1\ndup 0 b 1"), run(TWICE, on_duplicate=policy)
    (found,) = values(judged, ranking, *asked).values()
    assert list(found.values()) == pytest.approx([0.5, 0.333333, 0.613147, 0.5], **SIX)
    scores = rg.evaluate(judged, ranking, "AP")
    assert [note.count for note in scores.notes if note.kind == "duplicates"] == [1]


CONFLICT = ["c 0 b 1", "c 0 b 3", "c 0 d 2"]


def test_a_document_judged_twice_is_refused_with_both_grades():
    """Case duplicate-in-qrels."""
    with pytest.raises(DuplicateError, match=r"query 'c', document 'b': expected one judgment, got grades 1, 3"):
        qrels("\n".join(CONFLICT))


@pytest.mark.parametrize(
    ("policy", "forwards", "backwards"), [("last", 1.0, 0.859719), ("first", 0.859719, 1.0), ("max", 1.0, 1.0)]
)
def test_a_policy_decides_between_two_judgments(policy, forwards, backwards):
    """Case duplicate-in-qrels; only "max" does not depend on the order of the lines."""
    ranking = run("c Q0 b 1 2 sys\nc Q0 d 2 1 sys")
    for lines, expected in ((CONFLICT, forwards), (CONFLICT[::-1], backwards)):
        judged = qrels("\n".join(lines), on_duplicate=policy)
        assert value(judged, ranking, "nDCG(gain='linear')") == pytest.approx(expected, **SIX)


def test_AP_at_k_is_divided_by_R_unless_its_name_says_otherwise():
    """Case ap-at-k-denominator; trec_eval 10 map_cut.5."""
    judged = qrels("\n".join(f"m 0 r{i} 1" for i in range(10)))
    ranking = run("\n".join(f"m Q0 {'r' if i < 5 else 'n'}{i % 5} {i + 1} {50 - i} sys" for i in range(10)))
    asked = ("AP@5", "AP(denominator='min(R,k)')@5", "AP")
    (found,) = values(judged, ranking, *asked).values()
    assert list(found.values()) == [0.5, 1.0, 0.5]


def test_P_at_k_divides_by_k_however_short_the_ranking_is():
    """Case p-at-k-short-list; trec_eval 10."""
    judged = qrels("s 0 a 1\ns 0 b 1\ns 0 c 0\ns 0 e 1")
    ranking = run("s Q0 a 1 3 sys\ns Q0 b 2 2 sys\ns Q0 c 3 1 sys")
    (found,) = values(judged, ranking, "P@10", "SetP", "R@10", "Rprec").values()
    assert list(found.values()) == pytest.approx([0.2, 0.666667, 0.666667, 0.666667], **SIX)


def test_documents_of_different_queries_do_not_compete():
    """Case macro-average; trec_eval 10."""
    judged = qrels("q1 0 a 0\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\nq2 0 e 0\nq2 0 f 0")
    lines = [
        "q1 Q0 a 1 0.9 s",
        "q1 Q0 b 2 0.8 s",
        "q1 Q0 c 3 0.7 s",
        "q2 Q0 d 1 0.3 s",
        "q2 Q0 e 2 0.2 s",
        "q2 Q0 f 3 0.1 s",
    ]
    mixed = [lines[i] for i in (3, 0, 5, 2, 4, 1)]
    for order in (lines, mixed):
        assert rg.evaluate(judged, run("\n".join(order)), "nDCG").mean()["mean"].item() == 0.75


def test_several_relevant_documents_count_in_one_AP_and_rank_two_is_discounted():
    """Case multi-gold-and-discount; trec_eval 10."""
    judged = qrels("hg 0 a 1\nhg 0 b 1\nhg 0 c 1\nhg 0 d 1\nhg 0 g 1\nr2 0 x 0\nr2 0 y 1\nr2 0 z 0")
    ranking = run(
        "\n".join(f"hg Q0 {doc} {i} {21 - i} sys" for i, doc in enumerate("abcdefghij", 1))
        + "\nr2 Q0 x 1 3 sys\nr2 Q0 y 2 2 sys\nr2 Q0 z 3 1 sys"
    )
    found = values(judged, ranking, "AP", "RR", "nDCG")
    assert list(found["hg"].values()) == pytest.approx([0.942857, 1.0, 0.981848], **SIX)
    assert list(found["r2"].values()) == pytest.approx([0.5, 0.5, 0.63093], **SIX)


def test_bpref_is_a_number_where_nothing_was_judged_non_relevant():
    """Case bpref-no-nonrelevant; trec_eval 10."""
    judged = qrels("bp 0 a 1\nbp 0 b 1")
    both = run("bp Q0 u1 1 4 sys\nbp Q0 a 2 3 sys\nbp Q0 u2 3 2 sys\nbp Q0 b 4 1 sys")
    half = run("bp Q0 u1 1 4 sys\nbp Q0 a 2 3 sys")
    assert value(judged, both, "bpref") == 1.0
    assert value(judged, half, "bpref") == 0.5
    assert "bpref" in kinds(rg.evaluate(judged, both, "bpref"))
    full = qrels("bq 0 a 1\nbq 0 b 1\nbq 0 n1 0\nbq 0 n2 0\nbq 0 n3 0")
    mixed = run("bq Q0 n1 1 5 sys\nbq Q0 a 2 4 sys\nbq Q0 n2 3 3 sys\nbq Q0 n3 4 2 sys\nbq Q0 b 5 1 sys")
    assert value(full, mixed, "bpref") == 0.25
    assert "bpref" not in kinds(rg.evaluate(full, mixed, "bpref"))


def test_RBP_scales_gains_and_its_residual_has_the_unjudged_and_the_tail():
    """Case rbp-graded-residual; ranx and trec_eval 10 agree where they do not drop the tail."""
    judged = qrels("b 0 a 2\nb 0 n 0\nb 0 d 1")
    ranking = run("b Q0 a 1 4 sys\nb Q0 u 2 3 sys\nb Q0 n 3 2 sys\nb Q0 d 4 1 sys")
    scores = rg.evaluate(judged, ranking, ["RBP(p=0.8, rel=1)", "RBP(p=0.8)"])
    assert scores.values.ravel() == pytest.approx([0.3024, 0.2512], **SIX)
    assert scores.residual_unjudged.ravel() == pytest.approx([0.16, 0.16], **SIX)
    assert scores.residual_tail.ravel() == pytest.approx([0.8**4, 0.8**4], **SIX)


def test_the_tail_of_RBP_is_there_even_when_all_that_was_retrieved_is_judged():
    """Case rbp-graded-residual."""
    scores = rg.evaluate({"b": {"a": 1}}, {"b": {"a": 1.0}}, "RBP(p=0.8)")
    assert (scores.residual_unjudged.item(), scores.residual_tail.item()) == (0.0, pytest.approx(0.8))


def test_infAP_tells_documents_outside_the_pool_from_those_not_judged():
    """Case infap-pooled-unjudged; trec_eval 10, four digits."""
    judged = qrels("i 0 a 1\ni 0 b -1\ni 0 c 0\ni 0 d 1")
    ranking = run("\n".join(f"i Q0 {doc} {i} {6 - i} sys" for i, doc in enumerate("ebcad", 1)))
    (found,) = values(judged, ranking, "infAP", "AP").values()
    assert list(found.values()) == pytest.approx([0.375, 0.325], abs=5e-5)


def test_a_NaN_score_is_refused_by_query_and_document():
    """Case nan-inf-scores."""
    with pytest.raises(InputError, match=r"query 'x', document 'a': expected a finite score, got NaN") as error:
        run("x Q0 a 1 nan sys\nx Q0 b 2 0.5 sys\nx Q0 z 3 NaN sys\nx Q0 c 4 0.4 sys")
    assert len(error.value.faults) == 2


@pytest.mark.parametrize(("score", "expected"), [("inf", 0.5), ("-inf", 1.0)])
def test_infinite_scores_order_documents_and_are_noted_whatever_the_names(score, expected):
    """Case nan-inf-scores."""
    for name in "ac":
        judged = qrels(f"x 0 {name} 0\nx 0 b 1\nx 0 z 0")
        for lines in ((f"x Q0 {name} 1 {score} s", "x Q0 b 2 0.5 s"), ("x Q0 b 2 0.5 s", f"x Q0 {name} 1 {score} s")):
            scores = rg.evaluate(judged, run("\n".join(lines)), "RR")
            assert scores.values.item() == expected
            assert "infinite scores" in kinds(scores)


def test_a_relevance_level_holds_for_binary_measures_and_not_for_nDCG():
    """Case relevance-level; trec_eval 10 -l 2."""
    judged = qrels("lv 0 a 1\nlv 0 b 2\nlv 0 c 3")
    ranking = run("lv Q0 a 1 3 sys\nlv Q0 b 2 2 sys\nlv Q0 c 3 1 sys")
    (found,) = values(judged, ranking, "AP", "RR", "R@2", "P@1", "nDCG(gain='linear')",
                      convention=rg.CONVENTIONS["default"].but(level=2.0)).values()  # fmt: skip
    assert list(found.values()) == pytest.approx([0.583333, 0.5, 0.5, 0.0, 0.789998], **SIX)
    (named,) = values(judged, ranking, "AP(rel=2)", "nDCG(gain='linear')").values()
    assert list(named.values()) == pytest.approx([0.583333, 0.789998], **SIX)


def test_the_share_of_unjudged_documents_says_what_it_is_divided_by():
    """Case unjudged-rate; trec_eval 10 unj_5, the rest by hand."""
    judged = qrels("uj 0 a 0\nuj 0 b -1\nuj 0 d 2")
    ranking = run("uj Q0 a 1 3 sys\nuj Q0 b 2 2 sys\nuj Q0 x 3 1 sys")
    asked = ("Unjudged(over='k')@5", "Unjudged@5", "Judged(over='k')@5")
    (found,) = values(judged, ranking, *asked).values()
    assert list(found.values()) == pytest.approx([0.4, 0.666667, 0.2], **SIX)
