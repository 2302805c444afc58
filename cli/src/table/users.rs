//! Texts by user, one user after the other.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use textveil_bulk::csv::{self, Dialect};
use textveil_bulk::parquet::Input;
use textveil_toolkit::files::open;
use textveil_toolkit::format::Format;

/// The columns of a file of texts by user.
pub(super) struct Columns {
    pub(super) user: String,
    pub(super) text: String,
    /// Each user's own ε.
    pub(super) epsilon: Option<String>,
}

/// One user.
pub(super) struct User {
    id: String,
    pub(super) texts: Vec<String>,
    pub(super) epsilon: Option<f64>,
    /// The user's first row, for messages.
    pub(super) row: u64,
}

/// Hands each user of CSV, TSV or Parquet to `take`. Rows are ascending by user (as bytes), so that a user who comes again is
/// found in memory that does not grow with the users. A row without text counts nothing.
///
/// # Errors
/// The first error of `take`. A file that cannot be read or lacks a column. A row without user, out of order, or with
/// another ε than the user's rows before. No message has a text or the name of a user.
pub(super) fn each(path: &Path, columns: &Columns, take: &mut dyn FnMut(User) -> Result<()>) -> Result<()> {
    let name = path.display().to_string();
    let wanted: Vec<String> = [&columns.user, &columns.text].into_iter().chain(&columns.epsilon).cloned().collect();
    let mut user: Option<User> = None;
    let mut row = |place: u64, cells: Vec<Option<String>>| -> Result<()> {
        let mut cells = cells.into_iter();
        let (id, text) = (cells.next().flatten(), cells.next().flatten());
        let id = id.filter(|id| !id.is_empty()).with_context(|| format!("{name}, row {place}: it has no user"))?;
        let number = |cell: String| {
            let epsilon = cell.trim().parse::<f64>().ok().filter(|epsilon| epsilon.is_finite() && *epsilon > 0.0);
            epsilon.with_context(|| format!("{name}, row {place}: the user's epsilon is not a number above 0"))
        };
        let epsilon =
            columns.epsilon.is_some().then(|| number(cells.next().flatten().unwrap_or_default())).transpose()?;
        match &mut user {
            Some(user) if user.id == id => {
                ensure!(
                    user.epsilon == epsilon,
                    "{name}, row {place}: another epsilon than in row {} of this user",
                    user.row
                );
                user.texts.extend(text);
            }
            before => {
                if let Some(before) = before.take() {
                    ensure!(
                        before.id < id,
                        "{name}, row {place}: users are not in ascending order. Sort the rows by user"
                    );
                    take(before)?;
                }
                *before = Some(User { id, texts: text.into_iter().collect(), epsilon, row: place });
            }
        }
        Ok(())
    };
    match Format::of(path) {
        Format::Parquet => Input::open(path)?.each(&name, &wanted, &mut row)?,
        format @ (Format::Csv | Format::Tsv) => {
            let dialect = if format == Format::Tsv { Dialect::TSV } else { Dialect::CSV };
            csv::each(open(path)?, &name, dialect, &wanted, &mut |line, cells| {
                row(line, cells.into_iter().map(|cell| Some(cell.to_owned())).collect())
            })?;
        }
        Format::Lines | Format::Jsonl => bail!("{name}: texts by user come as CSV, TSV or Parquet"),
    }
    user.map_or(Ok(()), take)
}

#[cfg(test)]
mod tests {
    use textveil_tests::Folder;

    use super::*;

    fn read(name: &str, content: &str) -> Result<Vec<(usize, Option<f64>)>> {
        let folder = Folder::new();
        let path = folder.write(name, content);
        let epsilon = content.starts_with("who,what,most").then(|| "most".to_owned());
        let columns = Columns { user: "who".to_owned(), text: "what".to_owned(), epsilon };
        let mut users = Vec::new();
        each(path.as_ref(), &columns, &mut |user| {
            users.push((user.texts.len(), user.epsilon));
            Ok(())
        })?;
        Ok(users)
    }

    #[test]
    fn rows_of_a_user_are_one_user() {
        let users = read("a.csv", "who,what\na,x\na,y\nb,z\nc,\n").expect("users");
        assert_eq!(users, [(2, None), (1, None), (1, None)]);
        let users = read("b.csv", "who,what,most\na,x,1\na,y,1.0\nb,z,2\n").expect("users");
        assert_eq!(users, [(2, Some(1.0)), (1, Some(2.0))]);
        assert_eq!(read("c.csv", "who,what\n").expect("none"), []);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_row_and_without_a_text() {
        for (name, content, expected) in [
            ("d.csv", "who,what\nb,secret\na,secret\n", "row 3: users are not in ascending order"),
            ("e.csv", "who,what\na,secret\nb,secret\na,secret\n", "row 4: users are not in ascending order"),
            ("f.csv", "who,what\n,secret\n", "row 2: it has no user"),
            ("g.csv", "who,what,most\na,secret,0\n", "row 2: the user's epsilon is not a number above 0"),
            ("h.csv", "who,what,most\na,secret,lots\n", "row 2: the user's epsilon is not a number above 0"),
            ("i.csv", "who,what,most\na,secret,1\na,secret,2\n", "row 3: another epsilon than in row 2 of this user"),
            ("j.csv", "who,words\na,secret\n", "no column \"what\""),
            ("k.txt", "a secret", "come as CSV, TSV or Parquet"),
        ] {
            let message = format!("{:#}", read(name, content).expect_err("refused"));
            assert!(message.contains(expected) && !message.contains("secret"), "{message}");
        }
    }
}
