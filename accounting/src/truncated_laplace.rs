//! Truncated Laplace noise on the coordinates of a vector (Huang, Yang, Habernal, Hu and Wang, EMNLP 2024).
//!
//! # Privacy
//! Independent noise with density proportional to e^{−a|x|} on \[−A, A\]. For a shift Δ with ‖Δ‖₁ ≤ D₁ and a = ε/D₁,
//! the densities differ by at most e^ε where both are positive. So δ is exactly the probability of leaving the other's
//! support. It is 1 − ∏(1 − p(|Δᵢ|)), with p the mass that leaves along one coordinate. One coordinate that leaves is
//! enough. The published radius bounds each p and multiplies these bounds, as if all coordinates had to leave at once:
//! its δ is near 1.
//!
//! A sound radius: p is convex on \[0, A\] with p(0) = 0, so Σ p(|Δᵢ|) ≤ (D₁/D∞)·p(D∞). With A = (D₁/ε)·ln(1 +
//! (D₁/D∞)(e^{εD∞/D₁} − 1)/(2δ)) that is at most δ.

use libm::{exp, expm1, log1p, pow, sqrt};

use crate::{Error, Loss, check, least, rounded_up};

/// Noise with density proportional to e^{−rate·|x|} on \[−radius, radius\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedLaplace {
    rate: f64,
    radius: f64,
}

impl TruncatedLaplace {
    /// Noise of that rate, an inverse length, and that radius.
    ///
    /// # Errors
    /// [`Error::Scale`] unless both, and their product, are finite and above zero.
    pub fn new(rate: f64, radius: f64) -> Result<Self, Error> {
        check::scale(rate)?;
        check::scale(radius)?;
        check::scale(rate * radius)?;
        Ok(Self { rate, radius })
    }

    /// Noise that loses at most `loss` for all shifts of ℓ₁ norm at most `l1` and coordinates at most `linf`.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range, [`Error::Clip`] unless 0 < `linf` ≤ `l1`.
    pub fn sound(loss: Loss, l1: f64, linf: f64) -> Result<Self, Error> {
        let Loss { epsilon, delta } = loss;
        check::epsilon(epsilon)?;
        check::delta(delta)?;
        check::clip(linf)?;
        if l1 < linf {
            return Err(Error::Clip);
        }
        check::clip(l1)?;
        let rate = epsilon / l1;
        let radius = log1p(l1 / linf * expm1(rate * linf) / (2.0 * delta)) / rate;
        // A few units in the last place: an error of A is multiplied by a·A in δ.
        Self::new(rate, radius * (1.0 + 4.0 * f64::EPSILON))
    }

    /// a, an inverse length.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// A, the largest absolute value.
    #[must_use]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        // γ(3, y)/(a²·γ(1, y)) with y = aA. Where the closed form of γ(3, y) = ∫ u²e^{−u} cancels, its series
        // y³e^{−y}·(1/3 + y/(3·4) + y²/(3·4·5) + …). Beyond 800 the truncation changes no digit, and powers of y could
        // overflow.
        let y = (self.rate * self.radius).min(800.0);
        let mass = -expm1(-y);
        if y > 4.0 {
            (2.0 - exp(-y) * (y * y + 2.0 * y + 2.0)) / mass / (self.rate * self.rate)
        } else {
            let series = (3..50).rev().map(f64::from).fold(0.0, |rest, n| (1.0 + y * rest) / n);
            y / mass * exp(-y) * series * self.radius * self.radius
        }
    }

    /// p(t): the mass that lies outside the support shifted by `t` along one coordinate.
    #[must_use]
    pub fn tail(&self, t: f64) -> f64 {
        let (a, t) = (self.rate, t.abs());
        let end = exp(-a * self.radius);
        let twice = -2.0 * expm1(-a * self.radius);
        if t <= self.radius {
            // e^{−a(A−t)} − e^{−aA}.
            exp(-a * (self.radius - t)) * -expm1(-a * t) / twice
        } else if t < 2.0 * self.radius {
            1.0 - end * expm1(a * (2.0 * self.radius - t)) / twice
        } else {
            1.0
        }
    }

    /// ln of the probability that no coordinate of `count` leaves the support shifted by `t` in each: ln(1 −
    /// δ).
    #[must_use]
    pub fn ln_overlap(&self, count: u64, t: f64) -> f64 {
        count as f64 * log1p(-self.tail(t))
    }

    /// The δ of a shift by `t` in each of `count` coordinates: exact if ε is the loss a·count·|t| or more.
    #[must_use]
    pub fn delta_of_equal_shift(&self, count: u64, t: f64) -> f64 {
        rounded_up(-expm1(self.ln_overlap(count, t))).min(1.0)
    }

    /// The δ of a shift by that vector, for an ε of at least a times its ℓ₁ norm.
    ///
    /// # Errors
    /// [`Error::Clip`] if a coordinate is not finite.
    pub fn delta_of_shift(&self, shift: &[f64]) -> Result<f64, Error> {
        if !shift.iter().all(|t| t.is_finite()) {
            return Err(Error::Clip);
        }
        let overlap: f64 = shift.iter().map(|t| self.ln_overlap(1, *t)).sum();
        Ok(rounded_up(-expm1(overlap)).min(1.0))
    }

    /// A δ that holds for all shifts of ℓ₁ norm at most `l1` and coordinates at most `linf`, with ε = a·`l1`.
    ///
    /// # Errors
    /// [`Error::Clip`] unless 0 < `linf` ≤ `l1`.
    pub fn delta_of_bounds(&self, l1: f64, linf: f64) -> Result<f64, Error> {
        check::clip(linf)?;
        if l1 < linf {
            return Err(Error::Clip);
        }
        // The chord of the convex part; beyond it p is concave, and the steepest slope bounds it.
        let slope = if linf <= self.radius { self.tail(linf) / linf } else { self.density(0.0) };
        Ok(rounded_up(slope * l1).min(1.0))
    }

    /// The density at x within the support.
    fn density(&self, x: f64) -> f64 {
        self.rate * exp(-self.rate * x.abs()) / (-2.0 * expm1(-self.rate * self.radius))
    }
}

/// Vectors that are clipped to ℓ₂ norm C. Any two are neighbours. Shifts lie in the ball of radius 2C, with ℓ₁ norm at
/// most D₁ = 2C√d and coordinates at most D∞ = 2C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClippedVectors {
    dims: f64,
    clip: f64,
}

impl ClippedVectors {
    /// Vectors of `dims` dimensions and norm at most `clip`.
    ///
    /// # Errors
    /// [`Error::Argument`] for no dimensions, [`Error::Clip`] unless `clip` is finite and above zero.
    pub fn new(dims: u64, clip: f64) -> Result<Self, Error> {
        check::clip(clip)?;
        Ok(Self { dims: check::count(dims, 1)?, clip })
    }

    /// D₁ = 2C√d.
    #[must_use]
    pub fn l1(&self) -> f64 {
        2.0 * self.clip * sqrt(self.dims)
    }

    /// D∞ = 2C, also the ℓ₂ sensitivity.
    #[must_use]
    pub fn linf(&self) -> f64 {
        2.0 * self.clip
    }

    /// The published noise, A = −(D₁/ε)·ln(1 − εD∞/(2δ^{1/d}D₁)), or `None` where that is undefined. It is not (ε,
    /// δ)-DP for more than one dimension: see [`Self::worst_delta`].
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
    pub fn published(&self, epsilon: f64, delta: f64) -> Result<Option<TruncatedLaplace>, Error> {
        let excess = 0.5 * epsilon * self.published_normalizer(epsilon, delta)? / self.l1();
        if excess >= 1.0 {
            return Ok(None);
        }
        let rate = epsilon / self.l1();
        TruncatedLaplace::new(rate, -log1p(-excess) / rate).map(Some)
    }

    /// The published normaliser of the density, B = D∞/δ^{1/d}.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
    pub fn published_normalizer(&self, epsilon: f64, delta: f64) -> Result<f64, Error> {
        check::epsilon(epsilon)?;
        check::delta(delta)?;
        Ok(self.linf() / pow(delta, 1.0 / self.dims))
    }

    /// Noise that is (ε, δ)-DP, in closed form.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
    pub fn sound(&self, epsilon: f64, delta: f64) -> Result<TruncatedLaplace, Error> {
        TruncatedLaplace::sound(Loss { epsilon, delta }, self.l1(), self.linf())
    }

    /// The least radius that is (ε, δ)-DP, or `None` where [`Self::equal_shift_is_worst`] does not hold.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
    pub fn exact(&self, epsilon: f64, delta: f64) -> Result<Option<TruncatedLaplace>, Error> {
        Ok(self.shortened(&self.sound(epsilon, delta)?, delta))
    }

    /// The noise with the least radius that keeps this δ, or `None` where [`Self::equal_shift_is_worst`] does not hold.
    #[must_use]
    pub fn shortened(&self, noise: &TruncatedLaplace, delta: f64) -> Option<TruncatedLaplace> {
        let TruncatedLaplace { rate, radius } = *noise;
        let noise = |radius| TruncatedLaplace { rate, radius };
        let radius = least(0.0, radius, |radius| self.delta_of_equal_shift(&noise(radius)) <= delta);
        Some(noise(radius)).filter(|noise| self.equal_shift_is_worst(noise))
    }

    /// Whether the shift by the same amount in every coordinate is the worst in the ball. If t·(a + p′(t)/(1 − p(t))) <
    /// 1 on (0, 2C\], then −ln(1 − p(√s)) is concave in s. In that case a sum over coordinates of given Σs is largest
    /// when all are equal.
    #[must_use]
    pub fn equal_shift_is_worst(&self, noise: &TruncatedLaplace) -> bool {
        let t = self.linf();
        // p′(t) is the density at A − t, so that the left side grows with t up to A: its end decides.
        t <= noise.radius && t * (noise.rate + noise.density(noise.radius - t) / (1.0 - noise.tail(t))) < 1.0
    }

    /// The δ of the shift by 2C/√d in every coordinate.
    #[must_use]
    pub fn delta_of_equal_shift(&self, noise: &TruncatedLaplace) -> f64 {
        noise.delta_of_equal_shift(self.dims as u64, self.linf() / sqrt(self.dims))
    }

    /// The largest δ among shifts by 2C/√k in k coordinates, k = 1…d, and its k. It is a lower bound of the true δ at
    /// ε. Where [`Self::equal_shift_is_worst`] holds, it is the true δ.
    #[must_use]
    pub fn worst_delta(&self, noise: &TruncatedLaplace) -> (f64, u64) {
        let delta = |k: u64| noise.delta_of_equal_shift(k, self.linf() / sqrt(k as f64));
        // Many δ round to 1. The overlap still has digits that differ.
        let overlap = |k: u64| noise.ln_overlap(k, self.linf() / sqrt(k as f64));
        let worst = (1..=self.dims as u64).min_by(|a, b| overlap(*a).total_cmp(&overlap(*b))).unwrap_or(1);
        (delta(worst), worst)
    }

    /// The standard deviation, in each coordinate, of plain Laplace noise that is ε-DP: √2·D₁/ε.
    ///
    /// # Errors
    /// [`Error::Epsilon`] for a number out of range.
    pub fn laplace_deviation(&self, epsilon: f64) -> Result<f64, Error> {
        check::epsilon(epsilon)?;
        Ok(core::f64::consts::SQRT_2 * self.l1() / epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::gauss_legendre;

    fn integral(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
        gauss_legendre(0.5 * (low + high), 0.5 * (high - low), f)
    }

    #[test]
    fn tail_and_variance_are_integrals_of_the_density() -> Result<(), Error> {
        for (rate, radius) in [(0.001, 1.0), (2.0, 1.9), (2.0, 2.1), (0.5, 3.0)] {
            let noise = TruncatedLaplace::new(rate, radius)?;
            assert!((2.0 * integral(0.0, radius, |x| noise.density(x)) - 1.0).abs() < 1e-9);
            let variance = 2.0 * integral(0.0, radius, |x| x * x * noise.density(x));
            assert!((noise.variance() / variance - 1.0).abs() < 1e-9, "{rate} {radius}");
            for share in [0.2, 0.9, 1.0] {
                let t = share * radius;
                let outside = integral(radius - t, radius, |x| noise.density(x));
                assert!((noise.tail(t) / outside - 1.0).abs() < 1e-9);
                let beyond = 0.5 + integral(0.0, t, |x| noise.density(x));
                assert!((noise.tail(radius + t) / beyond - 1.0).abs() < 1e-9);
            }
        }
        Ok(())
    }

    #[test]
    fn the_sound_radius_meets_delta_on_every_shift_tried_and_the_published_one_does_not() -> Result<(), Error> {
        for (dims, epsilon, delta, is_published) in
            [(2, 0.5, 1e-5, false), (50, 0.05, 1e-5, true), (300, 0.5, 1e-3, true)]
        {
            let vectors = ClippedVectors::new(dims, 0.7)?;
            let sound = vectors.sound(epsilon, delta)?;
            assert!(vectors.worst_delta(&sound).0 <= delta);
            assert!(sound.delta_of_bounds(vectors.l1(), vectors.linf())? <= delta * (1.0 + 1e-11));
            if let Some(exact) = vectors.exact(epsilon, delta)? {
                assert!(exact.radius() <= sound.radius());
                let (worst, k) = vectors.worst_delta(&exact);
                assert!(worst <= delta && (worst / delta - 1.0).abs() < 1e-9 && k == dims);
            }
            let published = vectors.published(epsilon, delta)?;
            assert_eq!(published.is_some(), is_published, "{dims}");
            if let Some(published) = published {
                assert!(vectors.worst_delta(&published).0 > delta);
            }
        }
        Ok(())
    }

    #[test]
    fn bounds_cover_every_shift_within_them() -> Result<(), Error> {
        let noise = TruncatedLaplace::new(0.3, 2.0)?;
        for linf in [0.1, 1.0, 1.9, 2.5, 3.9, 5.0] {
            for coordinates in 1..6_usize {
                let shift = alloc::vec![linf; coordinates];
                let exact = noise.delta_of_shift(&shift)?;
                assert!((exact / noise.delta_of_equal_shift(coordinates as u64, linf) - 1.0).abs() < 1e-12);
                assert!(exact <= noise.delta_of_bounds(linf * coordinates as f64, linf)?);
            }
        }
        Ok(())
    }
}
