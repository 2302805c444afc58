//! The request of a collector to devices.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "json")]
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use textveil::account::zcdp;
use textveil::sampler::Variance;
use textveil::{FileId, Hex, Loss, Probability, ReleaseRng, RoundedUp, Table, Word};

use crate::Error;

/// Parts of a unit in which a request writes its mean context.
pub const MEAN_UNIT: i32 = 1 << 20;

/// Words on one side of a word, at most, that are its context.
const WIDEST: u32 = 50;
/// New words in one request, and numbers of an answer, at most.
const MOST_WORDS: usize = 100_000;
const MOST_NUMBERS: usize = 1 << 22;
/// The least δ, and the largest ε where devices add the noise: within both, the margin of the noise covers what clamped shares
/// add to δ ([`Request::largest`]).
const LEAST_DELTA: f64 = 1e-30;
const MOST_EPSILON_OF_SHARES: f64 = 10.0;
/// The least and the largest norm: a lattice fine enough, and sums that fit.
const NORMS: core::ops::RangeInclusive<u32> = 256..=1 << 16;
/// The least variance of a device's share, in squared lattice steps, at which shares add up to Gaussian noise in all digits.
const LEAST_SHARE: f64 = 25.0;

/// The party that adds the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize), serde(rename_all = "kebab-case", tag = "by"))]
pub enum Noise {
    /// The holder of the sum, before anybody reads it.
    Sum,
    /// Each device a share. All noise that is promised is there if `least` devices take part and add theirs.
    Devices {
        /// Devices that must add noise.
        least: u32,
    },
}

/// The terms of a request, before noise is set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(Serialize, Deserialize), serde(deny_unknown_fields, rename_all = "camelCase"))]
pub struct Terms {
    /// The identity of the table in whose vectors contexts are read, in hexadecimal digits.
    pub table: String,
    /// The first dimensions of it that are read.
    pub dims: u32,
    /// The words before and after a word that are its context, at most 50 on each side.
    pub window: u32,
    /// The mean context of public text, in 1/[`MEAN_UNIT`].
    pub mean: Vec<i32>,
    /// The words that get vectors: strictly ascending, in small letters.
    pub words: Vec<String>,
    /// Words of one user that count, at most: the first of the user's texts.
    pub words_each: u32,
    /// The norm of a contribution, at most, in lattice steps.
    pub norm: u32,
    /// The party that adds the noise.
    pub noise: Noise,
    /// ε for a user who has no budget of their own, in nats.
    pub epsilon: f64,
    /// δ of every user.
    pub delta: f64,
}

/// A request that keeps the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    terms: Terms,
    variance: Variance,
}

/// The guarantee for every user whose contribution is in the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Guarantee {
    /// ε for a user, in nats.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// Concentrated DP: ρ, which gives ε and δ.
    pub rho: f64,
    /// The party that adds the noise, on which the guarantee depends.
    pub noise: Noise,
    /// What the sum hides the difference of. Two sets of texts of one user differ by up to twice as much.
    pub neighbours: &'static str,
    /// Whether a known seed decided the noise. Then nothing is protected, and the numbers are those of the same noise under a
    /// secret seed. JSON has the field only then.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "core::ops::Not::not"))]
    pub known_seed: bool,
}

/// The whole statement about noise from a known seed. It promises nothing.
const KNOWN_SEED: &str = "A known seed decided the noise, so that it protects nothing: whoever knows the seed can take the \
    noise off. The numbers of this guarantee are those of the same noise under a secret seed.";

impl Noise {
    /// What a sum with this noise hides the difference of.
    const fn neighbours(self) -> &'static str {
        match self {
            Self::Sum => "the users with and without one of them",
            Self::Devices { .. } => "the same users with and without the texts of one of them",
        }
    }
}

impl Guarantee {
    /// The guarantee of noise from this generator: it records whether the seed is known.
    #[must_use]
    pub const fn of_draw(mut self, rng: &ReleaseRng) -> Self {
        self.known_seed |= rng.has_known_seed();
        self
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.known_seed {
            return f.write_str(KNOWN_SEED);
        }
        let Self { epsilon, delta, neighbours, .. } = self;
        write!(
            f,
            "({}, {})-differential privacy for each user, as to everything that is made of the noisy sum. Neighbours are \
             {neighbours}. Between two sets of texts of one user, ρ is up to 4 times as large. ",
            RoundedUp(*epsilon),
            Probability(*delta)
        )?;
        match self.noise {
            Noise::Sum => f.write_str(
                "It depends on whoever adds up the contributions: they must count each user once, add the noise before anybody \
                 reads the sum, and show nobody a single contribution. A contribution by itself protects nobody.",
            ),
            Noise::Devices { least } => write!(
                f,
                "It depends on a secure sum, in which nobody sees a single contribution and each user is counted once, and on at \
                 least {least} honest devices that add their share of the noise. It hides whether a device has texts, and not that \
                 it answers."
            ),
        }
    }
}

impl Request {
    /// A request with the least noise that its terms allow.
    ///
    /// # Errors
    /// [`Error::BadRequest`] for terms that break a rule, or that no noise can keep.
    pub fn new(terms: Terms) -> Result<Self, Error> {
        let bad = |reason| Err(Error::BadRequest(reason));
        if FileId::from_hex(&terms.table).is_none() {
            return bad("table is not 64 hexadecimal digits");
        }
        if terms.dims == 0 || terms.mean.len() != terms.dims as usize {
            return bad("mean has not as many numbers as there are dimensions");
        }
        if terms.mean.iter().any(|x| x.unsigned_abs() > MEAN_UNIT.unsigned_abs()) {
            return bad("a number of mean is larger than 1");
        }
        if !(1..=WIDEST).contains(&terms.window) {
            return bad("window is not from 1 to 50");
        }
        if terms.words.is_empty() || terms.words.len() > MOST_WORDS {
            return bad("words are not from 1 to 100000");
        }
        if terms.words.len().saturating_mul(terms.dims as usize) > MOST_NUMBERS {
            return bad("words times dimensions are more than 4194304");
        }
        if !terms.words.is_sorted_by(|a, b| a < b) {
            return bad("words are not strictly ascending");
        }
        if terms
            .words
            .iter()
            .any(|word| word.is_empty() || word.len() > Word::MAX_BYTES || textveil::spelling(word) != *word)
        {
            return bad("a word is empty, too long or not in small letters");
        }
        if terms.words_each == 0 {
            return bad("wordsEach is 0");
        }
        if !NORMS.contains(&terms.norm) {
            return bad("norm is not from 256 to 65536");
        }
        let rho = zcdp::largest_rho(Loss { epsilon: terms.epsilon, delta: terms.delta })
            .map_err(|_| Error::BadRequest("epsilon is not above 0, or delta not between 0 and 1"))?;
        if !(1e-12..=1e6).contains(&rho) {
            return bad("epsilon is too small or too large");
        }
        if terms.delta < LEAST_DELTA {
            return bad("delta is below 1e-30");
        }
        if terms.noise != Noise::Sum && terms.epsilon > MOST_EPSILON_OF_SHARES {
            return bad("epsilon is above 10, where devices add the noise");
        }
        let variance = variance(&terms, rho)?;
        Ok(Self { terms, variance })
    }

    /// Reads a request as [`Self::to_json`] writes it.
    ///
    /// # Errors
    /// [`Error::BadRequest`] for anything else.
    #[cfg(feature = "json")]
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let terms = serde_json::from_str(json);
        Self::new(terms.map_err(|_| Error::BadRequest("it is not the JSON of a request, or has another field"))?)
    }

    /// The request as it is published: its [`Terms`] as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Terms { epsilon, delta, .. } = self.terms;
        format!(r#"{},"epsilon":{epsilon},"delta":{delta}}}"#, self.beginning())
    }

    /// The JSON without its end, which has the real numbers.
    fn beginning(&self) -> String {
        let Terms { table, dims, window, mean, words, words_each, norm, noise, .. } = &self.terms;
        let (mean, words) = (joined(mean, i32::to_string), joined(words, |word| quoted(word)));
        let noise = match noise {
            Noise::Sum => r#"{"by":"sum"}"#.to_string(),
            Noise::Devices { least } => format!(r#"{{"by":"devices","least":{least}}}"#),
        };
        format!(
            r#"{{"table":"{table}","dims":{dims},"window":{window},"mean":[{mean}],"words":[{words}],"wordsEach":{words_each},"norm":{norm},"noise":{noise}"#
        )
    }

    /// The identity of a request, in hexadecimal digits: the SHA-256 of [`Self::to_json`], with ε and δ as bytes.
    ///
    /// A device that answers a request twice spends twice. It remembers its answered requests by this identity.
    #[must_use]
    pub fn id(&self) -> String {
        // As digits, two numbers would be 18 kB of a page's module.
        let reals = [self.terms.epsilon, self.terms.delta].map(f64::to_le_bytes).concat();
        let digest = Sha256::new().chain_update(self.beginning()).chain_update(reals).finalize();
        Hex(&digest).to_string()
    }

    /// The terms of the request.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The norm of a contribution, at most, in lattice steps.
    #[must_use]
    pub const fn norm(&self) -> u32 {
        self.terms.norm
    }

    /// Numbers of a contribution: a vector for each word.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.terms.words.len() * self.terms.dims as usize
    }

    /// Never: a request has a word.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// σ² of one addition of noise, in squared lattice steps: of the sum's, or of a device's share.
    #[must_use]
    pub const fn variance(&self) -> Variance {
        self.variance
    }

    /// The largest absolute value of a number that leaves a device. A share of noise beyond it is cut off. If any of the shares
    /// that the guarantee counts is cut off with probability τ, this adds (1 + e^ε)·τ to δ. One share is cut off with a
    /// probability below e⁻¹²⁸. Up to ε 10, which is the most here, a margin of the noise covers all of them.
    #[must_use]
    pub fn largest(&self) -> u32 {
        match self.terms.noise {
            Noise::Sum => self.norm(),
            Noise::Devices { .. } => self.norm() + libm::ceil(16.0 * libm::sqrt(self.variance.get())) as u32,
        }
    }

    /// Bits of a number that leaves a device, moved up by [`Self::largest`] so that it is not negative. A secure sum of
    /// vectors of integers (Prio3SumVec) asks for it.
    #[must_use]
    pub fn bits(&self) -> u32 {
        u32::BITS - (2 * self.largest()).leading_zeros()
    }

    /// The guarantee for every user, computed anew from the noise. Its noise is still to be drawn: [`Guarantee::of_draw`] adds
    /// what a known seed changes.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        self.promised(self.terms.epsilon, self.norm())
    }

    /// The same of a user with an ε of their own, if the user has one.
    ///
    /// # Errors
    /// As [`Self::norm_of`].
    pub fn guarantee_of(&self, epsilon: Option<f64>) -> Result<Guarantee, Error> {
        epsilon.map_or(Ok(self.guarantee()), |epsilon| Ok(self.promised(epsilon, self.norm_of(epsilon)?)))
    }

    fn promised(&self, epsilon: f64, norm: u32) -> Guarantee {
        let Terms { delta, noise, .. } = self.terms;
        // A user who adds only zeros loses nothing.
        let rho = if norm == 0 { Some(0.0) } else { proved(&self.terms, self.variance, norm) };
        let (rho, neighbours) = (rho.unwrap_or(f64::INFINITY), noise.neighbours());
        Guarantee { epsilon, delta, rho, noise, neighbours, known_seed: false }
    }

    /// The norm of a user with an ε of their own, in lattice steps: as much smaller as it must be under the same noise.
    ///
    /// # Errors
    /// [`Error::InvalidEpsilon`] unless `epsilon` is above 0 and at most that of the request.
    pub fn norm_of(&self, epsilon: f64) -> Result<u32, Error> {
        if !(epsilon > 0.0 && epsilon <= self.terms.epsilon) {
            return Err(Error::InvalidEpsilon);
        }
        let loss = |epsilon| Loss { epsilon, delta: self.terms.delta };
        let rho = |epsilon| zcdp::largest_rho(loss(epsilon)).map_err(|_| Error::InvalidEpsilon);
        let share = libm::sqrt(rho(epsilon)? / rho(self.terms.epsilon)?);
        // Rounded down, and once more: the two ρ are computed.
        Ok(libm::floor(f64::from(self.norm()) * share * (1.0 - 1e-9)).min(f64::from(self.norm())) as u32)
    }

    /// Whether the request reads contexts in this table.
    pub(crate) fn is_of(&self, table: &Table) -> bool {
        table.id().to_string() == self.terms.table && self.terms.dims as usize <= table.dims()
    }
}

fn joined<T>(items: &[T], written: impl Fn(&T) -> String) -> String {
    items.iter().map(written).collect::<Vec<_>>().join(",")
}

/// A text of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\0'..='\x1f' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The least noise, in lattice steps, for which `rho` is proved.
fn variance(terms: &Terms, rho: f64) -> Result<Variance, Error> {
    let too_much = |_| Error::BadRequest("epsilon asks for more noise than can be drawn");
    let norm = f64::from(terms.norm);
    // A relative 10⁻⁹ more than the formula, for its own rounding and for what shares fall short of Gaussian noise.
    let whole = norm * norm / (2.0 * rho) * (1.0 + 1e-9);
    let variance = match terms.noise {
        Noise::Sum => Variance::at_least(whole).map_err(too_much)?,
        Noise::Devices { least: 0 } => return Err(Error::BadRequest("no device adds noise")),
        Noise::Devices { least } => {
            let share = whole / f64::from(least);
            if share < LEAST_SHARE {
                return Err(Error::BadRequest(
                    "a device's share of the noise is less than 5 lattice steps: raise norm",
                ));
            }
            Variance::at_least(share).map_err(too_much)?
        }
    };
    if proved(terms, variance, terms.norm).is_none_or(|proved| proved > rho) {
        return Err(Error::BadRequest("no noise keeps the terms"));
    }
    Ok(variance)
}

/// ρ of the sum under noise of this variance, for a user whose contribution has this norm at most.
fn proved(terms: &Terms, variance: Variance, norm: u32) -> Option<f64> {
    let norm = f64::from(norm);
    match terms.noise {
        Noise::Sum => zcdp::gaussian_rho(libm::sqrt(variance.get()), norm),
        Noise::Devices { least } => {
            let numbers = terms.words.len() as u64 * u64::from(terms.dims);
            zcdp::shared_gaussian_rho(variance.get(), u64::from(least), norm, numbers)
        }
    }
    .ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::vec;

    use super::*;

    pub(crate) fn terms() -> Terms {
        Terms {
            table: "ab".repeat(32),
            dims: 3,
            window: 5,
            mean: vec![0, 1 << 18, -(1 << 10)],
            words: ["bloop", "zorp"].map(String::from).into(),
            words_each: 60,
            norm: 4096,
            noise: Noise::Sum,
            epsilon: 3.0,
            delta: 1e-6,
        }
    }

    #[test]
    fn noise_is_the_least_that_proves_the_terms() {
        for epsilon in [0.1, 1.0, 3.0, 8.0] {
            for noise in [Noise::Sum, Noise::Devices { least: 1 }, Noise::Devices { least: 1000 }] {
                let request = Request::new(Terms { epsilon, noise, ..terms() }).expect("a request");
                let proved = zcdp::epsilon(request.guarantee().rho, 1e-6).expect("a loss");
                assert!(proved <= epsilon && proved > epsilon * (1.0 - 1e-3), "{epsilon} {noise:?}: {proved}");
            }
        }
    }

    #[test]
    fn a_margin_of_the_noise_covers_what_cut_off_shares_add_to_delta() {
        // Beyond 16 σ on either side, by proposition 25 of Canonne, Kamath and Steinke.
        let cut_off = libm::erfc(16.0 / core::f64::consts::SQRT_2);
        for epsilon in [1e-3, 0.1, 1.0, 5.0, MOST_EPSILON_OF_SHARES] {
            for delta in [LEAST_DELTA, 1e-20, 1e-6, 0.5] {
                let rho = zcdp::largest_rho(Loss { epsilon, delta }).expect("in range");
                let most = f64::from(1 << 16) * f64::from(1 << 16) / (2.0 * rho * LEAST_SHARE);
                let noise = Noise::Devices { least: most as u32 };
                let request =
                    Request::new(Terms { norm: 1 << 16, noise, epsilon, delta, ..terms() }).expect("a request");
                let clamped =
                    (1.0 + libm::exp(epsilon)) * most.min(f64::from(u32::MAX)) * MOST_NUMBERS as f64 * cut_off;
                let whole = zcdp::delta(request.guarantee().rho, epsilon).expect("in range") + clamped;
                assert!(whole <= delta, "{epsilon} {delta:e}: {whole:e}");
            }
        }
        let large = Terms { noise: Noise::Devices { least: 3 }, epsilon: 10.001, ..terms() };
        let refused = Request::new(large.clone());
        assert!(matches!(refused, Err(Error::BadRequest(reason)) if reason.contains("above 10")), "{refused:?}");
        assert!(Request::new(Terms { noise: Noise::Sum, ..large }).is_ok());
    }

    #[test]
    fn the_guarantee_says_that_each_user_counts_once() {
        for noise in [Noise::Sum, Noise::Devices { least: 3 }] {
            let stated = Request::new(Terms { noise, ..terms() }).expect("a request").guarantee().to_string();
            assert!(stated.contains("each user") && stated.contains("once"), "{stated}");
        }
    }

    #[test]
    fn a_request_survives_its_json_and_other_fields_are_refused() {
        let words = ["a\\b\"c\n", "bloop"].map(String::from).into();
        let terms_of_devices = Terms { words, noise: Noise::Devices { least: 100 }, delta: 1.5e-9, ..terms() };
        let request = Request::new(terms_of_devices).expect("a request");
        assert_eq!(Request::from_json(&request.to_json()), Ok(request.clone()));
        let spaced = request.to_json().replace(',', " ,\n");
        assert_eq!(Request::from_json(&spaced).expect("a request").id(), request.id());
        assert_ne!(Request::new(terms()).expect("a request").id(), request.id());
        let more = request.to_json().replacen('{', "{\"more\":1,", 1);
        assert!(matches!(Request::from_json(&more), Err(Error::BadRequest(_))));
        assert!(matches!(Request::from_json("null"), Err(Error::BadRequest(_))));
    }

    #[test]
    fn terms_that_break_a_rule_are_refused_by_name() {
        let refused = |change: &dyn Fn(&mut Terms)| {
            let mut terms = terms();
            change(&mut terms);
            let refused = Request::new(terms);
            let Err(Error::BadRequest(reason)) = refused else { unreachable!("{refused:?}") };
            reason
        };
        assert!(refused(&|terms| terms.words.reverse()).contains("ascending"));
        assert!(refused(&|terms| terms.words[0] = "Bloop".into()).contains("small letters"));
        assert!(refused(&|terms| terms.words.clear()).contains("100000"));
        assert!(refused(&|terms| terms.mean.push(0)).contains("dimensions"));
        assert!(refused(&|terms| terms.mean[0] = i32::MIN).contains("larger than 1"));
        assert!(refused(&|terms| terms.window = 0).contains("window"));
        assert!(refused(&|terms| terms.words_each = 0).contains("wordsEach"));
        assert!(refused(&|terms| terms.norm = 1).contains("norm"));
        assert!(refused(&|terms| terms.table.push('0')).contains("64"));
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(&|terms| terms.epsilon = epsilon).contains("epsilon"));
        }
        for delta in [0.0, 1.0, f64::NAN] {
            assert!(refused(&|terms| terms.delta = delta).contains("delta"));
        }
        assert!(refused(&|terms| terms.noise = Noise::Devices { least: 0 }).contains("no device"));
        assert!(refused(&|terms| terms.noise = Noise::Devices { least: u32::MAX }).contains("raise norm"));
    }

    #[test]
    fn the_guarantee_of_a_known_seed_promises_nothing_and_json_has_it_only_then() {
        let promised = Request::new(terms()).expect("a request").guarantee();
        let known = promised.of_draw(&textveil::seeded_rng([1; 32]));
        assert_eq!(known, Guarantee { known_seed: true, ..promised });
        assert!(promised.to_string().contains("Neighbours are the users with and without one of them."));
        assert_eq!(known.to_string(), KNOWN_SEED);
        let json = |guarantee| serde_json::to_string(&guarantee).expect("JSON");
        let before = format!(
            r#"{{"epsilon":3.0,"delta":1e-6,"rho":{},"noise":{{"by":"sum"}},"neighbours":"the users with and without one of them""#,
            promised.rho
        );
        assert_eq!(json(promised), format!("{before}}}"));
        assert_eq!(json(known), format!(r#"{before},"knownSeed":true}}"#));
    }

    #[test]
    fn a_user_with_a_smaller_budget_loses_no_more_than_it() {
        let request = Request::new(terms()).expect("a request");
        for epsilon in [0.01, 0.5, 1.0, 2.999, 3.0] {
            let norm = request.norm_of(epsilon).expect("within");
            let sigma = libm::sqrt(request.variance().get());
            let proved = zcdp::gaussian_rho(sigma, f64::from(norm.max(1))).and_then(|rho| zcdp::epsilon(rho, 1e-6));
            assert!(norm == 0 || proved.expect("a loss") <= epsilon, "{epsilon}");
        }
        assert_eq!(request.norm_of(3.0).expect("within"), 4095);
        for epsilon in [1e-4, 0.5, 3.0] {
            let guarantee = request.guarantee_of(Some(epsilon)).expect("within");
            let proved = if guarantee.rho == 0.0 { Ok(0.0) } else { zcdp::epsilon(guarantee.rho, 1e-6) };
            assert!(guarantee.epsilon == epsilon && proved.expect("a loss") <= epsilon, "{guarantee:?}");
        }
        assert_eq!(request.guarantee_of(None), Ok(request.guarantee()));
        assert_eq!(request.guarantee_of(Some(3.1)), Err(Error::InvalidEpsilon));
        for epsilon in [0.0, -1.0, 3.1, f64::NAN, f64::INFINITY] {
            assert_eq!(request.norm_of(epsilon), Err(Error::InvalidEpsilon));
        }
    }
}
