"""Formats: readers and writers of qrels and runs, chosen by content."""

from rankgauge.formats._api import Sniffed, read_qrels, read_run, sniff, write_qrels, write_run
from rankgauge.formats._registry import FORMATS, Format

__all__ = ["FORMATS", "Format", "Sniffed", "read_qrels", "read_run", "sniff", "write_qrels", "write_run"]
