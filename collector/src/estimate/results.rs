//! The shares that were asked for, as JSON, as text ([`text`]) and as CSV ([`csv`]).

mod csv;
mod text;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};
use textveil_estimate::{Change, Confidence, FEWEST_TEXTS, Interval, Knowledge, Law, Share, changes};
use textveil_toolkit::files::hexadecimal;
use textveil_toolkit::report::numbers::counted;

use super::counts::{Cell, Counts, Part};
pub(super) use text::{BELOW_NOISE, percent_between, points};
pub(crate) use text::{percent, percentage_points};

/// Of a period that is compared, a larger share of its releases may not be left out: who is left may be other people.
const MOST_LEFT_OUT: f64 = 0.05;

/// Of more shares the largest come first, and those that cannot be told from 0 are folded up.
pub(super) const MANY: usize = 12;

/// A value of a public field stands in each row of the CSV, and who fills in a form may write any.
const MOST_LETTERS: usize = 100;

/// All results to show.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Results {
    /// "statements", "answers", "words" or "choices".
    pub(super) counted: &'static str,
    pub(super) confidence: f64,
    /// How releases were drawn.
    pub(super) law: LawShown,
    pub(super) known_seed: bool,
    /// Releases that were left out: they were drawn unlike most, or could not be counted.
    pub(super) left_out: u64,
    /// Where the first of them is, and why it was left out.
    pub(super) why_left_out: Option<String>,
    /// Rows that were left out when the files were privatized.
    pub(super) never_drawn: u64,
    pub(super) groups: Vec<Group>,
    /// Smaller groups that are not among them.
    pub(super) groups_not_shown: usize,
}

/// How the releases were drawn.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LawShown {
    pub(super) mechanism: String,
    /// The ε of one word, statement or choice.
    pub(super) epsilon: Option<f64>,
    /// How many statements are near to a text, if it is more than one: each text then counts for all of them alike.
    pub(super) near: Option<usize>,
    /// Statements of a text, or the words of the text with the most.
    pub(super) most: u32,
    pub(super) releases: u64,
}

/// The releases of one group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    /// What the columns hold, by their names.
    pub(super) of: Vec<(String, Option<String>)>,
    pub(super) periods: Vec<PeriodShown>,
    /// Which two periods are compared.
    pub(super) compared: Option<Compared>,
    /// How shares changed between them.
    pub(super) changes: Vec<ChangeShown>,
}

/// Two periods whose shares are compared.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compared {
    /// The earlier one and the later one.
    pub(super) periods: [String; 2],
    /// Why no change is tested.
    pub(super) untested: Option<String>,
}

/// The releases of a group in one period, or all of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PeriodShown {
    pub(super) period: Option<String>,
    pub(super) releases: u64,
    /// Words, statements or choices.
    pub(super) reports: u64,
    /// Releases that were left out: nothing here is about them.
    pub(super) left_out: u64,
    pub(super) shares: Vec<ShareShown>,
    /// The statements that came out more often than the law allows: releases are not what their guarantee says.
    pub(super) impossible: Vec<String>,
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
    /// Adjusted for all that were tested, in all groups.
    pub(super) p_value: f64,
    pub(super) told: bool,
}

/// Nothing was counted.
#[derive(Debug)]
pub(crate) struct NoReleases;

impl fmt::Display for NoReleases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there are no releases")
    }
}

impl std::error::Error for NoReleases {}

impl Results {
    /// The shares of what was counted. Changes are those `between` two periods, or the last two of each group.
    ///
    /// # Errors
    /// [`NoReleases`], or why all were left out.
    pub(super) fn of(
        counts: &Counts,
        by: &[String],
        between: Option<&[String; 2]>,
        confidence: Confidence,
    ) -> Result<Self> {
        let mut groups: Vec<Group> = Vec::new();
        let Some((draw, law)) = counts.law.as_ref().filter(|_| !counts.cells.is_empty()) else {
            let Some(why) = &counts.why else { return Err(NoReleases.into()) };
            bail!("all {} were left out. The first of them, {why}", counted(counts.left_out, "release"));
        };
        for (Cell { group, period }, (part, left_out)) in cells(counts) {
            let of: Vec<_> =
                by.iter().cloned().zip(group.iter().map(|value| value.as_deref().map(shortened))).collect();
            let shown = period_shown((&counts.knowledge, law), period.clone(), (part, left_out), confidence);
            match groups.last_mut().filter(|last| last.of == of) {
                Some(last) => last.periods.push(shown),
                None => groups.push(Group { of, periods: vec![shown], compared: None, changes: Vec::new() }),
            }
        }
        compare(&mut groups, between, counts.left_out_elsewhere.saturating_add(counts.never_drawn), confidence);
        let law = LawShown {
            mechanism: draw.terms.mechanism.clone(),
            epsilon: draw.losses.epsilon_word,
            near: law.near(),
            most: draw.losses.words,
            releases: counts.cells.values().map(|part| part.releases).fold(0, u64::saturating_add),
        };
        Ok(Self {
            counted: counts.knowledge.counted(),
            confidence: confidence.get(),
            law,
            known_seed: counts.is_seeded,
            left_out: counts.left_out,
            why_left_out: counts.why.clone(),
            never_drawn: counts.never_drawn,
            groups,
            groups_not_shown: 0,
        })
    }

    /// Keeps only the `most` groups with the most releases. Changes stay tested among those of all groups.
    pub(super) fn largest(mut self, most: usize) -> Self {
        let releases = |group: &Group| group.periods.iter().map(|period| period.releases).sum::<u64>();
        if self.groups.len() > most {
            self.groups.sort_by_key(|group| Reverse(releases(group)));
            self.groups_not_shown += self.groups.len() - most;
            self.groups.truncate(most);
        }
        self
    }
}

impl Group {
    /// "product A, region north"; empty if all releases are one group.
    pub(super) fn name(&self) -> String {
        let part = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name} {}", on_one_line(value)),
            None => format!("no {name}"),
        };
        self.of.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    fn period(&self, name: &str) -> Option<&PeriodShown> {
        self.periods.iter().find(|period| period.period.as_deref() == Some(name))
    }

    /// The last two periods with counts.
    fn last_two(&self) -> Option<[String; 2]> {
        let mut counted = self.periods.iter().rev().filter(|period| period.releases > 0);
        let (later, earlier) = (counted.next()?, counted.next()?);
        Some([earlier.period.clone()?, later.period.clone()?])
    }

    /// Why two periods cannot be compared, if `elsewhere` releases of no known period were left out.
    fn untested(&self, periods: &[String; 2], elsewhere: u64) -> Option<String> {
        periods.iter().find_map(|name| match self.period(name) {
            Some(period) if period.share_left_out(elsewhere) > MOST_LEFT_OUT => Some(format!(
                "{} of the releases of {name}{} were left out. With more than {} left out, a change may only be one of who is counted",
                percent(period.share_left_out(elsewhere)),
                if elsewhere > 0 { " and of no known period" } else { "" },
                percent(MOST_LEFT_OUT)
            )),
            Some(period) if period.shares.iter().any(|shown| shown.share.is_of_few_texts()) => {
                Some(format!(
                    "{name} has fewer than {FEWEST_TEXTS} texts, or a few long ones that outweigh all others, and so few do not tell how \
                     texts differ"
                ))
            }
            Some(period) if period.reports > 0 => None,
            _ => Some(format!("nothing of {name} is counted")),
        })
    }

    /// The shares of the two periods, if they are compared.
    fn pairs(&self) -> Vec<(&ShareShown, &ShareShown)> {
        let Some(Compared { periods, untested: None }) = &self.compared else { return Vec::new() };
        match periods.each_ref().map(|name| self.period(name)) {
            [Some(earlier), Some(later)] => earlier.shares.iter().zip(&later.shares).collect(),
            _ => Vec::new(),
        }
    }
}

impl PeriodShown {
    /// The share of its releases that was left out, if the `elsewhere` releases of no known period also belong to it.
    fn share_left_out(&self, elsewhere: u64) -> f64 {
        let left_out = self.left_out as f64 + elsewhere as f64;
        if left_out > 0.0 { left_out / (left_out + self.releases as f64) } else { 0.0 }
    }

    /// The places of shares in the order in which they are shown: as they were asked for, or of many the largest first.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.shares.len()).collect();
        if self.shares.len() > MANY {
            order.sort_by(|a, b| self.shares[*b].estimate.total_cmp(&self.shares[*a].estimate));
        }
        order
    }

    /// The shares in this order, those of many that cannot be told from 0 apart.
    pub(super) fn told(&self) -> (Vec<&ShareShown>, Vec<&ShareShown>) {
        let shares = self.in_order().into_iter().map(|number| &self.shares[number]);
        shares.partition(|share| !share.below_noise || self.shares.len() <= MANY)
    }

    /// ", 12 left out", or nothing if no release was left out.
    pub(super) fn left_out_in_words(&self) -> String {
        if self.left_out > 0 { format!(", {} left out", self.left_out) } else { String::new() }
    }
}

fn ends(Interval { low, high }: Interval) -> [f64; 2] {
    [low, high]
}

fn period_shown(
    (knowledge, law): (&Knowledge, &Law),
    period: Option<String>,
    (part, left_out): (Option<&Part>, u64),
    confidence: Confidence,
) -> PeriodShown {
    let Some(part) = part else {
        let (shares, impossible) = (Vec::new(), Vec::new());
        return PeriodShown { period, releases: 0, reports: 0, left_out, shares, impossible };
    };
    let shares = law.shares(knowledge, &part.counted, confidence);
    let shown = |(name, share): (&str, Share)| ShareShown {
        name: name.to_owned(),
        released: share.released,
        estimate: share.estimate,
        interval: ends(share.interval),
        together: ends(share.together),
        below_noise: share.is_below_noise(),
        share,
    };
    let shares = knowledge.names().into_iter().zip(shares).map(shown).collect();
    let impossible = law.impossible(knowledge, &part.counted).into_iter().map(str::to_owned).collect();
    PeriodShown { period, releases: part.releases, reports: part.reports, left_out, shares, impossible }
}

/// The counts, and the numbers left out, of all groups that have counts.
fn cells(counts: &Counts) -> BTreeMap<&Cell, (Option<&Part>, u64)> {
    let groups: BTreeSet<_> = counts.cells.keys().map(|cell| &cell.group).collect();
    let left_out = counts.left_out_of.iter().filter(|(cell, _)| groups.contains(&cell.group));
    let mut cells: BTreeMap<_, _> = left_out.map(|(cell, left_out)| (cell, (None, *left_out))).collect();
    for (cell, part) in &counts.cells {
        cells.entry(cell).or_insert((None, 0)).0 = Some(part);
    }
    cells
}

/// Tests two periods of all groups, together.
fn compare(groups: &mut [Group], between: Option<&[String; 2]>, elsewhere: u64, confidence: Confidence) {
    for group in groups.iter_mut() {
        let periods = between.cloned().or_else(|| group.last_two());
        group.compared = periods.map(|periods| Compared { untested: group.untested(&periods, elsewhere), periods });
    }
    let shares = |(earlier, later): (&ShareShown, &ShareShown)| (earlier.share, later.share);
    let pairs: Vec<(Share, Share)> = groups.iter().flat_map(Group::pairs).map(shares).collect();
    let mut found = changes(&pairs, confidence).into_iter();
    for group in groups {
        let shown = |((share, _), change): ((&ShareShown, &ShareShown), Change)| {
            let Change { difference, p_value, is_told } = change;
            ChangeShown { name: share.name.clone(), difference, p_value, told: is_told }
        };
        group.changes = group.pairs().into_iter().zip(found.by_ref()).map(shown).collect();
    }
}

/// Without characters that move on a terminal.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A value, of a long one its beginning and a digest that tells it from others.
fn shortened(value: &str) -> String {
    value.char_indices().nth(MOST_LETTERS).map_or_else(
        || value.to_owned(),
        |(end, _)| format!("{}… {}", &value[..end], hexadecimal(&Sha256::digest(value)[..16])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_periods_are_those_with_releases_and_what_has_no_period_may_be_of_any() {
        let period = |name: &str, releases, left_out| {
            let period = Some(name.to_owned());
            PeriodShown { period, releases, reports: releases, left_out, shares: Vec::new(), impossible: Vec::new() }
        };
        let periods = vec![period("1", 1000, 0), period("2", 1000, 40), period("3", 0, 1)];
        let group = Group { of: Vec::new(), periods, compared: None, changes: Vec::new() };
        let two = group.last_two().expect("two");
        assert_eq!(two, ["1", "2"]);
        assert_eq!(group.untested(&two, 0), None);
        let why = group.untested(&two, 60).expect("more than a twentieth");
        assert!(why.contains("5.7 % of the releases of 1 and of no known period"), "{why}");
    }

    #[test]
    fn long_values_are_cut_and_stay_apart() {
        let long = |end: &str| shortened(&("ä".repeat(1000) + end));
        assert_eq!(shortened("app"), "app");
        assert!(long("a") != long("b") && long("a").chars().count() == 134, "{}", long("a"));
    }
}
