//! The guarantee of a file of releases: where it lies, and which columns it says were released.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::parquet;
use textveil_toolkit::format::Format;

/// What is read of a guarantee here.
#[derive(Deserialize)]
struct Statement {
    columns: Vec<String>,
}

/// Where the guarantee of a file lies, unless the file is Parquet, which holds its own.
#[must_use]
pub fn place(releases: &Path) -> PathBuf {
    let mut path = releases.to_owned().into_os_string();
    path.push(".guarantee.json");
    PathBuf::from(path)
}

/// The columns that were released, as the guarantee of the file says. Plain lines have no columns. `None` if the file has
/// no guarantee.
#[must_use]
pub fn columns(releases: &Path) -> Option<Vec<String>> {
    let statement = if Format::of(releases) == Format::Parquet {
        parquet::Input::open(releases).ok()?.note()?.as_bytes().to_vec()
    } else {
        fs::read(place(releases)).ok().filter(|_| releases.is_file())?
    };
    serde_json::from_slice(&statement).ok().map(|Statement { columns }| columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarantee_names_the_columns_of_the_file_next_to_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.csv");
        let write = |path: &Path, text: &str| fs::write(path, text).expect("written");
        write(&place(&file), r#"{ "columns": ["text"], "rows": 1 }"#);
        assert_eq!(columns(&file), None, "there is no file");
        write(&file, "text\ngood\n");
        assert_eq!(columns(&file), Some(vec!["text".to_owned()]));
        write(&place(&file), r#"{ "columns": [], "rows": 1 }"#);
        assert_eq!(columns(&file), Some(Vec::new()));
        for other in ["", "[]", r#"{ "rows": 1 }"#] {
            write(&place(&file), other);
            assert_eq!(columns(&file), None);
        }
        assert_eq!(columns(&folder.path().join("b.csv")), None);
    }
}
