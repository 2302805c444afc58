"""What `textveil privatize` takes for long files, as one line of JSON, or for a million reviews, in words.

python command_line.py PROGRAM                a file of 40,000 words, by `certified` and by `nearest`
python command_line.py PROGRAM DATA TABLES    reviews of the papers' data sets in DATA, by `certified`; `mldp-text` is
                                              measured with a table in TABLES
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES = 2_000
LINE = "the doctor said that my sister should rest at home for a week and call her if the fever came"
REVIEWS = 1_000_000
KOTZIAS = [f"kotzias/{site}_{part}.tsv" for site in ("imdb", "amazon", "yelp") for part in ("train", "test")]
# The sets are read over and over, the short ones twice, so that a review has about 200 bytes.
SETS = [*KOTZIAS, "yelp_full5/dev.tsv", *KOTZIAS, "yelp_full5/test.tsv"]
# The memory that is allowed beyond the table, in MB.
ALLOWED = 64.0


def watched(command: list, **streams) -> tuple[float, float]:
    """The seconds that a program takes, and the most memory that it holds at once, in MB; 0 where the system does not tell."""
    started, peak = time.perf_counter(), 0.0
    child = subprocess.Popen(command, **streams)
    while child.poll() is None:
        # The last value that is seen is the highest, except for the last milliseconds.
        status = Path(f"/proc/{child.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        peak = max(peak, *(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM:")), 0.0)
        time.sleep(0.002)
    if child.returncode != 0:
        sys.exit(f"failed ({child.returncode}): {command}")
    return time.perf_counter() - started, peak


def long_file(program: str, folder: Path) -> None:
    text = folder / "speed.txt"
    text.write_text(f"{LINE}\n" * LINES)
    rates, most = {}, {}
    for mechanism in ("certified", "nearest"):
        command = [program, "privatize", "--mechanism", mechanism]
        with text.open() as file, (folder / "out").open("w") as out:
            seconds, most[mechanism] = watched(command, stdin=file, stdout=out)
        rates[mechanism] = LINES * len(LINE.split()) / seconds
    print(json.dumps({**rates, "memory MB": most["nearest"] or None}))


def reviews(program: str, folder: Path, data: Path, tables: Path) -> None:
    texts = [line.split("\t", 1)[1] for name in SETS for line in (data / name).read_text().splitlines()[1:] if "\t" in line]
    file, released = folder / "reviews.jsonl", folder / "released.jsonl"
    size = words = 0
    with file.open("w") as out:
        for text in itertools.islice(itertools.cycle(texts), REVIEWS):
            print(json.dumps({"text": text}, ensure_ascii=False), file=out)
            size, words = size + len(text.encode()), words + len(text.split())
    command = [program, "privatize", "--mechanism", "certified", "--column=text", "--output", released, file]
    seconds, memory = watched(command)
    if not memory:
        sys.exit("this system does not tell the peak of a process's memory")
    table_size = Path("core/data/english.tvt").stat().st_size / 1e6
    verdict = "within" if memory <= table_size + ALLOWED else "**more than**"
    print(
        f"{REVIEWS} reviews, {size / 1e6:.0f} MB, {words} words, by certified in {seconds / 60:.1f} minutes on all cores: "
        f"{words / seconds:.0f} words a second; {released.stat().st_size / 1e6:.0f} MB came out.\n"
        f"Peak memory {memory:.1f} MB, {verdict} the table's {table_size:.1f} MB and {ALLOWED:.0f} MB.\n"
    )
    try:
        import peers
        from vocabulary import GLOVE, table

        for name, count, work in peers.mldp_text(peers.Vocabulary(str(table(GLOVE, program, tables)))):
            print(f"{name}, GloVe 840B × 300, one thread: {peers.rate(count, work):.0f} words a second")
    except Exception as error:  # noqa: BLE001 -- whatever it fails with, the rest has been measured
        print(f"Not measured: mldp-text: {type(error).__name__}: {error}")


if __name__ == "__main__":
    program, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if rest:
            reviews(program, Path(folder), *map(Path, rest))
        else:
            long_file(program, Path(folder))
