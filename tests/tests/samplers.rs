//! The exact samplers: their laws against reference values, and every argument answered without a panic.

use std::collections::BTreeMap;
use std::num::NonZero;

use proptest::prelude::*;
use rand_core::Rng;
use serde::Deserialize;
use serde_json::Value;
use textveil::account::discrete::{DiscreteGaussian, DiscreteLaplace};
use textveil::sampler::{
    Scale, Tail, Variance, below, bernoulli, bernoulli_exp, bernoulli_ratio, discrete_gaussian, discrete_laplace,
};
use textveil::{Error, ReleaseRng};
use textveil_tests::{
    DiscreteNoise, Folder, SIGNIFICANCE, agrees, chi_square_tail, experiment, oracle, other_oracles, with_oracles,
};

const DRAWS: u64 = 100_000;

#[derive(Deserialize)]
struct Noise {
    cases: Vec<DiscreteNoise>,
}

/// A sample by its outcomes.
struct Sample(BTreeMap<i64, u64>);

impl Sample {
    fn of(number: u8, draw: impl Fn(&mut ReleaseRng) -> i64) -> Self {
        let mut rng = experiment(number);
        let mut counts = BTreeMap::new();
        for _ in 0..DRAWS {
            *counts.entry(draw(&mut rng)).or_default() += 1;
        }
        Self(counts)
    }

    /// Whether the share of the outcomes that `counted` names is as `p` has it.
    fn agrees(&self, p: f64, counted: impl Fn(i64) -> bool) -> bool {
        agrees(self.0.iter().filter(|(k, _)| counted(**k)).map(|(_, count)| count).sum(), DRAWS, p)
    }

    /// The mean of a power of the outcome.
    fn moment(&self, power: i32) -> f64 {
        self.0.iter().map(|(k, count)| (*k as f64).powi(power) * *count as f64).sum::<f64>() / DRAWS as f64
    }

    /// Whether mean and variance are within five standard errors of 0 and `variance`, or three draws of ±1 where those
    /// are too rare. `fourth` is the fourth moment of the law.
    fn has_moments(&self, variance: f64, fourth: f64) -> bool {
        let n = DRAWS as f64;
        self.moment(1).abs() <= 5.0 * (variance / n).sqrt() + 3.0 / n
            && (self.moment(2) - variance).abs() <= 5.0 * ((fourth - variance * variance) / n).sqrt() + 3.0 / n
    }

    /// The tail of Pearson's statistic against a law that is proportional to `weight`.
    fn chi_square(&self, reach: i64, weight: impl Fn(i64) -> f64) -> f64 {
        let total: f64 = (-reach..=reach).map(&weight).sum();
        chi_square_tail(&self.0, &(-reach..=reach).map(|k| (k, weight(k) / total)).collect())
    }
}

fn denominator(value: u128) -> NonZero<u128> {
    NonZero::new(value).expect("above zero")
}

/// Samples by the bits of their parameter: one serves all cases of the oracle that share it.
type Samples = BTreeMap<u64, Sample>;

fn laplace_sample(samples: &mut Samples, scale: Scale) -> &Sample {
    let (steps, draw) = (scale.get(), |rng: &mut ReleaseRng| discrete_laplace(scale, rng));
    samples.entry(steps.to_bits()).or_insert_with(|| Sample::of(steps.ceil() as u8, draw))
}

fn gaussian_sample(samples: &mut Samples, variance: Variance) -> &Sample {
    let (squared, draw) = (variance.get(), |rng: &mut ReleaseRng| discrete_gaussian(variance, rng));
    samples.entry(squared.to_bits()).or_insert_with(|| Sample::of(squared.ceil() as u8, draw))
}

/// The change of a number of the law from the oracle's parameter to the drawn one. Samplers round the parameter up to a
/// multiple of 1/1024. The change is 0 if the oracle's parameter is such a multiple. (`tests/accounting.rs` compares
/// the formulas with the oracle.)
fn moved<L>(law: impl Fn(f64) -> L, asked: f64, drawn: f64, of: impl Fn(&L) -> f64) -> f64 {
    of(&law(drawn)) - of(&law(asked))
}

/// The fourth moment of P(k) ∝ e^(−|k|/t).
fn laplace_fourth(t: f64) -> f64 {
    let (a, rest) = ((-1.0 / t).exp(), -(-1.0 / t).exp_m1());
    2.0 * a * (1.0 + 10.0 * a + a * a) / rest.powi(4)
}

/// The fourth moment of P(k) ∝ e^(−k²/2σ²).
fn gaussian_fourth(squared: f64) -> f64 {
    let weight = |k: i64| (-((k * k) as f64) / (2.0 * squared)).exp();
    let reach = (12.0 * squared.sqrt()) as i64 + 2;
    let total: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|k| (k as f64).powi(4) * weight(k)).sum::<f64>() / total
}

#[test]
fn discrete_noise_follows_the_oracle() {
    let oracle: Noise = oracle("discrete_noise.json");
    let mut laplace: Samples = BTreeMap::new();
    let mut gaussian: Samples = BTreeMap::new();
    let mut checked = 0;
    for case in oracle.cases {
        match case {
            DiscreteNoise::BernoulliExp { gamma, p } => {
                const PARTS: u128 = 1 << 60;
                let parts = (gamma * PARTS as f64) as u128;
                let draw = |rng: &mut ReleaseRng| i64::from(bernoulli_exp(parts, denominator(PARTS), rng));
                assert!(Sample::of((10.0 * gamma) as u8, draw).agrees(p, |k| k == 1), "e^−{gamma}");
            }
            DiscreteNoise::DiscreteLaplacePmf { t, k, pmf, cdf } => {
                let scale = Scale::at_least(t).expect("in range");
                let sample = laplace_sample(&mut laplace, scale);
                let law = |t| DiscreteLaplace::new(t).expect("in range");
                let pmf = pmf + moved(law, t, scale.get(), |law| law.pmf(k));
                let cdf = cdf + moved(law, t, scale.get(), |law| law.cdf(k));
                assert!(sample.agrees(pmf, |drawn| drawn == k), "Laplace {t} at {k}");
                assert!(sample.agrees(pmf, |drawn| drawn == -k), "Laplace {t} at −{k}");
                assert!(sample.agrees(cdf, |drawn| drawn <= k), "Laplace {t} up to {k}");
            }
            DiscreteNoise::DiscreteLaplaceMoments { t, var, .. } => {
                let scale = Scale::at_least(t).expect("in range");
                let law = |t| DiscreteLaplace::new(t).expect("in range");
                let var = var + moved(law, t, scale.get(), DiscreteLaplace::variance);
                let sample = laplace_sample(&mut laplace, scale);
                assert!(sample.has_moments(var, laplace_fourth(scale.get())), "Laplace {t}");
            }
            DiscreteNoise::DiscreteGaussianPmf { sigma2, k, pmf } => {
                let variance = Variance::at_least(sigma2).expect("in range");
                let sample = gaussian_sample(&mut gaussian, variance);
                let law = |squared| DiscreteGaussian::new(squared).expect("in range");
                let pmf = pmf + moved(law, sigma2, variance.get(), |law| law.pmf(k));
                assert!(sample.agrees(pmf, |drawn| drawn == k), "Gaussian {sigma2} at {k}");
                assert!(sample.agrees(pmf, |drawn| drawn == -k), "Gaussian {sigma2} at −{k}");
            }
            DiscreteNoise::DiscreteGaussianMoments { sigma2, var, .. } => {
                let variance = Variance::at_least(sigma2).expect("in range");
                let law = |squared| DiscreteGaussian::new(squared).expect("in range");
                let var = var + moved(law, sigma2, variance.get(), DiscreteGaussian::variance);
                let sample = gaussian_sample(&mut gaussian, variance);
                assert!(sample.has_moments(var, gaussian_fourth(variance.get())), "Gaussian {sigma2}");
            }
            // A matter of accounts, not of samplers.
            DiscreteNoise::OpendpMap { .. } => continue,
        }
        checked += 1;
    }
    assert!(checked > 0, "the oracle holds cases");
}

#[test]
fn other_values_of_the_schema_are_taken_and_a_wrong_one_is_refused() {
    const TEST: &str = "discrete_noise_follows_the_oracle";
    assert_eq!(with_oracles(TEST, &other_oracles()), Ok(()));
    // Each kind of value in turn, with the first one changed by a fifth of itself.
    let file = other_oracles().join("discrete_noise.json");
    let good: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("it is there")).expect("JSON");
    let kinds =
        ["discrete_laplace_pmf", "discrete_laplace_moments", "discrete_gaussian_pmf", "discrete_gaussian_moments"];
    for kind in kinds.into_iter().chain(["bernoulli_exp"]) {
        let mut wrong = good.clone();
        let cases = wrong["cases"].as_array_mut().expect("cases");
        let case = cases.iter_mut().find(|case| case["kind"] == kind).expect("a case of the kind");
        let name = ["pmf", "var", "p"].into_iter().find(|name| case.get(*name).is_some()).expect("a value");
        case[name] = (case[name].as_f64().expect("a number") * 0.8).into();
        let folder = Folder::new();
        folder.write("discrete_noise.json", wrong.to_string());
        let refused = with_oracles(TEST, folder.0.path());
        assert!(refused.is_err(), "a wrong {name} of {kind} is taken");
    }
}

#[test]
fn discrete_noise_has_the_law_of_its_formula() {
    const TESTS: f64 = 8.0;
    for (steps, number) in [(0.2, 31), (1.7, 32), (12.3, 33), (40.0, 34)] {
        let scale = Scale::at_least(steps).expect("in range");
        let sample = Sample::of(number, |rng| discrete_laplace(scale, rng));
        let tail = sample.chi_square((60.0 * steps) as i64 + 2, |k| (-k.abs() as f64 / scale.get()).exp());
        assert!(tail > SIGNIFICANCE / TESTS, "scale {steps}: {tail}");
    }
    for (squared, number) in [(0.3, 41), (2.0, 42), (77.7, 43), (900.0, 44)] {
        let variance = Variance::at_least(squared).expect("in range");
        let sample = Sample::of(number, |rng| discrete_gaussian(variance, rng));
        let weight = |k: i64| (-((k * k) as f64) / (2.0 * variance.get())).exp();
        let tail = sample.chi_square((12.0 * squared.sqrt()) as i64 + 2, weight);
        assert!(tail > SIGNIFICANCE / TESTS, "variance {squared}: {tail}");
    }
}

/// The ideal laws come from distribution functions here, and from another library's erf.
#[test]
fn rounded_noise_has_the_law_of_its_tail() {
    const TESTS: f64 = 6.0;
    for (deviation, number) in [(0.4, 51), (3.0, 52), (25.0, 53)] {
        let law = Tail::gaussian(deviation).expect("in range");
        let sample = Sample::of(number, |rng| law.draw(rng));
        let half = |x: f64| 0.5 * statrs::function::erf::erf(x / deviation / std::f64::consts::SQRT_2);
        let tail = sample
            .chi_square((13.0 * deviation) as i64 + 1, |k| (half(k as f64 + 0.5) - half(k as f64 - 0.5)).max(0.0));
        assert!(tail > SIGNIFICANCE / TESTS, "σ {deviation}: {tail}");
    }
    for (rate, radius, number) in [(2.0_f64, 2.4_f64, 61), (0.2, 17.5, 62), (1e-3, 40.2, 63)] {
        let law = Tail::truncated_laplace(rate, radius).expect("in range");
        let sample = Sample::of(number, |rng| law.draw(rng));
        let below = |x: f64| {
            let x = x.clamp(-radius, radius);
            x.signum() * (1.0 - (-rate * x.abs()).exp())
        };
        let tail = sample.chi_square(radius.round() as i64, |k| below(k as f64 + 0.5) - below(k as f64 - 0.5));
        assert!(tail > SIGNIFICANCE / TESTS, "rate {rate}, radius {radius}: {tail}");
    }
}

#[test]
fn the_probabilities_that_a_tail_states_are_those_it_draws_by() {
    let law = Tail::gaussian(6.5).expect("in range");
    let sample = Sample::of(71, |rng| law.draw(rng));
    assert!(sample.chi_square(90, |k| law.probability(k)) > SIGNIFICANCE);
    let total: f64 = (-90..=90).map(|k| law.probability(k)).sum();
    assert!((total - 1.0).abs() < 1e-14);
}

#[test]
fn simple_draws_have_their_probability() {
    const TESTS: f64 = 3.0;
    let sample = Sample::of(81, |rng| below(denominator(37), rng) as i64);
    assert!(chi_square_tail(&sample.0, &(0..37).map(|k| (k, 1.0 / 37.0)).collect()) > SIGNIFICANCE / TESTS);
    // Beyond 64 bits, by the eighth of the range that is hit.
    let wide = 5 << 100;
    let sample = Sample::of(82, |rng| (below(denominator(wide), rng) / (wide / 8)) as i64);
    assert!(chi_square_tail(&sample.0, &(0..8).map(|k| (k, 0.125)).collect()) > SIGNIFICANCE / TESTS);
    let (third, sixth) = (u64::MAX / 3, denominator(6));
    let sample = Sample::of(83, |rng| 2 * i64::from(bernoulli(third, rng)) + i64::from(bernoulli_ratio(1, sixth, rng)));
    let law = [(0, 10.0 / 18.0), (1, 2.0 / 18.0), (2, 5.0 / 18.0), (3, 1.0 / 18.0)];
    assert!(chi_square_tail(&sample.0, &law.into_iter().collect()) > SIGNIFICANCE / TESTS);
}

/// Any double, the odd ones included.
fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), (-60.0..50.0_f64).prop_map(f64::exp2)]
}

/// Any 128 bits, of any length.
fn any_wide() -> impl Strategy<Value = u128> {
    (any::<u128>(), 0..128_u32).prop_map(|(bits, shift)| bits >> shift)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn integers_of_any_size_are_drawn_within_their_limits(
        numerator in any_wide(), limit in any_wide().prop_map(|limit| denominator(limit.max(1))), number: u8,
    ) {
        let mut rng = experiment(number);
        prop_assert!(below(limit, &mut rng) < limit.get());
        prop_assert!(numerator < limit.get() || bernoulli_ratio(numerator, limit, &mut rng));
        prop_assert!(!bernoulli_ratio(0, limit, &mut rng));
        prop_assert!(bernoulli_exp(0, limit, &mut rng), "e^0 is 1");
        let _either = bernoulli_exp(numerator, limit, &mut rng);
    }

    #[test]
    fn any_number_is_a_scale_or_an_error(steps in any_double(), number: u8) {
        let mut rng = experiment(number);
        match Scale::at_least(steps) {
            // A scale is passed a hundredfold with a probability of e^−100.
            Ok(scale) => prop_assert!((discrete_laplace(scale, &mut rng) as f64).abs() <= 100.0 * scale.get() + 1.0),
            Err(error) => prop_assert_eq!(error, Error::InvalidScale),
        }
        match Variance::at_least(steps) {
            Ok(variance) => {
                let drawn = discrete_gaussian(variance, &mut rng) as f64;
                prop_assert!(drawn.abs() <= 14.0 * variance.get().sqrt() + 1.0);
            }
            Err(error) => prop_assert_eq!(error, Error::InvalidScale),
        }
    }

    #[test]
    fn any_numbers_are_a_tail_or_an_error(
        deviation in any_double(), rate in any_double(), radius in any_double(), at: i64, number: u8,
    ) {
        for law in [Tail::gaussian(deviation), Tail::truncated_laplace(rate, radius)] {
            match law {
                Ok(law) => {
                    let mut rng = experiment(number);
                    let drawn = law.draw(&mut rng);
                    prop_assert!(law.probability(drawn) > 0.0);
                    prop_assert!((0.0..=1.0).contains(&law.probability(at)));
                    prop_assert!((0.0..1e-3).contains(&law.slack()) && law.beyond() < 1e-18);
                    // Two words, whatever was drawn.
                    let mut words = experiment(number);
                    let _taken = [words.next_u64(), words.next_u64()];
                    prop_assert_eq!(rng.next_u64(), words.next_u64());
                }
                Err(error) => prop_assert_eq!(error, Error::InvalidScale),
            }
        }
        if let Ok(law) = Tail::truncated_laplace(rate, radius) {
            prop_assert!((law.draw(&mut experiment(number)) as f64).abs() <= radius + 0.5);
        }
    }
}
