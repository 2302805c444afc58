//! Tails of the normal, beta and binomial distributions with small relative error, far out too.

use core::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use libm::{erfc, exp, lgamma, log, log1p};

const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_7;

/// The standard normal density.
pub(crate) fn normal_density(x: f64) -> f64 {
    exp(-0.5 * x * x - LN_SQRT_2PI)
}

/// P(Z ≤ x) for a standard normal Z.
pub(crate) fn normal_below(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// P(a < Z ≤ b) for a standard normal Z, taken on the side where it does not cancel.
pub(crate) fn normal_between(a: f64, b: f64) -> f64 {
    let mass = if a > 0.0 { normal_below(-a) - normal_below(-b) } else { normal_below(b) - normal_below(a) };
    mass.max(0.0)
}

/// ln erfc(x).
pub(crate) fn ln_erfc(x: f64) -> f64 {
    // erfc(x) = 2·P(Z > x√2); its direct value is subnormal from about 26.5 on.
    if x < 25.0 { log(erfc(x)) } else { log(2.0 * mills(x * SQRT_2)) - x * x - LN_SQRT_2PI }
}

/// c(x) of Laplace's continued fraction (1 − Φ(x))/φ(x) = 1/(x + c(x)), c = 1/(x + 2/(x + 3/(x + …))), for x
/// ≥ 3.
fn mills_fraction(x: f64) -> f64 {
    // At x = 3 sixty terms leave a relative error of 2·10⁻¹⁸.
    1.0 / (2..=60).rev().fold(x, |rest, k| x + f64::from(k) / rest)
}

/// Mills' ratio (1 − Φ(x))/φ(x).
pub(crate) fn mills(x: f64) -> f64 {
    if x < 3.0 { normal_below(-x) / normal_density(x) } else { 1.0 / (x + mills_fraction(x)) }
}

/// How fast [`mills`] falls: −d/dx = 1 − x·mills(x).
pub(crate) fn mills_fall(x: f64) -> f64 {
    if x < 3.0 {
        1.0 - x * mills(x)
    } else {
        let c = mills_fraction(x);
        c / (x + c)
    }
}

/// ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π], the error of Stirling's formula, for x > 0.
pub(crate) fn stirling_error(x: f64) -> f64 {
    if x < 10.0 {
        return lgamma(x) - ((x - 0.5) * log(x) - x + LN_SQRT_2PI);
    }
    let r = 1.0 / (x * x);
    // B₂ₖ/(2k(2k − 1)), the last first.
    let terms = [
        -3617.0 / 122_400.0,
        1.0 / 156.0,
        -691.0 / 360_360.0,
        1.0 / 1188.0,
        -1.0 / 1680.0,
        1.0 / 1260.0,
        -1.0 / 360.0,
        1.0 / 12.0,
    ];
    terms.into_iter().fold(0.0, |sum, term| sum * r + term) / x
}

/// ln of x^a·(1 − x)^b / B(a, b) at the mean x = a/(a + b), where it is largest.
fn ln_beta_at_mean(a: f64, b: f64) -> f64 {
    let n = a + b;
    0.5 * log(a / n * b / (2.0 * PI)) + stirling_error(n) - stirling_error(a) - stirling_error(b)
}

/// ln B(a, b).
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    -(ln_beta_at_mean(a, b) + a * log1p(b / a) + b * log1p(a / b))
}

/// ln of x^a·y^b / B(a, b), where y = 1 − x is given apart so that neither end loses digits.
fn ln_beta_kernel(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let power = |a: f64, x: f64| {
        let excess = (x * n - a) / a;
        // Near the mean the two powers nearly cancel, and so do their logarithms' main parts.
        if excess.abs() < 0.5 { a * log1p(excess) } else { a * (log(x) + log(n / a)) }
    };
    power(a, x) + power(b, y) + ln_beta_at_mean(a, b)
}

/// The shares (P(X ≤ x), P(X > x)) of X ~ Beta(a, b), a, b > 0, where y = 1 − x.
pub(crate) fn beta_tails(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if y <= 0.0 {
        return (1.0, 0.0);
    }
    if x * (a + b + 2.0) < a + 1.0 {
        let lower = exp(ln_beta_kernel(a, b, x, y)) / a * beta_fraction(a, b, x);
        // The smaller share is computed, so that the other one loses no digits.
        if lower <= 0.5 {
            return (lower, 1.0 - lower);
        }
    }
    let upper = exp(ln_beta_kernel(b, a, y, x)) / b * beta_fraction(b, a, y);
    (1.0 - upper, upper)
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method; it converges in
/// a few √(a + b) steps where [`beta_tails`] uses it.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |t: f64| if t.abs() < TINY { TINY } else { t };
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut value) = (1.0, d);
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        value *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// ln P(X = k) of X ~ Binomial(n, p) with 0 < p < 1, where r = 1 − p; k ≤ n.
pub(crate) fn ln_binomial(n: f64, k: f64, p: f64, r: f64) -> f64 {
    if k == 0.0 {
        n * if p < 0.5 { log1p(-p) } else { log(r) }
    } else if k == n {
        n * if r < 0.5 { log1p(-r) } else { log(p) }
    } else {
        // C(n, k) = n/(k(n − k)) / B(k, n − k).
        ln_beta_kernel(k, n - k, p, r) + log(n / k / (n - k))
    }
}

/// 1/(1 + e^{−x}).
pub(crate) fn logistic(x: f64) -> f64 {
    if x < 0.0 { exp(x) / (1.0 + exp(x)) } else { 1.0 / (1.0 + exp(-x)) }
}

/// ln(e^a + e^b).
pub(crate) fn ln_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + log1p(exp(low - high)) }
}

/// ∫ from `middle` − `half` to `middle` + `half` by Gauss and Legendre's ten points.
pub(crate) fn gauss_legendre(middle: f64, half: f64, f: impl Fn(f64) -> f64) -> f64 {
    const RULE: [(f64, f64); 5] = [
        (0.148_874_338_981_631_2, 0.295_524_224_714_752_9),
        (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
        (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
        (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
        (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    ];
    RULE.iter().map(|(x, weight)| weight * (f(middle + half * x) + f(middle - half * x))).sum::<f64>() * half
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * b.abs()
    }

    #[test]
    fn mills_ratio_meets_at_the_seam_and_its_fall_is_its_derivative() {
        let direct = |x: f64| normal_below(-x) / normal_density(x);
        for x in [3.0, 3.5, 4.0, 6.0] {
            assert!(close(mills(x), direct(x), 1e-14), "{x}");
        }
        for x in [-3.0, 0.0, 2.9, 3.1, 30.0] {
            let slope = gauss_legendre(x + 0.125, 0.125, mills_fall);
            assert!(close(mills(x) - mills(x + 0.25), slope, 1e-11), "{x}");
        }
    }

    #[test]
    fn beta_tails_are_those_of_the_binomial() {
        // P(Binomial(n, p) ≥ k) = P(Beta(k, n − k + 1) ≤ p).
        for (n, p) in [(12.0, 0.3), (500.0, 0.497), (500.0, 0.01)] {
            let mut tail = 0.0;
            let mut k = n;
            while k >= 1.0 {
                tail += exp(ln_binomial(n, k, p, 1.0 - p));
                let (lower, upper) = beta_tails(k, n - k + 1.0, p, 1.0 - p);
                // Below that, floats lose their digits.
                assert!(tail < 1e-290 || close(lower, tail, 1e-11), "{n} {k} {p}: {lower} {tail}");
                assert!((lower + upper - 1.0).abs() < 1e-15);
                k -= 1.0;
            }
        }
    }

    /// Computed with 40 digits (mpmath, `betainc`): dimensions, the square of a cosine, and the share of the two caps
    /// beyond it. The proof of `privunit2` in `core` rests on these errors.
    #[test]
    fn shares_of_caps_have_half_the_error_that_a_proof_allows() {
        let stored = [
            (3.0, 0.404_5, 0.363_996_855_353_686_14),
            (3.0, 0.137, 0.629_864_889_533_565),
            (3.0, 0.95, 0.025_320_565_519_103_63),
            (24.0, 0.106_4, 0.111_535_118_104_815_06),
            (24.0, 0.034_3, 0.375_451_976_583_427_27),
            (24.0, 0.643, 1.441_247_616_589_892_8e-06),
            (48.0, 0.055_56, 0.103_005_932_326_559_52),
            (48.0, 0.018_5, 0.351_406_528_831_847_8),
            (48.0, 0.346, 8.804_183_634_480_463e-06),
            (100.0, 0.027_97, 0.094_595_485_401_958_4),
            (100.0, 0.009_23, 0.339_215_994_491_335_66),
            (100.0, 0.173, 1.520_326_313_133_028_6e-05),
            (200.0, 0.014_43, 0.089_394_670_606_185_04),
            (200.0, 0.004_71, 0.333_012_484_126_916_64),
            (200.0, 0.088_2, 1.858_725_640_661_201e-05),
            (300.0, 0.009_65, 0.088_881_158_506_164_82),
            (300.0, 0.003_16, 0.331_057_908_452_468_3),
            (300.0, 0.059_2, 1.972_094_896_914_094_7e-05),
            (384.0, 0.007_639, 0.086_778_568_589_245_46),
            (384.0, 0.002_47, 0.330_753_669_875_216_9),
            (384.0, 0.046_4, 2.017_120_155_622_355_5e-05),
            (768.0, 0.003_824, 0.086_586_617_822_314_68),
            (768.0, 0.001_24, 0.329_452_162_810_480_95),
            (768.0, 0.023_3, 2.128_373_886_505_680_7e-05),
            (2048.0, 0.001_415, 0.088_697_874_050_714_26),
            (2048.0, 0.000_468, 0.327_694_769_232_474_7),
            (2048.0, 0.008_77, 2.177_970_734_472_581_8e-05),
            (4096.0, 0.000_727_8, 0.084_243_974_559_233_31),
            (4096.0, 0.000_234, 0.327_634_461_439_991_36),
            (4096.0, 0.004_39, 2.192_372_037_518_500_7e-05),
        ];
        for (dims, square, caps) in stored {
            let (band, beyond) = beta_tails(0.5, 0.5 * (dims - 1.0), square, 1.0 - square);
            let allowed = 2.0_f64.powi(-46) + dims * 2.0_f64.powi(-50);
            assert!(close(beyond, caps, 0.5 * allowed), "{dims} {square}: {beyond} {caps}");
            assert!((band + beyond - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn beta_has_its_closed_forms() {
        assert!(close(exp(ln_beta(0.5, 0.5)), PI, 1e-14));
        assert!(close(exp(ln_beta(3.0, 4.0)), 1.0 / 60.0, 1e-14));
        assert!(close(ln_beta(1.0, 1e6), -log(1e6), 1e-14));
    }

    #[test]
    fn ln_erfc_meets_at_the_seam() {
        assert!(close(ln_erfc(25.000_001), log(erfc(25.000_001)), 1e-14));
        assert!(ln_erfc(1e3) < -1e6 && ln_erfc(-1e3) == log(2.0));
    }
}
