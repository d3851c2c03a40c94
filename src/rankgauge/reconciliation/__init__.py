"""Reconciliation: which choices lie behind a reported number, and where two tools part."""
