//! Table 1: sentences and what comes out of them.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil::normalize;

use super::setting::Setting;
use super::strengths::{Ladder, paper};
use super::{DATA, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static TABLE_1: Experiment = Experiment {
    paper: "qu",
    table: "table-1",
    about: "Sentences privatized text to text by eta (Qu et al., CIKM 2021)",
    data: &[DATA[0]],
    takes: &[],
    runs: Some(Runs { quick: 40, usual: 400, paper: None }),
    has_plot: false,
    why: WHY,
    compute,
};

/// Written for this: of the kind of SST-2 and of QQP.
const SENTENCES: [&str; 2] = [
    "a warm and funny story that never loses sight of its two quiet heroes.",
    "How do I learn to play the piano without a teacher?",
];
/// Two standard errors of a share of words over 40 releases of a dozen words. Some of these hardly change.
const KEPT_TOLERANCE: f64 = 0.03;

/// A sentence released once.
struct Release {
    sentence: usize,
    setting: Setting,
    run: u32,
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sentence, setting, run } = self;
        write!(formatter, "sentence={sentence}/{setting}/run={run}")
    }
}

/// What came out.
#[derive(Serialize, Deserialize)]
struct Released {
    text: String,
    /// The share of words that came out as they went in.
    kept: f64,
    /// ε of exchanging the whole sentence for another of as many words, and its δ.
    loss: [f64; 2],
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let settings = ladder.settings();
    let releases: Vec<Release> = (0..SENTENCES.len())
        .flat_map(|sentence| settings.iter().map(move |(setting, _)| (sentence, *setting)))
        .flat_map(|(sentence, setting)| (0..run.runs()).map(move |run| Release { sentence, setting, run }))
        .collect();
    let privatizers = settings.iter().map(|(setting, _)| Ok((*setting, setting.privatizer(&ladder.table)?)));
    let privatizers = privatizers.collect::<Result<Vec<_>>>()?;
    let released = run.cells(&releases, |release| {
        let text = normalize(SENTENCES[release.sentence]);
        let found = privatizers.iter().find(|(setting, _)| *setting == release.setting);
        let (_, privatizer) = found.context("a mechanism that was not prepared")?;
        let out = privatizer.privatize(&text, &mut run.rng(&release.to_string()))?;
        let kept = out.account.iter().filter(|token| token.is_kept()).count() as f64 / out.account.len() as f64;
        Ok(Released { text: out.text, kept, loss: [out.guarantee.epsilon_text, out.guarantee.delta_text] })
    })?;
    let mut rows = released.chunks(run.runs() as usize);
    let (mut sheets, mut claims) = (Vec::new(), Vec::new());
    for sentence in SENTENCES {
        let mut sheet = Sheet::new(format!("\"{sentence}\""));
        let mut by_eta = Vec::new();
        for (Setting { kind, eta }, of_paper) in &settings {
            let runs = rows.next().unwrap_or_default();
            let Some(Released { text, loss: [epsilon, delta], .. }) = runs.first() else { continue };
            let kept = Mean::of(&runs.iter().map(|released| released.kept).collect::<Vec<_>>());
            by_eta.push(kept.mean);
            sheet.row(cells![
                "mechanism" => kind.name(),
                "eta" => *eta,
                "paper's eta" => paper(*of_paper),
                "eps, the whole text" => *epsilon,
                "delta as drawn" => *delta,
                "words kept" => kept,
                "one release" => text.as_str(),
            ]);
        }
        by_eta.truncate(ladder.strengths.len());
        claims.push(Claim::rises(format!("words kept rise with eta: \"{sentence}\""), &by_eta, KEPT_TOLERANCE));
        sheets.push(sheet);
    }
    Ok(Report { sheets, claims, ..Report::default() })
}
