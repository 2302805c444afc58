//! Where the inputs of a mechanism lie: public facts about a lattice, from which sensitivities follow.

use alloc::vec;
use alloc::vec::Vec;

use crate::table::rounded_mean;
use crate::{Error, Parameter, Table};

/// Lattice steps from the origin to the norm that vectors of other encoders are clipped to.
pub(crate) const STEPS: f64 = 4096.0;

/// Vectors of another encoder: what is known of them in public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outside {
    pub(crate) dims: usize,
    /// The Euclidean norm that they are clipped to.
    pub(crate) clip: f64,
}

impl Outside {
    /// Real length of a lattice step.
    pub(crate) fn step(self) -> f64 {
        self.clip / STEPS
    }
}

/// A set of lattice vectors that holds every input, the null vector and, if inputs are rows of a table that are not
/// clipped, their rounded mean. Lengths are in lattice steps.
pub(crate) struct Space {
    pub(crate) dims: usize,
    /// The norm that inputs are clipped to, if they are.
    pub(crate) limit: Option<f64>,
    /// A bound of every norm.
    pub(crate) radius: f64,
    /// Bounds of the distance between two inputs, in the norms ‖·‖₁, ‖·‖₂ (squared) and ‖·‖∞.
    pub(crate) l1: u64,
    pub(crate) l2_squared: u64,
    pub(crate) linf: u64,
    /// The range of each coordinate.
    pub(crate) ranges: Vec<[i32; 2]>,
}

impl Space {
    /// The rows of a table, clipped to `clip` (in units of the table), and the null vector.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `clip` is less than a lattice step.
    pub(crate) fn of_table(table: &Table, clip: Option<f64>) -> Result<Self, Error> {
        let limit = clip.map(|norm| norm / table.scale());
        if limit.is_some_and(|limit| !(1.0..=f64::MAX).contains(&limit)) {
            return Err(Error::Invalid(Parameter::Clip));
        }
        let dims = table.dims();
        let vectors = || table.rows().map(|row| table.clipped(row, limit));
        let mut sums = vec![0_i64; dims];
        let mut ranges = vec![[0; 2]; dims];
        let mut longest = 0_u64;
        for vector in vectors() {
            for ((sum, range), v) in sums.iter_mut().zip(&mut ranges).zip(&vector) {
                *sum += i64::from(*v);
                *range = [range[0].min(i32::from(*v)), range[1].max(i32::from(*v))];
            }
            longest = longest.max(vector.iter().map(|v| u64::from(v.unsigned_abs()).pow(2)).sum());
        }
        let center = rounded_mean(&sums, table.len());
        if limit.is_none() {
            longest = longest.max(center.iter().map(|c| u64::from(c.unsigned_abs()).pow(2)).sum());
        }
        let [mut r1, mut r2] = [0_u64; 2];
        for vector in vectors().chain([vec![0; dims]]) {
            let offsets = vector.iter().zip(&center).map(|(v, c)| u64::from(i32::from(*v).abs_diff(*c)));
            let (one, two) = offsets.fold((0, 0), |(one, two), z| (one + z, two + z * z));
            r1 = r1.max(one);
            r2 = r2.max(two);
        }
        let widths = || ranges.iter().map(|[low, high]| u64::from(high.abs_diff(*low)));
        // Around the mean, or around the null vector.
        let l2_squared = (4 * r2.min(longest)).max(1);
        Ok(Self {
            dims,
            limit,
            radius: limit.unwrap_or(libm::sqrt(longest as f64).max(1.0)),
            l1: (2 * r1).min(widths().sum()).min((dims as u64 * l2_squared).isqrt()).max(1),
            l2_squared,
            linf: widths().max().unwrap_or(0).min(l2_squared.isqrt()).max(1),
            ranges,
        })
    }

    /// The ball that vectors of another encoder are clipped to.
    pub(crate) fn ball(outside: Outside) -> Self {
        let dims = outside.dims;
        let l2_squared = (4.0 * STEPS * STEPS) as u64;
        Self {
            dims,
            limit: Some(STEPS),
            radius: STEPS,
            l1: (dims as u64 * l2_squared).isqrt(),
            l2_squared,
            linf: l2_squared.isqrt(),
            ranges: vec![[-(STEPS as i32), STEPS as i32]; dims],
        }
    }

    /// A bound of the Euclidean distance between two inputs, in lattice steps.
    pub(crate) fn l2(&self) -> f64 {
        libm::sqrt(self.l2_squared as f64)
    }

    /// The radius of the paper's ball as sensitivities: ‖·‖₁ ≤ 2C·√n, ‖·‖∞ ≤ 2C.
    pub(crate) fn published_l1(&self) -> f64 {
        2.0 * self.radius * libm::sqrt(self.dims as f64)
    }
}

/// Public sums over the rows of a table: Σ v_j and Σ v_j·v_k, exactly.
pub(crate) struct Moments {
    count: usize,
    sums: Vec<i64>,
    products: Vec<Vec<i64>>,
}

impl Moments {
    pub(crate) fn of(table: &Table) -> Self {
        let dims = table.dims();
        let mut sums = vec![0; dims];
        let mut products = vec![vec![0; dims]; dims];
        for vector in table.vectors_by_row() {
            for ((sum, products), v) in sums.iter_mut().zip(&mut products).zip(&vector) {
                *sum += i64::from(*v);
                for (product, w) in products.iter_mut().zip(&vector) {
                    *product += i64::from(*v) * i64::from(*w);
                }
            }
        }
        Self { count: table.len(), sums, products }
    }

    /// The mean of each coordinate, rounded half up.
    pub(crate) fn rounded_mean(&self) -> Vec<i32> {
        rounded_mean(&self.sums, self.count)
    }

    /// The mean of each coordinate.
    pub(crate) fn means(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| *sum as f64 / self.count as f64).collect()
    }

    /// The covariances; each is one division of two exact integers.
    pub(crate) fn covariance(&self) -> Vec<Vec<f64>> {
        let count = self.count as i64;
        let entry = |j: usize, k: usize| {
            // Below 2⁶²: at most 2¹⁷ rows of products below 2¹⁴, twice over.
            (count * self.products[j][k] - self.sums[j] * self.sums[k]) as f64 / (count * count) as f64
        };
        (0..self.sums.len()).map(|j| (0..self.sums.len()).map(|k| entry(j, k)).collect()).collect()
    }
}
