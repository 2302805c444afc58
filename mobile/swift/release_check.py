"""On Apple's platforms, the manifest of a release names an XCFramework by its address and checksum: release_check.py FOLDER SWIFT...

FOLDER is made anew, and SWIFT... is the command that is Swift here.
"""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
URL = "https://example.org/TextveilFFI.xcframework.zip"

folder, swift = Path(sys.argv[1]), sys.argv[2:]
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
manifest, zipped = folder / "Package.swift", folder / "TextveilFFI.xcframework.zip"
# So that what is for Apple's platforms counts here.
manifest.write_text((HERE / "Package.swift").read_text().replace("#if os(Linux)", "#if os(Windows)"))
zipped.write_bytes(b"abc")
release = [sys.executable, str(HERE / "release.py"), str(manifest), str(zipped), URL]
subprocess.run(release, check=True)
assert subprocess.run(release, check=False, capture_output=True).returncode, "a second release goes into the same manifest"
package = ["package", "--package-path", str(folder)]
read = json.loads(subprocess.check_output([*swift, *package, "dump-package"]))
[library] = [target for target in read["targets"] if target["type"] == "binary"]
found = {key: library[key] for key in ("name", "url", "checksum")}
assert found == {"name": "TextveilFFI", "url": URL, "checksum": sha256(b"abc").hexdigest()}, f"the manifest names {found}"
checksum = subprocess.check_output([*swift, *package, "compute-checksum", str(zipped)], text=True).split()[-1]
assert checksum == found["checksum"], "Swift computes another checksum"
