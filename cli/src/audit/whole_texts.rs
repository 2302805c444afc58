//! Whole texts that are represented by a vector: the claim is one loss for any two texts of any length. It is compared
//! with two texts whose directions are as opposite as a word can be to the first axis, which stands for the empty text.

use anyhow::{Context, Result, bail};
use textveil::{
    Dropout, Loss, Mechanism, MechanismKind, Parameter, ReleaseRng, Representer, TextEncoder, Values, Word,
};

use super::case::{Case, Event, Expectation, Input, Trial};

const EPSILON: f64 = 4.0;
/// How often the word stands in the text.
const TIMES: usize = 200;

/// An audit with `samples` samples of each text.
///
/// # Errors
/// The encoder, or a text, is refused.
pub(super) fn case(samples: usize) -> Result<Case> {
    let encoder = textveil_tables::text_encoder(None)?;
    let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, EPSILON)?;
    let dims = Representer::USUAL_DIMS;
    let representer = Representer::of_encoder(&encoder, Some(dims), mechanism)?;
    let guarantee = representer.guarantee(0, &Dropout::None)?;
    let proved = Loss { epsilon: guarantee.epsilon_text, delta: guarantee.delta_text };
    let word = most_opposite(&encoder, dims).context("the encoder has no word")?;
    let texts = [String::new(), format!("{word} ").repeat(TIMES)];
    Ok(Case {
        name: format!("privunit2 of whole texts, d {dims}"),
        claimed: proved,
        proved: Some(proved),
        expectation: Expectation::Stands,
        samples,
        attack: format!("the empty text and {TIMES} times \"{word}\"; first coordinate above a pilot's threshold"),
        event: Event::Pilot,
        trial: Box::new(Represented { representer, texts }),
    })
}

/// The word whose first coordinates point away from the first axis most.
fn most_opposite(encoder: &TextEncoder, dims: usize) -> Option<Word> {
    let table = encoder.table();
    let cosine = |row| {
        let vector: Vec<f64> = table.vector(row).into_iter().take(dims).map(f64::from).collect();
        vector.first().copied().unwrap_or_default() / vector.iter().map(|x| x * x).sum::<f64>().sqrt().max(1.0)
    };
    table.rows().min_by(|a, b| cosine(*a).total_cmp(&cosine(*b))).map(|row| table.word(row))
}

struct Represented {
    representer: Representer,
    texts: [String; 2],
}

impl Trial for Represented {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let representation = self.representer.represent(&self.texts[input as usize], &Dropout::None, rng)?;
        match &representation.values {
            Values::Lattice { rows, .. } => Ok(f64::from(rows[0][0])),
            Values::Bits(_) => bail!("the mechanism put out another kind of representation"),
        }
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressBar;

    use super::*;

    #[test]
    fn the_empty_text_and_a_long_one_are_told_apart_by_a_part_of_what_is_proved() {
        let outcome = case(20_000).expect("two texts").run(1, &ProgressBar::hidden()).expect("draws");
        let bound = outcome.epsilon.expect("a bound");
        assert!(!outcome.proof_refuted && bound > 1.0, "{bound}");
    }
}
