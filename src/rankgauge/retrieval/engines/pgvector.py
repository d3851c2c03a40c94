"""PostgreSQL with pgvector as a first stage by vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rankgauge._extras import optional
from rankgauge.retrieval.engines.hits import asking, checked_k, hits_of
from rankgauge.retrieval.protocols import Embedder, Hits

OPERATORS = {"cosine": "<=>", "ip": "<#>", "l2": "<->"}


@dataclass(frozen=True, eq=False)
class PgVectors:
    """Rows near the query's vector.

    The score is the cosine, the inner product, or the distance turned round. With an HNSW index, at most
    `hnsw.ef_search` rows are found (40 unless it is set), and filters are applied after that unless
    `hnsw.iterative_scan` is on: set both on the connection.

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
            rows = self._fetched(asked, given)
        zero = 1.0 if self.metric == "cosine" else 0.0
        return hits_of(((doc, zero - distance) for doc, distance in rows), k, self.name)

    def _fetched(self, asked: Any, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        connection = self.connection() if callable(self.connection) else self.connection
        with connection.transaction(), connection.cursor() as cursor:
            rows: list[tuple[Any, ...]] = cursor.execute(asked, given).fetchall()
        return rows

    def _table(self) -> Any:
        return self._sql().Identifier(*self.table.split("."))

    def _sql(self) -> Any:
        return optional("psycopg.sql", "searching PostgreSQL", "pgvector")
