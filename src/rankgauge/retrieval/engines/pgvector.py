"""PostgreSQL with pgvector as a first stage by vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rankgauge._extras import optional
from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits

OPERATORS = {"cosine": "<=>", "ip": "<#>", "l2": "<->"}
WIDEN = """
SELECT set_config(name, CASE
    WHEN name = 'hnsw.ef_search' THEN greatest(setting::int, least(%s, max_val::int))::text
    WHEN setting <> 'off' THEN setting
    WHEN name = 'hnsw.iterative_scan' THEN 'strict_order' ELSE 'relaxed_order' END, true)
FROM pg_settings WHERE name IN ('hnsw.ef_search', 'hnsw.iterative_scan', 'ivfflat.iterative_scan')
"""
"""Has an index search on until k rows are found, for one transaction; settings of a pgvector that lacks them stay."""


@dataclass(frozen=True, eq=False)
class PgVectors:
    """Rows near the query's vector.

    The score is the cosine, the inner product, or the distance turned round. An HNSW index gives 40 rows by itself,
    however many are wanted, and filters these; so each search has it go on until there are k (`hnsw.iterative_scan`,
    pgvector 0.8; up to `hnsw.max_scan_tuples`, 20,000 rows unless it is set). With an older pgvector, up to 1,000.

    Attributes
    ----------
    connection : an open psycopg connection, or a function that gives one (a pool's): one thread uses one at a time
    table : its name, with the schema if need be: "public.passages"
    id_column : TEXT column of the document's id
    column : the vector
    """

    connection: Any
    table: str
    embedder: Embedder
    id_column: str = "id"
    column: str = "embedding"
    metric: Literal["cosine", "ip", "l2"] = "cosine"
    name: str = "pgvector"

    def __len__(self) -> int:
        sql = self._sql()
        with asking(self.name):
            [(count,)] = self._fetched(sql.SQL("SELECT count(*) FROM {}").format(self._table()), ())
            return int(count)

    def search(self, query: str, k: int, *, allowed: frozenset[str] | None = None) -> Hits:
        """At most k hits; only among the allowed ids where these are given."""
        checked_k(k, self.name)
        sql, vector = self._sql(), self.embedder.embed([query], kind="query")[0]
        text = f"[{','.join(map(repr, vector.tolist()))}]"
        among = sql.SQL("") if allowed is None else sql.SQL("WHERE {} = ANY(%s)").format(sql.Identifier(self.id_column))
        asked = sql.SQL("SELECT {id}, {vector} {by} %s::vector AS distance FROM {table} {among} ORDER BY 2 LIMIT %s")
        asked = asked.format(
            id=sql.Identifier(self.id_column), vector=sql.Identifier(self.column), table=self._table(), among=among,
            by=sql.SQL(OPERATORS[self.metric]),
        )  # fmt: skip
        given = (text, k) if allowed is None else (text, sorted(allowed), k)
        with asking(self.name):
            rows = self._fetched(asked, given, vector=text, k=k)
        zero = 1.0 if self.metric == "cosine" else 0.0
        return hits_of(((doc, zero - distance) for doc, distance in rows), k, self.name)

    def _fetched(self, asked: Any, given: tuple[Any, ...], *, vector: str = "", k: int = 0) -> list[tuple[Any, ...]]:
        connection = self.connection() if callable(self.connection) else self.connection
        with connection.transaction(), connection.cursor() as cursor:
            if vector:
                # The first vector of a session loads the extension, and with it its settings.
                cursor.execute("SELECT %s::vector", (vector,))
                cursor.execute(WIDEN, (k,))
            rows: list[tuple[Any, ...]] = cursor.execute(asked, given).fetchall()
        return rows

    def _table(self) -> Any:
        return self._sql().Identifier(*self.table.split("."))

    def _sql(self) -> Any:
        return optional("psycopg.sql", "searching PostgreSQL", "pgvector")
