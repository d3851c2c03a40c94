"""What is expected of a day: the prediction interval, checked by hand and where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from rankgauge.comparison.trend.expectation import Expected, Measured, Reference, alike, carried_over
from rankgauge.comparison.trend.rules import TrendRules
from rankgauge.errors import ParameterError
from trends import date


def days(values: list[float], *, error: float = 0.0) -> tuple[Measured, ...]:
    return tuple(
        Measured(date(i), v, v - 2 * error, v + 2 * error, error, 100, unjudged=0.0) for i, v in enumerate(values)
    )


VALUES = [0.40, 0.44, 0.42, 0.38, 0.41, 0.43]
SINGLE = TrendRules(slow=0, alpha=0.05)


def expected(values: list[float], rules: TrendRules = SINGLE, block: list[Measured] | None = None) -> Expected:
    found = Reference(days(values), rules).expect(block or [Measured(date(len(values)), 0.4, 0.39, 0.41, 0.0, 100)])
    assert found is not None
    return found


def test_the_band_is_the_prediction_interval_of_one_further_day() -> None:
    found = expected(VALUES)
    deviation, k = np.std(VALUES, ddof=1), len(VALUES)
    assert found.center == pytest.approx(np.mean(VALUES), abs=1e-15)
    assert found.half == pytest.approx(special.stdtrit(k - 1, 0.975) * deviation * math.sqrt(1 + 1 / k), abs=1e-14)
    assert found.days == k


def test_two_rules_share_the_chance_of_a_false_alarm() -> None:
    ratio = expected(VALUES, TrendRules(alpha=0.05)).half / expected(VALUES).half
    assert ratio == pytest.approx(special.stdtrit(5, 0.9875) / special.stdtrit(5, 0.975))


def test_the_mean_of_some_days_has_a_narrower_band() -> None:
    block = [Measured(date(i), 0.4, 0.39, 0.41, 0.0, 100) for i in range(6, 10)]
    assert expected(VALUES, block=block).half / expected(VALUES).half == pytest.approx(
        math.sqrt((1 / 4 + 1 / 6) / (1 + 1 / 6))
    )


def test_a_day_of_fewer_queries_has_a_wider_band_and_one_of_more_has_not() -> None:
    usual = Reference(days(VALUES, error=0.01), SINGLE)

    def half(error: float) -> float:
        found = usual.expect([Measured(date(6), 0.4, 0.3, 0.5, error, 100)])
        assert found is not None
        return found.half

    assert half(0.001) == half(0.01)
    t = special.stdtrit(5, 0.975)
    assert half(0.03) ** 2 - half(0.01) ** 2 == pytest.approx(t**2 * (0.03**2 - 0.01**2))


def test_too_few_days_tell_nothing() -> None:
    few = Reference(days(VALUES[:4]), SINGLE)
    assert few.expect(few.days[:1]) is None
    assert Reference((), SINGLE).expect(few.days[:1]) is None
    one = Reference(days(VALUES[:1]), TrendRules(least_days=1))
    assert one.expect(one.days) is None


def test_a_band_of_ones_own_needs_one_day_and_flags_an_interval_that_lies_outside() -> None:
    rules = TrendRules(band=0.02, least_days=1)
    day = Measured(date(1), 0.33, 0.30, 0.36, 0.015, 100)
    found = Reference(days([0.40]), rules).expect([day])
    assert found is not None
    assert found.half == pytest.approx(0.02 + 0.03)
    assert (found.side(0.351), found.side(0.349), found.side(0.451)) == (0, -1, 1)


def test_differences_up_to_the_margin_do_not_matter() -> None:
    same = [0.4] * 6
    assert expected(same).half < 1e-12
    assert expected(same).side(0.4 + 1e-6) == 1
    assert expected(same).side(0.4 + 1e-13) == 0, "rounding is no change"
    assert expected(same, TrendRules(margin=0.01)).side(0.4 + 1e-6) == 0


def test_days_of_a_season_are_expected_like_those_of_the_same_season() -> None:
    rules = TrendRules(seasonal=2, slow=0, alpha=0.05)
    values = [0.2, 0.6, 0.22, 0.62, 0.18, 0.58, 0.2, 0.6]
    found = Reference(days(values), rules)
    even, odd = (found.expect([Measured(date(i), 0.2, 0.1, 0.3, 0.0, 100)]) for i in (8, 9))
    assert even is not None
    assert odd is not None
    assert (even.center, odd.center) == (pytest.approx(0.2), pytest.approx(0.6))
    rest = math.sqrt(4 * 0.02**2 / 6)  # four rests of 0.02, 8 - 2 degrees of freedom
    assert even.half == pytest.approx(special.stdtrit(6, 0.975) * rest * math.sqrt(1 + 1 / 4))
    both = found.expect([Measured(date(i), 0.2, 0.1, 0.3, 0.0, 100) for i in (8, 9)])
    assert both is not None
    assert both.center == pytest.approx(0.4)


def test_a_season_that_no_day_has_tells_nothing() -> None:
    every_other = days([0.4] * 12)[::2]
    found = Reference(every_other, TrendRules(seasonal=2))
    assert found.expect([Measured(date(12), 0.4, 0.3, 0.5, 0.0, 100)]) is not None
    assert found.expect([Measured(date(7), 0.4, 0.3, 0.5, 0.0, 100)]) is None


def test_what_is_carried_from_day_to_day_is_seen() -> None:
    rng = np.random.default_rng(1)
    found = {r: [] for r in (0.0, 0.5, 0.8)}  # type: dict[float, list[float]]
    for r, seen in found.items():
        for _ in range(300):
            state, rests = rng.normal(), {}
            for i in range(28):
                state = r * state + math.sqrt(1 - r * r) * rng.normal()
                rests[date(i)] = state
            mean = np.mean(list(rests.values()))
            seen.append(carried_over({day: float(value - mean) for day, value in rests.items()}))
    assert [round(float(np.mean(seen)), 1) for seen in found.values()] == [0.1, 0.5, 0.8]
    assert carried_over({date(i): float(i) for i in range(0, 60, 2)}) == 0, "no day has a next one"


def test_the_mean_of_days_that_are_alike_varies_as_its_formula_says() -> None:
    r, w = 0.5, 7
    powers = r ** np.abs(np.subtract.outer(np.arange(w), np.arange(w)))
    assert alike(r, w) == pytest.approx(powers.sum() / w)
    assert alike(0.0, w) == 1


def test_the_band_of_a_mean_is_wider_where_days_carry_over() -> None:
    values = [0.4 + 0.01 * math.sin(i / 2) for i in range(16)]
    carried = carried_over({date(i): value - float(np.mean(values)) for i, value in enumerate(values)})
    assert carried > 0.5
    block = [Measured(date(i), 0.4, 0.39, 0.41, 0.0, 100) for i in range(16, 20)]
    spread = alike(carried, 4) / 4 + alike(carried, 16) / 16
    half = special.stdtrit(15, 0.975) * np.std(values, ddof=1) * math.sqrt(spread)
    assert expected(values, block=block).half == pytest.approx(half)


def test_the_band_holds_as_many_days_as_it_says() -> None:
    """Nothing changes: of 4,000 next days after 14 normal ones, 5% lie outside (standard error 0.35%)."""
    rng = np.random.default_rng(2)
    outside = 0
    for _ in range(4000):
        values = rng.normal(0.4, 0.01, 9).tolist()
        outside += bool(expected(values[:8]).side(values[8]))
    assert stats.binomtest(outside, 4000, 0.05).pvalue > 0.01


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"alpha": 0.0}, "alpha: expected a number between 0 and 1"),
        ({"window": 3}, "window: expected 5 days"),
        ({"slow": 1}, "slow and seasonal: expected 0 or 2 days or more"),
        ({"settle": 1}, "settle: expected 2 or more, got 1"),
        ({"band": -0.1}, "band: expected 0 or more"),
        ({"baseline": (date(1), date(0))}, "baseline: expected the first day first"),
        ({"baseline": (date(0), date(1)), "accept": (date(2),)}, "accept: a fixed baseline holds for all days"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        TrendRules(**rules)  # type: ignore[arg-type]
