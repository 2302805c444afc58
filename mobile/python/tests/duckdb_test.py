"""DuckDB: the README's recipe, and what happens without the part that it calls needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from conftest import recipe
from textveil import TextVeil

TEXT = "The doctor was kind to my mother on Monday, and to her sister."
ROWS = 300
REPEATING = {
    "a constant": f"SELECT privatize('{TEXT}') FROM range({ROWS})",
    "a column of one text": f"SELECT privatize(review) FROM (SELECT '{TEXT}' AS review, range AS id FROM range({ROWS}))",
    "a row that a join repeats": f"SELECT privatize(review) FROM (SELECT * FROM reviews WHERE id = 1), range({ROWS})",
}


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("reviews.db") as connection:
        connection.execute("CREATE TABLE reviews (id INTEGER, review VARCHAR)")
        rows = [(1, TEXT), (2, TEXT), (3, None), (4, ""), (5, "A bad film, with a cold waiter.")]
        connection.executemany("INSERT INTO reviews VALUES (?, ?)", rows)


def connected(**options: Any) -> duckdb.DuckDBPyConnection:
    """As in the recipe, with these options."""
    veil, connection = TextVeil(), duckdb.connect("reviews.db")
    connection.create_function(
        "privatize", lambda column: veil.privatize_column(column).values, ["VARCHAR"], "VARCHAR", type="arrow", **options
    )
    return connection


def distinct(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """How many different releases a query gives, of the rows that it must have."""
    releases = connection.execute(query).fetchall()
    assert len(releases) == ROWS
    return len({*releases})


def test_the_readmes_recipe_draws_each_row_for_itself_and_keeps_nulls(reviews: None) -> None:
    names: dict[str, Any] = {}
    exec(recipe("import duckdb"), names)
    with names["connection"] as connection:
        released = dict(connection.execute("SELECT * FROM released ORDER BY id").fetchall())
        assert [released[n] for n in (3, 4)] == [None, ""]
        assert len({TEXT, *(released[n] for n in (1, 2))}) == 3
        assert len(released[5].split()) == 7
        for query in REPEATING.values():
            assert distinct(connection, query) > 0.97 * ROWS
        long = "SELECT privatize(repeat('Xanthippe ', 200000))"
        with pytest.raises(duckdb.InvalidInputException, match="text-too-long: ") as refused:
            connection.execute(long)
        assert "Xanthippe" not in str(refused.value)


@pytest.mark.parametrize("query", REPEATING.values(), ids=REPEATING)
def test_equal_texts_are_drawn_once_unless_side_effects_are_declared(reviews: None, query: str) -> None:
    with connected() as connection:
        # One for each batch of DuckDB's, at most.
        assert distinct(connection, query) <= 2
    with connected(side_effects=True) as connection:
        assert distinct(connection, query) > 0.97 * ROWS


def test_each_mention_and_each_reading_of_a_view_draws_anew_and_what_was_written_stays(reviews: None) -> None:
    with connected(side_effects=True) as connection:
        (twice,) = connection.execute("SELECT privatize(review), privatize(review) FROM reviews WHERE id = 1").fetchall()
        assert len({*twice}) == 2
        connection.execute("CREATE VIEW seen AS SELECT privatize(review) AS review FROM reviews WHERE id = 1")
        connection.execute("CREATE TABLE kept AS SELECT * FROM seen")
        assert len({connection.execute("SELECT * FROM seen").fetchone() for _ in range(10)}) == 10
        assert len({connection.execute("SELECT * FROM kept").fetchone() for _ in range(10)}) == 1
