"""Tests of prompts: what each must hold, what is filled, and files of one's own."""

from __future__ import annotations

import re

import pytest

from rankgauge.errors import FormatError, MethodError
from rankgauge.judges.prompting import LANGUAGES, PLACE, prompt, read_prompt

NAMES = ("relevance", "claims", "answer")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_language_has_the_same_sections_and_places(name, language):
    english, other = prompt(name), prompt(name, language)
    assert list(other.sections) == list(english.sections)
    for section, text in english.sections.items():
        assert sorted(PLACE.findall(other.sections[section])) == sorted(PLACE.findall(text)), section
    assert "[BEGIN DATA ...]" in other.sections["system"]
    assert re.fullmatch(rf"{name}/{language}@\d+", other.called)


def test_digests_tell_prompts_apart():
    assert len({prompt(name, language).digest for name in NAMES for language in LANGUAGES}) == 3 * len(NAMES)


def test_what_is_filled_in_cannot_name_a_place():
    filled = prompt("relevance").fill("one", query="{passage} {grades}", passage="secret", grades="0 to 3")
    assert "{passage} {grades}" in filled
    assert filled.count("secret") == 1


def test_an_unknown_language_is_refused():
    with pytest.raises(MethodError, match="expected en, vi, zh, got 'de'; or name a prompt file"):
        prompt("relevance", "de")


def test_a_prompt_of_ones_own_needs_all_that_ours_has(tmp_path):
    ours, file = prompt("relevance"), tmp_path / "mine.txt"
    whole = "version: 7\n" + "".join(f"[{title}]\n{text}\n" for title, text in ours.sections.items())
    file.write_text(whole)
    mine = read_prompt(file, ours)
    assert mine.called == "mine@7"
    assert mine.sections == ours.sections
    for change, said in (
        (("version: 7\n", ""), "a first line as version: 1"),
        (("[digit]\n", ""), r"a section \[digit\]"),
        (("{passages}", ""), r"\[many\]: expected the place {passages}"),
    ):
        file.write_text(whole.replace(*change))
        with pytest.raises(FormatError, match=said):
            read_prompt(file, ours)
