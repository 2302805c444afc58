//! `textveil table certify`: the channels of a table that keep most words for what is proved of them.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use textveil_tables::{Certification, Channels, Cutoff};
use textveil_toolkit::report::Sheet;

use crate::output::Output;

/// Certify channels that keep given shares of a table's words
///
/// For each share, finds the channel of least proved η and stores it in the table with its certificate, which
/// is exact over all pairs of words. Takes minutes. If you interrupt it and start it again, it resumes after
/// the last level that was done.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Certify {
    /// Table file
    table: PathBuf,
    #[command(flatten)]
    out: Output,
    /// Distance from which all words count as equally far: "none", "auto", or a number. A cut-off lowers the
    /// worst-case ε and raises η
    #[arg(long, default_value = "auto", value_name = "none|auto|NUMBER")]
    cutoff: Cutoff,
    /// Mean shares of the words that are to come out unchanged: ascending, and separated by commas
    #[arg(long, value_delimiter = ',', value_name = "SHARES", default_values_t = Channels::RETENTIONS)]
    retentions: Vec<f64>,
    /// Mean shares of the words that channels with a plateau should keep: ascending, below 0.8, and separated by
    /// commas. If empty, there are no such channels
    #[arg(long, value_delimiter = ',', num_args = 0.., value_name = "SHARES", default_values_t = Channels::PLATEAUS)]
    plateaus: Vec<f64>,
    /// Also add to the record of the table's build, as "table build --record" writes it, how it was certified
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Also compare the channels with others that keep as many words, and with what no channel can exceed
    #[arg(long)]
    compare: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Certify {
    pub(crate) fn run(self) -> Result<()> {
        let begun = Instant::now();
        let out = self.out.checked([Some(&self.table), self.record.as_ref()])?;
        let asked = self.retentions.len() + self.plateaus.len();
        let channels = Channels { cutoff: self.cutoff, retentions: self.retentions, plateaus: self.plateaus };
        let mut certification = channels.certify(&self.table, out, self.record.as_deref())?;
        if self.compare {
            certification.compare()?;
        }
        if self.json {
            let sheets: Vec<_> = certification.sheets.iter().map(Sheet::json).collect();
            writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&json!(sheets))?)?;
        } else {
            print(&certification, asked)?;
            let (levels, seconds) = (certification.levels(), begun.elapsed().as_secs());
            writeln!(io::stdout(), "{} written, {levels} levels, {seconds} s", out.display())?;
        }
        certification.end()
    }
}

fn print(certification: &Certification, asked: usize) -> Result<()> {
    let mut out = io::stdout().lock();
    for sheet in &certification.sheets {
        sheet.print(&mut out)?;
    }
    let left_out = asked - certification.levels();
    if left_out > 0 {
        writeln!(out, "out of reach, for want of offered words: {left_out}")?;
    }
    Ok(())
}
