"""Conventions: everything in which tools differ, in one record, with the peers' choices by name.

A measure's formula is ours and one; a convention says how rankings are ordered, which queries count,
what an undefined value becomes, and which defaults a measure's parameters take.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankgauge._convention import Convention, Rules, Ties
from rankgauge._presets import PRESETS
from rankgauge.errors import ConventionError, did_you_mean

__all__ = ["CONVENTIONS", "Convention", "Rules", "Ties", "convention"]

CONVENTIONS: Mapping[str, Convention] = MappingProxyType({preset.name: preset for preset in PRESETS})


def convention(name: str | Convention) -> Convention:
    """Return the convention of this name.

    Raises ConventionError for a name that nobody declared.

    >>> convention("trec_eval").ties
    'docid-desc'
    """
    if isinstance(name, Convention):
        return name
    if name not in CONVENTIONS:
        known = ", ".join(CONVENTIONS)
        raise ConventionError(f"no convention named {name!r}{did_you_mean(name, CONVENTIONS)} (known: {known})")
    return CONVENTIONS[name]
