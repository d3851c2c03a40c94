"""Reconciliation: which choices lie behind a reported number, and where two tools part."""

from rankgauge.reconciliation.reconciling import reconcile
from rankgauge.reconciliation.results import Explanation, Hint, Reconciliation, Sensitivity, Tried
from rankgauge.reconciliation.walk import QueryDifference, Step, ToolDifference, explain_difference

__all__ = [
    "Explanation", "Hint", "QueryDifference", "Reconciliation", "Sensitivity", "Step", "ToolDifference", "Tried",
    "explain_difference", "reconcile",
]  # fmt: skip
