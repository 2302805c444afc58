//! `textveil score`: how much of texts, or of rankings, is left, by the field's metrics.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;
use serde::Serialize;

use textveil_bulk::csv::{self, Dialect};
use textveil_bulk::parquet::Input as Parquet;
use textveil_toolkit::files::open;
use textveil_toolkit::format::{Format, ONE_A_LINE};
use textveil_toolkit::metrics::average_precision::{average_precision, of_hits_by_character, of_hits_by_word};
use textveil_toolkit::metrics::bleu::{self, Bleu, Counts, Scope, Smoothing};
use textveil_toolkit::metrics::of_pairs;
use textveil_toolkit::metrics::rouge::{self, Rouge};
use textveil_toolkit::report::numbers::counted;

/// Compare text with references, line by line (BLEU and ROUGE), or rankings (average precision)
///
/// BLEU is that of sacrebleu 2.6.0 (tokenizer 13a, mixed case), ROUGE that of rouge-score 0.1.2 (no stemmer). With
/// --column, rows of CSV, TSV or Parquet are compared.
#[derive(Args)]
pub(crate) struct Score {
    /// File of the lines to score, such as privatized text
    hypotheses: PathBuf,
    /// File of as many lines to compare them with, such as the original text
    references: PathBuf,
    /// The column to compare, of files that end in .csv, .tsv or .parquet. Null is an empty text
    #[arg(long, value_name = "NAME", conflicts_with = "rankings")]
    column: Option<String>,
    /// How BLEU treats n-grams without a match
    #[arg(long, value_enum, default_value_t = Smoothing::Exp, value_name = "NAME", conflicts_with = "rankings")]
    smoothing: Smoothing,
    /// Lines are rankings: items between spaces, best first, such as nearest words. References are the items that
    /// should have been found. Gives mean average precision, and the number that dpUGC's program calls so
    #[arg(long)]
    rankings: bool,
    /// Score the first K items of each ranking only (AP@K)
    #[arg(long, value_name = "K", requires = "rankings", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A line of what is printed: metric, score, how it came about.
type Row = (&'static str, String, String);

/// What is said of texts: BLEU from 0 to 100, ROUGE from 0 to 1, as is the custom.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextReport {
    lines: usize,
    corpus_bleu: Signed<Bleu>,
    /// The mean of the lines' own scores.
    sentence_bleu: Signed<Mean>,
    #[serde(flatten)]
    rouge: rouge::Scores,
}

/// A number with how it came about.
#[derive(Serialize)]
struct Signed<T> {
    #[serde(flatten)]
    value: T,
    signature: String,
}

#[derive(Serialize)]
struct Mean {
    mean: f64,
}

/// Means over rankings, from 0 to 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RankingReport {
    lines: usize,
    depth: Option<u32>,
    mean_average_precision: f64,
    /// What dpUGC's program computes, which no average precision is.
    published: OfHits,
}

/// Means of precisions over hits only.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfHits {
    of_hits_by_word: f64,
    of_hits_by_character: f64,
}

impl Score {
    pub(crate) fn run(&self) -> Result<()> {
        self.check()?;
        let column = self.column.as_deref();
        let (hypotheses, references) = (read(&self.hypotheses, column)?, read(&self.references, column)?);
        let pairs = self.pairs(&hypotheses, &references)?;
        if self.rankings {
            let report = RankingReport::of(&pairs, self.depth);
            self.print(&report, report.rows())
        } else {
            let report = TextReport::of(&pairs, self.smoothing);
            self.print(&report, report.rows())
        }
    }

    /// Whether files that are read as lines of text are named so. Items of a ranking may also stand between tabs.
    fn check(&self) -> Result<()> {
        if self.column.is_some() || self.rankings {
            return Ok(());
        }
        [&self.hypotheses, &self.references].into_iter().try_for_each(|path| {
            let is_objects = Format::of(path) == Format::Jsonl;
            Format::check_lines(path, if is_objects { ONE_A_LINE } else { "name the column by --column" })
        })
    }

    fn pairs<'a>(&self, hypotheses: &'a [String], references: &'a [String]) -> Result<Vec<(&'a str, &'a str)>> {
        let [count, needed] = [hypotheses, references].map(|texts| texts.len() as u64);
        let unit = if self.column.is_some() { "row" } else { "line" };
        ensure!(
            count == needed,
            "{} has {}, {} has {}: each {unit} needs its reference",
            self.hypotheses.display(),
            counted(count, unit),
            self.references.display(),
            counted(needed, unit),
        );
        Ok(hypotheses.iter().map(String::as_str).zip(references.iter().map(String::as_str)).collect())
    }

    fn print<const N: usize>(&self, report: &impl Serialize, rows: [Row; N]) -> Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", serde_json::to_string_pretty(report)?)?);
        }
        for (metric, score, note) in rows {
            writeln!(out, "{}", format!("{metric:26} {score:>6}  {note}").trim_end())?;
        }
        Ok(())
    }
}

/// The lines of a file, or the cells of a column; at least one.
fn read(path: &Path, column: Option<&str>) -> Result<Vec<String>> {
    let texts = match column {
        Some(column) => cells(path, column)?,
        None => {
            let text = textveil_toolkit::files::text_of(path)?;
            text.lines().map(str::to_owned).collect()
        }
    };
    ensure!(!texts.is_empty(), "{} is empty", path.display());
    Ok(texts)
}

fn cells(path: &Path, column: &str) -> Result<Vec<String>> {
    let (name, columns, mut texts) = (path.display().to_string(), [column.to_owned()], Vec::new());
    let dialect = match Format::of(path) {
        Format::Csv => Dialect::CSV,
        Format::Tsv => Dialect::TSV,
        Format::Parquet => {
            Parquet::open(path)?.each(&name, &columns, &mut |_, cells| {
                texts.extend(cells.into_iter().map(Option::unwrap_or_default));
                Ok(())
            })?;
            return Ok(texts);
        }
        Format::Jsonl | Format::Lines => bail!("{name}: --column is for .csv, .tsv and .parquet"),
    };
    csv::each(open(path)?, &name, dialect, &columns, &mut |_, cells| {
        texts.extend(cells.into_iter().map(str::to_owned));
        Ok(())
    })?;
    Ok(texts)
}

impl TextReport {
    fn of(pairs: &[(&str, &str)], smoothing: Smoothing) -> Self {
        let (counts, scores) = of_pairs(pairs);
        let corpus: Counts = counts.iter().copied().sum();
        let sentence_scores = counts.iter().map(|counts| counts.bleu(Scope::Sentence, smoothing).score);
        let signature = |scope| bleu::signature(scope, smoothing);
        Self {
            lines: pairs.len(),
            corpus_bleu: Signed { value: corpus.bleu(Scope::Corpus, smoothing), signature: signature(Scope::Corpus) },
            sentence_bleu: Signed {
                value: Mean { mean: sentence_scores.sum::<f64>() / pairs.len() as f64 },
                signature: signature(Scope::Sentence),
            },
            rouge: rouge::Scores::mean(&scores),
        }
    }

    fn rows(&self) -> [Row; 5] {
        let bleu = |name, score: f64, signature: &str| (name, format!("{score:.2}"), signature.to_owned());
        let rouge = |name, Rouge { precision, recall, fmeasure }: Rouge| {
            (name, share(fmeasure), format!("precision {}, recall {}", share(precision), share(recall)))
        };
        [
            bleu("BLEU", self.corpus_bleu.value.score, &self.corpus_bleu.signature),
            bleu("BLEU, mean of lines", self.sentence_bleu.value.mean, &self.sentence_bleu.signature),
            rouge("ROUGE-1 F, mean of lines", self.rouge.rouge1),
            rouge("ROUGE-2 F, mean of lines", self.rouge.rouge2),
            rouge("ROUGE-L F, mean of lines", self.rouge.rouge_l),
        ]
    }
}

impl RankingReport {
    fn of(pairs: &[(&str, &str)], depth: Option<u32>) -> Self {
        let cut = depth.map_or(usize::MAX, |depth| depth as usize);
        let mean = |metric: fn(&[&str], &[&str], usize) -> f64| {
            let of_line = |(ranking, gold): &(&str, &str)| {
                let [ranking, gold] = [ranking, gold].map(|line| line.split_whitespace().collect::<Vec<_>>());
                metric(&ranking, &gold, cut)
            };
            pairs.iter().map(of_line).sum::<f64>() / pairs.len() as f64
        };
        Self {
            lines: pairs.len(),
            depth,
            mean_average_precision: mean(average_precision),
            published: OfHits {
                of_hits_by_word: mean(of_hits_by_word),
                of_hits_by_character: mean(of_hits_by_character),
            },
        }
    }

    fn rows(&self) -> [Row; 3] {
        let published = "dpUGC's program calls this MAP; over the hits alone, so misses cost nothing".to_owned();
        [
            ("mean average precision", share(self.mean_average_precision), String::new()),
            ("of hits only, words", share(self.published.of_hits_by_word), published.clone()),
            ("of hits only, characters", share(self.published.of_hits_by_character), published),
        ]
    }
}

fn share(x: f64) -> String {
    format!("{x:.4}")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use textveil_tests::oracle;

    use super::*;

    #[derive(Deserialize)]
    struct Oracle {
        tolerance: String,
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Case {
        Pair(Pair),
        /// Of all pairs, in order.
        CorpusBleu {
            score: f64,
            bp: f64,
            precisions: [f64; 4],
            sys_len: usize,
            ref_len: usize,
        },
        Map {
            gold: Vec<String>,
            predicted: Vec<String>,
            k: usize,
            ap_standard: f64,
            ap_dpugc_word: f64,
            ap_dpugc_char: f64,
        },
    }

    #[derive(Deserialize)]
    struct Pair {
        hypothesis: String,
        reference: String,
        rouge1: Reference,
        rouge2: Reference,
        #[serde(rename = "rougeL")]
        rouge_l: Reference,
        sentence_bleu_exp: f64,
        sentence_bleu_none: f64,
        bp: f64,
        precisions: [f64; 4],
    }

    #[derive(Deserialize)]
    struct Reference {
        precision: f64,
        recall: f64,
        fmeasure: f64,
    }

    /// Fails unless each number is its reference value, zero exactly.
    #[track_caller]
    fn close<const N: usize>(what: &str, got: [f64; N], reference: [f64; N], tolerance: f64) {
        for (got, reference) in got.into_iter().zip(reference) {
            assert!(
                (got - reference).abs() <= tolerance * reference.abs().min(1.0),
                "{what}: {got} against {reference}"
            );
        }
    }

    #[test]
    fn metrics_are_those_of_the_programs_that_papers_cite() {
        let Oracle { tolerance, cases } = oracle("text_metrics.json");
        let tolerance: f64 = tolerance.parse().expect("a number");
        let mut corpus: Vec<Counts> = Vec::new();
        assert!(!cases.is_empty(), "the file holds cases");
        for case in &cases {
            match case {
                Case::Pair(pair) => {
                    let name = format!("{:?} against {:?}", pair.hypothesis, pair.reference);
                    let scores = rouge::Scores::of(&pair.hypothesis, &pair.reference);
                    for (rouge, reference) in
                        [(scores.rouge1, &pair.rouge1), (scores.rouge2, &pair.rouge2), (scores.rouge_l, &pair.rouge_l)]
                    {
                        let got = [rouge.precision, rouge.recall, rouge.fmeasure];
                        close(&name, got, [reference.precision, reference.recall, reference.fmeasure], tolerance);
                    }
                    let counts = Counts::of(&pair.hypothesis, &pair.reference);
                    let bleu = counts.bleu(Scope::Sentence, Smoothing::Exp);
                    let unsmoothed = counts.bleu(Scope::Sentence, Smoothing::None).score;
                    close(
                        &name,
                        [bleu.score, unsmoothed, bleu.brevity_penalty],
                        [pair.sentence_bleu_exp, pair.sentence_bleu_none, pair.bp],
                        tolerance,
                    );
                    close(&name, bleu.precisions, pair.precisions, tolerance);
                    corpus.push(counts);
                }
                Case::CorpusBleu { score, bp, precisions, sys_len, ref_len } => {
                    let bleu = corpus.iter().copied().sum::<Counts>().bleu(Scope::Corpus, Smoothing::Exp);
                    close("corpus", [bleu.score, bleu.brevity_penalty], [*score, *bp], tolerance);
                    close("corpus", bleu.precisions, *precisions, tolerance);
                    assert_eq!((bleu.hypothesis_tokens, bleu.reference_tokens), (*sys_len, *ref_len));
                }
                Case::Map { gold, predicted, k, ap_standard, ap_dpugc_word, ap_dpugc_char } => {
                    let [ranking, gold] =
                        [predicted, gold].map(|items| items.iter().map(String::as_str).collect::<Vec<_>>());
                    let got = [average_precision, of_hits_by_word, of_hits_by_character]
                        .map(|metric| metric(&ranking, &gold, *k));
                    close("ranking", got, [*ap_standard, *ap_dpugc_word, *ap_dpugc_char], tolerance);
                }
            }
        }
    }
}
