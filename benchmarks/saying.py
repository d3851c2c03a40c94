"""What benchmarks say of themselves; only the standard library, as a child's peak memory counts from its parent's."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version


def talk(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
