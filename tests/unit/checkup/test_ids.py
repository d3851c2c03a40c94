"""Checks of ids: each kind of damage where it is and where it is not."""

from __future__ import annotations

import pytest

import rankgauge as rg
from clinic import finding, judged, severities

SOUND = [
    "d1",
    "doc-7",
    "clueweb09-en0000-00-03430",
    "31715818",
    "MED-10",
    "PLAIN-2",
    "x" * 40,
    "việt-nam",
    "nano",
    "e5",
]
DAMAGED = {
    "ids-as-floats": ["12345.0", "1.0E+05", "1e+05", "1.2e5", "-3.00"],
    "fragile-ids": ["1e5", "91e70966", "007", "638727826393444353"],
    "ids-for-nothing": ["nan", "None", "NULL", "NA", "n/a", "<NA>"],
    "ids-with-edges": [" d1", "d1 ", "'d1'", '"d1', "d1\u00a0"],
    "ids-with-invisible-characters": ["\ufeffd1", "d\u200b1", "d\u00ad1", "d\t1"],
    "ids-in-a-wrong-encoding": ["BeyoncÃ©", "Ä\ufffd", "donâ€™t", "Â£5", "ï»¿d1"],
}


@pytest.mark.parametrize(("check", "damaged"), [(check, one) for check, ids in DAMAGED.items() for one in ids])
def test_a_damaged_id_is_found(check, damaged):
    found = finding(check, {"q": {damaged: 1, "sound": 0}})
    assert (found.severity, found.count, found.of) == ("info" if check == "fragile-ids" else "warning", 1, 3)
    assert repr(damaged) in found.example


@pytest.mark.parametrize("check", list(DAMAGED))
def test_sound_ids_are_fine(check):
    assert finding(check, {"q": dict.fromkeys(SOUND, 1)}).severity == "ok"


def test_ids_of_queries_and_of_runs_count_too():
    found = finding("ids-for-nothing", {"nan": {"a": 1}}, {"nan": {"null": 1.0}})
    assert (found.count, found.of) == (2, 3)
    assert found.example == "query 'nan'; document 'null'"


def test_a_text_in_the_place_of_an_id_is_a_remark():
    found = finding("long-ids", {"q": {"word " * 50 + "end": 1}})
    assert (found.severity, found.count) == ("info", 1)
    assert finding("long-ids", judged(1)).severity == "ok"


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("7", "007", "leading zeros"),
        ("7", "7.0", "a trailing '.0'"),
        ("Doc", "doc", "case"),
        ("d", "d ", "blanks or quotes around"),
        ("\u00e9", "e\u0301", "their Unicode form"),
        ("Abba", "\uff21bba", "compatible Unicode characters"),
    ],
)
def test_ids_that_look_alike_are_a_warning(one, other, how):
    found = finding("lookalike-ids", {"q": {one: 1, other: 0, "else": 0}})
    assert found.severity == "warning"
    assert how in found.says
    assert repr(one) in found.example and repr(other) in found.example


def test_ids_that_differ_in_more_than_writing_are_fine():
    ids = ["007", "8", "Doc", "dog", "e\u0301", "e"]
    assert finding("lookalike-ids", {"q": dict.fromkeys(ids, 1)}).severity == "ok"


def test_lost_zeros_are_seen_by_the_length():
    found = finding("lost-zeros", {"q": {"000123": 1, "004567": 0, "123": 0, "123456": 1}})
    assert (found.severity, found.count, found.of, found.example) == ("warning", 1, 4, "document '123'")
    for sound in (["000123", "123456"], ["1", "22", "333"], ["01", "001", "2"]):
        assert finding("lost-zeros", {"q": dict.fromkeys(sound, 1)}).severity == "ok"


def test_one_unicode_form_is_a_remark_where_it_is_not_nfc_and_two_are_a_warning():
    composed, decomposed = "Beyonc\u00e9", "Rene\u0301"
    assert finding("unicode-forms", {"q": {composed: 1}}).severity == "ok"
    assert finding("unicode-forms", {"q": {decomposed: 1}}).severity == "info"
    found = finding("unicode-forms", {"q": {composed: 1, decomposed: 1}})
    assert (found.severity, found.count, found.of) == ("warning", 1, 2)
    assert "both forms occur" in found.says
    assert finding("unicode-forms", {"q": {"\uff21bba": 1}}).severity == "info"


def test_plain_ids_are_what_no_check_of_ids_could_name():
    odd = [one for ids in DAMAGED.values() for one in ids] + ["Doc", "007", "7.0", "\u00e9", "q12"]
    qrels = rg.Qrels.from_dict({"query one": dict.fromkeys(odd, 1)})
    from rankgauge.checkup.evidence import odd as kept

    assert sorted(kept(qrels.docs)) == sorted(dict.fromkeys(odd))


def test_ids_are_never_changed():
    qrels = rg.Qrels.from_dict({"q": {"007": 1, "7": 0}})
    rg.doctor(qrels)
    assert qrels.docs.to_list() == ["007", "7"]


def test_severities_of_a_sound_set_are_all_ok():
    assert {
        s
        for check in [*DAMAGED, "long-ids", "lookalike-ids", "lost-zeros", "unicode-forms"]
        for s in severities(check, judged(3))
    } == {"ok"}
