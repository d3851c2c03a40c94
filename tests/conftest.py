"""What all tests share: Hypothesis without deadlines, and the reference data where they lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rankgauge", deadline=None)  # a machine may be busy
settings.load_profile("rankgauge")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of reference data beside the checkout, which may not be shipped; tests that need it skip without it."""
    found = Path(os.environ.get("RANKGAUGE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (found / "data" / "conformance").is_dir():
        pytest.skip("the reference data are not here (set RANKGAUGE_SHARED)")
    return found
