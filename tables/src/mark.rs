//! A finished table, marked: which words are offered, which are names, which are inflected forms.
//!
//! Rows, vocabulary, frequencies, classes and channels stay as they are, bit for bit. The levels keep their η, and the
//! channels their η and ε (words that are never offered are exchanged after the draw). The marks change which words may
//! come out, so the retention of each level and channel is measured anew.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use textveil::{Flags, Table};

use super::classify::Classifier;
use super::forms::Forms;
use super::lexicons::{Names, Ratings};
use super::marks::Marks;
use super::record::{self, FileIdentity};
use super::vocabulary::Flags as Listed;
use super::wordnet::WordNet;
use super::writer::{flag_byte, in_words, level_section, with_sections};
use super::{certify, levels};

/// Marks the table in `file` by the sources in `inputs`, and writes it to `out`. How is added to the record of its build,
/// if there is one. Returns a line for the person who asked for it.
///
/// # Errors
/// What is no table; what cannot be read or written; no word of a class would be offered.
pub fn mark(file: &Path, inputs: &Path, out: &Path, record: Option<&Path>) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let table = Table::parse(bytes.clone()).with_context(|| file.display().to_string())?;
    let flags: Vec<u8> = flags(&table, inputs)?.into_iter().map(flag_byte).collect();
    let has_channels = !table.certificates().is_empty();
    let without_channels = with_sections(&bytes, &[(*b"FLAG", Some(&flags)), (*b"CERT", None)])?;
    let marked = Table::parse(without_channels)?;
    let levels = level_section(&levels::measured_anew(&marked, levels::DRAWS)?);
    let channels = if has_channels { Some(certify::measured_anew(&marked, &table)?) } else { None };
    let has_levels = !marked.levels().is_empty();
    let changes = [
        (*b"FLAG", Some(flags.as_slice())),
        (*b"LEVL", has_levels.then_some(levels.as_slice())),
        (*b"CERT", channels.as_deref()),
    ];
    let bytes = with_sections(&bytes, &changes)?;
    fs::write(out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;
    let marked = Table::parse(bytes)?;
    if let Some(record) = record {
        let name = out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let command = "textveil table mark TABLE --inputs DIR --out FILE";
        record::add_step(record, "marked", command, &FileIdentity::of(out, &name)?, &marked)?;
    }
    let withheld = marked.rows().filter(|row| !marked.is_offered(*row)).count();
    let names =
        marked.rows().filter(|row| marked.flags(*row).intersects(Flags::NAME) && marked.is_offered(*row)).count();
    let line = in_words(&marked, Some(fs::metadata(out)?.len()));
    Ok(format!("{}: {line}; {withheld} words never offered, {names} names offered", out.display()))
}

/// The flags of all words of an English table.
fn flags(table: &Table, inputs: &Path) -> Result<Vec<Flags>> {
    let dictionary = fs::read_to_string(inputs.join("american-english")).context("cannot read american-english")?;
    let wordnet = WordNet::load(&inputs.join("wordnet"), &dictionary)?;
    let names = Names::load(&inputs.join("names"))?;
    let ratings = Ratings::load(&inputs.join("vader/vader_lexicon.txt"))?;
    let classifier = Classifier::new(&wordnet, &names, &ratings, &dictionary);
    let marks = Marks::new(&classifier, &names, Forms::new(&wordnet))?;
    let listed = Listed::english()?;
    Ok(table.words().map(|(id, text)| marks.flags(&listed.word(text.to_string(), table.zipf(id)))).collect())
}
