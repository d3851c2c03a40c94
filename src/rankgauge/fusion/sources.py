"""Where fusion methods come from: the papers that they cite."""

from __future__ import annotations

from types import MappingProxyType

SOURCES = MappingProxyType(
    {
        "aslam2001": "Aslam & Montague (2001), Models for metasearch, doi:10.1145/383952.384007",
        "bailey2017": "Bailey, Moffat, Scholer & Thomas (2017), Retrieval consistency in the presence of query "
        "variations, doi:10.1145/3077136.3080839",
        "cormack2009": "Cormack, Clarke & Büttcher (2009), Reciprocal rank fusion outperforms Condorcet and "
        "individual rank learning methods, doi:10.1145/1571941.1572114",
        "fox1993": "Fox & Shaw (1993), Combination of multiple searches, TREC-2, NIST SP 500-215",
        "lee1997": "Lee (1997), Analyses of multiple evidence combination, doi:10.1145/258525.258587",
        "lillis2006": "Lillis, Toolan, Collier & Dunnion (2006), ProbFuse: a probabilistic approach to data fusion, "
        "doi:10.1145/1148170.1148197",
        "lillis2008": "Lillis, Toolan, Collier & Dunnion (2008), Extending probabilistic data fusion using sliding "
        "windows, doi:10.1007/978-3-540-78646-7_33",
        "lillis2010": "Lillis, Zhang, Toolan, Collier, Leonard & Dunnion (2010), Estimating probabilities for "
        "effective data fusion, doi:10.1145/1835449.1835508",
        "montague2001": "Montague & Aslam (2001), Relevance score normalization for metasearch, "
        "doi:10.1145/502585.502657",
        "montague2002": "Montague & Aslam (2002), Condorcet fusion for improved retrieval, doi:10.1145/584792.584881",
        "mourao2015": "Mourão, Martins & Magalhães (2015), Multimodal medical information retrieval with unsupervised "
        "rank fusion, doi:10.1016/j.compmedimag.2014.05.006",
        "renda2003": "Renda & Straccia (2003), Web metasearch: rank vs. score based rank aggregation methods, "
        "doi:10.1145/952532.952698",
        "shokouhi2007": "Shokouhi (2007), Segmentation of search engine results for effective data-fusion, "
        "doi:10.1007/978-3-540-71496-5_19",
        "wu2002": "Wu & Crestani (2002), Data fusion with estimated weights, doi:10.1145/584792.584908",
    }
)
"""Citation keys of `@fusion_method(cite=...)` and what they stand for."""
