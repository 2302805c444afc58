//! The distribution of the privacy loss on a grid, and its composition: ε at δ of many identical releases.
//!
//! The loss of an output y is L = ln P(y)/Q(y), and δ(ε) = E_P[(1 − e^{ε−L})₊]. Every approximation here can
//! only raise δ(ε), so that the result is an upper bound:
//!
//! - *Grid.* Mass between two grid points moves to them, so that the totals under P and under Q stay (Doroshenko et
//!   al., PoPETs 2022). The likelihood ratio only spreads about its mean, and δ(ε) is convex in e^ε.
//! - *Tilt.* Masses are weighted by e^{λL} before the convolution, with the λ of Chernoff's bound. The rounding of the
//!   Fourier transform is then relative to δ and not to 1. An allowance for it is added to δ.
//! - *Wrap.* The transform folds mass outside its window into it, which can only add. Chernoff bounds the mass above,
//!   and the bound is added to δ.

mod fourier;

use alloc::vec;
use alloc::vec::Vec;
use libm::{ceil, exp, expm1, log, log1p, sqrt};

/// The share of δ that a cut-off may take.
pub(crate) const NEGLIGIBLE: f64 = 1e-9;

/// The most releases that are composed: the rounding of the transform grows with them.
pub(crate) const MOST_RELEASES: u64 = 1 << 24;

/// The longest window of a composition, in grid points; a finer grid is coarsened to it.
const LONGEST: f64 = (1_u32 << 20) as f64;

/// The loss from which on Q's masses drown: such cells are rounded up whole.
const FARTHEST: f64 = 600.0;

/// The outputs whose loss lies between the grid points `at` and `at + 1`.
pub(crate) struct Cell {
    pub(crate) at: i64,
    /// Their mass under P.
    pub(crate) p: f64,
    /// Their mass under Q.
    pub(crate) q: f64,
}

/// Masses under P of losses at multiples of `width`, the first at `first`.
pub(crate) struct LossDistribution {
    width: f64,
    first: i64,
    masses: Vec<f64>,
    /// The mass of an infinite loss.
    infinite: f64,
}

impl LossDistribution {
    /// A distribution from cells, from masses that lie on the grid or have been rounded up to it, and the
    /// mass of an infinite loss.
    pub(crate) fn new(width: f64, cells: impl Iterator<Item = Cell>, points: &[(i64, f64)], infinite: f64) -> Self {
        let fall = -expm1(-width);
        let mut split: Vec<(i64, f64)> = points.to_vec();
        for Cell { at, p, q } in cells {
            // p = a + b and q = a·e^{−l} + b·e^{−l−width}: b in terms of what q falls short of p·e^{−l}.
            let loss = at as f64 * width;
            let above = if loss > FARTHEST { p } else { ((p - q * exp(loss)) / fall).clamp(0.0, p) };
            split.extend([(at, p - above), (at + 1, above)]);
        }
        let first = split.iter().map(|(at, _)| *at).min().unwrap_or(0);
        let last = split.iter().map(|(at, _)| *at).max().unwrap_or(0);
        let mut masses = vec![0.0; (last - first + 1) as usize];
        for (at, mass) in split {
            masses[(at - first) as usize] += mass;
        }
        // So small a mass would overflow when it is tilted.
        let mut infinite = infinite;
        for mass in masses.iter_mut().filter(|mass| **mass < 1e-300) {
            infinite += *mass;
            *mass = 0.0;
        }
        Self { width, first, masses, infinite }
    }

    /// The same on a grid twice as wide.
    fn coarser(&self) -> Self {
        // A mass half-way: p = a + b and p·e^{−w} = a + b·e^{−2w}.
        let above = 1.0 / (1.0 + exp(-self.width));
        let first = self.first.div_euclid(2);
        let mut masses = vec![0.0; self.masses.len() / 2 + 2];
        for (at, mass) in (self.first..).zip(&self.masses) {
            let low = (at.div_euclid(2) - first) as usize;
            let share = if at.rem_euclid(2) == 0 { 0.0 } else { above };
            masses[low] += mass * (1.0 - share);
            masses[low + 1] += mass * share;
        }
        Self { width: 2.0 * self.width, first, masses, infinite: self.infinite }
    }

    fn last(&self) -> i64 {
        self.first + self.masses.len() as i64 - 1
    }

    /// The losses and their masses.
    fn losses(&self) -> impl Iterator<Item = (f64, f64)> {
        (self.first..).map(|at| at as f64 * self.width).zip(self.masses.iter().copied())
    }

    /// K(λ) = ln Σ p·e^{λL} over finite losses, and K′(λ).
    fn cumulants(&self, tilt: f64) -> (f64, f64) {
        let largest = self
            .losses()
            .filter(|(_, mass)| *mass > 0.0)
            .fold(f64::NEG_INFINITY, |max, (loss, mass)| max.max(tilt * loss + log(mass)));
        let (mut sum, mut moment) = (0.0, 0.0);
        for (loss, mass) in self.losses() {
            let weight = mass * exp(tilt * loss - largest);
            sum += weight;
            moment += weight * loss;
        }
        (largest + log(sum), moment / sum)
    }

    /// The variance of a finite loss, at least the grid's.
    fn variance(&self) -> f64 {
        let (mut mass, mut mean, mut square) = (0.0, 0.0, 0.0);
        for (loss, weight) in self.losses() {
            mass += weight;
            mean += weight * loss;
            square += weight * loss * loss;
        }
        (square / mass - mean * mean / (mass * mass)).max(self.width * self.width)
    }

    /// The least ε that Chernoff's bound P(L > ε) ≤ e^{nK(λ)−λε} proves for the sum of `releases` losses at
    /// `delta`, and its λ.
    fn chernoff(&self, releases: f64, delta: f64) -> (f64, f64) {
        // (nK(λ) − ln δ)/λ is least where λ·nK′ = nK − ln δ, and falls before. Any λ is sound: few steps do,
        // and none beyond twice the λ of a Gaussian, where a bounded loss would pile up at its upper end.
        let mut high = 2.0 * sqrt(-2.0 * log(delta) / (releases * self.variance()));
        let mut low = 1e-12 * high;
        for _ in 0..30 {
            let middle = sqrt(low * high);
            let (k, slope) = self.cumulants(middle);
            if releases * (middle * slope - k) + log(delta) < 0.0 { low = middle } else { high = middle }
        }
        let (k, _) = self.cumulants(high);
        ((releases * k - log(delta)) / high, high)
    }

    /// An ε, close to the least, at which `releases` independent losses meet `delta`; infinite if the mass of
    /// infinite losses does not let them.
    pub(crate) fn composed_epsilon(&self, releases: u64, delta: f64) -> f64 {
        let n = releases as f64;
        let (_, tilt) = self.chernoff(n, delta);
        let (bound, _) = self.chernoff(n, delta * NEGLIGIBLE);
        // Sums of losses from zero to the top matter: what lies above is negligible. The rest of the window keeps the
        // mass folded into that range negligible. It is e^{−λ·window} from below, and e^{nK(λ+μ)−μ·window} from above
        // for any μ ≤ λ.
        let top = (bound / self.width).min(n * self.last() as f64);
        let window = (0..6).fold(f64::INFINITY, |least, halvings| {
            let more = tilt / f64::from(1 << halvings);
            let above = (n * self.cumulants(tilt + more).0).max(0.0);
            least.min((above - log(delta * NEGLIGIBLE)) / (more * self.width))
        });
        let bins = top.max(window).min(n * (self.masses.len() - 1) as f64) + 2.0;
        if bins > LONGEST {
            return self.coarser().composed_epsilon(releases, delta);
        }
        let bins = (ceil(bins) as usize).next_power_of_two();
        let top = ceil(top) as i64;

        let (k, _) = self.cumulants(tilt);
        let mut folded = vec![0.0; bins];
        let place = |at: i64| at.rem_euclid(bins as i64) as usize;
        for (at, mass) in (self.first..).zip(&self.masses) {
            folded[place(at)] += mass * exp(tilt * at as f64 * self.width - k);
        }
        let tilted = fourier::circular_power(&folded, releases);

        // Downwards from the top: `delta_here` is δ at the loss l = at·width, and `rest` is Σ P(L)·e^{l−L}
        // above it.
        let fall = -expm1(-self.width);
        let untilt = |at: i64| exp(n * k - tilt * at as f64 * self.width);
        let allowed = |at: i64| delta - n * log(bins as f64) * 2e-15 * untilt(at);
        let mut delta_here = delta * NEGLIGIBLE - expm1(n * log1p(-self.infinite));
        let mut rest = 0.0;
        if delta_here > allowed(top) {
            return f64::INFINITY;
        }
        for at in (1..=top).rev() {
            rest += tilted[place(at)].max(0.0) * untilt(at);
            let next = delta_here + rest * fall;
            if next > allowed(at - 1) {
                let room = allowed(at - 1) - delta_here;
                // Between two grid points δ is what it is at the upper one, and the rest times 1 − e^{ε−l}.
                let back = if room > 0.0 { log1p(-(room / rest).min(fall)) } else { 0.0 };
                return at as f64 * self.width + back;
            }
            delta_here = next;
            rest *= 1.0 - fall;
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Randomized response of 17/64 nats on a grid of 1/64.
    fn response() -> LossDistribution {
        let p = 1.0 / (1.0 + exp(-EPSILON));
        LossDistribution::new(1.0 / 64.0, core::iter::empty(), &[(17, p), (-17, 1.0 - p)], 0.0)
    }

    const EPSILON: f64 = 17.0 / 64.0;

    #[test]
    fn composed_randomized_response_meets_its_closed_form() {
        for (n, delta) in [(1, 0.01), (20, 1e-5), (300, 1e-30), (20_000, 1e-6)] {
            let exact = crate::composition::optimal_epsilon(EPSILON, n, delta).expect("valid");
            let bound = response().composed_epsilon(n, delta);
            assert!(bound >= exact * (1.0 - 1e-12) && bound <= exact * (1.0 + 1e-7), "{n}: {bound} {exact}");
        }
    }

    #[test]
    fn a_coarser_grid_costs_little_and_never_less() {
        // 17/64 is no multiple of 1/16.
        let (fine, coarse) = (response(), response().coarser().coarser());
        let (fine, coarse) = (fine.composed_epsilon(50, 1e-6), coarse.composed_epsilon(50, 1e-6));
        assert!(coarse > fine && coarse < 1.02 * fine, "{fine} {coarse}");
    }

    #[test]
    fn an_infinite_loss_that_is_too_likely_is_reported() {
        let certain = LossDistribution::new(0.1, core::iter::empty(), &[(0, 0.9)], 0.1);
        assert_eq!(certain.composed_epsilon(3, 0.2), f64::INFINITY);
        assert_eq!(certain.composed_epsilon(3, 0.3), 0.0);
    }
}
