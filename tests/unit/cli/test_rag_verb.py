"""`rankgauge rag`: from files to one verdict, with matrices that are there and with a judge on loopback."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from judge_worlds import server
from rankgauge.rag.matrices import read_matrices

FILES = ("answers.keyword.jsonl", "answers.vector.jsonl")
GIVEN = ("--matrices", "matrices.keyword.jsonl", "--matrices", "matrices.vector.jsonl")
JUDGED = ("--retrieval", "qrels.second-round.txt", "-m", "nDCG@4")
FENCE = re.compile(r"\[BEGIN DATA (\w+)\]\n(.*?)\n\[END DATA \1\]", re.DOTALL)


def checks(body, before):
    """Every sentence is a claim; a claim follows from a text that holds its longest words."""
    asked = body["messages"][-1]["content"]
    texts = [text for _, text in FENCE.findall(asked)]
    if asked.startswith("List what"):
        parts = re.findall(r"\((\d+)\) (.*)", texts[1])
        return json.dumps({"claims": [{"sentence": int(number), "claim": claim} for number, claim in parts]})
    if '"supported"' in asked:
        claims = re.findall(r"(\d+)\. (.*)", texts[1])
        found = []
        for number, claim in claims:
            words = [word for word in re.findall(r"\w+", claim) if word in texts[0]]
            held = len(words) > len(claim.split()) / 2
            quote = max(words, key=len) if held else ""
            found.append({"claim": int(number), "quote": quote, "supported": held})
        return json.dumps({"verdicts": found})
    return json.dumps({"reason": "", "grade": 2})


def test_one_verdict_over_both_halves(rankgauge):
    found = rankgauge("rag", *FILES, *GIVEN, *JUDGED, "--format", "json")
    assert found.code == 3
    told = json.loads(found.out)
    assert told["verdict"]["verdict"] == "cannot tell"
    assert told["verdict"]["retrieval"]["measure"] == "nDCG(gain='exp')@4"
    old, new = told["systems"]
    assert (old["system"], new["system"]) == ("answers.keyword", "answers.vector")
    assert old["blame"]["miss_wrong"] == ["q03"]
    assert old["blame"]["hit_wrong"] == ["q17"]
    assert new["outcomes"]["unanswerable"]["abstained"] == 1
    means = {one["measure"]: one for one in new["measures"]}
    assert means["faithfulness"]["mean"] == pytest.approx(11 / 12)
    assert means["faithfulness"]["abstained"] == 2


def test_the_table_names_whose_fault_it_is(rankgauge):
    found = rankgauge("rag", FILES[0], *GIVEN[:2], *JUDGED)
    assert found.code == 0
    assert "answers: 2 wrong: 1 although retrieval hit (generation), 1 after it missed (retrieval)" in found.out
    assert "hallucination ↓" in found.out
    assert "1 question unanswerable: 1 answered." in found.out


def test_without_a_judge_words_in_common_are_measured(rankgauge):
    found = rankgauge("rag", *FILES, *JUDGED)
    assert found.code == 3
    assert "no answer was measured: no winner" in found.out
    assert "token_f1" in found.out
    assert "faithfulness" not in found.out


def test_a_judge_fills_the_matrices_and_they_are_kept(rankgauge):
    with server(checks) as told:
        judge = ("--judge-url", told.address, "--judge-model", "checker", "--matrices", "kept.jsonl")
        dry = rankgauge("rag", FILES[0], *judge, "--dry-run", "--price", "1,1")
        assert (dry.code, told.asked) == (0, [])
        first = rankgauge("rag", FILES[0], *judge, *JUDGED, "--format", "json")
        assert first.code == 0, first.err
        calls, rows = len(told.asked), read_matrices("kept.jsonl")
        assert calls == int(re.search(r"calls +(\d+)", dry.out)[1])
        again = rankgauge("rag", FILES[0], *judge, *JUDGED, "--format", "json")
        assert (again.out, len(told.asked)) == (first.out, calls)
        Path("kept.jsonl").unlink()
        replayed = rankgauge("rag", FILES[0], *judge, *JUDGED, "--format", "json")
        assert (replayed.out, len(told.asked)) == (first.out, calls)
    assert len(rows) == 14
    assert read_matrices("kept.jsonl") == rows
    assert {row.outcome for row in rows} == {"answered", "abstained"}


def test_a_judge_that_fails_on_too_much_ends_it(rankgauge):
    with server(lambda body, before: "I would rather not.") as told:
        found = rankgauge("rag", FILES[0], "--judge-url", told.address, "--judge-model", "m")
    assert found.code == 1
    assert "judge: expected at most 2% of 14 without an answer" in found.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((*FILES, FILES[0]), 2, "expected one file or two, got 3"),
        ((FILES[0], "--measures", "faithfullness"), 2, "did you mean 'faithfulness'"),
        ((*FILES, *GIVEN[:2]), 2, "expected 2, one per system, got 1"),
        (("nothing.jsonl",), 1, "nothing.jsonl"),
    ],
)
def test_misuse_and_bad_input(rankgauge, words, code, said):
    found = rankgauge("rag", *words)
    assert (found.code, said in found.err) == (code, True), found.err


def test_commands_of_the_group_keep_their_names(rankgauge):
    assert "position" in rankgauge("rag", "--help").out
    assert "--retrieval" in rankgauge("rag", "answers", "--help").out
