"""Tests of the circuit breaker, on a clock of their own."""

from __future__ import annotations

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from rankgauge.errors import MethodError
from rankgauge.retrieval.breaker import Breaker, BreakerRules, Permit

RULES = BreakerRules(window=6, least=4, failing=0.5, slow_after=1.0, dragging=0.75, wait=10.0, longest=35.0, jitter=0.0,
                     probes=2, patience=5.0)  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return Breaker(RULES, clock=clock)


def tell(breaker, *ends):
    for end in ends:
        permit = breaker.ask()
        assert permit is not None
        permit.failed() if end == "f" else permit.dropped() if end == "d" else permit.succeeded(
            2.0 if end == "s" else 0
        )


def opened(breaker):
    tell(breaker, *"ffff")
    assert breaker.state == "open"


def test_it_opens_where_half_of_the_last_calls_failed(breaker):
    tell(breaker, *"ffg")
    assert breaker.state == "closed"
    tell(breaker, "g")
    assert breaker.state == "open"
    assert breaker.ask() is None


def test_too_few_calls_say_nothing(breaker):
    tell(breaker, *"fff")
    assert breaker.state == "closed"


def test_only_the_last_calls_count(breaker):
    tell(breaker, *"gggggg", *"ff", *"gg")
    assert breaker.state == "closed"
    tell(breaker, *"gg", *"fff")
    assert breaker.state == "open"


def test_slow_calls_open_it_as_failures_do(breaker):
    tell(breaker, *"gsss")
    assert breaker.state == "open"


def test_calls_that_were_given_up_say_nothing(breaker):
    tell(breaker, *"dddddddddd")
    assert breaker.state == "closed"


def test_after_the_wait_only_probes_pass_and_all_must_succeed(breaker, clock):
    opened(breaker)
    clock.now += 9.9
    assert breaker.ask() is None
    clock.now += 0.1
    first, second = breaker.ask(), breaker.ask()
    assert breaker.state == "half-open"
    assert breaker.ask() is None
    first.succeeded(0)
    assert breaker.state == "half-open"
    assert breaker.ask() is None
    second.succeeded(0)
    assert breaker.state == "closed"


def test_a_failed_probe_opens_it_for_longer_each_time_and_a_success_forgets(breaker, clock):
    opened(breaker)
    for wait, next_wait in ((10, 20), (20, 35), (35, 35)):
        clock.now += wait
        breaker.ask().failed()
        assert breaker.state == "open"
        clock.now += next_wait - 0.1
        assert breaker.ask() is None
        clock.now += 0.1 - next_wait
    clock.now += 35
    for permit in (breaker.ask(), breaker.ask()):
        permit.succeeded(0)
    opened(breaker)
    clock.now += 10
    assert breaker.ask() is not None


def test_it_can_fail_for_days(breaker, clock):
    opened(breaker)
    for _ in range(2000):
        clock.now += 36
        breaker.ask().failed()
    assert breaker._until - clock.now == 35


def test_a_slow_probe_is_no_success(breaker, clock):
    opened(breaker)
    clock.now += 10
    breaker.ask().succeeded(1.0)
    assert breaker.state == "open"


def test_a_probe_that_was_given_up_leaves_its_place_to_another(breaker, clock):
    opened(breaker)
    clock.now += 10
    breaker.ask().dropped()
    assert [breaker.ask() is not None for _ in range(3)] == [True, True, False]


def test_a_probe_that_never_comes_back_counts_as_failed(breaker, clock):
    opened(breaker)
    clock.now += 10
    lost = breaker.ask()
    clock.now += 5.1
    assert breaker.ask() is None
    assert breaker.state == "open"
    lost.succeeded(0)
    assert breaker.state == "open"


def test_what_late_calls_tell_is_not_heard(breaker, clock):
    late = [breaker.ask() for _ in range(8)]
    opened(breaker)
    clock.now += 10
    probe = breaker.ask()
    for permit in late:
        permit.failed()
    assert breaker.state == "half-open"
    probe.succeeded(0)
    breaker.ask().succeeded(0)
    assert breaker.state == "closed"


def test_a_call_is_told_once(breaker):
    permit = breaker.ask()
    for _ in range(10):
        permit.failed()
    assert breaker.state == "closed"


def test_the_wait_is_spread(clock):
    waits = set()
    for seed in range(20):
        breaker = Breaker(BreakerRules(least=1, window=1, jitter=0.2), clock=clock, rng=random.Random(seed))
        breaker.ask().failed()
        waits.add(breaker._until - clock.now)
    assert len(waits) == 20
    assert all(4.0 <= wait <= 6.0 for wait in waits)


def test_changes_are_told(clock):
    told = []
    breaker = Breaker(RULES, clock=clock, on_change=lambda *states: told.append(states))
    opened(breaker)
    clock.now += 10
    for permit in (breaker.ask(), breaker.ask()):
        permit.succeeded(0)
    assert told == [("closed", "open"), ("open", "half-open"), ("half-open", "closed")]


@pytest.mark.parametrize(
    "wrong", [{"least": 0}, {"least": 51}, {"probes": 0}, {"failing": 1.1}, {"wait": 0.0}, {"wait": 61.0}]
)
def test_impossible_rules_are_refused(wrong):
    with pytest.raises(MethodError, match="breaker: expected"):
        BreakerRules(**wrong)


class Calls(RuleBasedStateMachine):
    """Calls that begin, end and are lost in any order, beside a plain model of what the breaker should make of them."""

    permits = Bundle("permits")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.changes: list[tuple[str, str]] = []
        self.breaker = Breaker(RULES, clock=self.clock, on_change=lambda *states: self.changes.append(states))
        self.given: dict[Permit, int] = {}
        self.ended: list[tuple[bool, bool]] = []
        self.probes: dict[Permit, float] = {}
        self.good = self.opened = 0
        self.since = 0.0

    @rule(target=permits)
    def ask(self) -> Permit | None:
        before, now = self.breaker.state, self.clock.now
        lost = any(now - at > RULES.patience for at in self.probes.values())
        waited = before == "open" and now >= self.since + min(RULES.longest, RULES.wait * 2 ** (self.opened - 1))
        permit = self.breaker.ask()
        if before == "half-open" and lost:
            expected = "open"
        else:
            expected = "half-open" if waited else before
        self.turned(before, expected)
        room = self.good + len(self.probes) < RULES.probes
        assert (permit is not None) == (expected == "closed" or (expected == "half-open" and room))
        if permit is not None:
            self.given[permit] = len(self.changes)
            if expected == "half-open":
                self.probes[permit] = now
        return permit

    @rule(permit=consumes(permits), end=st.sampled_from("gsfd"))
    def end(self, permit: Permit | None, end: str) -> None:
        if permit is None:
            return
        before, heard = self.breaker.state, self.given.pop(permit) == len(self.changes)
        permit.failed() if end == "f" else permit.dropped() if end == "d" else permit.succeeded(
            2.0 if end == "s" else 0
        )
        self.turned(before, self.after(permit, end, before) if heard else before)

    def after(self, permit: Permit, end: str, before: str) -> str:
        """The state that follows from the end of a call that is heard."""
        if before == "half-open":
            self.probes.pop(permit)
            self.good += end == "g"
            return "open" if end in "sf" else "closed" if self.good == RULES.probes else before
        if end != "d":
            self.ended = [*self.ended, (end == "f", end == "s")][-RULES.window :]
        failed, slow = (sum(one[kind] for one in self.ended) for kind in (0, 1))
        count = len(self.ended)
        bad = failed >= RULES.failing * count or slow >= RULES.dragging * count
        return "open" if count >= RULES.least and bad else "closed"

    def turned(self, before: str, expected: str) -> None:
        """The breaker is in the state that was expected, and its own words for the change are right."""
        assert self.breaker.state == expected
        if expected == before:
            return
        assert self.changes[-1] == (before, expected)
        self.ended, self.probes, self.good = [], {}, 0
        if expected == "open":
            self.since, self.opened = self.clock.now, self.opened + 1
        if expected == "closed":
            self.opened = 0

    @rule(seconds=st.integers(0, 40))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds

    @invariant()
    def changes_follow_each_other(self) -> None:
        states = ["closed", *(after for _, after in self.changes)]
        assert [before for before, _ in self.changes] == states[:-1]
        assert set(self.changes) <= {
            ("closed", "open"), ("open", "half-open"), ("half-open", "open"), ("half-open", "closed")
        }  # fmt: skip


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=200, stateful_step_count=60, deadline=None)
