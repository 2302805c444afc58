"""Checks the crates that are published: what their manifests say, and which files cargo would pack. The packages for other languages
must have their version.

crates.py [--json]    writes a line for each crate
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERY = {"Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE-THIRD-PARTY.md"}
# Data of others have notices of their own.
NOTICES = {"textveil": "data/NOTICE.md", "textveil-tables": "data/NOTICE.md"}
# Programs and experiments. The tests are left out, too: they read the vectors of the checkout.
FOREIGN = ("tests/", "benches/", "npm/", "recipes/", "kotlin/", "python/", "swift/", "target/")
LIMIT = 10_000_000  # the registry's, of a compressed crate
# Where the version stands for other languages.
VERSIONS = {
    "CITATION.cff": r"^version: (.+)$",
    "mobile/kotlin/pom.xml": r"^  <version>(.+)</version>$",
    "mobile/python/pyproject.toml": r'^version = "(.+)"$',
    "wasm/npm/package.json": r'^  "version": "(.+)",$',
}


def cargo(*arguments: str) -> str:
    command = [os.environ.get("CARGO", "cargo"), *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def manifest_problems(package: dict, published: dict[str, dict]) -> list[str]:
    name, said = package["name"], package["description"] or ""
    rules = {
        "a description of 20 to 200 characters": 20 <= len(said) <= 200,
        "a licence": package["license"],
        "its page on docs.rs": package["documentation"] == f"https://docs.rs/{name}",
        "1 to 5 keywords": 1 <= len(package["keywords"]) <= 5 and all(len(word) <= 20 for word in package["keywords"]),
        "1 to 5 categories": 1 <= len(package["categories"]) <= 5,
        "a README": package["readme"],
        "the oldest Rust": package["rust_version"],
        "the address of the repository": package["repository"],
    }
    problems = [f"it does not state {rule}" for rule, kept in rules.items() if not kept]
    # Cargo leaves out what only tests need, if it has no version.
    for needed in [needed for needed in package["dependencies"] if needed["kind"] != "dev" and needed.get("path")]:
        other = published.get(needed["name"])
        if other is None:
            problems.append(f"it needs {needed['name']}, which is not published")
        elif needed["req"].lstrip("^=") != other["version"]:
            problems.append(f"it needs {needed['name']} {needed['req']}, which has the version {other['version']}")
    return problems


def file_problems(package: dict, files: list[str]) -> list[str]:
    folder = Path(package["manifest_path"]).parent
    wanted = EVERY | {NOTICES.get(package["name"], "README.md")}
    problems = [f"its package has no {name}" for name in sorted(wanted - set(files))]
    for name in sorted(wanted & set(files)):
        root = ROOT / name
        if name.startswith(("LICENSE", "NOTICE")) and (folder / name).read_bytes() != root.read_bytes():
            problems.append(f"{name} is not that of the checkout")
    return problems + [f"its package has {name}" for name in files if name.startswith(FOREIGN)]


def version_problems(version: str) -> list[str]:
    stated = {file: re.findall(pattern, (ROOT / file).read_text(), re.MULTILINE) for file, pattern in VERSIONS.items()}
    return [f"{file} states the versions {found}, not {version}" for file, found in stated.items() if found != [version]]


def main() -> None:
    packages = json.loads(cargo("metadata", "--no-deps", "--format-version=1"))["packages"]
    published = {package["name"]: package for package in packages if package["publish"] is None}
    problems = version_problems(published["textveil"]["version"])
    for name, package in sorted(published.items()):
        files = cargo("package", "--list", "--allow-dirty", f"--package={name}").splitlines()
        folder = Path(package["manifest_path"]).parent
        size = sum((folder / file).stat().st_size for file in files if (folder / file).is_file())
        found = manifest_problems(package, published) + file_problems(package, files)
        if size > LIMIT:
            found.append(f"its files have {size} bytes, and a registry takes {LIMIT}")
        problems += [f"{name}: {problem}" for problem in found]
        print(json.dumps({"crate": name, "files": len(files), "bytes": size}))
    if problems or not published:
        sys.exit("\n".join(problems or ["no crate is published"]))


if __name__ == "__main__":
    main()
