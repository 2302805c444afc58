//! A mechanism at a metric constant, and what is proved of it.

use std::fmt;

use anyhow::{Context, Result};
use textveil::{Disclosure, Guarantee, Mechanism, MechanismKind, Metric, Parameter, Privatizer, ReleaseRng, Table};

use textveil_toolkit::sampling::below;

/// Pairs of words by which the median distance is found.
const PAIRS: usize = 20_000;

/// A mechanism at a metric constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) kind: MechanismKind,
    /// η in nats per unit of the table's distance.
    pub(super) eta: f64,
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/eta={}", self.kind, self.eta)
    }
}

impl Setting {
    /// The paper's noise.
    pub(super) const fn noise(eta: f64) -> Self {
        Self { kind: MechanismKind::MetricLaplace, eta }
    }

    /// The certified mechanism at the largest of the table's levels within η.
    pub(super) const fn certified(eta: f64) -> Self {
        Self { kind: MechanismKind::Certified, eta }
    }

    /// # Errors
    /// An η out of range, or below the least level of the table.
    pub(super) fn privatizer(self, table: &Table) -> Result<Privatizer> {
        let mechanism = Mechanism::new(self.kind).with(Parameter::Eta, self.eta)?;
        Ok(Privatizer::new(table, mechanism, Disclosure::default())?.of_any_language())
    }

    /// # Errors
    /// As [`Self::privatizer`].
    pub(super) fn proved(self, table: &Table, median: f64) -> Result<Proved> {
        Proved::of(&self.privatizer(table)?.guarantee(1), median)
    }
}

/// What is proved of the exchange of one word, in nats; a text loses as much for each of its words.
///
/// For noise, ε belongs to the ideal law. The sampler uses floating point and stays within a total variation τ of that
/// law. So δ for two words of loss ε is τ·(1 + e^ε), which soon reaches 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proved {
    pub(super) eta: f64,
    /// ε of two words at the table's median distance.
    pub(super) median: f64,
    /// ε of any two words.
    pub(super) any: f64,
    /// δ of the same, for what is really drawn.
    pub(super) delta: f64,
}

impl Proved {
    fn of(guarantee: &Guarantee, median: f64) -> Result<Self> {
        let eta = guarantee.eta.context("no metric constant")?;
        let distance = guarantee.metric.and_then(Metric::cutoff).map_or(median, |cutoff| median.min(cutoff));
        let any = guarantee.epsilon_word;
        Ok(Self { eta, median: any.min(eta * distance), any, delta: guarantee.delta_word })
    }
}

/// The median distance of two words, each as likely as any.
pub(super) fn median_distance(table: &Table, rng: &mut ReleaseRng) -> f64 {
    let mut word = || table.row(below(rng, table.len()));
    let pairs = (0..PAIRS).filter_map(|_| Some((word()?, word()?)));
    let mut distances: Vec<f64> = pairs.filter(|(a, b)| a != b).map(|(a, b)| table.distance(a, b)).collect();
    distances.sort_unstable_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or(0.0)
}

/// The metric constants of the certified levels to compare with noise of these η: the largest level within each η, and
/// the table's usual level, ascending.
pub(super) fn levels_beside(table: &Table, etas: &[f64]) -> Vec<f64> {
    let levels: Vec<f64> =
        table.certificates_of(MechanismKind::Certified).map(|(_, certificate)| certificate.eta).collect();
    let within = |eta: &f64| levels.iter().copied().rfind(|level| level <= eta);
    let usual = table.default_level_of(MechanismKind::Certified).map(|level| level.eta);
    let mut beside: Vec<f64> = etas.iter().filter_map(within).chain(usual).collect();
    beside.sort_unstable_by(f64::total_cmp);
    beside.dedup();
    beside
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn both_mechanisms_prove_the_constant_that_they_stand_at() {
        let table = Table::english().expect("the built-in table");
        let median = median_distance(&table, &mut ReleaseRng::seed_from_u64(2));
        let levels = levels_beside(&table, &[1.0, 40.0]);
        assert!(levels.is_sorted() && levels.len() == 2 && levels[1] <= 40.0, "{levels:?}");
        for eta in levels {
            let [noise, certified] =
                [Setting::noise(eta), Setting::certified(eta)].map(|setting| setting.proved(&table, median));
            let (noise, certified) = (noise.expect("noise"), certified.expect("a level"));
            assert!((noise.eta / eta - 1.0).abs() < 1e-9 && (certified.eta / eta - 1.0).abs() < 1e-9);
            assert!((noise.median - eta * median).abs() < 1e-9 && noise.median < noise.any && noise.delta > 0.0);
            // Its metric is cut off.
            assert!(certified.median <= certified.any && certified.any < noise.any && certified.delta == 0.0);
        }
    }
}
