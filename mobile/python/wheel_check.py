"""Installs a wheel into an empty environment and uses it there: wheel_check.py WHEEL ENVIRONMENT NOTICE...

Prints the folder of the installed package.
"""

import subprocess
import sys
from pathlib import Path
from venv import create

INSIDE = """
import sys
from importlib.metadata import distribution, files
from textveil import Statements, _native, estimate

for kind in (_native.TextVeil, _native.Statements):
    assert not hasattr(kind, "seeded"), "the wheel takes seeds"
# Its English encoder makes a list, and knows what a text is about.
lines = ["The app crashes.", "The delivery was late."]
file = Statements.build(lines)
statements = Statements(file, epsilon=20)
assert statements.privatize("my package came three days too late").text == lines[1], "the wheel has no English encoder"
shares = estimate.statements(file, [lines[1]], statements.guarantee())
assert [share.estimate for share in shares] == [0, 1], "the wheel estimates no shares"
missing = {*sys.argv[1:]} - {file.name for file in files("textveil")}
assert not missing, f"the wheel lacks {missing}"
print(distribution("textveil").locate_file("textveil"))
"""

wheel, environment, *notices = sys.argv[1:]
create(environment, with_pip=True, clear=True)
python = [Path(environment, "Scripts/python.exe" if sys.platform == "win32" else "bin/python"), "-B"]
install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-index", wheel]
subprocess.run([*python, *install], check=True)
# The first example of the README.
_, example, *_ = Path(__file__).with_name("README.md").read_text().split("```python\n")
subprocess.run([*python, "-c", example.split("```")[0]], check=True, stdout=sys.stderr)
subprocess.run([*python, "-c", INSIDE, *notices], check=True)
