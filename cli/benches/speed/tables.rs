//! The tables that are scanned: the shipped one, made-up ones of any size, and files.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use textveil::Table;
use textveil_tests::table_of;

/// A table that is read or made when it is first asked for: most are left out by the filter.
pub(crate) struct Lazy {
    pub(crate) name: String,
    source: Source,
    table: OnceCell<Table>,
}

/// Where a table comes from.
enum Source {
    English,
    MadeUp { rows: usize, dims: usize },
    File(PathBuf),
}

impl Lazy {
    pub(crate) fn english() -> Self {
        Self::new("english".into(), Source::English)
    }

    pub(crate) fn made_up(rows: usize, dims: usize) -> Self {
        Self::new(format!("{rows}x{dims}"), Source::MadeUp { rows, dims })
    }

    /// The tables that the environment names.
    pub(crate) fn files() -> Vec<Self> {
        let directories = std::env::var_os("TEXTVEIL_BENCH_TABLES").unwrap_or_default();
        let mut files: Vec<PathBuf> = std::env::split_paths(&directories).flat_map(|path| tables_in(&path)).collect();
        files.sort();
        let name = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.into_iter().map(|file| Self::new(name(&file), Source::File(file))).collect()
    }

    fn new(name: String, source: Source) -> Self {
        Self { name, source, table: OnceCell::new() }
    }

    pub(crate) fn is_english(&self) -> bool {
        matches!(self.source, Source::English)
    }

    pub(crate) fn get(&self) -> &Table {
        self.table.get_or_init(|| match &self.source {
            Source::English => Table::english().expect("the embedded table is sound"),
            Source::MadeUp { rows, dims } => made_up(*rows, *dims),
            Source::File(path) => {
                let bytes = std::fs::read(path).expect("the file was listed");
                Table::parse(bytes).expect("a file of that name is a table")
            }
        })
    }
}

fn tables_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "tvt")).collect()
}

/// Coordinates spread as sums of uniform ones are, the same in every run.
fn made_up(rows: usize, dims: usize) -> Table {
    // Knuth's linear congruential generator: nothing here has to be hard to guess.
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i32::from((state >> 56) as u8)
    };
    let mut coordinate = || ((0..4).map(|_| byte()).sum::<i32>() - 510) / 5;
    let rows: Vec<Vec<i8>> = (0..rows).map(|_| (0..dims).map(|_| coordinate() as i8).collect()).collect();
    table_of(&rows, 1.0 / 64.0 / (dims as f64).sqrt())
}
