//! New words from users' texts: an author whose every word counts as much as it can, or who is not among the users. The auditor
//! knows the contributions of all others, and subtracts them.

use anyhow::Result;
use textveil::{Loss, ReleaseRng, Table};
use textveil_contribute::{Contribution, Contributor, Noise, Request, Sum, Terms};
use textveil_tables::extend::{Budget, Candidates, Union, WORDS_EACH};

use super::case::{Case, Event, Expectation, Input, Trial};

const CLAIMED: Loss = Loss { epsilon: 3.0, delta: 1e-5 };
/// Letters at the end of words that the table lacks.
const WORDS: std::ops::RangeInclusive<char> = 'a'..='p';
const DIMS: u32 = 8;
/// Devices that answer in addition to the author's.
const OTHERS: u32 = 15;

/// Audits with `samples` samples with the author, and as many without.
///
/// # Errors
/// A request is refused.
pub(super) fn cases(samples: usize) -> Result<Vec<Case>> {
    let sum = Author::new(Noise::Sum)?;
    let devices = Author::new(Noise::Devices { least: OTHERS + 1 })?;
    let stands = |name: &str, samples, attack: &str, trial| {
        case(name, (CLAIMED, Some(CLAIMED)), Expectation::Stands, samples, attack, trial)
    };
    let by_words = (CLAIMED, None);
    Ok(vec![
        stands("new words, noise on the sum, eps 3", samples, "an author joins", Box::new(sum.clone())),
        stands("new words, noise from 16 devices, eps 3", samples / 10, "an author has texts", Box::new(devices)),
        case("new words, one norm a word, eps 3", by_words, Expectation::Refuted, samples, "an author joins", {
            Box::new(WordByWord(sum))
        }),
        Named::case(samples / 4)?,
    ])
}

fn case(
    name: &str,
    (claimed, proved): (Loss, Option<Loss>),
    expectation: Expectation,
    samples: usize,
    attack: &str,
    trial: Box<dyn Trial>,
) -> Case {
    Case {
        name: name.to_owned(),
        claimed,
        proved,
        expectation,
        samples,
        attack: format!("{attack}; noisy sum along the author's contribution above a pilot's threshold"),
        event: Event::Pilot,
        trial,
    }
}

fn word(letter: char) -> String {
    format!("zqxv{letter}")
}

/// An author who writes about every word of the request.
#[derive(Clone)]
struct Author {
    contributor: Contributor,
    text: String,
    contribution: Contribution,
}

impl Author {
    fn new(noise: Noise) -> Result<Self> {
        let table = Table::english()?;
        let terms = Terms {
            table: table.id().to_string(),
            dims: DIMS,
            window: 5,
            mean: vec![0; DIMS as usize],
            words: WORDS.map(word).collect(),
            words_each: WORDS_EACH,
            norm: textveil_tables::extend::NORM,
            noise,
            epsilon: CLAIMED.epsilon,
            delta: CLAIMED.delta,
        };
        let contributor = Contributor::new(Request::new(terms)?, table)?;
        let text: String = WORDS.map(|letter| format!("warm milk {} and honey. ", word(letter))).collect();
        let contribution = contributor.contribution([text.as_str()], None)?;
        Ok(Self { contributor, text, contribution })
    }

    /// How far a sum reaches along the contribution.
    fn along(&self, sum: impl IntoIterator<Item = i64>) -> f64 {
        self.contribution.exact().iter().zip(sum).map(|(x, sum)| f64::from(*x) * sum as f64).sum()
    }
}

impl Trial for Author {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let request = self.contributor.request();
        let Noise::Devices { .. } = request.terms().noise else {
            let mut sum = Sum::new(request.clone());
            if matches!(input, Input::First) {
                sum.add(self.contribution.exact())?;
            }
            return Ok(self.along(sum.release(rng)?));
        };
        let text = if matches!(input, Input::First) { self.text.as_str() } else { "" };
        let mut sum = vec![0; request.len()];
        for text in [text].into_iter().chain((0..OTHERS).map(|_| "")) {
            let share = self.contributor.noised(&self.contributor.contribution([text], None)?, rng)?;
            sum.iter_mut().zip(share).for_each(|(sum, number)| *sum += i64::from(number));
        }
        Ok(self.along(sum))
    }
}

/// What is easily taken for the same: each word of a user is clipped by itself.
struct WordByWord(Author);

impl Trial for WordByWord {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let Self(author) = self;
        let mut sum = Sum::new(author.contributor.request().clone());
        if matches!(input, Input::First) {
            for text in author.text.split_inclusive(". ") {
                sum.add(author.contributor.contribution([text], None)?.exact())?;
            }
        }
        Ok(author.along(sum.release(rng)?))
    }
}

/// A word that one author alone writes.
struct Named {
    union: Union,
    table: Table,
}

impl Named {
    /// δ large enough that samples can tell.
    const BUDGET: Budget = Budget { epsilon: 3.0, delta: 0.05, naming: 0.5 };

    fn case(samples: usize) -> Result<Case> {
        let claimed = Loss { epsilon: Self::BUDGET.epsilon, delta: Self::BUDGET.delta };
        // A fifth of δ is for naming.
        let proved = Loss { delta: claimed.delta / 5.0, ..claimed };
        let trial = Self { union: Self::BUDGET.union(WORDS_EACH)?, table: Table::english()? };
        Ok(Case {
            name: "naming new words, eps 3, delta 0.05".to_owned(),
            claimed,
            proved: Some(proved),
            expectation: Expectation::Stands,
            samples,
            attack: "a word of one author alone is named".to_owned(),
            event: Event::Above(0.5),
            trial: Box::new(trial),
        })
    }
}

impl Trial for Named {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let mut union = self.union.clone();
        if matches!(input, Input::First) {
            let mut candidates = Candidates::default();
            candidates.read(&self.table, &word('a'), WORDS_EACH as usize)?;
            union.add(candidates, 1.0)?;
        }
        Ok(union.release(1, rng).len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressBar;

    use super::*;

    #[test]
    fn an_author_is_found_only_where_the_norm_is_not_kept() {
        for case in cases(20_000).expect("requests") {
            let outcome = case.run(1, &ProgressBar::hidden()).expect("draws");
            assert!(outcome.is_as_expected(), "{}: {:?}, {}", outcome.name, outcome.epsilon, outcome.delta);
            // The attack sees most of what there is.
            assert!(outcome.hits[0] > outcome.hits[1], "{}", outcome.name);
        }
    }
}
