"""Citations: whether the passages that each sentence cites support it, as TREC, ALCE and open-rag-eval count it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.rag.values import Value, mean
from rankgauge.rag.verdicts import Entry, Row, both, no

Support = Literal["full", "partial", "none"]
WEIGHTS: dict[Support, float] = {"full": 1.0, "partial": 0.5, "none": 0.0}


@dataclass(frozen=True)
class Citation:
    """A passage that a sentence cites, and how far it supports it; `support` None: the judge failed."""

    doc_id: str
    support: Support | None


@dataclass(frozen=True)
class CitationScores:
    """Precision over citations, recall over sentences."""

    precision: Value
    recall: Value


def trec_support(sentences: Sequence[Sequence[Citation]], *, judged: Literal["all", "first"] = "all") -> CitationScores:
    """Weighted precision and recall of TREC's RAG track: full support 1, partial ½, none 0.

    precision = Σ weights / number of citations; recall = Σ_sentences weight / number of sentences, 0 for a sentence
    without a citation. Of several citations of a sentence, recall takes the best.

    Parameters
    ----------
    sentences : the citations of each, best first
    judged : "first": only the first citation of each sentence, as people judged them in 2024

    Source: Thakur et al. (2025), Support evaluation for the TREC 2024 RAG track, arXiv:2504.15205.

    >>> found = trec_support([[Citation("a", "full"), Citation("b", "none")], [], [Citation("a", "partial")]])
    >>> found.precision.value, found.recall.value
    (0.5, 0.5)
    """
    if judged not in ("all", "first"):
        raise ParameterError(f"judged: expected 'all' or 'first', got {judged!r}")
    kept = [cited[:1] if judged == "first" else cited for cited in sentences]
    precision = mean((_weight(citation) for cited in kept for citation in cited), "citation")
    return CitationScores(precision, mean(map(_best, kept), "sentence"))


def _weight(citation: Citation) -> float | None:
    return None if citation.support is None else WEIGHTS[citation.support]


def _best(cited: Sequence[Citation]) -> float | None:
    """Weight of the best citation; None where one that nobody judged could be better."""
    weights = [_weight(citation) for citation in cited]
    best = max((weight for weight in weights if weight is not None), default=0.0)
    return None if None in weights and best < 1 else best


def open_rag_eval(sentences: Sequence[Sequence[Citation]]) -> CitationScores:
    """Weighted precision and recall as open-rag-eval 0.3.0 has them: other numbers under TREC's names.

    Precision is the mean over cited documents of the mean weight of their citations; recall the mean over sentences
    of the mean weight of their citations. 0 where there is nothing to average. A failed judgment is skipped; a
    sentence of which all failed is not counted.

    >>> open_rag_eval([[Citation("a", "full")], [Citation("a", "full"), Citation("b", "none")]]).precision.value
    0.5
    """
    documents: dict[str, list[float]] = defaultdict(list)
    parts: list[float | None] = []
    unknown = 0
    for cited in sentences:
        weights = []
        for citation in cited:
            weight = _weight(citation)
            if weight is None:
                unknown += 1
                continue
            weights.append(weight)
            documents[citation.doc_id].append(weight)
        if weights or not cited:
            parts.append(sum(weights) / len(weights) if weights else 0.0)
    precision = mean((sum(weights) / len(weights) for weights in documents.values()), "document", empty=0.0)
    recall = mean(parts, "sentence", empty=0.0)
    return CitationScores(*(Value(one.value, one.n, unknown) for one in (precision, recall)))


@dataclass(frozen=True)
class Entailment:
    """What entails a sentence, of the passages that it cites.

    Attributes
    ----------
    together : whether all of them, joined, entail it
    alone : of each, whether it does so alone
    others : of each, whether the others, joined, do so without it
    exist : whether each cited slot exists; where one does not, ALCE counts the sentence as uncited
    """

    together: Entry
    alone: Row = ()
    others: Row = ()
    exist: bool = True

    def __post_init__(self) -> None:
        if len(self.alone) != len(self.others):
            fault = Fault("entailment", "one verdict per citation alone and without it", f"{self.alone}, {self.others}")
            raise InputError(fault)


def alce(sentences: Sequence[Entailment], *, at_most: int = 3) -> CitationScores:
    """Citation recall and precision of ALCE from verdicts of entailment.

    recall: share of the sentences that their citations, joined, entail. precision: share of the citations that belong
    to such a sentence and are not irrelevant: irrelevant = it does not entail the sentence, and the others still do.
    0 without a citation, as there. A verdict that is not there is left out and counted.

    Parameters
    ----------
    at_most : citations of a sentence that are looked at; the verdicts must be of these

    Source: Gao, Yen, Yu & Chen (2023), Enabling large language models to generate text with citations,
    arXiv:2305.14627, and its eval.py.

    >>> found = alce([Entailment(True, (True, False), (False, True)), Entailment(False, (False,), (False,))])
    >>> round(found.recall.value, 3), round(found.precision.value, 3)
    (0.5, 0.333)
    """
    for sentence in sentences:
        if len(sentence.alone) > at_most:
            raise InputError(Fault("entailment", f"at most {at_most} citations", str(len(sentence.alone))))
    cited = [sentence for sentence in sentences if sentence.exist and sentence.alone]
    recall = mean((_number(one.together) if one.exist and one.alone else 0.0 for one in sentences), "sentence")
    precision = mean((_number(entry) for one in cited for entry in _needed(one)), "citation", empty=0.0)
    return CitationScores(precision, recall)


def _needed(sentence: Entailment) -> list[Entry]:
    """Whether each citation is a good one; the only citation of a sentence is if it entails it."""
    if len(sentence.alone) == 1:
        return [sentence.together]
    pairs = zip(sentence.alone, sentence.others, strict=True)
    return [both(sentence.together, no(both(no(alone), others))) for alone, others in pairs]


def _number(entry: Entry) -> float | None:
    return None if entry is None else float(entry)
