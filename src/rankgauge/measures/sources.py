"""Where formulas come from: the papers and tools that measures cite."""

from __future__ import annotations

from types import MappingProxyType

SOURCES = MappingProxyType({
    "agrawal2009": "Agrawal, Gollapudi, Halverson & Ieong (2009), Diversifying search results, doi:10.1145/1498759.1498766",
    "azzopardi2018": "Azzopardi, Thomas & Craswell (2018), Measuring the utility of search engine result pages: an information foraging based measure, doi:10.1145/3209978.3210027",
    "azzopardi2019": "Azzopardi, Thomas & Moffat (2019), cwl_eval: an evaluation tool for information retrieval, doi:10.1145/3331184.3331398",
    "azzopardi2021": "Azzopardi, Mackenzie & Moffat (2021), ERR is not C/W/L, doi:10.1145/3471158.3472239",
    "buckley2004": "Buckley & Voorhees (2004), Retrieval evaluation with incomplete information, doi:10.1145/1008992.1009000",
    "buckley2005": "Buckley & Voorhees (2005), Retrieval system evaluation, in TREC: Experiment and Evaluation, MIT Press",
    "chapelle2009": "Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded relevance, doi:10.1145/1645953.1646033",
    "chapelle2011": "Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu (2011), Intent-based diversification of web search results, doi:10.1007/s10791-011-9167-7",
    "clarke2008": "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon (2008), Novelty and diversity in information retrieval evaluation, doi:10.1145/1390334.1390446",
    "clarke2009": "Clarke, Kolla & Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, doi:10.1007/978-3-642-04417-5_17",
    "clarke2011": "Clarke, Craswell, Soboroff & Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, doi:10.1145/1935826.1935847",
    "corsi2024": "Corsi & Urbano (2024), The treatment of ties in rank-biased overlap, arXiv:2406.07121",
    "jarvelin2002": "Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, doi:10.1145/582415.582418",
    "kendall1945": "Kendall (1945), The treatment of ties in ranking problems, doi:10.1093/biomet/33.3.239",
    "liu2024": "Liu, Lin, Hewitt, Paranjape, Bevilacqua, Petroni & Liang (2024), Lost in the middle: how language models use long contexts, doi:10.1162/tacl_a_00638",
    "moffat2008": "Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, doi:10.1145/1416950.1416952",
    "moffat2012": "Moffat, Scholer & Thomas (2012), Models and metrics: IR evaluation as a user process, doi:10.1145/2407085.2407092",
    "moffat2015": "Moffat, Bailey, Scholer & Thomas (2015), INST: an adaptive metric for information retrieval evaluation, doi:10.1145/2838931.2838938",
    "moffat2017": "Moffat, Bailey, Scholer & Thomas (2017), Incorporating user expectations and behavior into the measurement of search effectiveness, doi:10.1145/3052768",
    "sakai2004": "Sakai (2004), Ranking the NTCIR systems based on multigrade relevance, doi:10.1007/978-3-540-31871-2_22",
    "sakai2013": "Sakai & Dou (2013), Summaries, ranked retrieval and sessions: a unified framework for information access evaluation, doi:10.1145/2484028.2484031",
    "smucker2012": "Smucker & Clarke (2012), Time-based calibration of effectiveness measures, doi:10.1145/2348283.2348300",
    "trec_eval": "trec_eval 10, the evaluation program of TREC (NIST)",
    "urbano2017": "Urbano & Marrero (2017), The treatment of ties in AP correlation, doi:10.1145/3121050.3121106",
    "vanrijsbergen1979": "van Rijsbergen (1979), Information Retrieval, chapter 7",
    "voorhees1999": "Voorhees (1999), The TREC-8 question answering track report",
    "webber2010": "Webber, Moffat & Zobel (2010), A similarity measure for indefinite rankings, doi:10.1145/1852102.1852106",
    "yilmaz2006": "Yilmaz & Aslam (2006), Estimating average precision with incomplete and imperfect judgments, doi:10.1145/1183614.1183633",
    "yilmaz2008": "Yilmaz, Aslam & Robertson (2008), A new rank correlation coefficient for information retrieval, doi:10.1145/1390334.1390435",
    "zhai2003": "Zhai, Cohen & Lafferty (2003), Beyond independent relevance, doi:10.1145/860435.860440",
    "zhang2017": "Zhang, Liu, Li, Zhang, Xu & Ma (2017), Evaluating web search with a Bejeweled player model, doi:10.1145/3077136.3080841",
})  # fmt: skip
"""Citation keys of `@measure(cite=...)` and what they stand for."""
