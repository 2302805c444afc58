//! Shares where every report is one entry of a public list, or one bit for each entry: statements and choices.
//!
//! An entry is in a report with probability p if it is the reporter's own, else with probability q. So a share f shows as
//! f·p + (1 − f)·q, which is solved for f. How often an entry is in the reports is a binomial number, whatever the people
//! are: its interval is exact. Several statements of one text depend on each other, and count as one report there.

use textveil::{Statements, Unary};

use crate::interval::{Confidence, Evidence, Interval, Share};
use crate::plan::Variation;

/// The least difference that a value makes to a probability.
const LEAST_SLOPE: f64 = 1e-3;

/// How a report follows from a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    inside: f64,
    outside: f64,
    near: usize,
    size: usize,
    is_one_entry: bool,
    /// Entries of a report.
    slots: usize,
}

/// What reports under one response came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    counts: Vec<u64>,
    reports: u64,
}

impl Response {
    /// A text's statement. An entry's share is the share of the texts to which it is nearest. If k > 1 entries are near
    /// to a text, each of them counts for 1/k of the text. A text with nothing near counts for all entries alike.
    #[must_use]
    pub fn of_statements(statements: &Statements) -> Self {
        let (inside, outside) = statements.odds();
        Self {
            inside,
            outside,
            near: statements.near(),
            size: statements.list().len(),
            is_one_entry: true,
            slots: statements.releases(),
        }
    }

    /// A text's statement of a list of this length, before the list exists, with `near` statements near to each text
    /// ([`Statements::usual_near`]).
    ///
    /// # Panics
    /// For no near statement, or one that the list does not have.
    #[must_use]
    pub fn of_length(size: usize, near: usize, epsilon: f64) -> Self {
        assert!(near > 0 && near <= size, "{near} of {size} statements are near");
        let outside = 1.0 / (near as f64 * epsilon.exp() + (size - near) as f64);
        Self { inside: outside * epsilon.exp(), outside, near, size, is_one_entry: true, slots: 1 }
    }

    /// The bits of a choice.
    #[must_use]
    pub fn of_choice(unary: &Unary) -> Self {
        let (inside, outside) = unary.odds();
        Self { inside, outside, near: 1, size: unary.size(), is_one_entry: false, slots: 1 }
    }

    /// How many entries are near to a value.
    #[must_use]
    pub fn near(&self) -> usize {
        self.near
    }

    /// Whether reports tell values apart at all: at a tiny ε nothing can be divided by what they tell.
    #[must_use]
    pub fn tells(&self) -> bool {
        self.line(1).1 >= LEAST_SLOPE
    }

    /// No reports yet.
    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally { counts: vec![0; self.size], reports: 0 }
    }

    /// The share of a group of entries, which is one of `listed` groups that are tested together. It is `None` without
    /// reports, and for several entries of a choice, since bits of a choice say nothing about each other.
    #[must_use]
    pub fn share(&self, tally: &Tally, entries: &[usize], confidence: Confidence, listed: usize) -> Option<Share> {
        if tally.reports == 0 || !self.is_one_entry && entries.len() != 1 {
            return None;
        }
        let (hits, reports) = self.hits(tally, entries);
        let released = hits / reports;
        let (start, slope) = self.line(entries.len());
        let interval =
            |confidence: Confidence| Interval::exact(hits, reports, confidence).unmapped(start, slope).of_share();
        let unbiased = (released - start) / slope;
        Some(Share {
            released,
            estimate: unbiased.clamp(0.0, 1.0),
            unbiased,
            deviation: (released * (1.0 - released) / reports).sqrt() / slope,
            interval: interval(confidence),
            together: interval(confidence.of_all(listed)),
            evidence: Evidence::Reports([hits, reports]),
        })
    }

    /// What a share f of a group of entries shows as: start + slope·f.
    fn line(&self, entries: usize) -> (f64, f64) {
        (self.outside * entries as f64, (self.inside - self.outside) * self.near as f64)
    }

    /// How an estimate of a group with this number of entries varies.
    #[must_use]
    pub fn variation(&self, entries: usize) -> Variation {
        let (start, slope) = self.line(entries);
        Variation::Hits { start, slope }
    }

    /// The same of the share of values to which an entry of the group is near. [`Response::share`] estimates that share
    /// divided by [`Response::near`], because a value counts for a part of each entry that is near to it.
    #[must_use]
    pub fn variation_of_values(&self, entries: usize) -> Variation {
        let (start, slope) = self.line(entries);
        Variation::Hits { start, slope: slope / self.near as f64 }
    }

    /// The largest share that a group with this number of entries can have.
    #[must_use]
    pub fn most(&self, entries: usize) -> f64 {
        entries.min(self.near) as f64 / self.near as f64
    }

    /// Whether the reports can have been drawn so, each by itself. They cannot if a group of entries came out more often than where all
    /// values are near to it. By chance this errs for one list in a million at most, if `listed` groups are asked about.
    #[must_use]
    pub fn is_possible(&self, tally: &Tally, entries: &[usize], listed: usize) -> bool {
        let (hits, reports) = self.hits(tally, entries);
        let (start, slope) = self.line(entries.len());
        let largest = start + slope * self.most(entries.len());
        let surely = || Interval::exact(hits, reports, Confidence::SURE.of_all(listed));
        hits <= largest * reports || surely().low <= largest
    }

    /// The hits of a group and the reports, as if all entries of a report were alike.
    fn hits(&self, tally: &Tally, entries: &[usize]) -> (f64, f64) {
        let hits: u64 = entries.iter().filter_map(|entry| tally.counts.get(*entry)).sum();
        (hits as f64 / self.slots as f64, tally.reports as f64 / self.slots as f64)
    }
}

impl Tally {
    /// Counts `times` reports of an entry. Returns whether the list has it.
    #[must_use]
    pub fn add(&mut self, entry: usize, times: u64) -> bool {
        let Some(count) = self.counts.get_mut(entry) else { return false };
        *count += times;
        self.reports += times;
        true
    }

    /// Counts `times` reports of the same bits. Returns whether the list has as many entries.
    #[must_use]
    pub fn add_bits(&mut self, bits: &[bool], times: u64) -> bool {
        if bits.len() != self.counts.len() {
            return false;
        }
        for (count, bit) in self.counts.iter_mut().zip(bits) {
            *count += times * u64::from(*bit);
        }
        self.reports += times;
        true
    }

    /// Counts what another one holds. Returns whether their lists are as long.
    #[must_use]
    pub fn merge(&mut self, other: &Self) -> bool {
        if self.counts.len() != other.counts.len() {
            return false;
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.reports += other.reports;
        true
    }

    /// The reports.
    #[must_use]
    pub fn reports(&self) -> u64 {
        self.reports
    }
}

#[cfg(test)]
mod tests {
    use textveil::{Mechanism, MechanismKind, Parameter, StatementList, seeded_rng};

    use super::*;

    fn list() -> StatementList {
        StatementList::parse(&include_bytes!("../../../statements/product-feedback.tvs")[..]).expect("a list")
    }

    fn vector(list: &StatementList, number: usize) -> Vec<f64> {
        list.vector(number).expect("in the list").iter().map(|x| f64::from(*x)).collect()
    }

    #[test]
    fn a_share_of_five_in_a_hundred_of_500_statements_is_as_sure_as_the_variance_says() {
        // 25 of 500 statements, epsilon 8: half-widths at 1k, 10k and 100k texts.
        let (inside, outside) = (0.856_5, 0.000_287_6);
        let response = Response { inside, outside, near: 1, size: 500, is_one_entry: true, slots: 1 };
        let group: Vec<usize> = (0..25).collect();
        for (reports, expected) in [(1000, 0.016), (10_000, 0.005), (100_000, 0.0016)] {
            let hits = reports as f64 * (outside * 25.0 + (inside - outside) * 0.05);
            let mut counts = vec![0; 500];
            counts[0] = hits.round() as u64;
            let share = response.share(&Tally { counts, reports }, &group, Confidence::USUAL, 1).expect("reports");
            let half = (share.interval.high - share.interval.low) / 2.0;
            assert!((half / expected - 1.0).abs() < 0.1, "{reports}: {half}");
            assert!((share.estimate - 0.05).abs() < 0.002, "{share:?}");
            // The upper side is longer here, and a plan is for both.
            let reach = share.interval.high - share.unbiased;
            let planned = response.variation(25).reports_for_width(share.unbiased, reach, Confidence::USUAL);
            assert!(planned.abs_diff(reports) <= 1, "{planned}");
        }
    }

    #[test]
    fn intervals_of_statements_that_were_drawn_hold_as_often_as_they_say() {
        let list = list();
        let statements = Statements::new(&list, 5.0).expect("an epsilon");
        let response = Response::of_statements(&statements);
        let mut rng = seeded_rng([3; 32]);
        // Of 20 texts each, these fit the first statements.
        let texts: Vec<usize> = [0; 6].into_iter().chain([1; 3]).chain([2]).chain(3..13).collect();
        let groups: [&[usize]; 4] = [&[0], &[1, 2], &[3], &[50]];
        let shares: Vec<f64> = groups.iter().map(|group| near_share(&list, &statements, &texts, group)).collect();
        let (mut held, mut held_together, runs) = ([0; 4], 0, 300);
        for _ in 0..runs {
            let mut tally = response.tally();
            for _ in 0..200 {
                let text = texts[(rand(&mut rng) * texts.len() as f64) as usize];
                let release = statements.exchange_vectors(&[vector(&list, text)], &mut rng).expect("a vector");
                assert!(tally.add(release.statements[0].number, 1));
            }
            let found = groups.map(|group| response.share(&tally, group, Confidence::USUAL, 4).expect("reports"));
            let holds = |interval: fn(&Share) -> Interval| {
                found.iter().zip(&shares).map(|(found, share)| interval(found).holds(*share)).collect::<Vec<_>>()
            };
            held.iter_mut().zip(holds(|share| share.interval)).for_each(|(held, holds)| *held += usize::from(holds));
            held_together += usize::from(holds(|share| share.together).into_iter().all(|holds| holds));
        }
        for held in held {
            assert!((0.92..=1.0).contains(&(f64::from(held as u32) / f64::from(runs))), "{held} of {runs}");
        }
        assert!(held_together >= 282, "{held_together} of {runs}");
    }

    fn rand(rng: &mut textveil::ReleaseRng) -> f64 {
        use rand_core::Rng;
        (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The mean share of a group among the statements near to a text.
    fn near_share(list: &StatementList, statements: &Statements, texts: &[usize], group: &[usize]) -> f64 {
        let share = |text: &usize| {
            let near = list.nearest(&vector(list, *text), statements.near()).expect("a vector");
            near.iter().filter(|number| group.contains(number)).count() as f64 / statements.near() as f64
        };
        texts.iter().map(share).sum::<f64>() / texts.len() as f64
    }

    #[test]
    fn a_list_has_the_response_of_its_length() {
        let list = list();
        for epsilon in [2.0, 5.0, 8.0] {
            let of_list = Response::of_statements(&Statements::new(&list, epsilon).expect("an epsilon"));
            let of_length = Response::of_length(list.len(), Statements::usual_near(list.len(), epsilon), epsilon);
            assert!((of_list.inside / of_length.inside - 1.0).abs() < 1e-6 && of_list.near == of_length.near);
            let [(start, slope), (of_start, of_slope)] = [of_list, of_length].map(|response| response.line(2));
            assert!((start / of_start - 1.0).abs() < 1e-6 && (slope / of_slope - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn releases_that_say_more_than_their_law_can_are_known() {
        let statements = Statements::new(&list(), 4.0).expect("an epsilon");
        let response = Response::of_statements(&statements);
        let near = response.near();
        assert_eq!(near, 13);
        let with = |hits: u64, others: u64| {
            let mut tally = response.tally();
            assert!(tally.add(0, hits) && tally.add(1, others));
            tally
        };
        let most = 1.0 / near as f64;
        // All texts are near to a statement, and it comes out by chance a little more often than they say.
        let hits = (1000.0 * response.inside).ceil() as u64 + 1;
        let tally = with(hits, 1000 - hits);
        let found = response.share(&tally, &[0], Confidence::USUAL, 119).expect("reports");
        assert!(found.unbiased > most && response.is_possible(&tally, &[0], 119), "{found:?}");
        // At ε 8 half of the releases can be one statement.
        let tally = with(500, 500);
        assert!(!response.is_possible(&tally, &[0], 119));
        let usual = Response::of_statements(&Statements::new(&list(), 8.0).expect("an epsilon"));
        assert!(usual.is_possible(&tally, &[0], 119) && usual.is_possible(&with(965, 35), &[0], 119));
        assert!(!usual.is_possible(&with(1000, 0), &[0], 119), "another statement comes out in 38 of 1,000 cases");
        // Together, two near statements can have twice as much.
        assert!(
            !response.is_possible(&tally, &[0, 1], 1) && response.most(2) == 2.0 * most && response.most(50) == 1.0
        );
        assert!(response.is_possible(&response.tally(), &[0], 119));
    }

    #[test]
    fn a_share_of_values_varies_as_the_part_that_each_counts_for() {
        let response = Response::of_length(119, Statements::usual_near(119, 4.0), 4.0);
        let near = response.near() as f64;
        let of_values = response.variation_of_values(1).reports_for_width(0.05, 0.01, Confidence::USUAL);
        let of_parts = response.variation(1).reports_for_width(0.05 / near, 0.01 / near, Confidence::USUAL);
        assert!(near == 13.0 && of_values.abs_diff(of_parts) <= 1, "{of_values}, {of_parts}");
    }

    #[test]
    fn choices_are_counted_by_their_bits() {
        let mechanism = Mechanism::new(MechanismKind::Oue).with(Parameter::Epsilon, 1.0).expect("a number");
        let unary = Unary::new(mechanism, 4).expect("a list");
        let response = Response::of_choice(&unary);
        let (mut tally, mut rng) = (response.tally(), seeded_rng([4; 32]));
        for number in 0..20_000 {
            assert!(tally.add_bits(&unary.report([0, 0, 0, 1, 2][number % 5], &mut rng).expect("in the list"), 1));
        }
        for (entry, share) in [(0, 0.6), (1, 0.2), (2, 0.2), (3, 0.0)] {
            let found = response.share(&tally, &[entry], Confidence::USUAL, 4).expect("reports");
            assert!(found.together.holds(share) && found.interval.high - found.interval.low < 0.06, "{found:?}");
        }
        assert_eq!(response.share(&tally, &[0, 1], Confidence::USUAL, 1), None);
        assert!(!tally.add_bits(&[true; 3], 1));
    }

    #[test]
    fn no_report_has_no_share_and_one_tells_nearly_nothing() {
        let response = Response::of_statements(&Statements::new(&list(), 8.0).expect("an epsilon"));
        let mut tally = response.tally();
        assert_eq!(response.share(&tally, &[0], Confidence::USUAL, 1), None);
        assert!(tally.add(0, 1) && !tally.add(1000, 1));
        let share = response.share(&tally, &[0], Confidence::USUAL, 1).expect("a report");
        assert!(share.interval.low < 0.05 && share.interval.high == 1.0, "{share:?}");
    }
}
