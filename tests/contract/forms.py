"""Measures that engines are tried with."""

from __future__ import annotations

import rankgauge as rg
from contract.samples import SAMPLES
from rankgauge.measures import REGISTRY

FLAT = [measure for measure in SAMPLES if not measure.declared.subtopics]
"""Every form of every measure that needs no subtopics."""

SHALLOW = ["nDCG@3", "RR@3", "P@3", "ERR@3", "RBP@3", "Judged@3", "Success@3", "AP(judged_only=True)@3"]
SIMPLE = [measure for measure in REGISTRY.values() if not measure.declared.subtopics]
SIMPLE = [*(m @ 5 if m.declared.cutoff == "required" else m for m in SIMPLE), *SHALLOW]
"""Each measure once, and some that share a depth."""


def by_input(convention: str) -> bool:
    """Whether the order of rows decides the numbers of some measure."""
    how = rg.CONVENTIONS[convention]
    return any("input" in (rules.order, rules.ties) for rules in (how.of(str(measure)) for measure in SIMPLE))
