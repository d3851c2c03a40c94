"""`rankgauge rag position` and `rag distractors`, with a fake model in the client's place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge_worlds import server
from prompt_worlds import questions
from rankgauge.formats.answers import write_answers


def u_shaped(body: dict[str, Any], before: int) -> str:
    """Reads the first and the last passage only, and knows nothing by heart."""
    text = body["messages"][1]["content"]
    blocks = re.findall(r"\[BEGIN DATA \w+\]\n(.*?)\n\[END DATA", text, re.DOTALL)
    number = text.rsplit("Which word ", 1)[1].rstrip("?")
    seen = [block for block in (blocks[:1] + blocks[-1:]) if f"word{number}" in block.split()]
    return f"word{number}" if seen else "NO-RESPONSE"


@pytest.fixture
def rag(rankgauge, tmp_path: Path):
    """The verb beside answers, with a server on loopback."""
    write_answers(questions(12), tmp_path / "answers.jsonl")
    with server(u_shaped) as told:
        model = ("--generator-url", told.address, "--generator-model", "fake", "--resamples", "200")

        def call(verb: str, *words: object):
            return rankgauge("rag", verb, "answers.jsonl", *model, *words)

        call.asked = told.asked
        yield call


def test_the_curve_is_shown_and_its_profile_is_a_measure(rag, rankgauge, tmp_path: Path) -> None:
    done = rag("position", "--size", 5, "--slots", "all", "-o", "slots.json")
    assert done.code == 0, done.err
    assert "They differ: Cochran's Q" in done.out
    assert "The order as it is: 1.000" in done.out
    assert "use it as PromptGain(profile='slots.json')@5" in done.err
    weights = json.loads((tmp_path / "slots.json").read_text())["weights"]
    assert np.allclose(weights, [0.5, 0, 0, 0, 0.5])
    (tmp_path / "run.txt").write_text("q0 Q0 a 1 2 x\nq0 Q0 b 2 1 x\n")
    (tmp_path / "q.txt").write_text("q0 0 a 1\n")
    scored = rankgauge("evaluate", "q.txt", "run.txt", "-m", "PromptGain(profile='slots.json')@5", "--format", "json")
    assert json.loads(scored.out)["scores"][0]["mean"] == 0.5
    assert rag.asked[0]["model"] == "fake"


def test_position_as_json_and_without_orders(rag) -> None:
    done = rag("position", "--size", 3, "--slots", "1,3", "--orders", 0, "--format", "json")
    found = json.loads(done.out)
    assert found["order"] is None and found["profile"] is None
    assert [point["accuracy"]["estimate"] for point in found["curve"]["points"]] == [1.0, 1.0]
    assert found["curve"]["test"]["outcome"] == "no question has different outcomes"


def test_the_distractors_are_shown(rag) -> None:
    done = rag("distractors", "--many", 2, "--leave-one-out")
    assert done.code == 0, done.err
    assert "An irrelevant passage alone is answered from with a chance of 0.000" in done.out
    assert "Taking one passage out" in done.out
    assert json.loads(rag("distractors", "--many", 2, "--format", "json").out)["distractors"]["left_out"] is None


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("position", "--size", "9"), 1, "12 questions with too few passages that do not answer were left out"),
        (("position", "--size", "5", "--slots", "1,9"), 2, "slots: expected 1 to 5, got [1, 9]"),
        (("position", "--size", "5", "--orders", "1"), 2, "expected 0, or 2 orders or more, got 1"),
        (("position", "--size", "5", "--slots", "a"), 2, "expected whole numbers with commas between"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_call(rag, words: tuple[str, ...], code: int, says: str) -> None:
    done = rag(*words)
    assert done.code == code
    assert says in " ".join(done.err.replace("│", " ").split())
    assert rag.asked == []


def test_a_model_must_be_named(rankgauge, tmp_path: Path) -> None:
    write_answers(questions(3), tmp_path / "answers.jsonl")
    done = rankgauge("rag", "position", "answers.jsonl", "--size", "3")
    assert done.code == 2
    assert "expected an address and a model's name" in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize("verb", ["position", "distractors"])
def test_the_help_ends_with_an_example(rankgauge, verb: str) -> None:
    said = rankgauge("rag", verb, "--help")
    assert said.code == 0
    assert f"Example: rankgauge rag {verb}" in " ".join(said.out.split())
