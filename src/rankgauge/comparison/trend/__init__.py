"""Trend: a measure day by day, what the days before lead one to expect, and where it left that."""
