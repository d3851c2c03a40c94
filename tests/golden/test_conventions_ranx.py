"""The convention ranx beside ranx itself, called in the test: `pytest -m slow`, as numba compiles it for minutes.

The suite compares with ranx's stored values (test_conventions_stored.py).

Left out: bpref (NaN without judged non-relevant documents, counts negative grades as non-relevant, and after a query
without relevant documents the rest of its thread's queries become 0), and rankings of more than 16 documents with
ties, whose order in ranx depends on an unstable sort.
"""

import warnings

import pytest
from hypothesis import given, settings

from oracles import inputs
from oracles.compare import assert_agree, ours


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=50, deadline=None)
@given(inputs.collections())
def test_every_judged_query_has_the_tools_value(collection):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx = pytest.importorskip("oracles.ranx")
    qrels, run = collection
    expected = ranx.per_query(qrels, run)
    assert_agree(ours(qrels, run, expected, "ranx"), expected)
