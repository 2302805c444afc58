//! Writing table files. The format is fixed in `tests/reference/SPEC.md` §1, and read by `textveil::Table`.
//!
//! Bytes leave this module only after the reader has accepted them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use sha2::{Digest, Sha256};
use textveil::{Flags, Level, Table, Word as TableWord};

use super::classes::Classes;
use super::quantize::Lattice;
use super::vocabulary::Word;

const MAGIC: &[u8; 8] = b"TEXTVEIL";
const VERSION: u16 = 1;
const HEADER: usize = 64;
/// Where the number of sections stands.
const SECTIONS: usize = 24;
const CHECKSUM: std::ops::Range<usize> = 32..64;
const ENTRY: usize = 16;
const ALIGNMENT: usize = 16;
/// Rows in a block of vectors, and words in a block of the vocabulary.
const BLOCK: usize = 16;
/// What the bits of a byte in `FLAG` say, from the lowest.
const FLAGS: [Flags; 8] = [
    Flags::NEVER_OFFERED,
    Flags::FUNCTION_WORD,
    Flags::NAME,
    Flags::PLURAL,
    Flags::THIRD_PERSON,
    Flags::PAST,
    Flags::PARTICIPLE,
    Flags::ING,
];

/// A table in a line: its size and its identity. The built-in table has no file, and no length of one.
pub fn in_words(table: &Table, file_bytes: Option<u64>) -> String {
    let bytes = file_bytes.map_or_else(String::new, |bytes| format!(" {bytes} bytes,"));
    format!("{} words, {} dimensions,{bytes} id {}", table.len(), table.dims(), table.id())
}

/// A table file with other content in some sections: in its place where the file has such a section, otherwise behind
/// the others. A section without content goes.
///
/// # Errors
/// The file is no table, or a section breaks a rule of the format.
pub(crate) fn with_sections(file: &[u8], changes: &[([u8; 4], Option<&[u8]>)]) -> Result<Vec<u8>> {
    let number = |at: usize| -> Result<usize> {
        let bytes = file.get(at..at + 4).and_then(|bytes| bytes.first_chunk()).context("the file is too short")?;
        Ok(u32::from_le_bytes(*bytes) as usize)
    };
    let entry = |place: usize| -> Result<([u8; 4], &[u8])> {
        let at = HEADER + ENTRY * place;
        let (start, length) = (number(at + 8)?, number(at + 12)?);
        let section = file.get(start..).and_then(|rest| rest.get(..length)).context("a section is cut off")?;
        Ok((*file.get(at..).and_then(|rest| rest.first_chunk()).context("the file is too short")?, section))
    };
    let mut sections = (0..number(SECTIONS)?).map(entry).collect::<Result<Vec<_>>>()?;
    for &(tag, content) in changes {
        let place = sections.iter().position(|(other, _)| *other == tag);
        match (place, content) {
            (Some(place), Some(content)) => sections[place].1 = content,
            (None, Some(content)) => sections.push((tag, content)),
            (Some(place), None) => drop(sections.remove(place)),
            (None, None) => {}
        }
    }
    let bytes = assemble(file.get(..SECTIONS).context("the file is too short")?, &sections)?;
    Table::parse(bytes.clone()).map_err(|error| anyhow!("the file would be no table: {error}"))?;
    Ok(bytes)
}

/// A file of these sections: `start` is its header up to their number.
fn assemble(start: &[u8], sections: &[([u8; 4], &[u8])]) -> Result<Vec<u8>> {
    let mut file = start.to_vec();
    file.extend(u32::try_from(sections.len())?.to_le_bytes());
    file.resize(HEADER, 0);
    let mut offset = (HEADER + ENTRY * sections.len()).next_multiple_of(ALIGNMENT);
    for (tag, section) in sections {
        file.extend(tag);
        file.extend([0; 4]);
        file.extend(u32::try_from(offset)?.to_le_bytes());
        file.extend(u32::try_from(section.len())?.to_le_bytes());
        offset = (offset + section.len()).next_multiple_of(ALIGNMENT);
    }
    for (_, section) in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend(*section);
    }
    let checksum = Sha256::new().chain_update(&file[..CHECKSUM.start]).chain_update(&file[HEADER..]).finalize();
    file[CHECKSUM].copy_from_slice(&checksum);
    Ok(file)
}

/// Everything that a table file says.
pub(crate) struct Draft {
    /// The vocabulary, strictly ascending by bytes.
    pub(crate) words: Vec<Word>,
    /// A row for each word.
    pub(crate) lattice: Lattice,
    /// Ordered by mechanism, then by η.
    pub(crate) levels: Vec<Level>,
    /// The vocabulary's division into classes, if it has one.
    pub(crate) classes: Option<Classes>,
    /// Description, as `key=value`.
    pub(crate) meta: Vec<(&'static str, String)>,
}

impl Draft {
    /// The file's bytes, and the table that the reader makes of them.
    ///
    /// # Errors
    /// The draft breaks a rule of the format.
    pub(crate) fn encode(&self) -> Result<(Vec<u8>, Table)> {
        let (rows, dims) = self.lattice.rows.dim();
        ensure!(rows == self.words.len(), "there are {rows} vectors for {} words", self.words.len());
        let when = |holds: bool, flag: Flags| if holds { flag } else { Flags::NONE };
        let flags = self.words.iter().map(|word| {
            let listed = when(word.never_offered, Flags::NEVER_OFFERED);
            flag_byte(listed.union(when(word.function_word, Flags::FUNCTION_WORD)))
        });
        let zipf = self.words.iter().map(|word| (word.zipf * 20.0).round() as u8);
        let mut sections = vec![
            (b"ROWS", self.vectors()),
            (b"WORD", self.vocabulary()?),
            (b"FLAG", flags.collect()),
            (b"ZIPF", zipf.collect()),
        ];
        if !self.levels.is_empty() {
            sections.push((b"LEVL", level_section(&self.levels)));
        }
        if let Some(classes) = &self.classes {
            sections.push((b"CLAS", classes.section()));
        }
        if !self.meta.is_empty() {
            let lines: Vec<String> = self.meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
            sections.push((b"META", lines.join("\n").into_bytes()));
        }

        let mut start = MAGIC.to_vec();
        start.extend(VERSION.to_le_bytes());
        start.extend(u16::try_from(dims)?.to_le_bytes());
        start.extend(u32::try_from(rows)?.to_le_bytes());
        start.extend(self.lattice.scale.to_le_bytes());
        let sections: Vec<([u8; 4], &[u8])> =
            sections.iter().map(|(tag, section)| (**tag, section.as_slice())).collect();
        let file = assemble(&start, &sections)?;

        let table = Table::parse(file.clone()).map_err(|error| anyhow!("the draft is not a table: {error}"))?;
        Ok((file, table))
    }

    /// Writes the file, and returns the table with a line for the person who asked for it.
    ///
    /// # Errors
    /// The draft breaks a rule of the format, or the file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(Table, String)> {
        let (bytes, table) = self.encode()?;
        fs::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        let line = format!("{}: {}", path.display(), in_words(&table, Some(bytes.len() as u64)));
        Ok((table, line))
    }

    /// Blocks of 16 rows: pairs of dimensions, then rows, then the two values.
    fn vectors(&self) -> Vec<u8> {
        let (rows, dims) = self.lattice.rows.dim();
        let mut bytes = Vec::with_capacity(rows.next_multiple_of(BLOCK) * dims.next_multiple_of(2));
        for block in (0..rows).step_by(BLOCK) {
            for pair in (0..dims).step_by(2) {
                for row in block..block + BLOCK {
                    for dim in [pair, pair + 1] {
                        bytes.push(self.lattice.rows.get([row, dim]).map_or(0, |value| value.cast_unsigned()));
                    }
                }
            }
        }
        bytes
    }

    /// The words, each as what it does not share with the one before; a block of 16 starts afresh.
    fn vocabulary(&self) -> Result<Vec<u8>> {
        let (mut offsets, mut coded) = (Vec::new(), Vec::new());
        for block in self.words.chunks(BLOCK) {
            offsets.extend(u32::try_from(coded.len())?.to_le_bytes());
            let mut before: &[u8] = &[];
            for word in block {
                let bytes = word.text.as_bytes();
                ensure!(
                    bytes.len() <= TableWord::MAX_BYTES,
                    "\"{}\" is longer than {} bytes",
                    word.text,
                    TableWord::MAX_BYTES
                );
                let shared = before.iter().zip(bytes).take_while(|(a, b)| a == b).count();
                coded.extend([shared as u8, (bytes.len() - shared) as u8]);
                coded.extend(&bytes[shared..]);
                before = bytes;
            }
        }
        let blocks = u32::try_from(self.words.len().div_ceil(BLOCK))?;
        Ok([blocks.to_le_bytes().to_vec(), offsets, coded].concat())
    }
}

/// The byte of a row in `FLAG`.
pub(crate) fn flag_byte(flags: Flags) -> u8 {
    (0..u8::BITS).filter(|bit| flags.intersects(FLAGS[*bit as usize])).map(|bit| 1 << bit).sum()
}

/// The section `LEVL`.
pub(crate) fn level_section(levels: &[Level]) -> Vec<u8> {
    let mut bytes = (levels.len() as u64).to_le_bytes().to_vec();
    for level in levels {
        bytes.extend((level.kind as u64).to_le_bytes());
        for value in [level.eta, level.retention, level.retention_by_frequency] {
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use textveil::MechanismKind;

    use super::super::toy::draft as example;
    use super::*;

    #[test]
    fn the_reader_sees_what_was_written() {
        for (rows, dims) in [(1, 1), (16, 2), (17, 3), (100, 32)] {
            let mut draft = example(rows, dims).expect("finite vectors");
            let level = |kind, eta| Level { kind, eta, retention: 0.25, retention_by_frequency: 0.5 };
            draft.levels = vec![
                level(MechanismKind::Exponential, 1.5),
                level(MechanismKind::Exponential, 2.0),
                level(MechanismKind::MetricLaplace, 0.5),
            ];
            let labels: Vec<&str> = (0..rows).map(|row| if row % 3 == 0 { "thing" } else { "act-2" }).collect();
            draft.classes = Some(Classes::new(&draft.words, &labels).expect("every class has an offered word"));
            let (_, table) = draft.encode().expect("a good draft");
            assert_eq!((table.len(), table.dims(), table.scale()), (rows, dims, draft.lattice.scale));
            assert_eq!(table.levels(), draft.levels);
            assert_eq!(table.meta("language"), Some("en"));
            for ((id, text), (word, row)) in table.words().zip(draft.words.iter().zip(draft.lattice.rows.rows())) {
                assert_eq!(*text, *word.text);
                assert_eq!(table.find(&word.text), Some(id));
                assert_eq!(table.vector(id), row.to_vec());
                assert_eq!(table.is_offered(id), !word.never_offered);
                assert_eq!(table.is_function_word(id), word.function_word);
                assert_eq!(table.class_of(id).and_then(|class| table.class_name(class)), Some(labels[id.row()]));
                assert!((table.zipf(id) - word.zipf).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn what_the_reader_refuses_is_not_written() {
        let mut unsorted = example(20, 2).expect("finite vectors");
        unsorted.words.swap(4, 5);
        assert!(unsorted.encode().is_err());
        let mut long = example(2, 2).expect("finite vectors");
        long.words[1].text = "x".repeat(TableWord::MAX_BYTES + 1);
        assert!(long.encode().is_err());
        let mut short = example(3, 2).expect("finite vectors");
        short.words.pop();
        assert!(short.encode().is_err());
    }
}
