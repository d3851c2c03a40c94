"""Measures rankings for search and RAG, with the doubt beside every score."""

from rankgauge.conventions import CONVENTIONS, Convention
from rankgauge.engines.memory import evaluate, judge
from rankgauge.errors import RankgaugeError
from rankgauge.formats import read_qrels, read_run, write_qrels, write_run
from rankgauge.measures import *  # noqa: F403
from rankgauge.measures import __all__ as _measures
from rankgauge.measures.classification import Classification, classify
from rankgauge.measures.confusion import Confusion
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.scores import Scores

__all__ = [
    "CONVENTIONS", "Classification", "Confusion", "Convention", "Note", "Qrels", "RankgaugeError", "Run", "Scores",
    "classify", "evaluate", "judge", "read_qrels", "read_run", "write_qrels", "write_run",
    *_measures,
]  # fmt: skip
