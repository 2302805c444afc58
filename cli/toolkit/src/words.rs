//! Lists of words and texts, one a line.

use std::path::Path;

use anyhow::{Result, anyhow};
use textveil::{Error, WordLists, normalize};

use crate::files::text_of;

/// The most words of a list.
const MOST_WORDS: usize = 1000;

/// The lines of a file, trimmed and in NFKC. Blank lines are skipped. So are lines that begin with `#`, where comments
/// are allowed.
///
/// # Errors
/// What cannot be read, or is no UTF-8.
pub fn lines(path: &Path, has_comments: bool) -> Result<Vec<String>> {
    Ok(numbered(path, has_comments)?.into_iter().map(|(_, line)| line).collect())
}

/// The same lines, each with its number.
fn numbered(path: &Path, has_comments: bool) -> Result<Vec<(usize, String)>> {
    let text = text_of(path)?;
    let lines = text.lines().enumerate().map(|(place, line)| (place + 1, normalize(line.trim())));
    Ok(lines.filter(|(_, line)| !(line.is_empty() || has_comments && line.starts_with('#'))).collect())
}

/// The words to be kept, and those never to be said.
///
/// # Errors
/// What cannot be read, and a word that a list cannot have, by file and line.
pub fn lists(keep: Option<&Path>, never_say: Option<&Path>) -> Result<WordLists> {
    let words = |path: Option<&Path>| path.map_or_else(|| Ok(Vec::new()), |path| numbered(path, true));
    let (keep_lines, never_lines) = (words(keep)?, words(never_say)?);
    let [kept, never_said] = [&keep_lines, &never_lines].map(|lines| lines.iter().map(|(_, word)| word));
    let lists = WordLists::keeping(&kept.collect::<Vec<_>>())
        .and_then(|lists| lists.never_saying(&never_said.collect::<Vec<_>>()));
    lists.map_err(|error| at(error, (keep, &keep_lines), (never_say, &never_lines)))
}

/// The file and the line that an error speaks of.
fn at(
    error: Error,
    keep: (Option<&Path>, &[(usize, String)]),
    never: (Option<&Path>, &[(usize, String)]),
) -> anyhow::Error {
    let ((path, lines), place) = match error {
        Error::InvalidKeepWords(place) => (keep, place),
        Error::InvalidNeverSay(place) => (never, place),
        _ => return error.into(),
    };
    let is_of_kept = matches!(error, Error::InvalidKeepWords(_));
    let what = if is_of_kept { "a word to be kept" } else { "a word never to be said" };
    let is_word = lines.get(place).is_some_and(|(_, word)| WordLists::keeping(&[word]).is_ok());
    let rule = if place >= MOST_WORDS {
        "must be one of the first 1,000 of its list"
    } else if !is_word {
        "must be one word of at most 64 bytes"
    } else if is_of_kept {
        "must not be another form of a word before it"
    } else {
        "must not be one to be kept"
    };
    let file = path.map_or_else(String::new, |path| path.display().to_string());
    let line = lines.get(place).map_or_else(String::new, |(line, _)| format!(", line {line}"));
    anyhow!("{file}{line}: {what} {rule}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_rule_that_a_word_breaks_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = |keep: &str, never: &str| {
            let [keep, never] = [("k.txt", keep), ("n.txt", never)].map(|(name, words)| {
                let path = folder.path().join(name);
                fs::write(&path, words).expect("written");
                path
            });
            lists(Some(keep.as_path()), Some(never.as_path())).expect_err("no list").to_string()
        };
        for (keep, never, message) in [
            ("new york", "", "k.txt, line 1: a word to be kept must be one word of at most 64 bytes"),
            (
                "Nile\n# a river\nNILE",
                "",
                "k.txt, line 3: a word to be kept must not be another form of a word before it",
            ),
            ("", "new york", "n.txt, line 1: a word never to be said must be one word of at most 64 bytes"),
            ("Nile", "delta\nnile", "n.txt, line 2: a word never to be said must not be one to be kept"),
        ] {
            let told = told(keep, never);
            assert!(told.ends_with(message), "{told}");
        }
        let told = told("", &"delta\n".repeat(1001));
        assert!(told.ends_with("a word never to be said must be one of the first 1,000 of its list"), "{told}");
    }
}
