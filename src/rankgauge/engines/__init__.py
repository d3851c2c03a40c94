"""Engines: they deliver judged runs to the measures, from memory today."""

from rankgauge.engines.memory import as_measures, evaluate, judge

__all__ = ["as_measures", "evaluate", "judge"]
