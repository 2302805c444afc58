"""What the tests share: the seeded library, the tables, and how a vector's options are said in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from textveil import Statements, TextVeil, _native

ROOT = Path(__file__).parents[3]
ENGLISH = "english.tvt"


@cache
def vectors(name: str) -> Any:
    return json.loads((ROOT / "tests/vectors" / f"{name}.json").read_text())


def recipe(word: str) -> str:
    """The example of the README that has this word in it."""
    blocks = (ROOT / "mobile/python/README.md").read_text().split("```python\n")[1:]
    (found,) = (block.partition("```")[0] for block in blocks if word in block.partition("```")[0])
    return found


@cache
def table(name: str) -> bytes:
    directory = "core/data" if name == ENGLISH else "tests/tables"
    return (ROOT / directory / name).read_bytes()


@cache
def veil(name: str) -> TextVeil:
    """One object for each table."""
    return TextVeil(table(name))


class Study(TextVeil):
    """An object whose releases follow from their texts: what the release library must not have."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._inner = _native.TextVeil.seeded(None, seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Study, (self._seed,)


def study(seed: bytes = bytes(range(32))) -> Study:
    return Study(seed)


class StatementsStudy(Statements):
    """The same for whole texts."""

    def __init__(self, statements: bytes, encoder: bytes, **options: Any) -> None:
        super().__init__(statements, encoder, **options)
        self._inner = _native.Statements.seeded(statements, seed=bytes(32), **self._given)


@cache
def list_file(name: str) -> bytes:
    """A list of the golden vectors."""
    (found,) = (bytes.fromhex(one["file"]) for one in vectors("statements")["lists"] if one["name"] == name)
    return found


def statements_study(**options: Any) -> StatementsStudy:
    return StatementsStudy(list_file("plain"), table("encoder.tvt"), **{"epsilon": 1.0, "per_sentence": 4} | options)


def in_a_fork(work: Callable[[], object]) -> str:
    """What a call raises in a process that was forked."""
    said, say = os.pipe()
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 the child ends here
            os.write(say, repr(error).encode())
        os._exit(0)
    os.close(say)
    with open(said) as heard:  # noqa: PTH123 a pipe has no path
        os.waitpid(child, 0)
        return heard.read()


def has_seeds() -> bool:
    """Where `TEXTVEIL_SEEDED` is set, the library must take seeds: then no test skips itself for want of them."""
    found = hasattr(_native.TextVeil, "seeded")
    assert found or not os.environ.get("TEXTVEIL_SEEDED"), "this library takes no seeds"
    return found
