//! PrivUnit₂: a unit vector under pure local DP (Bhowmick et al. 2018), with the exact cap.
//!
//! With probability p the report V is uniform on the cap ⟨V, v⟩ ≥ γ about the input v, else on the rest of
//! the sphere. If the cap has probability A, densities differ by at most p(1 − A)/((1 − p)A), exactly. So p = 1/(1 +
//! e^−ε₀) and A = 1/(1 + e^ε₁) give ε₀ + ε₁. V/m is unbiased, with mean squared error 1/m² − 1.

use libm::{exp, expm1, log, log1p, sqrt, tanh};

use crate::special::{beta_tails, ln_beta, logistic};
use crate::{Error, check, least, rounded_up};

/// The parameters of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PrivUnit2 {
    /// γ, the cosine from which the cap starts.
    pub gamma: f64,
    /// p, the probability of a report from the cap.
    pub cap_probability: f64,
    /// A, the share of the sphere that the cap has.
    pub cap_share: f64,
    /// m, the mean of ⟨V, v⟩: divide reports by it.
    pub mean: f64,
    /// ε₀ + ε₁ as γ, rounded to a float, really gives it.
    pub epsilon: f64,
    sphere: Sphere,
}

impl PrivUnit2 {
    /// The parameters in `dims` dimensions that spend ε₀ = `choice` on choosing the cap and ε₁ = `cap` on its
    /// size.
    ///
    /// # Errors
    /// [`Error::Argument`] for fewer than two dimensions, [`Error::Epsilon`] unless both are from 0 to 700 and not both
    /// zero.
    pub fn new(dims: u64, choice: f64, cap: f64) -> Result<Self, Error> {
        let sphere = Sphere::new(dims)?;
        check::loss(choice)?;
        check::loss(cap)?;
        let total = choice + cap;
        check::epsilon(total)?;
        if total > 700.0 {
            return Err(Error::Epsilon);
        }
        // A = (1 − I)/2 with I = tanh(ε₁/2), the share of the band |⟨V, v⟩| < γ: compare the smaller side.
        let (share, band) = (logistic(-cap), tanh(0.5 * cap));
        let edge = Edge::where_from(|edge| {
            let (below, above) = sphere.band(edge);
            if cap < 1.0 { below >= band } else { 0.5 * above <= share }
        });
        // (p/A − (1−p)/(1−A)) = (1 + e^−ε₁)·e^ε₁·(1 − e^−ε)/(1 + e^−ε₀).
        let contrast = (1.0 + exp(-cap)) * exp(cap) * -expm1(-total) * logistic(choice);
        let gamma = edge.gamma();
        let real_cap = sphere.cap_epsilon(&Edge::at(gamma));
        Ok(Self {
            gamma,
            cap_probability: logistic(choice),
            cap_share: share,
            mean: sphere.cap_moment(&edge) * contrast,
            epsilon: rounded_up(choice + real_cap.max(cap)),
            sphere,
        })
    }

    /// The parameters of least error for `epsilon` in all.
    ///
    /// As a function of γ alone, m = (e^ε − 1)c/(1 + (e^ε − 1)A) with c the cap's moment. Its derivative vanishes once,
    /// at m = γ. For smaller γ, m is above γ, and for larger γ below it.
    ///
    /// # Errors
    /// [`Error::Argument`] for fewer than two dimensions, [`Error::Epsilon`] unless ε is above 0 and at most 700.
    pub fn optimal(dims: u64, epsilon: f64) -> Result<Self, Error> {
        let sphere = Sphere::new(dims)?;
        check::epsilon(epsilon)?;
        let mean = |edge: &Edge| sphere.cap_moment(edge) / (1.0 / expm1(epsilon) + 0.5 * sphere.band(edge).1);
        let edge = Edge::where_from(|edge| mean(edge) <= edge.gamma());
        let cap = sphere.cap_epsilon(&edge).min(epsilon);
        Self::new(dims, epsilon - cap, cap)
    }

    /// Cosine and sine of the angle between report and input. The share `share`, in [0, 1], of the probability inside
    /// the cap lies nearer to the input. Outside the cap, that share lies nearer to its opposite.
    #[must_use]
    pub fn angle(&self, inside: bool, share: f64) -> [f64; 2] {
        let (cap, rest) = (self.cap_share, 1.0 - self.cap_share);
        // The shares of the sphere on either side of the angle: from the smaller one no digits are lost.
        let [near, far] =
            if inside { [share * cap, (1.0 - share) * cap + rest] } else { [cap + (1.0 - share) * rest, share * rest] };
        let tail = near.min(far);
        let edge = Edge::where_from(|edge| 0.5 * self.sphere.band(edge).1 <= tail);
        [if near <= far { edge.gamma() } else { -edge.gamma() }, sqrt(edge.rest)]
    }

    /// The mean squared error of the unbiased estimate of a unit vector, 1/m² − 1.
    #[must_use]
    pub fn mean_squared_error(&self) -> f64 {
        (1.0 - self.mean) * (1.0 + self.mean) / (self.mean * self.mean)
    }
}

/// The uniform distribution on the unit sphere: the square of a coordinate is Beta(½, (d − 1)/2).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sphere {
    /// (d − 1)/2.
    half: f64,
}

impl Sphere {
    fn new(dims: u64) -> Result<Self, Error> {
        Ok(Self { half: 0.5 * (check::count(dims, 2)? - 1.0) })
    }

    /// The shares of the band |x₁| ≤ γ and of the two caps outside it.
    fn band(&self, edge: &Edge) -> (f64, f64) {
        beta_tails(0.5, self.half, edge.square, edge.rest)
    }

    /// ε₁ = ln (1 − A)/A, A being the share of one cap.
    fn cap_epsilon(&self, edge: &Edge) -> f64 {
        let (band, caps) = self.band(edge);
        log1p(2.0 * band / caps)
    }

    /// E[x₁; x₁ ≥ γ] = (1 − γ²)^{(d−1)/2}/((d − 1)·B(½, (d−1)/2)).
    fn cap_moment(&self, edge: &Edge) -> f64 {
        let ln_rest = if edge.square < 0.5 { log1p(-edge.square) } else { log(edge.rest) };
        exp(self.half * ln_rest - ln_beta(0.5, self.half) - log(2.0 * self.half))
    }
}

/// Where a cap starts: γ² and 1 − γ², both with all their digits.
struct Edge {
    square: f64,
    rest: f64,
}

impl Edge {
    fn at(gamma: f64) -> Self {
        Self { square: gamma * gamma, rest: (1.0 - gamma) * (1.0 + gamma) }
    }

    /// The least edge from which on `holds`.
    fn where_from(holds: impl Fn(&Self) -> bool) -> Self {
        let low = |square: f64| Self { square, rest: 1.0 - square };
        let high = |rest: f64| Self { square: 1.0 - rest, rest };
        let square = least(0.0, 1.0, |square| holds(&low(square)));
        if square < 0.5 { low(square) } else { high(least(0.0, 1.0, |rest| !holds(&high(rest))).next_down()) }
    }

    fn gamma(&self) -> f64 {
        sqrt(self.square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_the_circle_the_cap_is_an_arc() -> Result<(), Error> {
        // A = arccos(γ)/π.
        let unit = PrivUnit2::new(2, 0.5, 1.5)?;
        assert!((libm::acos(unit.gamma) / core::f64::consts::PI / unit.cap_share - 1.0).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn angles_halve_the_cap_and_the_rest() -> Result<(), Error> {
        for dims in [2, 3, 50] {
            let unit = PrivUnit2::new(dims, 1.0, 3.0)?;
            let share_within = |[cosine, sine]: [f64; 2]| {
                let caps = 0.5 * unit.sphere.band(&Edge { square: cosine * cosine, rest: sine * sine }).1;
                if cosine < 0.0 { 1.0 - caps } else { caps }
            };
            let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
            let a = unit.cap_share;
            assert!(close(share_within(unit.angle(true, 0.5)), 0.5 * a));
            assert!(close(share_within(unit.angle(true, 1.0)), a));
            assert!(close(share_within(unit.angle(false, 1.0)), a));
            assert!(close(share_within(unit.angle(false, 0.25)), 1.0 - 0.25 * (1.0 - a)));
        }
        Ok(())
    }

    #[test]
    fn the_ratio_is_the_sum_and_the_optimum_beats_every_split() -> Result<(), Error> {
        for dims in [2, 3, 50, 768] {
            for epsilon in [0.01, 1.0, 10.0, 40.0] {
                let best = PrivUnit2::optimal(dims, epsilon)?;
                assert!((best.epsilon / epsilon - 1.0).abs() < 1e-11);
                assert!((best.mean / best.gamma - 1.0).abs() < 1e-6, "{dims} {epsilon} {best:?}");
                for share in 0..=20 {
                    let choice = f64::from(share) / 20.0 * epsilon;
                    let split = PrivUnit2::new(dims, choice, epsilon - choice)?;
                    assert!(split.mean <= best.mean * (1.0 + 1e-12) && split.mean.is_finite());
                    let (p, a) = (split.cap_probability, split.cap_share);
                    let ratio = log(p * (1.0 - a) / ((1.0 - p) * a));
                    assert!((ratio / epsilon - 1.0).abs() < 1e-9 || 1.0 - p < 1e-6, "{ratio} {epsilon}");
                }
            }
        }
        assert_eq!(PrivUnit2::new(1, 1.0, 1.0), Err(Error::Argument));
        assert_eq!(PrivUnit2::optimal(5, 701.0), Err(Error::Epsilon));
        Ok(())
    }
}
