"""Fixtures of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rankgauge", deadline=None)  # a machine may be busy
settings.load_profile("rankgauge")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Data of other tools that is not part of the project: beside the checkout, or the test is skipped."""
    places = [parent / "shared" for parent in Path(__file__).resolve().parents[2:5]]
    found = next((place for place in places if (place / "data" / "conformance").is_dir()), None)
    if found is None:
        pytest.skip("the shared data is not here")
    return found
