//! Table 2: what given words turn into most often, and plausible deniability.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil::{Deniability, Gauge, Privatizer, Table, WordId};

use super::setting::Setting;
use super::strengths::{Ladder, paper};
use super::{DATA, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static TABLE_2: Experiment = Experiment {
    paper: "qu",
    table: "table-2",
    about: "What words turn into most often, N_w and S_w, by eta (Qu et al., CIKM 2021)",
    data: &[DATA[0]],
    takes: &[],
    runs: Some(Runs { quick: 1, usual: 5, paper: None }),
    has_plot: false,
    why: WHY,
    compute,
};

/// The paper's word, then a feeling, a thing, a place, a verb, a word that holds sentences together.
const WORDS: [&str; 6] = ["emotions", "happy", "hospital", "london", "run", "the"];
/// Outputs that are named.
const NAMED: usize = 5;

/// A word released as often as a gauge says.
struct Look {
    word: &'static str,
    setting: Setting,
    run: u32,
}

impl fmt::Display for Look {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, setting, run } = self;
        write!(formatter, "{word}/{setting}/run={run}")
    }
}

/// What was seen of it.
#[derive(Serialize, Deserialize)]
struct Seen {
    /// N_w.
    kept: f64,
    /// S_w, as the papers count it: distinct outputs.
    distinct: f64,
    /// The most frequent outputs with their shares.
    top: Vec<(String, f64)>,
}

impl Seen {
    fn of(run: &Run<'_>, table: &Table, look: &Look) -> Result<Self> {
        let (gauge, privatizer) = (Gauge::default(), look.setting.privatizer(table)?);
        let word = table.find(look.word).context("a word that the table lacks")?;
        let stated = privatizer.distribution(word);
        let drawn = || shares(&privatizer, word, gauge.draws(), run, look);
        let (distribution, is_stated) = stated.map_or_else(|| (drawn(), false), |stated| (stated, true));
        let Deniability { kept, distinct, .. } = Deniability::of(table, word, &distribution, gauge);
        let distinct = if is_stated { distinct } else { distribution.len() as f64 };
        let mut by_share = distribution;
        by_share.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let top = by_share.into_iter().take(NAMED).map(|(word, share)| (table.word(word).to_string(), share));
        Ok(Self { kept, distinct, top: top.collect() })
    }

    /// "glad .21, pleased .08".
    fn named(&self) -> String {
        self.top.iter().map(|(word, share)| format!("{word} {share:.3}")).collect::<Vec<_>>().join(", ")
    }
}

/// The shares of the words that come out in `draws` draws.
fn shares(privatizer: &Privatizer, word: WordId, draws: u32, run: &Run<'_>, look: &Look) -> Vec<(WordId, f64)> {
    let mut counts = BTreeMap::<WordId, u32>::new();
    for output in privatizer.draw_all(&vec![word; draws as usize], &mut run.rng(&look.to_string())) {
        *counts.entry(output).or_default() += 1;
    }
    counts.into_iter().map(|(output, count)| (output, f64::from(count) / f64::from(draws))).collect()
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let settings = ladder.settings();
    let looks: Vec<Look> = WORDS
        .into_iter()
        .flat_map(|word| settings.iter().map(move |(setting, _)| (word, *setting)))
        .flat_map(|(word, setting)| (0..run.runs()).map(move |run| Look { word, setting, run }))
        .collect();
    let seen = run.cells(&looks, |look| Seen::of(run, &ladder.table, look))?;
    let mut sheet = Sheet::new("What words turn into: N_w, and S_w as distinct words in 1,000 draws");
    // The numbers of each word, by setting.
    let (mut kept, mut distinct) = (Vec::new(), Vec::new());
    let mut rows = seen.chunks(run.runs() as usize);
    for word in WORDS {
        for (setting, of_paper) in &settings {
            let runs = rows.next().unwrap_or_default();
            let mean = |of: fn(&Seen) -> f64| Mean::of(&runs.iter().map(of).collect::<Vec<_>>());
            let (n, s) = (mean(|seen| seen.kept), mean(|seen| seen.distinct));
            kept.push(n.mean);
            distinct.push(s.mean);
            let proved = ladder.proved(*setting)?;
            let named = runs.first().map_or_else(String::new, Seen::named);
            sheet.row(cells![
                "word" => word,
                "mechanism" => setting.kind.name(),
                "eta" => proved.eta,
                "paper's eta" => paper(*of_paper),
                "eps, median pair" => proved.median,
                "eps, any pair" => proved.any,
                "delta as drawn" => proved.delta,
                "N_w" => n,
                "S_w" => s,
                "turns into" => named.as_str(),
            ]);
        }
    }
    let of_words = |numbers: &[f64]| -> Vec<f64> {
        let at = |place: usize| numbers.iter().skip(place).step_by(settings.len()).sum::<f64>() / WORDS.len() as f64;
        (0..ladder.strengths.len()).map(at).collect()
    };
    let (kept, falling) = (of_words(&kept), of_words(&distinct).into_iter().rev().collect::<Vec<_>>());
    let claims = vec![
        Claim::rises("N_w, the mean of the words, rises with eta", &kept, 0.0),
        Claim::rises("S_w, the mean of the words, rises as eta falls", &falling, 0.0),
    ];
    Ok(Report { sheets: vec![sheet], claims, ..Report::default() })
}
