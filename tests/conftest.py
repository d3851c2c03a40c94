"""What all tests share: the reference data, where they lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

collect_ignore_glob = ["golden/make_*.py"]  # programs that write files of values


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of reference data beside the checkout, which may not be shipped; tests that need it skip without it."""
    found = Path(os.environ.get("RANKGAUGE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (found / "data" / "conformance").is_dir():
        pytest.skip("the reference data are not here (set RANKGAUGE_SHARED)")
    return found
