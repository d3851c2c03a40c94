"""Reports: scores, measures and classifications as text and as charts."""
