"""Fusion of runs into one: normalisations, methods, and their tuning on training judgments."""
