"""Writes the address and the checksum of a release's XCFramework into its manifest: release.py PACKAGE_SWIFT ZIP URL

The checksum is that of `swift package compute-checksum`: SHA-256.
"""

import sys
from hashlib import sha256
from pathlib import Path

UNRELEASED = "(url: String, checksum: String)? = nil"

manifest, zipped, url = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
text, checksum = manifest.read_text(), sha256(zipped.read_bytes()).hexdigest()
if text.count(UNRELEASED) != 1 or '"' in url or not url.startswith("https://"):
    raise SystemExit(f"{manifest} has no place for {url}")
manifest.write_text(text.replace(UNRELEASED, UNRELEASED.replace("nil", f'("{url}", "{checksum}")')))
print(checksum)
