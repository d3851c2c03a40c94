from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from rankgauge.errors import InputError
from rankgauge.statistics.proportions import rogan_gladen, wilson


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilsons_interval_is_that_of_statsmodels(n, data, confidence):
    hits = data.draw(st.integers(0, n))
    found = wilson(hits, n, confidence=confidence)
    assert (found.low, found.high) == pytest.approx(
        proportion_confint(hits, n, 1 - confidence, method="wilson"), abs=1e-12
    )
    assert found.estimate == hits / n


def test_nothing_counted_has_no_share():
    found = wilson(0, 0)
    assert (found.estimate, found.low, found.outcome) == (None, None, "nothing was counted")
    with pytest.raises(InputError, match="from 0 to 3"):
        wilson(4, 3)


def test_rogan_and_gladen_undo_the_errors_of_the_judge():
    """θ = 0.8, sensitivity 0.9, specificity 0.7: the judge passes 0.8·0.9 + 0.2·0.3 = 0.78."""
    found = rogan_gladen(780, 1000, sensitivity=(72, 80), specificity=(14, 20))
    assert found.estimate == pytest.approx(0.8)
    assert found.low < 0.8 < found.high


def test_the_estimate_and_its_interval_stay_within_0_and_1():
    found = rogan_gladen(10, 1000, sensitivity=(9, 10), specificity=(7, 10))
    assert (found.estimate, found.low) == (0.0, 0.0)


def test_a_judge_that_is_no_better_than_chance_gives_no_number():
    found = rogan_gladen(50, 100, sensitivity=(5, 10), specificity=(5, 10))
    assert (found.estimate, found.outcome) == (None, "the judge's passes do not tell passes from fails")


def test_people_who_gave_one_label_only_say_nothing_of_one_kind_of_error():
    found = rogan_gladen(50, 100, sensitivity=(9, 10), specificity=(0, 0))
    assert (found.estimate, found.outcome) == (None, "nothing was labelled, or people gave one label only")
    with pytest.raises(InputError, match="from 0 to 10"):
        rogan_gladen(50, 100, sensitivity=(11, 10), specificity=(7, 10))


def test_the_interval_covers_where_the_share_of_passes_has_shifted():
    """Errors learnt where 8 of 10 pass, used where 3 of 10 do."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        judged = rng.binomial(1000, 0.3 * 0.9 + 0.7 * 0.3)
        passed = int(rng.binomial(200, 0.8))
        known = (int(rng.binomial(passed, 0.9)), passed), (int(rng.binomial(200 - passed, 0.7)), 200 - passed)
        found = rogan_gladen(int(judged), 1000, sensitivity=known[0], specificity=known[1])
        covered += found.low <= 0.3 <= found.high
    assert 0.93 <= covered / 1000 <= 0.99
