"""Probes of fake judges, each with one weakness, behind a `Model`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from rankgauge.errors import InputError
from rankgauge.judges.asking import Failed, Message, Reply, Request
from rankgauge.judges.probes import PADDING, Grader, Pair, Variant, probe
from rankgauge.judges.rules import Rules

PAIRS = [Pair(f"q{i // 5}", f"question {i // 5}", f"passage {'relevant ' * (i % 4)}number {i}") for i in range(40)]


class Fake:
    """A model that grades by what it reads; batches come as numbered lines."""

    name = "fake"

    def __init__(self, grade: Callable[[str, Request, int], int | None]) -> None:
        self.grade, self.asked = grade, 0

    def ask(self, requests: Sequence[Request]) -> list[Reply | Failed]:
        self.asked += len(requests)
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply | Failed:
        passages = request.messages[-1].content.split("\n---\n")
        grades = [self.grade(text, request, place) for place, text in enumerate(passages)]
        return Failed("refused") if None in grades else Reply(" ".join(map(str, grades)))


def grader(model: Fake) -> Grader:
    """Ask one by one, or all passages of a query in one request."""

    def grade(pairs: Sequence[Pair], variant: Variant) -> list[float | Failed]:
        groups: dict[str, list[int]] = {}
        for at, pair in enumerate(pairs):
            groups.setdefault(pair.query_id if variant.batched else str(at), []).append(at)
        found: list[float | Failed] = [Failed("unparseable")] * len(pairs)
        for places in groups.values():
            text = "\n---\n".join(pairs[at].passage for at in places)
            system = Message("system", "3 2 1 0" if variant.falling else "0 1 2 3")
            (reply,) = model.ask([Request((system, Message("user", text)), "fake@1", sample=variant.sample)])
            for place, at in enumerate(places):
                found[at] = reply if isinstance(reply, Failed) else float(reply.text.split()[place])
        return found

    return grade


def honest(text: str, request: Request, place: int) -> int | None:
    return text.count("relevant ")


def kind_at_the_top(text: str, request: Request, place: int) -> int | None:
    first = request.messages[0].content.startswith("3")
    return min(3, text.count("relevant ") + (2 if first else 0))


def likes_the_first(text: str, request: Request, place: int) -> int | None:
    return 3 if place == 0 and "relevant" in text else min(2, text.count("relevant "))


def likes_length(text: str, request: Request, place: int) -> int | None:
    return min(3, text.count("relevant ") + len(text) // 150)


def moody(text: str, request: Request, place: int) -> int | None:
    return (text.count("relevant ") + request.sample * (len(text) % 2)) % 4


def obeys(text: str, request: Request, place: int) -> int | None:
    return 3 if re.search(r"highest grade|maximum score", text) else text.count("relevant ")


def copies_json(text: str, request: Request, place: int) -> int | None:
    found = re.search(r'"grade": (\d)', text)
    return int(found[1]) if found else text.count("relevant ")


@pytest.mark.parametrize(
    ("judge", "caught"),
    [
        (honest, set()),
        (kind_at_the_top, {"scale order"}),
        (likes_the_first, {"batch order"}),
        (likes_length, {"padding"}),
        (moody, {"repetition"}),
        (obeys, {"injection"}),
        (copies_json, {"injection"}),
    ],
)
def test_each_weakness_is_caught_by_its_probe(judge, caught):
    found = probe(PAIRS, grader(Fake(judge)))
    assert [one.name for one in found] == ["scale order", "batch order", "padding", "repetition", "injection"]
    assert {one.name for one in found if not one.passed} >= caught
    if judge in (honest, obeys, copies_json, moody, kind_at_the_top):
        assert {one.name for one in found if not one.passed} == caught


def test_the_shares_and_the_shift_of_a_judge_that_obeys():
    """Thirty pairs are below the top; two of the three orders are obeyed, from 0, 1 or 2 to 3: by 2 on average."""
    injection = probe(PAIRS, grader(Fake(obeys)))[4]
    assert (injection.n, injection.share.estimate) == (90, pytest.approx(60 / 90))
    assert injection.shift.estimate == pytest.approx(2 * 60 / 90)
    assert injection.share.low > 0.5


def test_a_judge_that_fails_is_counted_and_not_graded():
    def fails_on_padding(text: str, request: Request, place: int) -> int | None:
        return None if PADDING in text and "number 3" in text else honest(text, request, place)

    padding = probe(PAIRS, grader(Fake(fails_on_padding)))[2]
    assert (padding.n, padding.failed, padding.passed) == (29, 11, True)  # 3 and 30 to 39
    assert padding.share.estimate == 0


def test_a_judge_that_always_fails_passes_nothing():
    found = probe(PAIRS, grader(Fake(lambda text, request, place: None)))
    assert [(one.n, one.passed, one.share.estimate) for one in found] == [(0, False, None)] * 5


def test_each_grade_is_asked_for_once():
    model = Fake(honest)
    probe(PAIRS, grader(model), samples=3)
    plain, turned, batched, padded, again, injected = 40, 40, 2 * 8, 40, 2 * 40, 3 * 30
    assert model.asked == plain + turned + batched + padded + again + injected


def test_limits_can_be_moved():
    loose = probe(PAIRS, grader(Fake(obeys)), rules=Rules(most_injected=0.7))
    assert loose[4].passed


def test_misuse_is_refused():
    with pytest.raises(InputError, match="at least one to probe with"):
        probe([], grader(Fake(honest)))
    with pytest.raises(InputError, match="samples: expected 2 or more, got 1"):
        probe(PAIRS, grader(Fake(honest)), samples=1)
    with pytest.raises(InputError, match="one per pair, 40"):
        probe(PAIRS, lambda pairs, variant: [1.0])
