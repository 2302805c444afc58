"""PySpark on two cores: 30,000 reviews through the pandas UDF, the guarantee in the column's metadata, and sums of releases.

``TEXTVEIL_SPARK_ROWS=10000000 pytest tests/spark_test.py -k shares --basetemp=FOLDER`` estimates shares of ten million releases, and
leaves their counts in the folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import array, col, element_at, lit

from conftest import ROOT, has_seeds, recipe, statements_study, study
from textveil import Statements, TextVeil, estimate, guarantee_as_dict
from textveil.spark import METADATA, privatize

REVIEWS = 30_000
ROWS = int(os.environ.get("TEXTVEIL_SPARK_ROWS", "20000"))
"""Rows whose shares are estimated."""
WORDS = ["food", "cold", "waiter", "kind", "never", "again", "lovely", "place", "sister"]

pytestmark = pytest.mark.skipif(not has_seeds(), reason="the release library cannot be seeded")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Where the workers find the study's class.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    # Snappy takes its library for musl wherever musl is installed, and fails if Java needs glibc.
    builder = builder.config("spark.sql.parquet.compression.codec", "gzip")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def reviews(number: int) -> list[str]:
    return [" ".join(WORDS[place * step % len(WORDS)] for step in (1, 2, 5)) + f" {place}." for place in range(number)]


def test_thirty_thousand_reviews_are_what_the_plain_call_makes_of_them(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = reviews(REVIEWS)
    frame = spark.createDataFrame(pd.DataFrame({"id": range(REVIEWS), "review": texts})).repartition(2)  # each of more than one batch
    released = privatize(frame, "review", into="released", veil=study(), epsilon=12.0)
    start = time.perf_counter()
    rows = released.select("id", "review", "released").toPandas()
    took = time.perf_counter() - start
    assert sorted(rows["id"]) == list(range(REVIEWS))

    start = time.perf_counter()
    column = study().privatize_column(texts, epsilon=12.0).values
    column_took = time.perf_counter() - start
    assert [column[place] for place in rows["id"]] == list(rows["released"])

    plain, sample = study(), REVIEWS // 20
    start = time.perf_counter()
    loop = [plain.privatize(text, epsilon=12.0).text for text in texts[:sample]]
    loop_took = time.perf_counter() - start
    assert column[:sample] == loop
    with capsys.disabled():
        print(
            f"\n{REVIEWS} rows of 4 words, rows a second: PySpark local[2] {REVIEWS / took:.0f}, "
            f"column {REVIEWS / column_took:.0f}, plain loop {sample / loop_took:.0f}"
        )


def test_an_error_of_the_cluster_has_its_code_and_no_text(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("Xanthippe " + "a" * (1 << 20),)], "review string")
    with pytest.raises(Exception, match="text-too-long: ") as refused:
        privatize(frame, "review").collect()
    assert "Xanthippe" not in str(refused.value)


def test_a_name_with_a_dot_is_that_column_and_never_a_field_of_another(spark: SparkSession) -> None:
    # No word of the table: the mechanism cannot draw it by chance.
    secret = "Xanthippe Xanthippe Xanthippe"
    plain = spark.createDataFrame([(1, secret, secret, secret)], "id int, `person.review` string, `a``b` string, review string")
    nested = spark.createDataFrame([(1, (secret,), secret)], "id int, person struct<review: string>, review string")
    both = plain.withColumn("person", lit(None).cast("struct<review: string>"))
    for frame, column, into in (
        (plain, "person.review", None),
        (both, "person.review", None),
        (plain, "a`b", None),
        (plain, "review", "person.review"),
        (nested, "person.review", "released"),
        (nested, "person.review", "person.review"),
        (nested, "review", "person.review"),
    ):
        released = privatize(frame, column, into)
        name = into or column
        assert METADATA in released.schema[name].metadata, name
        texts = [row[released.columns.index(name)] for row in released.collect()]
        assert len(texts) == 1 and texts[0] and "xanthippe" not in texts[0].lower(), f"{column} into {into}: {texts}"
    for frame in (nested, plain):
        for column in ("person.review" if frame is nested else "person", "`review`", "nothing"):
            with pytest.raises(ValueError, match=r"frame\.columns"):
                privatize(frame, column)


def test_the_column_carries_its_guarantee_and_keeps_nulls(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("kind words",), (None,), ("",)], "review string")
    veil = TextVeil()
    released = privatize(frame, "review", veil=veil, mechanism="exponential", epsilon=20.0, placeholders=True)
    expected = guarantee_as_dict(veil.guarantee(mechanism="exponential", epsilon=20.0, placeholders=True))
    assert released.schema["review"].metadata[METADATA] == expected
    rows = [row.review for row in released.collect()]
    assert rows[1:] == [None, ""]
    assert len(rows[0].split()) == 2


def test_whole_texts_are_exchanged_and_the_column_carries_their_guarantee(spark: SparkSession) -> None:
    statements, texts = statements_study(), [*reviews(200), None, ""]
    frame = spark.createDataFrame([(text,) for text in texts], "review string").repartition(4)
    released = privatize(frame, "review", into="released", veil=statements)
    assert released.schema["released"].metadata[METADATA] == guarantee_as_dict(statements.guarantee())
    rows = {row.review: row.released for row in released.collect()}
    assert rows == dict(zip(texts, statements.privatize_column(texts).values, strict=True))
    with pytest.raises(TypeError):
        privatize(frame, "review", veil=statements, epsilon=4.0)


def test_the_readmes_recipe_writes_releases_and_tells_their_guarantee(spark: SparkSession, tmp_path: Path) -> None:
    code = recipe("from textveil.spark import").partition("\n\n")[2]
    names = {"frame": spark.createDataFrame([(text,) for text in reviews(5)], "review string")}
    exec(code.replace("(...)", f"({str(tmp_path / 'released')!r})"), names)
    assert len(pd.read_parquet(tmp_path / "released")) == 5


def test_shares_of_grouped_releases_hold_the_truth(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "product-feedback.tvs"
    file.write_bytes((ROOT / "statements" / file.name).read_bytes())
    statements = Statements(file)
    lines = statements.statements()
    # The first statement is said by half of the people, the next by a quarter, and so on; the rest by nobody.
    of = (col("id") % 1024).cast("long")
    text = element_at(array(*map(lit, lines[:11])), 11 - sum((of >= (1 << place)).cast("int") for place in range(10)))
    frame = spark.range(ROWS).select(text.alias("review")).union(spark.sql("SELECT CAST(NULL AS STRING) AS review"))
    truth = {row.review: row["count"] / ROWS for row in frame.groupBy("review").count().collect()}
    names = {"released": privatize(frame, "review", veil=statements), "statements": statements}
    start = time.perf_counter()
    exec("import json\nfrom pathlib import Path\n" + recipe("counted.csv").replace("frame", "released"), names | {"estimate": estimate})
    took = time.perf_counter() - start
    counts = pd.read_csv("counted.csv")
    statement = json.loads(Path("counted.csv.guarantee.json").read_text())
    assert counts["count"].sum() == statement["rows"] == ROWS
    assert statement["guarantee"] == guarantee_as_dict(statements.guarantee())
    grouped = dict(zip(counts["review"], counts["count"], strict=True))
    shares = estimate.statements(file, grouped, statement["guarantee"], confidence=0.9999)
    nearest = np.array([truth.get(line, 0) for line in lines])
    for share, true in zip(shares, nearest, strict=True):
        assert share.together[0] <= true <= share.together[1]
    with capsys.disabled():
        print(f"\n{ROWS} rows in {len(grouped)} groups: {took:.0f} s, {ROWS / took:.0f} a second")
        for share in shares[:11]:
            print(f"{share.name}: {truth[share.name]:.6f}, estimated {share.estimate:.6f} {share.together}")
