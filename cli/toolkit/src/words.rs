//! Lists of words and texts, one a line.

use std::path::Path;

use anyhow::{Result, anyhow};
use textveil::{Error, WordLists, normalize};

use crate::files::text_of;

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
    let file = path.map_or_else(String::new, |path| path.display().to_string());
    let line = lines.get(place).map_or_else(String::new, |(line, _)| format!(", line {line}"));
    let message = error.to_string();
    let rule = message.split_once(" (number").map_or(&*message, |(rule, _)| rule);
    anyhow!("{file}{line}: {rule}")
}
