"""Makes BENCHMARKS.md of a report of `cargo xtask bench`.

page.py REPORT    prints the page
page.py --write   writes the page of the recorded report
page.py --check   fails if that page is not the one in the checkout, or if a target is judged wrongly
"""

import json
import sys
from pathlib import Path

from minijinja import Environment

TEMPLATE = Path(__file__).with_name("page.md.jinja")
RECORDED = Path(__file__).parent.with_name("results.json")
PAGE = RECORDED.parents[2] / "BENCHMARKS.md"
# Rates of the kernels on the made-up table, and its multiplications a search.
RATES = "native/draw/synthetic-32768x64/metric-laplace/"
MULTIPLICATIONS = 32_768 * 64


def over(number: float | None, other: float | None) -> float | None:
    return None if number is None or other is None else number / other


def shown(number: float | None) -> str:
    """A number with the digits that mean something; a dash for what was not measured."""
    if number is None:
        return "–"
    return f"{number:,.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def markdown(report: dict) -> str:
    numbers = report["numbers"]

    def under(prefix: str) -> dict[str, float]:
        """The numbers whose names start with a prefix, which is left out."""
        return {name.removeprefix(prefix): numbers[name] for name in sorted(numbers) if name.startswith(prefix)}

    def search(table: str, dims: int, kernel: str) -> float | None:
        """Searches a second without the time of the noise: the work of a program that receives noisy vectors."""
        draws, noise = numbers.get(f"native/draw/{table}/metric-laplace/{kernel}/24"), numbers.get(f"native/noise/{dims}")
        return None if draws is None or noise is None else 1 / (1 / draws - 1 / noise)

    def share_of_peak(kernel: str) -> float | None:
        """What a kernel's search is of one that only multiplies and adds, in registers."""
        peak = over(numbers.get(f"native/peak/{kernel}"), MULTIPLICATIONS)
        return over(search("synthetic-32768x64", 64, kernel), peak)

    rates = {name.removesuffix("/24"): rate for name, rate in under(RATES).items() if name.endswith("/24")}
    kernels = sorted(rates, key=rates.__getitem__)
    filters = {
        "shown": shown,
        "grouped": lambda number: f"{number:,}",
        "percent": lambda share: "" if share is None else f"{100 * share:.0f} %",
    }
    functions = {"number": numbers.get, "over": over, "under": under, "search": search, "share_of_peak": share_of_peak}
    page = Environment(filters=filters, globals=functions, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return page.render_str(TEMPLATE.read_text(), kernels=kernels, fastest=kernels[-1] if kernels else "", **report)


def check_targets() -> None:
    """A target that is missed is short, and one that was not measured has no verdict."""
    line = "| texts on all cores, × one thread (of two cores) | ≥ 1.80 |"
    for times, verdict in [(1.9, " 1.90 | met |"), (1.7, " 1.70 | **short** |"), (None, " – |  |")]:
        numbers = {} if times is None else {"native/all-cores/one": 1000, "native/all-cores/all": 1000 * times}
        page = markdown({"numbers": numbers})
        assert line + verdict in page, page


if sys.argv[1] == "--check":
    check_targets()
    if markdown(json.loads(RECORDED.read_text())) != PAGE.read_text():
        sys.exit("BENCHMARKS.md is not the page of the recorded report: cargo xtask bench --page writes it")
elif sys.argv[1] == "--write":
    PAGE.write_text(markdown(json.loads(RECORDED.read_text())))
else:
    print(markdown(json.loads(Path(sys.argv[1]).read_text())), end="")
