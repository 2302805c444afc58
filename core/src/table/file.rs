//! The file of a table, and how it is read.
//!
//! # Format, version 1 (`.tvt`, little-endian)
//! | bytes | field |
//! | --- | --- |
//! | 0–7 | magic `TEXTVEIL` |
//! | 8–9 | u16 version = 1 |
//! | 10–11 | u16 dimensions, 1…384 |
//! | 12–15 | u32 rows, 1…131072 |
//! | 16–23 | f64 scale: real coordinate = scale × int8 |
//! | 24–31 | u32 number of sections, 1…16; u32 zero |
//! | 32–63 | SHA-256 of bytes 0–31 and 64…end |
//! | 64… | directory: a tag of 4 ASCII letters, u32 zero, u32 offset, u32 length for each section |
//!
//! Sections start at multiples of 16, in the directory's order, with zeros between them. The file ends with the last
//! one. A reader skips tags that it does not know.
//! - `ROWS`: blocks of 16 rows, each `[⌈dimensions/2⌉][16][2]` int8 in −127…127 (pairs of dimensions, rows as
//!   lanes), zero-padded.
//! - `WORD`: the vocabulary in ascending byte order, front-coded in blocks of 16 words (see `words`). Word n
//!   is row n.
//! - `FLAG`: a byte a row, a set of [`Flags`].
//! - `ZIPF`: a byte a row: Zipf frequency × 20.
//! - `LEVL` (optional): u32 count, u32 zero; a level: u32 mechanism, u32 zero, f64 η, f64 mean retention
//!   (uniform prior), f64 mean retention (word frequencies).
//! - `CLAS` (optional): word classes. u32 count, 1…64, u32 zero; a byte a row, its class (below the count). Then the
//!   names of the classes in order, each `[a-z][a-z0-9-]*` of at most 31 bytes, ended by `\n`. No name twice, nothing
//!   behind the last. Every class has a row that may be put out.
//! - `CERT` (optional): what is certified of channels over these rows (see `certificates`).
//! - `META` (optional): UTF-8 lines `key=value`.
//!
//! The rows are read where they lie, and no part of the file is copied.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use super::bytes::{f64_at, u16_at, u32_at};
use super::certificates::Certificates;
use super::{FileId, Inner, Level, Table, classes, is_offered, rows, words};
use crate::draw::kernel::Rows;
use crate::{MechanismKind, Parameter, sha256};

const MAGIC: &[u8; 8] = b"TEXTVEIL";
const HEADER: usize = 64;
const MAX_SECTIONS: usize = 16;
const MAX_LEVELS: usize = 256;
const LEVEL_BYTES: usize = 32;
/// The mechanisms that levels may be of, by number: `exponential` and `metric-laplace`.
const MECHANISMS_WITH_LEVELS: [u32; 2] = [0, 1];

impl Inner {
    pub(super) fn parse(bytes: Cow<'static, [u8]>) -> Result<Self, &'static str> {
        let file: &[u8] = &bytes;
        let Header { dims, rows, scale, id } = Header::read(file)?;
        let sections = Sections::read(file)?;
        let vectors = sections.required(b"ROWS", "no ROWS section")?;
        let words = sections.required(b"WORD", "no WORD section")?;
        let flags = sections.required(b"FLAG", "no FLAG section")?;
        let zipf = sections.required(b"ZIPF", "no ZIPF section")?;

        let (vector_bytes, flag_bytes) = (&file[vectors.clone()], &file[flags.clone()]);
        rows::check(vector_bytes, dims, rows)?;
        words::check(&file[words.clone()], rows)?;
        if flag_bytes.len() != rows {
            return Err("FLAG has the wrong length");
        }
        if !flag_bytes.iter().any(|flag| is_offered(*flag)) {
            return Err("no word may be put out");
        }
        if zipf.len() != rows {
            return Err("ZIPF has the wrong length");
        }
        let classes = sections.find(b"CLAS");
        if let Some(classes) = &classes {
            classes::check(&file[classes.clone()], flag_bytes)?;
        }
        let meta = sections.find(b"META").unwrap_or_default();
        let description = core::str::from_utf8(&file[meta.clone()]).map_err(|_| "META is not UTF-8")?;
        if description.lines().any(|line| !line.contains('=')) {
            return Err("a line of META is not key=value");
        }
        let norms = rows::norms(vector_bytes, dims);
        let all = Rows::new(vector_bytes, &norms, dims);
        let (outermost, radius_squared) = rows::farthest(all, dims, rows, &rows::mean(vector_bytes, dims, rows));
        let mut levels = sections.find(b"LEVL").map_or(Ok(Vec::new()), |range| levels(&file[range]))?;
        let certificate_section = sections.find(b"CERT");
        let certificates = match &certificate_section {
            Some(section) => {
                // No two rows are farther apart than twice that.
                let (_, apart) = rows::farthest(all, dims, rows, &rows::vector(vector_bytes, dims, outermost));
                let farthest = scale * libm::sqrt(f64::from(apart));
                Certificates::read(&file[section.clone()], flag_bytes, is_offered, scale, farthest)?
            }
            None => Certificates::default(),
        };
        levels.extend(certificates.list.iter().map(|certificate| Level {
            kind: certificate.kind(),
            eta: certificate.eta,
            retention: certificate.retention,
            retention_by_frequency: certificate.retention_by_frequency,
        }));
        let (classes, certificate_section) = (classes.unwrap_or_default(), certificate_section.unwrap_or_default());
        Ok(Self {
            dims,
            rows,
            scale,
            id,
            vectors,
            words,
            flags,
            zipf,
            classes,
            meta,
            levels,
            certificate_section,
            certificates,
            norms,
            radius_squared,
            bytes,
        })
    }
}

/// What the fields before the directory say.
struct Header {
    dims: usize,
    rows: usize,
    scale: f64,
    id: FileId,
}

impl Header {
    fn read(file: &[u8]) -> Result<Self, &'static str> {
        let header = file.get(..HEADER).ok_or("shorter than its header")?;
        if !header.starts_with(MAGIC) {
            return Err("not a table file");
        }
        if u16_at(file, 8) != Some(1) {
            return Err("a version that this reader does not know");
        }
        let id = checksum(file);
        if header.get(32..64) != Some(id.as_bytes().as_slice()) {
            return Err("the checksum does not match");
        }
        let dims = usize::from(u16_at(file, 10).unwrap_or(0));
        let rows = u32_at(file, 12).unwrap_or(0) as usize;
        let scale = f64_at(file, 16).unwrap_or(0.0);
        if !(1..=Table::MAX_DIMS).contains(&dims) {
            return Err("the number of dimensions is out of range");
        }
        if !(1..=Table::MAX_ROWS).contains(&rows) {
            return Err("the number of rows is out of range");
        }
        if !(scale.is_finite() && scale > 0.0) {
            return Err("the scale is not a finite number above zero");
        }
        if u32_at(file, 28) != Some(0) {
            return Err("a reserved field is not zero");
        }
        Ok(Self { dims, rows, scale, id })
    }
}

/// SHA-256 of the whole file but the checksum itself.
fn checksum(file: &[u8]) -> FileId {
    FileId::new(sha256(&[file.get(..32).unwrap_or_default(), file.get(HEADER..).unwrap_or_default()]))
}

/// The directory: where each section lies, by its tag.
struct Sections(Vec<([u8; 4], Range<usize>)>);

impl Sections {
    fn find(&self, tag: &[u8; 4]) -> Option<Range<usize>> {
        self.0.iter().find(|(name, _)| name == tag).map(|(_, range)| range.clone())
    }

    fn required(&self, tag: &[u8; 4], rule: &'static str) -> Result<Range<usize>, &'static str> {
        self.find(tag).ok_or(rule)
    }

    fn read(file: &[u8]) -> Result<Self, &'static str> {
        let count = u32_at(file, 24).unwrap_or(0) as usize;
        if !(1..=MAX_SECTIONS).contains(&count) {
            return Err("the number of sections is out of range");
        }
        let mut sections: Vec<([u8; 4], Range<usize>)> = Vec::with_capacity(count);
        let mut end = HEADER + count * 16;
        for entry in 0..count {
            let at = HEADER + entry * 16;
            let tag: [u8; 4] =
                file.get(at..at + 4).and_then(|tag| tag.try_into().ok()).ok_or("the directory is cut off")?;
            if !tag.is_ascii() {
                return Err("a section's tag is not ASCII");
            }
            let (reserved, offset, length) = (u32_at(file, at + 4), u32_at(file, at + 8), u32_at(file, at + 12));
            let (Some(0), Some(offset), Some(length)) = (reserved, offset, length) else {
                return Err("a directory entry is cut off or has a reserved field that is not zero");
            };
            let start = offset as usize;
            let stop = start
                .checked_add(length as usize)
                .filter(|stop| *stop <= file.len())
                .ok_or("a section lies outside the file")?;
            if !start.is_multiple_of(16) || start < end {
                return Err("a section overlaps the one before or is not aligned");
            }
            if file.get(end..start).unwrap_or_default().iter().any(|byte| *byte != 0) {
                return Err("the gap before a section is not zero");
            }
            if sections.iter().any(|(name, _)| *name == tag) {
                return Err("a section appears twice");
            }
            sections.push((tag, start..stop));
            end = stop;
        }
        if end != file.len() {
            return Err("bytes behind the last section");
        }
        Ok(Self(sections))
    }
}

fn levels(section: &[u8]) -> Result<Vec<Level>, &'static str> {
    let count = u32_at(section, 0).ok_or("LEVL is cut off")? as usize;
    if count > MAX_LEVELS || u32_at(section, 4) != Some(0) || section.len() != 8 + count * LEVEL_BYTES {
        return Err("LEVL has the wrong length");
    }
    let mut levels: Vec<Level> = Vec::with_capacity(count);
    let mut before = (0, 0.0);
    for entry in 0..count {
        let at = 8 + entry * LEVEL_BYTES;
        let number = u32_at(section, at)
            .filter(|number| MECHANISMS_WITH_LEVELS.contains(number))
            .ok_or("a level of a mechanism that has none")?;
        let eta = f64_at(section, at + 8)
            .and_then(|eta| Parameter::Eta.check(eta).ok())
            .ok_or("a level whose eta is not a finite number above zero")?;
        let retention = f64_at(section, at + 16)
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or("a level's retention is not a share")?;
        let retention_by_frequency = f64_at(section, at + 24)
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or("a level's retention is not a share")?;
        if u32_at(section, at + 4) != Some(0) {
            return Err("a reserved field is not zero");
        }
        if before >= (number, eta) {
            return Err("the levels are out of order");
        }
        before = (number, eta);
        // A build with few mechanisms skips the levels of the others.
        if let Some(kind) = MechanismKind::numbered(number) {
            levels.push(Level { kind, eta, retention, retention_by_frequency });
        }
    }
    Ok(levels)
}
