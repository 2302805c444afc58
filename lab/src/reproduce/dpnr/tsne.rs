//! t-SNE (van der Maaten and Hinton, JMLR 2008): points of many dimensions in a plane, neighbours near each other.
//!
//! Exact: every pair counts, so that it is for a thousand points or so. What it shows depends on the draw that it
//! begins with; distances and sizes of groups mean little.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// The effective number of neighbours.
const PERPLEXITY: f64 = 30.0;
const STEPS: usize = 500;
const RATE: f64 = 200.0;
/// Steps in which attraction is multiplied, so that groups find together.
const EARLY: usize = 100;
const EXAGGERATION: f64 = 12.0;

/// Where each point lies in the plane.
pub(super) fn embed(points: &[Vec<f64>], seed: u64) -> Vec<[f64; 2]> {
    let count = points.len();
    let affinities = affinities(points);
    let mut chance = ChaCha20Rng::seed_from_u64(seed);
    // Small, so that all can pass each other.
    let mut small = || 1e-4 * (f64::from(chance.next_u32()) / f64::from(u32::MAX) - 0.5);
    let mut places: Vec<[f64; 2]> = (0..count).map(|_| [small(), small()]).collect();
    let (mut speeds, mut gains) = (vec![[0.0_f64; 2]; count], vec![[1.0_f64; 2]; count]);
    for step in 0..STEPS {
        let (attraction, momentum) = if step < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let gradients = gradients(&affinities, &places, attraction);
        for (i, gradient) in gradients.iter().enumerate() {
            for axis in 0..2 {
                let gain = &mut gains[i][axis];
                let goes_on = (gradient[axis] > 0.0) != (speeds[i][axis] > 0.0);
                *gain = (if goes_on { *gain + 0.2 } else { *gain * 0.8 }).max(0.01);
                speeds[i][axis] = momentum * speeds[i][axis] - RATE * *gain * gradient[axis];
                places[i][axis] += speeds[i][axis];
            }
        }
    }
    places
}

/// Which share of a point's nearest neighbours in the plane is of its own group, on average.
pub(super) fn purity(places: &[[f64; 2]], groups: &[usize], neighbours: usize) -> f64 {
    let share = |i: usize| {
        let mut others: Vec<usize> = (0..places.len()).filter(|other| *other != i).collect();
        others.sort_by(|a, b| squared(&places[i], &places[*a]).total_cmp(&squared(&places[i], &places[*b])));
        others.truncate(neighbours);
        others.iter().filter(|other| groups[**other] == groups[i]).count() as f64 / others.len().max(1) as f64
    };
    (0..places.len()).map(share).sum::<f64>() / places.len().max(1) as f64
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// How near each pair is: normal densities about each point, as wide as gives each the same number of neighbours,
/// made symmetric; they add up to 1.
fn affinities(points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = points.len();
    let one = |i: usize| {
        let distances: Vec<f64> = points.iter().map(|other| squared(&points[i], other)).collect();
        let nearest =
            distances.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| *d).fold(f64::INFINITY, f64::min);
        let at = |precision: f64| -> (Vec<f64>, f64) {
            let weight = |(j, d): (usize, &f64)| if j == i { 0.0 } else { libm::exp(precision * (nearest - d)) };
            let weights: Vec<f64> = distances.iter().enumerate().map(weight).collect();
            let total: f64 = weights.iter().sum();
            let entropy = |weight: &f64| if *weight > 0.0 { -weight / total * libm::log(weight / total) } else { 0.0 };
            let entropy: f64 = weights.iter().map(entropy).sum();
            (weights.into_iter().map(|weight| weight / total).collect(), entropy)
        };
        // The wider, the more neighbours; the scale of the distances is not known.
        let (mut low, mut high) = (1e-12_f64, 1e12_f64);
        for _ in 0..80 {
            let middle = (low * high).sqrt();
            if at(middle).1 > PERPLEXITY.ln() { low = middle } else { high = middle }
        }
        at(low).0
    };
    let conditional: Vec<Vec<f64>> = (0..count).map(one).collect();
    let both = |i: usize, j: usize| (conditional[i][j] + conditional[j][i]) / (2.0 * count as f64);
    (0..count).map(|i| (0..count).map(|j| both(i, j)).collect()).collect()
}

/// The gradient of the divergence of what is shown (Student's distribution with one degree of freedom) from the
/// affinities, times `attraction` where points attract.
fn gradients(affinities: &[Vec<f64>], places: &[[f64; 2]], attraction: f64) -> Vec<[f64; 2]> {
    let near = |a: &[f64; 2], b: &[f64; 2]| 1.0 / (1.0 + squared(a, b));
    let total: f64 = places.iter().map(|a| places.iter().map(|b| near(a, b)).sum::<f64>() - 1.0).sum();
    let one = |(place, affinities): (&[f64; 2], &Vec<f64>)| {
        let mut gradient = [0.0; 2];
        for (other, affinity) in places.iter().zip(affinities) {
            let near = near(place, other);
            let force = 4.0 * (attraction * affinity - near / total) * near;
            gradient[0] += force * (place[0] - other[0]);
            gradient[1] += force * (place[1] - other[1]);
        }
        gradient
    };
    places.iter().zip(affinities).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points about the corners of a simplex.
    fn clusters(count: usize) -> (Vec<Vec<f64>>, Vec<usize>) {
        let point = |i: usize| {
            (0..8).map(|j| f64::from(u8::from(j == i % 3)) * 5.0 + ((i * 7 + j * 13) % 11) as f64 / 11.0).collect()
        };
        ((0..count).map(point).collect(), (0..count).map(|i| i % 3).collect())
    }

    #[test]
    fn clusters_stay_together_and_what_is_none_is_not_made_one() {
        let (points, groups) = clusters(150);
        let places = embed(&points, 1);
        assert!(places.iter().flatten().all(|x| x.is_finite()));
        assert!(purity(&places, &groups, 5) > 0.99);
        let unrelated: Vec<usize> = (0..150).map(|i| (i * i / 7) % 2).collect();
        assert!((purity(&places, &unrelated, 5) - 0.5).abs() < 0.15, "{}", purity(&places, &unrelated, 5));
        assert_eq!(places, embed(&points, 1));
    }

    #[test]
    fn the_gradient_is_the_one_of_the_divergence() {
        let (points, _) = clusters(60);
        let affinities = affinities(&points);
        assert!((affinities.iter().flatten().sum::<f64>() - 1.0).abs() < 1e-9);
        let places: Vec<[f64; 2]> =
            (0..60).map(|i| [(i % 7) as f64 / 3.0, (i % 5) as f64 / 2.0 + i as f64 * 0.01]).collect();
        let divergence = |places: &[[f64; 2]]| {
            let near = |i: usize, j: usize| 1.0 / (1.0 + squared(&places[i], &places[j]));
            let pairs = || (0..60).flat_map(|i| (0..60).filter(move |j| *j != i).map(move |j| (i, j)));
            let total: f64 = pairs().map(|(i, j)| near(i, j)).sum();
            pairs()
                .map(|(i, j)| affinities[i][j].max(1e-300))
                .zip(pairs())
                .map(|(p, (i, j))| p * (p.ln() - (near(i, j) / total).ln()))
                .sum::<f64>()
        };
        let gradient = gradients(&affinities, &places, 1.0);
        for (i, axis) in [(0, 0), (17, 1), (59, 0)] {
            let moved = |by: f64| {
                let mut places = places.clone();
                places[i][axis] += by;
                divergence(&places)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[i][axis]).abs() < 1e-6, "{slope} {}", gradient[i][axis]);
        }
    }

    #[test]
    fn each_point_has_as_many_neighbours() {
        let (points, _) = clusters(120);
        for row in affinities(&points) {
            let total: f64 = row.iter().sum();
            let entropy: f64 = row.iter().filter(|p| **p > 0.0).map(|p| -p / total * (p / total).ln()).sum();
            // Before they are made symmetric it is exactly the perplexity.
            assert!((0.5..2.0).contains(&(entropy.exp() / PERPLEXITY)), "{}", entropy.exp());
        }
    }
}
