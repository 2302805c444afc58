//! What own texts say about a question: each way to release them, tried on texts that the owner may read.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use ndarray::Array2;
use rand_core::SeedableRng;
use serde_json::{Value, json};
use textveil::{Preset, ReleaseRng, StatementList, Table, TextEncoder, WordId};
use textveil_estimate::{Channel, Question, Response, Variation, Words};
use textveil_learn::{Examples, Features, Model, Optimizer, Recipe, Session, train};
use textveil_tables::embedding::Space;
use textveil_tables::text_encoder;
use textveil_toolkit::cells;
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::numbers::short_up;
use textveil_toolkit::report::{Cell, Mean, Sheet};

use super::texts::{Labels, Texts};
use super::ways::{Seen, Way, words};
use super::{IN_CLEAR, Precision, of_statement};
use crate::estimate::{percent, percentage_points};
use crate::serve::list;

/// The number of parts of the texts. Each text is in one part and is tested once.
const PARTS: usize = 5;
/// The parts of the texts that are trained on, to see whether more texts would help.
const SIZES: [f64; 3] = [0.25, 0.5, 1.0];
/// The number of statements of a list that are shown, the most frequent first. The statements of [`RANKS`] are shown
/// too.
const SHOWN: usize = 8;
/// The statements of a list that answers are about. A large share needs other numbers than a rare one.
const RANKS: [&str; 3] = ["the statement said most", "the median statement", "the statement said least"];

/// What a topic is called.
const TOPIC: &str = "the words of the topic";

/// The questions, and the texts that they are about.
pub(super) struct Study<'a> {
    pub(super) texts: Texts,
    /// Lists of statements by their names, at this ε of a text.
    pub(super) lists: Vec<(String, StatementList)>,
    pub(super) epsilon: f64,
    /// The words of a topic.
    pub(super) topic: &'a [WordId],
    /// The accuracy that is wanted.
    pub(super) accuracy: Option<f64>,
    pub(super) precision: &'a Precision,
    pub(super) seed: u64,
}

/// The results of a study.
pub(super) struct Findings {
    pub(super) answers: Vec<String>,
    /// What shares are not, by list.
    pub(super) notes: Vec<String>,
    pub(super) sheets: Vec<Sheet>,
}

impl Findings {
    /// Writes it as text or JSON.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn print(&self, json: bool, out: &mut impl Write) -> io::Result<()> {
        if json {
            let sheets: Vec<Value> = self.sheets.iter().map(Sheet::json).collect();
            let found = json!({ "answers": self.answers, "notes": self.notes, "sheets": sheets });
            return writeln!(out, "{found:#}");
        }
        self.sheets.iter().try_for_each(|sheet| sheet.print(out))?;
        self.answers.iter().chain(&self.notes).try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// A way, by what it reaches.
struct Reached {
    way: String,
    epsilon: f64,
    texts: u64,
    /// The share that is counted, or `None` for a label.
    of: Option<String>,
}

impl Study<'_> {
    /// # Errors
    /// A text that is too long; a list of another encoder.
    pub(super) fn run(&self, table: &Table) -> Result<Findings> {
        let (space, encoder) = (Space::of_table(table), text_encoder(None)?);
        let mut ways = Vec::new();
        for preset in Preset::ALL.iter().copied() {
            ways.push(Way::words(table, &space, preset)?);
        }
        for (name, list) in &self.lists {
            ways.push(Way::statement(name.clone(), list, self.epsilon, &encoder)?);
        }
        let mut number = 0;
        let mut rng = || {
            number += 1;
            draws(self.seed, number)
        };
        let seen: Vec<Seen> = ways.iter().map(|way| way.see(&self.texts.texts, &mut rng)).collect::<Result<_>>()?;
        let length = self.length(table)?;
        let mut findings = Findings { answers: Vec::new(), notes: Vec::new(), sheets: vec![costs(&ways, length)] };
        if let Some(labels) = &self.texts.labels {
            self.classify(&mut findings, labels, &ways, &seen, length)?;
        }
        if self.precision.is_asked() {
            self.count(&mut findings, &ways, &seen, &encoder, length)?;
        }
        Ok(findings)
    }

    /// Words of a text, on average.
    fn length(&self, table: &Table) -> Result<f64> {
        let counts = self.texts.texts.iter().map(|text| Ok(words(table, text)?.len())).collect::<Result<Vec<_>>>()?;
        Ok(counts.iter().sum::<usize>() as f64 / counts.len() as f64)
    }

    /// How well a classifier tells the label from releases.
    fn classify(
        &self,
        findings: &mut Findings,
        labels: &Labels,
        ways: &[Way<'_>],
        seen: &[Seen],
        length: f64,
    ) -> Result<()> {
        let trained = self.texts.texts.len() * (PARTS - 1) / PARTS;
        let mut sheet = Sheet::new(format!("How well the label is told (guessing {}", percent(labels.largest_share())));
        let progress = bar("trainings", ways.len() * PARTS * (SIZES.len() + 2));
        let (mut reached, mut best) = (Vec::new(), 0.0_f64);
        for (way, seen) in ways.iter().zip(seen) {
            let accuracy = |from: &[Vec<f64>], to: &[Vec<f64>], share: f64| {
                let part = |part| {
                    progress.inc(1);
                    accuracy(from, to, labels, part, share)
                };
                Ok::<_, anyhow::Error>(Mean::of(&(0..PARTS).map(part).collect::<Result<Vec<_>>>()?))
            };
            let [quarter, half, all] = SIZES.map(|share| accuracy(&seen.released, &seen.released, share));
            let sizes = [quarter?, half?, all?];
            best = best.max(sizes[2].mean);
            let surely = |mean: &Mean| mean.interval().map_or(mean.mean, |[low, _]| low);
            let enough = |mean: &Mean| self.accuracy.is_some_and(|wanted| surely(mean) >= wanted);
            if let Some(at) = sizes.iter().position(enough) {
                let texts = (trained as f64 * SIZES[at]).round() as u64;
                reached.push(Reached { way: way.name(), epsilon: way.epsilon(length), texts, of: None });
            }
            let clear = [accuracy(&seen.released, &seen.clear, 1.0)?, accuracy(&seen.clear, &seen.clear, 1.0)?];
            sheet.row([
                ("released as", Cell::from(way.name())),
                ("a quarter of the texts", sizes[0].into()),
                ("half", sizes[1].into()),
                ("all", sizes[2].into()),
                ("learned from releases, used on clear text", clear[0].into()),
                ("without privacy", clear[1].into()),
            ]);
        }
        progress.finish_and_clear();
        sheet.title += &format!("; all are {trained} texts)");
        findings.sheets.push(sheet);
        if let Some(wanted) = self.accuracy {
            let wish = format!("For an accuracy of {}", percent(wanted));
            findings.answers.push(answer(&wish, &reached).unwrap_or_else(|| {
                format!(
                    "{wish}: with these texts none of these ways reaches it for certain; the best has {}. More texts may do.",
                    percent(best)
                )
            }));
        }
        Ok(())
    }

    /// How many texts a share needs.
    fn count(
        &self,
        findings: &mut Findings,
        ways: &[Way<'_>],
        seen: &[Seen],
        encoder: &TextEncoder,
        length: f64,
    ) -> Result<()> {
        let mut sheet = Sheet::new("How many texts a share needs");
        let mut told = Told::default();
        for (way, seen) in ways.iter().zip(seen) {
            let rows = self.rows(way, seen, encoder, length)?;
            if let Some(note) = of_statement(way.near()) {
                findings.notes.push(format!("{}: {note}", way.name()));
            }
            let ranks = [0, rows.len() / 2, rows.len().saturating_sub(1)];
            for (place, row) in rows.iter().enumerate().filter(|(place, _)| *place < SHOWN || ranks.contains(place)) {
                let [needed, clear] = [row.variation, row.clear].map(|of| row.needed(self.precision, of));
                if let Some(texts) = self.precision.texts(needed) {
                    let of = Some(format!("{}, {}", row.name, percent(row.share)));
                    let reached = || Reached { way: way.name(), epsilon: way.epsilon(length), texts, of: of.clone() };
                    match way {
                        Way::Words { .. } => told.of_topic.push(reached()),
                        Way::Statement { .. } => {
                            let of_ranks = told.of_ranks.iter_mut().zip(ranks).filter(|(_, rank)| *rank == place);
                            of_ranks.for_each(|(of_rank, _)| of_rank.push(reached()));
                        }
                    }
                }
                let cell = |numbers: [Option<String>; 2]| match numbers {
                    [Some(number), Some(clear)] => format!("{number} ({clear})"),
                    _ => "–".to_owned(),
                };
                let texts = |at: usize| cell([needed[at], clear[at]].map(|texts| texts.map(|texts| texts.to_string())));
                let reach = |of: Variation| self.precision.half_width(row.share, of).map(percent);
                let near = match way {
                    Way::Words { .. } => "–".to_owned(),
                    Way::Statement { .. } => way.near().to_string(),
                };
                sheet.row(cells![
                    "released as" => way.name(),
                    "what" => row.name.clone(),
                    "statements near a text" => near,
                    "share in these texts" => percent(row.share),
                    "texts for the interval (without privacy)" => texts(0),
                    "texts in each period for the growth (without privacy)" => texts(1),
                    "interval with the answers, to each side (without privacy)" => cell([reach(row.variation), reach(row.clear)]),
                ]);
            }
        }
        ensure!(
            !sheet.rows.is_empty(),
            "nothing is counted: name a list by --statements, or the words of a topic by --words"
        );
        findings.sheets.push(sheet);
        findings.answers.extend(self.answers(&told));
        Ok(())
    }

    /// The shares that a way lets a collector count.
    fn rows(&self, way: &Way<'_>, seen: &Seen, encoder: &TextEncoder, length: f64) -> Result<Vec<Row>> {
        match way {
            Way::Words { .. } if self.topic.is_empty() => Ok(Vec::new()),
            Way::Words { privatizer, .. } => {
                let channel = Channel::new(privatizer, false)?;
                let topic: Vec<WordId> = self.topic.iter().flat_map(|word| channel.counted_with(*word)).collect();
                // First, since it may refuse the texts, and the rest takes long.
                let (share, effect) = self.share_of(&topic, privatizer.table())?;
                let question = Question { name: String::new(), words: topic };
                let progress = bar("questions", Words::most_steps(1));
                let words = Words::new(channel, privatizer.table(), vec![question], &|| progress.inc(1));
                progress.finish_and_clear();
                let mut tally = words.tally();
                for drawn in &seen.drawn {
                    ensure!(words.add(&mut tally, drawn, 1), "the channel does not put out what was drawn");
                }
                // A text has `length` words.
                let shares = words.shares(&tally);
                let variance = words.variance_of(&tally, &shares, 0) / length;
                Ok(vec![Row {
                    name: TOPIC.to_owned(),
                    share,
                    variation: Variation::Variances { of_one: [variance; 2], of_all: [words.bias(&shares, 0); 2] },
                    clear: self.precision.of_words(share, effect / length),
                }])
            }
            Way::Statement { statements, .. } => {
                let response = Response::of_statements(statements);
                let shares = shares_of(statements.list(), response.near(), encoder, &self.texts.texts)?;
                let variation = response.variation_of_values(1);
                let row = |(name, share)| Row { name, share, variation, clear: IN_CLEAR };
                Ok(shares.into_iter().map(row).collect())
            }
        }
    }

    /// What the ways come to, for each share that was asked for.
    fn answers(&self, told: &Told) -> Vec<String> {
        let wishes = [
            self.precision.within.map(|within| format!("a share within {} to each side", percentage_points(within))),
            self.precision.change.map(|change| format!("a growth of {} told", percent(change))),
        ];
        let wish = wishes.into_iter().flatten().collect::<Vec<_>>().join(", and ");
        if wish.is_empty() {
            return Vec::new();
        }
        let ranks = RANKS.iter().zip(&told.of_ranks).map(|(part, reached)| (*part, reached));
        let ranks = ranks.filter(|_| !self.lists.is_empty());
        let topic = (!self.topic.is_empty()).then_some((TOPIC, &told.of_topic));
        let answer = |(part, reached): (&str, &Vec<Reached>)| {
            let wish = format!("For {wish}, of {part}");
            answer(&wish, reached).unwrap_or_else(|| format!("{wish}: none of these ways tells it."))
        };
        ranks.chain(topic).map(answer).collect()
    }

    /// The share of a topic among all words, and the design effect. That is the factor by which its variance is larger
    /// because the words of a text depend on each other.
    fn share_of(&self, topic: &[WordId], table: &Table) -> Result<(f64, f64)> {
        let count = |text: &String| {
            let words = words(table, text)?;
            let hits = words.iter().flatten().filter(|word| topic.contains(word)).count();
            Ok([hits as f64, words.len() as f64])
        };
        let counts = self.texts.texts.iter().map(count).collect::<Result<Vec<[f64; 2]>>>()?;
        let [hits, all] = [0, 1].map(|part| counts.iter().map(|count| count[part]).sum::<f64>());
        ensure!(hits > 0.0, "no word of the topic is in the texts");
        let (share, texts) = (hits / all, counts.len() as f64);
        let squares: f64 = counts.iter().map(|[hits, words]| (hits - share * words).powi(2)).sum();
        let effect = squares / all * texts / (texts - 1.0) / (share * (1.0 - share));
        Ok((share, effect.max(1.0)))
    }
}

/// What the ways reach, by what is counted.
#[derive(Default)]
struct Told {
    of_topic: Vec<Reached>,
    /// In the order of [`RANKS`].
    of_ranks: [Vec<Reached>; RANKS.len()],
}

/// A share that is counted.
struct Row {
    name: String,
    share: f64,
    /// How an estimate from texts varies.
    variation: Variation,
    /// The same of texts in clear.
    clear: Variation,
}

impl Row {
    /// Texts for the interval, and texts in each period for the growth.
    fn needed(&self, precision: &Precision, variation: Variation) -> [Option<u64>; 2] {
        let grows = self.share + precision.change.unwrap_or(0.0) < 1.0;
        // An interval that reaches over all that can be says nothing.
        let tells = precision.within.is_none_or(|within| 2.0 * within < 1.0);
        [
            tells.then(|| precision.for_width(self.share, variation)).flatten(),
            grows.then(|| precision.for_change(self.share, variation)).flatten(),
        ]
    }
}

/// The draws of a release. Streams of one seed have nothing in common. The first 2³² are left to the choice of texts and to
/// trainings, which may have the same seed.
fn draws(seed: u64, number: u64) -> ReleaseRng {
    let mut rng = ReleaseRng::seed_from_u64(seed);
    rng.set_stream((1 << 32) + number);
    rng
}

/// "…: a statement of list.tvs, ε 8, with 1,000 texts. Fewer texts: …".
fn answer(wish: &str, reached: &[Reached]) -> Option<String> {
    let least = reached.iter().min_by(|a, b| a.epsilon.total_cmp(&b.epsilon).then(a.texts.cmp(&b.texts)))?;
    let fewest = reached.iter().min_by_key(|reached| reached.texts)?;
    let shown = |it: &Reached| {
        let of = it.of.as_ref().map_or_else(String::new, |of| format!(" ({of})"));
        let epsilon = short_up(it.epsilon);
        format!("{}{of}, with {} texts and an ε of {epsilon} for a text of average length", it.way, it.texts)
    };
    let other =
        if fewest.texts < least.texts { format!(" The fewest texts: {}.", shown(fewest)) } else { String::new() };
    Some(format!("{wish}. The least ε: {}.{other}", shown(least)))
}

/// What a text loses, by way.
fn costs(ways: &[Way<'_>], length: f64) -> Sheet {
    let mut sheet = Sheet::new("What a text loses");
    for way in ways {
        sheet.row(cells![
            "released as" => way.name(),
            "ε of a text of average length" => short_up(way.epsilon(length)),
            "of" => way.spends(length),
        ]);
    }
    sheet
}

/// The statements of a list that are among the `near` nearest to any text, and the shares of texts that they are near to, the
/// largest first. A text to which nothing is near counts for all statements alike. `estimate` shows these shares divided by
/// `near`.
fn shares_of(list: &StatementList, near: usize, encoder: &TextEncoder, texts: &[String]) -> Result<Vec<(String, f64)>> {
    let (mut counts, mut of_nothing) = (vec![0_usize; list.len()], 0_usize);
    for text in texts {
        let nearest = list.nearest(&encoder.encode(text)?, near)?;
        of_nothing += usize::from(nearest.is_empty());
        nearest.into_iter().for_each(|number| counts[number] += 1);
    }
    let of_nothing = (near * of_nothing) as f64 / list.len() as f64;
    let share = |count: usize| (count as f64 + of_nothing) / texts.len() as f64;
    let said = list.iter().zip(counts).filter(|(_, count)| *count > 0);
    let mut shares: Vec<_> = said.map(|(name, count)| (name.to_owned(), share(count))).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(shares)
}

/// The accuracy on one part of the texts of a classifier of the others, or of a share of them.
fn accuracy(from: &[Vec<f64>], to: &[Vec<f64>], labels: &Labels, part: usize, share: f64) -> Result<f64> {
    let (tested, others): (Vec<usize>, Vec<usize>) = (0..from.len()).partition(|text| text % PARTS == part);
    let trained = &others[..((others.len() as f64 * share) as usize).max(1)];
    // Steps of a training should not depend on how long vectors are.
    let elements = || trained.iter().flat_map(|text| &from[*text]);
    let scale = (elements().count() as f64 / elements().map(|x| x * x).sum::<f64>()).sqrt();
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let examples = |rows: &[Vec<f64>], texts: &[usize]| -> Result<Examples> {
        let dims = rows.first().map_or(0, Vec::len);
        let elements = texts.iter().flat_map(|text| &rows[*text]).map(|x| (x * scale) as f32).collect();
        let features = Features::Dense(Array2::from_shape_vec((texts.len(), dims), elements)?);
        Ok(Examples { features, labels: texts.iter().map(|text| labels.of[*text]).collect() })
    };
    let recipe = Recipe {
        model: Model::Logistic { l2: 0.01 },
        optimizer: Optimizer::Adam { rate: 0.02 },
        epochs: 60,
        batch: 128,
        patience: None,
        seed: part as u64,
    };
    let model = train(&recipe, labels.classes.len(), &examples(from, trained)?, None, &Session::default())?;
    Ok(model.evaluate(&examples(to, &tested)?)?.accuracy)
}

/// The lists of files, by their names.
///
/// # Errors
/// A file that cannot be read, or is no list.
pub(super) fn lists(paths: &[PathBuf]) -> Result<Vec<(String, StatementList)>> {
    let list = |path: &PathBuf| {
        let (name, list) = (name(path), list(path)?);
        ensure!(!list.is_of_answers(), "{name} has answers, and no text comes to one: leave out the texts");
        Ok((name, list))
    };
    paths.iter().map(list).collect()
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand_core::Rng;
    use textveil_estimate::Confidence;

    use super::*;

    #[test]
    fn two_seeds_have_no_draw_in_common() {
        let first = |seed| move |number| draws(seed, number).next_u64();
        let found: BTreeSet<u64> = (0..10).flat_map(|seed| (0..100).map(first(seed))).collect();
        assert_eq!(found.len(), 1000);
        // Nor with what else follows from a seed.
        let others: BTreeSet<u64> = (0..10).map(|seed| ReleaseRng::seed_from_u64(seed).next_u64()).collect();
        assert!(found.is_disjoint(&others));
    }

    #[test]
    fn words_of_a_text_depend_on_each_other() {
        let table = Table::english().expect("the embedded table");
        let topic = ["crash", "crashes"].map(|word| table.find(word).expect("in the table"));
        // Half of the texts have a word of the topic four times.
        let texts = (0..200).map(|number| ["crashes crashes crashes crashes", "nothing new to say"][number % 2]);
        let precision = Precision {
            within: Some(0.05),
            answers: None,
            change: None,
            compared: None,
            power: 0.9,
            confidence: Confidence::USUAL,
        };
        let study = Study {
            texts: Texts { texts: texts.map(str::to_owned).collect(), labels: None },
            lists: Vec::new(),
            epsilon: 8.0,
            topic: &topic,
            accuracy: None,
            precision: &precision,
            seed: 0,
        };
        let (share, effect) = study.share_of(&topic, &table).expect("it is there");
        assert_eq!(share, 0.5);
        // The share of a text is 0 or 1: its variance is 1/4, and (1.96 / 0.05)² / 4 = 384.1; by the 199 degrees of freedom 386.1.
        let clear = precision.of_words(share, effect / study.length(&table).expect("short texts"));
        assert_eq!(precision.for_width(share, clear), Some(387));
        assert!(study.share_of(&topic[..1], &table).is_err());
    }
}
