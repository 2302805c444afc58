//! What is left of texts: the share of words that stay, and how near what comes out is to what went in.

use anyhow::{Context, Result};
use rayon::prelude::*;
use textveil::account::evidence::{least_delta, lower_limit};
use textveil::{ReleaseRng, Table, WordId};

use super::corpus::{EmbeddedSet, Embedding, embeddings};
use super::draws::{Found, by_epsilon, drawing, found};
use super::language_model::LanguageModel;
use super::noise::{Device, PUBLISHED, RELEASED, SOUND, Way};
use super::similarity::greedy_cosine;
use super::{DATA, DELTA, EPSILONS, RUNS, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::metrics::rouge_1_and_bleu;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static RECONSTRUCTION: Experiment = Experiment {
    paper: "trlaplace",
    table: "reconstruction",
    about: "What TrLaplace, Laplace and Gaussian noise leave of texts, with the true epsilon and delta (Huang et al., \
            EMNLP 2024)",
    data: &DATA,
    takes: &[],
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute,
};

/// Texts of a set that are drawn, and with `--quick`.
const TEXTS: [usize; 2] = [200, 60];
/// Words of the vocabulary that are drawn, evenly spread, at most.
const SAMPLE: usize = 8192;
/// Of a bound that follows from the words that were kept.
const CONFIDENCE: f64 = 0.999;

/// What is measured, in the order of [`Reader::scores`].
const MEASURES: [&str; 6] =
    ["N_w", "of the vocabulary", "perplexity", "ROUGE-1", "BLEU", "greedy cosine F (for BERTScore)"];
/// Places among them.
const KEPT: usize = 0;
const OF_VOCABULARY: usize = 1;
const PERPLEXITY: usize = 2;

/// What is drawn.
const SHOWN: [(Way, &str); 5] = [
    (PUBLISHED[2], "TrLaplace"),
    (RELEASED[0], "program, Gaussian"),
    (RELEASED[1], "program, Laplace"),
    (RELEASED[2], "program, TrLaplace"),
    (SOUND[0], "sound Gaussian"),
];

type Scores<'a> = Found<'a, { MEASURES.len() }>;

fn compute(run: &Run<'_>) -> Result<Report> {
    let embeddings = embeddings(run)?;
    let corpora = EmbeddedSet::all(run, &embeddings, [usize::MAX, TEXTS[usize::from(run.is_quick())]])?;
    let readers: Vec<Reader<'_>> = corpora.par_iter().map(Reader::of).collect();
    let found = found(run, &corpora, |place, device, rng| {
        readers.get(place).context("a corpus").map(|reader| reader.scores(device, rng))
    })?;
    let runs = run.runs();
    let is_as = |ways: &[Way], found: &Scores<'_>| ways.contains(&found.setting.way);
    let rest = |found: &Scores<'_>| !is_as(&PUBLISHED, found) && !is_as(&RELEASED, found) && !is_clear(found);
    let sheets = vec![
        texts(&corpora, &found),
        sheet("As published: delta 1e-5 is stated", found.iter().filter(|found| is_as(&PUBLISHED, found)), runs)?,
        sheet(
            "As the released program has it: its radius is that of delta 4^-d",
            found.iter().filter(|found| is_as(&RELEASED, found)),
            runs,
        )?,
        sheet("What keeps the claim at delta 1e-5, and pure epsilon", found.iter().filter(|found| rest(found)), runs)?,
    ];
    let trained: Vec<&EmbeddedSet<'_>> = corpora.iter().filter(|corpus| corpus.embedding.program.is_some()).collect();
    let mut claims = Vec::new();
    for corpus in &trained {
        claims.extend(claims_of(corpus, &found, runs)?);
    }
    claims.extend(embeddings.iter().filter_map(disjoint).collect::<Result<Vec<_>>>()?);
    let drawing = drawing("TrLaplace: share of words kept", &found, &trained, &SHOWN, KEPT);
    Ok(Report { claims, ..Report::of(sheets, drawing) })
}

fn is_clear(found: &Scores<'_>) -> bool {
    found.setting.way == Way::Clear
}

/// Reads the released words of a corpus.
struct Reader<'a> {
    corpus: &'a EmbeddedSet<'a>,
    /// Trained on the texts to train on, in clear.
    model: LanguageModel,
    /// The texts to test on, as they went in.
    references: Vec<String>,
}

impl<'a> Reader<'a> {
    fn of(corpus: &'a EmbeddedSet<'a>) -> Self {
        let model = LanguageModel::train(&corpus.train.texts, corpus.embedding.table.len());
        let references = corpus.test.texts.iter().map(|text| corpus.joined(text)).collect();
        Self { corpus, model, references }
    }

    fn scores(&self, device: &Device<'_>, rng: &mut ReleaseRng) -> [f64; MEASURES.len()] {
        let Embedding { table, space, .. } = self.corpus.embedding;
        let originals = &self.corpus.test.texts;
        let drawn: Vec<Vec<WordId>> = originals.iter().map(|text| device.draw(text, rng)).collect();
        let vocabulary = sample(table);
        let of_vocabulary = device.draw_apart(&vocabulary, rng);
        let joined: Vec<String> = drawn.iter().map(|text| self.corpus.joined(text)).collect();
        let pairs: Vec<(&str, &str)> = joined.iter().zip(&self.references).map(|(a, b)| (&**a, &**b)).collect();
        let [rouge_1, bleu] = rouge_1_and_bleu(&pairs);
        let near = drawn.iter().zip(originals).map(|(text, original)| greedy_cosine(space, text, original));
        [
            kept(originals, &drawn),
            kept(&[vocabulary], &[of_vocabulary]),
            self.model.perplexity(&drawn),
            rouge_1,
            bleu,
            near.sum::<f64>() / drawn.len().max(1) as f64,
        ]
    }
}

/// The words of a table that are drawn to see how many are kept.
fn sample(table: &Table) -> Vec<WordId> {
    table.rows().step_by(table.len().div_ceil(SAMPLE)).collect()
}

/// The share of words that came out as they went in.
fn kept(originals: &[Vec<WordId>], drawn: &[Vec<WordId>]) -> f64 {
    let pairs = || originals.iter().flatten().zip(drawn.iter().flatten());
    pairs().filter(|(a, b)| a == b).count() as f64 / pairs().count().max(1) as f64
}

fn texts(corpora: &[EmbeddedSet<'_>], found: &[Scores<'_>]) -> Sheet {
    let mut sheet = Sheet::new("Texts in clear, of which the words are those that have a vector");
    for corpus in corpora {
        let Embedding { name, table, .. } = corpus.embedding;
        let perplexity =
            found.iter().find(|found| found.is_of(corpus, Way::Clear)).map(|found| found.means[PERPLEXITY]);
        sheet.row(cells![
            "set" => corpus.set,
            "vectors" => *name,
            "words" => table.len() as f64,
            "dimensions" => table.dims() as f64,
            "texts to train on" => corpus.train.texts.len() as f64,
            "texts drawn" => corpus.test.texts.len() as f64,
            "words covered" => corpus.covered,
            "perplexity" => perplexity.map_or_else(|| "".into(), |mean| Cell::from(mean.mean)),
        ]);
    }
    sheet
}

fn sheet<'a>(title: &str, found: impl Iterator<Item = &'a Scores<'a>>, runs: u32) -> Result<Sheet> {
    let mut sheet = Sheet::new(title);
    for found in found {
        let least = cells!["delta at least (99.9 %)" => refuted(found, runs)?];
        let measures = MEASURES.into_iter().zip(found.means.map(Cell::from));
        sheet.row(found.head().into_iter().chain(least).chain(measures));
    }
    Ok(sheet)
}

/// The least δ of any mechanism that keeps as many of the words drawn from the vocabulary, at that confidence. It is
/// for the stated ε, or for the true one where none is stated. Those draws are independent, if not alike, so that
/// Clopper and Pearson's limit of their mean stands (Hoeffding 1956).
fn refuted(found: &Scores<'_>, runs: u32) -> Result<f64> {
    let epsilon = found.setting.epsilon.unwrap_or(found.truth.epsilon);
    let words = sample(&found.corpus.embedding.table).len() as u64;
    let trials = words * u64::from(runs);
    let kept = (found.means[OF_VOCABULARY].mean * trials as f64).round() as u64;
    let share = lower_limit(kept, trials, CONFIDENCE)?;
    Ok(if share > 0.0 { least_delta(share, epsilon, words)? } else { 0.0 })
}

/// The paper's report on a set, compared with both noises, and why.
fn claims_of(corpus: &EmbeddedSet<'_>, found: &[Scores<'_>], runs: u32) -> Result<Vec<Claim>> {
    let of = |way, measure| by_epsilon(found, corpus, way, measure);
    let name = corpus.title();
    let mut claims = Vec::new();
    for (ways, what) in [(PUBLISHED, "as published"), (RELEASED, "released program")] {
        let truncated = of(ways[2], KEPT);
        claims.push(ordering(&format!("{name}, {what}"), ways.map(|way| means_by_epsilon(found, corpus, way))));
        claims.push(Claim::near(
            format!("{name}, {what}: under TrLaplace N_w is nearly that without noise"),
            &truncated,
            1.0,
            0.05,
        ));
        let bounds = found
            .iter()
            .filter(|found| found.is_of(corpus, ways[2]))
            .map(|found| refuted(found, runs))
            .collect::<Result<Vec<_>>>()?;
        let least = bounds.iter().copied().fold(f64::INFINITY, f64::min);
        claims.push(Claim::new(
            format!("{name}, {what}: no mechanism of the stated eps and delta keeps as many words as TrLaplace"),
            !bounds.is_empty() && least > DELTA,
            format!("delta is {} or more, {} is stated", short(least), short(DELTA)),
        ));
    }
    let sound = found.iter().filter(|found| SOUND.iter().any(|way| found.is_of(corpus, *way)));
    let beyond = sound.map(|found| Ok(refuted(found, runs)? - found.truth.delta)).collect::<Result<Vec<_>>>()?;
    let most = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    claims.push(Claim::new(
        format!("{name}: what keeps the claim keeps no more of the vocabulary than its eps and delta allow"),
        !beyond.is_empty() && most <= 0.0,
        format!("the delta that it needs, less that which is proved, is {} at most", short(most)),
    ));
    Ok(claims)
}

/// N_w by ε, with its interval.
fn means_by_epsilon(found: &[Scores<'_>], corpus: &EmbeddedSet<'_>, way: Way) -> Vec<Mean> {
    found.iter().filter(|found| found.is_of(corpus, way)).map(|found| found.means[KEPT]).collect()
}

/// Claims that the last keeps more words than the others at each ε, as far as their intervals tell.
fn ordering(name: &str, [gaussian, laplace, truncated]: [Vec<Mean>; 3]) -> Claim {
    let others = gaussian.iter().zip(&laplace).map(|(a, b)| if a.mean > b.mean { a } else { b });
    let pairs: Vec<(&Mean, &Mean)> = truncated.iter().zip(others).collect();
    let half = |mean: &Mean| mean.half_width.unwrap_or(f64::INFINITY);
    let differences = pairs.iter().map(|(ours, other)| (ours.mean - other.mean, half(ours) + half(other)));
    let least = differences.min_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)));
    let (difference, open) = least.unwrap_or((f64::NAN, 0.0));
    let listed =
        |of: fn(&(&Mean, &Mean)) -> f64| pairs.iter().map(|pair| short(of(pair))).collect::<Vec<_>>().join(", ");
    let evidence = format!(
        "N_w by eps {} against {}: {} more at least, open within {}",
        listed(|(ours, _)| ours.mean),
        listed(|(_, other)| other.mean),
        short(difference),
        short(open)
    );
    let text = format!("{name}: TrLaplace keeps more words than Laplace and Gaussian at the same stated eps");
    Claim::positive(text, difference, open, evidence)
}

/// Claims that the released noise leads from no word to another, at the largest ε, where it reaches farthest.
fn disjoint(embedding: &Embedding) -> Option<Result<Claim>> {
    let program = embedding.program.as_ref()?;
    let largest = EPSILONS.into_iter().fold(0.0, f64::max);
    let claim = |radius: f64| {
        let gap = program.least_gap();
        let [far, near] = [gap, radius].map(short);
        let evidence = format!("two words are {far} apart or more in some coordinate, the noise is {near} at most");
        let text = format!("{}, released program: no two words can come out as one vector", embedding.name);
        Claim::new(text + ", so that delta is 1", 2.0 * radius < gap, evidence)
    };
    Some(program.radius(largest).map(claim))
}

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::with_library;
    use super::super::corpus::toy;
    use super::*;

    #[test]
    fn words_stay_under_the_released_program_and_go_under_what_keeps_the_claim() {
        let report = with_library(&RECONSTRUCTION, 1, &toy().library(), compute);
        let report = report.expect("a report");
        let number = |cell: &Cell| match cell {
            Cell::Mean(mean) => mean.mean,
            Cell::Number(x) => *x,
            Cell::Text(text) => unreachable!("{text}"),
        };
        let rows = |sheet: usize, noise: &str| -> Vec<&Vec<Cell>> {
            let is_it = |row: &&Vec<Cell>| row[2].shown() == noise;
            report.sheets[sheet].rows.iter().filter(is_it).collect()
        };
        let released = rows(2, "truncated-laplace, released program");
        assert_eq!(released.len(), 4 * 4);
        for row in released {
            // Both shares kept, ROUGE-1, and the stand-in for BERTScore.
            assert!([8, 9, 11, 13].map(|place| number(&row[place])).iter().all(|x| (x - 1.0).abs() < 1e-9));
            // What 12 words that stay prove: 0.001^(1/12), less what ε explains.
            assert!((0.49..0.53).contains(&number(&row[7])), "{}", number(&row[7]));
        }
        for row in rows(3, "gaussian, sound") {
            assert!(number(&row[8]) < 0.4 && number(&row[5]) <= DELTA * 1.001, "{}", number(&row[8]));
        }
        let default = rows(3, "certified, default level");
        assert!(default.len() == 2 && default.iter().all(|row| number(&row[5]) == 0.0 && number(&row[8]) > 0.1));
        let disjoint = report.claims.iter().filter(|claim| claim.text.contains("delta is 1"));
        assert_eq!(disjoint.filter(|claim| claim.holds == Some(true)).count(), 2);
    }
}
