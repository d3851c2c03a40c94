"""Retrieval and generation in one verdict: claims, contexts, positions, distractors, and whose fault it was."""
