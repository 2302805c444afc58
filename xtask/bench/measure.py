"""Measures everything in turns, and prints the report of `cargo xtask bench` as JSON.

python measure.py PLAN

PLAN is a JSON file that xtask/src/bench.rs writes: what has been built, the programs to run (each prints its numbers as
JSON), and what the report says already. Contestants take turns in rounds; the report has the median round of each. Names
of rates end in no unit; names of times end in " ms", of memory in " MB".
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

from vocabulary import GLOVE, SYNTHETIC, table

# Each peer with one thread.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# What limits the peers that can be limited to AVX2, which textveil has a kernel for.
AVX2 = {"OPENBLAS_CORETYPE": "Haswell", "FAISS_SIMD_LEVEL": "AVX2"}
# What is measured of a vocabulary: of the made-up one every draw, and what a kernel's share of the peak is made of.
DRAWS = {SYNTHETIC: f"^(peak|noise|draw/{SYNTHETIC})/", GLOVE: f"^draw/{GLOVE}/metric-laplace/.*/(1|24)$"}


class Samples(defaultdict):
    """One number a round under each name."""

    def add(self, name: str, numbers) -> None:
        """A number, or all numbers of a JSON object, each under NAME/KEY."""
        if isinstance(numbers, dict):
            for key, inside in numbers.items():
                self.add(f"{name}/{key}", inside)
        elif numbers is not None:
            self[name].append(float(numbers))


class Peers:
    """peers.py over one table: loaded, and waiting for its turn."""

    def __init__(self, name: str, file: Path, scratch: Path, limited: bool) -> None:
        kind = "peers-avx2" if limited else "peers"
        self.prefix = f"{kind}/{name}"
        environment = {key: value for key, value in os.environ.items() if key not in AVX2} | dict.fromkeys(ONE_THREAD, "1")
        command = [sys.executable, Path(__file__).with_name("peers.py"), file, *(["numpy", "faiss-cpu"] if limited else [])]
        self.child = subprocess.Popen(
            command,
            env=environment | (AVX2 if limited else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(scratch / f"{kind}.log").open("w"),
            text=True,
        )
        self.loaded = self.answer()

    def answer(self) -> dict:
        return json.loads(self.child.stdout.readline())

    def round(self, samples: Samples) -> None:
        print(file=self.child.stdin, flush=True)
        samples.add(self.prefix, self.answer())


def machine() -> str:
    """The machine in general words."""
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    known = {"avx2": "AVX2", "avx_vnni": "AVX-VNNI", "avx512_vnni": "AVX-512 VNNI"}
    features = ", ".join(name for flag, name in known.items() if flag in flags)
    compiler = " ".join(subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[:2])
    architecture = f"{platform.machine()} ({platform.system().lower()}){' with ' if features else ''}{features}"
    return f"a shared machine of {os.cpu_count()} cores, {architecture}, {compiler}"


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def native(plan: dict, pattern: str, samples: Samples) -> None:
    """The benchmarks that match: rates under native/…, times without a rate under native/… ms."""
    say(f"native {pattern}")
    results = Path(plan["scratch"], "speed")
    shutil.rmtree(results, ignore_errors=True)
    environment = os.environ | {"CRITERION_HOME": str(results), "TEXTVEIL_BENCH_TABLES": plan["tables"]}
    command = [plan["native"], "--bench", "--noplot", pattern]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{command} failed: {ran.stderr}")
    found = list(results.rglob("new/benchmark.json"))
    if not found:
        sys.exit(f"no benchmark matches {pattern}")
    for file in found:
        benchmark, estimates = (json.loads(path.read_text()) for path in (file, file.with_name("estimates.json")))
        name, nanoseconds = f"native/{benchmark['full_id']}", estimates["median"]["point_estimate"]
        if benchmark["throughput"]:
            samples.add(name, benchmark["throughput"]["Elements"] / nanoseconds * 1e9)
        else:
            samples.add(f"{name} ms", nanoseconds / 1e6)


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    report, scratch = plan["report"], Path(plan["scratch"])
    rounds, missing, versions = range(plan["rounds"]), set(report["missing"]), {}
    samples = Samples(list)
    for name, numbers in report["numbers"].items():
        samples.add(name, numbers)
    tables = {}
    for name in [SYNTHETIC, GLOVE] if plan["peers"] else [SYNTHETIC]:
        try:
            tables[name] = table(name, plan["textveil"], Path(plan["tables"]))
        except ModuleNotFoundError as error:
            missing.add(f"{name}: {error}")
    for _ in rounds:
        native(plan, "^draw/english/", samples)
    for name, file in tables.items():
        beside = [Peers(name, file, scratch, limited) for limited in (False, True)] if plan["peers"] else []
        for peers in beside:
            for of in ("rows", "dims"):
                samples.add(f"vocabularies/{name}/{of}", peers.loaded[of])
            versions |= peers.loaded["versions"]
            missing |= {f"{peer}: {why}" for peer, why in peers.loaded["missing"].items()}
        for _ in rounds:
            native(plan, DRAWS[name], samples)
            for peers in beside:
                say(peers.prefix)
                peers.round(samples)
        for peers in beside:
            peers.child.kill()
    for _ in rounds:
        native(plan, "^(product/|(peak-)?all-cores/|start)", samples)
        for program in plan["programs"]:
            say(program["name"])
            environment = os.environ | program["env"]
            ran = subprocess.run(program["argv"], cwd=program["cwd"], env=environment, stdout=subprocess.PIPE, check=True)
            samples.add(program["name"], json.loads(ran.stdout))
    native(plan, "^scaling/", samples)
    report |= {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions,
        "missing": sorted(missing),
        "numbers": {name: statistics.median(numbers) for name, numbers in sorted(samples.items())},
    }
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
