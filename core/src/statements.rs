//! One ε for a whole text: it is exchanged for a statement of a public list.
//!
//! # Privacy
//! ε-differential privacy for the replacement of one text by any other, of any length, if neither is refused. Of each
//! text x the list has k nearest statements N(x), by the cosine of their vectors to that of the text, the first of
//! equals first. With M statements and W ≤ e^ε
//!
//! ```text
//! P(y|x) = W/(k·W + M − k) for y in N(x), else 1/(k·W + M − k)
//! ```
//!
//! Proof: the denominator is the same for every x, and each numerator is 1 or W. So P(y|x)/P(y|x′) ≤ W ≤ e^ε for all y,
//! x and x′. Nothing is asked of the vectors or of the encoder. A text without a direction (the empty one, or one of unknown
//! words) has nothing near, P(y) = 1/M: that is within e^ε of every other text, since M ≤ k·W + M − k ≤ W·M.
//!
//! It is the k-nearest case of `nearest` (`mechanism/nearest.rs`) with texts for words. Weights are whole numbers, and
//! W is rounded down by more than the draw can be off (`draw/nearest_mass.rs`). Nothing else of the text leaves: not its
//! length, its layout or its number of words. Several statements for one text add up, and their number is public.
//!
//! No guarantee covers a refusal. A text of another language than the encoder's is refused before anything is drawn (see
//! `text/language.rs`), unless any language is asked for. Then P(y|x) = 0 for all y, and x is compared with no text. The
//! law of a text that is not refused does not depend on which texts are. So the proof holds for any two of those, and
//! the guarantee names what a release shows ([`crate::InTheClear::Language`]). Nor does it cover that a text is above
//! the public limit of its length.

mod fit;
mod list;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use list::{Otherwise, StatementList};

use crate::draw::nearest_mass::{NearestMass, OUTSIDE_BITS, extra_weight};
use crate::mechanism::Proof;
use crate::memory::Law;
use crate::privacy::guarantee::Terms;
use crate::random::{multiply_high, wide};
use crate::text::{Judge, sentences};
use crate::{
    Error, Guarantee, Loss, MAX_TEXT_BYTES, Mechanism, MechanismKind, Parameter, Piece, ReleaseKey, ReleaseRng,
    TextEncoder, Unit,
};

/// Exchanges texts for statements of a list.
///
/// # Security
/// Every release spends its ε, also for a text that was released before. Keep the first release of a text by its
/// [`Statements::key`] and use it again; never choose among several.
pub struct Statements {
    list: StatementList,
    mechanism: Mechanism,
    proof: Proof,
    near: usize,
    releases: usize,
    any_language: bool,
    extra: u128,
    law: Law,
}

impl fmt::Debug for Statements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Statements");
        shown.field("list", &self.list).field("mechanism", &self.mechanism).field("releases", &self.releases);
        shown.finish_non_exhaustive()
    }
}

/// A statement that takes the place of a text, or of a sentence of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stated {
    /// Its number in the list.
    pub number: usize,
    /// The statement.
    pub statement: String,
}

/// What may leave the device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatementRelease {
    /// As many as were asked for, whatever the text.
    pub statements: Vec<Stated>,
    /// What is proved about all of them together.
    pub guarantee: Guarantee,
}

impl Statements {
    /// Most statements for one text.
    pub const MAX_RELEASES: usize = 32;

    /// The largest ε that can be drawn, also by [`MechanismKind::Nearest`].
    pub const MOST_EPSILON: f64 = NearestMass::MOST_EPSILON;

    /// The ε where none is named: of 500 statements, one text gets its nearest in six of seven cases.
    pub const USUAL_EPSILON: f64 = 8.0;

    /// The same of an answer that a person chose: of four, their own is sent in 7 of 10 cases.
    pub const USUAL_EPSILON_OF_ANSWERS: f64 = 2.0;

    /// One statement for a whole text, at this ε; as many are near as [`StatementList::usual_near`] says. Answers are of any
    /// language.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an ε that is not above 0 and at most [`Statements::MOST_EPSILON`].
    pub fn new(list: &StatementList, epsilon: f64) -> Result<Self, Error> {
        let near = list.usual_near(Parameter::Epsilon.check(epsilon)?);
        Ok(Self { any_language: list.is_of_answers(), ..Self::prepared(list, epsilon, near, 1)? })
    }

    /// The same with `near` statements near to each text.
    ///
    /// # Errors
    /// [`Error::Invalid`] with [`Parameter::Mass`] unless it is at least 1 and less than the list has, and 1 of a list of answers.
    pub fn with_near(self, near: usize) -> Result<Self, Error> {
        Ok(Self { any_language: self.any_language, ..Self::prepared(&self.list, self.epsilon(), near, self.releases)? })
    }

    /// The same with `releases` statements for each text, one for each of its sentences. A missing sentence counts as
    /// empty, and the last statement is for all sentences that are left. Each costs ε.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless it is 1…[`Statements::MAX_RELEASES`], and 1 of a list of answers.
    pub fn per_sentence(self, releases: usize) -> Result<Self, Error> {
        if releases > 1 && self.list.is_of_answers() {
            return Err(Error::InvalidArgument);
        }
        Ok(Self { any_language: self.any_language, ..Self::prepared(&self.list, self.epsilon(), self.near, releases)? })
    }

    /// The same for texts of any language (see [`crate::Privatizer::of_any_language`]). The encoder's words decide what is
    /// another language.
    #[must_use]
    pub fn of_any_language(self) -> Self {
        Self { any_language: true, ..self }
    }

    /// How many of `length` statements are near, if nothing is said: 6·M/e^ε, at least 1. A text then gets one of them
    /// in about six of seven cases, as long as they are several.
    #[must_use]
    pub fn usual_near(length: usize, epsilon: f64) -> usize {
        let near = libm::rint(6.0 * length as f64 / libm::exp(epsilon));
        (near as usize).clamp(1, length.saturating_sub(1).max(1))
    }

    fn prepared(list: &StatementList, epsilon: f64, near: usize, releases: usize) -> Result<Self, Error> {
        if epsilon > Self::MOST_EPSILON {
            return Err(Error::Invalid(Parameter::Epsilon));
        }
        let most = if list.is_of_answers() { 1 } else { list.len() - 1 };
        if !(1..=most).contains(&near) {
            return Err(Error::Invalid(Parameter::Mass));
        }
        if !(1..=Self::MAX_RELEASES).contains(&releases) {
            return Err(Error::InvalidArgument);
        }
        let mechanism = Mechanism::new(MechanismKind::Nearest)
            .with(Parameter::Epsilon, epsilon)?
            .with(Parameter::Mass, near as f64 / list.len() as f64)?
            .with(Parameter::FrequencyPower, 0.0)?;
        let proof = Proof::of(Loss::pure(epsilon));
        let law = Law::new("statements", Some(list.id()), &mechanism, &proof).parameters(&mechanism);
        let law = law.item("releases", &(releases as u64).to_le_bytes());
        let (list, extra, any_language) = (list.clone(), extra_weight(epsilon), false);
        Ok(Self { list, mechanism, proof, near, releases, any_language, extra, law })
    }

    fn epsilon(&self) -> f64 {
        self.proof.loss.epsilon
    }

    /// The list.
    #[must_use]
    pub const fn list(&self) -> &StatementList {
        &self.list
    }

    /// How many statements are near to a text.
    #[must_use]
    pub const fn near(&self) -> usize {
        self.near
    }

    /// How many statements a text is exchanged for.
    #[must_use]
    pub const fn releases(&self) -> usize {
        self.releases
    }

    /// What holds for the release of a text that is not refused.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee_of(self.releases)
    }

    /// What holds for this number of statements together.
    #[must_use]
    pub fn guarantee_of(&self, statements: usize) -> Guarantee {
        self.promised(statements, self.any_language)
    }

    fn promised(&self, statements: usize, any_language: bool) -> Guarantee {
        Guarantee::new(Terms {
            mechanism: &self.mechanism,
            proof: &self.proof,
            unit: Unit::WholeText,
            words: statements,
            word: self.proof.loss,
            text: self.proof.loss.times(statements),
            clear: Vec::new(),
            table: Some(self.list.id()),
        })
        .of_language(any_language)
    }

    /// What a release of this text is remembered by; see [`crate::Privatizer::key`].
    #[must_use]
    pub fn key(&self, text: &str, field: Option<&str>) -> ReleaseKey {
        self.law.clone().item("text", text.as_bytes()).of_field(field).key()
    }

    /// The same of the vectors of an app's own encoder.
    #[must_use]
    pub fn key_of_vectors(&self, vectors: &[Vec<f64>], field: Option<&str>) -> ReleaseKey {
        vectors.iter().fold(self.law.clone(), |law, vector| law.vector(vector)).of_field(field).key()
    }

    /// The same of a text for which a person chose statements. An edited text is another one, also with the same choice: equal
    /// releases would show that the choice has stayed.
    #[must_use]
    pub fn key_of_chosen(&self, text: &str, chosen: &[usize], field: Option<&str>) -> ReleaseKey {
        let numbers: Vec<u8> = chosen.iter().flat_map(|number| (*number as u64).to_le_bytes()).collect();
        self.law.clone().item("chosen", &numbers).item("text", text.as_bytes()).of_field(field).key()
    }

    /// The probability of a statement that is near to a text, and of one that is not.
    #[must_use]
    pub fn odds(&self) -> (f64, f64) {
        let total = self.total(self.near) as f64;
        (self.inside() as f64 / total, (1_u64 << OUTSIDE_BITS) as f64 / total)
    }

    /// Exchanges a text. (NFKC is the caller's part.)
    ///
    /// # Errors
    /// [`Error::OtherEncoder`] if the list's vectors are of another one; [`Error::TextTooLong`]; [`Error::OtherLanguage`]
    /// unless [`Statements::of_any_language`]. Nothing is released then.
    pub fn exchange(&self, encoder: &TextEncoder, text: &str, rng: &mut ReleaseRng) -> Result<StatementRelease, Error> {
        let vectors = self.vectors(encoder, text)?;
        self.released(&vectors, self.any_language, rng)
    }

    /// Exchanges a text by the vectors of an app's own encoder: one for the text, or one for each sentence. Those that
    /// are missing come of nothing. No language is refused, so that the guarantee names none.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more vectors than statements come out; [`Error::DimensionMismatch`];
    /// [`Error::InvalidVector`] for what is no number. Nothing is released then.
    pub fn exchange_vectors(&self, vectors: &[Vec<f64>], rng: &mut ReleaseRng) -> Result<StatementRelease, Error> {
        self.released(vectors, true, rng)
    }

    /// Exchanges what a person chose of the list in place of what is nearest: the numbers of one statement for the text, or
    /// of one for each sentence. Near are these statements and those around them. Numbers that are missing come of nothing.
    /// No language is refused, so that the guarantee names none.
    ///
    /// Whether a person has chosen says something of the text. So take [`Statements::of_any_language`] also where none was
    /// chosen: then all releases have one guarantee.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more numbers than statements come out, or one that the list does not have. Nothing is
    /// released then.
    pub fn exchange_chosen(&self, chosen: &[usize], rng: &mut ReleaseRng) -> Result<StatementRelease, Error> {
        self.check_numbers(chosen)?;
        let near = chosen.iter().map(|number| self.list.around(*number, self.near));
        self.drawn(near.collect::<Result<_, _>>()?, true, rng)
    }

    /// Whether a text with this choice is refused. Nothing is drawn.
    ///
    /// # Errors
    /// As [`Statements::exchange_chosen`]; [`Error::TextTooLong`], as without a choice.
    pub fn check_chosen(&self, text: &str, chosen: &[usize]) -> Result<(), Error> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::TextTooLong);
        }
        self.check_numbers(chosen)
    }

    fn check_numbers(&self, chosen: &[usize]) -> Result<(), Error> {
        if chosen.len() > self.releases || chosen.iter().any(|number| *number >= self.list.len()) {
            return Err(Error::InvalidArgument);
        }
        Ok(())
    }

    fn released(
        &self,
        vectors: &[Vec<f64>],
        any_language: bool,
        rng: &mut ReleaseRng,
    ) -> Result<StatementRelease, Error> {
        if vectors.len() > self.releases {
            return Err(Error::InvalidArgument);
        }
        let near = vectors.iter().map(|vector| self.list.nearest(vector, self.near));
        self.drawn(near.collect::<Result<_, _>>()?, any_language, rng)
    }

    /// Draws a statement for each of these lists of near ones, and for nothing where lists are missing.
    fn drawn(
        &self,
        mut near: Vec<Vec<usize>>,
        any_language: bool,
        rng: &mut ReleaseRng,
    ) -> Result<StatementRelease, Error> {
        near.resize(self.releases, self.list.nearest(&alloc::vec![0.0; self.list.dims()], self.near)?);
        let draw = |near: &Vec<usize>| {
            let number = self.draw(near, rng);
            Stated { number, statement: self.list.get(number).unwrap_or_default().to_owned() }
        };
        let statements = near.iter().map(draw).collect();
        Ok(StatementRelease { statements, guarantee: self.promised(self.releases, any_language).of_draw(rng) })
    }

    /// The vectors that a text is exchanged by.
    ///
    /// # Errors
    /// As [`Statements::exchange`].
    pub fn vectors(&self, encoder: &TextEncoder, text: &str) -> Result<Vec<Vec<f64>>, Error> {
        let pieces = self.accepted(encoder, text)?;
        let ends = if self.releases == 1 { Vec::new() } else { sentences(&pieces) };
        let mut start = 0;
        let mut vectors = Vec::with_capacity(self.releases);
        for end in ends.into_iter().take(self.releases - 1).chain([pieces.len()]) {
            vectors.push(encoder.sum(pieces.get(start..end).unwrap_or_default()));
            start = end;
        }
        Ok(vectors)
    }

    /// Whether [`Statements::exchange`] would refuse this text. Nothing is drawn.
    ///
    /// # Errors
    /// As [`Statements::exchange`].
    pub fn check(&self, encoder: &TextEncoder, text: &str) -> Result<(), Error> {
        self.accepted(encoder, text).map(drop)
    }

    /// The pieces of a text, unless it is too long, or of another language that was not asked for.
    fn accepted(&self, encoder: &TextEncoder, text: &str) -> Result<Vec<Piece>, Error> {
        if encoder.id() != self.list.encoder() || encoder.table().dims() != self.list.dims() {
            return Err(Error::OtherEncoder);
        }
        let pieces = Piece::split(text)?;
        if !self.any_language {
            Judge::judge(encoder.table(), &pieces)?;
        }
        Ok(pieces)
    }

    fn inside(&self) -> u128 {
        self.extra + (1 << OUTSIDE_BITS)
    }

    /// The sum of all weights where `near` statements are near.
    fn total(&self, near: usize) -> u128 {
        ((self.list.len() as u128) << OUTSIDE_BITS) + near as u128 * self.extra
    }

    /// First comes what near statements weigh more than others, then what all weigh alike.
    fn draw(&self, near: &[usize], rng: &mut ReleaseRng) -> usize {
        let place = multiply_high(wide(rng), self.total(near.len()));
        let more = near.len() as u128 * self.extra;
        match place.checked_sub(more) {
            Some(place) => (place >> OUTSIDE_BITS) as usize,
            None => near.get((place / self.extra) as usize).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::FileId;

    /// Statements around a circle.
    fn circle(length: usize) -> StatementList {
        let names: Vec<String> = (0..length).map(|n| alloc::format!("Statement {n}.")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let angle = |n: usize| n as f64 / length as f64 * core::f64::consts::TAU;
        let vectors: Vec<f64> = (0..length).flat_map(|n| [libm::cos(angle(n)), libm::sin(angle(n))]).collect();
        let file = StatementList::file(&names, &vectors, 2, FileId::new([7; 32]), None).expect("a list");
        StatementList::parse(file).expect("what was written")
    }

    /// Counts over all places of the draw: the weights of each text have one sum, and no two texts give a statement
    /// weights whose ratio is above e^ε; nor does the text that fits nothing.
    #[test]
    fn whatever_the_text_weights_have_one_sum_and_no_ratio_above_e_to_epsilon() {
        for (length, epsilon, near) in [(2, 0.5, 1), (7, 8.0, 3), (20, 1e-9, 19), (300, 4.0, 33), (300, 20.0, 1)] {
            let list = circle(length);
            let statements = Statements::new(&list, epsilon).and_then(|it| it.with_near(near)).expect("in range");
            let (inside, outside) = (statements.inside(), 1_u128 << OUTSIDE_BITS);
            assert!(inside as f64 / outside as f64 <= epsilon.exp());
            let mut bounds = vec![(u128::MAX, 0); length];
            for step in 0..3 * length {
                let angle = step as f64 / 7.0;
                let found = list.nearest(&[libm::cos(angle), libm::sin(angle)], near).expect("a direction");
                assert_eq!(found.len(), near);
                let mut weights = vec![outside; length];
                found.iter().for_each(|number| weights[*number] = inside);
                assert_eq!(weights.iter().sum::<u128>(), statements.total(near));
                for (bound, weight) in bounds.iter_mut().zip(weights) {
                    *bound = (weight.min(bound.0), weight.max(bound.1));
                }
            }
            assert!(bounds.iter().all(|(least, most)| most * outside <= least * inside));
            let (with, without) = (statements.total(near), statements.total(0));
            assert!(without <= with && with * outside <= without * inside);
        }
    }

    #[test]
    fn what_a_person_chose_is_near_and_weighs_as_the_nearest_do() {
        for near in 1..5 {
            let statements = Statements::new(&circle(5), 1.5).and_then(|it| it.with_near(near)).expect("in range");
            for number in 0..5 {
                let around = statements.list.around(number, near).expect("a statement");
                assert!(around.len() == near && around.contains(&number));
            }
            let mut rng = <ReleaseRng as rand_core::SeedableRng>::from_seed([9; 32]);
            let chosen = |_| statements.exchange_chosen(&[3], &mut rng).expect("of the list").statements[0].number;
            let same = (0..20_000).map(chosen).filter(|number| *number == 3).count();
            let expected = statements.odds().0 * 20_000.0;
            assert!((same as f64 - expected).abs() < 5.0 * expected.sqrt(), "{same} {expected}");
        }
    }

    #[test]
    fn of_statements_with_one_vector_the_chosen_one_is_near() {
        let file = StatementList::file(
            &["One.", "Two.", "Three."],
            &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
            2,
            FileId::new([7; 32]),
            None,
        );
        let list = StatementList::parse(file.expect("a list")).expect("what was written");
        for number in 0..3 {
            assert_eq!(list.around(number, 1).expect("a statement"), [number]);
        }
    }

    #[test]
    fn a_choice_that_the_list_does_not_have_is_refused() {
        let statements = Statements::new(&circle(5), 8.0).expect("in range");
        let mut rng = <ReleaseRng as rand_core::SeedableRng>::from_seed([1; 32]);
        for chosen in [&[5][..], &[0, 1], &[usize::MAX]] {
            assert!(matches!(statements.exchange_chosen(chosen, &mut rng), Err(Error::InvalidArgument)));
        }
        let long = "a".repeat(MAX_TEXT_BYTES + 1);
        assert_eq!(statements.check_chosen(&long, &[1]), Err(Error::TextTooLong));
        assert_eq!(statements.check_chosen(&long[1..], &[1]), Ok(()));
        let [none, one] = [&[][..], &[4]].map(|chosen| statements.exchange_chosen(chosen, &mut rng).expect("taken"));
        assert_eq!((none.statements.len(), one.statements.len()), (1, 1));
        assert_eq!(none.guarantee, one.guarantee);
        let [english, chosen] = [statements.guarantee(), one.guarantee].map(|guarantee| guarantee.clear);
        assert_ne!(english, chosen, "no choice is refused for its language");
        let keys = [("a", &[1][..]), ("a", &[2]), ("b", &[1]), ("a", &[])]
            .map(|(text, chosen)| statements.key_of_chosen(text, chosen, None));
        let keys: Vec<_> = keys.iter().chain([&statements.key("a", None)]).map(|key| key.to_hex()).collect();
        assert!((1..keys.len()).all(|n| !keys[..n].contains(&keys[n])), "{keys:?}");
    }

    #[test]
    fn usually_six_of_seven_texts_get_one_of_the_nearest() {
        for (length, epsilon) in [(500, 4.0), (500, 6.0), (8_000, 8.0), (60_000, 8.0)] {
            let statements = Statements::new(&circle(length), epsilon).expect("in range");
            let (inside, outside) = statements.odds();
            let near = statements.near() as f64;
            assert!((inside * near - 6.0 / 7.0).abs() < 0.02, "{length} {epsilon} {near}");
            assert!((inside * near + outside * (length as f64 - near) - 1.0).abs() < 1e-12);
        }
        assert_eq!(Statements::usual_near(500, 8.0), 1);
        assert_eq!(Statements::usual_near(2, 0.1), 1);
    }

    #[test]
    fn every_place_leads_to_its_statement() {
        let list = circle(5);
        for near in 1..5 {
            let statements = Statements::new(&list, 1.5).and_then(|it| it.with_near(near)).expect("in range");
            let found = list.nearest(&[1.0, 0.0], near).expect("a direction");
            let mut counts = [0_u32; 5];
            let draws = 20_000;
            let mut rng = <ReleaseRng as rand_core::SeedableRng>::from_seed([near as u8; 32]);
            for _ in 0..draws {
                counts[statements.draw(&found, &mut rng)] += 1;
            }
            let (inside, outside) = statements.odds();
            for (number, count) in counts.into_iter().enumerate() {
                let expected = if found.contains(&number) { inside } else { outside } * f64::from(draws);
                assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "{near}: {counts:?}");
            }
        }
    }
}
