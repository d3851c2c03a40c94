"""Answers of tracks and benchmarks: TREC RAG (sentences with citations) and RAGTruth (answers of several models)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._answer_cells import Seen, contexts_of, id_in, opened_json, text_of
from rankgauge.formats._answer_rows import Row, collected, rows_of
from rankgauge.formats._bytes import load
from rankgauge.formats.nested import id_of
from rankgauge.records.answers import Answer, Context, Sentence
from rankgauge.records.notes import examples

SOURCES = "source_info.jsonl"
PASSAGE = re.compile(r"^passage \d+:", re.MULTILINE | re.IGNORECASE)


def trec_fits(names: frozenset[str]) -> bool:
    """Whether fields are those of a TREC RAG run."""
    return "references" in names and bool(names & {"answer", "responses"}) and bool(names & {"topic_id", "metadata"})


def read_trec_rag(row: Row, seen: Seen) -> Answer:
    """Read an answer of TREC RAG: citations are places in the references, from 0, or their ids."""
    about = row.fields.get("metadata")
    inner = Row(row.where, about if isinstance(about, Mapping) else row.fields)
    query_id = id_in(inner, "topic_id") or id_in(inner, "narrative_id")
    if query_id is None:
        raise row.fault("a topic_id or a narrative_id", "none")
    contexts, known = _references(row)
    parts = row.fields.get("answer", row.fields.get("responses"))
    if not isinstance(parts, list):
        raise row.fault("a list of sentences as answer", repr(parts)[:80])
    sentences = tuple(_sentence(row, part, place, known) for place, part in enumerate(parts))
    questions = (text_of(inner, name, seen) for name in ("topic", "narrative", "question"))
    question = next((said for said in questions if said is not None), "")
    told = {name: value for name, value in inner.fields.items() if name in ("run_id", "team_id", "type")}
    text = " ".join(sentence.text.strip() for sentence in sentences)
    return Answer(query_id, question, text, contexts, sentences=sentences, given=told)


def _references(row: Row) -> tuple[tuple[Context, ...], list[str | None]]:
    items = row.fields["references"]
    if not isinstance(items, list):
        raise row.fault("a list of references", repr(items)[:80])
    plain = [{"doc_id": id_of(item)} if not isinstance(item, Mapping) else item for item in items]
    contexts = contexts_of(row, plain, "references", ranked=False)
    ids = [context.doc_id for context in contexts]
    twice = [one for one in ids if one is not None and ids.count(one) > 1]
    if twice:
        raise row.fault("each reference once", f"{twice[0]!r} twice", "join the citations of both")
    return contexts, ids


def _sentence(row: Row, part: Any, place: int, known: list[str | None]) -> Sentence:
    if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
        raise row.fault(f"an object with a text in answer[{place}]", repr(part)[:80])
    cited = part.get("citations") or []
    cited = list(cited) if isinstance(cited, (list, Mapping)) else [cited]
    return Sentence(part["text"], tuple(_slot(row, one, place, known) for one in cited))


def _slot(row: Row, cited: Any, place: int, known: list[str | None]) -> int:
    """Slot, from 1, of a citation: the place of a reference from 0, or its id."""
    if isinstance(cited, str) and cited in known:
        return known.index(cited) + 1
    if isinstance(cited, int) and not isinstance(cited, bool) and 0 <= cited < len(known):
        return cited + 1
    expected = f"citations of places 0 to {len(known) - 1}, or ids of references, in answer[{place}]"
    raise row.fault(expected, repr(cited)[:80], "mend the citation or add the reference")


def ragtruth_fits(names: frozenset[str]) -> bool:
    """Whether fields are those of RAGTruth's responses."""
    return names.issuperset(("source_id", "response", "labels")) or names.issuperset(
        ("query", "context", "output", "task_type")
    )


def read_ragtruth(rows: Sequence[Row], seen: Seen, path: Path, system: str | None) -> list[Answer]:
    """Read the responses of one model of RAGTruth; the sources lie in a file beside (or in the rows themselves)."""
    models = sorted({str(row.fields.get("model")) for row in rows})
    if system is not None and system not in models:
        raise InputError(Fault("system", f"one of {', '.join(models)}", repr(system)))
    if system is None and len(models) > 1:
        advice = f"name one: system={models[0]!r}"
        raise InputError(Fault(str(path), "the answers of one system", f"those of {examples(models)}", advice))
    sources = {} if "query" in rows[0].fields else _sources(path)
    chosen = [row for row in rows if str(row.fields.get("model")) == (system or models[0])]
    return collected(chosen, lambda _, row: _ragtruth(row, sources, seen))


def _ragtruth(row: Row, sources: Mapping[str, Row], seen: Seen) -> Answer:
    joined = "query" in row.fields
    query_id = id_in(row, "id" if joined else "source_id")
    source = row if joined else sources.get(query_id or "")
    if query_id is None or source is None:
        raise row.fault(f"a source_id that stands in {SOURCES}", repr(query_id))
    question, passages = (
        (text_of(row, "query", seen) or "", text_of(row, "context", seen) or "") if joined else _asked(source)
    )
    labels = opened_json(row.fields.get("hallucination_labels" if joined else "labels"))
    given = {
        "task_type": source.fields.get("task_type"),
        "model": row.fields.get("model"),
        "quality": row.fields.get("quality"),
        "hallucinations": labels if isinstance(labels, list) else None,
    }
    seen.counts["broken labels"] += not isinstance(labels, list)
    texts = tuple(Context(text) for text in _parted(passages))
    return Answer(query_id, question, text_of(row, "output" if joined else "response", seen), texts, given=given)


def _sources(path: Path) -> dict[str, Row]:
    beside = next(iter(sorted(path.parent.glob(f"{SOURCES}*"))), None)
    if beside is None:
        raise FormatError(Fault(str(path.parent / SOURCES), "the sources of RAGTruth beside the responses", "no file"))
    return {id_: row for row in rows_of(load(beside)) if (id_ := id_in(row, "source_id")) is not None}


def _asked(source: Row) -> tuple[str, str]:
    """Question and passages of a source; a summary and a data-to-text task have no question but the prompt."""
    info = source.fields.get("source_info")
    if isinstance(info, Mapping) and isinstance(info.get("question"), str):
        return info["question"], str(info.get("passages", ""))
    return str(source.fields.get("prompt", "")), info if isinstance(info, str) else repr(info)


def _parted(text: str) -> list[str]:
    """Passages of a text whose parts begin with "passage 1:"; the whole text where they do not."""
    parts = [part.strip() for part in PASSAGE.split(text)]
    return [part for part in parts if part]
