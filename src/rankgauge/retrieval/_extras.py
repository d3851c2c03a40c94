"""Optional libraries of retrieval: imported when they are used, and named by their extra when they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from rankgauge.errors import MissingExtraError


def optional(module: str, what: str, *, extra: str = "retrieval") -> Any:
    """Import a module of an extra, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra) from None
