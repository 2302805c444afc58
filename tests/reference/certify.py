"""Recomputes what a table file certifies of its channels (SPEC.md, sections 1 and 8.9), from scratch, over all pairs.

    python certify.py FILE [--level N] [--json]           exit 1 if a certificate says less than what is true
    python certify.py FILE --level N --odds WORD[,WORD]   how often a word that comes out is the word that went in
    python certify.py FILE --mechanism nearest --level N --odds WORD[,WORD]   the same for a level of `nearest` (section 8.11)
    python certify.py FILE --level N --largest            the largest losses of a plateau, which its certificate only bounds

Distances are exact integers (products of int8 are exact in float64); nothing else is shared with the program that
wrote the file. Rows are taken in blocks, so that memory stays small: a level of 32,000 words takes about a minute.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from reference import Certificate, Certificates, Table, read_table
from word_mechanisms import Nearest

BLOCK = 512
# What the device's rounding may add (SPEC.md 8.9), and what sums of many floats and the digits of a record may take off.
ROUNDING, SUMS = 1e-14, 1e-10
AGREEMENT = 1e-9


# The numbers that a certificate reports in addition to its two constants.
REPORTED = ("retention", "retention_by_frequency", "support", "expected_distance", "inversion", "inversion_by_frequency")


def base_measure(step: float, codes: np.ndarray) -> np.ndarray:
    """g of each row, as integers."""
    return np.maximum(1.0, np.rint(4095.0 * np.exp(-step * np.arange(256.0))))[codes]


class _Channel:
    """P(y|x) ∝ g(y)·e^(−β·max(min(d, cutoff), near)), a block of inputs at a time."""

    def __init__(self, table: Table, beta: float, cutoff: float, near: float, base: np.ndarray):
        self.table, self.base = table, base
        self.values = table.values.astype(np.float64)
        self.norms = (self.values ** 2).sum(axis=1)
        self.distance_of = table.scale * np.sqrt(np.arange(4 * table.squared_radius + 1.0))
        self.metric_of = np.minimum(self.distance_of, cutoff)
        self.weight_of = np.exp(-beta * (np.maximum(self.metric_of, near) - near))
        self.beta, self.near, self.farthest = beta, near, cutoff - near

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Inputs, and their squared lattice distances to every row."""
        for start in range(0, self.table.rows, BLOCK):
            rows = slice(start, min(start + BLOCK, self.table.rows))
            yield rows, self.squared(rows)

    def odds(self, words: list[str]) -> dict[str, tuple[float, float, float]]:
        """For each word: the probability that it comes out as itself, and that it went in where it stands in a release, if
        words go in as often as the table has them in the language (10^(ZIPF/20)), and if all are as frequent."""
        table, outputs = self.table, [self.table.words.index(word) for word in words]
        prior = 10.0 ** (np.array(table.zipf) / 20.0)
        # What comes out as a word: itself, and every row that it stands in for.
        rows = [[out, *(row for row, stand_in in table.certificates.stand_ins if stand_in == out)] for out in outputs]
        assert set(outputs) <= set(table.offered.tolist()), "a word that is never put out"
        joint, total, kept = np.zeros(len(words)), np.zeros(len(words)), np.zeros(len(words))
        for block, squared in self.blocks():
            weights = self.weight_of[squared] * self.base
            shares = weights / weights.sum(axis=1)[:, None]
            for at, out in enumerate(outputs):
                of_word = shares[:, rows[at]].sum(axis=1)
                joint[at] += prior[block] @ of_word
                total[at] += of_word.sum()
                if block.start <= out < block.stop:
                    kept[at] = of_word[out - block.start]
        by_frequency, uniform = prior[outputs] * kept / joint, kept / total
        return {word: (kept[at], by_frequency[at], uniform[at]) for at, word in enumerate(words)}

    def largest(self) -> tuple[float, float]:
        """The largest losses themselves, over all pairs and outputs: per unit of distance, and of any two words.

        f(x') - f(x) is at most its bound in η and ε, so that only those pairs need be looked at whose bound is above the
        largest loss found so far; the first pass, over every 37th word, finds a large one."""
        rows = self.table.rows

        def fall(squared: np.ndarray) -> np.ndarray:
            return self.beta * (np.maximum(self.metric_of[squared], self.near) - self.near)

        logs = np.concatenate([np.log((self.weight_of[squared] * self.base).sum(axis=1)) for _, squared in self.blocks()])
        found = [0.0, 0.0]
        for step in (37, 1):
            for first in range(0, rows, step * BLOCK):
                block = np.arange(first, min(first + step * BLOCK, rows), step)
                squared = self.squared(block)
                apart, rise = self.metric_of[squared], logs[None, :] - logs[block, None]
                bound = self.beta * np.minimum(apart, self.farthest) + rise
                slope = np.divide(bound, apart, out=np.zeros_like(bound), where=squared > 0)
                for kind, bounds in enumerate((slope, bound)):
                    for at in np.flatnonzero(bounds.max(axis=1) > found[kind]):
                        others = np.flatnonzero(bounds[at] > found[kind])
                        others = others[np.argsort(-bounds[at, others])]
                        here = fall(squared[at])
                        for few in (others[i:i + 64] for i in range(0, len(others), 64)):
                            if bounds[at, few[0]] <= found[kind]:
                                break
                            losses = (fall(self.squared(few)) - here).max(axis=1) + rise[at, few]
                            found[kind] = max(found[kind], float((losses / apart[at, few] if kind == 0 else losses).max()))
        return found[0], found[1]

    def squared(self, rows: np.ndarray) -> np.ndarray:
        """Squared lattice distances of these rows to every row."""
        return np.rint(self.norms[rows, None] + self.norms - 2.0 * (self.values[rows] @ self.values.T)).astype(np.int64)

    def unknown(self) -> float:
        """The largest loss between an unknown word, which becomes y with a chance of g(y)/Σg, and any word."""
        largest = 0.0
        for _, squared in self.blocks():
            weights = self.weight_of[squared]
            gain = np.log(self.base.sum() / (weights * self.base).sum(axis=1))
            largest = max(largest, float(gain.max()), float((-np.log(weights.min(axis=1)) - gain).max()))
        return largest

    def truth(self) -> dict[str, float]:
        """η, ε and what is reported, by the names of `Certificate`."""
        table, rows = self.table, self.table.rows
        prior = 10.0 ** (np.array(table.zipf) / 20.0)
        prior /= prior.sum()
        totals, entropies, distances = np.empty(rows), np.empty(rows), np.empty(rows)
        likeliest, likeliest_by_frequency = np.zeros(rows), np.zeros(rows)
        for block, squared in self.blocks():
            weights = self.weight_of[squared] * self.base
            totals[block] = weights.sum(axis=1)
            shares = weights / totals[block, None]
            entropies[block] = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
            distances[block] = (shares * self.distance_of[squared]).sum(axis=1)
            likeliest = np.maximum(likeliest, shares.max(axis=0))
            likeliest_by_frequency = np.maximum(likeliest_by_frequency, (shares * prior[block, None]).max(axis=0))
        logs = np.log(totals)
        steepest = largest = 0.0
        for block, squared in self.blocks():
            rise = logs[None, :] - logs[block, None]
            apart = self.metric_of[squared]
            largest = max(largest, float((self.beta * np.minimum(apart, self.farthest) + rise).max()))
            # Equal vectors have equal distributions.
            slopes = np.divide(rise, apart, out=np.zeros_like(rise), where=squared > 0)
            steepest = max(steepest, float(slopes.max()))
        stays = self.base / totals * np.isin(np.arange(rows), table.offered)
        for row, stand_in in table.certificates.stand_ins if table.certificates else ():
            squared = int(((table.values[row] - table.values[stand_in]) ** 2).sum())
            stays[stand_in] += self.base[row] * self.weight_of[squared] / totals[stand_in]
        return {
            "eta": self.beta + steepest, "epsilon": largest, "retention": float(stays.mean()),
            "retention_by_frequency": float(stays @ prior), "support": float(np.exp(entropies).mean()),
            "expected_distance": float(distances.mean()), "inversion": float(likeliest.sum() / rows),
            "inversion_by_frequency": float(likeliest_by_frequency.sum()),
        }


def channel(table: Table, level: int) -> _Channel:
    certificate = table.certificates.levels[level]
    codes = np.frombuffer(table.certificates.codes[level], np.uint8)
    return _Channel(table, certificate.beta, certificate.cutoff, certificate.near, base_measure(certificate.step, codes))


def truth(table: Table, level: int) -> dict[str, float]:
    """What holds of a certified level."""
    return channel(table, level).truth()


def certify(table: Table, levels: list[tuple[float, float, float, float, bytes]]) -> Table:
    """The table with certificates of the channels (β, cutoff, near, step, codes), with the slack that rounding asks for."""
    stand_ins = tuple((row, _nearest_offered(table, row)) for row in range(table.rows) if row not in table.offered)
    drafts = [(Certificate(beta, cutoff, near, 0.0, 0.0, step, *[0.0] * 6), codes) for beta, cutoff, near, step, codes in levels]
    draft = replace(table, certificates=Certificates(tuple(c for c, _ in drafts), tuple(c for _, c in drafts), stand_ins))
    certified = []
    for level, (certificate, _) in enumerate(drafts):
        found = truth(draft, level)
        stated = {"eta": (found["eta"] + 4 * ROUNDING / table.scale) * (1 + SUMS),
                  "epsilon": (found["epsilon"] + 4 * ROUNDING) * (1 + SUMS)}
        # Eleven digits: the last bits of sums differ between machines.
        certified.append(replace(certificate, **{name: float(f"{value:.10e}")
                                                 for name, value in {**found, **stated}.items()}))
    return replace(draft, certificates=replace(draft.certificates, levels=tuple(certified)))


def _nearest_offered(table: Table, row: int) -> int:
    squared = ((table.values[table.offered] - table.values[row]) ** 2).sum(axis=1)
    return int(table.offered[np.argmin(squared)])


def disagreements(table: Table, level: int) -> tuple[dict[str, float], list[str]]:
    """What holds of a level, and where its certificate says less, or anything else."""
    certificate, found = table.certificates.levels[level], truth(table, level)
    wrong = []
    for name, slack in (("eta", 4 * ROUNDING / table.scale), ("epsilon", 4 * ROUNDING)):
        stated, true = getattr(certificate, name), found[name]
        if not true + slack <= stated * (1 + 1e-14) <= true * (1 + AGREEMENT) + 2 * slack:
            wrong.append(f"{name} is stated as {stated!r} and is {true!r}")
    unknown = channel(table, level).unknown()
    if unknown > min(certificate.epsilon, certificate.eta * certificate.cutoff):
        wrong.append(f"an unknown word loses {unknown!r}")
    for name in REPORTED:
        stated, true = getattr(certificate, name), found[name]
        if not math.isclose(stated, true, rel_tol=AGREEMENT, abs_tol=1e-12):
            wrong.append(f"{name} is stated as {stated!r} and is {true!r}")
    return found, wrong


def nearest_odds(table: Table, level: int, words: list[str]) -> dict[str, tuple[float, float, float]]:
    """`Channel.odds` for a level of `nearest`: of an output, what lies nearer to each input decides how much is inside."""
    mechanism = Nearest(table, {"level": level})
    base = np.array(mechanism.q, dtype=float)
    outputs = [table.words.index(word) for word in words]
    total = base.sum() * mechanism.OUTSIDE + mechanism.mass * mechanism.extra
    shares = np.empty((table.rows, len(words)))
    values = table.values.astype(float)
    norms = (values * values).sum(axis=1)
    for start in range(0, table.rows, BLOCK):
        block = slice(start, min(start + BLOCK, table.rows))
        squared = np.rint(norms[block, None] + norms - 2.0 * (values[block] @ values.T)).astype(np.int64)
        distances = np.minimum(squared >> mechanism.shift, mechanism.LARGEST)
        for at, out in enumerate(outputs):
            mine = distances[:, out, None]
            before = (distances < mine) @ base + (distances[:, :out] == mine) @ base[:out]
            inside = np.clip(mechanism.mass - before, 0.0, base[out])
            shares[block, at] = (base[out] * mechanism.OUTSIDE + inside * mechanism.extra) / total
    prior = 10.0 ** (np.array(table.zipf) / 20.0)
    kept = shares[outputs, range(len(words))]
    by_frequency, uniform = prior[outputs] * kept / (prior @ shares), kept / shares.sum(axis=0)
    return {word: (kept[at], by_frequency[at], uniform[at]) for at, word in enumerate(words)}


def print_odds(level: int, odds: dict[str, tuple[float, float, float]]) -> None:
    """A line a word."""
    print(f"level {level}: a word, how often it comes out as itself, and how often it went in where it comes out: "
          "as frequent as it is, and all words alike")
    for word, shares in odds.items():
        print(f"  {word:14}", *(f"{100 * share:9.5f} %" for share in shares), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="table file")
    parser.add_argument("--level", type=int, action="append", help="only this level, from 0; may be repeated")
    parser.add_argument("--json", action="store_true", help="one line of JSON a level")
    parser.add_argument("--mechanism", choices=("stored", "nearest"), default="stored", help="whose levels --odds means")
    parser.add_argument("--odds", metavar="WORDS", type=lambda words: words.split(","), help="of these words, by commas")
    parser.add_argument("--largest", action="store_true", help="the largest losses of levels with a plateau")
    arguments = parser.parse_args()
    table = read_table(arguments.table.read_bytes())
    if arguments.mechanism == "nearest":
        for level in arguments.level:
            print_odds(level, nearest_odds(table, level, arguments.odds))
        return 0
    if table.certificates is None:
        print(f"{arguments.table}: no certificates", file=sys.stderr)
        return 1
    refuted = 0
    for level in arguments.level or range(len(table.certificates.levels)):
        if arguments.odds:
            print_odds(level, channel(table, level).odds(arguments.odds))
            continue
        if arguments.largest:
            certificate = table.certificates.levels[level]
            eta, epsilon = channel(table, level).largest()
            print(f"level {level}: eta {certificate.eta:.4f} stated, {eta:.4f} largest; "
                  f"epsilon {certificate.epsilon:.4f} stated, {epsilon:.4f} largest", flush=True)
            continue
        found, wrong = disagreements(table, level)
        refuted += bool(wrong)
        if arguments.json:
            print(json.dumps({"level": level, **found, "wrong": wrong}), flush=True)
        else:
            print(f"level {level}: eta {found['eta']:.6f}, epsilon {found['epsilon']:.6f}, "
                  f"retention {found['retention']:.6f}: "
                  + ("; ".join(wrong) or "as certified"), flush=True)
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
