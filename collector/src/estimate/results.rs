//! The shares that were asked for, as text, JSON and CSV.

use std::fmt;

use anyhow::{Result, ensure};
use csv::Writer;
use serde::Serialize;
use textveil::DeclaredDraw;
use textveil_estimate::{Change, Confidence, Interval, Share, changes};
use textveil_toolkit::report::numbers::counted;

use super::counts::{Cell, Counts, Part};

/// All that is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Results {
    /// "statements", "words" or "choices".
    pub(super) counted: &'static str,
    pub(super) confidence: f64,
    /// How releases were drawn, the largest share first.
    pub(super) laws: Vec<LawShown>,
    pub(super) known_seed: bool,
    pub(super) groups: Vec<Group>,
}

/// How some of the releases were drawn.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LawShown {
    pub(super) mechanism: String,
    /// The ε of one word, statement or choice.
    pub(super) epsilon: Option<f64>,
    pub(super) releases: u64,
}

/// The releases of one group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    /// What the columns hold, by their names.
    pub(super) of: Vec<(String, Option<String>)>,
    pub(super) periods: Vec<PeriodShown>,
    /// How shares changed between the last two periods.
    pub(super) changes: Vec<ChangeShown>,
}

/// The releases of a group in one period, or all of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PeriodShown {
    pub(super) period: Option<String>,
    pub(super) releases: u64,
    /// Words, statements or choices.
    pub(super) reports: u64,
    pub(super) shares: Vec<ShareShown>,
}

/// A share.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShareShown {
    pub(super) name: String,
    /// What the releases themselves say, noise and all.
    pub(super) released: f64,
    pub(super) estimate: f64,
    /// Where the share lies.
    pub(super) interval: [f64; 2],
    /// The same for all shares of the list together.
    pub(super) together: [f64; 2],
    /// The releases do not tell it from 0.
    pub(super) below_noise: bool,
    #[serde(skip)]
    share: Share,
}

/// How a share changed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeShown {
    pub(super) name: String,
    pub(super) difference: f64,
    /// The same confidence for all changes together.
    pub(super) together: [f64; 2],
    /// Adjusted for all that were tested.
    pub(super) p_value: f64,
    pub(super) told: bool,
}

impl Results {
    /// The shares of what was counted.
    ///
    /// # Errors
    /// There is nothing.
    pub(super) fn of(counts: &Counts, by: &[String], confidence: Confidence) -> Result<Self> {
        ensure!(!counts.cells.is_empty(), "there are no releases");
        let mut groups: Vec<Group> = Vec::new();
        for (Cell { group, period }, parts) in &counts.cells {
            let of: Vec<_> = by.iter().cloned().zip(group.iter().cloned()).collect();
            let shown = period_shown(counts, period.clone(), parts, confidence);
            match groups.last_mut().filter(|last| last.of == of) {
                Some(last) => last.periods.push(shown),
                None => groups.push(Group { of, periods: vec![shown], changes: Vec::new() }),
            }
        }
        groups.iter_mut().for_each(|group| group.changes = changed(&group.periods, confidence));
        let releases =
            |law| counts.cells.values().flatten().filter(|part| part.law == law).map(|part| part.releases).sum();
        let shown = |(place, (draw, _)): (usize, &(std::rc::Rc<DeclaredDraw>, _))| LawShown {
            mechanism: draw.terms.mechanism.clone(),
            epsilon: draw.losses.epsilon_word,
            releases: releases(place),
        };
        let mut laws: Vec<LawShown> = counts.laws.iter().enumerate().map(shown).collect();
        laws.sort_by_key(|law| std::cmp::Reverse(law.releases));
        let known_seed = counts.is_seeded;
        Ok(Self { counted: counts.knowledge.counted(), confidence: confidence.get(), laws, known_seed, groups })
    }

    /// Each share in a row.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn csv(&self) -> Result<String> {
        let mut writer = Writer::from_writer(Vec::new());
        let columns =
            self.groups.first().map(|group| group.of.iter().map(|(name, _)| name.as_str())).into_iter().flatten();
        let numbers = ["estimate", "low", "high", "low together", "high together", "released", "reports", "releases"];
        writer.write_record(columns.chain(["period", "name"]).chain(numbers))?;
        for group in &self.groups {
            for period in &group.periods {
                for share in &period.shares {
                    let of = group.of.iter().map(|(_, value)| value.clone().unwrap_or_default());
                    let [low, high] = share.interval;
                    let [low_together, high_together] = share.together;
                    let numbers = [share.estimate, low, high, low_together, high_together, share.released];
                    let counts = [period.reports, period.releases].map(|count| count.to_string());
                    let names = [period.period.clone().unwrap_or_default(), share.name.clone()];
                    writer
                        .write_record(of.chain(names).chain(numbers.map(|number| number.to_string())).chain(counts))?;
                }
            }
        }
        Ok(String::from_utf8(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)?)
    }

    /// "nearest, ε 9 a word: 1,000 releases".
    pub(super) fn laws_in_words(&self) -> Vec<String> {
        let unit = match self.counted {
            "statements" => "statement",
            "choices" => "choice",
            _ => "word",
        };
        let law = |law: &LawShown| {
            let epsilon = law.epsilon.map_or_else(|| "no bound".to_owned(), |epsilon| format!("epsilon {epsilon:.2}"));
            format!("{} by {}, {epsilon} for each {unit}", counted(law.releases, "release"), law.mechanism)
        };
        self.laws.iter().map(law).collect()
    }
}

impl Group {
    /// "product A, region north"; empty if all releases are one group.
    pub(super) fn name(&self) -> String {
        let part = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name} {value}"),
            None => format!("no {name}"),
        };
        self.of.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

fn ends(Interval { low, high }: Interval) -> [f64; 2] {
    [low, high]
}

fn period_shown(counts: &Counts, period: Option<String>, parts: &[Part], confidence: Confidence) -> PeriodShown {
    let [reports, releases] =
        [|part: &Part| part.reports, |part: &Part| part.releases].map(|of| parts.iter().map(of).sum());
    let of_part = |part: &Part| counts.laws[part.law].1.shares(&counts.knowledge, &part.counted, confidence);
    let shares: Vec<(u64, Vec<Share>)> = parts.iter().map(|part| (part.reports, of_part(part))).collect();
    let names = counts.knowledge.names();
    let shown = |(number, name): (usize, &&str)| {
        let of_laws: Vec<(u64, Share)> =
            shares.iter().filter_map(|(reports, shares)| Some((*reports, *shares.get(number)?))).collect();
        let share = Share::of_parts(&of_laws, confidence, names.len())?;
        Some(ShareShown {
            name: (*name).to_owned(),
            released: share.released,
            estimate: share.estimate,
            interval: ends(share.interval),
            together: ends(share.together),
            below_noise: share.is_below_noise(),
            share,
        })
    };
    let shares = names.iter().enumerate().filter_map(shown).collect();
    PeriodShown { period, releases, reports, shares }
}

fn changed(periods: &[PeriodShown], confidence: Confidence) -> Vec<ChangeShown> {
    let [.., earlier, later] = periods else { return Vec::new() };
    let pairs: Vec<(Share, Share)> =
        earlier.shares.iter().zip(&later.shares).map(|(earlier, later)| (earlier.share, later.share)).collect();
    let shown = |(name, Change { difference, together, p_value, is_told }): (&ShareShown, Change)| ChangeShown {
        name: name.name.clone(),
        difference,
        together: ends(together),
        p_value,
        told: is_told,
    };
    later.shares.iter().zip(changes(&pairs, confidence)).map(shown).collect()
}

/// "12.3 %".
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// "4.0 to 6.1 %".
pub(super) fn percent_between([low, high]: [f64; 2]) -> String {
    format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high)
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.laws_in_words().join("; "))?;
        if self.known_seed {
            writeln!(f, "SOME WERE DRAWN FROM A KNOWN SEED: that undoes them")?;
        }
        writeln!(f, "intervals: {}; in brackets, for all shares of a list together", percent(self.confidence))?;
        for group in &self.groups {
            let name = group.name();
            for period in &group.periods {
                let PeriodShown { releases, reports, .. } = period;
                let heads = [name.clone(), period.period.clone().unwrap_or_default()];
                let head = heads.into_iter().filter(|head| !head.is_empty()).collect::<Vec<_>>().join(", ");
                let head = if head.is_empty() { head } else { format!("{head}: ") };
                writeln!(f, "\n{head}{}, {reports} {}", counted(*releases, "release"), self.counted)?;
                let width = period.shares.iter().map(|share| share.name.chars().count()).max().unwrap_or(0);
                for ShareShown { name, estimate, interval, together, below_noise, .. } in &period.shares {
                    let noise = if *below_noise { "  not told from none" } else { "" };
                    let (share, interval) = (percent(*estimate), percent_between(*interval));
                    writeln!(f, "  {name:width$}  {share:>7}  {interval} [{}]{noise}", percent_between(*together))?;
                }
            }
            if let [.., earlier, later] = &group.periods[..] {
                let names = [earlier, later].map(|period| period.period.clone().unwrap_or_default());
                writeln!(f, "\nFrom {} to {}:", names[0], names[1])?;
                for ChangeShown { name, difference, together, told, .. } in
                    group.changes.iter().filter(|change| change.told)
                {
                    debug_assert!(told);
                    let direction = if *difference > 0.0 { "grew" } else { "fell" };
                    writeln!(
                        f,
                        "  {name} {direction} by {}",
                        percent_between(together.map(|end| end * difference.signum())).replace("-", "−")
                    )?;
                }
                if group.changes.iter().all(|change| !change.told) {
                    writeln!(f, "  No change is larger than chance.")?;
                }
            }
        }
        Ok(())
    }
}
