"""Timings of the Python package, as one line of JSON.

    python package.py [TABLE]    with the made-up table: of that, else of the English one

Every text is new: a text that has been drawn is remembered, and costs nothing.
"""

import json
import statistics
import sys
import time
from functools import partial
from pathlib import Path

from textveil import TextVeil

WORDS = "the doctor said that my sister should rest at home for a week and call her if the fever came back".split()
# Words of the made-up table (xtask/bench/vocabulary.py).
MADE_UP = [f"qxaaa{letter}" for letter in "abcdefghijklmnopqrst"]
# η for tables without levels.
ETA = 20.0


def milliseconds(work) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def throughput(veil: TextVeil, vocabulary: list[str] = WORDS, words: int = 2000, **options) -> float:
    """Words a second of a long text."""
    texts = [" ".join([str(run), *(vocabulary[i % len(vocabulary)] for i in range(words - 1))]) for run in range(3)]
    return words * 1e3 / statistics.median(milliseconds(partial(veil.privatize, text, **options)) for text in texts)


def peak_memory() -> dict[str, float]:
    """The most memory that this process has held at once, where the system tells it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM:")]
    return {"memory MB": max(peaks)} if peaks else {}


def main() -> None:
    if len(sys.argv) > 1:
        veil = TextVeil(Path(sys.argv[1]).read_bytes())
        rates = {name: throughput(veil, MADE_UP, mechanism=name, eta=ETA) for name in ("exponential", "metric-laplace")}
        print(json.dumps(rates))
        return
    made = []
    init = milliseconds(lambda: made.append(TextVeil()))
    (veil,) = made
    first = milliseconds(lambda: veil.privatize("My sister was diagnosed with diabetes and is afraid of her boss."))
    nearest = partial(veil.privatize, mechanism="nearest")
    sentences = [milliseconds(partial(nearest, f"{' '.join(WORDS[:19])} {run}.")) for run in range(80)]
    column = [" ".join(WORDS)] * 1000
    rows = [f"{' '.join(WORDS[:9])} {row}" for row in range(1000)]
    ways = {
        "plain calls": lambda: [nearest(row) for row in rows],
        "column, one thread": lambda: veil.privatize_column(rows, threads=1, mechanism="nearest"),
        "column, all cores": lambda: veil.privatize_column(rows, mechanism="nearest"),
    }
    print(
        json.dumps(
            {
                "init ms": init,
                "first ms": first,
                "sentence ms": statistics.median(sentences[20:]),
                "certified": throughput(veil, mechanism="certified"),
                "nearest": throughput(veil, mechanism="nearest"),
                "metric-laplace": throughput(veil, mechanism="metric-laplace"),
                "column, all cores": {
                    name: len(column) * len(WORDS) * 1e3 / milliseconds(partial(veil.privatize_column, column, mechanism=name))
                    for name in ("certified", "nearest")
                },
                "rows of 10 words, nearest": {way: len(rows) * 10 * 1e3 / milliseconds(work) for way, work in ways.items()},
                **peak_memory(),
            }
        )
    )


if __name__ == "__main__":
    main()
