"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of reference data that lies beside a developer's checkout; tests that need it are skipped elsewhere."""
    found = [os.environ.get("RANKGAUGE_SHARED"), *(parent / "shared" for parent in Path(__file__).parents)]
    for folder in found:
        if folder and (Path(folder) / "data" / "conformance").is_dir():
            return Path(folder)
    pytest.skip("the reference data is not here")
