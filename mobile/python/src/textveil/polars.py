"""A Polars expression: ``frame.with_columns(privatize("review"))``."""

from __future__ import annotations

from typing import Any, Unpack

import polars as pl

from ._options import Options
from ._statements import Statements
from ._veil import TextVeil


def privatize(
    column: str | pl.Expr, *, veil: TextVeil | Statements | None = None, threads: int = 0, **options: Unpack[Options]
) -> pl.Expr:
    """The releases of a column of texts, as :meth:`textveil.TextVeil.privatize_column` draws them; nulls stay.

    **Each time that Polars evaluates the expression, it draws anew, and spends again**: with each ``collect`` of a lazy frame,
    and for each place that the frame has in one plan (a join with itself, a union). Collect once, and continue from what was
    collected. What is promised: ``veil.guarantee(**options)``, for each word of a row. ``veil`` may be ``Statements``, which take
    no options: then it is promised for the whole row.
    """
    drawing: Any = veil or TextVeil()
    # Invalid options are refused here, and not when the frame is collected.
    drawing.guarantee(**options)
    expression = pl.col(column) if isinstance(column, str) else column
    return expression.map_batches(
        lambda series: drawing.privatize_column(series, threads=threads, **options).values,
        return_dtype=pl.String,
        # Polars would draw once for all rows of a column that it knows to be constant.
        is_elementwise=False,
    )
