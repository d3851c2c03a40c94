"""Near duplicates among many texts: pairs whose sets of words or letter triples overlap nearly in full."""

from __future__ import annotations

import polars as pl

LETTER = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
"""A letter of a script that is written without blanks between words."""
WORD = LETTER + r"|[\p{L}\p{N}\p{M}]+"
NGRAM = 3
ROUNDING = 1e-9


def folded(texts: pl.DataFrame) -> pl.DataFrame:
    """Bring texts (id, text) to small letters, one Unicode form, and words one blank apart: id, folded, tokens."""
    normal = texts["text"].str.normalize("NFKC").str.to_lowercase()
    table = pl.DataFrame({"id": texts["id"], "tokens": normal.str.extract_all(WORD)})
    return table.with_columns(folded=pl.col("tokens").list.join(" "))


def same_text(table: pl.DataFrame) -> pl.DataFrame:
    """Pairs of texts that are equal when folded, each with the first of its kind: a, b, similarity."""
    groups = table.filter(pl.col("folded") != "").sort("id").group_by("folded", maintain_order=True)
    pairs = groups.agg(pl.col("id").first().alias("a"), pl.col("id").slice(1).alias("b"))
    pairs = pairs.filter(pl.col("b").list.len() > 0).explode("b")
    return pairs.select("a", "b", similarity=pl.lit(1.0))


def words(table: pl.DataFrame) -> pl.DataFrame:
    """One row per distinct word of a text, or pair of neighbouring letters where no blanks stand between words."""
    tokens = table.select("id", item=pl.col("tokens")).explode("item").drop_nulls()
    following = pl.col("item").shift(-1).over("id")
    pair = pl.concat_str("item", following, ignore_nulls=True)
    return tokens.with_columns(item=pl.when(pl.col("item").str.contains(LETTER)).then(pair).otherwise("item")).unique()


def trigrams(table: pl.DataFrame) -> pl.DataFrame:
    """One row per distinct letter triple of a text, blanks included: id, item."""
    text = table.select("id", folded=pl.col("folded")).filter(pl.col("folded").str.len_chars() >= NGRAM)
    text = text.with_columns(at=pl.int_ranges(0, pl.col("folded").str.len_chars() - NGRAM + 1)).explode("at")
    return text.select("id", item=pl.col("folded").str.slice(pl.col("at"), NGRAM)).unique()


def near_pairs(sets: pl.DataFrame, limit: float) -> pl.DataFrame:
    """Pairs of sets (rows id, item) whose Jaccard similarity reaches the limit: a, b, similarity.

    Two such sets share an item among the rarest |x| - ⌈limit·|x|⌉ + 1 of each (prefix filter: Chaudhuri, Ganti &
    Kaushik 2006), and the smaller has at least limit times the size of the larger; only those pairs are compared.
    """
    if not len(sets):
        return pl.DataFrame(schema={"a": pl.String, "b": pl.String, "similarity": pl.Float64})
    sized = sets.with_columns(size=pl.len().over("id"), found=pl.len().over("item"))
    sized = sized.sort("id", "found", "item").with_columns(place=pl.int_range(pl.len()).over("id"))
    kept = pl.col("size") - (limit * pl.col("size") - ROUNDING).ceil() + 1
    prefix = sized.filter((pl.col("place") < kept) & (pl.col("found") > 1)).select("id", "item", "size")
    pairs = prefix.join(prefix, on="item", suffix="_b").filter(
        (pl.col("id") < pl.col("id_b"))
        & (pl.min_horizontal("size", "size_b") >= limit * pl.max_horizontal("size", "size_b") - ROUNDING)
    )
    pairs = pairs.select("id", "id_b", "size", "size_b").unique()
    common = pairs.join(sets, on="id").join(sets, left_on=["id_b", "item"], right_on=["id", "item"], how="semi")
    common = common.group_by("id", "id_b", "size", "size_b").agg(common=pl.len())
    jaccard = pl.col("common") / (pl.col("size") + pl.col("size_b") - pl.col("common"))
    near = common.with_columns(similarity=jaccard).filter(pl.col("similarity") >= limit - ROUNDING)
    return near.select(a="id", b="id_b", similarity="similarity").sort("a", "b")
