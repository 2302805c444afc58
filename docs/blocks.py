"""Makes tests of the blocks of Kotlin or Swift that the documents print.

blocks.py kotlin|swift FILE

Each block becomes a test in FILE. What a block takes for granted, such as `send`, is in the class `Granted` of the language's tests.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ["README.md", "docs/src/**/*.md", "mobile/*/README.md"]

FILES = {
    "kotlin": """package textveil.documents

{imports}

@DisplayName("blocks of the documents")
class BlocksTest {{
{tests}}}
""",
    "swift": """{imports}
// On Linux, requests are in a module of their own.
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("blocks of the documents") final class Blocks: Granted {{
{tests}}}
""",
}
IMPORTS = {
    "kotlin": {"import org.junit.jupiter.api.DisplayName", "import org.junit.jupiter.api.Test", "import textveil.*"},
    "swift": {"import Foundation", "import Testing", "import Textveil"},
}
TESTS = {
    "kotlin": """    @Test
    @DisplayName("{name}")
    fun block{number}() = granted(sent = {sent}) {{
{code}
    }}

""",
    "swift": """    @Test("{name}") func block{number}() async throws {{
        do {{
{code}
        }}
        expectSent({sent})
    }}

""",
}


def blocks(language: str) -> list[tuple[str, str]]:
    """Where each block stands, and its code."""
    found = []
    for path in sorted(path for place in PLACES for path in ROOT.glob(place)):
        text = path.read_text()
        for block in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, block.start()) + 1
            found.append((f"{path.relative_to(ROOT)}, line {line}", block[1]))
    return found


def main(language: str, file: str) -> None:
    found = blocks(language)
    if not found:
        sys.exit(f"no document has a block of {language}")
    imports, tests = set(IMPORTS[language]), ""
    for number, (name, block) in enumerate(found):
        imports.update(re.findall(r"^import .*", block, re.MULTILINE))
        code = textwrap.indent(re.sub(r"^import .*\n+", "", block, flags=re.MULTILINE).rstrip(), " " * 8)
        sent = len(re.findall(r"\bsend\(", code))
        tests += TESTS[language].format(name=name, number=number, code=code, sent=sent)
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(FILES[language].format(imports="\n".join(sorted(imports)), tests=tests))


if __name__ == "__main__":
    main(*sys.argv[1:])
