"""A pandas UDF for PySpark: ``privatize(frame, "review")`` on the cluster that holds the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StringType

from ._options import Options, guarantee_as_dict
from ._statements import Statements
from ._veil import TextVeil

METADATA = "textveil.guarantee"
"""Where a column's metadata has the guarantee of one word, by the names of ``textveil.guarantee_as_dict``."""


def privatize_udf(veil: TextVeil | Statements | None = None, **options: Unpack[Options]) -> Any:
    """A pandas UDF that draws a release of each text of a column; nulls stay. ``veil`` may be ``Statements``, without options.

    It is marked as not deterministic, so that Spark does not evaluate it twice for one place in a plan. **It draws anew, and
    spends again, with each action, for each place that the frame has in a plan** (a union or a join with itself), **and for
    whatever Spark computes again** (a repeated task, a part of a cache that was lost). Write the column once, and continue from
    what was written.
    """
    drawing: Any = veil or TextVeil()
    # Invalid options are refused here, and not on the cluster.
    drawing.guarantee(**options)

    def released(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        # Spark has a task for each core.
        for batch in batches:
            yield drawing.privatize_column(batch, threads=1, **options).values

    # Spark reads what kind of UDF it is from these, and cannot read them as text.
    released.__annotations__ = {"batches": Iterator[pd.Series], "return": Iterator[pd.Series]}
    udf: Any = pandas_udf
    return udf(released, StringType()).asNondeterministic()


def privatize(
    frame: DataFrame,
    column: str,
    into: str | None = None,
    *,
    veil: TextVeil | Statements | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """The frame with the releases in place of a column, or in the new one ``into``, and the guarantee in its metadata.

    ``column`` is the name of a column as ``frame.columns`` has it, also where that has dots. With ``into``, which leaves the texts
    where they are, it may also be a path to a field of a struct.

    The metadata speaks of one word: a row of N private words loses at most N times as much. Of ``Statements``, it speaks of the
    whole row. Rows of the same person add up.
    """
    drawing: Any = veil or TextVeil()
    guarantee = guarantee_as_dict(drawing.guarantee(**options))
    is_whole = column in frame.columns
    if into is None and not is_whole:
        raise ValueError("the frame has no column of this name: give one of frame.columns, or into")
    name = into or column
    texts = frame[quoted(column) if is_whole else column]
    # With its metadata at once: by its name, Spark may find another column.
    released = privatize_udf(drawing, **options)(texts).alias(name, metadata={METADATA: guarantee})
    if name not in frame.columns:
        return frame.select("*", released)
    return frame.select([released if each == name else frame[quoted(each)] for each in frame.columns])


def quoted(name: str) -> str:
    """A name as it stands. Otherwise a name with a dot is a path in Spark."""
    return "`" + name.replace("`", "``") + "`"
