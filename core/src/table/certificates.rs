//! Certificates: the channels P(y|x) ∝ g(y)·e^(−β·max(m(x, y), near)), m = min(d, cutoff). Their constants were
//! computed over all pairs of words when the table was made.
//!
//! u32 count, 1…64, u32 zero. For each a record of twelve f64, the fields of [`Certificate`] in their order. Records
//! with near = 0 come first, each kind by ascending η. Then the codes of g, a byte a row, record after record. Then,
//! for each row that is never offered, ascending, the u32 row that stands in for it.

use alloc::vec::Vec;

use super::bytes::{f64_at, u32_at};
use crate::draw::channel::ROUNDING;
use crate::{EXPONENT_LIMIT, MechanismKind};

const MOST_CERTIFICATES: usize = 64;
const HEAD: usize = 8;
const FIELDS: usize = 12;
const RECORD: usize = 8 * FIELDS;

/// A channel over the words of a table with what was certified of it.
///
/// # Security
/// A device has no time to compute η and ε again. It believes them, as it believes that the table is the one its maker
/// published. It does check that η lies between β and 2β, as for every such channel. It also checks ε: of one word it
/// measures the distance to the farthest other word, and ε is at least the loss of these two at β. No two words are
/// farther apart than twice that. So a false certificate can understate η by a factor of two, ε by four, and no more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub struct Certificate {
    /// β in nats per unit of distance.
    pub beta: f64,
    /// Words farther apart than this count as this far apart. β·cutoff is at most [`EXPONENT_LIMIT`].
    pub cutoff: f64,
    /// Words at most this far apart are as likely as the word itself. It is 0 except for [`MechanismKind::Plateau`].
    pub near: f64,
    /// A metric-DP constant in m, nats per unit: β + max (ln Z(x′) − ln Z(x))/m(x, x′), with what rounding may
    /// add. It is the least one where near is 0.
    pub eta: f64,
    /// A bound of the loss of any pair of words, in nats, with the most that rounding may add. It is max β·min(m(x,
    /// x′), cutoff − near) + ln Z(x′) − ln Z(x). It is the largest loss where near is 0.
    pub epsilon: f64,
    /// ln g falls by this number of nats a code: g is 4095·e^(−step·code), rounded, at least 1.
    pub step: f64,
    /// Share of the vocabulary that comes out unchanged.
    pub retention: f64,
    /// The same, with every word weighted by its frequency.
    pub retention_by_frequency: f64,
    /// Mean over the vocabulary of e^entropy of what a word may become: how many words it hides among.
    pub support: f64,
    /// Mean distance of what is drawn from what went in.
    pub expected_distance: f64,
    /// How often a reader of single words who knows the mechanism guesses it, all words being equally likely.
    pub inversion: f64,
    /// The same with words as frequent as in the language.
    pub inversion_by_frequency: f64,
}

/// A section as it was read.
#[derive(Default)]
pub(super) struct Certificates {
    pub(super) list: Vec<Certificate>,
    /// Rows that are never offered, ascending, with the offered row for each.
    stand_ins: Vec<(u32, u32)>,
}

impl Certificates {
    /// Reads a section about rows with these flags, and `is_offered` reads the flags. Some two rows are known to be at
    /// least `apart` from each other.
    pub(super) fn read(
        section: &[u8],
        flags: &[u8],
        is_offered: impl Fn(u8) -> bool,
        scale: f64,
        apart: f64,
    ) -> Result<Self, &'static str> {
        let count = u32_at(section, 0).ok_or("CERT is cut off")? as usize;
        if !(1..=MOST_CERTIFICATES).contains(&count) || u32_at(section, 4) != Some(0) {
            return Err("CERT has a number of records out of range, or a reserved field that is not zero");
        }
        let never: Vec<u32> = (0..).zip(flags).filter(|(_, flag)| !is_offered(**flag)).map(|(row, _)| row).collect();
        let stand_ins_at = HEAD + count * (RECORD + flags.len());
        if section.len() != stand_ins_at + 4 * never.len() {
            return Err("CERT has the wrong length");
        }
        let mut list: Vec<Certificate> = Vec::with_capacity(count);
        for record in 0..count {
            let certificate = Certificate::read(section, HEAD + record * RECORD, scale, apart)?;
            let place = |certificate: &Certificate| (certificate.near > 0.0, certificate.eta);
            if list.last().is_some_and(|before| place(before) >= place(&certificate)) {
                return Err("the certificates are out of order");
            }
            list.push(certificate);
        }
        let mut stand_ins = Vec::with_capacity(never.len());
        for (place, row) in never.into_iter().enumerate() {
            let stand_in = u32_at(section, stand_ins_at + 4 * place).unwrap_or(u32::MAX);
            if !flags.get(stand_in as usize).is_some_and(|flag| is_offered(*flag)) {
                return Err("a word's stand-in may not be put out");
            }
            stand_ins.push((row, stand_in));
        }
        Ok(Self { list, stand_ins })
    }

    /// What comes out where `row` was drawn.
    pub(super) fn stand_in(&self, row: u32) -> u32 {
        let found = self.stand_ins.binary_search_by_key(&row, |(never, _)| *never).ok();
        found.and_then(|place| self.stand_ins.get(place)).map_or(row, |(_, offered)| *offered)
    }
}

/// The codes of one record's g, a byte a row.
pub(super) fn codes(section: &[u8], rows: usize, records: usize, record: usize) -> &[u8] {
    let start = HEAD + records * RECORD + record * rows;
    section.get(start..start + rows).unwrap_or_default()
}

impl Certificate {
    /// The largest g, that of code 0.
    pub const LARGEST_BASE: u16 = 4095;

    /// g of a code: an integer from 1 to [`Certificate::LARGEST_BASE`].
    #[must_use]
    pub fn base(step: f64, code: u8) -> u16 {
        (libm::rint(f64::from(Self::LARGEST_BASE) * libm::exp(-step * f64::from(code))) as u16).max(1)
    }

    /// The mechanism that it is a level of.
    #[must_use]
    pub fn kind(&self) -> MechanismKind {
        if self.near > 0.0 { MechanismKind::Plateau } else { MechanismKind::Certified }
    }

    fn read(section: &[u8], at: usize, scale: f64, apart: f64) -> Result<Self, &'static str> {
        let mut fields = [0.0; FIELDS];
        for (place, field) in fields.iter_mut().enumerate() {
            *field = f64_at(section, at + 8 * place).ok_or("CERT is cut off")?;
        }
        let [beta, cutoff, near, eta, epsilon, step, shares @ ..] = fields;
        let [retention, retention_by_frequency, support, expected_distance, inversion, inversion_by_frequency] = shares;
        if fields.iter().any(|field| !field.is_finite()) {
            return Err("a certificate holds what is not a finite number");
        }
        if !(1e-6..=1e6 / scale).contains(&beta)
            || !(scale..=EXPONENT_LIMIT / beta).contains(&cutoff)
            || !(0.0..=cutoff).contains(&near)
        {
            return Err("a certificate's beta, cutoff or near is out of range");
        }
        let slack = 1.0 + 1e-9;
        if !(beta + 4.0 * ROUNDING / scale..=2.0 * beta * slack + 8.0 * ROUNDING / scale).contains(&eta) {
            return Err("a certificate's eta is not between beta and twice that");
        }
        let least = beta * apart.min(cutoff - near) / slack;
        if !(least..=eta * cutoff * slack).contains(&epsilon) {
            return Err("a certificate's epsilon is out of range");
        }
        if !(0.0..=1.0).contains(&step) {
            return Err("a certificate's step is out of range");
        }
        let are_shares = [retention, retention_by_frequency, inversion, inversion_by_frequency]
            .iter()
            .all(|share| (0.0..=1.0).contains(share));
        let are_finite = (1.0..f64::INFINITY).contains(&support) && (0.0..f64::INFINITY).contains(&expected_distance);
        if !are_shares || !are_finite {
            return Err("what a certificate reports is out of range");
        }
        Ok(Self {
            beta,
            cutoff,
            near,
            eta,
            epsilon,
            step,
            retention,
            retention_by_frequency,
            support,
            expected_distance,
            inversion,
            inversion_by_frequency,
        })
    }
}
