"""`rankgauge index`: documents into a folder that can be searched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankgauge.cli import talk

Corpus = Annotated[
    Path | None,
    typer.Argument(help="Documents: JSONL with _id, title, text; lines of id, tab, text; or a BEIR folder."),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="The index: a folder.")]
Words = Annotated[bool, typer.Option("--bm25", help="Index words; the default, if --vectors is not said either.")]
Vectors = Annotated[bool, typer.Option("--vectors", help="Index vectors of the texts, made by --model.")]
Model = Annotated[str | None, typer.Option(help="Embedding model: an ONNX folder, package:NAME, or a hub name.")]
Language = Annotated[str, typer.Option(help="How texts become words: en, vi, zh, ..., multi for mixed languages.")]
Variant = Annotated[str | None, typer.Option(help="BM25 formula: lucene, robertson, atire, bm25l, bm25+, tantivy.")]
K1 = Annotated[float | None, typer.Option("--k1", help="BM25: how soon a word's repetition stops counting.")]
B = Annotated[float | None, typer.Option("-b", "--b", help="BM25: how much a document's length counts.")]
Engine = Annotated[str | None, typer.Option(help="tantivy: fast, fixed formula; exact: any formula, exact lengths.")]
Precision = Annotated[str, typer.Option(help="How vectors are kept: f32, f16, i8.")]
Add = Annotated[bool, typer.Option("--add", help="Add to the index that is there; known ids are replaced.")]
Delete = Annotated[Path | None, typer.Option(help="A file of ids, one a line, to delete from the index that is there.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the index that is there, once the new is whole.")]
Check = Annotated[bool, typer.Option("--check", help="Look whether the index is sound, and how exact its vectors are.")]


def index(
    corpus: Corpus = None,
    output: Output = Path("idx"),
    bm25: Words = False,
    vectors: Vectors = False,
    model: Model = None,
    language: Language = "multi",
    variant: Variant = None,
    k1: K1 = None,
    b: B = None,
    engine: Engine = None,
    precision: Precision = "f32",
    add: Add = False,
    delete: Delete = None,
    overwrite: Overwrite = False,
    check: Check = False,
) -> None:
    """Index documents by their words, by vectors of their texts, or both; or change such an index, or check it.

    Example: rankgauge index corpus.jsonl -o idx --language en
    """
    changes = add or delete is not None
    if corpus is None and not check and delete is None:
        raise typer.BadParameter("expected documents to index, got none", param_hint="corpus")
    if add and corpus is None:
        raise typer.BadParameter("expected documents to add, got none", param_hint="corpus")
    if corpus is not None and delete is not None and not add:
        raise typer.BadParameter("documents are given too: say --add to add them", param_hint="--delete")
    if changes:
        _refuse("an index keeps what it was built with", bm25=bm25, vectors=vectors, model=model, variant=variant,
                k1=k1, b=b, engine=engine, overwrite=overwrite)  # fmt: skip
        _change(output, corpus, delete)
    elif corpus is not None:
        scoring = {"variant": variant, "k1": k1, "b": b}
        lexical = _lexical(bm25, vectors, language, engine, scoring)
        _build(output, corpus, lexical, _dense(vectors, model, precision), overwrite)
    if check:
        _check(output)


def _refuse(why: str, **given: object) -> None:
    for name, value in given.items():
        if value:
            raise typer.BadParameter(why, param_hint=f"--{name}")


def _lexical(bm25: bool, vectors: bool, language: str, engine: str | None, scoring: dict[str, Any]) -> Any:
    given = {name: value for name, value in scoring.items() if value is not None}
    if vectors and not bm25:
        _refuse("it is for words: say --bm25 as well", engine=engine, **given)
        return None
    chosen = {**({"variant": "lucene"} if given or engine == "exact" else {}), **given}
    formulas, made = talk.late("rankgauge.retrieval.formulas"), talk.late("rankgauge.retrieval.assembly")
    return made.Lexical(language, engine, formulas.Scoring(**chosen) if chosen else None)


def _dense(vectors: bool, model: str | None, precision: str) -> Any:
    if not vectors:
        _refuse("it is for vectors: say --vectors as well", model=model)
        return None
    if model is None:
        raise typer.BadParameter("expected the model that makes the vectors, got none", param_hint="--model")
    return talk.late("rankgauge.retrieval.assembly").Dense(model, precision=precision)


def _build(output: Path, corpus: Path, lexical: Any, dense: Any, overwrite: bool) -> None:
    index = talk.late("rankgauge.retrieval.index").Index
    documents = talk.late("rankgauge.retrieval.documents").read_documents(corpus)
    with talk.working("indexing") as step:
        made = index.build(output, documents, lexical=lexical, dense=dense, overwrite=overwrite, progress=_told(step))
    talk.remark(made.notes)
    talk.stderr().print(f"{_said(made)} -> {output}")


def _change(output: Path, corpus: Path | None, delete: Path | None) -> None:
    opened = talk.late("rankgauge.retrieval.index").Index.open(output)
    documents = [] if corpus is None else talk.late("rankgauge.retrieval.documents").read_documents(corpus)
    ids = [] if delete is None else [line for line in delete.read_text("utf-8").splitlines() if line]
    with talk.working("changing") as step:
        made = opened.changed(documents, deleted=ids, progress=_told(step))
    talk.stderr().print(f"{_said(made)} -> {output}")


def _told(step: Any) -> Any:
    return lambda what, done, total: step(f"{what} {done:,}" + (f" of {total:,}" if total else ""))


def _said(made: Any) -> str:
    """An index in a line."""
    manifest = made.manifest
    parts = [f"{len(made):,} documents, generation {made.generation}"]
    if words := manifest.lexical:
        how = f"{words['variant']}, k1 {words['k1']:g}, b {words['b']:g}"
        parts.append(f"words by {words['tokenizer']['name']} ({words['engine']}: {how})")
    if manifest.model:
        parts.append(f"vectors by {manifest.model.name} ({manifest.precision})")
    return "; ".join(parts)


def _check(output: Path) -> None:
    opened = talk.late("rankgauge.retrieval.index").Index.open(output)
    findings = talk.late("rankgauge.retrieval.checking").check(opened)
    for finding in findings:
        typer.echo(str(finding))
    if not all(finding.sound for finding in findings):
        raise typer.Exit(1)
