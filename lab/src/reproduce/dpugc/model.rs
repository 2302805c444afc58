//! Skip-gram with negative sampling: two vectors a word, as a centre and as a context, and the gradient of a pair.

use rand_core::Rng;
use textveil::ReleaseRng;

pub(super) const DIMS: usize = 50;
pub(super) const NEGATIVES: usize = 5;
const NONE: u32 = u32::MAX;

pub(super) type Vector = [f32; DIMS];

/// A word, a neighbour of it, and words that are assumed to be no neighbours.
pub(super) struct Pair {
    pub(super) centre: u16,
    pub(super) context: u16,
    pub(super) negatives: [u16; NEGATIVES],
}

/// Rows of centres, and as many of contexts after them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Model {
    pub(super) rows: Vec<Vector>,
}

/// Uniform in [0, 1).
pub(super) fn fraction(rng: &mut impl Rng) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1_u32 << 24) as f32
}

/// Normal numbers, two by two (Box and Muller). For research: nothing is proved of floating point.
pub(super) struct Normals {
    rng: ReleaseRng,
    spare: Option<f32>,
}

impl Normals {
    pub(super) const fn new(rng: ReleaseRng) -> Self {
        Self { rng, spare: None }
    }

    pub(super) fn draw(&mut self) -> f32 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let bits = self.rng.next_u64();
        let uniform = |bits: u64| ((bits as u32) as f32 + 0.5) / 4_294_967_296.0;
        let length = (-2.0 * libm::logf(uniform(bits).min(1.0))).sqrt();
        let (sine, cosine) = libm::sincosf(std::f32::consts::TAU * uniform(bits >> 32));
        self.spare = Some(length * sine);
        length * cosine
    }

    pub(super) fn vector(&mut self) -> Vector {
        std::array::from_fn(|_| self.draw())
    }
}

pub(super) fn dot(a: &Vector, b: &Vector) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<10>(), b.as_chunks::<10>());
    debug_assert!(a_rest.is_empty() && b_rest.is_empty());
    let mut sums = [0.0_f32; 10];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum()
}

pub(super) fn add(to: &mut Vector, factor: f32, vector: &Vector) {
    to.iter_mut().zip(vector).for_each(|(to, x)| *to += factor * x);
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

impl Model {
    /// As word2vec begins: short centres, and no contexts.
    pub(super) fn fresh(words: usize, rng: &mut impl Rng) -> Self {
        let mut centre = |_| std::array::from_fn(|_| (fraction(rng) - 0.5) / DIMS as f32);
        let mut rows: Vec<Vector> = (0..words).map(&mut centre).collect();
        rows.resize(2 * words, [0.0; DIMS]);
        Self { rows }
    }

    /// Rows at random, which nothing has taught.
    pub(super) fn random(words: usize, normals: &mut Normals) -> Self {
        Self { rows: (0..2 * words).map(|_| normals.vector()).collect() }
    }

    pub(super) const fn words(&self) -> usize {
        self.rows.len() / 2
    }

    /// The vectors of words.
    pub(super) fn centres(&self) -> &[Vector] {
        &self.rows[..self.words()]
    }

    /// The rows of a pair.
    pub(super) fn rows_of(&self, pair: &Pair) -> [usize; NEGATIVES + 2] {
        let context = |word: u16| self.words() + usize::from(word);
        std::array::from_fn(|place| match place {
            0 => usize::from(pair.centre),
            1 => context(pair.context),
            _ => context(pair.negatives[place - 2]),
        })
    }

    /// Adds the gradient of −ln σ(u·v) − Σ ln σ(−u·n).
    pub(super) fn gradient(&self, pair: &Pair, gradient: &mut Gradient) {
        let [centre, contexts @ ..] = self.rows_of(pair);
        let of_centre = &self.rows[centre];
        for (place, context) in contexts.into_iter().enumerate() {
            let of_context = &self.rows[context];
            let error = sigmoid(dot(of_centre, of_context)) - if place == 0 { 1.0 } else { 0.0 };
            gradient.add(centre, error, of_context);
            gradient.add(context, error, of_centre);
        }
    }

    /// Takes a step against a gradient.
    pub(super) fn descend(&mut self, step: f32, gradient: &Gradient) {
        gradient.each().for_each(|(row, vector)| add(&mut self.rows[row], -step, vector));
    }
}

/// A sum over few rows.
pub(super) struct Gradient {
    /// Where in the other two a row is.
    places: Vec<u32>,
    rows: Vec<usize>,
    sums: Vec<Vector>,
}

impl Gradient {
    pub(super) fn of(model: &Model) -> Self {
        Self { places: vec![NONE; model.rows.len()], rows: Vec::new(), sums: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.rows.drain(..).for_each(|row| self.places[row] = NONE);
        self.sums.clear();
    }

    pub(super) fn add(&mut self, row: usize, factor: f32, vector: &Vector) {
        if self.places[row] == NONE {
            self.places[row] = self.rows.len() as u32;
            self.rows.push(row);
            self.sums.push([0.0; DIMS]);
        }
        add(&mut self.sums[self.places[row] as usize], factor, vector);
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &Vector)> {
        self.rows.iter().copied().zip(&self.sums)
    }

    pub(super) fn norm(&self) -> f64 {
        self.sums.iter().flatten().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let mut model = Model::random(6, &mut Normals::new(ReleaseRng::seed_from_u64(3)));
        model.rows.iter_mut().flatten().for_each(|x| *x *= 0.3);
        // A negative that is drawn twice, and one that is the context.
        let pair = Pair { centre: 2, context: 4, negatives: [1, 1, 4, 0, 5] };
        let loss = |model: &Model| {
            let rows = model.rows_of(&pair);
            let product = |context: usize| -> f64 {
                model.rows[rows[0]].iter().zip(&model.rows[context]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
            };
            let cost = |x: f64| (-x).exp().ln_1p();
            cost(product(rows[1])) + rows[2..].iter().map(|row| cost(-product(*row))).sum::<f64>()
        };
        let mut gradient = Gradient::of(&model);
        model.gradient(&pair, &mut gradient);
        assert_eq!(gradient.each().count(), 5);
        for (row, found) in gradient.each() {
            for place in [0, 17, DIMS - 1] {
                let moved = |by: f32| {
                    let mut model = model.clone();
                    model.rows[row][place] += by;
                    (loss(&model), f64::from(model.rows[row][place]))
                };
                let ((above, high), (below, low)) = (moved(0.01), moved(-0.01));
                let expected = (above - below) / (high - low);
                assert!((f64::from(found[place]) - expected).abs() < 1e-4, "{row}: {} {expected}", found[place]);
            }
        }
        gradient.clear();
        assert_eq!((gradient.each().count(), gradient.norm()), (0, 0.0));
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_law() {
        let mut normals = Normals::new(ReleaseRng::seed_from_u64(5));
        let numbers: Vec<f64> = (0..100_000).map(|_| f64::from(normals.draw())).collect();
        let moment = |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / numbers.len() as f64;
        // Six standard errors.
        for (power, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (4, 3.0, 96.0)] {
            assert!((moment(power) - expected).abs() < 6.0 * (variance / 1e5_f64).sqrt(), "{power}");
        }
    }
}
