"""What a cache of answers saves and costs: hits by kind, false hits, and nDCG lost, at each threshold of likeness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from rankgauge.engines.memory import evaluate
from rankgauge.records import Qrels, Run
from rankgauge.records._columns import FloatArray
from rankgauge.retrieval.cache import AnswerCache, Key, Outcome
from rankgauge.retrieval.likeness import Guard, Likeness
from rankgauge.retrieval.pipeline import Answer
from rankgauge.retrieval.protocols import Embedder, Hits, Retriever, TextKind, Tokenizer, Vectors
from rankgauge.retrieval.rerank import merged
from rankgauge.retrieval.stores import Memory
from rankgauge.statistics.results import Interval
from rankgauge.study.traffic import Request

TOP = 10
FALSE = 0.5
"""Closeness below which a hit counts as false."""
CLOSE = f"nDCG(gain='linear')@{TOP}"
JUDGED = f"nDCG@{TOP}"
HEAD = 0.1
CLUSTERED = "t over intents"

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Setting:
    """One cache: by the same query, also by the same words, also by likeness from a threshold on, guarded or not."""

    words: bool = True
    threshold: float | None = None
    guarded: bool = True

    def __str__(self) -> str:
        if self.threshold is None:
            return "exact and words" if self.words else "exact"
        return f"like {self.threshold:g}, {'guarded' if self.guarded else 'no guard'}"


@dataclass(frozen=True, eq=False)
class Line:
    """What one cache did.

    Attributes
    ----------
    hits : requests that were answered from it, by kind
    closeness : mean nDCG@10 of what words and likeness served, the fresh answer's top 10 being the ideal
    false : hits whose closeness is below 0.5
    lost : closeness lost over all requests, exact hits and misses losing nothing
    judged : judged nDCG@10 of what was served minus that of the fresh answer, over the requests whose judgments are
        known; None without judgments
    head : share of the hits that the most asked tenth of the intents got
    """

    setting: Setting
    requests: int
    hits: Mapping[Outcome, int]
    closeness: float | None
    false: int
    lost: Interval
    judged: Interval | None
    head: float | None

    @property
    def rate(self) -> float:
        """Share of the requests that were answered from the cache."""
        return sum(self.hits.values()) / self.requests


def study(
    requests: Sequence[Request],
    retriever: Retriever,
    settings: Sequence[Setting],
    *,
    words: Tokenizer,
    words_alone: bool = False,
    embedder: Embedder | None = None,
    guard: Guard | None = None,
    qrels: Qrels | None = None,
    progress: Advance | None = None,
) -> list[Line]:
    """Send the requests through each cache, beside the fresh answer to each.

    `words_alone` is whether the retriever sees the tokens of `words` and nothing else, as BM25 does.
    """
    fresh: dict[str, Hits] = {}
    for number, text in enumerate(dict.fromkeys(request.text for request in requests), 1):
        fresh[text] = retriever.search(text, TOP)
        if progress is not None:
            progress(number, len(requests))
    known = None if embedder is None else _Known(embedder)
    lines = []
    for setting in settings:
        likeness = None
        if setting.threshold is not None and known is not None:
            own = (guard or Guard(words)) if setting.guarded else None
            likeness = Likeness(known, own, threshold=setting.threshold)
        kept_by = words if setting.words else None
        cache = AnswerCache(Memory(), words=kept_by, words_alone=words_alone, likeness=likeness)
        served = [_served(cache, request, fresh[request.text]) for request in requests]
        lines.append(_line(setting, requests, served, fresh, qrels))
    return lines


def _served(cache: AnswerCache, request: Request, fresh: Hits) -> tuple[Hits, Outcome]:
    key = Key(request.text, TOP, 0, None, "study", "first", "")
    found, how = cache.found(key)
    if found is not None:
        return found.final.hits, how
    cache.put(key, Answer(request.text, fresh, merged(fresh, np.zeros(0))))
    return fresh, how


def _line(
    setting: Setting, requests: Sequence[Request], served: Sequence[tuple[Hits, Outcome]], fresh: Mapping[str, Hits],
    qrels: Qrels | None,
) -> Line:  # fmt: skip
    close = _closeness(requests, served, fresh)
    risky = np.array([how in ("words", "like") for _, how in served])
    hit = np.array([how != "miss" for _, how in served])
    kinds: dict[Outcome, int] = {}
    for _, how in served:
        if how != "miss":
            kinds[how] = kinds.get(how, 0) + 1
    return Line(
        setting, len(requests), kinds,
        float(close[risky].mean()) if risky.any() else None, int((close[risky] < FALSE).sum()),
        by_intent(1 - close, [one.intent for one in requests]), _judged(requests, served, fresh, qrels),
        _head(requests, hit),
    )  # fmt: skip


def _closeness(
    requests: Sequence[Request], served: Sequence[tuple[Hits, Outcome]], fresh: Mapping[str, Hits]
) -> FloatArray:
    """How close each served list is to the fresh one, 1 where they are the same; float64[n]."""
    found = np.ones(len(requests))
    differ = {
        row: (hits, fresh[request.text])
        for row, (request, (hits, _)) in enumerate(zip(requests, served, strict=True))
        if hits.docs != fresh[request.text].docs
    }
    rows = [row for row, (_, wanted) in differ.items() if len(wanted)]
    found[[row for row in differ if row not in rows]] = 0.0
    if rows:
        ideal, run = ({str(row): _placed(differ[row][side]) for row in rows} for side in (1, 0))
        found[rows] = _values(Qrels.from_dict(ideal), run, CLOSE)
    return found


def _judged(
    requests: Sequence[Request], served: Sequence[tuple[Hits, Outcome]], fresh: Mapping[str, Hits], qrels: Qrels | None
) -> Interval | None:
    """Judged nDCG of what was served minus that of the fresh answer."""
    if qrels is None:
        return None
    judgments = qrels.to_dict()
    rows = [row for row, request in enumerate(requests) if request.keeps and request.intent in judgments]
    if not rows:
        return None
    graded = Qrels.from_dict({str(row): judgments[requests[row].intent] for row in rows})
    old = _values(graded, {str(row): _placed(served[row][0]) for row in rows}, JUDGED)
    new = _values(graded, {str(row): _placed(fresh[requests[row].text]) for row in rows}, JUDGED)
    return by_intent(old - new, [requests[row].intent for row in rows])


def by_intent(values: FloatArray, intents: Sequence[str], confidence: float = 0.95) -> Interval:
    """Interval of the mean over requests, of which those of one intent stand and fall together.

    The mean is a ratio of two sums over intents, that of the values and that of the requests; its variance is
    C/(C-1) Σ_c (Σ_{i∈c} (x_i - mean))² / n² with C intents, Student's t with C - 1 degrees of freedom.
    Source: Cochran (1977), Sampling Techniques, eq. 6.13, without the correction for finite populations.
    """
    names, numbers = np.unique(np.array(intents, dtype=object), return_inverse=True)
    count, mean = len(names), float(values.mean())
    if count < 2:
        return Interval(mean, None, None, confidence, CLUSTERED, count, "one query")
    off = np.bincount(numbers, weights=values - mean, minlength=count)
    error = np.sqrt(count / (count - 1) * float((off**2).sum())) / len(values)
    half = -float(special.stdtrit(count - 1, (1 - confidence) / 2)) * error
    return Interval(mean, mean - half, mean + half, confidence, CLUSTERED, count)


def _values(qrels: Qrels, run: Mapping[str, Mapping[str, float]], measure: str) -> FloatArray:
    """Values of the qrels' queries, in their order; one without hits has 0."""
    filled = {query: docs for query, docs in run.items() if docs}
    if not filled:
        return np.zeros(len(qrels.queries))
    scores = evaluate(qrels, Run.from_dict(filled), measure)
    values = dict(zip(scores.queries, scores.values[0, 0].tolist(), strict=True))
    return np.array([values.get(query, 0.0) for query in qrels.queries], dtype=np.float64)


def _placed(hits: Hits) -> dict[str, float]:
    return {doc: float(TOP - place) for place, doc in enumerate(hits.docs)}


def _head(requests: Sequence[Request], hit: FloatArray) -> float | None:
    """Share of the hits that the most asked tenth of the intents got."""
    if not hit.any():
        return None
    names, numbers, asked = np.unique([one.intent for one in requests], return_inverse=True, return_counts=True)
    most = np.argsort(-asked, kind="stable")[: max(1, round(HEAD * len(names)))]
    return float(np.isin(numbers[hit], most).mean())


class _Known:
    """An embedder that remembers what it has embedded."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder, self._known = embedder, dict[str, Vectors]()
        self.name, self.dimension = embedder.name, embedder.dimension

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Embed what is new."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= dict(zip(new, self.embedder.embed(new, kind=kind), strict=True))
        return np.stack([self._known[text] for text in texts])
