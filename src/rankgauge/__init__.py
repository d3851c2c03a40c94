"""Measures rankings for search and RAG, with the doubt beside every score."""

from rankgauge.conventions import CONVENTIONS, Convention
from rankgauge.engines.memory import evaluate, judge
from rankgauge.errors import RankgaugeError
from rankgauge.measures import *  # noqa: F403
from rankgauge.measures import __all__ as _measures
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.scores import Scores

__all__ = [
    "CONVENTIONS", "Convention", "Note", "Qrels", "RankgaugeError", "Run", "Scores", "evaluate", "judge",
    *_measures,
]  # fmt: skip
