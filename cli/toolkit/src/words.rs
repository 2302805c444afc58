//! Lists of words, one a line.

use std::path::Path;

use anyhow::{Result, anyhow};
use textveil::{Error, WordLists, normalize};

use crate::files::text_of;

/// The words of a file in NFKC, each with the number of its line. Blank lines and lines that begin with `#` are left out.
///
/// # Errors
/// What cannot be read, or is no UTF-8.
fn read(path: &Path) -> Result<Vec<(usize, String)>> {
    let text = text_of(path)?;
    let lines = text.lines().enumerate().map(|(place, line)| (place + 1, normalize(line.trim())));
    Ok(lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect())
}

/// The words to be kept, and those never to be said.
///
/// # Errors
/// What cannot be read, and a word that a list cannot have, by file and line.
pub fn lists(keep: Option<&Path>, never_say: Option<&Path>) -> Result<WordLists> {
    let words = |path: Option<&Path>| path.map_or_else(|| Ok(Vec::new()), read);
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
