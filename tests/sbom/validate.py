"""Holds bills of materials against the published schema of CycloneDX, and parts of them against what cargo compiles.

validate.py BILL... --notices NOTICES [--compiled BILL PART MESSAGES]...

The tables of NOTICES must name every crate of others. MESSAGES is what `cargo build --message-format=json` prints for the part. The
bill must list exactly those crates in it.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

# The modules are built for this target. What cargo compiles for this machine only runs during the build.
TARGET = "wasm32-unknown-unknown"


def compiled(messages: str) -> set[str]:
    artifacts = [json.loads(line) for line in Path(messages).read_text().splitlines()]
    artifacts = [artifact for artifact in artifacts if artifact["reason"] == "compiler-artifact"]
    for_target = [artifact for artifact in artifacts if any(TARGET in Path(file).parts for file in artifact["filenames"])]
    return {f"pkg:cargo/{artifact['package_id'].split('#')[1]}" for artifact in for_target}


def listed(bill: str, part: str) -> set[str]:
    dependencies = {entry["ref"]: entry["dependsOn"] for entry in json.loads(Path(bill).read_text())["dependencies"]}
    return {crate for crate in dependencies[part] if crate.startswith("pkg:cargo/")}


arguments = argparse.ArgumentParser()
arguments.add_argument("bills", nargs="+")
arguments.add_argument("--notices", required=True)
arguments.add_argument("--compiled", nargs=3, action="append", default=[])
arguments = arguments.parse_args()
rows = [line for line in Path(arguments.notices).read_text().splitlines() if line.startswith("| ")]
noticed = set(re.findall(r"[\w-]+", " ".join(row.split("|")[2] for row in rows)))
for name in arguments.bills:
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(name).read_text())
    if fault is not None:
        sys.exit(f"{name}: {fault}")
    # Our own crates have no address.
    crates = {crate["name"] for crate in json.loads(Path(name).read_text())["components"] if crate.get("purl")}
    if not crates or crates - noticed:
        sys.exit(f"{arguments.notices} does not name {sorted(crates - noticed)} of {name}")
print(f"{len(arguments.bills)} bills")
for bill, part, messages in arguments.compiled:
    expected, found = compiled(messages), listed(bill, part)
    if not expected or found != expected:
        sys.exit(f"{part}: the bill lists {sorted(found)}, cargo compiled {sorted(expected)}")
    print(f"{len(expected)} crates in {part}")
