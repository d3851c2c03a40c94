"""Where formulas come from: the papers and tools that measures cite."""

from __future__ import annotations

from types import MappingProxyType

SOURCES = MappingProxyType({
    "buckley2004": "Buckley & Voorhees (2004), Retrieval evaluation with incomplete information, doi:10.1145/1008992.1009000",
    "buckley2005": "Buckley & Voorhees (2005), Retrieval system evaluation, in TREC: Experiment and Evaluation, MIT Press",
    "chapelle2009": "Chapelle, Metlzer, Zhang & Grinspan (2009), Expected reciprocal rank for graded relevance, doi:10.1145/1645953.1646033",
    "jarvelin2002": "Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, doi:10.1145/582415.582418",
    "sakai2004": "Sakai (2004), Ranking the NTCIR systems based on multigrade relevance, doi:10.1007/978-3-540-31871-2_22",
    "trec_eval": "trec_eval 10, the evaluation program of TREC (NIST)",
    "vanrijsbergen1979": "van Rijsbergen (1979), Information Retrieval, chapter 7",
    "voorhees1999": "Voorhees (1999), The TREC-8 question answering track report",
    "yilmaz2006": "Yilmaz & Aslam (2006), Estimating average precision with incomplete and imperfect judgments, doi:10.1145/1183614.1183633",
})  # fmt: skip
"""Citation keys of `@measure(cite=...)` and what they stand for."""
