"""The obvious way to find the nearest word of many noisy vectors: numpy, one matrix product a batch.

    python brute_force.py TABLE    prints {"tokensPerSecond": …}, the best of several passes on one thread

Exactly the question that `metric-laplace` answers for each token, without its noise, its text and its account.
"""

import json
import os
import sys
import time
from pathlib import Path

# Before numpy is loaded: its libraries read these once.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "reference"))
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
from reference import read_table  # noqa: E402

BATCH = 256
PASSES = 9


def main() -> None:
    values = np.asarray(read_table(Path(sys.argv[1]).read_bytes()).values, np.float32)
    half_norms = (values * values).sum(axis=1) / 2
    rng = np.random.default_rng(1)
    queries = values[rng.integers(len(values), size=BATCH)] + rng.normal(0, 30, (BATCH, values.shape[1])).astype(np.float32)

    def one_pass() -> float:
        started = time.perf_counter()
        np.argmin(half_norms - queries @ values.T, axis=1)
        return time.perf_counter() - started

    print(json.dumps({"tokensPerSecond": BATCH / min(one_pass() for _ in range(PASSES))}))


if __name__ == "__main__":
    main()
