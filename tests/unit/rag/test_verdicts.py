"""Tests of verdicts and their quotations."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import InputError
from rankgauge.judges.asking import Failed
from rankgauge.rag.verdicts import Proof, Quote, Verdict, any_of, both, no, occurs, prove, stated

ENTRIES = st.sampled_from([True, False, None])


def test_a_quotation_that_is_not_in_the_context_proves_nothing_and_is_counted():
    yes, lie = Verdict(True, "the  sky is\nblue"), Verdict(True, "the sky is green")
    assert prove([[yes, lie, Verdict(False)]], ["I saw that the sky is blue.", "the sky is blue", "Grass"]) == Proof(
        entries=((True, None, False),), quotes=(Quote(0, 0, "the  sky is\nblue"),), unproven=1, failed=0
    )


def test_support_without_a_quotation_is_unproven():
    assert prove([[Verdict(True), Verdict(True, "  ")]], ["a", "b"]).unproven == 2


def test_a_failed_verdict_is_neither_true_nor_false():
    proof = prove([[Failed("timeout")], [Failed("unparseable", "perhaps")]], ["text"])
    assert (proof.entries, proof.failed, proof.unproven) == (((None,), (None,)), 2, 0)


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_nothing_follows_from_a_blank_context_whatever_the_judge_says(blank: str):
    assert prove([[Verdict(True, "yes"), Failed("timeout")]], [blank, blank]).entries == ((False, False),)


def test_accents_composed_in_two_ways_are_the_same_quotation():
    span = "Hà Nội là thủ đô"
    assert occurs(unicodedata.normalize("NFD", span), f"{span} của Việt Nam")


def test_a_claim_with_too_few_verdicts_is_an_error():
    with pytest.raises(InputError, match="claim 1: expected 2 verdicts, got 1"):
        prove([[Verdict(False), Verdict(False)], [Verdict(False)]], ["a", "b"])


def test_nulls_and_blanks_are_no_claims():
    assert stated(["The capital is Paris.", None, "\n"]) == ("The capital is Paris.",)


@given(st.lists(ENTRIES, max_size=5))
def test_the_logic_is_right_whatever_the_missing_verdicts_would_have_been(entries: list[bool | None]):
    said = any_of(entries)
    low, high = (any(bool(fill) if entry is None else entry for entry in entries) for fill in (False, True))
    assert said == (low if low == high else None)


@given(ENTRIES, ENTRIES)
def test_and_is_or_turned_round(one: bool | None, other: bool | None):
    assert both(one, other) == no(any_of([no(one), no(other)]))
