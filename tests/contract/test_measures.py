"""What every measure owes, whatever its formula; a new measure is tested as soon as it is registered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from contract.samples import FALLING, NAMES, SAMPLES, refused
from contract.worlds import World, alone, judge, world
from rankgauge.errors import ParameterError
from rankgauge.judged import JudgedRun
from rankgauge.measures import REGISTRY, Measure, parse
from rankgauge.measures._values import check_value
from rankgauge.measures.sources import SOURCES

each = pytest.mark.parametrize("measure", SAMPLES, ids=NAMES)
declared = pytest.mark.parametrize("measure", REGISTRY.values(), ids=REGISTRY)
ROUNDING = 1e-12

WORLD = world(7)
JUDGED = judge(WORLD)
BACKWARDS = judge(World(dict(reversed(WORLD.judged.items())), dict(sorted(WORLD.ranking.items()))))
LONGER = judge(WORLD, {query: [*docs, "another"] for query, docs in WORLD.ranking.items()})
RENAMED = judge(
    WORLD, {q: [f"other {doc}" if doc.startswith("u") else doc for doc in docs] for q, docs in WORLD.ranking.items()}
)

GROWS_WITH_LENGTH = {"NumRet", "Unjudged"}
"""They count documents as such: an unjudged document more is one more."""

NOT_BOUNDED = {"Judged": "a relevant document higher up never lowers it, but the order of the others matters too"}
"""Measures without a best order by grade although a better document higher up never lowers them."""

ONE_WITHOUT_CUTOFF = ("AP", "GMAP", "Q", "RR", "Rprec", "R", "SetR", "IPrec", "IPrec11")
"""Their ideal ranking scores 1, but not at every cutoff."""


def relevant(measure: Measure) -> np.ndarray:
    """Number of documents that the measure can take as relevant, per query."""
    grade = JUDGED.judgments.grade
    level = measure.parameters.get("rel")
    return JUDGED.judgments.count(grade > 0 if level is None else grade >= level)


@each
def test_its_name_is_read_back_as_the_same_measure(measure):
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)


@each
def test_its_values_are_in_its_range_and_never_infinite(measure):
    values = measure.of(JUDGED)
    assert values.dtype == np.float64
    assert values.shape == (JUDGED.Q,)
    assert not np.isinf(values).any()
    low, high = measure.range
    known = values[~np.isnan(values)]
    assert len(known) > JUDGED.Q / 3
    assert (known >= low - ROUNDING).all()
    assert (known <= high + ROUNDING).all()


@each
def test_it_is_undefined_only_without_relevant_or_without_retrieved_documents(measure):
    undefined = np.isnan(measure.of(JUDGED))
    allowed = (relevant(measure) == 0) | (measure.view(JUDGED).seen == 0)
    assert not (undefined & ~allowed).any()


@each
def test_a_query_has_the_same_value_alone_and_among_others_to_the_bit(measure):
    together = measure.of(JUDGED)
    apart = np.concatenate([measure.of(alone(JUDGED, query)) for query in range(0, JUDGED.Q, 3)])
    np.testing.assert_array_equal(together[::3], apart, strict=True)


@each
def test_the_order_of_queries_changes_no_value(measure):
    np.testing.assert_array_equal(measure.of(BACKWARDS)[::-1], measure.of(JUDGED), strict=True)


@each
def test_an_unjudged_document_gains_nothing(measure):
    risen = measure.of(LONGER) > measure.of(JUDGED)
    if measure.name not in GROWS_WITH_LENGTH:
        assert not risen.any()
    elif measure == REGISTRY[measure.name]:
        assert risen.any()


@each
def test_an_unjudged_document_is_as_good_as_any_other(measure):
    np.testing.assert_array_equal(measure.of(RENAMED), measure.of(JUDGED), strict=True)


def ideal(gain: Callable[[np.ndarray], np.ndarray]) -> JudgedRun:
    """Every query's judged documents by falling gain."""
    ranking = {
        query: sorted(docs, key=lambda doc: -gain(np.array([WORLD.grade(query, doc)], dtype=float))[0])
        for query, docs in WORLD.judged.items()
    }
    return judge(WORLD, ranking)


@each
def test_the_ideal_ranking_scores_one_where_that_is_declared(measure):
    if not measure.declared.ideal_is_one and (measure.name not in ONE_WITHOUT_CUTOFF or measure.cutoff):
        return
    gain = measure.parameters.get("gain")
    values = measure.of(ideal(gain if callable(gain) else lambda grade: grade))
    defined = relevant(measure) > 0
    assert defined.any()
    assert values[defined] == pytest.approx(1.0, abs=ROUNDING)


def swapped(seed: int, level: float) -> dict[str, list[str]]:
    """The world's rankings, in each of which one document changed places with a worse one right above it."""
    rng, found = np.random.default_rng(seed), {}
    for query, docs in WORLD.ranking.items():
        worth = [grade if (grade := WORLD.grade(query, doc) or 0) >= level else 0 for doc in docs]
        pairs = [i for i in range(1, len(docs)) if worth[i] > worth[i - 1]]
        order = list(range(len(docs)))
        if pairs:
            i = pairs[rng.integers(len(pairs))]
            order[i - 1], order[i] = i, i - 1
        found[query] = [docs[i] for i in order]
    return found


SWAPPED = {level: [judge(WORLD, swapped(seed, level)) for seed in range(30)] for level in (1.0, 2.0)}


@cache
def can_be_lowered(measure: Measure) -> bool:
    """Whether exchanging a better document with the one right above it lowered the value of any query."""
    before = measure.of(JUDGED)
    return any((measure.of(after) < before - ROUNDING).any() for after in SWAPPED[measure.parameters.get("rel") or 1.0])


@each
def test_a_better_document_one_place_higher_never_lowers_it_where_that_is_declared(measure):
    falling = str(measure.parameters.get("gain", "")) == FALLING
    assert not measure.monotone or can_be_lowered(measure) == falling


@declared
def test_a_measure_declared_not_monotone_has_a_counterexample(measure):
    forms = [m for m in SAMPLES if m.name == measure.name and not m.monotone]
    assert not forms or any(can_be_lowered(m) for m in forms) or measure.name in NOT_BOUNDED


@pytest.mark.parametrize("measure", refused(), ids=str)
def test_gains_that_a_user_model_cannot_take_are_refused(measure):
    with pytest.raises(ParameterError, match=r"expected chances to read on in \[0, 1\], got"):
        (measure if measure.declared.cutoff == "optional" else measure @ 3).of(JUDGED)


@declared
def test_it_is_documented(measure):
    about = measure.declared
    assert about.summary.endswith(".")
    assert "=" in about.equation
    assert about.cite in SOURCES
    assert {name: p.help for name, p in about.parameters.items() if not p.help} == {}


@declared
def test_its_defaults_are_values_that_it_takes(measure):
    for name, parameter in measure.declared.parameters.items():
        assert check_value(measure.name, measure.declared.parameters, name, parameter.default) == parameter.default
