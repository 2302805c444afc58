//! `textveil-lab reader`: how many words a reader gets right who knows the mechanism, and the language.

mod language;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rayon::prelude::*;
use textveil::{
    Calibration, Disclosure, MechanismKind, Parameter, Piece, Prior, Privatizer, Table, WordId, look_up, normalize,
};

use crate::compare::{Dataset, Estimate, Trial, rng};
use crate::data::Library;
use language::{LANES, Model, Observation};
use textveil_tables::embedding::Space;
use textveil_toolkit::cells;
use textveil_toolkit::mechanism::{Request, Source, parametrized, word_mechanisms};
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::Sheet;

/// Measure how many words a reader with context gets right, and readers who take each word alone
///
/// The reader with context knows the mechanism's probabilities and a bigram model of English (interpolated
/// Kneser-Ney). It names the likeliest word at each place (forward-backward). Others may be right more often: a
/// neural model knows more of the language. The readers of single words hold all words to be equally likely, or as
/// likely as the table says that they are frequent.
///
/// Punctuation is public. Words that the table does not know are not counted, and the reader is told where they are.
/// The texts that are read: reviews (imdb), and every 500th line of --corpus, which the model does not learn from. The
/// model learns from the other lines, and from sst2 and yelp_full5. Intervals hold 95 %, by sentence.
///
/// The accuracy is that of "compare" on all reviews, trained and tested on releases. Without --epsilon, all levels of
/// nearest are read, and certified at four ε. Each of these four is then printed next to a level of nearest: the one on
/// which the reader with context is right most nearly as often.
#[derive(Args)]
pub(crate) struct Reader {
    /// The folder with the papers' data sets
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Public English text for the model, a sentence a line, gzipped or not
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,
    /// The mechanism. It must state its probabilities
    #[arg(long, default_value = "certified", value_parser = word_mechanisms(), requires = "epsilon", value_name = "NAME")]
    mechanism: MechanismKind,
    /// ε of a word
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    epsilon: Vec<f64>,
    /// m of nearest
    #[arg(long, requires = "epsilon", value_name = "NUMBER")]
    mass: Option<f64>,
    /// γ of nearest
    #[arg(long, requires = "epsilon", value_name = "NUMBER")]
    frequency_power: Option<f64>,
    /// How many words of each of the two kinds of texts are read
    #[arg(long, default_value_t = 700, value_name = "N")]
    words: usize,
    /// How often all reviews are privatized for the accuracy
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// What the draws follow from
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// ε of `certified`, each a hair above a level's: a tenth, three tenths, half and seven tenths of the words are kept.
const OF_CERTIFIED: [f64; 4] = [8.83, 10.59, 12.2, 14.55];
/// One line in this many of the public text is read and not learned from.
const HELD_OUT: usize = 500;
/// Shorter sentences are not read, and longer ones are cut.
const LENGTHS: [usize; 2] = [6, 60];
/// Marks that are a symbol: the end of a sentence, and a part of one.
const MARKS: [&str; 2] = [".!?", ",;:"];
/// Symbols that are no rows: those marks, any other mark, an unknown word.
const SYMBOLS: usize = MARKS.len() + 2;
/// What the lower order of the language model gives to these symbols before it has seen any text.
const FLOOR_OF_SYMBOLS: f64 = 0.1;
/// Inputs whose probabilities a thread finds together.
const CHUNK: usize = 512;

/// The symbols of a text: rows, then the table's length plus a number below [`SYMBOLS`].
fn symbols(table: &Table, text: &str) -> Result<Vec<u32>> {
    let beyond = |symbol: usize| (table.len() + symbol) as u32;
    let symbol = |piece| match piece {
        Piece::Token { kind, text } => {
            Some(look_up(table, kind, &text).row.map_or(beyond(MARKS.len() + 1), |row| row.row() as u32))
        }
        Piece::Layout(run) if run.trim().is_empty() => None,
        Piece::Layout(run) => {
            let mark = MARKS.iter().position(|marks| run.contains(|c| marks.contains(c)));
            Some(beyond(mark.unwrap_or(MARKS.len())))
        }
    };
    Ok(Piece::split(&normalize(text))?.into_iter().filter_map(symbol).collect())
}

/// What a reader knows, and what is read.
pub(crate) struct Knowledge {
    model: Model,
    prior: Prior,
    /// Texts as symbols.
    texts: Vec<Vec<u32>>,
}

/// The readers. The first answers with the released word. Two take each word alone: one holds all words to be equally
/// likely, one weighs them by frequency. The last has the context.
const READERS: usize = 4;
/// The place of the reader with context.
const CONTEXT: usize = 3;

/// For each reader, the share of words that are answered rightly, and half of its 95 % interval.
pub(crate) struct Success {
    pub(crate) words: [[f64; 2]; READERS],
    /// The same for words that are no function words.
    pub(crate) content: [[f64; 2]; READERS],
}

/// A mechanism with its numbers.
type Asked = (MechanismKind, Vec<(Parameter, f64)>);

/// What was found of a mechanism.
struct Row {
    kind: MechanismKind,
    epsilon: f64,
    success: Success,
    accuracy: Estimate,
}

impl Reader {
    pub(crate) fn run(&self) -> Result<()> {
        let table = textveil_tables::load(None)?;
        let space = Space::of_table(&table);
        let library = Library::open(&self.data)?;
        let reviews = Dataset::of(library.set("imdb")?, self.seed);
        let trial = Trial::new(&reviews, &table, &space)?;
        let knowledge = Knowledge::gather(&table, &library, &self.corpus, self.words)?;
        let asked = self.asked(&table)?;
        let progress = bar("reading", asked.len());
        let mut rows = Vec::new();
        for (kind, given) in asked {
            let privatizer = parametrized(kind, Calibration::Sound, &given)
                .and_then(|mechanism| Privatizer::new(&table, mechanism, Disclosure::default()))
                .map_err(|error| Request { kind, given, source: Source::Table(&table) }.explain(error))?;
            rows.push(Row {
                kind,
                epsilon: privatizer.guarantee(1).epsilon_word,
                success: knowledge.read(&privatizer, &table, self.seed)?,
                accuracy: trial.run(&privatizer, self.runs, self.seed).trained_privatized,
            });
            progress.inc(1);
        }
        progress.finish_and_clear();
        let mut out = io::stdout().lock();
        found(&rows, &trial).print(&mut out)?;
        if self.epsilon.is_empty() {
            beside(&rows, "on all words", |success| success.words).print(&mut out)?;
            beside(&rows, "on content words", |success| success.content).print(&mut out)?;
        }
        Ok(())
    }

    /// What is read.
    fn asked(&self, table: &Table) -> Result<Vec<Asked>> {
        if self.epsilon.is_empty() {
            let levels = table.level_reports()?.into_iter().filter(|level| level.mechanism == MechanismKind::Nearest);
            let nearest = levels.map(|level| (level.mechanism, vec![(Parameter::Level, f64::from(level.index))]));
            let certified = OF_CERTIFIED.map(|epsilon| (MechanismKind::Certified, vec![(Parameter::Epsilon, epsilon)]));
            return Ok(nearest.chain(certified).collect());
        }
        let others = [(Parameter::Mass, self.mass), (Parameter::FrequencyPower, self.frequency_power)];
        let others = others.into_iter().filter_map(|(parameter, value)| Some((parameter, value?)));
        let with = |epsilon: &f64| [(Parameter::Epsilon, *epsilon)].into_iter().chain(others.clone()).collect();
        Ok(self.epsilon.iter().map(|epsilon| (self.mechanism, with(epsilon))).collect())
    }
}

/// What readers get right, and how accurate a classifier is.
fn found(rows: &[Row], trial: &Trial<'_>) -> Sheet {
    let clear = trial.accuracy_in_clear;
    let mut sheet = Sheet::new(format!("words that readers get right, and accuracy on reviews; in clear {clear}"));
    for Row { kind, epsilon, success, accuracy } in rows {
        let [came_out, uniform, frequent, context] = success.words;
        sheet.row(cells![
            "mechanism" => kind.name(),
            "epsilon" => *epsilon,
            "as it came out" => share(came_out),
            "alone, uniform" => share(uniform),
            "alone, by frequency" => share(frequent),
            "with context" => share(context),
            "the same, content words" => share(success.content[CONTEXT]),
            "accuracy" => accuracy.to_string(),
        ]);
    }
    sheet
}

/// For each row of another mechanism, the row of `nearest` where the reader with context succeeds about equally often.
fn beside(rows: &[Row], words: &str, of: fn(&Success) -> [[f64; 2]; READERS]) -> Sheet {
    let mut sheet = Sheet::new(format!("where the reader with context is right about equally often, {words}"));
    let right = |row: &Row| of(&row.success)[CONTEXT][0];
    let (nearest, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.kind == MechanismKind::Nearest);
    for other in others {
        let off = |row: &&&Row| (right(row) - right(other)).abs();
        let Some(row) = nearest.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
        sheet.row(cells![
            "mechanism" => other.kind.name(),
            "epsilon" => other.epsilon,
            "right" => share(of(&other.success)[CONTEXT]),
            "accuracy" => other.accuracy.to_string(),
            "epsilon of nearest" => row.epsilon,
            "right of nearest" => share(of(&row.success)[CONTEXT]),
            "accuracy of nearest" => row.accuracy.to_string(),
        ]);
    }
    sheet
}

/// A share, and half of its interval.
fn share([share, half]: [f64; 2]) -> String {
    format!("{share:.3} ±{half:.3}")
}

impl Knowledge {
    /// Learns the language, and takes texts of both kinds until each kind has this number of known words.
    ///
    /// # Errors
    /// Data that cannot be read.
    pub(crate) fn gather(table: &Table, library: &Library, corpus: &Path, words: usize) -> Result<Self> {
        let lines: Vec<String> = textveil_toolkit::files::reader(corpus)
            .and_then(|reader| Ok(reader.lines().collect::<Result<_, _>>()?))
            .with_context(|| corpus.display().to_string())?;
        let [read, learned @ ..] = ["imdb", "sst2", "yelp_full5"].map(|name| library.set(name));
        let read = read?;
        let learned = learned.into_iter().collect::<Result<Vec<_>>>()?;
        let public = lines.iter().enumerate().filter(|(place, _)| place % HELD_OUT != 0).map(|(_, line)| line);
        let others = learned.iter().flat_map(|set| set.train.iter().map(|example| &example.text));
        let learned: Vec<&String> = public.chain(others).collect();
        let end = end(table);
        let framed = |text: &&String| Ok([[end].as_slice(), &symbols(table, text)?, &[end]].concat());
        let learned = learned.par_iter().map(framed).collect::<Result<Vec<_>>>()?;
        let prior = Prior::by_frequency(table);
        let mut floor: Vec<f64> = table.rows().map(|row| (1.0 - FLOOR_OF_SYMBOLS) * prior.share(row)).collect();
        floor.extend([FLOOR_OF_SYMBOLS / SYMBOLS as f64; SYMBOLS]);
        let reviews = some(table, read.train.iter().chain(&read.test).map(|example| &example.text), words)?;
        let encyclopaedia = some(table, lines.iter().step_by(HELD_OUT), words)?;
        let mut texts = [reviews, encyclopaedia].concat();
        // Texts of about the same length are read together.
        texts.sort_by_key(Vec::len);
        ensure!(!texts.is_empty(), "there is no text to read");
        Ok(Self { model: Model::learn(&learned, &floor), prior, texts })
    }

    /// How often readers are right about one release of the texts.
    ///
    /// # Errors
    /// The mechanism does not state its probabilities.
    pub(crate) fn read(&self, privatizer: &Privatizer, table: &Table, seed: u64) -> Result<Success> {
        let answers = self.answers(privatizer, table, seed)?;
        let share = |reader: usize, is_counted: &dyn Fn(WordId) -> bool| {
            let of_text = |(answers, text): (&Vec<[u32; READERS]>, &Vec<u32>)| {
                let counted = |word: u32| table.row(word as usize).is_some_and(is_counted);
                let words = answers.iter().zip(text).filter(|(_, word)| counted(**word));
                words.fold([0.0, 0.0], |[right, all], (answers, word)| {
                    [right + f64::from(u8::from(answers[reader] == *word)), all + 1.0]
                })
            };
            ratio(&answers.iter().zip(&self.texts).map(of_text).collect::<Vec<_>>())
        };
        Ok(Success {
            words: std::array::from_fn(|reader| share(reader, &|_| true)),
            content: std::array::from_fn(|reader| share(reader, &|word| !table.is_function_word(word))),
        })
    }

    /// For each place of each text, what each reader answers.
    fn answers(&self, privatizer: &Privatizer, table: &Table, seed: u64) -> Result<Vec<Vec<[u32; READERS]>>> {
        let mut rng = rng(seed, 0, 0);
        let mut release = |symbol: &u32| {
            table.row(*symbol as usize).map_or(*symbol, |row| privatizer.draw(row, &mut rng).row() as u32)
        };
        let released: Vec<Vec<u32>> = self.texts.iter().map(|text| text.iter().map(&mut release).collect()).collect();
        let is_row = |symbol: &u32| (*symbol as usize) < table.len();
        let outputs: BTreeSet<u32> = released.iter().flatten().copied().filter(is_row).collect();
        let likelihoods = likelihoods(privatizer, table, &outputs)?;
        let shares: Vec<f64> = table.rows().map(|row| self.prior.share(row)).collect();
        let single = |(output, likelihood): (&u32, &Vec<f64>)| {
            let weighted = likelihood.iter().zip(&shares).map(|(likelihood, share)| likelihood * share);
            let uniform = likeliest(likelihood.iter().copied());
            // Many may be equally likely; the word that came out is then as good a guess as any.
            let is_itself = likelihood[*output as usize] >= likelihood[uniform as usize];
            (*output, [if is_itself { *output } else { uniform }, likeliest(weighted)])
        };
        let singles: BTreeMap<u32, [u32; 2]> = likelihoods.par_iter().map(single).collect();
        let batch = |released: &[Vec<u32>]| {
            let seen = |symbol: &u32| {
                likelihoods.get(symbol).map_or(Observation::Symbol(*symbol), |seen| Observation::Likelihood(seen))
            };
            let observed: Vec<Vec<Observation<'_>>> =
                released.iter().map(|text| text.iter().map(seen).collect()).collect();
            let answer = |symbol: &u32| {
                let [uniform, frequent] = singles.get(symbol).copied().unwrap_or([*symbol; 2]);
                [*symbol, uniform, frequent, *symbol]
            };
            let mut answers: Vec<Vec<_>> = released.iter().map(|text| text.iter().map(answer).collect()).collect();
            self.model.posteriors(end(table), &observed, |place, posterior| {
                for (lane, answers) in answers.iter_mut().enumerate() {
                    if let Some([.., context]) = answers.get_mut(place) {
                        *context = likeliest(posterior.iter().map(|lanes| lanes[lane]));
                    }
                }
            });
            answers
        };
        Ok(released.par_chunks(LANES).flat_map_iter(batch).collect())
    }
}

/// The symbol that stands before and behind a text, and for the end of a sentence.
fn end(table: &Table) -> u32 {
    table.len() as u32
}

/// Texts with `words` known words in total.
fn some<'a>(table: &Table, texts: impl Iterator<Item = &'a String>, words: usize) -> Result<Vec<Vec<u32>>> {
    let mut some = Vec::new();
    let mut found = 0;
    for text in texts {
        let mut symbols = symbols(table, text)?;
        symbols.truncate(LENGTHS[1]);
        if symbols.len() >= LENGTHS[0] && found < words {
            found += symbols.iter().filter(|symbol| (**symbol as usize) < table.len()).count();
            some.push(symbols);
        }
    }
    Ok(some)
}

/// The place of the greatest weight, the first of equals.
fn likeliest(weights: impl Iterator<Item = f64>) -> u32 {
    let best = |best: (u32, f64), (place, weight): (u32, f64)| if weight > best.1 { (place, weight) } else { best };
    (0..).zip(weights).fold((0, 0.0), best).0
}

/// For each output, its probability for every input.
fn likelihoods(privatizer: &Privatizer, table: &Table, outputs: &BTreeSet<u32>) -> Result<BTreeMap<u32, Vec<f64>>> {
    let rows: Vec<WordId> = table.rows().collect();
    let mut places = vec![None; table.len()];
    outputs.iter().enumerate().for_each(|(place, output)| places[*output as usize] = Some(place));
    let part = |inputs: &[WordId]| {
        let mut part = vec![vec![0.0; inputs.len()]; outputs.len()];
        for (column, input) in inputs.iter().enumerate() {
            let distribution = privatizer.distribution(*input);
            for (output, share) in distribution.context("the mechanism does not state its probabilities")? {
                if let Some(place) = places[output.row()] {
                    part[place][column] = share;
                }
            }
        }
        Ok(part)
    };
    let parts = rows.par_chunks(CHUNK).map(part).collect::<Result<Vec<Vec<Vec<f64>>>>>()?;
    let column = |place: usize| parts.iter().flat_map(|part| part[place].iter().copied()).collect();
    Ok(outputs.iter().copied().zip((0..outputs.len()).map(column)).collect())
}

/// The sum of numerators over that of denominators, and half of its 95 % interval.
fn ratio(parts: &[[f64; 2]]) -> [f64; 2] {
    let [numerator, denominator] = parts.iter().fold([0.0, 0.0], |[a, b], [c, d]| [a + c, b + d]);
    let share = numerator / denominator;
    let squares: f64 = parts.iter().map(|[right, all]| (right - share * all).powi(2)).sum();
    [share, 1.96 * squares.sqrt() / denominator]
}

#[cfg(test)]
mod tests {
    use textveil::Mechanism;

    use super::*;

    fn privatizer(table: &Table, nats_a_step: f64) -> Privatizer {
        let eta = nats_a_step / table.scale();
        let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, eta).expect("an eta");
        Privatizer::new(table, mechanism, Disclosure::default()).expect("a privatizer")
    }

    #[test]
    fn marks_and_unknown_words_are_symbols_beyond_the_rows() {
        let table = textveil_tables::load(None).expect("the built-in table");
        let row = |word| table.find(word).expect("a word").row() as u32;
        let end = end(&table);
        let found = symbols(&table, "The doctor, qzxvkjw (doctor)!").expect("short");
        assert_eq!(found, [row("the"), row("doctor"), end + 1, end + 3, end + 2, row("doctor"), end]);
    }

    #[test]
    fn each_output_has_its_probability_for_every_input() {
        let table = textveil_tables::example(60, 4).expect("a table");
        let privatizer = privatizer(&table, 0.05);
        let offered: BTreeSet<u32> = [3, 17, 41].into_iter().collect();
        let found = likelihoods(&privatizer, &table, &offered).expect("stated");
        assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), offered);
        for input in table.rows() {
            let stated = privatizer.distribution(input).expect("stated");
            for (output, likelihood) in &found {
                let stated =
                    stated.iter().find(|(row, _)| row.row() as u32 == *output).map_or(0.0, |(_, share)| *share);
                assert_eq!(likelihood[input.row()], stated);
            }
        }
    }

    /// Words that follow each other in one order only are known from it, whatever the noise.
    #[test]
    fn the_reader_with_context_knows_what_no_word_alone_tells() {
        let table = textveil_tables::example(60, 4).expect("a table");
        let mut floor = vec![1.0 / table.len() as f64; table.len()];
        floor.extend([0.0; SYMBOLS]);
        let offered: Vec<u32> =
            table.rows().filter(|row| table.is_offered(*row)).map(|row| row.row() as u32).take(3).collect();
        let text = offered.repeat(8);
        let framed = [[end(&table)].as_slice(), &text, &[end(&table)]].concat();
        let texts = vec![text; 2 * LANES + 1];
        let knowledge =
            Knowledge { model: Model::learn(&vec![framed; 50], &floor), prior: Prior::uniform(&table), texts };
        let [came_out, uniform, frequent, context] =
            knowledge.read(&privatizer(&table, 1e-4), &table, 0).expect("stated").words;
        assert!(came_out[0] < 0.1 && uniform[0] < 0.1 && frequent[0] < 0.1 && context[0] > 0.95, "{context:?}");
        let without_noise = knowledge.read(&privatizer(&table, 1e3), &table, 0).expect("stated").words;
        assert!(without_noise.iter().all(|[share, half]| *share == 1.0 && *half == 0.0), "{without_noise:?}");
    }

    #[test]
    fn a_share_of_texts_that_agree_has_no_width() {
        assert_eq!(ratio(&[[1.0, 2.0], [3.0, 6.0]]), [0.5, 0.0]);
        let [share, half] = ratio(&[[1.0, 1.0], [0.0, 1.0]].repeat(50));
        assert_eq!(share, 0.5);
        assert!((half - 1.96 * (0.25 / 100.0_f64).sqrt()).abs() < 1e-12);
    }
}
