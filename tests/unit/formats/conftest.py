from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Write a file and return its path; text is written as it stands, without changes at line ends."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def shared() -> Path:
    """The material beside the checkout, which users do not have."""
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "cases" / "files").is_dir():
            return parent / "shared"
    pytest.skip("no shared material beside the checkout")
