//! What an experiment found: sheets, claims, and why they differ from the paper's.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::claim::Claim;
use super::run::{Computed, Run};
use textveil_toolkit::report::Sheet;

/// What an experiment found.
#[derive(Default)]
pub(crate) struct Report {
    /// The tables.
    pub(crate) sheets: Vec<Sheet>,
    /// What the paper reports in kind.
    pub(crate) claims: Vec<Claim>,
    /// A plot, as SVG.
    pub(crate) drawing: Option<String>,
    /// The name of the experiment, which the command fills in.
    pub(super) name: String,
    pub(super) about: &'static str,
    pub(super) why: &'static str,
    pub(super) settings: Value,
    pub(super) computed: Computed,
}

impl Report {
    /// Sheets and a plot, without claims.
    pub(crate) fn of(sheets: Vec<Sheet>, drawing: String) -> Self {
        Self { sheets, drawing: Some(drawing), ..Self::default() }
    }

    /// Writes down the experiment and its settings.
    ///
    /// # Errors
    /// As [`Run::table`].
    pub(super) fn head(&mut self, run: &Run<'_>) -> Result<()> {
        self.name = run.experiment().name();
        self.about = run.experiment().about;
        self.why = run.experiment().why;
        self.settings = run.described()?;
        self.computed = run.computed();
        Ok(())
    }

    /// Among numbers with one of the paper's: how many agree in value, how many are undecided, and how many there are.
    pub(super) fn agreement(&self) -> [usize; 3] {
        let compared = || self.sheets.iter().flat_map(Sheet::compared);
        let with = |verdict: Option<bool>| compared().filter(|mean| mean.agrees() == verdict).count();
        [with(Some(true)), with(None), compared().count()]
    }

    /// The same in a sentence, if there are any.
    pub(super) fn agreement_in_words(&self) -> Option<String> {
        let [agreeing, open, compared] = self.agreement();
        let open = if open > 0 { format!(" (of {open} it cannot be told)") } else { String::new() };
        let tolerances = || self.sheets.iter().flat_map(Sheet::compared).filter_map(|mean| mean.paper?.tolerance);
        let least = tolerances().fold(f64::INFINITY, f64::min);
        let most = tolerances().fold(0.0, f64::max);
        let [least, most] = [least, most].map(textveil_toolkit::report::numbers::short);
        let tolerance = if least == most { least } else { format!("{least} to {most}") };
        (compared > 0).then(|| {
            format!(
                "{agreeing} of {compared} numbers agree with the paper's in value{open}: the paper's lies within \
                 {tolerance} of ours, or in our 95 % interval over the runs, if that reaches no farther than twice as much."
            )
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}: {}\n", self.name, self.about)?;
        for sheet in &self.sheets {
            sheet.print(out)?;
        }
        if let Some(agreement) = self.agreement_in_words() {
            writeln!(
                out,
                "In brackets: the paper's number, ours less it, and whether it lies inside our 95 % interval. {agreement}\n"
            )?;
        }
        for claim in &self.claims {
            writeln!(out, "{}", claim.shown())?;
        }
        if !self.claims.is_empty() {
            writeln!(out)?;
        }
        if !self.why.is_empty() {
            writeln!(out, "Why they differ: {}\n", self.why)?;
        }
        Ok(())
    }

    pub(super) fn json(&self) -> Value {
        let [agreeing, open, compared] = self.agreement();
        let Computed { fresh, kept, seconds, .. } = self.computed;
        json!({
            "experiment": self.name,
            "about": self.about,
            "settings": self.settings,
            "computed": { "cells": fresh + kept, "coreSeconds": seconds },
            "sheets": self.sheets.iter().map(Sheet::json).collect::<Vec<_>>(),
            "inValue": { "agree": agreeing, "cannotTell": open, "of": compared },
            "inKind": self.claims.iter().map(Claim::json).collect::<Vec<_>>(),
            "whyTheyDiffer": self.why,
        })
    }
}

/// A row for each entry of each sheet.
///
/// # Errors
/// Only those of memory.
pub(super) fn csv(reports: &[Report]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["experiment"].iter().chain(&Sheet::FIELDS))?;
    for report in reports {
        for record in report.sheets.iter().flat_map(Sheet::records) {
            writer.write_record([&report.name].into_iter().chain(&record))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
