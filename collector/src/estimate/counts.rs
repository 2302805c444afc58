//! What was released, counted by group and period.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::{error, fmt};

use anyhow::{Context, Error, Result, bail, ensure};
use textveil::{DeclaredDraw, DeclaredTerms, InTheClear};
use textveil_estimate::{Counted, Knowledge, Law, Released, Reported};
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::numbers::{counted, short};

use super::period::{Offset, OtherOffset, Period};
use crate::reports::{Content, Report, Stated};

/// A group of releases that are counted together: the content of the columns, and the period.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) group: Vec<Option<String>>,
    pub(super) period: Option<String>,
}

/// The releases of a cell.
pub(super) struct Part {
    pub(super) counted: Counted,
    /// Words, statements or choices.
    pub(super) reports: u64,
    /// Texts.
    pub(super) releases: u64,
}

/// The counts of all releases so far.
pub(super) struct Counts {
    pub(super) knowledge: Knowledge,
    every: Option<Period>,
    /// The offset that the times state, once one was counted.
    offset: Option<Offset>,
    /// How the first release was drawn, and so all of them.
    pub(super) law: Option<(Arc<DeclaredDraw>, Law)>,
    /// The law of earlier releases, since a law takes long to build.
    known: Option<(Arc<DeclaredDraw>, Law)>,
    /// The guarantee that was checked last.
    checked: Option<Arc<DeclaredDraw>>,
    pub(super) cells: BTreeMap<Cell, Part>,
    /// Whether a draw followed from a seed.
    pub(super) is_seeded: bool,
    /// Releases that were left out: they were drawn unlike most, or could not be counted.
    pub(super) left_out: u64,
    /// The groups and periods that they belong to, where these are known.
    pub(super) left_out_of: BTreeMap<Cell, u64>,
    /// The number of all others: they have no period, or there was no more room for their cell.
    pub(super) left_out_elsewhere: u64,
    /// Why the first was left out.
    pub(super) why: Option<String>,
    /// Rows that `textveil privatize` left out of the files.
    pub(super) never_drawn: u64,
}

impl Counts {
    pub(super) fn new(knowledge: Knowledge, every: Option<Period>) -> Self {
        let (law, known, checked, cells) = (None, None, None, BTreeMap::new());
        let (left_out, left_out_of, left_out_elsewhere) = (0, BTreeMap::new(), 0);
        let (is_seeded, why, never_drawn) = (false, None, 0);
        Self {
            knowledge,
            every,
            offset: None,
            law,
            known,
            checked,
            cells,
            is_seeded,
            left_out,
            left_out_of,
            left_out_elsewhere,
            why,
            never_drawn,
        }
    }

    /// Empty counts with the same settings. A known law stays.
    pub(super) fn emptied(self) -> Self {
        let known = self.law.or(self.known);
        Self { known, ..Self::new(self.knowledge, self.every) }
    }

    /// Counts those releases alone that were drawn as these, from now on.
    ///
    /// # Errors
    /// The releases allow no estimate.
    pub(super) fn expect(&mut self, draw: &Arc<DeclaredDraw>) -> Result<()> {
        self.check(draw)
    }

    /// Counts the releases of a row of a file, or leaves them out if it cannot. If no more groups and periods can be held
    /// then, it leaves out the smaller half of them. Devices may send any group, and those that came first would keep out
    /// all others.
    pub(super) fn add_or_leave_out(&mut self, file: &str, report: &Report) {
        let Err(error) = self.add(report) else {
            if self.cells.len() == self.most_cells() {
                self.leave_out_small();
            }
            return;
        };
        self.why.get_or_insert_with(|| format!("{file}, {}: {error:#}", report.place));
        self.left_out = self.left_out.saturating_add(report.count);
        let left_out = match self.cell(report) {
            Ok(cell) if self.left_out_of.len() < self.most_left_out(&cell) || self.left_out_of.contains_key(&cell) => {
                self.left_out_of.entry(cell).or_default()
            }
            _ => &mut self.left_out_elsewhere,
        };
        *left_out = left_out.saturating_add(report.count);
    }

    fn leave_out_small(&mut self) {
        let mut by_size: Vec<(u64, Cell)> =
            self.cells.iter().map(|(cell, part)| (part.releases, cell.clone())).collect();
        by_size.sort_unstable();
        by_size.truncate(by_size.len() / 2);
        for (releases, cell) in by_size {
            self.cells.remove(&cell);
            self.left_out = self.left_out.saturating_add(releases);
            self.left_out_elsewhere = self.left_out_elsewhere.saturating_add(releases);
        }
        let most = self.most_cells();
        self.why.get_or_insert_with(|| format!("in a small group: fewer than {most} groups and periods can be held"));
    }

    /// Leaves out a row that could not be read.
    pub(super) fn leave_out(&mut self, error: &Error) {
        self.why.get_or_insert_with(|| format!("{error:#}"));
        self.left_out = self.left_out.saturating_add(1);
        self.left_out_elsewhere = self.left_out_elsewhere.saturating_add(1);
    }

    /// The number of cells from which on there is no room for this one. Devices may send any group, so groups without
    /// any count so far leave half of the room to others.
    fn most_left_out(&self, Cell { group, .. }: &Cell) -> usize {
        let first = Cell { group: group.clone(), period: None };
        let is_counted = self.cells.range(first..).next().is_some_and(|(cell, _)| cell.group == *group);
        if is_counted { self.most_cells() } else { self.most_cells() / 2 }
    }

    /// The group and the period that a release belongs to.
    ///
    /// # Errors
    /// It has no time, its time is in no period, or it states an offset that is not of the place of the first.
    fn cell(&self, report: &Report) -> Result<Cell> {
        let mut period = None;
        if let Some(every) = self.every {
            let time = report.time.as_deref();
            let time = time.context("it has no time: name its column by --time, or see that it has one")?;
            period = Some(every.of(time)?);
            let own = Offset::of(time);
            let before = self.offset.unwrap_or(own);
            ensure!(own.is_of_the_place_of(before), OtherOffset { before, own });
        }
        Ok(Cell { group: report.columns.clone(), period })
    }

    /// The most groups and periods that are held. For words, each has a number for every word of the table.
    fn most_cells(&self) -> usize {
        if self.knowledge.is_counted_out() { 10_000 } else { 1_000 }
    }

    /// Counts the releases of a row.
    ///
    /// # Errors
    /// They are not the kind asked for, or have no time. They were drawn unlike those before them, or in a way that
    /// allows no estimate. They are too many to be counted.
    pub(super) fn add(&mut self, report: &Report) -> Result<()> {
        let Report { content, guarantee, is_seeded, count, .. } = report;
        let Stated { of_column: draw, .. } = guarantee.as_ref().context("it has no guarantee")?;
        self.check(draw)?;
        let (_, law) = self.law.as_ref().context("it has no guarantee")?;
        let (cell, most_cells) = (self.cell(report)?, self.most_cells());
        ensure!(
            self.cells.len() < most_cells || self.cells.contains_key(&cell),
            "there are more than {most_cells} groups and periods"
        );
        let expected = draw.losses.words as usize;
        let bits;
        let released = match content {
            Content::Text(text) => Released::Text(text),
            Content::Statements(statements) => Released::Statements(statements),
            Content::Bits(rows) => {
                let [row] = &rows[..] else { bail!("it is not the report of one choice") };
                bits = row.iter().map(|bit| *bit > 0.5).collect::<Vec<_>>();
                Released::Bits(&bits)
            }
            Content::Vectors(_) => bail!("it holds no {}", self.knowledge.counted()),
        };
        // No error ends this function before the cell is back.
        let new = || Part { counted: law.counted(), reports: 0, releases: 0 };
        let mut part = self.cells.remove(&cell).unwrap_or_else(new);
        let reported = Reported { released, expected, times: *count };
        let reports = self.knowledge.count(law, &mut part.counted, reported);
        part.reports += reports.as_ref().copied().unwrap_or_default();
        part.releases += if reports.is_ok() { *count } else { 0 };
        if part.releases > 0 {
            self.cells.insert(cell, part);
        }
        self.is_seeded |= *is_seeded && reports.is_ok();
        if reports.is_ok() && self.every.is_some() && self.offset.is_none() {
            self.offset = report.time.as_deref().map(Offset::of);
        }
        Ok(reports.map(drop)?)
    }

    /// # Errors
    /// The release was drawn unlike those before it, or its guarantee is not what textveil states.
    fn check(&mut self, draw: &Arc<DeclaredDraw>) -> Result<()> {
        if self.checked.as_ref().is_some_and(|checked| Arc::ptr_eq(checked, draw)) {
            return Ok(());
        }
        match &self.law {
            Some((first, law)) => {
                ensure!(is_alike(first, draw, &self.knowledge), Unlike(differences(first, draw, &self.knowledge)));
                law.check(draw)?;
            }
            None => {
                // A law of another number of statements would count reports that depend on each other as many.
                let known =
                    self.known.take_if(|(of, law)| is_alike(of, draw, &self.knowledge) && law.check(draw).is_ok());
                let law = known.map_or_else(|| self.built(draw), |(_, law)| Ok(law))?;
                self.law = Some((Arc::clone(draw), law));
            }
        }
        self.checked = Some(Arc::clone(draw));
        Ok(())
    }

    fn built(&self, draw: &DeclaredDraw) -> Result<Law> {
        let progress = bar("questions", self.knowledge.most_steps());
        let law = self.knowledge.law(draw, &|| progress.inc(1))?;
        progress.finish_and_clear();
        Ok(law)
    }
}

/// Whether two releases were drawn alike. Texts have any number of words.
fn is_alike(one: &DeclaredDraw, other: &DeclaredDraw, knowledge: &Knowledge) -> bool {
    one.is_like(other) && (one.losses.words == other.losses.words || !knowledge.is_counted_out())
}

/// How releases were drawn, each kind with how many there are.
#[derive(Default)]
pub(super) struct Kinds(Vec<(Arc<DeclaredDraw>, u64)>);

impl Kinds {
    /// The most kinds that are held at once. A kind with more than one in this number of releases stays (Misra and
    /// Gries).
    const MOST: usize = 1_000;

    pub(super) fn add(&mut self, report: &Report, knowledge: &Knowledge) {
        let Some(Stated { of_column: draw, .. }) = &report.guarantee else { return };
        let is_this =
            |(known, _): &(Arc<DeclaredDraw>, u64)| Arc::ptr_eq(known, draw) || is_alike(known, draw, knowledge);
        match self.0.iter().position(is_this) {
            Some(kind) => self.0[kind].1 = self.0[kind].1.saturating_add(report.count),
            None if self.0.len() < Self::MOST => self.0.push((Arc::clone(draw), report.count)),
            None => {
                let least = self.0.iter().map(|(_, count)| *count).min().unwrap_or(0).min(report.count);
                self.0.iter_mut().for_each(|(_, count)| *count -= least);
                self.0.retain(|(_, count)| *count > 0);
                if report.count > least {
                    self.0.push((Arc::clone(draw), report.count - least));
                }
            }
        }
    }

    /// How releases were drawn, as most of them first.
    pub(super) fn by_count(&self) -> Vec<&Arc<DeclaredDraw>> {
        let mut kinds: Vec<_> = self.0.iter().collect();
        kinds.sort_by_key(|(_, count)| Reverse(*count));
        kinds.into_iter().map(|(draw, _)| draw).collect()
    }
}

/// A release was drawn unlike those that are counted.
#[derive(Debug)]
pub(super) struct Unlike(String);

impl fmt::Display for Unlike {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "it was drawn unlike the releases before it: {}", self.0)
    }
}

impl error::Error for Unlike {}

/// How a release was drawn unlike the first: "epsilon 4 instead of 8, another list". No device chooses a word of it.
fn differences(first: &DeclaredDraw, other: &DeclaredDraw, knowledge: &Knowledge) -> String {
    let (old, new) = (&first.terms, &other.terms);
    let mut found = Vec::new();
    if let (Some(was), Some(is)) = (old.kind(), new.kind())
        && was != is
    {
        found.push(format!("{} instead of {}", is.name(), was.name()));
    }
    let [was, is] = [first, other].map(|draw| draw.losses.epsilon_word);
    if was != is {
        let shown = |of: fn(f64) -> String| [is, was].map(|loss| loss.map_or_else(|| "no bound".to_owned(), of));
        let [mut is, mut was] = shown(short);
        if is == was {
            [is, was] = shown(|loss| loss.to_string());
        }
        found.push(format!("epsilon {is} instead of {was}"));
    }
    let [was, is] = [first, other].map(|draw| draw.losses.words);
    if was != is && knowledge.is_counted_out() {
        found.push(format!("{} for each text instead of {was}", counted(is.into(), one(knowledge))));
    }
    if old.table != new.table {
        let what =
            if ["statements", "answers"].contains(&knowledge.counted()) { "another list" } else { "another table" };
        found.push(what.to_owned());
    }
    // The first is one that textveil states, so that its parameters have names of ours.
    for (name, was) in &old.parameters {
        if let Some(is) = new.parameters.get(name).filter(|is| *is != was) {
            // It says how many statements are near to a text, as a share of the list.
            let name = if name == "mass" { "near (mass)" } else { name.as_str() };
            found.push(format!("{name} {} instead of {}", short(*is), short(*was)));
        }
    }
    let has_language = |terms: &DeclaredTerms| terms.shows(InTheClear::Language);
    match (has_language(old), has_language(new)) {
        (true, false) => found.push("with --any-language instead of without".to_owned()),
        (false, true) => found.push("without --any-language instead of with".to_owned()),
        _ => {}
    }
    let others = |terms: &DeclaredTerms| {
        terms.clear.iter().filter(|part| *part != InTheClear::Language.name()).cloned().collect::<Vec<_>>()
    };
    let names = |terms: &DeclaredTerms| terms.parameters.keys().cloned().collect::<Vec<_>>();
    for (differs, what) in [
        (old.kept_words != new.kept_words, "other words kept in clear"),
        (old.never_said != new.never_said, "other words that never come out"),
        (others(old) != others(new), "other parts in clear"),
        (names(old) != names(new), "other parameters"),
        (old.unit != new.unit, "another unit"),
        (old.calibration != new.calibration || old.claim != new.claim, "another calibration"),
        (old.metric != new.metric || old.eta != new.eta || old.cutoff != new.cutoff, "another metric, eta or cutoff"),
    ] {
        if differs {
            found.push(what.to_owned());
        }
    }
    if found.is_empty() { "other terms or losses".to_owned() } else { found.join(", ") }
}

/// What one of those that are counted is called.
fn one(knowledge: &Knowledge) -> &'static str {
    knowledge.counted().strip_suffix('s').unwrap_or(knowledge.counted())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textveil::{Declared, Mechanism, MechanismKind, Parameter, StatementList, Statements, Unary};

    use super::*;
    use crate::reports::Place;

    fn choices() -> Knowledge {
        Knowledge::of_choices(["often", "seldom", "never"].map(str::to_owned).to_vec())
    }

    fn drawn(epsilon: f64) -> Arc<DeclaredDraw> {
        let mechanism = Mechanism::new(MechanismKind::Oue).with(Parameter::Epsilon, epsilon).expect("a number");
        let stated = json!(Unary::new(mechanism, 3).expect("a list").guarantee());
        Arc::new(serde_json::from_value::<Declared>(stated).expect("a guarantee").into_draw())
    }

    /// `count` reports of a group. Reports of two bits cannot be counted.
    fn report(draw: &Arc<DeclaredDraw>, (group, day): (&str, &str), bits: &[f32], count: u64) -> Report {
        Report {
            place: Place::Line(1),
            content: Content::Bits(vec![bits.to_vec()]),
            guarantee: Some(Stated { draw: Arc::clone(draw), is_of_file: false, of_column: Arc::clone(draw) }),
            is_seeded: false,
            columns: vec![Some(group.to_owned())],
            time: Some(day.to_owned()),
            count,
        }
    }

    fn cell(group: &str, period: &str) -> Cell {
        Cell { group: vec![Some(group.to_owned())], period: Some(period.to_owned()) }
    }

    const DAY: &str = "2026-11-24";
    const GOOD: [f32; 3] = [0.0, 1.0, 0.0];

    #[test]
    fn the_terms_that_differ_are_named() {
        let list =
            StatementList::parse(&include_bytes!("../../../statements/product-feedback.tvs")[..]).expect("a list");
        let other =
            StatementList::parse(&include_bytes!("../../../statements/support-requests.tvs")[..]).expect("a list");
        let knowledge = Knowledge::of_statements(list.clone(), &[]).expect("a question");
        let draw = |statements: Statements| Declared::from(&statements.guarantee()).into_draw();
        let of = |list: &StatementList, epsilon: f64| Statements::new(list, epsilon).expect("in range");
        let usual = draw(of(&list, 8.0));
        let any = draw(of(&list, 8.0).of_any_language());
        assert_eq!(differences(&usual, &any, &knowledge), "with --any-language instead of without");
        assert_eq!(differences(&any, &usual, &knowledge), "without --any-language instead of with");
        let weaker = differences(&usual, &draw(of(&list, 4.0)), &knowledge);
        assert_eq!(weaker, "epsilon 4 instead of 8, near (mass) 0.1092 instead of 0.008403");
        let two = draw(of(&list, 8.0).per_sentence(2).expect("in range"));
        let told = differences(&usual, &two, &knowledge);
        assert!(told.starts_with("2 statements for each text instead of 1"), "{told}");
        assert!(differences(&usual, &draw(of(&other, 8.0)), &knowledge).contains("another list"));
        let mut made_up = usual.clone();
        made_up.terms.clear.push("secret".to_owned());
        made_up.terms.parameters.insert("secret".to_owned(), 1.0);
        assert_eq!(differences(&usual, &made_up, &knowledge), "other parts in clear, other parameters");
        let mut counts = Counts::new(choices(), None);
        counts.add(&report(&drawn(2.0), ("north", DAY), &GOOD, 1)).expect("counted");
        let refused = counts.add(&report(&drawn(1.0), ("north", DAY), &GOOD, 1)).expect_err("another epsilon");
        assert!(
            refused.is::<Unlike>() && refused.to_string().contains("before it: epsilon 1 instead of 2"),
            "{refused}"
        );
    }

    #[test]
    fn times_of_different_offsets_are_refused() {
        let (draw, mut counts) = (drawn(2.0), Counts::new(choices(), Some(Period::Day)));
        for time in ["2026-11-09T23:30:00Z", "2026-11-09 23:30:00+00:00", "2026-11-09T23:30:00+01:00"] {
            counts.add(&report(&draw, ("north", time), &GOOD, 1)).expect("one offset");
        }
        for (time, own) in [
            ("2026-11-09T23:30:00-05:00", Offset::Minutes(-300)),
            ("2026-11-09T23:30:00", Offset::Unstated),
            ("2026-11-09", Offset::Unstated),
        ] {
            let refused = counts.add(&report(&draw, ("north", time), &GOOD, 1)).expect_err("another offset");
            assert_eq!(
                refused.downcast_ref::<OtherOffset>(),
                Some(&OtherOffset { before: Offset::Minutes(0), own }),
                "{time}"
            );
        }
        // It may be of any day.
        counts.add_or_leave_out("file", &report(&draw, ("north", "2026-11-09"), &GOOD, 3));
        assert_eq!((counts.left_out, counts.left_out_elsewhere), (3, 3));
        assert_eq!(counts.cells[&cell("north", "2026-11-09")].releases, 3);
        // Without periods, no time is read.
        let mut whole = Counts::new(choices(), None);
        for time in ["2026-11-09T23:30:00Z", "soon"] {
            whole.add(&report(&draw, ("north", time), &GOOD, 1)).expect("any time");
        }
    }

    #[test]
    fn groups_that_are_not_counted_leave_room_for_those_that_are() {
        let (draw, mut counts) = (drawn(2.0), Counts::new(choices(), Some(Period::Day)));
        counts.add_or_leave_out("file", &report(&draw, ("north", DAY), &GOOD, 1));
        for number in 0..6_000 {
            counts.add_or_leave_out("file", &report(&draw, (&format!("made up {number}"), DAY), &GOOD[1..], 2));
        }
        assert_eq!((counts.left_out_of.len(), counts.left_out_elsewhere), (5_000, 2 * 1_000));
        counts.add_or_leave_out("file", &report(&draw, ("made up 7", DAY), &GOOD[1..], 3));
        assert_eq!((counts.left_out_of[&cell("made up 7", DAY)], counts.left_out_elsewhere), (2 + 3, 2 * 1_000));
        counts.add_or_leave_out("file", &report(&draw, ("north", DAY), &GOOD[1..], 5));
        assert_eq!(counts.left_out_of[&cell("north", DAY)], 5);
    }

    #[test]
    fn what_is_left_out_without_room_may_be_of_any_period() {
        let (draw, mut counts) = (drawn(2.0), Counts::new(choices(), Some(Period::Day)));
        counts.add_or_leave_out("file", &report(&draw, ("north", DAY), &GOOD, 1));
        let first = chrono::NaiveDate::from_ymd_opt(1990, 1, 1).expect("a date");
        for day in first.iter_days().take(10_001) {
            counts.add_or_leave_out("file", &report(&draw, ("north", &day.to_string()), &GOOD[1..], 2));
        }
        let last = first + chrono::Days::new(9_999);
        assert_eq!((counts.left_out_of.len(), counts.left_out_elsewhere), (10_000, 2));
        counts.add_or_leave_out("file", &report(&draw, ("north", &last.to_string()), &GOOD[1..], u64::MAX));
        counts.add_or_leave_out("file", &report(&draw, ("north", DAY), &GOOD[1..], 3));
        counts.add_or_leave_out("file", &report(&draw, ("north", "soon"), &GOOD[1..], 4));
        assert_eq!(counts.left_out_of[&cell("north", &last.to_string())], u64::MAX, "it does not start anew");
        assert_eq!((counts.left_out_elsewhere, counts.left_out), (2 + 3 + 4, u64::MAX));
    }

    #[test]
    fn made_up_groups_do_not_keep_out_groups_that_come_later() {
        let (draw, mut counts) = (drawn(2.0), Counts::new(choices(), Some(Period::Day)));
        let mut add = |group: &str, count| counts.add_or_leave_out("file", &report(&draw, (group, DAY), &GOOD, count));
        add("early", 100);
        for number in 0..25_000 {
            add(&format!("made up {number}"), 1);
            if number % 1_000 == 999 {
                add("late", 10);
            }
        }
        let releases = |group| counts.cells[&cell(group, DAY)].releases;
        assert_eq!((releases("early"), releases("late")), (100, 250));
        let counted: u64 = counts.cells.values().map(|part| part.releases).sum();
        assert_eq!((counts.left_out, counts.left_out_elsewhere), (25_350 - counted, 25_350 - counted));
        assert!(counts.cells.len() < 10_000);
        assert!(counts.why.is_some_and(|why| why.contains("fewer than 10000 groups")));
        // Without --leave-out, the first without room ends the run.
        let mut strict = Counts::new(choices(), None);
        let mut add = |number| strict.add(&report(&draw, (&format!("{number}"), DAY), &GOOD, 1));
        (0..10_000).for_each(|number| add(number).expect("room"));
        assert!(add(10_000).is_err_and(|error| error.to_string().contains("more than 10000 groups")));
    }

    #[test]
    fn a_kind_counts_as_often_as_its_rows_say_however_many_others_there_are() {
        let knowledge = choices();
        let draws: Vec<_> = (0..=Kinds::MOST).map(|number| drawn(1.0 + number as f64 / 1e3)).collect();
        let mut kinds = Kinds::default();
        let mut add = |kind: usize, count| {
            kinds.add(&report(&draws[kind], ("north", DAY), &GOOD, count), &knowledge);
            let held = kinds.0.iter().map(|(_, count)| *count);
            (kinds.0.len(), held.clone().min(), held.max())
        };
        for kind in 0..Kinds::MOST {
            assert_eq!(add(kind, 5), (kind + 1, Some(5), Some(5)));
        }
        // One more takes as much from each as it has itself, until one of them is used up.
        assert_eq!(add(Kinds::MOST, 2), (1_000, Some(3), Some(3)));
        assert_eq!(add(7, 4), (1_000, Some(3), Some(7)));
        assert_eq!(add(Kinds::MOST, 100), (2, Some(4), Some(97)));
        assert!(kinds.by_count().first().is_some_and(|most| Arc::ptr_eq(most, &draws[Kinds::MOST])));
        kinds.add(&report(&draws[7], ("north", DAY), &GOOD, u64::MAX), &knowledge);
        assert_eq!(kinds.0.iter().map(|(_, count)| *count).max(), Some(u64::MAX), "it does not start anew");
        assert!(kinds.by_count().first().is_some_and(|most| Arc::ptr_eq(most, &draws[7])));
    }
}
