"""Records: the frozen core types that everything else is made of."""

from rankgauge.records.notes import Note
from rankgauge.records.qrels import Qrels
from rankgauge.records.run import Run

__all__ = ["Note", "Qrels", "Run"]
