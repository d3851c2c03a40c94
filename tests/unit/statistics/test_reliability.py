from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from rankgauge.errors import InputError, ParameterError
from rankgauge.statistics.reliability import Bootstrap, gwet_ac2, kappa, krippendorff_alpha

NAN = np.nan
KRIPPENDORFF = [  # Krippendorff (2011), section E: four observers, twelve units, missing labels
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(scale, value):
    found = krippendorff_alpha(KRIPPENDORFF, scale=scale)
    assert round(found.value, 3) == value
    assert (found.n, found.left_out) == (11, 1)


def test_ac1_of_gwets_own_example():
    """Gwet's handbook and package irrCAC, data cac.raw4raters: AC1 = 0.77544."""
    assert gwet_ac2(KRIPPENDORFF, weighting="none").value == pytest.approx(0.77544, abs=5e-6)


def alpha_by_pairs(ratings, distance) -> float:
    """Disagreement within items, each pair weighted by 1 / (labels - 1), over that among all labels."""
    columns = [[x for x in column if x == x] for column in np.array(ratings, dtype=float).T]
    columns = [column for column in columns if len(column) > 1]
    pool = [x for column in columns for x in column]
    seen = sum(distance(x, y) / (len(c) - 1) for c in columns for x, y in itertools.permutations(c, 2)) / len(pool)
    chance = sum(distance(x, y) for x, y in itertools.permutations(pool, 2)) / (len(pool) * (len(pool) - 1))
    return 1 - seen / chance


LABELS = st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN]), min_size=3, max_size=3), min_size=3, max_size=12)


@given(LABELS)
def test_alpha_is_one_less_the_disagreement_of_pairs_over_that_of_chance(items):
    ratings = np.array(items).T
    for scale, distance in (("nominal", lambda x, y: float(x != y)), ("interval", lambda x, y: (x - y) ** 2)):
        found = krippendorff_alpha(ratings, scale=scale)
        if found.value is None:
            assert found.outcome in ("one label only: chance agrees as well", "no item with two labels")
        else:
            assert found.value == pytest.approx(alpha_by_pairs(ratings, distance), abs=1e-9)


def test_nominal_alpha_is_fleiss_kappa_corrected_for_few_labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 40)
    ratings = np.where(rng.random((3, 40)) < 0.6, truth, rng.integers(0, 3, (3, 40)))
    fleiss = fleiss_kappa(aggregate_raters(ratings.T)[0])
    assert krippendorff_alpha(ratings).value == pytest.approx(1 - (1 - fleiss) * (120 - 1) / 120)


def ac_by_hand(ratings, q: int) -> float:
    weights = 1 - np.subtract.outer(np.arange(q), np.arange(q)) ** 2 / (q - 1) ** 2
    n = ratings.shape[1]
    agreed = np.mean([weights[a, b] for a, b in ratings.T])
    pi = np.bincount(ratings.ravel(), minlength=q) / (2 * n)
    chance = weights.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum()
    return (agreed - chance) / (1 - chance)


def test_ac2_weights_disagreements_by_their_square():
    ratings = np.random.default_rng(2).integers(0, 4, (2, 50))
    assert gwet_ac2(ratings).value == pytest.approx(ac_by_hand(ratings, 4))


def test_ac2_knows_labels_of_the_scale_that_nobody_gave():
    ratings = np.array([[0, 1, 1, 0, 1], [0, 1, 0, 0, 1]])
    assert gwet_ac2(ratings, labels=[0, 1, 2, 3]).value == pytest.approx(ac_by_hand(ratings, 4))
    assert gwet_ac2(ratings).value == pytest.approx(ac_by_hand(ratings, 2))
    with pytest.raises(InputError, match=r"labels of the scale \[0.0, 2.0\], got 1"):
        gwet_ac2(ratings, labels=[0, 2])


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn_and_statsmodels(weighting):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, 200)
    b = np.clip(a + rng.integers(-1, 2, 200), 0, 3)
    value = kappa([a, b], weighting=weighting).value
    assert value == pytest.approx(cohen_kappa_score(a, b, weights=None if weighting == "none" else weighting))
    table = np.histogram2d(a, b, bins=[np.arange(5) - 0.5] * 2)[0]
    known = {"none": None, "linear": "linear", "quadratic": "quadratic"}[weighting]
    assert value == pytest.approx(cohens_kappa(table, wt=known).kappa)


def test_the_interval_of_kappa_is_near_the_normal_one_of_statsmodels():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 400)
    b = np.where(rng.random(400) < 0.7, a, rng.integers(0, 3, 400))
    found = kappa([a, b], bootstrap=Bootstrap(np.random.default_rng(5), resamples=4000))
    known = cohens_kappa(np.histogram2d(a, b, bins=[np.arange(4) - 0.5] * 2)[0])
    assert (found.low, found.high) == pytest.approx((known.kappa_low, known.kappa_upp), abs=0.01)


def test_items_of_one_query_are_drawn_together():
    """20 items of each query copy one another: the sample is 30 queries and not 600 items."""
    rng = np.random.default_rng(6)
    a = np.repeat(rng.integers(0, 2, 30), 20)
    b = np.repeat(np.where(rng.random(30) < 0.8, a[::20], 1 - a[::20]), 20)
    alone = kappa([a, b], bootstrap=Bootstrap(np.random.default_rng(7)))
    together = kappa([a, b], bootstrap=Bootstrap(np.random.default_rng(7), clusters=np.repeat(np.arange(30), 20)))
    assert (alone.clusters, together.clusters) == (None, 30)
    assert (together.high - together.low) == pytest.approx((alone.high - alone.low) * np.sqrt(20), rel=0.25)


@pytest.mark.parametrize("coefficient", [kappa, krippendorff_alpha, gwet_ac2])
def test_the_interval_of_every_coefficient_covers_its_value_in_the_population(coefficient):
    rng = np.random.default_rng(8)
    truth = rng.choice(4, 20_000, p=[0.5, 0.2, 0.2, 0.1])
    population = np.stack([truth, np.where(rng.random(20_000) < 0.6, truth, rng.integers(0, 4, 20_000))])
    known = coefficient(population).value
    covered = 0
    for seed in range(200):
        sample = population[:, rng.integers(0, 20_000, 150)]
        found = coefficient(sample, bootstrap=Bootstrap(np.random.default_rng(seed), resamples=300))
        covered += found.low <= known <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_missing_label_is_left_out_of_kappa_and_counted():
    found = kappa([[0, 1, 1, NAN, 0], [0, 1, 0, 1, NAN]])
    assert (found.n, found.left_out, found.value) == (3, 2, kappa([[0, 1, 1], [0, 1, 0]]).value)


def test_one_label_gives_no_number_but_a_reason():
    for coefficient in (kappa, krippendorff_alpha, gwet_ac2):
        found = coefficient([[2, 2, 2], [2, 2, 2]])
        assert (found.value, found.outcome) == (None, "one label only: chance agrees as well")


def test_nothing_labelled_twice_gives_no_number_but_a_reason():
    for coefficient in (kappa, krippendorff_alpha, gwet_ac2):
        found = coefficient([[2, NAN, 1], [NAN, 1, NAN]])
        assert (found.value, found.n, found.outcome) == (None, 0, "no item with two labels")


def test_resamples_with_one_label_are_counted():
    found = kappa([[0, 0, 0, 1], [0, 0, 0, 1]], bootstrap=Bootstrap(np.random.default_rng(1), resamples=1000))
    assert (found.low, found.high) == (1.0, 1.0)
    left_out = int(found.outcome.split()[0])
    assert left_out == pytest.approx(1000 * (0.75**4 + 0.25**4), abs=60)


def test_one_cluster_has_no_interval():
    found = kappa([[0, 1, 1], [0, 1, 0]], bootstrap=Bootstrap(np.random.default_rng(1), clusters=["q", "q", "q"]))
    assert (found.low, found.outcome) == (None, "one cluster: no interval")


def test_what_is_no_table_of_labels_is_refused():
    with pytest.raises(InputError, match="two or more labellings"):
        krippendorff_alpha([[1, 2, 3]])
    with pytest.raises(InputError, match="an infinite label"):
        kappa([[1, np.inf], [1, 2]])
    with pytest.raises(InputError, match="at most 100 different labels"):
        krippendorff_alpha(np.random.default_rng(1).random((2, 80)))
    with pytest.raises(InputError, match="one per item, 2"):
        kappa([[1, 2], [1, 2]], bootstrap=Bootstrap(np.random.default_rng(1), clusters=["q"]))
    with pytest.raises(InputError, match="two labellings, got 3"):
        kappa([[1, 2], [1, 2], [1, 2]])
    with pytest.raises(ParameterError, match="scale"):
        krippendorff_alpha([[1, 2], [1, 2]], scale="ratio")
