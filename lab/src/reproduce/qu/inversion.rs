//! Table 3: how many words the nearest-neighbour attack names, and what follows from it for ε.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil::account::evidence::{least_epsilon, lower_limit};
use textveil::{MechanismKind, Table, WordId};

use super::attack::Attack;
use super::corpus::tokens;
use super::setting::Setting;
use super::strengths::{Ladder, MATCHED_ON};
use super::{DATA, SETS, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::below;

pub(crate) static TABLE_3: Experiment = Experiment {
    paper: "qu",
    table: "table-3",
    about: "Words named by the nearest-neighbour attack on token representations (Qu et al., CIKM 2021)",
    data: &DATA,
    takes: &[],
    runs: Some(Runs { quick: 2, usual: 5, paper: None }),
    has_plot: true,
    why: WHY,
    compute,
};

/// Words attacked in a run, at each place.
const ATTACKED: usize = 4000;
/// The same with `--quick`.
const FEW: usize = 400;
/// The confidence of what is said about ε.
const CONFIDENCE: f64 = 0.95;
/// How far the attack may fare apart on two sets: they use other words.
const APART: f64 = 0.1;
/// Three standard errors of a share of 2 × 400 words.
pub(super) const INVERSION_TOLERANCE: f64 = 0.05;

/// Where words come from: a set, or the vocabulary, each word as likely.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Set(usize),
    Vocabulary,
}

const PLACES: [Place; 3] = [Place::Set(0), Place::Set(1), Place::Vocabulary];

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(set) => formatter.write_str(SETS[*set].0),
            Self::Vocabulary => formatter.write_str("vocabulary"),
        }
    }
}

/// Words seen once each under a mechanism.
struct Attempt {
    place: Place,
    setting: Setting,
    run: u32,
}

impl fmt::Display for Attempt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, setting, run } = self;
        write!(formatter, "{place}/{setting}/run={run}")
    }
}

/// How many of them were named.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Named {
    hits: u64,
    of: u64,
}

impl Named {
    fn share(self) -> f64 {
        self.hits as f64 / self.of as f64
    }
}

/// The words that are attacked.
struct Words<'a> {
    table: &'a Table,
    of_sets: Vec<Vec<WordId>>,
    count: usize,
}

impl Words<'_> {
    /// The noisy vector is answered by the nearest word, a word that came out by itself.
    fn named(&self, run: &Run<'_>, attack: &Attack<'_>, attempt: &Attempt) -> Result<Named> {
        let mut rng = run.rng(&attempt.to_string());
        let drawn: Vec<WordId>;
        let words = match attempt.place {
            Place::Set(set) => self.of_sets.get(set).context("no such set")?,
            Place::Vocabulary => {
                drawn = (0..self.count).filter_map(|_| self.table.row(below(&mut rng, self.table.len()))).collect();
                &drawn
            }
        };
        let hits = if attempt.setting.kind == MechanismKind::MetricLaplace {
            attack.hits(words, attempt.setting.eta, &mut rng)
        } else {
            let outputs = attempt.setting.privatizer(self.table)?.draw_all(words, &mut rng);
            words.iter().zip(outputs).filter(|(word, output)| *word == output).count()
        };
        Ok(Named { hits: hits as u64, of: words.len() as u64 })
    }
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let noise = ladder.strengths.iter().map(|strength| Setting::noise(strength.eta));
    let settings: Vec<Setting> = noise.chain(at_levels(&ladder)).collect();
    let table = &ladder.table;
    let count = if run.is_quick() { FEW } else { ATTACKED };
    let of_set = |(set, _): (&str, &str)| tokens(table, &run.set(set)?.test, count, run.seed(&format!("{set}/tokens")));
    let words = Words { table, of_sets: SETS.into_iter().map(of_set).collect::<Result<_>>()?, count };
    let attempts: Vec<Attempt> = settings
        .iter()
        .flat_map(|setting| PLACES.map(|place| (place, *setting)))
        .flat_map(|(place, setting)| (0..run.runs()).map(move |run| Attempt { place, setting, run }))
        .collect();
    let attack = Attack::new(table);
    let named = run.cells(&attempts, |attempt| words.named(run, &attack, attempt))?;
    // The results of each setting, by place.
    let found: Vec<[&[Named]; 3]> = named
        .chunks(run.runs() as usize)
        .collect::<Vec<_>>()
        .chunks_exact(PLACES.len())
        .filter_map(|places| places.try_into().ok())
        .collect();
    let (by_strength, by_level) =
        found.split_at_checked(ladder.strengths.len()).context("a share for each strength")?;
    report(&ladder, by_strength)?.beside(&ladder, by_level)
}

/// The certified mechanism at each level, and noise of the same η.
fn at_levels(ladder: &Ladder) -> impl Iterator<Item = Setting> {
    ladder.levels.iter().flat_map(|eta| [Setting::certified(*eta), Setting::noise(*eta)])
}

fn mean(runs: &[Named]) -> Mean {
    Mean::of(&runs.iter().map(|named| named.share()).collect::<Vec<_>>())
}

/// The least ε of any mechanism that lets an attack name this many of the vocabulary's words.
fn at_least(table: &Table, runs: &[Named]) -> Result<f64> {
    let [hits, of] = [|named: &Named| named.hits, |named: &Named| named.of].map(|count| runs.iter().map(count).sum());
    Ok(least_epsilon(lower_limit(hits, of, CONFIDENCE)?, table.len() as u64)?)
}

fn report(ladder: &Ladder, found: &[[&[Named]; 3]]) -> Result<Report> {
    let mut sheet = Sheet::new("Share of words that the attack names on their representations");
    let mut lines = PLACES.map(|_| Vec::new());
    for (strength, places) in ladder.strengths.iter().zip(found) {
        let proved = ladder.proved(Setting::noise(strength.eta))?;
        let [sst2, qqp, vocabulary] = places.map(mean);
        let least = at_least(&ladder.table, places[2])?;
        for (line, mean) in lines.iter_mut().zip([sst2, qqp, vocabulary]) {
            line.push([strength.eta, mean.mean]);
        }
        sheet.row(cells![
            "eta" => proved.eta,
            "paper's eta" => strength.paper,
            "aimed at" => strength.aim,
            "SST-2" => sst2,
            "QQP" => qqp,
            "vocabulary" => vocabulary,
            "eps at least" => least,
            "eps, median pair" => proved.median,
            "eps, any pair" => proved.any,
            "delta as drawn" => proved.delta,
        ]);
    }
    let shares = |place: usize| lines[place].iter().map(|[_, share]| *share).collect::<Vec<f64>>();
    let apart: Vec<f64> = shares(0).iter().zip(shares(1)).map(|(a, b)| b - a).collect();
    let mut claims: Vec<Claim> = ["SST-2", "QQP", "vocabulary"]
        .into_iter()
        .enumerate()
        .map(|(place, name)| {
            Claim::rises(format!("{name}: inversion rises with eta"), &shares(place), INVERSION_TOLERANCE)
        })
        .collect();
    claims.push(Claim::near(
        format!("QQP is inverted as {}, on whose other texts eta was matched", MATCHED_ON.1),
        &apart,
        0.0,
        APART,
    ));
    let most = lines[0].last().map_or(1.0, |[eta, _]| *eta);
    let panel = Panel {
        title: "nearest word to a noisy vector",
        axis_title: "η in nats a unit of distance",
        x: Axis::linear(0.0, (most / 10.0).ceil() * 10.0),
        y: Axis::linear(0.0, 1.0),
        lines: ["SST-2", "QQP", "vocabulary"].into_iter().zip(lines).collect(),
    };
    let drawing = panels("Inversion accuracy", &[panel]);
    Ok(Report { claims, ..Report::of(vec![sheet], drawing) })
}

impl Report {
    /// With the certified levels at the same metric constants, and noise there.
    fn beside(mut self, ladder: &Ladder, found: &[[&[Named]; 3]]) -> Result<Self> {
        let mut sheet = Sheet::new("The same at equal eta: words that come out as they went in, or are named");
        let mut more = Vec::new();
        for (setting, places) in at_levels(ladder).zip(found) {
            let proved = ladder.proved(setting)?;
            let [sst2, qqp, vocabulary] = places.map(mean);
            more.push(sst2.mean);
            sheet.row(cells![
                "mechanism" => setting.kind.name(),
                "eta" => proved.eta,
                "SST-2" => sst2,
                "QQP" => qqp,
                "vocabulary" => vocabulary,
                "eps at least" => at_least(&ladder.table, places[2])?,
                "eps, median pair" => proved.median,
                "eps, any pair" => proved.any,
                "delta as drawn" => proved.delta,
            ]);
        }
        let pairs: Vec<&[f64]> = more.chunks(2).collect();
        let holds =
            !pairs.is_empty() && pairs.iter().all(|pair| matches!(pair, [certified, noise] if certified > noise));
        let evidence = more.iter().map(|x| short(*x)).collect::<Vec<_>>().join(", ");
        self.claims.push(Claim::new(
            "SST-2: at equal eta the certified mechanism keeps more words than noise leaves to be named",
            holds,
            evidence,
        ));
        self.sheets.push(sheet);
        Ok(self)
    }
}
