//! `textveil-lab opposites`: how often the nearest statement says the same as a text, and how often the opposite.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;
use textveil::{Otherwise, StatementList, TextEncoder, normalize};

use crate::data::Library;
use textveil_tables::text_encoder;
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;

/// Count how often the nearest statement says the opposite of a text
///
/// 630 texts were written for the six lists of the repository before any result was seen.
/// One person said which statements of the list say the same as a text, and which the opposite. 30 texts are those of the guide
/// "Write a list of statements". Of 240 others every second one has a negation. They are in two halves by chance: the method was
/// chosen on "dev" and not on "test". The 180 "fresh" ones are longer, and were written by somebody who did not know the
/// phrasings of the lists. 180 "short" ones have one to five words, and their writer knew no phrasing either. 51 of these are
/// "known": so common that the list has them as a phrasing. 93 are "new" to it, and 36 should fit nothing. No other text is a
/// phrasing of a list.
///
/// A second table counts the texts for which one of the first statements that a form offers says the same. The statement for
/// texts that fit nothing is not counted.
///
/// With --data, labelled reviews come to the nearest of three lists. One person said which of their statements praise and which
/// complain. "right" is the share of reviews whose statement has their label, of those whose statement has any.
#[derive(Args)]
pub(crate) struct Opposites {
    /// A text encoder, as "textveil table distill" writes it, instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    encoder: Option<PathBuf>,
    /// The folder with the papers' data sets
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Also show the nearest statement of each text
    #[arg(long)]
    texts: bool,
    /// Take the statements of the lists without their other phrasings
    #[arg(long)]
    statements_alone: bool,
}

const TEXTS: &str = include_str!("../data/opposites.tsv");
/// The texts by who wrote them and for what, each with its kinds.
const SPLITS: [(&str, &[&str]); 5] = [
    ("dev", &["negated", "plain"]),
    ("test", &["negated", "plain"]),
    ("guide", &["negated", "plain"]),
    ("fresh", &["negated", "plain"]),
    ("short", &["known", "new", "off"]),
];
const POLAR: &str = include_str!("../data/polar-statements.tsv");
/// The lists, each with its lines.
const LISTS: [(&str, &str); 6] = [
    ("film-and-book-reviews", include_str!("../../statements/film-and-book-reviews.txt")),
    ("health-check-in", include_str!("../../statements/health-check-in.txt")),
    ("product-feedback", include_str!("../../statements/product-feedback.txt")),
    ("shop-and-delivery", include_str!("../../statements/shop-and-delivery.txt")),
    ("support-requests", include_str!("../../statements/support-requests.txt")),
    ("workplace-survey", include_str!("../../statements/workplace-survey.txt")),
];
/// What reviews are of, and the list that they come to.
const REVIEWS: [(&str, &str); 4] = [
    ("imdb", "film-and-book-reviews"),
    ("amazon", "product-feedback"),
    ("yelp", "shop-and-delivery"),
    ("sst2", "film-and-book-reviews"),
];

/// A text, and the statements that say the same and the opposite, as numbers from 0.
#[derive(Deserialize)]
struct Row {
    split: String,
    list: String,
    kind: String,
    text: String,
    same: String,
    opposite: String,
}

/// The statements of a list that praise and those that complain.
#[derive(Deserialize)]
struct Polar {
    list: String,
    positive: String,
    negative: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Same,
    Other,
    Opposite,
}

/// A text and what came of it.
struct Judged {
    row: Row,
    statement: String,
    verdict: Verdict,
    /// The place of the first statement that says the same among those that are offered, from 0.
    offered: Option<usize>,
    /// Whether only the statement for texts that fit nothing says the same.
    fits_nothing: bool,
}

/// Most statements that are offered, besides the one for texts that fit nothing.
const MOST_OFFERED: usize = 8;

fn rows<T: for<'a> Deserialize<'a>>(text: &str) -> Result<Vec<T>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').quoting(false).from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

fn numbers(list: &str) -> Result<BTreeSet<usize>> {
    list.split(',').filter(|number| !number.is_empty()).map(|number| Ok(number.parse()?)).collect()
}

/// A list as `textveil statements build` makes it, with or without the other phrasings. Its last line is for texts that fit
/// nothing.
fn list(name: &str, encoder: &TextEncoder, alone: bool) -> Result<StatementList> {
    let (_, text) =
        LISTS.iter().find(|(other, _)| *other == name).with_context(|| format!("there is no list {name}"))?;
    let is_taken =
        |line: &&str| !(line.is_empty() || line.starts_with('#') || alone && StatementList::is_phrasing(line));
    let lines: Vec<&str> = text.lines().filter(is_taken).collect();
    let vectors = lines.iter().map(|line| encoder.encode(line)).collect::<Result<Vec<_>, _>>()?.concat();
    let otherwise = Otherwise {
        statement: lines.iter().filter(|line| !StatementList::is_phrasing(line)).count() - 1,
        least_cosine: Otherwise::USUAL_LEAST_COSINE,
        left_out: encoder.polarity_dims(),
    };
    let file = StatementList::file(&lines, &vectors, encoder.table().dims(), encoder.id(), Some(otherwise))?;
    Ok(StatementList::parse(file)?)
}

fn nearest(list: &StatementList, encoder: &TextEncoder, text: &str) -> Result<usize> {
    let nearest = list.nearest(&encoder.encode(&normalize(text))?, 1)?;
    nearest.first().copied().context("nothing is near")
}

fn verdict(number: usize, same: &BTreeSet<usize>, opposite: &BTreeSet<usize>) -> Verdict {
    match (same.contains(&number), opposite.contains(&number)) {
        (true, _) => Verdict::Same,
        (_, true) => Verdict::Opposite,
        _ => Verdict::Other,
    }
}

fn judged(encoder: &TextEncoder, alone: bool) -> Result<Vec<Judged>> {
    let lists = LISTS.iter().map(|(name, _)| Ok((*name, list(name, encoder, alone)?))).collect::<Result<Vec<_>>>()?;
    let judge = |row: Row| {
        let (_, list) = lists.iter().find(|(name, _)| *name == row.list).context("another list")?;
        let number = nearest(list, encoder, &row.text)?;
        let same = numbers(&row.same)?;
        let verdict = verdict(number, &same, &numbers(&row.opposite)?);
        let suggested = list.suggested(&encoder.encode(&normalize(&row.text))?, MOST_OFFERED)?;
        let offered = suggested.iter().position(|number| same.contains(number));
        let fits_nothing = same.iter().all(|number| number + 1 == list.len());
        Ok(Judged { statement: list.get(number).unwrap_or_default().to_owned(), verdict, offered, fits_nothing, row })
    };
    rows(TEXTS)?.into_iter().map(judge).collect()
}

fn count(verdicts: impl Iterator<Item = Verdict>) -> [f64; 3] {
    let mut counts = [0.0; 3];
    verdicts.for_each(|verdict| counts[verdict as usize] += 1.0);
    counts
}

impl Opposites {
    pub(crate) fn run(&self) -> Result<()> {
        let encoder = text_encoder(self.encoder.as_deref())?;
        let mut out = io::stdout().lock();
        let judged = judged(&encoder, self.statements_alone)?;
        if self.texts {
            let mut sheet = Sheet::new("texts and their nearest statements");
            for Judged { row, statement, verdict, .. } in &judged {
                let verdict = format!("{verdict:?}").to_lowercase();
                sheet.row(cells!["split" => row.split.clone(), "says" => verdict, "text" => row.text.clone(),
                    "statement" => statement.clone()]);
            }
            sheet.print(&mut out)?;
        }
        let mut sheet = Sheet::new("texts by what the nearest statement says");
        for (split, kinds) in SPLITS {
            for kind in kinds {
                let these = judged.iter().filter(|it| it.row.split == split && it.row.kind == *kind);
                let [same, other, opposite] = count(these.map(|it| it.verdict));
                sheet.row(cells!["texts" => format!("{split}, {kind}"), "the same" => same, "something else" => other,
                    "the opposite" => opposite]);
            }
        }
        sheet.print(&mut out)?;
        offered(&judged).print(&mut out)?;
        fitting(&encoder, self.statements_alone)?.print(&mut out)?;
        if let Some(data) = &self.data {
            reviews(&Library::open(data)?, &encoder, self.statements_alone)?.print(&mut out)?;
        }
        Ok(())
    }
}

/// Of how many texts a person finds what they mean among the nearest statements.
fn offered(judged: &[Judged]) -> Sheet {
    let mut sheet = Sheet::new("texts by whether one of the offered statements says the same");
    for (split, _) in SPLITS {
        let these: Vec<_> = judged.iter().filter(|it| it.row.split == split && !it.fits_nothing).collect();
        let of = |most: usize| these.iter().filter(|it| it.offered.is_some_and(|place| place < most)).count() as f64;
        sheet.row(cells!["texts" => split, "all" => these.len() as f64, "the nearest" => of(1), "two" => of(2),
            "three" => of(3), "four" => of(4), "five" => of(5), "six" => of(6), "eight" => of(8)]);
    }
    sheet
}

/// How many of the fresh texts fit nothing: of those that were written for a list, and of all others.
fn fitting(encoder: &TextEncoder, alone: bool) -> Result<Sheet> {
    let texts: Vec<Row> = rows(TEXTS)?.into_iter().filter(|row: &Row| row.split == "fresh").collect();
    // Of the list itself, and of the others: all, and those that fit nothing.
    let mut counts = [[0.0; 2]; 2];
    for (name, _) in LISTS {
        let list = list(name, encoder, alone)?;
        let least = list.otherwise().context("every list has one")?.least_cosine;
        for row in &texts {
            let largest = list.largest_cosine(&encoder.encode(&normalize(&row.text))?)?;
            let [all, fit_nothing] = &mut counts[usize::from(row.list != name)];
            *all += 1.0;
            *fit_nothing += f64::from(u8::from(largest.is_none_or(|cosine| cosine < least)));
        }
    }
    let mut sheet = Sheet::new("fresh texts that fit nothing");
    for (of, [all, fit_nothing]) in ["the list itself", "the other lists"].into_iter().zip(counts) {
        sheet.row(cells!["texts of" => of, "all" => all, "fit nothing" => fit_nothing, "share" => fit_nothing / all]);
    }
    Ok(sheet)
}

fn reviews(library: &Library, encoder: &TextEncoder, alone: bool) -> Result<Sheet> {
    let polar: Vec<Polar> = rows(POLAR)?;
    let mut sheet = Sheet::new("reviews by the label of the nearest statement");
    let mut all = [0.0; 3];
    let mut show = |name: &str, [right, none, wrong]: [f64; 3]| {
        sheet.row(cells!["reviews" => name, "right" => right / (right + wrong), "right label" => right,
            "no label" => none, "wrong label" => wrong]);
    };
    for (set, name) in REVIEWS {
        let statements = list(name, encoder, alone)?;
        let polar = polar.iter().find(|polar| polar.list == name).context("a list without labels")?;
        let [positive, negative] = [numbers(&polar.positive)?, numbers(&polar.negative)?];
        let set = library.set(set)?;
        // 67,349 phrases of SST-2 are parts of others.
        let train = if set.name == "sst2" { &[][..] } else { &set.train };
        let verdicts = train.iter().chain(&set.test).map(|example| {
            let number = nearest(&statements, encoder, &example.text)?;
            let (same, opposite) = if example.label == 1 { (&positive, &negative) } else { (&negative, &positive) };
            Ok(verdict(number, same, opposite))
        });
        let counts = count(verdicts.collect::<Result<Vec<_>>>()?.into_iter());
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        show(&set.name, counts);
    }
    show("all", all);
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_statements_say_the_opposite_of_a_text_and_most_texts_find_what_they_say_among_five() {
        let encoder = text_encoder(None).expect("the built-in encoder");
        let judged = judged(&encoder, false).expect("texts and lists");
        let of = |split: &str| count(judged.iter().filter(|it| it.row.split == split).map(|it| it.verdict));
        let counts = SPLITS.map(|(split, _)| of(split));
        assert_eq!(counts.map(|counts| counts.iter().sum::<f64>()), [120.0, 120.0, 30.0, 180.0, 180.0]);
        // As record 70 states them.
        let stated = [[98.0, 12.0], [100.0, 9.0], [23.0, 4.0], [110.0, 14.0], [149.0, 5.0]];
        for (counts, [least, most]) in counts.into_iter().zip(stated) {
            assert!(
                counts[Verdict::Same as usize] >= least && counts[Verdict::Opposite as usize] <= most,
                "{counts:?}"
            );
        }
        // As record 71 states them.
        for (split, least) in [("dev", 117), ("test", 117), ("guide", 28), ("fresh", 159), ("short", 137)] {
            let found =
                |it: &&Judged| it.row.split == split && !it.fits_nothing && it.offered.is_some_and(|place| place < 5);
            assert!(judged.iter().filter(found).count() >= least, "{split}");
        }
        let plain = |text: &str| text.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
        let known: BTreeSet<(&str, String)> =
            LISTS.iter().flat_map(|(name, lines)| lines.lines().map(|line| (*name, plain(line)))).collect();
        for Row { list, kind, text, .. } in judged.iter().map(|it| &it.row) {
            assert_eq!(known.contains(&(list.as_str(), plain(text))), kind == "known", "{list}: {text}");
        }
        let lists = LISTS.map(|(name, _)| (name, list(name, &encoder, true).expect("a list").len()));
        let length = |name: &str| lists.iter().find(|(other, _)| *other == name).map_or(0, |(_, length)| *length);
        for Judged { row, .. } in &judged {
            let named = [&row.same, &row.opposite].map(|list| numbers(list).expect("numbers"));
            assert!(named.iter().flatten().all(|number| *number < length(&row.list)), "{}", row.text);
            assert!(named[0].is_disjoint(&named[1]), "{}", row.text);
        }
        for polar in rows::<Polar>(POLAR).expect("labels") {
            let named = [polar.positive, polar.negative].map(|list| numbers(&list).expect("numbers"));
            assert!(
                named.iter().flatten().all(|number| *number < length(&polar.list)) && named[0].is_disjoint(&named[1])
            );
        }
    }
}
