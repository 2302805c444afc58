"""Every JSON file that git knows or would take in parses. Prints the name of each as JSON, a line a file."""

import json
import subprocess
from pathlib import Path

found = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.json"], text=True)
# Git also lists a file that has been deleted, until the deletion is committed.
for file in (Path(name) for name in found.split("\0") if name):
    if file.is_file():
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise SystemExit(f"{file}: {error}") from None
        print(json.dumps(str(file)))
