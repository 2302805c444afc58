//! `textveil statements suggest`: texts that stand for many others, to write statements from.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use ndarray::Array2;
use textveil_tables::medoids::{Group, groups};
use textveil_toolkit::format::{Format, ONE_A_LINE};
use textveil_toolkit::report::numbers::counted;
use textveil_toolkit::seed::Randomness;
use textveil_toolkit::words::lines;

use super::{EncoderOption, encoded};

/// Suggest statements: the texts that stand for most others
///
/// Texts that you may read are put in groups by their vectors (k-medoids). Of each group, the text in its middle is
/// printed, after the share of all texts that are in the group, the largest group first. The results are TEXTS THAT
/// PEOPLE WROTE: write statements of your own from them, because a list is public.
#[derive(Args)]
pub(crate) struct Suggest {
    /// The texts, one a line
    input: PathBuf,
    /// Number of groups
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..), value_name = "N")]
    count: u16,
    #[command(flatten)]
    encoder: EncoderOption,
    #[command(flatten)]
    randomness: Randomness,
}

impl Suggest {
    pub(crate) fn run(self) -> Result<()> {
        Format::check_lines(&self.input, ONE_A_LINE)?;
        let texts = lines(&self.input, false)?;
        let encoder = self.encoder.load()?;
        let mut known = Vec::new();
        let mut rows = Vec::new();
        for (text, vector) in texts.iter().zip(encoded(&encoder, &texts)?) {
            let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                known.push(text);
                rows.extend(vector.into_iter().map(|x| x / length));
            }
        }
        let count = usize::from(self.count);
        let found = counted(known.len() as u64, "text");
        ensure!(
            known.len() >= count,
            "the encoder knows {found}, too few for {count} groups: ask for fewer by --count"
        );
        let vectors = Array2::from_shape_vec((known.len(), encoder.table().dims()), rows)?;
        let groups = groups(&vectors, count, &mut self.randomness.rng(0)?);
        let mut out = io::stdout().lock();
        for Group { medoid, members } in groups {
            writeln!(out, "{:5.1} %  {}", 100.0 * members.len() as f64 / known.len() as f64, known[medoid])?;
        }
        Ok(())
    }
}
