//! The name that was meant, and the message for a column that the file does not have.

use anyhow::{Error, anyhow};
use strsim::osa_distance;

use crate::report::numbers::counted;

/// The name that another one is a slip of: without case and spaces, the nearest with at most two slips.
pub fn nearest<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.split_whitespace().collect::<String>().to_lowercase();
    let asked = plain(asked);
    let slips = names.map(|name| (osa_distance(&plain(name), &asked), name));
    let near = slips.filter(|(slips, _)| *slips <= 2 && 2 * slips < asked.chars().count());
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

/// An error that says how many columns `file` has, and names the one that `column` is a slip of. It names no other: in a
/// file without a header the first row is a text. `otherwise` follows if no name is near. It names the columns of a file that
/// certainly has a header.
pub fn missing<'n>(file: &str, column: &str, names: impl Iterator<Item = &'n str>, otherwise: &str) -> Error {
    let names: Vec<&str> = names.collect();
    match nearest(column, names.iter().copied()) {
        Some(name) => anyhow!("{file} has no column \"{column}\". Did you mean \"{name}\"?"),
        None => {
            let count = counted(names.len() as u64, "column");
            anyhow!("{file} has no column \"{column}\" among its {count}{otherwise}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(column: &str, names: &[&str]) -> String {
        missing("a.csv", column, names.iter().copied(), ". Look.").to_string()
    }

    #[test]
    fn the_nearest_column_is_named() {
        let plain = "a.csv has no column";
        assert_eq!(told("txt", &["id", "Text"]), format!("{plain} \"txt\". Did you mean \"Text\"?"));
        assert_eq!(told("txet", &["test", "text"]), format!("{plain} \"txet\". Did you mean \"text\"?"));
        assert_eq!(
            told("myreview", &["id", "My Review "]),
            format!("{plain} \"myreview\". Did you mean \"My Review \"?")
        );
        assert_eq!(told("txt", &["id", "stars"]), format!("{plain} \"txt\" among its 2 columns. Look."));
        assert_eq!(told("id", &["no"]), format!("{plain} \"id\" among its 1 column. Look."));
    }

    #[test]
    fn a_text_in_the_first_row_is_not_shown() {
        for text in ["My name is Secretname and I have cancer", "Secretname", "text by Secretname"] {
            let told = told("text", &["5", text]);
            assert!(told.ends_with("among its 2 columns. Look.") && !told.contains("Secret"), "{told}");
        }
    }
}
