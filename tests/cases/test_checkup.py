"""Faults reported around ids, seen by the checkup."""

from __future__ import annotations

import rankgauge as rg
from cases.inline import qrels, run
from clinic import finding, findings

NUMBERLIKE = ["007", "1e5", "638727826393444353", "NA", "91e70966", "129608e4"]
OTHERS = ["7", "100000", "638727826393444352", "null", "nan", "None", "True"]


def test_ids_that_look_like_numbers_or_nothing_are_named_and_stay_as_they_are():
    """Case ids-that-look-like-numbers."""
    judged = qrels("\n".join(f"n 0 {doc} {int(doc in NUMBERLIKE)}" for doc in NUMBERLIKE + OTHERS))
    checkup = rg.doctor(judged)
    (fragile,), (nothing,) = checkup.named("fragile-ids"), checkup.named("ids-for-nothing")
    assert (fragile.count, nothing.count) == (6, 4)  # 007, 1e5, 91e70966, 129608e4 and the two of 18 digits
    (alike,) = checkup.named("lookalike-ids")
    assert "'7' and '007'" in alike.example
    assert checkup.named("ids-as-floats")[0].severity == "ok"


def test_an_id_in_two_unicode_forms_is_a_near_miss():
    """Case unicode-normal-forms."""
    judged = qrels("u 0 Beyonc\u00e9_(album) 1\nu 0 \uff21bba 0")
    found = finding("near-misses", judged, run("u Q0 Beyonce\u0301_(album) 1 2 sys\nu Q0 \uff21bba 2 1 sys"))
    assert (found.severity, found.count) == ("error", 1)
    assert "1 judged document would match after NFC normalisation" in found.says
    assert rg.doctor(judged).named("unicode-forms")[0].severity == "info"


def test_ids_that_went_through_floats_are_an_error_and_not_a_zero():
    """Case id-types."""
    judged = rg.Qrels.from_dict({1: {10: 1}})
    found = finding("near-misses", judged, {"1.0": {"10.0": 0.5, "11.0": 0.9}})
    assert (found.severity, found.example) == ("error", "'1.0' in the run, '1' in the judgments")
    assert finding("near-misses", judged, {"1": {"10": 0.5, "11": 0.9}}).severity == "ok"
    assert finding("near-misses", judged, {"1": {"10.0": 0.5, "11": 0.9}}).count == 1


def test_a_query_that_finds_itself_is_said_and_nothing_is_dropped():
    """Case self-id-removal."""
    judged = qrels("arg7 0 arg9 1")
    mine = run("arg7 Q0 arg7 1 5 sys\narg7 Q0 arg9 2 4 sys")
    (found,) = [f for f in findings("self-ids", judged, mine) if f.run]
    assert (found.count, found.of, found.example) == (1, 1, "query and document 'arg7'")
    numbers = qrels("\n".join(f"0 0 {doc} 1" for doc in range(10)))
    assert rg.doctor(numbers).named("self-ids")[0].count == 1
