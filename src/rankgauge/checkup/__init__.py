"""The checkup of a golden set: what is wrong or weak in it, how much, and what to do."""

from rankgauge.checkup.examination import checks, doctor
from rankgauge.checkup.findings import Checkup, Finding, NotChecked
from rankgauge.checkup.limits import CheckupLimits
from rankgauge.checkup.registry import CHECKS, Check

__all__ = ["CHECKS", "Check", "Checkup", "CheckupLimits", "Finding", "NotChecked", "checks", "doctor"]
