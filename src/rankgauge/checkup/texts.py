"""Checks of the texts: missing, repeated and nearly repeated queries and documents."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from rankgauge.checkup.evidence import Evidence
from rankgauge.checkup.nearness import folded, near_pairs, same_text, trigrams, words
from rankgauge.checkup.registry import Found, check, weigh
from rankgauge.checkup.wording import many, queries
from rankgauge.records.notes import examples

MUCH_MISSING = 0.5


@check(do="complete the file, or check that it belongs to these judgments", finds=("error", "warning"),
       needs=("queries",))  # fmt: skip
def queries_without_text(e: Evidence) -> Iterator[Found]:
    """Judged queries that the file of queries lacks, or has without a text."""
    assert e.queries is not None
    lacking = _without_text(e.flat.queries, e.queries)
    severity = weigh(len(lacking) / e.Q, warning=0.0, error=MUCH_MISSING)
    says = f"{queries(len(lacking))} of {e.Q:,} have no text"
    yield Found(severity, len(lacking), e.Q, says, examples(lacking) if lacking else "")


@check(do="complete the file, or check that it belongs to these judgments", finds=("error", "warning"),
       needs=("texts",))  # fmt: skip
def documents_without_text(e: Evidence) -> Iterator[Found]:
    """Judged documents that the corpus lacks, or has without a text."""
    assert e.texts is not None
    lacking, of = _without_text(e.judged_ids.sort(), e.texts), len(e.judged_ids)
    severity = weigh(len(lacking) / of, warning=0.0, error=MUCH_MISSING)
    says = f"{many(len(lacking), 'judged document')} of {of:,} not in the corpus, or empty there"
    yield Found(severity, len(lacking), of, says, examples(lacking) if lacking else "")


def _without_text(ids: pl.Series, texts: pl.DataFrame) -> list[str]:
    known = texts.filter(pl.col("text").str.strip_chars().str.len_bytes() > 0)["id"]
    return ids.filter(~ids.is_in(known.implode())).to_list()


@check(do="keep one of each, or count them as one: their results are not independent", finds=("warning",),
       needs=("queries",))  # fmt: skip
def near_duplicate_queries(e: Evidence) -> Iterator[Found]:
    """Queries that ask nearly the same: equal but for case and punctuation, or in nearly the same words or letters."""
    pairs = _query_pairs(e)
    equal = int((pairs["similarity"] >= 1.0).sum())
    involved = pl.concat([pairs["a"], pairs["b"]]).n_unique()
    says = f"{queries(involved)} of {e.Q:,} have a near duplicate: {many(len(pairs), 'pair')}, {equal:,} in equal words"
    yield Found("warning" if len(pairs) else "ok", involved, e.Q, says, _quoted(pairs))


def _query_pairs(e: Evidence) -> pl.DataFrame:
    assert e.queries is not None
    judged = e.queries.filter(pl.col("id").is_in(e.flat.queries.implode()))
    table = folded(judged)
    limit = e.limits.near_duplicate
    found = [same_text(table), near_pairs(words(table), limit), near_pairs(trigrams(table), limit)]
    pairs = pl.concat(found).group_by("a", "b").agg(pl.col("similarity").max())
    text = judged.select("id", "text")
    pairs = pairs.join(text, left_on="a", right_on="id").join(text, left_on="b", right_on="id", suffix="_b")
    return pairs.sort("similarity", "a", "b", descending=[True, False, False])


def _quoted(pairs: pl.DataFrame) -> str:
    if not len(pairs):
        return ""
    row = pairs.row(0, named=True)
    return f"{row['a']!r} {_short(row['text'])} and {row['b']!r} {_short(row['text_b'])}"


def _short(text: str, most: int = 60) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= most else flat[: most - 3] + "...")


@check(do="decide what is relevant to the question they share", finds=("warning",), needs=("queries",))
def near_duplicate_queries_disagree(e: Evidence) -> Iterator[Found]:
    """Near-duplicate queries for which the same document has different grades, or that share no relevant document."""
    pairs = _query_pairs(e).select("a", "b")
    grades = e.pairs.with_columns(relevant=pl.col("grade") >= e.limits.level)
    left = pairs.join(grades, left_on="a", right_on="query")
    both = left.join(grades, left_on=["b", "doc"], right_on=["query", "doc"], suffix="_b")
    agreement = both.group_by("a", "b").agg(
        different=(pl.col("grade") != pl.col("grade_b")).any(),
        shared=(pl.col("relevant") & pl.col("relevant_b")).any(),
    )
    told = pairs.join(agreement, on=["a", "b"], how="left").with_columns(
        pl.col("different").fill_null(False), pl.col("shared").fill_null(False)
    )
    bad = told.filter(pl.col("different") | ~pl.col("shared")).sort("a", "b")
    apart = int((~bad["shared"]).sum())
    says = (
        f"{many(len(bad), 'pair')} of {len(pairs):,} judged differently, {apart:,} without a common relevant document"
    )
    example = f"queries {bad['a'][0]!r} and {bad['b'][0]!r}" if len(bad) else ""
    yield Found("warning" if len(bad) else "ok", len(bad), len(pairs), says, example)


@check(do="keep one of each, or give all copies the same grade: a system is punished for finding the other copy",
       finds=("warning", "info"), needs=("texts",))  # fmt: skip
def copies_of_documents(e: Evidence) -> Iterator[Found]:
    """Relevant documents with a copy in the corpus that was not judged for the same query."""
    assert e.texts is not None
    table = folded(e.texts).filter(pl.col("folded") != "")
    table = table.with_columns(copies=pl.len().over("folded")).filter(pl.col("copies") > 1)
    relevant = e.pairs.filter(pl.col("grade") >= e.limits.level)
    copies = relevant.join(table, left_on="doc", right_on="id").select("query", "doc", "folded")
    copies = copies.join(table.select(pl.col("id").alias("other"), "folded"), on="folded")
    copies = copies.filter(pl.col("doc") != pl.col("other"))
    unjudged = copies.join(e.pairs, left_on=["query", "other"], right_on=["query", "doc"], how="anti")
    found = unjudged.unique(["query", "doc"]).sort("query", "doc", "other")
    severity = weigh(len(found) / len(relevant) if len(relevant) else 0.0, info=0.0, warning=0.01)
    says = f"{many(len(found), 'relevant document')} of {len(relevant):,} with an unjudged copy; "
    says += f"{many(len(table), 'document')} of {len(e.texts):,} have a copy"
    example = ""
    if len(found):
        row = found.row(0, named=True)
        example = f"query {row['query']!r}: {row['doc']!r} is relevant, its copy {row['other']!r} was not judged"
    yield Found(severity, len(found), len(relevant), says, example)


@check(do="decide which grade the text deserves; assessors who disagree with themselves need clearer guidelines",
       finds=("warning",), needs=("texts",))  # fmt: skip
def texts_judged_differently(e: Evidence) -> Iterator[Found]:
    """The same text, or nearly the same, with different grades for one query."""
    assert e.texts is not None
    judged = folded(e.texts.filter(pl.col("id").is_in(e.judged_ids.implode()))).filter(pl.col("folded") != "")
    near = near_pairs(words(judged), e.limits.near_duplicate)
    pairs = pl.concat([same_text(judged), near]).group_by("a", "b").agg(pl.col("similarity").max())
    left = pairs.join(e.pairs, left_on="a", right_on="doc")
    both = left.join(e.pairs, left_on=["query", "b"], right_on=["query", "doc"], suffix="_b")
    bad = both.filter(pl.col("grade") != pl.col("grade_b")).sort(
        "similarity", "query", "a", descending=[True, False, False]
    )
    exact = int((bad["similarity"] >= 1.0).sum())
    says = f"{many(len(bad), 'pair')} of {len(both):,} with nearly the same text judged differently, {exact:,} equal"
    example = ""
    if len(bad):
        row = bad.row(0, named=True)
        example = f"query {row['query']!r}: {row['a']!r} has {row['grade']:g}, {row['b']!r} {row['grade_b']:g}"
    yield Found("warning" if len(bad) else "ok", len(bad), len(both), says, example)
