"""Comparison of runs: differences with their doubt, what unjudged documents could change, and the verdict."""
