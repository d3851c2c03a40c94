"""Measures rankings for search and RAG, with the doubt beside every score."""
