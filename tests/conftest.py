"""Fixtures that several folders of tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of collections and expected outputs that may not be shipped; tests that need it skip without it."""
    found = Path(os.environ.get("RANKGAUGE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (found / "data").is_dir():
        pytest.skip("the shared data are not here (set RANKGAUGE_SHARED)")
    return found
