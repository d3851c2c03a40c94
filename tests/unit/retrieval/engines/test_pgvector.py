"""PostgreSQL with pgvector: a real server, started here."""

from __future__ import annotations

import pytest

from engine_worlds import COSINES, IDS, VECTORS, Ahead
from rankgauge.errors import EngineError
from rankgauge.retrieval.engines.pgvector import PgVectors
from rankgauge.retrieval.running import retrieve

pgserver = pytest.importorskip("pgserver")
psycopg = pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    server = pgserver.get_server(tmp_path_factory.mktemp("pg"))
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute('CREATE TABLE passages ("Doc Id" text, embedding vector(3))')
            for id_, vector in zip(IDS, VECTORS.tolist(), strict=True):
                connection.execute("INSERT INTO passages VALUES (%s, %s::vector)", (id_, str(vector)))
            connection.execute("CREATE INDEX ON passages USING hnsw (embedding vector_cosine_ops)")
            yield connection
    finally:
        server.cleanup()


@pytest.fixture
def engine(connection):
    return PgVectors(connection, "public.passages", Ahead(), id_column="Doc Id")


def test_ids_come_back_as_they_are_and_scores_are_cosines(engine):
    found = engine.search("anything", 100)
    assert found.docs == tuple(IDS)
    assert found.scores == pytest.approx(COSINES, abs=1e-6)
    assert len(engine) == len(IDS)
    assert engine.search("anything", 2).docs == tuple(IDS[:2])


def test_only_allowed_ids(engine):
    assert engine.search("anything", 5, allowed=frozenset(["ключ é", "7", "elsewhere"])).docs == ("7", "ключ é")
    assert len(engine.search("anything", 5, allowed=frozenset())) == 0


@pytest.mark.parametrize(("metric", "first"), [("ip", 1.0), ("l2", 0.0)])
def test_other_metrics_fall_too(connection, metric, first):
    found = PgVectors(connection, "passages", Ahead(), id_column="Doc Id", metric=metric).search("q", 9)
    assert found.docs == tuple(IDS)
    assert found.scores[0] == pytest.approx(first, abs=1e-6)


def test_a_deleted_row_is_gone_and_a_run_is_made(engine, connection):
    with connection.transaction(force_rollback=True):
        connection.execute("""DELETE FROM passages WHERE "Doc Id" = '007'""")
        run = retrieve(engine, {"q1": "a"}, 7)
        assert list(run.to_dict()["q1"]) == [id_ for id_ in IDS if id_ != "007"]


def test_a_table_that_is_not_there_is_told_and_names_are_no_sql(connection):
    with pytest.raises(EngineError, match='pgvector: expected an answer, got UndefinedTable: relation "nowhere"'):
        PgVectors(connection, "nowhere", Ahead()).search("q", 1)
    with pytest.raises(EngineError, match="UndefinedTable"):
        PgVectors(connection, 'passages"; DROP TABLE passages; --', Ahead()).search("q", 1)
    assert len(PgVectors(connection, "passages", Ahead())) == len(IDS)


def test_a_pool_gives_the_connection(connection):
    assert len(PgVectors(lambda: connection, "passages", Ahead(), id_column="Doc Id").search("q", 3)) == 3


@pytest.mark.parametrize(("k", "allowed"), [(100, None), (1500, None), (30, "few")])
def test_an_index_gives_as_many_as_are_wanted_and_the_settings_of_the_session_stay(connection, k, allowed):
    connection.execute("CREATE TABLE many (id text, embedding vector(3))")
    connection.execute("INSERT INTO many SELECT 'd' || i, ARRAY[cos(i / 7e2), sin(i / 7e2), 0]::vector "
                       "FROM generate_series(0, 1999) AS i")  # fmt: skip
    connection.execute("CREATE INDEX ON many USING hnsw (embedding vector_cosine_ops)")
    connection.execute("SET enable_seqscan = off")
    try:
        few = None if allowed is None else frozenset(f"d{number}" for number in range(0, 2000, 50))
        found = PgVectors(connection, "many", Ahead()).search("q", k, allowed=few)
        assert len(found) == k and found.docs[0] == "d0" and (few is None or few.issuperset(found.docs))
        assert connection.execute("SHOW hnsw.ef_search").fetchone() == ("40",)
    finally:
        connection.execute("RESET enable_seqscan")
        connection.execute("DROP TABLE many")
