//! `textveil privatize`: texts in, privatized texts out, as lines, JSONL, CSV or Parquet.

mod releaser;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use rayon::ThreadPool;
use serde_json::{Value, json};
use textveil::{Bulk, Disclosure, Guarantee, InTheClear, MechanismKind, Privatizer, Redacted, ReleaseRng};

use crate::statements::ExchangeOptions;
use crate::threads::Threads;
use releaser::Releaser;
use textveil_bulk::csv::{self, Dialect, Table as Csv};
use textveil_bulk::jsonl::{Jsonl, Spans};
use textveil_bulk::lines::PlainLines;
use textveil_bulk::parquet::{Input as ParquetInput, Job as ParquetJob};
use textveil_bulk::partial::{Partial, Standing, State};
use textveil_bulk::rows::{Run, Target};
use textveil_bulk::{BadRow, Fault, Reason, guaranteed};
use textveil_toolkit::exit::{reader_has_gone, wrong_options};
use textveil_toolkit::files::{check_output, check_standard_output, is_same_place, replace, rest, texts};
use textveil_toolkit::format::Format;
use textveil_toolkit::mechanism::{MechanismOptions, Request, Source, word_mechanisms};
use textveil_toolkit::progress::Pace;
use textveil_toolkit::report::numbers::{counted, no_real_promise, words_in_short};
use textveil_toolkit::seed::Randomness;
use textveil_toolkit::words::lists;

/// The parts of the help, behind the everyday options.
const STRENGTH: &str = "Strength";
const WORDS: &str = "Words, without --statements";
const RUNS: &str = "Files and runs";

/// Privatize text: lines, or columns of JSONL, CSV and Parquet, on all cores
///
/// Every text is a release of its own: a line, or a field of a row. The order of rows is kept, and null stays null. An
/// empty text stays empty. With --statements it becomes a statement, as every text does. Memory does not grow with the
/// input.
///
/// Of a table, the columns named by --column are released. NO OTHER COLUMN IS WRITTEN, unless --keep names it. A kept
/// column is in clear, and the guarantee does not cover it. The texts of a row are one person's: their words add up.
/// Blank lines of CSV and TSV are skipped. In a CSV, a cell with quotes begins and ends with one, and has those
/// within it twice. A record with other quotes is refused, because a part of a text could stand in another column. So is a
/// kept cell with several lines. A .tsv is read without quotes. If yours has quotes, read
/// it by --format csv --delimiter '\t'. In a TSV, a line break in a release becomes a space. So does an empty text that
/// is the only cell of its row. Of Parquet, kept columns have Parquet's own types: Arrow's further notes (durations,
/// categories) are left out.
///
/// The guarantee is that of the row with the most private words, and so it holds for all rows. It is written as JSON
/// next to --output, as OUTPUT.guarantee.json. For Parquet it goes into the file's metadata under "textveil".
///
/// Until it is complete, an output lies in the directory OUTPUT.partial. If a run is interrupted, --resume continues
/// after the last row that was counted there. Rows that were drawn and not yet counted (a fifth of a second, or a row
/// group of Parquet) are thrown away and drawn anew. They stood in no output, so nothing of them was released. Do not
/// share OUTPUT.partial: it holds a digest of the input.
#[derive(Args)]
pub(crate) struct Privatize {
    /// Files to read. Without any, or for "-", standard input is read. Several are for lines and standard output only
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    exchange: ExchangeOptions,
    /// A column or field to release. In CSV without a header, its number
    #[arg(long, value_name = "NAME")]
    column: Vec<String>,
    /// A column or field that passes IN CLEAR
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,
    /// The file to write instead of standard output. Without --force it must not be there yet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the input and the output. Without it, the end of the input's name decides: .jsonl, .ndjson, .csv,
    /// .tsv, .parquet, else lines
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// For lines: write one JSON object for each. Without --statements, it has `text`, `guarantee` and `deviceOnly`.
    /// `deviceOnly` says what became of each token, and must not be uploaded. With --statements, the object has only
    /// `guarantee` and `statements`
    #[arg(long)]
    json: bool,
    /// The mechanism that replaces words. Without it, the table's usual one: nearest, if the table is large enough
    #[arg(long, help_heading = STRENGTH, value_parser = word_mechanisms(), value_name = "NAME")]
    mechanism: Option<MechanismKind>,
    #[command(flatten, next_help_heading = STRENGTH)]
    options: MechanismOptions,
    /// A table file instead of the built-in English table
    #[arg(long, help_heading = WORDS, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Leave function words ("the", "of", "was") in clear
    #[arg(long, help_heading = WORDS)]
    keep_function_words: bool,
    /// Draw words for addresses and long numbers, too. Without this, a placeholder stands for each, as "number" in square
    /// brackets, and says its kind in clear
    #[arg(long, help_heading = WORDS)]
    no_placeholders: bool,
    /// In JSON lines, the field of what a detector found: a list of objects with "start" and "end", in code points, and
    /// "kind". A placeholder with the kind takes the place of each. The field is not written
    #[arg(long, help_heading = WORDS, value_name = "FIELD")]
    spans: Option<String>,
    /// A file of words that stay IN CLEAR, as they are written there: one word a line. Lines with # are comments
    #[arg(long, help_heading = WORDS, value_name = "FILE")]
    keep_words: Option<PathBuf>,
    /// A file of words that never come out, except in placeholders: one word a line. Lines with # are comments
    #[arg(long, help_heading = WORDS, value_name = "FILE")]
    never_say: Option<PathBuf>,
    /// Keep of the layout only where sentences end, and write one space between words: less is then public
    #[arg(long, help_heading = WORDS)]
    plain_layout: bool,
    /// Write words as they were drawn, to count them. Otherwise a word may be written in another form, which agrees
    /// with its neighbours ("an apple", "to say")
    #[arg(long, help_heading = WORDS)]
    as_drawn: bool,
    /// Also take texts that are mostly not of the language of the table, or of the encoder. They are refused otherwise
    #[arg(long, help_heading = RUNS)]
    any_language: bool,
    /// Leave out rows that cannot be read, are too long or of another language, and count them, instead of ending at the
    /// first
    #[arg(long, help_heading = RUNS)]
    skip_bad: bool,
    /// The character between the fields of CSV
    #[arg(long, help_heading = RUNS, value_parser = delimiter, value_name = "CHARACTER")]
    delimiter: Option<u8>,
    /// The first row of CSV is a row like the others. Columns are named by number, from 1
    #[arg(long, help_heading = RUNS)]
    no_header: bool,
    /// Where to write the guarantee
    #[arg(long, help_heading = RUNS, value_name = "FILE")]
    guarantee: Option<PathBuf>,
    /// Write guarantees without their English and with a digest: a collector states the rest from them
    #[arg(long, help_heading = RUNS)]
    short_guarantee: bool,
    /// Replace an --output that is already there. Its texts then spend their epsilon again
    #[arg(long, help_heading = RUNS, requires = "output", conflicts_with = "resume")]
    force: bool,
    /// Continue --output after the last row of a run that was interrupted, or begin it
    #[arg(long, help_heading = RUNS, requires = "output")]
    resume: bool,
    #[command(flatten, next_help_heading = RUNS)]
    threads: Threads,
    #[command(flatten, next_help_heading = RUNS)]
    randomness: Randomness,
}

fn delimiter(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("a delimiter is one ASCII character, or \\t"),
    }
}

/// A guarantee as it is written: long, or short.
pub(crate) fn stated(guarantee: &Guarantee, is_short: bool) -> Value {
    if is_short { guarantee.short() } else { json!(guarantee) }
}

/// What options leave in clear, beyond what every release does.
fn in_clear(guarantee: &Guarantee) -> Vec<String> {
    let is_usual = |clear: &&InTheClear| {
        use InTheClear::{Language, Placeholders, Punctuation, SentenceEnds, WhiteSpace, WordCount};
        matches!(clear, WordCount | Punctuation | WhiteSpace | SentenceEnds | Placeholders | Language)
    };
    guarantee.clear.iter().filter(|clear| !is_usual(clear)).map(|clear| clear.name().replace('-', " ")).collect()
}

/// What a run works with.
struct Work<'a> {
    releaser: &'a Releaser<'a>,
    pool: &'a ThreadPool,
    pace: &'a Pace,
}

impl Privatize {
    pub(crate) fn run(&self) -> Result<()> {
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        let format = self.format.unwrap_or_else(|| Format::of(&files[0]));
        self.check(format, files).map_err(wrong_options)?;
        self.check_files(format, files)?;
        if let Some(exchanger) = self.exchange.exchanger(&self.options, self.any_language)? {
            self.check_exchange().map_err(wrong_options)?;
            // The guarantee holds for any two texts. A row that is left out would break it.
            ensure!(
                !(self.skip_bad && exchanger.takes_answers_alone()),
                wrong_options(anyhow!(
                    "with a list of answers no row may be left out, because that shows: mend the rows instead of --skip-bad"
                ))
            );
            return self.release(format, files, &Releaser::Statements(Box::new(exchanger)));
        }
        let table = textveil_tables::load(self.table.as_deref())?;
        let disclosure = Disclosure {
            function_words: self.keep_function_words,
            placeholders: !self.no_placeholders && Disclosure::for_people().placeholders,
            plain_layout: self.plain_layout,
        };
        let lists = lists(self.keep_words.as_deref(), self.never_say.as_deref())?;
        let source = Source::Table(&table);
        let mechanism = self.options.mechanism(self.mechanism.unwrap_or(table.default_mechanism()), source)?;
        let privatizer = Privatizer::new(&table, mechanism, disclosure)
            .map_err(|error| Request::of(&mechanism, source).explain(error))?
            .with_lists(lists)
            .map_err(|_| anyhow!("--never-say leaves the table no word that could come out"))?;
        let privatizer = if self.as_drawn { privatizer.as_drawn() } else { privatizer };
        let privatizer = if self.any_language { privatizer.of_any_language() } else { privatizer };
        let (bulk, is_detected) = (Bulk::new(&privatizer), self.spans.is_some());
        self.release(format, files, &Releaser::Words { privatizer: &privatizer, bulk, is_detected })
    }

    fn release(&self, format: Format, files: &[PathBuf], releaser: &Releaser<'_>) -> Result<()> {
        let (pool, pace) = (self.threads.pool()?, self.threads.pace());
        self.randomness.warn();
        self.warn_of_releases(format, files);
        let work = Work { releaser, pool: &pool, pace: &pace };
        let mut state = State::default();
        let result = match format {
            Format::Parquet => self.parquet(&work, &files[0], &mut state),
            _ => self.text(&work, format, files, &mut state),
        };
        pace.end();
        let tally = state.tally;
        let unread = result.as_ref().is_err_and(reader_has_gone);
        if result.is_ok() || tally.releases > 0 && !unread {
            let skipped = match tally.skipped {
                0 => String::new(),
                count => format!("{} left out, ", counted(count, "row")),
            };
            let (releases, words) = (counted(tally.releases, "release"), counted(tally.words, releaser.unit()));
            let guarantee = self.guarantee_of(releaser, usize::try_from(tally.most).unwrap_or(usize::MAX));
            let clear = [in_clear(&guarantee), self.keep.clone()].concat();
            let clear = if clear.is_empty() { String::new() } else { format!("; IN CLEAR: {}", clear.join(", ")) };
            let unit = if format == Format::Lines { "line" } else { "row" };
            eprintln!(
                "{releases}, {skipped}{words}; {}{clear}",
                words_in_short(&guarantee, unit, releaser.needs_all())
            );
            if let Some(warning) = no_real_promise(&guarantee) {
                eprintln!("{warning}");
            }
            if self.json && matches!(releaser, Releaser::Words { .. }) {
                let output = self.output.as_deref().map_or_else(|| "the output".into(), Path::to_string_lossy);
                eprintln!("warning: {output} holds the words that were typed, under deviceOnly: do not upload them");
            }
            // What is shown on a terminal is kept nowhere. Objects have their guarantees.
            let lacks_guarantee = self.guarantee_file(format).is_none() && !self.json && format != Format::Parquet;
            if tally.releases > 0 && lacks_guarantee && !io::stdout().is_terminal() {
                eprintln!("no guarantee was written, and estimates need one: add -o FILE or --guarantee FILE");
            }
        }
        result
    }

    /// Warns of texts that were drawn already.
    fn warn_of_releases(&self, format: Format, files: &[PathBuf]) {
        for file in files {
            let Some(columns) = guaranteed::columns(file) else { continue };
            if format == Format::Lines || self.column.iter().any(|column| columns.contains(column)) {
                eprintln!(
                    "warning: {} was privatized already, as its guarantee says. Shares that are estimated from the output \
                     are not those of people",
                    file.display()
                );
            }
            if let Some(kept) = self.keep.iter().find(|column| columns.contains(column)) {
                eprintln!(
                    "warning: \"{kept}\" of {} was privatized already, and the guarantee of this run does not count that. \
                     Privatize each column from the original file, into an output of its own",
                    file.display()
                );
            }
        }
    }

    /// Whether the options fit together, whatever the files hold.
    fn check(&self, format: Format, files: &[PathBuf]) -> Result<()> {
        let office = files.iter().chain(&self.output).find(|path| Format::is_of_office(path));
        ensure!(
            office.is_none(),
            "{}: workbooks and documents are neither read nor written. Save the table as CSV in UTF-8",
            office.map_or_else(String::new, |path| path.display().to_string())
        );
        let compressed = files.iter().chain(&self.output).find(|path| Format::is_compressed(path));
        ensure!(
            compressed.is_none(),
            "{}: compressed files are neither read nor written. Unpack the input, and compress the output afterwards",
            compressed.map_or_else(String::new, |path| path.display().to_string())
        );
        let json = files.iter().find(|path| self.format.is_none() && Format::is_json(path));
        ensure!(
            json.is_none(),
            "{}: is it JSON lines? --format jsonl reads an object on each line",
            json.map_or_else(String::new, |path| path.display().to_string())
        );
        let is_table = format != Format::Lines;
        ensure!(is_table || self.column.is_empty() && self.keep.is_empty(), "lines have no columns: name a --format");
        ensure!(!is_table || !self.column.is_empty(), "{format} needs --column: which texts are to be released?");
        ensure!(!is_table || !self.json, "--json is for lines");
        let names: Vec<&String> = self.column.iter().chain(&self.keep).collect();
        let both = self.column.iter().find(|name| self.keep.contains(name));
        ensure!(both.is_none(), "\"{}\" is named by --column and by --keep", both.map_or("", String::as_str));
        let twice = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name));
        ensure!(twice.is_none(), "\"{}\" is named twice", twice.map_or("", |(_, name)| name.as_str()));
        if let Some(field) = &self.spans {
            ensure!(format == Format::Jsonl && self.column.len() == 1, "--spans is for JSON lines and one --column");
            ensure!(!names.contains(&field), "--spans: \"{field}\" is a column that is written");
        }
        let is_csv = matches!(format, Format::Csv | Format::Tsv);
        ensure!(is_csv || !self.no_header, "--no-header is for CSV and TSV");
        ensure!(format == Format::Csv || self.delimiter.is_none(), "--delimiter is for CSV");
        let alone = files.len() == 1;
        ensure!(alone || !is_table, "one table at a time: only files of lines can be privatized together");
        ensure!(
            alone || self.output.is_none(),
            "the releases of several files go to standard output: leave out --output, or name one file"
        );
        if let Some(output) = &self.output {
            ensure!(output != Path::new("-"), "without --output, releases go to standard output");
            let named = Format::of(output);
            let has_tabs = named == Format::Tsv && self.delimiter == Some(b'\t');
            let has_objects = named == Format::Jsonl && self.json;
            let fits = has_tabs || has_objects || [format, Format::Lines].contains(&named);
            ensure!(fits, "{} would hold {format}", output.display());
        }
        let guarantee = self.guarantee.as_deref();
        ensure!(guarantee != Some(Path::new("-")), "--guarantee needs the name of a file, not \"-\"");
        ensure!(format != Format::Parquet || self.output.is_some(), "parquet needs --output");
        let is_file = files[0] != Path::new("-");
        ensure!(is_file || format != Format::Parquet, "parquet is read from a file");
        ensure!(is_file || !self.resume, "--resume needs an input that can be read again, a file");
        Ok(())
    }

    /// Whether the files that are written may be.
    fn check_files(&self, format: Format, files: &[PathBuf]) -> Result<()> {
        let lists = [&self.keep_words, &self.never_say, &self.table].map(Option::as_ref);
        let others = lists.into_iter().chain(self.exchange.files()).flatten();
        let inputs: Vec<&Path> = files.iter().chain(others).map(PathBuf::as_path).collect();
        if let Some(output) = &self.output {
            check_output(output, &inputs)?;
            Partial::check(output, self.standing())?;
        } else {
            check_standard_output(&inputs)?;
        }
        if let Some(guarantee) = self.guarantee_file(format) {
            let shown = guarantee.display();
            ensure!(
                self.output.as_ref().is_none_or(|output| !is_same_place(output, &guarantee)),
                "{shown} cannot hold both the releases and their guarantee"
            );
            check_output(&guarantee, &inputs)?;
            // Under the name that follows from the output's, it is taken for that of an earlier run.
            let is_own =
                self.guarantee.is_none() || self.output.as_ref().is_some_and(|output| Partial::place(output).exists());
            let may_stand = self.resume && is_own || self.force;
            ensure!(
                may_stand || !guarantee.is_file(),
                "{shown} is there already, of other releases: {}",
                if self.output.is_some() { "--force replaces it" } else { "delete it, or name another file" }
            );
        }
        Ok(())
    }

    /// Whether the options are those of statements.
    fn check_exchange(&self) -> Result<()> {
        let is_of_words = [
            (self.mechanism.is_some(), "--mechanism"),
            (self.keep_function_words, "--keep-function-words"),
            (self.no_placeholders, "--no-placeholders"),
            (self.spans.is_some(), "--spans"),
            (self.keep_words.is_some(), "--keep-words"),
            (self.never_say.is_some(), "--never-say"),
            (self.plain_layout, "--plain-layout"),
            (self.as_drawn, "--as-drawn"),
            (self.table.is_some(), "--table"),
        ];
        let odd = is_of_words.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
        ensure!(odd.is_none(), "{} is for words, not for --statements", odd.unwrap_or_default());
        Ok(())
    }

    /// What two runs must have in common to be one.
    fn settings(&self, releaser: &Releaser<'_>, format: Format) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "guarantee": releaser.guarantee(1),
            "perSentence": self.exchange.releases(),
            "format": format.to_string(),
            "asDrawn": self.as_drawn,
            "anyLanguage": self.any_language,
            "accounts": self.json,
            "shortGuarantee": self.short_guarantee,
            "columns": self.column,
            "keep": self.keep,
            "spans": self.spans,
            "delimiter": self.delimiter,
            "header": !self.no_header,
            "seed": self.randomness.name(),
            "guaranteeFile": self.guarantee,
        })
    }

    /// The guarantee of a row of this number of words. Under a seed, it says so.
    fn guarantee_of(&self, releaser: &Releaser<'_>, words: usize) -> Guarantee {
        Guarantee { known_seed: self.randomness.is_seeded(), ..releaser.guarantee(words) }
    }

    /// The names of columns in the output. Without a header they are numbers, counted anew: the output has only the columns
    /// that are named.
    fn in_output(&self, columns: &[String]) -> Vec<String> {
        if !self.no_header {
            return columns.to_vec();
        }
        let number = |column: &String| column.parse::<usize>().ok();
        let named: BTreeSet<usize> = self.column.iter().chain(&self.keep).filter_map(number).collect();
        let place = |column: &String| number(column).map_or(0, |number| named.range(..=number).count());
        columns.iter().map(|column| place(column).to_string()).collect()
    }

    /// How a table is written.
    fn dialect(&self, format: Format) -> Dialect {
        let usual = if format == Format::Tsv { Dialect::TSV } else { Dialect::CSV };
        Dialect { delimiter: self.delimiter.unwrap_or(usual.delimiter), header: !self.no_header, ..usual }
    }

    /// What is proved of every row, and what was left in clear. How the table is written, unless its name says so.
    fn statement(&self, releaser: &Releaser<'_>, format: Format, state: &State) -> Value {
        let words = usize::try_from(state.tally.most).unwrap_or(usize::MAX);
        let mut statement = json!({
            "guarantee": stated(&self.guarantee_of(releaser, words), self.short_guarantee),
            "columns": self.in_output(&self.column),
            "keptInClear": self.in_output(&self.keep),
            "rows": state.rows - state.tally.skipped,
            "rowsLeftOut": state.tally.skipped,
            "releases": state.tally.releases,
            "words": state.tally.words,
        });
        if self.randomness.is_seeded() {
            statement["insecureSeed"] = Value::Bool(true);
        }
        if self.delimiter.is_some() || self.no_header {
            statement["dialect"] = json!(self.dialect(format));
        }
        statement
    }

    /// Where the guarantee goes: where it was asked for, or next to the output.
    fn guarantee_file(&self, format: Format) -> Option<PathBuf> {
        let beside = || {
            let output = self.output.as_deref().filter(|_| format != Format::Parquet)?;
            Some(guaranteed::place(output))
        };
        self.guarantee.clone().or_else(beside)
    }

    fn write_guarantee(&self, statement: &Value, format: Format) -> Result<()> {
        let Some(path) = self.guarantee_file(format) else { return Ok(()) };
        replace(&path, format!("{statement:#}\n").as_bytes())
    }

    /// Gives the output its name and writes its guarantee, so that no output ever stands next to the guarantee of another.
    fn finish(&self, statement: &Value, format: Format, rename: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.force {
            self.write_guarantee(statement, format)?;
            return rename();
        }
        if let Some(path) = self.guarantee_file(format).filter(|path| path.is_file()) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        rename()?;
        self.write_guarantee(statement, format)
    }

    /// What becomes of an output that is there already.
    fn standing(&self) -> Standing {
        if self.resume {
            Standing::Resume
        } else if self.force {
            Standing::Replace
        } else {
            Standing::Refuse
        }
    }

    /// Opens what is written to, and finds how far an earlier run got.
    fn target(&self, settings: Value, needs_all: bool, input: &Path, state: &mut State) -> Result<Target> {
        let Some(output) = &self.output else {
            return Ok(if needs_all { Target::Held(Vec::new()) } else { Target::stdout() });
        };
        let again = Some(input).filter(|input| input.is_file());
        let (partial, earlier) = Partial::open(output, self.standing(), settings, again, self.json)?;
        *state = earlier.unwrap_or_default();
        Ok(Target::File(Box::new(partial)))
    }

    /// Says of a row that ended the run how to leave it out.
    fn with_a_way_on(&self, error: anyhow::Error, needs_all: bool, input: &Path, state: &State) -> anyhow::Error {
        let Some(row) = error.downcast_ref::<BadRow>() else { return error };
        let hint = match &row.reason {
            Reason::Refused(textveil::Error::OtherLanguage) => {
                "To take texts of any language, add --any-language".to_owned()
            }
            Reason::Unreadable(why) if why == csv::OTHER_COUNT && Format::of(input) != Format::Tsv => {
                let delimiter = char::from(self.delimiter.unwrap_or(b','));
                format!(
                    "If another character than {delimiter:?} stands between the fields, name it, as in --delimiter ';'"
                )
            }
            Reason::Unreadable(why) if why == textveil_bulk::NOT_UTF8 => textveil_bulk::TO_UTF8.to_owned(),
            Reason::NoAnswer => {
                "Write it as the list does. Where nobody answered, the list needs an answer such as \"No answer\""
                    .to_owned()
            }
            _ => String::new(),
        };
        let error = if hint.is_empty() { error } else { anyhow!("{error}. {hint}") };
        if needs_all {
            return anyhow!(
                "{error}. Nothing was written, because a reader would see which row is missing, or where the output ends"
            );
        }
        if state.tally.releases == 0 {
            return anyhow!("{error}. To leave out such rows, add --skip-bad");
        }
        let Some(kept) = self.output.as_ref().map(|output| Partial::place(output)) else {
            return anyhow!(
                "{error}. To leave out such rows, add --skip-bad: the rows above are then drawn again, and spend again. A \
                 run with --output can be resumed"
            );
        };
        if input.is_file() && !self.force {
            return anyhow!("{error}. To leave out such rows, add --skip-bad --resume");
        }
        anyhow!("{error}. To leave out such rows, delete {} and add --skip-bad: that spends again", kept.display())
    }

    /// Lines, JSONL and CSV.
    fn text(&self, work: &Work<'_>, format: Format, files: &[PathBuf], state: &mut State) -> Result<()> {
        let needs_all = work.releaser.needs_all();
        let mut target = self.target(self.settings(work.releaser, format), needs_all, &files[0], state)?;
        let result = files.iter().try_for_each(|path| {
            if self.output.is_none() {
                state.input = 0;
            }
            self.file(work, format, path, &mut target, state)
        });
        let result = result.and(target.flush(state));
        if result.is_err() && (needs_all || state.tally.releases == 0) {
            target.give_up()?;
            *state = State::default();
        }
        if state.tally.releases > 0 && result.is_err() && self.output.is_none() {
            // What was drawn before has left.
            self.write_guarantee(&self.statement(work.releaser, format, state), format)?;
        }
        result.map_err(|error| self.with_a_way_on(error, needs_all, &files[0], state))?;
        self.finish(&self.statement(work.releaser, format, state), format, || target.finish())
    }

    fn file(&self, work: &Work<'_>, format: Format, path: &Path, target: &mut Target, state: &mut State) -> Result<()> {
        let release = |text: &str, rng: &mut ReleaseRng| -> Result<_, Fault> {
            if !self.json {
                return work.releaser.text(text, rng);
            }
            let (mut json, words) =
                work.releaser.json(text, rng, |guarantee| stated(guarantee, self.short_guarantee))?;
            if self.randomness.is_seeded() {
                json["insecureSeed"] = Value::Bool(true);
            }
            Ok((json.to_string(), words))
        };
        let (name, size, whole) = texts(path, "textveil privatize")?;
        // Where an earlier run got to, in what is read on from there.
        let is_csv = matches!(format, Format::Csv | Format::Tsv);
        let left = if state.input > 0 { Some(rest(path, state.input - u64::from(is_csv))?) } else { None };
        state.line = if left.is_some() { state.line } else { 1 };
        work.pace.begin(size, state.input, state.rows);
        let run = Run { pool: work.pool, pace: work.pace, name: &name, skip_bad: self.skip_bad };
        let needs_all = work.releaser.needs_all();
        let (columns, keep, release, randomness) = (&*self.column, &*self.keep, &release, &self.randomness);
        match format {
            Format::Csv | Format::Tsv => {
                let dialect = self.dialect(format);
                Csv { dialect, columns, keep, release, randomness, needs_all }.run(&run, (whole, left), target, state)
            }
            Format::Jsonl => {
                let redacted = |text: &Redacted<'_>, rng: &mut ReleaseRng| work.releaser.redacted(text, rng);
                let spans = self.spans.as_ref().map(|field| Spans { field, release: &redacted });
                Jsonl { columns, keep, release, spans, randomness, needs_all }.run(
                    &run,
                    left.unwrap_or(whole),
                    target,
                    state,
                )
            }
            _ => {
                let lines = PlainLines { release, randomness, as_broken: !self.json };
                lines.run(&run, left.unwrap_or(whole), target, state)
            }
        }
    }

    fn parquet(&self, work: &Work<'_>, path: &Path, state: &mut State) -> Result<()> {
        let input = ParquetInput::open(path)?;
        let mut settings = self.settings(work.releaser, Format::Parquet);
        settings["input"] = input.size()?.into();
        let needs_all = work.releaser.needs_all();
        let Target::File(mut partial) = self.target(settings, needs_all, path, state)? else { return Ok(()) };
        // No part of the file says what the rest of it is: all of it is digested.
        state.input = input.size()?;
        work.pace.begin(Some(input.rows()), state.rows, state.rows);
        let release = |text: &str, rng: &mut ReleaseRng| work.releaser.text(text, rng);
        let job = ParquetJob {
            name: &path.display().to_string(),
            columns: &self.column,
            keep: &self.keep,
            release: &release,
            randomness: &self.randomness,
            needs_all,
            skip_bad: self.skip_bad,
            pool: work.pool,
        };
        let result = job
            .run(work.pace, &input, &mut partial, state, |state| self.statement(work.releaser, Format::Parquet, state));
        if result.is_err() && (needs_all || state.tally.releases == 0) {
            partial.give_up()?;
            *state = State::default();
        }
        result.map_err(|error| self.with_a_way_on(error, needs_all, path, state))?;
        self.finish(&self.statement(work.releaser, Format::Parquet, state), Format::Parquet, || partial.finish())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use textveil_tests::Folder;

    use super::*;

    #[derive(Parser)]
    struct Given {
        #[command(flatten)]
        privatize: Privatize,
    }

    const GUARANTEE: &str = "out.txt.guarantee.json";
    /// The guarantee of every output here, as it is written.
    const NEW: &str = "{\n  \"rows\": 1\n}\n";

    /// Finishes an output by a function that is told where it and its guarantee are: how that ended, and what then stands
    /// there. Under `--force` both stand there before, of another run.
    fn finished(
        place: &Folder,
        options: &[&str],
        rename: impl Fn(&Path, &Path) -> Result<()>,
    ) -> (Result<()>, [Option<String>; 2]) {
        let [output, guarantee] = ["out.txt", GUARANTEE].map(|name| place.path(name));
        let given = [&["textveil", "--output", output.as_str()], options].concat();
        let Given { privatize } = Given::try_parse_from(given).expect("options");
        if privatize.force {
            place.write("out.txt", "old");
            place.write(GUARANTEE, "{}");
        }
        let rename = || rename(Path::new(&output), Path::new(&guarantee));
        let ended = privatize.finish(&json!({ "rows": 1 }), Format::Lines, rename);
        (ended, [&output, &guarantee].map(|path| fs::read_to_string(path).ok()))
    }

    #[test]
    fn the_kind_of_a_reason_and_not_its_words_leads_to_any_language() {
        let Given { privatize } = Given::try_parse_from(["textveil"]).expect("options");
        let told = |reason| {
            let row = BadRow { place: "in.txt, line 2".to_owned(), reason };
            privatize.with_a_way_on(row.into(), false, Path::new("in.txt"), &State::default()).to_string()
        };
        let error = textveil::Error::OtherLanguage;
        let message = told(Reason::Refused(error));
        assert!(message.starts_with(&format!("in.txt, line 2: {error}. ")), "{message}");
        assert!(message.contains("add --any-language") && message.ends_with("add --skip-bad"), "{message}");
        let message = told(Reason::Unreadable(error.to_string().into()));
        assert!(!message.contains("--any-language") && message.ends_with("add --skip-bad"), "{message}");
    }

    #[test]
    fn a_guarantee_is_gone_before_its_output_is_replaced() {
        let place = Folder::new();
        let other = place.path(GUARANTEE);
        // By the name of the output, and where it was asked for.
        for options in [&["--force"][..], &["--force", "--guarantee", &other]] {
            let (ended, standing) = finished(&place, options, |output, guarantee| {
                assert!(!guarantee.exists(), "neither that of the other run nor the new one");
                fs::write(output, "new")?;
                Ok(())
            });
            ended.expect("a folder that is there");
            assert_eq!(standing, [Some("new".to_owned()), Some(NEW.to_owned())]);
        }
    }

    #[test]
    fn an_output_that_could_not_be_replaced_stands_next_to_no_guarantee() {
        let place = Folder::new();
        let (ended, standing) = finished(&place, &["--force"], |_, _| Err(anyhow!("no space")));
        assert_eq!(ended.expect_err("no name").to_string(), "no space");
        assert_eq!(standing, [Some("old".to_owned()), None]);
    }

    #[test]
    fn a_new_output_has_its_guarantee_from_the_first_moment() {
        let place = Folder::new();
        let (ended, standing) = finished(&place, &[], |output, guarantee| {
            assert_eq!(fs::read_to_string(guarantee)?, NEW);
            fs::write(output, "new")?;
            Ok(())
        });
        ended.expect("a folder that is there");
        assert_eq!(standing, [Some("new".to_owned()), Some(NEW.to_owned())]);
    }
}
