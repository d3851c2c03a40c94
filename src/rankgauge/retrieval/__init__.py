"""Two-stage retrieval: candidates from words and vectors, reranked under a limit. It makes runs; others judge them."""
