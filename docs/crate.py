"""Builds and runs what the book and the README print for Rust, as a newcomer would: in a crate of its own.

crate.py TARGET [--json]    TARGET is the folder for what cargo builds
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# A program with this file's blocks. It prints the release and its guarantee.
PROGRAM = "docs/src/reference/apis.md"
# A line of code, for which the program has the names.
LINE = "README.md"
AROUND = """
use textveil::{{Disclosure, Error, Mechanism, MechanismKind, Privatizer, Table, release_rng}};

fn main() -> Result<(), Error> {{
    let table = Table::english()?;
    let privatizer = Privatizer::new(&table, Mechanism::new(MechanismKind::Nearest), Disclosure::default())?;
    let mut rng = release_rng(&mut getrandom::SysRng)?;
    {code}
    println!("{{}}\\n{{}}", release.text, release.guarantee);
    Ok(())
}}
"""


def block(page: str, language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    if len(found) != 1:
        sys.exit(f"{page} has {len(found)} blocks of {language}, and this runs one")
    return found[0]


def written(folder: Path) -> None:
    """The crate: the page's dependencies, from this checkout, in the versions that it has tested."""
    dependencies = block(PROGRAM, "toml").replace('"textveil/core"', json.dumps(str(ROOT / "core")))
    package = '[package]\nname = "first"\nversion = "0.1.0"\nedition = "2024"\ndefault-run = "first"\n\n[workspace]\n\n'
    (folder / "Cargo.toml").write_text(package + dependencies)
    shutil.copy(ROOT / "Cargo.lock", folder)
    (folder / "src/bin").mkdir(parents=True)
    (folder / "src/main.rs").write_text(block(PROGRAM, "rust"))
    (folder / "src/bin/line.rs").write_text(AROUND.format(code=block(LINE, "rust")))


def main(target: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written(folder)
        for page, program in [(PROGRAM, "first"), (LINE, "line")]:
            command = ["cargo", "run", "--quiet", f"--target-dir={Path(target).resolve()}", f"--bin={program}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode or not re.fullmatch(r"\S+( \S+)+\.\nEach private word is replaced .+\n", done.stdout):
                sys.exit(f"{page}: the program for Rust fails, or prints no release:\n{done.stdout}{done.stderr}")
            print(json.dumps({"snippet": page, "ok": True}) if "--json" in sys.argv else f"{page}: ok", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
