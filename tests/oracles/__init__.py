"""Other tools behind one door: oracle(qrels, run, measures) -> {our measure: {query: value}}."""
