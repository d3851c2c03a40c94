"""Every measure has a golden row, and every row is right."""

from __future__ import annotations

import pytest

import rankgauge as rg
from golden.values import EXAMPLES, ROWS, tolerance
from rankgauge.measures import REGISTRY, parse


@pytest.mark.parametrize(("measure", "example", "value", "source"), ROWS, ids=lambda part: str(part))
def test_the_value_is_right(measure, example, value, source):
    qrels, run = EXAMPLES[example].qrels(), EXAMPLES[example].run()
    found = rg.evaluate(qrels, run, measure).values.item()
    assert found == pytest.approx(float(value), abs=tolerance(value), rel=0)


@pytest.mark.parametrize("name", REGISTRY)
def test_every_measure_has_a_row(name):
    assert name in {parse(measure).name for measure, *_ in ROWS}
