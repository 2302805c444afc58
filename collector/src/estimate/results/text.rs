//! The shares in words, for a terminal and for a page.

use std::fmt;

use textveil_toolkit::report::numbers::{counted, grouped, promise, short_up};

use super::{Compared, LawShown, Results, ShareShown};

/// What shares of statements do not cover.
const OF_ENCODER: &str = "A share counts texts that the encoder puts nearest to a statement, unless people chose it themselves. \
                          The encoder can be wrong about what a text says, and the intervals do not cover that.";

/// What shares of words lean to.
const OF_PUBLIC_TEXT: &str = "A share is one of all words. With few texts it leans to how frequent the words are in public \
                              text: read its interval.";

/// What is said of a share that the releases do not tell from 0.
pub(crate) const BELOW_NOISE: &str = "cannot be told from zero";

/// What is said of a share that stands at an end of its interval, and what it means.
const AT_END: &str = "at an end";
const OF_END: &str = "at an end: the share stands at an end of its interval, and the true share is likelier inside";

impl Results {
    /// "1000 releases by nearest, epsilon 9 for each word (a weak promise about one word)".
    pub(crate) fn law_in_words(&self) -> String {
        let LawShown { mechanism, epsilon, near, most, releases } = &self.law;
        let called = epsilon.map_or("no real promise", promise);
        let is_of_many = self.counted == "words" || *most > 1;
        let about = if is_of_many { format!(" about one {}", self.one()) } else { String::new() };
        let epsilon = epsilon.map_or_else(|| "no bound".to_owned(), |epsilon| format!("epsilon {epsilon}"));
        let near = near.map_or_else(String::new, |near| {
            format!("; each text counts for the {near} statements that are nearest to it, 1/{near} for each")
        });
        let several = if self.counted == "statements" && *most > 1 {
            format!("; {most} statements for each text, also for a text with fewer or more sentences")
        } else {
            String::new()
        };
        format!(
            "{} by {mechanism}, {epsilon} for each {} ({called}{about}){several}{near}",
            counted(*releases, "release"),
            self.one()
        )
    }

    /// What the guarantee says of whoever reads a release.
    pub(crate) fn promise_in_words(&self) -> String {
        let Some(epsilon) = self.law.epsilon else { return "Nothing is proved of these releases.".to_owned() };
        let factor = epsilon.exp();
        let times = if (1e3..1e15).contains(&factor) { grouped(factor.ceil() as u64) } else { short_up(factor) };
        match self.counted {
            "statements" => format!(
                "Whatever a person wrote, each statement that came out could have come out of any other text that is not refused, at \
                 most {times} times less often."
            ),
            "answers" => format!(
                "Whatever a person chose, the answer that came out could have come of any other choice, at most {times} times less \
                 often."
            ),
            "choices" => format!(
                "Whatever a person chose, the report could have come of any other value, at most {times} times less often."
            ),
            _ => format!(
                "Each word that came out could have come of any other word, at most {times} times less often. Over the words of a text \
                 this adds up, and how many words it has is in clear. (Of mechanisms with a metric, near words are told apart less than \
                 far ones.)"
            ),
        }
    }

    pub(crate) fn left_out_in_words(&self) -> String {
        let why = self.why_left_out.as_ref().map_or_else(String::new, |why| format!(". The first of them, {why}"));
        format!("{} left out: drawn unlike most, or impossible to count{why}", counted(self.left_out, "release"))
    }

    /// How many rows the files lack, if any.
    pub(crate) fn never_drawn_in_words(&self) -> Option<String> {
        let Self { never_drawn, law: LawShown { releases, .. }, .. } = self;
        let all = releases.saturating_add(self.left_out).saturating_add(*never_drawn);
        (*never_drawn > 0).then(|| {
            format!(
                "{never_drawn} of {all} rows were left out when the files were privatized. Those who wrote them may differ from \
                 those who are counted"
            )
        })
    }

    /// What a share is not, where each text counts for several statements.
    pub(crate) fn warning(&self) -> Option<String> {
        self.law.near.map(|near| {
            format!(
                "A share is NOT the share of those who said it. Each text counts 1/{near} for each of the {near} statements \
                 that are nearest to it, also for those that it does not say. A larger epsilon counts fewer."
            )
        })
    }

    /// That some releases cannot be what their guarantee says, with the first statement that shows it.
    pub(crate) fn impossible(&self) -> Option<String> {
        let mut periods = self.groups.iter().flat_map(|group| &group.periods);
        let name = periods.find_map(|period| period.impossible.first())?;
        Some(format!(
            "These releases cannot all have been drawn as their guarantee says: \"{name}\" came out more often than it can. Perhaps \
             the guarantee of other releases was named, or releases were invented, or a device sent one release many times."
        ))
    }

    /// What a share is, and what its interval does not cover.
    pub(crate) fn reservation(&self) -> Option<&'static str> {
        match self.counted {
            "statements" if self.law.near.is_none() => Some(OF_ENCODER),
            "words" => Some(OF_PUBLIC_TEXT),
            _ => None,
        }
    }

    pub(crate) fn not_shown_in_words(&self) -> String {
        format!(
            "The {} largest groups are shown. The {} smaller ones are not",
            self.groups.len(),
            self.groups_not_shown
        )
    }

    /// What one of those that are counted is called.
    fn one(&self) -> &'static str {
        self.counted.strip_suffix('s').unwrap_or(self.counted)
    }

    /// "1 word", "12 statements".
    pub(crate) fn reports(&self, count: u64) -> String {
        counted(count, self.one())
    }
}

impl ShareShown {
    /// Whether it stands at an end of its interval. A share of nobody or of all is no such end.
    fn is_at_end(&self) -> bool {
        let [low, high] = self.interval;
        low > 0.0 && self.estimate <= low || high < 1.0 && self.estimate >= high
    }

    /// "  cannot be told from zero, at an end", or nothing.
    fn remarks(&self) -> String {
        let remarks = [(self.below_noise, BELOW_NOISE), (self.is_at_end(), AT_END)];
        let said: Vec<&str> = remarks.into_iter().filter(|(applies, _)| *applies).map(|(_, remark)| remark).collect();
        if said.is_empty() { String::new() } else { format!("  {}", said.join(", ")) }
    }
}

/// "12.3 %", "0.012 %".
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", digits(share))
}

/// "4.0 to 6.1 %".
pub(crate) fn percent_between([low, high]: [f64; 2]) -> String {
    format!("{} to {} %", digits(low), digits(high))
}

/// In hundredths: one decimal, or as many as two digits take of what is near 0 or 100.
fn digits(share: f64) -> String {
    let decimals = match share.abs().min((1.0 - share.abs()).abs()) {
        ..1e-9 | 0.01.. => 1,
        rest => 1 - (100.0 * rest).log10().floor() as isize,
    };
    format!("{:.*}", decimals.unsigned_abs(), 100.0 * share)
}

/// "4.1 percentage points".
pub(crate) fn percentage_points(distance: f64) -> String {
    format!("{} percentage points", digits(distance))
}

/// "grew by about 4.1 percentage points".
pub(crate) fn points(difference: f64) -> String {
    let direction = if difference > 0.0 { "grew" } else { "fell" };
    format!("{direction} by about {}", percentage_points(difference.abs()))
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.law_in_words())?;
        if self.left_out > 0 {
            writeln!(f, "{}", self.left_out_in_words())?;
        }
        if let Some(never_drawn) = self.never_drawn_in_words() {
            writeln!(f, "{never_drawn}")?;
        }
        if self.known_seed {
            writeln!(f, "SOME WERE DRAWN FROM A KNOWN SEED: that undoes them")?;
        }
        writeln!(
            f,
            "intervals: {}; in brackets, for all shares of a list together: they say whether a share can be told from zero",
            percent(self.confidence)
        )?;
        let mut told = self.groups.iter().flat_map(|group| &group.periods).flat_map(|period| period.told().0);
        if told.any(ShareShown::is_at_end) {
            writeln!(f, "{OF_END}")?;
        }
        if let Some(impossible) = self.impossible() {
            writeln!(f, "{impossible}")?;
        }
        if let Some(warning) = self.warning() {
            writeln!(f, "{warning}")?;
        }
        if let Some(reservation) = self.reservation() {
            writeln!(f, "{reservation}")?;
        }
        for group in &self.groups {
            let name = group.name();
            for period in &group.periods {
                let heads = [name.clone(), period.period.clone().unwrap_or_default()];
                let head = heads.into_iter().filter(|head| !head.is_empty()).collect::<Vec<_>>().join(", ");
                let head = if head.is_empty() { head } else { format!("{head}: ") };
                let (releases, left_out) = (counted(period.releases, "release"), period.left_out_in_words());
                writeln!(f, "\n{head}{releases}, {}{left_out}", self.reports(period.reports))?;
                let (told, folded) = period.told();
                let width = told.iter().map(|share| share.name.chars().count()).max().unwrap_or(0);
                for shown in told {
                    let ShareShown { name, estimate, interval, together, .. } = shown;
                    let (share, interval) = (percent(*estimate), percent_between(*interval));
                    let remarks = shown.remarks();
                    writeln!(f, "  {name:width$}  {share:>7}  {interval} [{}]{remarks}", percent_between(*together))?;
                }
                if !folded.is_empty() {
                    writeln!(
                        f,
                        "  {} {BELOW_NOISE}: --csv and --json have them",
                        counted(folded.len() as u64, "share")
                    )?;
                }
            }
            if let Some(Compared { periods: [earlier, later], untested }) = &group.compared {
                writeln!(f, "\nFrom {earlier} to {later}:")?;
                if let Some(why) = untested {
                    writeln!(f, "  Not compared: {why}.")?;
                    continue;
                }
                for change in group.changes.iter().filter(|change| change.told) {
                    writeln!(f, "  {}: {}", change.name, points(change.difference))?;
                }
                if group.changes.iter().all(|change| !change.told) {
                    writeln!(f, "  No change is larger than chance.")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use textveil_estimate::{Confidence, Response};

    use super::super::{Group, PeriodShown};
    use super::*;

    /// A share of statements, with these numbers.
    fn share(name: &str, estimate: f64, interval: [f64; 2], together: [f64; 2]) -> ShareShown {
        let response = Response::of_length(119, 1, 8.0);
        let mut tally = response.tally();
        assert!(tally.add(0, 1));
        let share = response.share(&tally, &[0], Confidence::USUAL, 1).expect("there is a report");
        let below_noise = together[0] <= 0.0;
        ShareShown { name: name.to_owned(), released: 0.5, estimate, interval, together, below_noise, share }
    }

    fn shown(shares: Vec<ShareShown>) -> String {
        let period =
            PeriodShown { period: None, releases: 200, reports: 200, left_out: 0, shares, impossible: Vec::new() };
        let group = Group { of: Vec::new(), periods: vec![period], compared: None, changes: Vec::new() };
        let law = LawShown { mechanism: "nearest".to_owned(), epsilon: Some(9.0), near: None, most: 9, releases: 200 };
        let results = Results {
            counted: "words",
            confidence: 0.95,
            law,
            known_seed: false,
            left_out: 0,
            why_left_out: None,
            never_drawn: 0,
            groups: vec![group],
            groups_not_shown: 0,
        };
        results.to_string()
    }

    #[test]
    fn the_interval_of_all_shares_tells_one_from_zero_and_an_end_of_an_interval_is_marked() {
        let inside = share("price", 0.1, [0.05, 0.2], [0.02, 0.3]);
        let text = shown(vec![inside]);
        assert!(text.contains("for all shares of a list together: they say whether a share can be told from zero\n"));
        assert!(!text.contains("at an end"), "{text}");
        let text = shown(vec![
            share("crash", 0.0017, [0.0017, 0.131], [0.0, 0.141]),
            share("dear", 0.02, [0.02, 0.1], [0.01, 0.2]),
            share("slow", 0.3, [0.1, 0.3], [0.05, 0.4]),
            // What nobody said needs no mark, and what all said needs none.
            share("none", 0.0, [0.0, 0.1], [0.0, 0.2]),
            share("all", 1.0, [0.9, 1.0], [0.8, 1.0]),
        ]);
        for line in [
            OF_END,
            "  crash   0.17 %  0.17 to 13.1 % [0.0 to 14.1 %]  cannot be told from zero, at an end",
            "  dear     2.0 %  2.0 to 10.0 % [1.0 to 20.0 %]  at an end",
            "  slow    30.0 %  10.0 to 30.0 % [5.0 to 40.0 %]  at an end",
            "  none     0.0 %  0.0 to 10.0 % [0.0 to 20.0 %]  cannot be told from zero",
            "  all    100.0 %  90.0 to 100.0 % [80.0 to 100.0 %]",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
        }
    }

    #[test]
    fn small_shares_have_two_digits() {
        let shown = [0.0, 1e-12, 1.234e-7, 0.000_12, 0.0012, 0.012, 0.5, 0.9995, 1.0].map(percent);
        let expected = ["0.0", "0.0", "0.000012", "0.012", "0.12", "1.2", "50.0", "99.950", "100.0"];
        assert_eq!(shown, expected.map(|number| format!("{number} %")));
    }
}
