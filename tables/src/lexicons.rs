//! Two public word lists in addition to WordNet: names with the number of people who bear them, and words with ratings
//! of how pleasant they are.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The names of the United States' census of 1990, each with the share of the population that bears it, in
/// percent.
#[derive(Default)]
pub(crate) struct Names {
    given: HashMap<String, f64>,
    surnames: HashMap<String, f64>,
}

impl Names {
    /// Reads `dist.female.first`, `dist.male.first` and `dist.all.last` in `folder`.
    ///
    /// # Errors
    /// A file is missing or malformed.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let mut names = Self::default();
        // Half of the people are women, half are men.
        parse(&folder.join("dist.female.first"), |text| add_shares(text, 0.5, &mut names.given))?;
        parse(&folder.join("dist.male.first"), |text| add_shares(text, 0.5, &mut names.given))?;
        parse(&folder.join("dist.all.last"), |text| add_shares(text, 1.0, &mut names.surnames))?;
        Ok(names)
    }

    /// Share of the people who have this given name, in percent.
    pub(crate) fn given(&self, name: &str) -> f64 {
        self.given.get(name).copied().unwrap_or(0.0)
    }

    /// Share of the people who have this surname, in percent.
    pub(crate) fn surname(&self, name: &str) -> f64 {
        self.surnames.get(name).copied().unwrap_or(0.0)
    }
}

/// Adds a list of names: on each line a name in capitals and its share in percent, then what can be computed
/// from that.
fn add_shares(text: &str, weight: f64, shares: &mut HashMap<String, f64>) -> Option<()> {
    for line in text.lines() {
        let mut fields = line.split_whitespace();
        let (name, share) = (fields.next()?, fields.next()?.parse::<f64>().ok()?);
        *shares.entry(name.to_lowercase()).or_default() += weight * share;
    }
    Some(())
}

/// Whether a word pleases or displeases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pole {
    Positive,
    Negative,
}

/// The sentiment lexicon VADER: for each word the mean of ten people's ratings from −4 to 4, and their
/// standard deviation.
#[derive(Default)]
pub(crate) struct Ratings {
    ratings: HashMap<String, (f64, f64)>,
}

impl Ratings {
    /// A weaker mean says little.
    const LEAST: f64 = 1.0;

    /// Reads `vader_lexicon.txt`.
    ///
    /// # Errors
    /// The file is missing or malformed.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let mut ratings = Self::default();
        parse(path, |text| ratings.add(text))?;
        Ok(ratings)
    }

    /// On each line a word, the mean and the deviation of its ratings, and the ratings, with tabs between.
    fn add(&mut self, text: &str) -> Option<()> {
        for line in text.lines() {
            let mut fields = line.split('\t');
            let word = fields.next()?.to_owned();
            self.ratings.insert(word, (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?));
        }
        Some(())
    }

    /// The mean rating of a word that was rated, from −4 to 4.
    pub(crate) fn mean(&self, word: &str) -> Option<f64> {
        self.ratings.get(word).map(|(mean, _)| *mean)
    }

    /// The pole on which the raters agree: their mean is off zero by 1 or more, and by more than a standard
    /// deviation.
    pub(crate) fn pole(&self, word: &str) -> Option<Pole> {
        let (mean, deviation) = *self.ratings.get(word)?;
        let agreed = mean.abs() >= Self::LEAST && mean.abs() > deviation;
        agreed.then_some(if mean > 0.0 { Pole::Positive } else { Pole::Negative })
    }
}

fn parse(path: &Path, read: impl FnOnce(&str) -> Option<()>) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    read(&text).with_context(|| format!("{} is malformed", path.display()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Names with their shares, given names borne by women first, then surnames.
    pub(crate) fn names(given: &str, surnames: &str) -> Names {
        let mut names = Names::default();
        add_shares(given, 0.5, &mut names.given).expect("given names");
        add_shares(surnames, 1.0, &mut names.surnames).expect("surnames");
        names
    }

    /// Ratings as the lexicon has them.
    pub(crate) fn ratings(lines: &str) -> Ratings {
        let mut ratings = Ratings::default();
        ratings.add(lines).expect("ratings");
        ratings
    }

    #[test]
    fn a_share_among_women_is_half_of_it_among_people() {
        let names = names("MARY  2.629  2.629  1\n", "SMITH  1.006  1.006  1\n");
        assert_eq!((names.given("mary"), names.surname("mary")), (1.3145, 0.0));
        assert_eq!((names.given("smith"), names.surname("smith")), (0.0, 1.006));
    }

    #[test]
    fn a_pole_needs_raters_who_agree() {
        let ratings =
            ratings("good\t1.9\t0.9434\t[]\ngun\t-1.4\t1.49666\t[]\nbad\t-2.5\t0.67082\t[]\ntop\t0.8\t0.1\t[]\n");
        let poles = ["good", "gun", "bad", "top", "the"].map(|word| ratings.pole(word));
        assert_eq!(poles, [Some(Pole::Positive), None, Some(Pole::Negative), None, None]);
    }

    #[test]
    fn a_list_with_a_line_that_says_nothing_is_refused() {
        assert!(add_shares("MARY 2.6\nPATRICIA\n", 0.5, &mut HashMap::new()).is_none());
        assert!(Ratings::default().add("good\t1.9\n").is_none());
    }
}
