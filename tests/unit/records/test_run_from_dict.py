"""Runs from dicts: the keys of a dict are distinct, but not always once they are text."""

from __future__ import annotations

import pytest

from rankgauge import Run
from rankgauge.errors import DuplicateError


def test_an_id_as_text_and_as_number_is_one_document_twice() -> None:
    with pytest.raises(DuplicateError, match="query 'q', document '1': expected each document once, got 2 times"):
        Run.from_dict({"q": {1: 2.0, "1": 1.0}})


def test_one_document_under_two_queries_is_no_repetition() -> None:
    assert Run.from_dict({"q": {"1": 2.0}, "r": {"1": 1.0}}).to_dict() == {"q": {"1": 2.0}, "r": {"1": 1.0}}
