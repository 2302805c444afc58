//! A mechanism that is compared, and the strength at which it meets what is held equal.

use anyhow::{Result, anyhow};
use clap::Args;
use textveil::{Calibration, Disclosure, Guarantee, LevelReport, MechanismKind, Metric, Parameter, Privatizer, Table};

use super::inversion::{Inversion, Measure, sampled};
use textveil_tables::{Axes, lattice_vectors};
use textveil_toolkit::mechanism::{Request, Source, parametrized};

/// What is held equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Point {
    /// η in the Euclidean distance.
    Eta(f64),
    /// ε of a word.
    Epsilon(f64),
    /// The share of the vocabulary that a reader names who takes each word alone.
    Inversion(f64),
    /// The share of the vocabulary that comes out as it went in: N_w.
    Retention(f64),
    /// The mean distance of what comes out to what went in, in units of the table.
    Distance(f64),
}

impl Point {
    pub(super) const fn parts(self) -> (&'static str, f64) {
        match self {
            Self::Eta(x) => ("eta", x),
            Self::Epsilon(x) => ("epsilon", x),
            Self::Inversion(x) => ("inversion", x),
            Self::Retention(x) => ("retention", x),
            Self::Distance(x) => ("distance", x),
        }
    }
}

/// The parameters of mechanisms except for their strength.
#[derive(Args)]
pub(super) struct Settings {
    /// γ of truncated-exponential, in units of the table. By default half of the table's diameter
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
    /// The settings that a mechanism takes.
    fn of(&self, kind: MechanismKind, table: &Table) -> Vec<(Parameter, f64)> {
        if kind == MechanismKind::RandomizedResponse {
            return one_row(table).into();
        }
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

/// What makes `nearest` randomized response over the words that the table offers: all of them weigh the same, and one is
/// inside. The mass is a hair more than its share, which is rounded down to it.
fn one_row(table: &Table) -> [(Parameter, f64); 2] {
    let offered = table.rows().filter(|row| table.is_offered(*row)).count();
    [(Parameter::FrequencyPower, 0.0), (Parameter::Mass, (1.0 + 1e-9) / offered as f64)]
}

/// η·scale, or ε where a mechanism has no η, between which a strength is sought.
const RANGE: [f64; 2] = [1e-4, 1e3];
/// The largest ε of `nearest`.
const MOST_OF_NEAREST: f64 = 20.0;
/// How near a share has to come to the one asked for.
const NEAR: f64 = 0.004;
/// Where a share jumps, the search ends when ln of the strength is this narrow.
const NARROW: f64 = 2e-3;
/// How often retention is corrected for what a reader gains beyond it.
const CORRECTIONS: usize = 4;

/// A mechanism over a table, with all numbers but its strength.
pub(super) struct Contender<'a> {
    table: &'a Table,
    pub(super) kind: MechanismKind,
    /// What draws: `nearest` for randomized response, which is that of bits in the core.
    drawn_by: MechanismKind,
    pub(super) settings: Vec<(Parameter, f64)>,
    /// ε, γ and ln m of the levels of `nearest`.
    levels: Vec<[f64; 3]>,
    /// The greatest length of a vector of length 1 in the norm that η is about.
    stretch: f64,
    /// Draws that a reader learns from, and what they follow from.
    draws: usize,
    seed: u64,
    /// ln of strengths with what was found there for each [`Measure`], ascending.
    known: Vec<(f64, [f64; 2])>,
    /// What was found for each guarantee: where strengths are levels, many of them are the same.
    measures: Vec<(Guarantee, [f64; 2])>,
    inversions: Vec<(Guarantee, Inversion)>,
}

impl<'a> Contender<'a> {
    pub(super) fn new(table: &'a Table, kind: MechanismKind, settings: &Settings, draws: usize, seed: u64) -> Self {
        let settings = settings.of(kind, table);
        let stretch = if kind == MechanismKind::Mahalanobis { stretch(table, &settings) } else { 1.0 };
        let drawn_by = if kind == MechanismKind::RandomizedResponse { MechanismKind::Nearest } else { kind };
        let levels = if kind == MechanismKind::Nearest { levels(table) } else { Vec::new() };
        let [low, high] = match strength_of(drawn_by) {
            Parameter::Eta => RANGE.map(|end| end / table.scale()),
            _ if drawn_by == MechanismKind::Nearest => [RANGE[0], MOST_OF_NEAREST],
            _ => RANGE,
        };
        let known = vec![(libm::log(low), [0.0; 2]), (libm::log(high), [1.0; 2])];
        let (measures, inversions) = (Vec::new(), Vec::new());
        Self { table, kind, drawn_by, settings, levels, stretch, draws, seed, known, measures, inversions }
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
            Point::Eta(eta) => self.at(&[(Parameter::Eta, eta / self.stretch)])?,
            Point::Epsilon(epsilon) => self.at(&[(Parameter::Epsilon, epsilon)])?,
            Point::Retention(share) => self.reaching(Measure::Retention, share)?,
            Point::Distance(distance) => self.reaching(Measure::Closeness, libm::exp(-distance))?,
            Point::Inversion(share) => return self.inverted(share),
        };
        let inversion = self.inversion(&privatizer);
        Ok((privatizer, inversion))
    }

    fn inversion(&mut self, privatizer: &Privatizer) -> Inversion {
        let find = || Inversion::of(privatizer, self.table, self.draws, self.seed);
        remembered(&mut self.inversions, privatizer, find)
    }

    /// The shares of words left at a strength, over samples of the vocabulary. Where the mechanism refuses a strength
    /// as too weak or too strong, both shares are 0.
    fn measured(&mut self, strength: f64) -> [f64; 2] {
        let Ok(privatizer) = self.sought(strength) else { return [0.0; 2] };
        let find = || sampled(&privatizer, self.table, self.seed);
        remembered(&mut self.measures, &privatizer, find)
    }

    /// The mechanism at a strength on the way to what is sought: with γ and m of `nearest` between those of its levels,
    /// which would jump.
    fn sought(&self, strength: f64) -> Result<Privatizer> {
        let own = [(strength_of(self.drawn_by), strength)];
        self.at(&[&own[..], &between_levels(&self.levels, strength)].concat())
    }

    fn at(&self, numbers: &[(Parameter, f64)]) -> Result<Privatizer> {
        let given = [&self.settings[..], numbers].concat();
        let prepared = parametrized(self.drawn_by, Calibration::Sound, &given)
            .and_then(|mechanism| Privatizer::new(self.table, mechanism, Disclosure::default()));
        prepared.map_err(|error| {
            let has_eta = self.drawn_by.parameters().contains(&Parameter::Eta);
            if !has_eta && numbers.iter().any(|(parameter, _)| *parameter == Parameter::Eta) {
                return anyhow!("{} has no eta: nothing is proved of near words", self.kind);
            }
            Request { kind: self.drawn_by, given, source: Source::Table(self.table) }.explain(error)
        })
    }

    /// The strength at which a reader names that share: where retention is the share without what the reader gains
    /// beyond retention, which hardly changes with the strength.
    fn inverted(&mut self, share: f64) -> Result<(Privatizer, Inversion)> {
        let mut best: Option<(Privatizer, Inversion)> = None;
        let off = |inversion: &Inversion| (inversion.success - share).abs();
        let mut target = share;
        for _ in 0..CORRECTIONS {
            let privatizer = match self.reaching(Measure::Retention, target) {
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

    /// The strength at which a measure has this value; where it jumps, the side of the jump that is nearer.
    ///
    /// # Errors
    /// No strength leaves as much, or as little.
    pub(super) fn reaching(&mut self, measure: Measure, value: f64) -> Result<Privatizer> {
        let last = |known: &[(f64, [f64; 2])]| known.len() - 1;
        loop {
            let of = |found: [f64; 2]| found[measure as usize];
            let above = self.known.partition_point(|(_, found)| of(*found) < value).clamp(1, last(&self.known));
            let ends = [self.known[above - 1], self.known[above]];
            let [low, high] = ends.map(|(x, found)| (x, of(found)));
            // At the ends of the range nothing was measured.
            let is_inside = above > 1 && above < last(&self.known);
            let (x, nearer) = if value - low.1 < high.1 - value { low } else { high };
            let is_narrow = high.0 - low.0 < NARROW;
            if is_inside && nearer > 0.0 && (is_narrow || (nearer - value).abs() <= NEAR) {
                return self.sought(libm::exp(x));
            }
            if is_narrow {
                let what = match measure {
                    Measure::Retention => format!("retention near {value:.3}"),
                    Measure::Closeness => format!("mean distance near {:.3}", -libm::log(value)),
                };
                return Err(anyhow!("{} reaches no {what} on this table", self.kind));
            }
            let x = between(low, high, value);
            let found = self.measured(libm::exp(x));
            let [(_, low), (_, high)] = ends;
            self.known.insert(above, (x, std::array::from_fn(|i| found[i].clamp(low[i], high[i]))));
        }
    }
}

/// ε, γ and ln m of the levels of `nearest` on a table, ascending.
fn levels(table: &Table) -> Vec<[f64; 3]> {
    let levels = table.level_reports().unwrap_or_default();
    let of_level = |level: &LevelReport| Some([level.epsilon_word, level.frequency_power?, libm::log(level.mass?)]);
    levels.iter().filter_map(of_level).collect()
}

/// γ and m at an ε: on the lines of γ and of ln m from level to level. Nothing where there are no levels.
fn between_levels(levels: &[[f64; 3]], epsilon: f64) -> Vec<(Parameter, f64)> {
    let [.., _, _] = levels else { return Vec::new() };
    let above = levels.partition_point(|[of, ..]| *of < epsilon).clamp(1, levels.len() - 1);
    let [low, high] = [levels[above - 1], levels[above]];
    let along = ((epsilon - low[0]) / (high[0] - low[0])).clamp(0.0, 1.0);
    let [_, power, mass] = std::array::from_fn(|i| low[i] + along * (high[i] - low[i]));
    vec![(Parameter::FrequencyPower, power), (Parameter::Mass, libm::exp(mass))]
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

/// 1/√(least eigenvalue of Σ), Σ the matrix of the Mahalanobis norm: ‖z‖_M is at most this factor times ‖z‖.
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
        let mut met = 0;
        for kind in MechanismKind::ALL.iter().filter(|kind| kind.parameters().contains(&Parameter::Eta)) {
            let mut contender = contender(&table, *kind);
            let (privatizer, _) = match contender.meet(Point::Eta(eta)) {
                Ok(met) => met,
                Err(error) => {
                    assert!(format!("{error:#}").contains("the table has no certificates"), "{kind}: {error:#}");
                    continue;
                }
            };
            met += 1;
            let proved = contender.euclidean_eta(&privatizer.guarantee(1)).expect("metric DP");
            assert!((proved / eta - 1.0).abs() < 1e-12, "{kind}: {proved} {eta}");
        }
        assert!(met >= 5, "{met} mechanisms");
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
    fn a_distance_that_is_asked_for_is_reached() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let mut contender = contender(&table, MechanismKind::Exponential);
        let mut before = f64::INFINITY;
        for share in [0.8, 0.5, 0.2] {
            let distance = share * table.diameter_bound() / 2.0;
            let (privatizer, _) = contender.meet(Point::Distance(distance)).expect("in reach");
            let [_, closeness] = sampled(&privatizer, &table, 3);
            assert!((closeness - libm::exp(-distance)).abs() <= NEAR);
            assert!(distance < before);
            before = distance;
        }
    }

    #[test]
    fn randomized_response_favours_the_word_alone_by_its_epsilon() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let offered: Vec<_> = table.rows().filter(|row| table.is_offered(*row)).collect();
        let mut contender = contender(&table, MechanismKind::RandomizedResponse);
        let privatizer = contender.at(&[(Parameter::Epsilon, 7.0)]).expect("in range");
        let word = offered[7];
        let shares = privatizer.distribution(word).expect("stated");
        let (own, others): (Vec<_>, Vec<_>) = shares.into_iter().partition(|(row, _)| *row == word);
        assert!(others.iter().all(|(_, share)| (own[0].1 / share / 7.0_f64.exp() - 1.0).abs() < 1e-6));
        assert_eq!(others.len() + 1, offered.len());
        let (_, inversion) = contender.meet(Point::Retention(0.3)).expect("in reach");
        assert!((inversion.retention - 0.3).abs() <= NEAR, "{inversion:?}");
    }

    #[test]
    fn between_levels_their_numbers_are_between() {
        let table = textveil_tables::load(None).expect("the built-in table");
        let levels = levels(&table);
        for [epsilon, power, mass] in &levels {
            let at = between_levels(&levels, *epsilon);
            assert_eq!(at[0].1, *power);
            assert!((at[1].1 / libm::exp(*mass) - 1.0).abs() < 1e-12);
        }
        let [.., (_, power), (_, mass)] = between_levels(&levels, 8.5)[..] else { unreachable!() };
        assert!((0.25..0.5).contains(&power) && (mass - 0.003).abs() < 1e-12);
        assert_eq!(between_levels(&levels, 1.0), between_levels(&levels, 4.0));
        assert!(between_levels(&[], 4.0).is_empty());
    }

    #[test]
    fn what_cannot_be_reached_is_refused_and_not_approximated() {
        let table = textveil_tables::example(300, 6).expect("a table");
        // A seventh of the example's words is never offered.
        let mut exponential = contender(&table, MechanismKind::Exponential);
        for beyond in [0.87, 0.95] {
            assert!(exponential.meet(Point::Retention(beyond)).is_err());
        }
        let refused = contender(&table, MechanismKind::Laplace).meet(Point::Eta(1.0)).expect_err("no eta");
        assert!(refused.to_string().contains("has no eta"), "{refused}");
    }
}
