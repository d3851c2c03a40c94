"""Optional libraries: imported when they are used, and named by their extra when they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from rankgauge.errors import MissingExtraError


def optional(module: str, what: str, extra: str) -> Any:
    """Import a module of an extra for what is to be done, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra) from None
