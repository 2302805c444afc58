//! Nearest-mass randomized response: a word is exchanged for one of the rows nearest to it with more chance than for
//! any other. Their mass in a public base measure decides how many rows that are.
//!
//! # Privacy
//! ε-differential privacy for the replacement of one word by any other, near or far. Let q be a base measure over the
//! offered rows with the sum 1, and m a mass between 0 and 1. For each word x the rows are taken by their distance to x
//! until their mass is exactly m. Of the last row only a part is taken. Of a row y, the mass i(x,y) ≤ q(y) is inside.
//! With W ≤ e^ε
//!
//! ```text
//! P(y|x) = (q(y) + (W − 1)·i(x,y)) / Z,   Z = Σ_y q(y) + (W − 1)·Σ_y i(x,y) = 1 + (W − 1)·m
//! ```
//!
//! Proof: Z is the same for every x, and each numerator lies between q(y) and W·q(y). So P(y|x)/P(y|x′) ≤ W ≤ e^ε for
//! all y, x and x′. Nothing is asked of the distance, of the table or of q. A word that the vocabulary lacks has
//! nothing inside: P(y) = q(y). That is within e^ε of every other input, since 1 ≤ Z ≤ W.
//!
//! Weights are whole numbers, and W is rounded down by more than the draw can be off (`draw/nearest_mass.rs`).
//!
//! It promises no metric. For two words that are near to each other, one output can be e^ε times as likely for the
//! first as for the second. `certified` promises near words a smaller loss.
//!
//! Source: two-valued channels are optimal under pure ε (Kairouz, Oh and Viswanath, NIPS 2014). With one row inside it
//! is generalized randomized response (Warner, JASA 1965). The project itself chose which rows are inside.

use alloc::vec::Vec;

use super::{Card, Gives, Inputs, Mechanism, MechanismKind, Prepared, Proof, Randomizer};
use crate::draw::nearest_mass::{Base, Masses, NearestMass, Offered};
use crate::{Error, LevelReport, Loss, Parameter, Preset, Prior, Table};

pub(super) const CARD: Card = Card {
    name: "nearest",
    parameters: &[Parameter::Level, Parameter::Epsilon, Parameter::Mass, Parameter::FrequencyPower],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

/// What stands for one ε: the base measure and the mass that leave most of a text at it.
#[derive(Clone, Copy)]
struct Setting {
    epsilon: f64,
    frequency_power: f64,
    mass: f64,
}

/// The levels, by ascending ε. They were chosen by measurement on four public data sets: docs/decisions, record 50.
const LEVELS: [Setting; 12] = [
    setting(4.0, 0.25, 0.03),
    setting(5.0, 0.25, 0.03),
    setting(6.0, 0.25, 0.01),
    setting(7.0, 0.25, 0.01),
    setting(8.0, 0.25, 0.003),
    setting(9.0, 0.5, 0.003),
    setting(10.0, 0.5, 0.003),
    setting(10.5, 0.5, 0.001),
    setting(11.0, 0.5, 0.001),
    setting(12.0, 0.5, 0.0003),
    setting(13.0, 0.5, 0.0003),
    setting(14.0, 0.5, 0.0003),
];

const fn setting(epsilon: f64, frequency_power: f64, mass: f64) -> Setting {
    Setting { epsilon, frequency_power, mass }
}

/// The levels for a table: none for a small one, where the mass of the usual level is less than a row's.
fn levels(table: &Table) -> &'static [Setting] {
    let usual = LEVELS[Preset::Balanced.level() as usize];
    if table.len() as f64 * usual.mass >= 1.0 { &LEVELS } else { &[] }
}

/// Whether a table serves the levels.
pub(crate) fn serves(table: &Table) -> bool {
    !levels(table).is_empty()
}

/// What the levels of a table promise and keep; without those whose mass is too small for it.
pub(crate) fn level_reports(table: &Table) -> Vec<LevelReport> {
    let (prior, offered) = (Prior::by_frequency(table), Offered::of(table));
    let of_level = |(index, Setting { epsilon, frequency_power, mass }): (u32, &Setting)| {
        let masses = Masses::of_frequency(&offered, *frequency_power);
        let mass_units = masses.units(*mass)?;
        let nearest = NearestMass::new(table, Base::new(table, &masses), mass_units, *epsilon);
        let (mut retention, mut retention_by_frequency) = (0.0, 0.0);
        for word in table.rows() {
            let kept = nearest.kept(word);
            retention += kept / table.len() as f64;
            retention_by_frequency += kept * prior.share(word);
        }
        let preset = Preset::ALL.iter().copied().find(|preset| preset.level() == index);
        Some(LevelReport {
            mechanism: MechanismKind::Nearest,
            index,
            eta: None,
            epsilon_word: *epsilon,
            delta_word: 0.0,
            retention,
            retention_by_frequency,
            is_default: preset == Some(Preset::default()),
            certificate: None,
            frequency_power: Some(*frequency_power),
            mass: Some(*mass),
            preset,
        })
    };
    (0..).zip(levels(table)).filter_map(of_level).collect()
}

/// The mechanism with all its numbers: those that are missing are those of its level, which is the largest one within
/// its ε, or the usual one. On a table without levels nothing is filled in.
pub(super) fn settled(mechanism: Mechanism, table: &Table) -> Result<Mechanism, Error> {
    let levels = levels(table);
    let level = match (mechanism.get(Parameter::Level), mechanism.get(Parameter::Epsilon)) {
        (Some(place), _) => Some(levels.get(place as usize).ok_or(Error::Invalid(Parameter::Level))?),
        (None, Some(epsilon)) => levels.iter().rfind(|level| level.epsilon <= epsilon).or(levels.first()),
        (None, None) => levels.get(Preset::default().level() as usize),
    };
    let Some(Setting { epsilon, frequency_power, mass }) = level else { return Ok(mechanism) };
    let fill = |mechanism: Mechanism, (parameter, value): (Parameter, f64)| match mechanism.get(parameter) {
        Some(_) => Ok(mechanism),
        None => mechanism.with(parameter, value),
    };
    let numbers =
        [(Parameter::Epsilon, *epsilon), (Parameter::FrequencyPower, *frequency_power), (Parameter::Mass, *mass)];
    numbers.into_iter().try_fold(mechanism.without(Parameter::Level), fill)
}

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let (epsilon, masses, mass) = checked(mechanism, table, &Offered::of(table))?;
    let nearest = NearestMass::new(table, Base::new(table, &masses), mass, epsilon);
    Ok(Prepared { proof: Proof::of(Loss::pure(epsilon)), randomizer: Randomizer::NearestMass(nearest) })
}

/// What is proved, if the table can serve what is asked for.
#[cfg(feature = "serde")]
pub(super) fn proof(mechanism: &Mechanism, table: &Table, offered: &Offered) -> Result<Proof, Error> {
    checked(mechanism, table, offered).map(|(epsilon, ..)| Proof::of(Loss::pure(epsilon)))
}

/// ε, the base measure and the mass in its units.
fn checked(mechanism: &Mechanism, table: &Table, offered: &Offered) -> Result<(f64, Masses, u64), Error> {
    let mechanism = settled(*mechanism, table)?;
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let share = mechanism.required(Parameter::Mass)?;
    let power = mechanism.required(Parameter::FrequencyPower)?;
    if epsilon > NearestMass::MOST_EPSILON {
        return Err(Error::Invalid(Parameter::Epsilon));
    }
    let masses = Masses::of_frequency(offered, power);
    let mass = masses.units(share).ok_or(Error::Invalid(Parameter::Mass))?;
    Ok((epsilon, masses, mass))
}
