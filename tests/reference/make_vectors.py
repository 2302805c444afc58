"""Writes the golden vectors (`tests/vectors/`) and the toy tables (`tests/tables/`) from the reference.

    python make_vectors.py            write them
    python make_vectors.py --check    exit 1 if a committed file differs from what would be written
    python make_vectors.py --english PATH    the table for `release_english.json` (default: the embedded one, if built)

Everything is deterministic. A draw that hangs on the last bit of `exp`, `ln`, `sin` or `cos` never becomes a vector:
its seed is replaced by the next one. `tests/vectors/README.md` describes every file and field.
"""

import argparse
import base64
import hashlib
import itertools
import json
import math
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import texts
import toy_tables
from contributions import contribution_vectors
from descriptions import description_vectors
from guarantees import KNOWN_SEED, product_up
from keys import key_vectors
from mechanism_vectors import choice_vectors, refusal_vectors, representation_vectors, sampler_vectors, word_vectors
from redaction import redaction_vectors
from reference import (
    MAX_TEXT_BYTES,
    MECHANISMS,
    Options,
    Refused,
    Release,
    Stream,
    Table,
    WordMechanism,
    is_of_other_language,
    look_up,
    pieces,
    read_table,
    release,
)
from short_guarantees import short_vectors
from statements import statement_vectors
from vector_tools import Json, code_of, seeds, spelled
from word_mechanisms import FARTHEST, clamp, word_mechanism

TESTS = Path(__file__).resolve().parent.parent
EMBEDDED_TABLE = TESTS.parent / "core" / "data" / "english.tvt"
OPTIONS = [Options(k, p) for k, p in itertools.product((False, True), repeat=2)]
ETAS = {"toy.tvt": (0.3, 2.0, 20.0), "odd.tvt": (0.5, 3.0, 40.0), "one.tvt": (1e-6, 1.0, 1e6)}
ENGLISH_ETAS = (0.05, 0.5, 2.0, 8.0, 30.0)
DRAWS = 200


# --- Seeds -----------------------------------------------------------------------------------------------------------


def robust_release(name: object, sampler: WordMechanism, text: str,
                   options: Options) -> tuple[bytes, Release]:
    """The first seed whose release depends on no last bit, with that release."""
    drawn = ((seed, release(sampler, text, seed, options)) for seed in seeds("release", name))
    return next((seed, result) for seed, result in drawn if result.robust)


# --- table.json ------------------------------------------------------------------------------------------------------


def table_vectors(files: dict[str, bytes]) -> Json:
    good = [{"file": name, **_facts(file)} for name, file in files.items()]
    bad = []
    for name, why, file in toy_tables.bad_tables():
        try:
            read_table(file)
        except Refused as refusal:
            assert str(refusal) == f"bad-table: {why}", (name, str(refusal))
            bad.append({"name": name, "why": why, "error": refusal.code, "bytes": base64.b64encode(file).decode()})
        else:
            raise AssertionError(f"{name} was accepted")
    return {"good": good, "bad": bad}


def _facts(file: bytes) -> dict[str, Json]:
    table = read_table(file)
    pairs = [(a, b) for a in range(0, table.rows, 3) for b in range(0, table.rows, 5)]
    squared = [int(((table.values[a] - table.values[b]) ** 2).sum()) for a, b in pairs]
    return {
        "sha256": hashlib.sha256(file).hexdigest(), "rows": table.rows, "dims": table.dims, "scale": table.scale,
        "words": list(table.words), "values": table.values.tolist(),
        "flags": list(table.flags), "zipf": list(table.zipf),
        "levels": None if table.levels is None else [asdict(level) for level in table.levels],
        "classes": None if table.classes is None else asdict(table.classes),
        "certificates": None if table.certificates is None else {
            "levels": [asdict(level) for level in table.certificates.levels],
            "codes": [list(codes) for codes in table.certificates.codes], "stand_ins": table.certificates.stand_ins},
        "meta": None if table.meta is None else [list(entry) for entry in table.meta],
        "centre": table.centre, "squared_radius": table.squared_radius, "d_max": table.d_max,
        "distances": [{"a": a, "b": b, "squared": d, "distance": table.scale * math.sqrt(d)}
                      for (a, b), d in zip(pairs, squared, strict=True)],
    }


# --- pipeline.json ---------------------------------------------------------------------------------------------------


def pipeline_vectors(table: Table) -> Json:
    return {"table": "odd.tvt", "cases": [
        {"text": text, "pieces": [_piece(table, piece.kind, piece.text) for piece in pieces(text)]}
        for text in dict.fromkeys(texts.PIPELINE)
    ]}


def _piece(table: Table, kind: str, text: str) -> dict[str, Json]:
    if kind == "layout":
        return {"layout": text}
    row, found = look_up(table, kind, text)
    return {"kind": kind, "token": text, "found": found, "row": row}


# --- release.json and release_english.json ---------------------------------------------------------------------------


def release_vectors(tables: dict[str, Table]) -> Json:
    """Every text twice on the odd table, and in turn on the others, walking through mechanisms, η and options."""
    plan = [("odd.tvt", copy, text) for text in texts.RELEASE for copy in (0, 1)]
    plan += [(name, 0, text) for text in texts.RELEASE[::2] for name in ("toy.tvt", "one.tvt")]
    combinations = itertools.cycle(itertools.product(OPTIONS, MECHANISMS, range(3)))
    cases = [
        _release_case(name, word_mechanism(kind, tables[name], {"eta": ETAS[name][level]}), kind, text, options, copy)
        for (name, copy, text), (options, kind, level) in zip(plan, combinations, strict=False)
    ]
    sampler = word_mechanism("exponential", tables["odd.tvt"], {"eta": ETAS["odd.tvt"][1]})
    plain = [replace(options, plain_layout=True) for options in OPTIONS]
    cases += [_release_case("odd.tvt", sampler, "exponential", text, options, 0)
              for text, options in zip([*texts.RELEASE, *texts.PLAIN], itertools.cycle(plain), strict=False)]
    return {"known_seed": [KNOWN_SEED], "cases": [*cases, *_mended_cases(toy_tables.MEND)]}


def _mended_cases(table: Table) -> Iterator[Json]:
    """Every text with the words that stand there, by a draw that leaves them, and with others; then all of them as they were drawn."""
    still, other = (word_mechanism("exponential", table, {"eta": eta}) for eta in (1e4, 0.1))
    options = itertools.cycle(itertools.product(OPTIONS, (False, True)))
    for text, (shown, plain_layout) in zip(texts.MENDED, options, strict=False):
        yield _release_case("mend.tvt", still, "exponential", text, Options(), 0)
        yield _release_case("mend.tvt", other, "exponential", " ".join([text] * 3), replace(shown, plain_layout=plain_layout), 0)
    for plain_layout in (False, True):
        for sampler in (still, other):
            drawn = Options(plain_layout=plain_layout, as_drawn=True)
            yield _release_case("mend.tvt", sampler, "exponential", ". ".join(texts.MENDED), drawn, 0)


def english_vectors(file: bytes) -> Json:
    """Every text six times on the embedded table, walking through options, η and both mechanisms."""
    table = read_table(file)
    samplers = {(kind, eta): word_mechanism(kind, table, {"eta": eta}) for kind in MECHANISMS for eta in ENGLISH_ETAS}
    combinations = itertools.cycle(itertools.product(OPTIONS, ENGLISH_ETAS, MECHANISMS))
    plan = itertools.product(range(6), texts.ENGLISH)
    return {
        "table": {"sha256": hashlib.sha256(file).hexdigest(), "rows": table.rows, "dims": table.dims,
                  "scale": table.scale, "squared_radius": table.squared_radius, "d_max": table.d_max},
        "cases": [_release_case("english.tvt", samplers[kind, eta], kind, text, options, copy)
                  for (copy, text), (options, eta, kind) in zip(plan, combinations, strict=False)],
        "languages": [_language_case(name, table, text) for name, table in (("english.tvt", table), ("odd.tvt", toy_tables.ODD))
                      for text in texts.LANGUAGES],
    }


def _language_case(name: str, table: Table, text: str) -> dict[str, Json]:
    normalized = unicodedata.normalize("NFKC", text)
    return {"table": name, "text": text, "error": "other-language" if is_of_other_language(table, normalized) else None}


def _release_case(table_name: str, sampler: WordMechanism, kind: str, text: str, options: Options,
                  copy: int) -> dict[str, Json]:
    normalized = unicodedata.normalize("NFKC", text)
    options = replace(options, any_language=is_of_other_language(sampler.table, normalized))
    seed, result = robust_release((table_name, text, kind, sampler.eta, options, copy), sampler, normalized, options)
    return {
        "table": table_name, "text": text, "normalized": normalized, "mechanism": kind, "eta": sampler.eta,
        "options": asdict(options), "seed": seed.hex(), "release": result.text, "private_tokens": result.private_tokens,
        "epsilon_word": sampler.epsilon, "epsilon_text": product_up(result.private_tokens, sampler.epsilon),
        "account": [asdict(entry) for entry in result.account],
    }


# --- mechanism.json --------------------------------------------------------------------------------------------------


def mechanism_vectors(tables: dict[str, Table]) -> Json:
    cases = [(name, eta) for name in tables for eta in (1e-6, *ETAS[name])]
    return {
        "keystream": [_keystream(seed) for seed in (bytes(32), bytes(range(32)), b"\xff" * 32)],
        "exponential": [_exponential(tables[name], name, eta) for name, eta in dict.fromkeys(cases)],
        "noise": [_noise(tables[name], name, eta) for name, eta in dict.fromkeys(cases)],
        "draws": [_draws(tables[name], name, kind, eta)
                  for (name, eta), kind in itertools.product(dict.fromkeys(cases), MECHANISMS)],
        "epsilon": [_epsilon(tables[name], name, kind, epsilon)
                    for name in ("toy.tvt", "odd.tvt") for kind in MECHANISMS
                    for epsilon in (0.001, 0.1, 1.0, 10.0, 76.0, 100.0, 1e4)],
    }


def _keystream(seed: bytes) -> dict[str, Json]:
    words, uniforms = Stream(seed), Stream(seed)
    return {"seed": seed.hex(), "words": [str(words.u64()) for _ in range(20)],
            "uniforms": [uniforms.uniform() for _ in range(20)]}


def _exponential(table: Table, name: str, eta: float) -> dict[str, Json]:
    sampler = word_mechanism("exponential", table, {"eta": eta})
    rows = [{"row": row, "weights": [str(w) for w in sampler.weights(row)], "total": str(sum(sampler.weights(row)))}
            for row in range(0, table.rows, 1 if table.rows < 10 else 15)]
    return {"table": name, "eta": eta, "beta": sampler.beta, "offered": table.offered.tolist(), "inputs": rows}


def _noise(table: Table, name: str, eta: float) -> dict[str, Json]:
    sampler = word_mechanism("metric-laplace", table, {"eta": eta})

    def vectors() -> Iterator[dict[str, Json]]:
        for seed in seeds("noise", name, eta):
            noise, robust = sampler.noise.draw(Stream(seed))
            if robust:
                yield {"seed": seed.hex(), "noise": [clamp(k, FARTHEST) for k in noise]}

    return {"table": name, "eta": eta, "vectors": list(itertools.islice(vectors(), 10))}


def _draws(table: Table, name: str, kind: str, eta: float) -> dict[str, Json]:
    """200 draws out of one keystream: inputs are the rows in turn, round and round."""
    sampler = word_mechanism(kind, table, {"eta": eta})

    def attempts() -> Iterator[tuple[bytes, list]]:
        for seed in seeds("draws", name, kind, eta):
            stream = Stream(seed)
            yield seed, [sampler.draw(n % table.rows, stream) for n in range(DRAWS)]

    seed, draws = next((seed, draws) for seed, draws in attempts() if all(draw.robust for draw in draws))
    return {"table": name, "mechanism": kind, "eta": eta, "seed": seed.hex(), "outputs": [draw.row for draw in draws]}


def _epsilon(table: Table, name: str, kind: str, epsilon: float) -> dict[str, Json]:
    sampler = word_mechanism(kind, table, {"epsilon": epsilon})
    return {"table": name, "mechanism": kind, "epsilon": epsilon, "eta": sampler.eta, "epsilon_word": sampler.epsilon}


# --- errors.json -----------------------------------------------------------------------------------------------------


def error_vectors(tables: dict[str, Table]) -> Json:
    return {
        "privacy": [_privacy_error(tables[name], name, unit, number) for name, unit, number in _privacy_cases(tables)],
        "texts": [_text_error(unit, times) for unit, most in (
            # Ignorable characters count too; nothing is left of these texts after cleaning.
            ("\u00ad", MAX_TEXT_BYTES // 2), ("\u200b", MAX_TEXT_BYTES // 3), ("\U000e0041", MAX_TEXT_BYTES // 4),
        ) for times in (most, most + 1)] + [_text_error(unit, MAX_TEXT_BYTES + 1) for unit in "a. \0"],
    }


def _privacy_cases(tables: dict[str, Table]) -> Iterator[tuple[str, str, float]]:
    extremes = (0.0, -0.0, -1.0, 5e-324, sys.float_info.max, math.nan, math.inf, -math.inf)
    for name, table in tables.items():
        most = 1e6 / table.scale
        for eta in (*extremes, 1e-6, math.nextafter(1e-6, 0), most, math.nextafter(most, math.inf)):
            yield name, "eta", eta
        for epsilon in (*extremes, 1e-9, 1.0, 1e9):
            yield name, "epsilon", epsilon


def _privacy_error(table: Table, name: str, unit: str, number: float) -> dict[str, Json]:
    return {"table": name, unit: spelled(number),
            "error": code_of(lambda: word_mechanism("exponential", table, {unit: number}))}


def _text_error(unit: str, times: int) -> dict[str, Json]:
    return {"unit": unit, "times": times, "error": code_of(lambda: pieces(unit * times))}


# --- Files -----------------------------------------------------------------------------------------------------------


def rendered(vectors: Json) -> bytes:
    """JSON in ASCII, one vector a line, so that a change shows as the lines it touches."""
    parts = []
    for key, value in vectors.items():
        if isinstance(value, list):
            lines = ",\n    ".join(json.dumps(item, allow_nan=False) for item in value)
            parts.append(f'  {json.dumps(key)}: [\n    {lines}\n  ]')
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def all_files(english: Path) -> dict[Path, bytes]:
    """Every file that belongs into `tests/`, by path."""
    table_files = toy_tables.good_files()
    tables = {name: read_table(file) for name, file in table_files.items()}
    all_table_files = table_files | toy_tables.other_files()
    all_tables = {name: read_table(file) for name, file in all_table_files.items()}
    topics = {
        "table": table_vectors(table_files | {name: all_table_files[name] for name in ("mend.tvt",)}),
        "pipeline": pipeline_vectors(tables["odd.tvt"]),
        "release": release_vectors(tables),
        "mechanism": mechanism_vectors(tables),
        "errors": error_vectors(tables),
        "samplers": sampler_vectors(),
        "mechanisms": word_vectors(all_tables),
        "representations": representation_vectors(all_tables),
        "choices": choice_vectors(),
        "refusals": refusal_vectors(all_tables),
        "statements": statement_vectors(all_tables["encoder.tvt"], all_table_files["encoder.tvt"][32:64]),
        "contributions": contribution_vectors(all_tables, {name: file[32:64] for name, file in all_table_files.items()}),
        "describe": description_vectors(),
        "short": short_vectors(),
        "redaction": redaction_vectors(all_tables, {name: file[32:64] for name, file in all_table_files.items()}),
        "keys": key_vectors(all_tables, {name: file[32:64] for name, file in all_table_files.items()}),
    }
    if english.exists():
        topics["release_english"] = english_vectors(english.read_bytes())
    files = {TESTS / "tables" / name: file for name, file in all_table_files.items()}
    return files | {TESTS / "vectors" / f"{topic}.json": rendered(vectors) for topic, vectors in topics.items()}


def difference(path: Path, expected: bytes) -> str | None:
    """One line on how the committed file differs, or nothing."""
    name = path.relative_to(TESTS)
    if not path.exists():
        return f"{name}: missing"
    committed = path.read_bytes()
    if committed == expected:
        return None
    lines = itertools.zip_longest(expected.split(b"\n"), committed.split(b"\n"))
    changed = [n for n, (ours, theirs) in enumerate(lines, 1) if ours != theirs]
    return f"{name}: {len(changed)} lines differ, the first is line {changed[0]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing")
    parser.add_argument("--english", type=Path, default=EMBEDDED_TABLE, help="table for release_english.json")
    arguments = parser.parse_args()
    files = all_files(arguments.english)
    if not arguments.english.exists():
        print("no English table: release_english.json left alone", file=sys.stderr)
    if arguments.check:
        differences = [line for path, file in files.items() if (line := difference(path, file))]
        print("; ".join(differences) or f"{len(files)} files are as they should be")
        return 1 if differences else 0
    for path, file in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file)
        print(f"{path.relative_to(TESTS)}: {len(file)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
