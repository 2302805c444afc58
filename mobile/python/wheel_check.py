"""Judges a source distribution and the wheel that was built from it, and uses the wheel where nothing else is installed:
wheel_check.py FOLDER ENVIRONMENT

Prints a line about both, and the folder of the installed package.
"""

import json
import subprocess
import sys
from pathlib import Path
from venv import create

INSIDE = """
import sys
from importlib.metadata import distribution, files
from pathlib import Path
import textveil
from textveil import Statements, _native, estimate

native = [file for file in Path(_native.__file__).parent.iterdir() if file.is_file()]
assert any(file.suffix in (".so", ".dylib", ".dll") for file in native), "the wheel has no library"
for file in native:
    assert b"seeded" not in file.read_bytes().lower(), f"{file.name} takes seeds"
# Its English encoder makes a list, and knows what a text is about.
lines = ["The app crashes.", "The delivery was late."]
file = Statements.build(lines)
statements = Statements(file, epsilon=20)
assert statements.privatize("my package came three days too late").text == lines[1], "the wheel has no English encoder"
shares = estimate.statements(file, [lines[1]], statements.guarantee())
assert [share.estimate for share in shares] == [0, 1], "the wheel estimates no shares"
missing = {*sys.argv[1:]} - {file.name for file in files("textveil")}
assert not missing, f"the wheel lacks {missing}"
assert textveil.__version__ == distribution("textveil").version
print(distribution("textveil").locate_file("textveil"))
"""


def run(*command) -> str:
    """What a command of this environment printed. The log shows what it says of a fault."""
    return subprocess.run([sys.executable, "-m", *command], check=True, stdout=subprocess.PIPE, text=True).stdout


folder, environment = map(Path, sys.argv[1:])
here = Path(__file__).parent
[wheel], [source] = folder.glob("*.whl"), folder.glob("*.tar.gz")
print(run("twine", "--no-color", "check", "--strict", wheel, source), file=sys.stderr)
if sys.platform == "linux":
    tag = json.loads(run("auditwheel", "show", "--json", wheel))["overall_tag"]
    assert tag in wheel.stem.split("-")[-1].split("."), f"auditwheel says {tag} of {wheel.name}"
    glibc = ".".join(tag.split("_")[1:3])
    assert f"glibc {glibc} " in (here / "README.md").read_text(), f"README.md does not name glibc {glibc}"
print(*(f"{made.name}: {made.stat().st_size} B" for made in (wheel, source)), sep=", ", flush=True)
create(environment, with_pip=True, clear=True)
python = [environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"), "-B"]
install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-index", wheel]
subprocess.run([*python, *install], check=True)
# The first example of each page: it needs no other package.
for page in ["README.md", "docs/src/tutorials/first-app.md", "mobile/python/README.md"]:
    _, example, *_ = (here.parents[1] / page).read_text().split("```python\n")
    subprocess.run([*python, "-c", example.split("```")[0]], check=True, stdout=sys.stderr)
notices = [file.name for pattern in ("LICENSE*", "NOTICE*") for file in here.glob(pattern)]
subprocess.run([*python, "-c", INSIDE, *notices], check=True)
