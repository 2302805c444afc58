//! Word by word: how often a word that stands in a release is the word that was written.

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use serde::Serialize;
use textveil::{BayesAttacker, Disclosure, Mechanism, MechanismKind, Parameter, Prior, Privatizer, Table, WordId};

/// Rows that are summed at once.
const PART: usize = 1024;

/// The odds of a word at a level.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Odds {
    /// The word.
    pub word: String,
    /// The level of the mechanism.
    pub level: u32,
    /// The probability that it comes out where it was written.
    pub kept: f64,
    /// The probability that it was written where it comes out, if words are written as often as the table has them in
    /// the language.
    pub written: f64,
}

/// The odds of these words at these levels of a mechanism.
///
/// # Errors
/// A word that the vocabulary does not offer; a level that the table lacks; a mechanism that does not state its
/// probabilities.
pub fn odds(table: &Table, kind: MechanismKind, levels: &[u32], words: &[String]) -> Result<Vec<Odds>> {
    let found = |word: &String| {
        let found = table.find(&word.to_lowercase()).filter(|row| table.is_offered(*row));
        found.with_context(|| format!("\"{word}\" is no word that the table puts out"))
    };
    let outputs: Vec<WordId> = words.iter().map(found).collect::<Result<_>>()?;
    let prior = Prior::by_frequency(table);
    let mut odds = Vec::with_capacity(levels.len() * words.len());
    for level in levels {
        let mechanism = Mechanism::new(kind).with(Parameter::Level, f64::from(*level))?;
        let privatizer = Privatizer::new(table, mechanism, Disclosure::default());
        let privatizer = privatizer.with_context(|| format!("{kind} has no level {level}"))?;
        let reader = reader(&privatizer, &prior).ok_or_else(|| anyhow!("{kind} does not state its probabilities"))?;
        for output in &outputs {
            let word = table.word(*output).to_string();
            let written = reader.written(*output).with_context(|| format!("\"{word}\" never comes out"))?;
            let kept = written * reader.stands(*output) / prior.share(*output);
            odds.push(Odds { word, level: *level, kept, written });
        }
    }
    Ok(odds)
}

/// The reader who knows what every word may turn into. Sums are taken in one order, whatever the number of threads.
fn reader(privatizer: &Privatizer, prior: &Prior) -> Option<BayesAttacker> {
    let rows: Vec<WordId> = privatizer.table().rows().collect();
    let of_part = |rows: &[WordId]| {
        let learn = |mut reader: BayesAttacker, row: &WordId| {
            reader.learn(*row, prior.share(*row), &privatizer.distribution(*row)?);
            Some(reader)
        };
        rows.iter().try_fold(BayesAttacker::new(privatizer.table()), learn)
    };
    let parts: Option<Vec<_>> = rows.par_chunks(PART).map(of_part).collect();
    parts?.into_iter().reduce(BayesAttacker::merge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_the_posterior_of_the_word_itself() {
        let bytes = include_bytes!("../../tests/tables/odd.tvt");
        let table = Table::parse(bytes.to_vec()).expect("a table");
        let offered: Vec<WordId> = table.rows().filter(|row| table.is_offered(*row)).collect();
        let words: Vec<String> = offered.iter().map(|row| table.word(*row).to_string()).collect();
        for kind in [MechanismKind::Certified, MechanismKind::Plateau] {
            let found = odds(&table, kind, &[0, 1], &words).expect("levels of the table");
            assert_eq!(found.len(), 2 * words.len());
            for (odds, word) in found.iter().zip(offered.iter().cycle()) {
                let mechanism = Mechanism::new(kind).with(Parameter::Level, f64::from(odds.level)).expect("a level");
                let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a level");
                let prior = Prior::by_frequency(&table);
                let guesses = privatizer.guesses(*word, &prior, table.len(), table.len()).expect("exact");
                let itself = guesses.iter().find(|(guess, _)| guess == word).expect("it may be itself").1;
                assert!((odds.written - itself).abs() < 1e-12, "{odds:?} against {itself}");
                let kept = privatizer.distribution(*word).expect("exact");
                let kept = kept.iter().find(|(output, _)| output == word).expect("it is offered").1;
                assert!((odds.kept - kept).abs() < 1e-12, "{odds:?} against {kept}");
            }
        }
    }

    #[test]
    fn what_has_no_odds_is_refused() {
        let table = Table::english().expect("the built-in table");
        let of = |kind, level: u32, word: &str| odds(&table, kind, &[level], &[word.to_owned()]);
        assert!(of(MechanismKind::Certified, 5, "qqqq").is_err());
        assert!(of(MechanismKind::Certified, 99, "cancer").is_err());
        assert!(of(MechanismKind::MetricLaplace, 0, "cancer").is_err());
    }
}
