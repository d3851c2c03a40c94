"""One page, made here and complete without a script: a query, and both stages' lists side by side."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from typing import Any

from rankgauge.errors import Fault
from rankgauge.report.page.markup import Child, Markup, tag, together
from rankgauge.report.page.shell import packaged
from rankgauge.retrieval.protocols import Document
from rankgauge.service.asking import Bounds, Refused, of_address
from rankgauge.service.gateway import Found, Gateway
from rankgauge.service.golden import MEASURE, Golden
from rankgauge.service.replies import first_ranks

STYLE = packaged("page.css") + (resources.files("rankgauge.service") / "gateway.css").read_text("utf-8")
POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
NAMES = ("query", "k", "depth", "query_id")
OFFERED = 100
"""Known queries that the form offers."""
SNIPPET = 180
REASONS = {
    "over_limit": "more candidates, or a longer query, than one request may bring",
    "breaker_open": "the second stage failed too often, and is left alone for a while",
    "queue_full": "too many requests waited for the second stage",
    "hanging": "every worker of the second stage is in a call that does not come back",
    "worker_lost": "the process of the second stage died, and is being started",
    "timeout": "the time was over before the second stage was done",
    "budget": "the rest would not have been done in time",
    "error": "the second stage failed",
    "out_of_memory": "the second stage ran out of memory",
    "not_scores": "the second stage gave no scores",
    "closed": "the gateway is being shut down",
}


@dataclass(frozen=True)
class Written:
    """The page, and its HTTP status."""

    status: int
    text: str


async def page(gateway: Gateway, bounds: Bounds, pairs: Iterable[tuple[str, str]], facts: Mapping[str, Any]) -> Written:
    """Answer what the form asks; nothing yet where it asks nothing."""
    given = [(name, value) for name, value in pairs if value.strip() or name == "query"]
    values, golden = dict(given), gateway.parts.golden
    status, body = 200, Markup("")
    if values.get("query", "").strip():
        try:
            if unknown := [name for name, _ in given if name not in NAMES]:
                raise Refused(422, Fault("address", f"the names {', '.join(NAMES)}", repr(unknown[0][:60])))
            asked = of_address(given, bounds)
            if asked.query in golden.queries and asked.query_id is None:
                asked = replace(asked, query=golden.queries[asked.query], query_id=asked.query)
            found = await gateway.search(asked, facts["begun"], facts["request_id"])
            body = await gateway.beside(lambda: _View(found, golden).body())
        except Refused as refused:
            status, body = refused.status, tag("p", str(refused), class_="refusal", role="alert")
    return Written(status, _document(_form(gateway, values), body, values.get("query", "")))


def _document(form: Markup, body: Markup, query: str) -> str:
    title = f"{query.strip()[:80]} · rankgauge" if query.strip() else "rankgauge"
    head = tag(
        "head", tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"), tag("title", title), tag("style", Markup(STYLE)),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', form, tag('main', body)), lang='en')}\n"


def _form(gateway: Gateway, values: Mapping[str, str]) -> Markup:
    serving, golden = gateway.parts.holder.current, gateway.parts.golden
    known = [tag("option", value=text) for text in list(golden.queries.values())[:OFFERED]]
    depth = serving.pipeline.depth if serving.pipeline.stage else None
    numbers = [("k", "Hits", "10", 1), ("depth", "Reranked", "" if depth is None else str(depth), 0)]
    fields = [
        tag("label", said, tag("input", type="number", name=name, min=least, value=values.get(name, usual)))
        for name, said, usual, least in numbers if name == "k" or depth is not None
    ]  # fmt: skip
    search = tag("input", type="search", name="query", value=values.get("query", ""), list="known" if known else None,
                 aria_label="Query", placeholder="Search", autocomplete="off", required=True)  # fmt: skip
    facts = f"{len(serving.index):,} documents, generation {serving.index.generation}"
    return tag(
        "header", tag("p", "rankgauge", class_="kicker"),
        tag("form", search, *fields, tag("button", "Search", type="submit"), method="get", action="/", role="search"),
        tag("datalist", *known, id="known") if known else None, tag("p", facts, class_="facts"), class_="gateway",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _View:
    """An answer, to be looked at."""

    found: Found
    golden: Golden

    @cached_property
    def first(self) -> tuple[str, ...]:
        return self.found.answer.first.docs[: self.found.asked.k]

    @cached_property
    def final(self) -> tuple[str, ...]:
        return self.found.answer.final.hits.docs[: self.found.asked.k]

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        ids = list(dict.fromkeys([*self.first, *self.final]))
        return {document.id: document for document in self.found.serving.index.documents.get(ids)}

    @cached_property
    def grades(self) -> Mapping[str, float] | None:
        return self.golden.grades(self.found.query_id)

    def body(self) -> Markup:
        if not self.first:
            return together(tag("p", "No document matches.", class_="nothing"), self._rest())
        lists = [self._final()] if self.found.serving.pipeline.stage is None else [self._final(), self._first()]
        return together(self._badge(), self._brief(), tag("div", *lists, class_="stages"), self._rest())

    def _badge(self) -> Markup | None:
        final = self.found.answer.final
        if not final.degraded:
            return None
        asked = min(self.found.depth, len(self.found.answer.first))
        what = f"{final.scored} of {asked} candidates reranked" if final.scored else "not reranked"
        return tag("p", tag("strong", "Degraded"), f" {what}: {REASONS.get(final.reason, final.reason)}.",
                   class_="degraded", role="status")  # fmt: skip

    def _brief(self) -> Markup:
        """What is looked at first."""
        final, stage = self.found.answer.final, self.found.serving.pipeline.stage
        scored = [] if stage is None else [("scored", f"{final.scored} ({final.status})")]
        return _facts([*self._value(), *scored, ("total", _ms(self.found.seconds["total"]))])

    def _rest(self) -> Markup:
        found, pipeline = self.found, self.found.serving.pipeline
        told = [("query id", found.query_id), ("first stage", pipeline.retriever.name)]
        if found.cache in ("off", "miss"):  # a cache keeps no more of a list than it needs
            told.append(("found", f"{len(found.answer.first):,}"))
        if pipeline.stage is not None:
            told.append(("second stage", pipeline.stage.name))
        told += [("cache", found.cache)] if found.cache != "off" else []
        times = [(name, _ms(taken)) for name, taken in found.seconds.items() if name != "total"]
        return _facts([*times, *told])

    def _value(self) -> list[tuple[str, str]]:
        """What the lists are worth, where people have judged the query."""
        if self.grades is None:
            return []
        answer = self.found.answer
        ends = [
            self.golden.value(self.found.query_id, docs[:100]) for docs in (answer.first.docs, answer.final.hits.docs)
        ]
        said = " → ".join("undefined" if end is None else f"{end:.4f}" for end in ends)
        seen = sum(doc in self.grades for doc in self.final)
        return [(MEASURE, said), ("judged", f"{seen} of {len(self.final)}")]

    def _final(self) -> Markup:
        final, rows = self.found.answer.final, []
        before = first_ranks(self.found.answer.first.docs, final, len(self.final))
        for rank, (doc, was, score) in enumerate(zip(self.final, before, final.second.tolist(), strict=False), 1):
            said = None if math.isnan(score) else f"{score:.4f}"
            rows.append(self._hit(rank, doc, _moved(was - rank, f"was {was}"), said))
        named = "Answer" if self.found.serving.pipeline.stage is None else "After the second stage"
        if self.found.serving.pipeline.stage is None:
            scores = self.found.answer.first.scores.tolist()
            rows = [self._hit(rank, doc, None, f"{scores[rank - 1]:.4f}") for rank, doc in enumerate(self.final, 1)]
        return _stage("final", named, rows)

    def _first(self) -> Markup:
        after = {doc: rank for rank, doc in enumerate(self.found.answer.final.hits.docs, 1)}
        scores, rows = self.found.answer.first.scores.tolist(), []
        for rank, doc in enumerate(self.first, 1):
            moved = _moved(rank - after[doc], f"now {after[doc]}")
            rows.append(self._hit(rank, doc, moved, f"{scores[rank - 1]:.4f}"))
        return _stage("first", "First stage", rows)

    def _hit(self, rank: int, doc: str, moved: Markup | None, score: str | None) -> Markup:
        document = self.documents[doc]
        text = " ".join(document.text.split())
        short = text if len(text) <= SNIPPET else f"{text[: SNIPPET - 1]}…"
        heading = tag("h3", tag("bdi", document.title or document.id))
        line: list[Child] = [tag("bdi", doc, class_="id"), tag("span", score or "not scored", class_="score"), moved]
        return tag(
            "li", tag("span", rank, class_="rank"),
            tag("div", heading, tag("p", *line, self._grade(doc), class_="line"), tag("p", tag("bdi", short))),
            data_doc=doc,
        )  # fmt: skip

    def _grade(self, doc: str) -> Markup | None:
        if self.grades is None:
            return None
        grade = self.grades.get(doc)
        said = "unjudged" if grade is None else f"grade {grade:g}"
        return tag("span", said, class_="grade", data_grade=None if grade is None else f"{grade:g}")


def _facts(facts: Sequence[tuple[str, str]]) -> Markup:
    cells = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts]
    return tag("dl", *cells, class_="figures facts-of")


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def _stage(kind: str, title: str, rows: Sequence[Markup]) -> Markup:
    return tag("section", tag("h2", title, id=f"{kind}-title"), tag("ol", *rows), class_=f"stage {kind}",
               aria_labelledby=f"{kind}-title")  # fmt: skip


def _moved(places: int, said: str) -> Markup:
    """How far a document moved between the stages: up, down or not."""
    if not places:
        return tag("span", "=", class_="moved", title="in the same place")
    way = "up" if places > 0 else "down"
    return tag("span", f"{'▲' if places > 0 else '▼'} {abs(places)}, {said}", class_=f"moved {way}")
