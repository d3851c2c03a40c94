"""Two-stage retrieval: candidates from words and vectors, reranked under a limit. It makes runs; others judge them."""

from rankgauge.retrieval.assembly import Dense, Lexical
from rankgauge.retrieval.bm25 import BM25Index
from rankgauge.retrieval.documents import read_documents, read_queries
from rankgauge.retrieval.explanation import Explanation, TermScore
from rankgauge.retrieval.formulas import VARIANTS, Scoring
from rankgauge.retrieval.hybrid import HybridRetriever
from rankgauge.retrieval.index import Index
from rankgauge.retrieval.protocols import Document, Embedder, Hits, Reranker, Retriever, Tokenizer
from rankgauge.retrieval.running import retrieve
from rankgauge.retrieval.tokenizers import tokenizer

__all__ = [
    "VARIANTS", "BM25Index", "Dense", "Document", "Embedder", "Explanation", "Hits", "HybridRetriever", "Index",
    "Lexical", "Reranker", "Retriever", "Scoring", "TermScore", "Tokenizer", "read_documents", "read_queries",
    "retrieve", "tokenizer",
]  # fmt: skip
