"""Every example for Python that the README files and the book print runs as it stands, page by page."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from conftest import ROOT
from contributions_test import request as contribution_request
from textveil import Statements, TextVeil

PAGES = [
    "README.md",
    "docs/src/tutorials/first-app.md",
    "docs/src/how-to/keep-a-budget.md",
    "docs/src/how-to/redact-first.md",
    "docs/src/reference/apis.md",
    "mobile/python/README.md",
]
NOT_RUN = {"docs/src/how-to/another-language.md"}
"""It reads a package of vectors for another language, of 60 MB."""

ELSEWHERE = {
    "import duckdb": "duckdb_test.py",
    "RowMemory": "sklearn_test.py",
    "counted.csv": "spark_test.py",
    "from textveil.spark import": "spark_test.py",
}
"""Examples that need a server, a session or a counter, by a word of them: another test runs them."""


class Detector:
    """Stands in for the analyzer of Presidio, whose model has 400 MB. Its answers overlap, as those of Presidio do."""

    def analyze(self, text: str, language: str) -> list[SimpleNamespace]:
        assert (text[10:20], language) == ("Anna Meier", "en")
        answers = [("PERSON", 10, 20, 0.85), ("PERSON", 15, 20, 0.5), ("PHONE_NUMBER", 36, 44, 0.75)]
        return [SimpleNamespace(entity_type=kind, start=start, end=end, score=score) for kind, start, end, score in answers]


def blocks(page: str) -> list[str]:
    parts = (ROOT / page).read_text().split("```python\n")[1:]
    return [part.partition("```")[0] for part in parts]


def is_run_elsewhere(block: str) -> bool:
    return any(word in block for word in ELSEWHERE)


def names_of(page: str) -> dict[str, Any]:
    """What a page takes for granted."""
    texts = ["The app crashes every day.", "I love this app.", "My parcel was late."] * 40
    names: dict[str, Any] = {"text": texts[0], "texts": texts, "frame": pd.DataFrame({"review": texts, "stars": [1, 5, 2] * 40})}
    if page == "docs/src/how-to/keep-a-budget.md":
        names["release"] = TextVeil().privatize(texts[0])
    if page == "mobile/python/README.md":
        exec(
            "from sklearn.feature_extraction.text import TfidfVectorizer\n"
            "from sklearn.linear_model import LogisticRegression\n"
            "from sklearn.pipeline import make_pipeline\n"
            "from textveil import Budget, Contributor, Ledger, TextVeil\n",
            names,
        )
        reports = [TextVeil().choice(value, 3, question="how often", epsilon=1) for value in (0, 1, 2) * 20]
        unit = np.eye(8)[:2]
        names |= {"embeddings": unit, "request": contribution_request(noise={"by": "devices", "least": 4}), "answered": set()}
        names |= {"reports": reports, "released": reports, "stored": None, "sequence": 0}
        names |= dict.fromkeys(("store", "count", "send"), list[Any]().append)
    return names


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_in_their_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "statements/product-feedback.tvs", tmp_path)
    (tmp_path / "feedback.csv").write_text("text\n" + "The app crashes all the time.\nI love it.\n" * 50)
    monkeypatch.setitem(sys.modules, "presidio_analyzer", SimpleNamespace(AnalyzerEngine=Detector))
    names = names_of(page)
    for block in blocks(page):
        if is_run_elsewhere(block):
            continue
        if "from textveil import estimate" in block:
            # The column that `statements` has released, and the guarantee that came with it.
            statements = Statements("product-feedback.tvs", epsilon=8)
            column, guarantee = statements.privatize_column(names["frame"]["review"])
            names |= {"statements": statements, "guarantee": guarantee, "frame": pd.DataFrame({"released": column})}
            *others, by_words = ast.parse(block).body
            exec(compile(ast.Module(others, []), page, "exec"), names)
            # It takes half a minute. Another test asks for shares of words.
            assert ast.unparse(by_words).startswith("estimate.words({")
        else:
            exec(compile(block, page, "exec"), names)


def test_every_example_runs_here_or_where_it_is_said() -> None:
    for word, file in ELSEWHERE.items():
        assert [block for page in PAGES for block in blocks(page) if word in block], word
        assert word in (ROOT / "mobile/python/tests" / file).read_text(), word
    others = [str(path.relative_to(ROOT)) for path in (ROOT / "docs/src").rglob("*.md") if "```python" in path.read_text()]
    marked = [page for page in others if "-->\n```python" in (ROOT / page).read_text()]
    pages = {page for page in PAGES if page.startswith("docs/")}
    assert {*others} == {*pages, *marked, *NOT_RUN}, "a page with examples that nobody runs"


def test_columns_of_polars_are_as_the_readme_says() -> None:
    frame = pl.DataFrame({"review": ["The food was cold.", None]})
    (block,) = (block for block in blocks("mobile/python/README.md") if "from textveil.spark import" in block)
    released: dict[str, Any] = {"frame": frame}
    exec(block.partition("\n\n")[0].replace("frame.with", "result = frame.with"), released)
    assert released["result"]["review"].is_null().to_list() == [False, True]


def test_a_program_of_the_tutorial_prints_a_release_and_what_is_promised() -> None:
    first = blocks("docs/src/tutorials/first-app.md")[0]
    printed = subprocess.run([sys.executable, "-c", first], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(printed) == 2
    assert "ε = 10.5" in printed[1], json.dumps(printed)
