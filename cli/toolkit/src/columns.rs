//! The message for a column that the file does not have.

use anyhow::{Error, anyhow};

/// Columns that are listed.
const LISTED: usize = 30;
/// Characters of the name of a column: what is longer may be a text, in a file whose first row names nothing.
const LONGEST: usize = 40;
/// How alike a name must be to be suggested, as Jaro and Winkler count it.
const ALIKE: f64 = 0.75;

/// An error that lists the columns of `file`, and names the one that is spelled most like `column`.
pub fn missing<'n>(file: &str, column: &str, names: impl Iterator<Item = &'n str>) -> Error {
    let names: Vec<&str> = names.collect();
    if names.iter().any(|name| name.chars().count() > LONGEST) {
        return anyhow!("{file} has no column \"{column}\". Its first row does not look like names of columns");
    }
    let likeness = |name: &&str| strsim::jaro_winkler(&name.to_lowercase(), &column.to_lowercase());
    let nearest = names.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = nearest.filter(|name| likeness(name) >= ALIKE);
    let hint = hint.map_or_else(String::new, |name| format!(" Did you mean \"{name}\"?"));
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed: Vec<&str> = names.into_iter().take(LISTED).collect();
    anyhow!("{file} has no column \"{column}\".{hint} Its columns: {}{more}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(column: &str, names: &[&str]) -> String {
        missing("a.csv", column, names.iter().copied()).to_string()
    }

    #[test]
    fn the_columns_are_listed_and_the_nearest_is_named() {
        let plain = "a.csv has no column \"txt\".";
        assert_eq!(told("txt", &["id", "Text"]), format!("{plain} Did you mean \"Text\"? Its columns: id, Text"));
        assert_eq!(told("txt", &["id", "stars"]), format!("{plain} Its columns: id, stars"));
        let many: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(told("txt", &many).ends_with("c29 and 10 more"));
    }

    #[test]
    fn a_text_in_the_first_row_is_not_shown() {
        let told = told("text", &["1", "My neighbour Ms Miller told me last night that"]);
        assert!(told.ends_with("does not look like names of columns") && !told.contains("Miller"), "{told}");
    }
}
