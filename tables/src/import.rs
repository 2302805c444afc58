//! A table from vectors that others have trained.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use ndarray::Array2;
use textveil::{Piece, Table, TokenKind, Word as TableWord, normalize};

use super::classes::Classes;
use super::levels;
use super::pca::Axes;
use super::quantize::Lattice;
use super::rows::unit_rows;
use super::vectors::{Vectors, floats};
use super::vocabulary::{Flags, Word};
use super::writer::Draft;
use textveil_toolkit::files::{reader, text_of};
use textveil_toolkit::progress;

/// How the input is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A word and its values on each line
    Glove,
    /// Text or binary, with a header line of two numbers
    Word2vec,
    /// The text format (.vec), with a header line of two numbers
    Fasttext,
    /// One F32 matrix, a row a word
    Safetensors,
}

/// How a table is made of trained vectors.
pub struct Import {
    /// File of vectors.
    pub input: PathBuf,
    /// Format of the input; told from its name and first line if not given.
    pub format: Option<Format>,
    /// Keep only the words of this file (one a line, lower-cased).
    pub vocabulary: Option<PathBuf>,
    /// Keep at most this number of words, the first of the file.
    pub limit: usize,
    /// Reduce to this number of dimensions.
    pub dims: Option<usize>,
    /// Scale vectors to length 1.
    pub normalize: bool,
    /// The words of a safetensors matrix, one a line, where its metadata do not hold them.
    pub words_file: Option<PathBuf>,
    /// How frequent words are.
    pub frequencies: WordFrequencies,
    /// Classes of words (a word, a tab and its class on each line); words that are not listed are "other".
    pub classes: Option<PathBuf>,
    /// Language; the built-in lists of function words and of words never offered are for English ("en").
    pub language: String,
    /// Name of the table.
    pub name: String,
    /// Where the vectors come from, for the table's description.
    pub source: String,
    /// Licence of the vectors, for the table's description.
    pub license: String,
    /// Whether the table states what the mechanisms do on it. For large vocabularies, to measure that takes minutes.
    pub levels: bool,
}

/// What is known of how frequent imported words are.
pub enum WordFrequencies {
    /// Nothing.
    Unknown,
    /// A file of counts: a word and a number on each line.
    Counts(PathBuf),
    /// The input lists words by falling frequency: Zipf's law gives an estimate.
    Ranked,
}

/// A table that was imported and not yet written.
pub struct Imported {
    draft: Draft,
    skipped: usize,
}

impl Imported {
    /// Writes the table. Returns two lines for the person who asked for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, out: &Path) -> Result<String> {
        let (_, line) = self.draft.write(out)?;
        let Self { draft, skipped } = self;
        Ok(format!(
            "{line}\n{skipped} words left out (duplicates, spelling, selection), {} rows moved apart",
            draft.lattice.moved
        ))
    }
}

/// Values of a vector, at most, in the input.
const MAX_WIDTH: usize = 4096;

impl Import {
    /// Makes the table.
    ///
    /// # Errors
    /// What cannot be read, or makes no table.
    pub fn make(&self) -> Result<Imported> {
        let meta =
            [("name", &self.name), ("language", &self.language), ("source", &self.source), ("license", &self.license)];
        ensure!(!meta.iter().any(|(_, value)| value.contains(['\n', '\r'])), "a description is one line");
        let selection = Selection::new(self.vocabulary.as_deref(), self.limit, self.dims)?;
        let reading = || format!("cannot read vectors from {}", self.input.display());
        let (entries, skipped) = self.entries(selection).with_context(reading)?;
        ensure!(!entries.is_empty(), "{} has no usable word", self.input.display());

        let zipf = self.zipf(&entries)?;
        let flags = if self.language == "en" { Flags::english()? } else { Flags::none() };
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&a, &b| entries[a].0.cmp(&entries[b].0));
        let words: Vec<Word> = order.iter().map(|&i| flags.word(entries[i].0.clone(), zipf[i])).collect();
        let classes = self.classes.as_ref().map(|path| classes(path, &words)).transpose()?;
        let width = entries[0].1.len();
        let mut vectors = Array2::from_shape_fn((order.len(), width), |(i, j)| f64::from(entries[order[i]].1[j]));
        let dims = self.dims.unwrap_or(width);
        if dims < width {
            vectors = Axes::of(&vectors).project(&vectors, dims);
        }
        if self.normalize {
            unit_rows(&mut vectors);
        }

        let lattice = Lattice::nearest(&vectors)
            .with_context(|| format!("the vectors of {} make no table", self.input.display()))?;
        let mut draft = Draft {
            words,
            lattice,
            levels: Vec::new(),
            classes,
            meta: meta.map(|(key, value)| (key, value.clone())).into(),
        };
        if self.levels {
            let bar = progress::bar("measuring levels", 0);
            draft.levels = levels::measure(&draft.encode()?.1, levels::DRAWS, &bar)?;
            bar.finish();
        }
        Ok(Imported { draft, skipped })
    }

    fn entries(&self, mut selection: Selection) -> Result<(Vec<Entry>, usize)> {
        let format = self.format.or_else(|| (self.input.extension()? == "safetensors").then_some(Format::Safetensors));
        if format == Some(Format::Safetensors) {
            let words = self.words_file.as_deref().map(text_of).transpose()?;
            let vectors = Vectors::read(&self.input, words.map(|text| text.lines().map(str::to_owned).collect()))?;
            selection.check_width(vectors.rows.ncols())?;
            for (word, row) in vectors.words.iter().zip(vectors.rows.rows()) {
                if !selection.offer(word, || Ok(row.iter().map(|x| *x as f32).collect()))? {
                    break;
                }
            }
        } else {
            read_stream(&mut reader(&self.input)?, format, &mut selection)?;
        }
        Ok((selection.entries, selection.skipped))
    }

    /// The Zipf frequency of each entry, 0 where it is unknown.
    fn zipf(&self, entries: &[Entry]) -> Result<Vec<f64>> {
        let zipf =
            |count: f64, total: f64| if count > 0.0 { (9.0 + libm::log10(count / total)).clamp(0.0, 9.0) } else { 0.0 };
        let path = match &self.frequencies {
            WordFrequencies::Unknown => return Ok(vec![0.0; entries.len()]),
            WordFrequencies::Ranked => {
                let harmonic: f64 = (1..=entries.len()).map(|rank| 1.0 / rank as f64).sum();
                return Ok((1..=entries.len()).map(|rank| zipf(1.0 / rank as f64, harmonic)).collect());
            }
            WordFrequencies::Counts(path) => path,
        };
        let text = text_of(path)?;
        let mut counts: HashMap<String, f64> = HashMap::new();
        let mut total = 0.0;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let parsed = line
                .trim()
                .rsplit_once(char::is_whitespace)
                .and_then(|(word, count)| Some((word.trim(), count.parse::<f64>().ok()?)));
            let (word, count) = parsed
                .filter(|(_, count)| *count >= 0.0 && count.is_finite())
                .with_context(|| format!("{}, line {number}: not a word and a count", path.display()))?;
            *counts.entry(spelling(word)).or_default() += count;
            total += count;
        }
        Ok(entries.iter().map(|(word, _)| zipf(counts.get(word).copied().unwrap_or(0.0), total)).collect())
    }
}

/// A word in lower case and its vector.
type Entry = (String, Vec<f32>);

/// The classes that a file gives to `words`.
fn classes(path: &Path, words: &[Word]) -> Result<Classes> {
    let text = text_of(path)?;
    let classes = || {
        let mut listed: HashMap<String, &str> = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let (word, class) =
                line.split_once('\t').with_context(|| format!("line {number}: not a word, a tab and a class"))?;
            let before = listed.insert(spelling(word.trim()), class.trim());
            ensure!(
                before.is_none_or(|before| before == class.trim()),
                "line {number}: \"{word}\" has a class already"
            );
        }
        let label = |word: &Word| listed.get(&word.text).copied().unwrap_or(Classes::OTHER);
        Classes::new(words, &words.iter().map(label).collect::<Vec<_>>())
    };
    classes().with_context(|| format!("{} makes no classes", path.display()))
}

/// Which words are taken, and those that have been.
struct Selection {
    allowed: Option<HashSet<String>>,
    limit: usize,
    /// The dimensions asked for.
    dims: Option<usize>,
    taken: HashSet<String>,
    entries: Vec<Entry>,
    skipped: usize,
}

impl Selection {
    fn new(vocabulary: Option<&Path>, limit: usize, dims: Option<usize>) -> Result<Self> {
        let words = vocabulary.map(text_of).transpose()?;
        let allowed = words.map(|text| text.lines().map(|line| spelling(line.trim())).collect());
        Ok(Self { allowed, limit, dims, taken: HashSet::new(), entries: Vec::new(), skipped: 0 })
    }

    /// Refuses vectors that cannot make a table of the dimensions asked for, at the first vector.
    fn check_width(&self, width: usize) -> Result<()> {
        match self.dims {
            Some(dims) => {
                ensure!(dims <= width, "the vectors have {width} dimensions, fewer than the {dims} of --dims")
            }
            None => ensure!(
                width <= Table::MAX_DIMS,
                "the vectors have {width} dimensions, a table at most {}: choose --dims",
                Table::MAX_DIMS
            ),
        }
        Ok(())
    }

    /// Holds the words that were read against the number that the file states: a file that is cut off makes
    /// no table.
    fn check_count(&self, stated: usize) -> Result<()> {
        let read = self.entries.len() + self.skipped;
        ensure!(
            read == stated || self.entries.len() == self.limit,
            "the header line states {stated} words, and the file has {read}"
        );
        Ok(())
    }

    /// Takes the word if it is wanted. False once there are enough.
    fn offer(&mut self, word: &str, vector: impl FnOnce() -> Result<Vec<f32>>) -> Result<bool> {
        let word = spelling(word);
        let spelled = word.len() <= TableWord::MAX_BYTES
            && !word.chars().any(|c| c.is_whitespace() || c.is_control())
            && is_one_word(&word);
        let wanted = self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&word));
        if spelled && wanted && self.taken.insert(word.clone()) {
            let vector = vector()?;
            ensure!(vector.iter().all(|x| x.is_finite()), "the vector of \"{word}\" has a value that is not finite");
            self.entries.push((word, vector));
        } else {
            self.skipped += 1;
        }
        Ok(self.entries.len() < self.limit)
    }
}

/// A word as a text is read: NFKC first, then small letters.
fn spelling(word: &str) -> String {
    normalize(word).to_lowercase()
}

/// Whether texts are read such that this word can be found in them.
fn is_one_word(word: &str) -> bool {
    Piece::split(word)
        .is_ok_and(|pieces| matches!(&pieces[..], [Piece::Token { kind: TokenKind::Word, text }] if text == word))
}

/// The words of a text file of vectors that a text can hold, ascending, with their vectors as they are.
///
/// # Errors
/// The file cannot be read, or holds no vectors.
pub fn read_vectors(path: &Path) -> Result<Vectors> {
    let mut selection = Selection::new(None, Table::MAX_ROWS, None)?;
    read_stream(&mut reader(path)?, None, &mut selection)?;
    let mut entries = selection.entries;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let width = entries.first().context("it has no usable word")?.1.len();
    let values = entries.iter().flat_map(|(_, vector)| vector).map(|x| f64::from(*x)).collect();
    let rows = Array2::from_shape_vec((entries.len(), width), values)?;
    Ok(Vectors { words: entries.into_iter().map(|(word, _)| word).collect(), rows })
}

fn read_stream(reader: &mut dyn BufRead, format: Option<Format>, selection: &mut Selection) -> Result<()> {
    let mut first = Vec::new();
    reader.read_until(b'\n', &mut first)?;
    ensure!(!first.is_empty(), "the file is empty");
    let first = String::from_utf8(first).map_err(|_| anyhow!("the first line is not UTF-8"))?;
    let header = header(&first);
    match (format, header) {
        (Some(Format::Glove) | None, None) => {
            let width = first.trim_end().split(' ').skip(1).filter(|field| field.parse::<f32>().is_ok()).count();
            ensure!(
                (1..=MAX_WIDTH).contains(&width),
                "the first line is no word with its values, separated by single spaces"
            );
            selection.check_width(width)?;
            if !offer_line(first.trim_end(), width, selection).context("line 1")? {
                return Ok(());
            }
            read_lines(reader, 2, width, selection)
        }
        (Some(Format::Glove), Some(_)) => {
            Err(anyhow!("the file has a header line: it is word2vec's or fastText's format"))
        }
        (_, Some((count, width))) => {
            selection.check_width(width)?;
            let binary = format != Some(Format::Fasttext) && !is_text(reader)?;
            if binary {
                read_binary(reader, width, selection)?
            } else {
                read_lines(reader, 2, width, selection)?
            }
            selection.check_count(count)
        }
        (_, None) => Err(anyhow!("there is no header line with the numbers of words and dimensions")),
    }
}

/// The numbers of words and of dimensions that a header line states.
fn header(line: &str) -> Option<(usize, usize)> {
    let fields: Vec<usize> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [count, width] = fields[..] else { return None };
    (1..=MAX_WIDTH).contains(&width).then_some((count, width))
}

/// Whether what follows the header reads as text: no byte that only binary floats have.
fn is_text(reader: &mut dyn BufRead) -> Result<bool> {
    let start = reader.fill_buf()?;
    let start = &start[..start.len().min(512)];
    Ok(!start.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()))
}

fn read_lines(reader: &mut dyn BufRead, first: usize, width: usize, selection: &mut Selection) -> Result<()> {
    for (number, line) in (first..).zip(reader.lines()) {
        let line = line.with_context(|| format!("line {number}"))?;
        if !line.is_empty()
            && !offer_line(line.trim_end(), width, selection).with_context(|| format!("line {number}"))?
        {
            break;
        }
    }
    Ok(())
}

/// The last `width` fields are the values; what stands before them is the word.
fn offer_line(line: &str, width: usize, selection: &mut Selection) -> Result<bool> {
    let mut fields = line.rsplitn(width + 1, ' ');
    let values: Vec<&str> = fields.by_ref().take(width).collect();
    let word =
        fields.next().with_context(|| format!("there are fewer than {width} values, separated by single spaces"))?;
    let parse = |value: &&str| value.parse().map_err(|_| anyhow!("\"{value}\" is not a number"));
    selection.offer(word, || values.iter().rev().map(parse).collect())
}

/// A word, a space, its values as little-endian floats, perhaps a line break; and so on to the end.
fn read_binary(reader: &mut dyn BufRead, width: usize, selection: &mut Selection) -> Result<()> {
    let mut values = vec![0; 4 * width];
    loop {
        let mut word = Vec::new();
        reader.read_until(b' ', &mut word)?;
        if word.trim_ascii().is_empty() {
            return Ok(());
        }
        let word = String::from_utf8_lossy(&word);
        reader.read_exact(&mut values).with_context(|| format!("the vector of \"{}\" is cut off", word.trim()))?;
        if !selection.offer(word.trim(), || Ok(floats(&values).collect()))? {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(bytes: &[u8], format: Option<Format>) -> Result<Vec<Entry>> {
        let mut selection = Selection::new(None, 100, None)?;
        read_stream(&mut BufReader::new(bytes), format, &mut selection)?;
        Ok(selection.entries)
    }

    fn expected() -> Vec<Entry> {
        vec![("the".into(), vec![0.5, -1.0]), ("cat".into(), vec![2.0, 0.25])]
    }

    #[test]
    fn every_text_format_is_told_apart() {
        let glove = b"the 0.5 -1\nCat 2 0.25\n";
        let fasttext = b"2 2\nthe 0.5 -1 \nCat 2 0.25 \n";
        assert_eq!(read(glove, None).expect("glove"), expected());
        assert_eq!(read(fasttext, None).expect("word2vec text"), expected());
        assert_eq!(read(fasttext, Some(Format::Fasttext)).expect("fastText"), expected());
        assert!(read(fasttext, Some(Format::Glove)).is_err());
        assert!(read(glove, Some(Format::Word2vec)).is_err());
    }

    #[test]
    fn binary_word2vec_is_read() {
        let mut bytes = b"2 2\n".to_vec();
        for (word, vector) in expected() {
            bytes.extend(word.bytes());
            bytes.push(b' ');
            bytes.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
            bytes.push(b'\n');
        }
        assert_eq!(read(&bytes, None).expect("word2vec"), expected());
        bytes.truncate(bytes.len() - 3);
        assert!(read(&bytes, None).is_err());
    }

    #[test]
    fn the_first_of_equal_words_counts_and_odd_spellings_are_left_out() {
        let entries = read(b"The 1 2\nthe 3 4\n. . 5 6\nb\xc2\xa0c 7 8\n, 9 9\nwell-known 1 1\n5551234 2 2\n", None)
            .expect("glove");
        assert_eq!(entries, [("the".to_owned(), vec![1.0, 2.0])]);
    }

    #[test]
    fn words_are_spelled_as_texts_are_read() {
        let entries = read("™ 1 2\n№ 3 4\nCafé 5 6\n".as_bytes(), None).expect("glove");
        let words: Vec<&str> = entries.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["tm", "no", "café"]);
    }

    fn refusal(bytes: &[u8], limit: usize, dims: Option<usize>) -> String {
        let mut selection = Selection::new(None, limit, dims).expect("no vocabulary");
        read_stream(&mut BufReader::new(bytes), None, &mut selection)
            .map_or_else(|error| format!("{error:#}"), |()| String::new())
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        assert!(refusal(b"the 0.5 -1\ncat 2 x\n", 9, None).contains("line 2"));
        assert!(refusal(b"", 9, None).contains("is empty"));
        assert!(refusal(b"the\t0.5\t-1\n", 9, None).contains("separated by single spaces"));
    }

    #[test]
    fn too_many_dimensions_are_refused_at_the_first_row() {
        // The second row, which is not reached, is malformed.
        for bytes in [&b"the 0.5 -1\ncat\n"[..], b"2 2\nthe 0.5 -1\ncat\n"] {
            assert!(refusal(bytes, 9, Some(3)).contains("the 3 of --dims"));
        }
        let wide = format!("the{}\n", " 1".repeat(Table::MAX_DIMS + 1));
        assert!(refusal(wide.as_bytes(), 9, None).contains("choose --dims"));
        assert_eq!(refusal(wide.as_bytes(), 9, Some(3)), "");
    }

    #[test]
    fn a_file_with_fewer_words_than_its_header_states_is_refused_unless_enough_were_read() {
        let cut = b"3 2\nthe 0.5 -1\ncat 2 0.25\n";
        assert!(refusal(cut, 9, None).contains("states 3 words, and the file has 2"));
        assert_eq!(refusal(cut, 2, None), "");
    }

    #[test]
    fn classes_are_those_of_the_file_and_other() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let words = ["cat", "paris", "the"].map(|text| Word { text: text.to_owned(), ..Word::default() });
        let section = |list: &str| {
            std::fs::write(&file, format!("\u{feff}{list}")).expect("written");
            classes(file.path(), &words).map(|classes| classes.section()).map_err(|error| format!("{error:#}"))
        };
        let expected = b"\x03\0\0\0\0\0\0\0\0\x02\x01animal\nother\nplace\n";
        assert_eq!(section("Paris\tplace\ncat\tanimal\nunlisted\tnothing\n").as_deref(), Ok(&expected[..]));
        assert!(section("cat animal\n").is_err_and(|error| error.contains("line 1: not a word, a tab")));
        assert!(section("cat\ta\ncat\tb\n").is_err_and(|error| error.contains("line 2: \"cat\" has a class already")));
    }

    #[test]
    fn gzip_is_seen_by_its_first_bytes() {
        use std::io::Write;
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut packed = flate2::write::GzEncoder::new(&file, flate2::Compression::fast());
        packed.write_all(b"the 0.5 -1\ncat 2 0.25\n").expect("written");
        packed.finish().expect("finished");
        let mut selection = Selection::new(None, 1, None).expect("no vocabulary");
        read_stream(&mut *reader(file.path()).expect("opened"), None, &mut selection).expect("read");
        assert_eq!(selection.entries, expected()[..1]);
    }
}
