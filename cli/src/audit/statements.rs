//! Whole texts that are exchanged for statements. The claim is one ε for any two texts of any length, and pairs of real
//! texts test it. They also test two popular false claims: that several statements for a text, or several draws for it,
//! cost as much as one.

use anyhow::{Result, ensure};
use textveil::{Loss, Otherwise, ReleaseRng, StatementList, Statements, TextEncoder};

use super::case::{Case, Event, Expectation, Input, Trial};

const LIST: [&str; 12] = [
    "The app crashes when I open it.",
    "The app is slow.",
    "I love this app.",
    "It is too expensive.",
    "The letters are too small to read.",
    "I cannot log in.",
    "The pictures do not load.",
    "I would recommend it to my friends.",
    "It uses too much battery.",
    "The support team answered me quickly.",
    "The update deleted my notes.",
    "This is about something else.",
];
/// For texts that fit nothing, where they have a statement.
const OTHERWISE: Otherwise = Otherwise { statement: LIST.len() - 1, least_cosine: 0.5, left_out: 1 };

const SHORT: &str = "It crashes every time I open it.";
const OTHER: &str = "The pictures never load.";
const LONG: &str = "My daughter and I take photos in the garden and on every walk. We have waited for weeks, and the pictures do \
    not load. I wrote to you twice; the pictures do not load on her phone either. ";
const LONG_TIMES: usize = 50;
const THREE_SENTENCES: &str = "The pictures do not load. It is too expensive! I cannot log in.";
const OTHER_THREE: &str = "It crashes when I open it. It is too slow. I love it!";
const GERMAN: &str = "Das Programm ist leider viel zu langsam und zu teuer.";
const FITS_NOTHING: &str = "The treaty of 1648 ended a war of thirty years.";

/// The ε of one statement for a text: the usual one of `textveil privatize`.
const USUAL: f64 = 8.0;
/// The ε of a statement where several are drawn: so small that samples can show what they cost together.
const SMALL: f64 = 2.0;

/// All of them, with `samples` samples of each text.
///
/// # Errors
/// A list or a text is refused.
pub(super) fn cases(samples: usize) -> Result<Vec<Case>> {
    let encoder = textveil_tables::text_encoder(None)?;
    let (plain, fitting) = (list(&encoder, None)?, list(&encoder, Some(OTHERWISE))?);
    let one = || Statements::new(&plain, USUAL);
    let small = || Statements::new(&plain, SMALL).and_then(|small| small.with_near(1));
    let three = || small().and_then(|one| one.per_sentence(3));
    let stands = |name, statements, texts| {
        let trial = Exchanged::new(statements, &encoder, texts, 1)?;
        let (claimed, most) = (trial.proved(), trial.most()?);
        Ok(trial.case(name, claimed, Expectation::Stands, 0.99 * most, samples))
    };
    let refuted = |name, statements, texts, draws| {
        let trial = Exchanged::new(statements, &encoder, texts, draws)?;
        Ok(trial.case(name, Loss::pure(SMALL), Expectation::Refuted, SMALL, samples))
    };
    vec![
        stands("a short text and a long one", one()?, [SHORT, &LONG.repeat(LONG_TIMES)]),
        stands("a text and none", one()?, [SHORT, ""]),
        stands("no text and one", one()?, ["", SHORT]),
        stands("an English text and a German one", one()?.of_any_language(), [SHORT, GERMAN]),
        stands("one text fits nothing", one()?, [SHORT, FITS_NOTHING]),
        stands("one text fits nothing, otherwise", Statements::new(&fitting, USUAL)?, [SHORT, FITS_NOTHING]),
        stands("4 near to a text", one()?.with_near(4)?, [SHORT, OTHER]),
        stands("3 a text, three sentences and one", three()?, [THREE_SENTENCES, SHORT]),
        refuted("3 a text at the eps of one", three()?, [THREE_SENTENCES, OTHER_THREE], 1),
        refuted("10 draws at the eps of one", small()?, [SHORT, OTHER], 10),
    ]
    .into_iter()
    .collect()
}

fn list(encoder: &TextEncoder, otherwise: Option<Otherwise>) -> Result<StatementList> {
    let vectors = LIST.iter().map(|statement| encoder.encode(statement)).collect::<Result<Vec<_>, _>>()?.concat();
    let file = StatementList::file(&LIST, &vectors, encoder.table().dims(), encoder.id(), otherwise)?;
    Ok(StatementList::parse(file)?)
}

/// Exchanges a text, and scores what comes out by its privacy loss.
struct Exchanged {
    statements: Statements,
    /// What stands for each text.
    vectors: [Vec<Vec<f64>>; 2],
    /// The loss of each statement in each place of a release.
    losses: Vec<Vec<f64>>,
    draws: usize,
    description: String,
}

impl Exchanged {
    /// Each text `draws` times. The texts are in NFKC.
    fn new(statements: Statements, encoder: &TextEncoder, texts: [&str; 2], draws: usize) -> Result<Self> {
        let [one, other] = texts.map(|text| statements.vectors(encoder, text));
        let vectors = [one?, other?];
        let [one, other] = [probabilities(&statements, &vectors[0])?, probabilities(&statements, &vectors[1])?];
        let loss = |(p, q): (&f64, &f64)| libm::log(p / q);
        let losses = one.iter().zip(&other).map(|(p, q)| p.iter().zip(q).map(loss).collect()).collect();
        let [one, other] = texts.map(|text| text.split_whitespace().count());
        let description = format!("texts of {one} and {other} words, draws of each: {draws}");
        Ok(Self { statements, vectors, losses, draws, description })
    }

    fn proved(&self) -> Loss {
        let guarantee = self.statements.guarantee();
        Loss { epsilon: guarantee.epsilon_text, delta: guarantee.delta_text }.times(self.draws)
    }

    /// The greatest loss.
    fn most(&self) -> Result<f64> {
        let of_place = |losses: &Vec<f64>| losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let most = self.draws as f64 * self.losses.iter().map(of_place).sum::<f64>();
        ensure!(most > 0.0, "the same statements are near to both texts");
        Ok(most)
    }

    fn case(self, name: &str, claimed: Loss, expectation: Expectation, least: f64, samples: usize) -> Case {
        Case {
            name: format!("statements, {name}"),
            claimed,
            proved: Some(self.proved()),
            expectation,
            samples,
            attack: format!("{}; loss above {least:.2}", self.description),
            event: Event::Above(least),
            trial: Box::new(self),
        }
    }
}

/// The probability of each statement in each place of a release.
fn probabilities(statements: &Statements, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
    let list = statements.list();
    let nothing = vec![0.0; list.dims()];
    let (inside, outside) = statements.odds();
    let of_place = |place| {
        let near = list.nearest(vectors.get(place).unwrap_or(&nothing).as_slice(), statements.near())?;
        let probability = |number| match (near.is_empty(), near.contains(&number)) {
            (true, _) => 1.0 / list.len() as f64,
            (false, true) => inside,
            (false, false) => outside,
        };
        Ok((0..list.len()).map(probability).collect())
    };
    (0..statements.releases()).map(of_place).collect()
}

impl Trial for Exchanged {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let mut score = 0.0;
        for _ in 0..self.draws {
            let release = self.statements.exchange_vectors(&self.vectors[input as usize], rng)?;
            ensure!(release.statements.len() == self.losses.len(), "the number of statements tells of the text");
            let drawn = release.statements.iter().zip(&self.losses);
            score += drawn.map(|(stated, losses)| losses[stated.number]).sum::<f64>();
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressBar;
    use textveil::seeded_rng;

    use super::*;

    #[test]
    fn an_audit_of_statements_comes_near_what_is_proved_and_refutes_what_is_believed() {
        for case in cases(2_000).expect("lists and texts") {
            let outcome = case.run(1, &ProgressBar::hidden()).expect("draws");
            let bound = outcome.epsilon.expect("a bound");
            assert!(outcome.is_as_expected() && bound > 2.0, "{}: {bound}", outcome.name);
        }
    }

    #[test]
    fn the_vectors_of_a_text_are_exchanged_as_the_text_is() {
        let encoder = textveil_tables::text_encoder(None).expect("the built-in encoder");
        let list = list(&encoder, None).expect("a list");
        let three = || Statements::new(&list, SMALL).and_then(|one| one.per_sentence(3)).expect("in range");
        let three = || three().of_any_language();
        for text in [SHORT, "", LONG, THREE_SENTENCES, GERMAN, FITS_NOTHING] {
            let trial = Exchanged::new(three(), &encoder, [text, OTHER], 1).expect("a short text");
            let rng = || seeded_rng([3; 32]);
            let whole = three().exchange(&encoder, text, &mut rng()).expect("a release");
            let of_vectors = trial.statements.exchange_vectors(&trial.vectors[0], &mut rng()).expect("a release");
            assert_eq!(whole.statements, of_vectors.statements, "{text}");
        }
    }
}
