//! A mechanism that is compared, and the strength at which it meets what is held equal.

use anyhow::{Result, anyhow};
use clap::Args;
use textveil::{Calibration, Disclosure, Guarantee, MechanismKind, Metric, Parameter, Privatizer, Table};

use super::inversion::{Inversion, sampled_retention};
use textveil_tables::{Axes, lattice_vectors};
use textveil_toolkit::mechanism::{Request, Source, parametrized};

/// What is held equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Point {
    /// η in the Euclidean distance.
    Eta(f64),
    /// ε of a word.
    Epsilon(f64),
    /// The share of the vocabulary that an attacker names.
    Inversion(f64),
    /// The share of the vocabulary that comes out as it went in: N_w.
    Retention(f64),
}

impl Point {
    pub(super) const fn parts(self) -> (&'static str, f64) {
        match self {
            Self::Eta(x) => ("eta", x),
            Self::Epsilon(x) => ("epsilon", x),
            Self::Inversion(x) => ("inversion", x),
            Self::Retention(x) => ("retention", x),
        }
    }
}

/// The numbers of mechanisms besides their strength.
#[derive(Args)]
pub(super) struct Settings {
    /// γ of truncated-exponential, in units of the table; without it half of the table's diameter
    #[arg(long, value_name = "NUMBER")]
    gamma: Option<f64>,
    /// t of vickrey: the share of the second-nearest word
    #[arg(long, default_value_t = 0.5, value_name = "NUMBER")]
    t: f64,
    /// λ of mahalanobis: the share of the table's covariance
    #[arg(long, default_value_t = 0.5, value_name = "NUMBER")]
    lambda: f64,
    /// δ of mechanisms that take one
    #[arg(long, default_value_t = 1e-6, value_name = "NUMBER")]
    delta: f64,
}

impl Settings {
    /// Those that a mechanism takes.
    fn of(&self, kind: MechanismKind, table: &Table) -> Vec<(Parameter, f64)> {
        let gamma = self.gamma.unwrap_or(0.5 * table.diameter_bound());
        let all = [
            (Parameter::Gamma, gamma),
            (Parameter::T, self.t),
            (Parameter::Lambda, self.lambda),
            (Parameter::Delta, self.delta),
        ];
        all.into_iter().filter(|(parameter, _)| kind.parameters().contains(parameter)).collect()
    }
}

/// ln of η·scale, or of ε where a mechanism has no η, between which a strength is sought.
const RANGE: [f64; 2] = [1e-4, 1e3];
/// How near a share has to come to what is asked for.
const NEAR: f64 = 0.004;
/// Where a share jumps, the search ends when ln of the strength is this narrow.
const NARROW: f64 = 2e-3;
/// How often retention is corrected for what an attacker gains beyond it.
const CORRECTIONS: usize = 4;

/// A mechanism over a table, with all numbers but its strength.
pub(super) struct Contender<'a> {
    table: &'a Table,
    pub(super) kind: MechanismKind,
    pub(super) settings: Vec<(Parameter, f64)>,
    /// The greatest length of a vector of length 1 in the norm that η is about.
    stretch: f64,
    /// Draws that an attacker learns from, and what they follow from.
    draws: usize,
    seed: u64,
    /// ln of strengths with the retention that was found there, ascending.
    known: Vec<(f64, f64)>,
    /// What was found for each guarantee: where strengths are levels, many of them are the same.
    retentions: Vec<(Guarantee, f64)>,
    inversions: Vec<(Guarantee, Inversion)>,
}

impl<'a> Contender<'a> {
    pub(super) fn new(table: &'a Table, kind: MechanismKind, settings: &Settings, draws: usize, seed: u64) -> Self {
        let settings = settings.of(kind, table);
        let stretch = if kind == MechanismKind::Mahalanobis { stretch(table, &settings) } else { 1.0 };
        let parameter = strength_of(kind);
        let unit = if parameter == Parameter::Eta { table.scale() } else { 1.0 };
        let [low, high] = RANGE.map(|end| libm::log(end / unit));
        let known = vec![(low, 0.0), (high, 1.0)];
        Self { table, kind, settings, stretch, draws, seed, known, retentions: Vec::new(), inversions: Vec::new() }
    }

    /// η that is proved in the Euclidean distance, if one is.
    pub(super) fn euclidean_eta(&self, guarantee: &Guarantee) -> Option<f64> {
        let stretch = match guarantee.metric? {
            Metric::Euclidean | Metric::Truncated(_) => 1.0,
            Metric::Mahalanobis(_) => self.stretch,
        };
        Some(guarantee.eta? * stretch)
    }

    /// The mechanism at a point, and what it does to the vocabulary there.
    ///
    /// # Errors
    /// The mechanism cannot stand there, in words.
    pub(super) fn meet(&mut self, point: Point) -> Result<(Privatizer, Inversion)> {
        let privatizer = match point {
            Point::Eta(eta) => self.at(Parameter::Eta, eta / self.stretch)?,
            Point::Epsilon(epsilon) => self.at(Parameter::Epsilon, epsilon)?,
            Point::Retention(share) => self.keeping(share)?,
            Point::Inversion(share) => return self.inverted(share),
        };
        let inversion = self.inversion(&privatizer);
        Ok((privatizer, inversion))
    }

    fn inversion(&mut self, privatizer: &Privatizer) -> Inversion {
        let find = || Inversion::of(privatizer, self.table, self.draws, self.seed);
        remembered(&mut self.inversions, privatizer, find)
    }

    /// The retention of a strength, over a sample of the vocabulary; what the mechanism refuses, for being too
    /// weak or too strong to stand on, keeps nothing.
    fn retention(&mut self, strength: f64) -> f64 {
        let Ok(privatizer) = self.at(strength_of(self.kind), strength) else { return 0.0 };
        let find = || sampled_retention(&privatizer, self.table, self.seed);
        remembered(&mut self.retentions, &privatizer, find)
    }

    fn at(&self, strength: Parameter, value: f64) -> Result<Privatizer> {
        let given = [&self.settings[..], &[(strength, value)]].concat();
        let prepared = parametrized(self.kind, Calibration::Sound, &given)
            .and_then(|mechanism| Privatizer::new(self.table, mechanism, Disclosure::default()));
        prepared.map_err(|error| {
            if strength == Parameter::Eta && !self.kind.parameters().contains(&Parameter::Eta) {
                return anyhow!("{} has no eta: nothing is proved of near words", self.kind);
            }
            Request { kind: self.kind, given, source: Source::Table(self.table) }.explain(error)
        })
    }

    /// The strength at which the attacker names that share: where retention is the share without what he
    /// gains beyond retention, which hardly changes with the strength.
    fn inverted(&mut self, share: f64) -> Result<(Privatizer, Inversion)> {
        let mut best: Option<(Privatizer, Inversion)> = None;
        let off = |inversion: &Inversion| (inversion.success - share).abs();
        let mut target = share;
        for _ in 0..CORRECTIONS {
            let privatizer = match self.keeping(target) {
                Ok(privatizer) => privatizer,
                Err(error) if best.is_none() => return Err(error),
                Err(_) => break,
            };
            let inversion = self.inversion(&privatizer);
            if best.as_ref().is_some_and(|(_, best)| off(&inversion) >= off(best)) {
                break;
            }
            target += share - inversion.success;
            best = Some((privatizer, inversion));
            if off(&inversion) <= NEAR {
                break;
            }
        }
        best.ok_or_else(|| anyhow!("{} is not inverted", self.kind))
    }

    /// The strength that keeps this share of the vocabulary; where shares jump, the side of the jump that is
    /// nearer.
    ///
    /// # Errors
    /// No strength keeps as much, or as little.
    pub(super) fn keeping(&mut self, share: f64) -> Result<Privatizer> {
        let last = |known: &[(f64, f64)]| known.len() - 1;
        loop {
            let above = self.known.partition_point(|(_, kept)| *kept < share).clamp(1, last(&self.known));
            let [low, high] = [self.known[above - 1], self.known[above]];
            // At the ends of the range nothing was measured.
            let is_inside = above > 1 && above < last(&self.known);
            let (x, kept) = if share - low.1 < high.1 - share { low } else { high };
            let is_narrow = high.0 - low.0 < NARROW;
            if is_inside && kept > 0.0 && (is_narrow || (kept - share).abs() <= NEAR) {
                return self.at(strength_of(self.kind), libm::exp(x));
            }
            if is_narrow {
                return Err(anyhow!("{} reaches no retention near {share:.3} on this table", self.kind));
            }
            let x = between(low, high, share);
            let kept = self.retention(libm::exp(x));
            self.known.insert(above, (x, kept.clamp(low.1, high.1)));
        }
    }
}

/// What was found for the same guarantee, or is found now.
fn remembered<T: Copy>(known: &mut Vec<(Guarantee, T)>, privatizer: &Privatizer, find: impl FnOnce() -> T) -> T {
    let guarantee = privatizer.guarantee(1);
    if let Some((_, found)) = known.iter().find(|(of, _)| *of == guarantee) {
        return *found;
    }
    let found = find();
    known.push((guarantee, found));
    found
}

/// The parameter by which a mechanism is made weaker or stronger.
fn strength_of(kind: MechanismKind) -> Parameter {
    if kind.parameters().contains(&Parameter::Eta) { Parameter::Eta } else { Parameter::Epsilon }
}

/// Where the line between two points, shares as log-odds, reaches a share; not near its ends, where a curve
/// that bends would keep the search.
fn between(low: (f64, f64), high: (f64, f64), share: f64) -> f64 {
    let odds = |share: f64| {
        let share = share.clamp(1e-4, 1.0 - 1e-4);
        libm::log(share / (1.0 - share))
    };
    let along = (odds(share) - odds(low.1)) / (odds(high.1) - odds(low.1)).max(f64::MIN_POSITIVE);
    low.0 + (high.0 - low.0) * along.clamp(0.2, 0.8)
}

/// 1/√(least eigenvalue of Σ), Σ the matrix of the Mahalanobis norm: ‖z‖_M is at most so many times ‖z‖.
fn stretch(table: &Table, settings: &[(Parameter, f64)]) -> f64 {
    // Above the relative error of the eigenvalues and of the core's own norm.
    const ROUNDING: f64 = 1.0 + 1e-6;
    let lambda = settings.iter().find(|(parameter, _)| *parameter == Parameter::Lambda).map_or(0.0, |(_, x)| *x);
    let variances = Axes::of(&lattice_vectors(table)).variances;
    let mean = variances.iter().sum::<f64>() / variances.len() as f64;
    let least = variances.iter().copied().fold(f64::INFINITY, f64::min).max(0.0) / mean;
    let least = if mean > 0.0 { lambda * least } else { 0.0 } + (1.0 - lambda);
    ROUNDING / least.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings { gamma: None, t: 0.5, lambda: 0.5, delta: 1e-6 };

    fn contender(table: &Table, kind: MechanismKind) -> Contender<'_> {
        Contender::new(table, kind, &SETTINGS, 4, 3)
    }

    #[test]
    fn every_mechanism_with_an_eta_proves_the_one_it_is_compared_at() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let eta = 0.02 / table.scale();
        for kind in MechanismKind::ALL.iter().filter(|kind| kind.parameters().contains(&Parameter::Eta)) {
            let mut contender = contender(&table, *kind);
            // A table without what a mechanism needs has nothing to compare.
            let Ok((privatizer, _)) = contender.meet(Point::Eta(eta)) else { continue };
            let proved = contender.euclidean_eta(&privatizer.guarantee(1)).expect("metric DP");
            assert!((proved / eta - 1.0).abs() < 1e-12, "{kind}: {proved} {eta}");
        }
    }

    #[test]
    fn no_vector_is_longer_in_the_mahalanobis_norm_than_the_stretch_says() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let contender = contender(&table, MechanismKind::Mahalanobis);
        // At λ = ½ no eigenvalue of Σ is below ½, and one is below its mean, 1, unless all are equal.
        assert!(contender.stretch > 1.0 && contender.stretch <= 2.0_f64.sqrt() * (1.0 + 1e-6));
    }

    #[test]
    fn a_share_that_is_asked_for_is_reached() {
        let table = textveil_tables::example(300, 6).expect("a table");
        for kind in [MechanismKind::Exponential, MechanismKind::LatticeLaplace, MechanismKind::Laplace] {
            let (_, inversion) = contender(&table, kind).meet(Point::Retention(0.4)).expect("in reach");
            // Noise is measured by 1,200 draws where it is sought, and by 300 where it is reported.
            assert!((inversion.retention - 0.4).abs() < 0.12, "{kind}: {inversion:?}");
        }
        let (_, inversion) =
            contender(&table, MechanismKind::Exponential).meet(Point::Inversion(0.6)).expect("in reach");
        assert!((inversion.success - 0.6).abs() <= NEAR);
    }

    #[test]
    fn what_cannot_be_reached_is_refused_and_not_approximated() {
        let table = textveil_tables::example(300, 6).expect("a table");
        // A seventh of the example's words is never offered.
        let mut exponential = contender(&table, MechanismKind::Exponential);
        for beyond in [0.87, 0.95] {
            assert!(exponential.meet(Point::Retention(beyond)).is_err());
        }
        let refused = contender(&table, MechanismKind::Laplace).meet(Point::Eta(1.0)).err().expect("no eta");
        assert!(refused.to_string().contains("has no eta"), "{refused}");
    }
}
