"""The measures as queries of other engines, by hand: what rankgauge is compared with at scale.

Each query reads rows (q, r, g): the query, the rank, the grade or null; and gives one row with the mean of each
measure, over the queries that have a judgment. Ranks are believed, and documents are not looked at.

Two ways to write them. `windows` numbers each query's rows by grade to find the ideal, whatever grades there are.
`sums` knows that grades are 0 to 3: then counts of the grades give the ideal, and nothing needs an order.
"""

from __future__ import annotations

from math import log2
from typing import Any

K, P, TOP = 10, 0.8, 3
ONE = ["nDCG@10"]
SIX = ["nDCG@10", "ERR@10", "RBP(p=0.8)", "RR@10", "P@10", "Judged@10"]
GRADES = range(1, TOP + 1)
NAMES = ["ndcg", "err", "rbp", "rr", "p", "judged"]


def windows_sql(measures: list[str]) -> str:
    """Windows over (q, r, g) of a table `log`, as DuckDB and Spark understand it."""
    if measures == ONE:
        return f"""
            with placed as (
                select *, row_number() over (partition by q order by g desc nulls last) as i from log
            ), scores as (
                select sum((power(2, g) - 1) / log2(r + 1)) filter (where r <= {K}) as dcg,
                       sum((power(2, g) - 1) / log2(i + 1)) filter (where i <= {K}) as ideal
                from placed group by q
            )
            select avg(coalesce(dcg, 0) / ideal) as ndcg from scores where ideal > 0"""
    return f"""
        with stops as (
            select *, coalesce((power(2, g) - 1) / {2**TOP}, 0) as stop from log
        ), placed as (
            select *, row_number() over (partition by q order by g desc nulls last) as i,
                   coalesce(exp(sum(ln(1 - stop)) over (
                       partition by q order by r rows between unbounded preceding and 1 preceding)), 1) as still
            from stops
        ), scores as (
            select sum((power(2, g) - 1) / log2(r + 1)) filter (where r <= {K}) as dcg,
                   sum((power(2, g) - 1) / log2(i + 1)) filter (where i <= {K}) as ideal,
                   sum(stop * still / r) filter (where r <= {K}) as err,
                   {1 - P} / {TOP} * sum(coalesce(g, 0) * power({P}, r - 1)) as rbp,
                   min(r) filter (where g >= 1 and r <= {K}) as first,
                   count(*) filter (where g >= 1 and r <= {K}) as found,
                   count(g) filter (where r <= {K}) as seen, max(r) as depth, count(g) as judged
            from placed group by q
        )
        select avg(case when ideal > 0 then coalesce(dcg, 0) / ideal end) as ndcg, avg(err) as err, avg(rbp) as rbp,
               avg(coalesce(1.0 / first, 0)) as rr, avg(found / {K}.0) as p, avg(seen / least({K}.0, depth)) as judged
        from scores where judged > 0"""


def sums_sql(measures: list[str]) -> str:
    """Sums over (q, r, g) of a table `log`, as DuckDB and Spark understand it."""
    counts = ", ".join(f"count(*) filter (where g >= {grade}) as n{grade}" for grade in GRADES)
    dcg = f"sum((power(2, g) - 1) / log2(r + 1)) filter (where g >= 1 and r <= {K}) as dcg"
    # A gain 2^g - 1 is 1 + 2 + 4 ..., a step for each grade that is reached.
    best = " + ".join(f"{2 ** (grade - 1)} * {_best(f'n{grade}')}" for grade in GRADES)
    if measures == ONE:
        return f"""
            with scores as (select {dcg}, {counts} from log where g >= 1 group by q)
            select avg(coalesce(dcg, 0) / ({best})) as ndcg from scores"""
    stops = ", ".join(f"max(g) filter (where r = {rank}) as g{rank}" for rank in range(1, K + 1))
    return f"""
        with scores as (
            select {dcg}, {counts}, {stops},
                   {1 - P} / {TOP} * sum(coalesce(g, 0) * power({P}, r - 1)) as rbp,
                   min(r) filter (where g >= 1 and r <= {K}) as first,
                   count(*) filter (where g >= 1 and r <= {K}) as found,
                   count(g) filter (where r <= {K}) as seen, max(r) as depth, count(g) as judged
            from log group by q
        )
        select avg(case when n1 > 0 then coalesce(dcg, 0) / ({best}) end) as ndcg, avg({_err()}) as err,
               avg(rbp) as rbp, avg(coalesce(1.0 / first, 0)) as rr, avg(found / {K}.0) as p,
               avg(seen / least({K}.0, depth)) as judged
        from scores where judged > 0"""


def wrong_sql() -> str:
    """The query that goes round, and is wrong: see docs/windows.md."""
    return f"""
        with placed as (
            select *, row_number() over (partition by q order by r) as place,
                   row_number() over (partition by q order by g desc) as i
            from log
        ), scores as (
            select sum((power(2, g) - 1) / log2(place + 1)) / nullif(sum((power(2, g) - 1) / log2(i + 1)), 0) as ndcg
            from placed where place <= {K} group by q
        )
        select avg(coalesce(ndcg, 0)) as ndcg from scores"""


def _best(count: str) -> str:
    """Sum of the discounts of so many first ranks, at most K of them, by a table of its values."""
    known = " ".join(f"when {n} then {sum(1 / log2(i + 1) for i in range(1, n + 1))!r}" for n in range(1, K))
    return f"(case {count} when 0 then 0.0 {known} else {sum(1 / log2(i + 1) for i in range(1, K + 1))!r} end)"


def _err() -> str:
    """ERR from the grades at the first ranks: from the last rank backwards, Horner's way."""
    told = "0.0"
    for rank in range(K, 0, -1):
        stop = f"coalesce((power(2, g{rank}) - 1) / {2**TOP}, 0)"
        told = f"({stop} / {rank} + (1 - {stop}) * {told})"
    return told


def sums_polars(log: Any, measures: list[str]) -> Any:
    """The same sums over a lazy frame (q, r, g), for the streaming engine."""
    import polars as pl

    q, r, g = pl.col("q"), pl.col("r"), pl.col("g")
    gain = pl.when(r <= K).then((2.0**g - 1) / (r + 1).log(2)).sum()
    counts = [(g >= grade).sum().alias(f"n{grade}") for grade in GRADES]
    best = pl.sum_horizontal(
        2 ** (grade - 1) * pl.col(f"n{grade}").clip(0, K).replace_strict(_discounted(), return_dtype=pl.Float64)
        for grade in GRADES
    )
    if measures == ONE:
        scores = log.filter(g >= 1).group_by(q).agg(gain.alias("dcg"), *counts)
        return scores.select(ndcg=(pl.col("dcg") / best).mean())
    found = (g >= 1) & (r <= K)
    scores = log.group_by(q).agg(
        gain.alias("dcg"),
        *counts,
        *(pl.when(r == rank).then(g).max().alias(f"g{rank}") for rank in range(1, K + 1)),
        rbp=(1 - P) / TOP * (g.cast(pl.Float64) * pl.lit(P) ** (r - 1)).sum(),
        first=pl.when(found).then(r).min(),
        found=found.sum(),
        seen=pl.when(r <= K).then(g).count(),
        depth=r.max(),
        judged=g.count(),
    )
    err = pl.lit(0.0)
    for rank in range(K, 0, -1):
        stop = ((2.0 ** pl.col(f"g{rank}") - 1) / 2**TOP).fill_null(0)
        err = stop / rank + (1 - stop) * err
    return scores.filter(pl.col("judged") > 0).select(
        ndcg=pl.when(pl.col("n1") > 0).then(pl.col("dcg") / best).mean(),
        err=err.mean(),
        rbp=pl.col("rbp").mean(),
        rr=(1 / pl.col("first")).fill_null(0).mean(),
        p=pl.col("found").mean() / K,
        judged=(pl.col("seen") / pl.col("depth").clip(upper_bound=K)).mean(),
    )


def grouped_polars(log: Any, measures: list[str]) -> Any:
    """Groups of a lazy frame (q, r, g), each put in order: whatever grades there are."""
    import polars as pl

    r, g = pl.col("r"), pl.col("g")
    gain = 2.0**g - 1
    best = gain.drop_nulls().top_k(K).sort(descending=True)
    ideal = (best / (pl.int_range(1, best.len() + 1) + 1).log(2)).sum()
    dcg = (gain / (r + 1).log(2)).filter(r <= K).sum()
    if measures == ONE:
        scores = log.filter(g > 0).group_by("q").agg(dcg.alias("dcg"), ideal.alias("ideal"))
        return scores.select(ndcg=(pl.col("dcg") / pl.col("ideal")).mean())
    within = r <= K
    stop = (gain / 2**TOP).fill_null(0).filter(within).sort_by(r.filter(within))
    at = r.filter(within).sort()
    scores = log.group_by("q").agg(
        dcg.alias("dcg"),
        ideal.alias("ideal"),
        err=(stop * (1 - stop).cum_prod().shift(1, fill_value=1.0) / at).sum(),
        rbp=(1 - P) / TOP * (g.cast(pl.Float64) * pl.lit(P) ** (r - 1)).sum(),
        first=r.filter(within & (g >= 1)).min(),
        found=(within & (g >= 1)).sum(),
        seen=g.filter(within).count(),
        depth=r.max(),
        judged=g.count(),
    )
    return scores.filter(pl.col("judged") > 0).select(
        ndcg=pl.when(pl.col("ideal") > 0).then(pl.col("dcg") / pl.col("ideal")).mean(),
        err=pl.col("err").mean(),
        rbp=pl.col("rbp").mean(),
        rr=(1 / pl.col("first")).fill_null(0).mean(),
        p=pl.col("found").mean() / K,
        judged=(pl.col("seen") / pl.col("depth").clip(upper_bound=K)).mean(),
    )


def _discounted() -> dict[int, float]:
    return {n: sum((1 / log2(i + 1) for i in range(1, n + 1)), 0.0) for n in range(K + 1)}
