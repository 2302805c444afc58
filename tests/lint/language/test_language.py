"""Tests of `language.py`: each fails if a sentence may be longer, or if a phrase slips through."""

import re
import unittest
from contextlib import redirect_stdout
from io import StringIO
from unittest.mock import patch

import language
import links

SHORT = "The person types a text. The device draws the words. "
LONG = "Word " + " ".join(["word"] * 28) + ". "


def lengths(text: str) -> list[int]:
    return [sentence.words for sentence in language.sentences(text)]


def wrong_lengths(text: str) -> list[str]:
    return language.wrong_lengths(language.sentences(text))


def found(text: str) -> list[tuple[int, str]]:
    return [(line, words) for line, words, _ in language.wrong_phrases(text)]


class Sentences(unittest.TestCase):
    def test_ends_of_sentences(self):
        self.assertEqual(lengths("It holds. Does it? Yes: ε is 10.5 (see *below*). `draw` ends it."), [2, 2, 6, 3])
        self.assertEqual(lengths("Names, e.g. of people, count. Lyu et al. say 3."), [5, 5])
        self.assertEqual(lengths("One line\ngoes on here.\n\n- an item\n- another item\n  goes on\n\n1. a third"), [5, 2, 4, 2])

    def test_what_is_no_sentence(self):
        for text in [
            "---\ntitle: A page\n---\n",
            "# A heading of some words",
            "| a | table |\n| --- | --- |",
            "```sh\nsome code; here\n```\n",
            "<!-- a comment; here -->",
            "> ```\n> code; here\n> ```",
        ]:
            self.assertEqual((lengths(text), found(text)), ([], []), text)

    def test_addresses_and_code_are_no_words(self):
        self.assertEqual(lengths("See [the page](docs/a page.md) and `a; b` at https://a.example/b;c now."), [7])
        self.assertEqual(found("`so many; beside` <a title='beside;'> [x](beside;so.md)"), [])

    def test_a_long_sentence_fails(self):
        self.assertEqual(wrong_lengths(SHORT * 5 + LONG), [])
        self.assertIn("longest", wrong_lengths(SHORT * 4 + LONG)[0])
        self.assertIn("line 3: 29 words", wrong_lengths(SHORT + "\n\n" + LONG)[1])

    def test_a_high_mean_fails(self):
        seventeen, eighteen = "Word" + " word" * 16 + ". ", "Word" + " word" * 17 + ". "
        self.assertEqual(wrong_lengths(seventeen * 9), [])
        self.assertIn("18.0 words", wrong_lengths(eighteen * 9)[0])


class Phrases(unittest.TestCase):
    def test_a_phrase_is_found_on_its_line(self):
        self.assertEqual(found("It holds.\nA word stands\nbeside another."), [(3, "beside")])
        self.assertEqual(found("The rest is\nnone."), [(1, "is none")])
        self.assertEqual(found("| Beside | a cell; another |"), [(1, "Beside")])
        self.assertEqual(found("One claim; another."), [(1, ";")])

    def test_a_clause_is_no_subject(self):
        self.assertEqual(found("What is sent is public. Whoever reads it learns it."), [(1, "What"), (1, "Whoever")])
        self.assertEqual(found("What is sent? Who reads it?\n\n## What is sent"), [])

    def test_every_phrase_has_a_reason(self):
        self.assertGreater(len(language.phrases()), 20)
        self.assertTrue(all(reason for _, reason in language.phrases()))


class Help(unittest.TestCase):
    SOURCE = """/// About; a function.
fn a() {}

/// Draws; releases.
#[derive(Parser, Debug)]
struct A {
    /// So many.
    n: u8,
}
/// x;
"""

    def test_only_what_help_prints_is_read(self):
        text = language.help_text(self.SOURCE)
        self.assertEqual(found(text), [(4, ";"), (7, "So many")])


class Comments(unittest.TestCase):
    RUST = """//! About; a crate. \\n
/// So many.
fn a() {} // beside
#[cfg(b)]
    // A word stands
    // beside another.
let x = y
    * z;
/// Draws so many.
#[derive(Args)]
struct B {
    /// Help, so many.
    n: u8,
}
"""
    SCRIPT = """/** So many. */
/**
 * Draws; beside a word.
 *
 * @param {{ a: (beside: string) => { lest: null } }} beside lest it ends
 * @import { Beside } from './beside.js'
 */
const a = b
  * lest;
""" + "# lest\n"

    def found(self, name: str, source: str) -> list[tuple[int, str]]:
        return [(line, words) for line, words, _ in language.wrong_in_comments(language.comments(name, source))]

    def test_phrases_are_found_in_comments_alone(self):
        self.assertEqual(self.found("a.rs", self.RUST), [(2, "So many"), (6, "beside")])
        for kind in ["js", "mjs", "ts", "kt", "swift"]:
            self.assertEqual(self.found(f"a.{kind}", self.SCRIPT), [(1, "So many"), (3, "beside"), (5, "lest")], kind)
        python = '# So many.\n#!beside\nx = """beside"""\ndef f():\n    """Draws.\n\n    So many.\n    """\n    return "beside"\n'
        self.assertEqual(self.found("a.py", python), [(1, "So many"), (7, "So many")])

    def test_a_tag_and_its_type_are_no_words(self):
        text = language.comments("a.js", self.SCRIPT)
        self.assertEqual(lengths(text), [2, 4, 3])
        self.assertEqual(lengths(language.comments("a.js", "/** @type {number} */\n/** @param {A} b */")), [])

    def test_lengths_count_over_a_folder(self):
        short, long = "tests/lint/language/language.py", "xtask/src/main.rs"
        texts = {short: SHORT * 5, long: LONG}
        with patch.object(language, "comments", lambda name, _: texts[name]):
            unneeded = "the comments of xtask are right: take it out of exempt.txt"
            self.assertEqual(language.check_comments([short, long], {"xtask"}), [unneeded])
            problems = language.check_comments([short, long], set())
            self.assertEqual([line for line in problems if not line.startswith("comments of xtask: ")], [])
            self.assertIn("longest", problems[0])

    def test_a_file_that_is_exempt_is_not_read(self):
        name = "tests/lint/language/language.py"
        with patch.object(language, "comments", lambda *_: "So many words."):
            self.assertEqual(language.check_comments([name], {"tests/lint"}), [])
            self.assertIn("So many: name the number", language.check_comments([name], set())[0])

    def test_a_wrong_comment_fails(self):
        report = StringIO()
        with (
            patch.object(language, "documents", list),
            patch.object(language, "listing", lambda *_: ["xtask/src/main.rs"]),
            patch.object(language, "comments", lambda *_: "So many words."),
            self.assertRaises(SystemExit) as end,
            redirect_stdout(report),
        ):
            language.main([])
        self.assertEqual(end.exception.code, 1)
        self.assertIn("xtask/src/main.rs:1: So many: name the number", report.getvalue())

    def test_all_code_is_read(self):
        names = language.listing(*language.CODE_FILES)
        for name in ["core/src/lib.rs", "web-demo/views.js", "tests/node/vectors.mjs", "wasm/npm/types.d.ts", "tests/reference/certify.py"]:
            self.assertIn(name, names)
        self.assertTrue({".kt", ".swift"} <= {name[name.rindex(".") :] for name in names})


class Links(unittest.TestCase):
    def test_a_link_that_leads_nowhere_is_found(self):
        page = language.ROOT / "README.md"
        text = "[a](SECURITY.md)\n[b](SECURTY.md)\n[c](SECURITY.md#no-such-heading) [d](https://a.example) `[e](f)`\n[g](../secret)"
        self.assertEqual([line for line, _ in links.wrong(page, text)], [2, 3, 4])

    def test_headings_are_anchors(self):
        self.assertIn("the-ledger", links.anchors(language.ROOT / "SECURITY.md"))


class Book(unittest.TestCase):
    def test_the_page_of_error_codes_has_all(self):
        page = (language.ROOT / "docs/src/reference/errors.md").read_text()
        sources = ["core/src/error.rs", "core/src/parameters.rs", "wasm/npm/types.d.ts"]
        text = "".join((language.ROOT / name).read_text() for name in sources)
        codes = set(re.findall(r"""(?:=> "|^  \| ')([a-z]+(?:-[a-z]+)+)["']""", text, re.MULTILINE))
        self.assertGreater(len(codes), 30)
        self.assertEqual(sorted(code for code in codes if f"`{code}`" not in page), [])


class Project(unittest.TestCase):
    def test_the_documents_are_found(self):
        names = language.documents()
        for name in ["README.md", "SECURITY.md", "wasm/npm/README.md", "cli/src/privatize.rs"]:
            self.assertIn(name, names)
        self.assertNotIn("cli/src/files.rs", names)

    def test_a_document_that_is_worse_fails(self):
        report = StringIO()
        with self.assertRaises(SystemExit) as end, redirect_stdout(report):
            language.main(["tests/lint/language/wrong.md"])
        self.assertEqual(end.exception.code, 1)
        self.assertIn("wrong.md:3: beside: next to", report.getvalue())
        self.assertIn("words a sentence", report.getvalue())


if __name__ == "__main__":
    unittest.main()
