//! Vectors in groups, each with the one in its middle (k-medoids).

use ndarray::{Array2, ArrayView1, Axis};
use rand_core::Rng;
use rayon::prelude::*;

/// Rounds of assigning vectors and choosing medoids; they end sooner where nothing changes.
const ROUNDS: usize = 50;

/// What lies together.
pub struct Group {
    /// The member in the middle.
    pub medoid: usize,
    /// All of them.
    pub members: Vec<usize>,
}

/// Divides vectors of length 1 into `count` groups, the largest first.
#[must_use]
pub fn groups(vectors: &Array2<f64>, count: usize, rng: &mut impl Rng) -> Vec<Group> {
    let mut medoids = spread(vectors, count, rng);
    let mut members = assigned(vectors, &medoids);
    for _ in 0..ROUNDS {
        let middles: Vec<usize> =
            medoids.par_iter().zip(&members).map(|(medoid, group)| middle(vectors, group).unwrap_or(*medoid)).collect();
        if middles == medoids {
            break;
        }
        medoids = middles;
        members = assigned(vectors, &medoids);
    }
    let mut groups: Vec<Group> =
        medoids.into_iter().zip(members).map(|(medoid, members)| Group { medoid, members }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    groups
}

/// Medoids to begin with: each is drawn with a chance that grows with its distance from those before (k-means++).
fn spread(vectors: &Array2<f64>, count: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut apart = vec![1.0; vectors.nrows()];
    let mut medoids = Vec::with_capacity(count);
    for _ in 0..count {
        let sum: f64 = apart.iter().sum();
        let mut place = sum * (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let drawn = apart.iter().position(|distance| {
            place -= distance;
            place < 0.0
        });
        let medoid = drawn.or_else(|| largest(&apart)).unwrap_or_default();
        let cosines = vectors.dot(&vectors.row(medoid));
        apart.iter_mut().zip(cosines).for_each(|(apart, cosine)| *apart = apart.min((1.0 - cosine).max(0.0)));
        apart[medoid] = 0.0;
        medoids.push(medoid);
    }
    medoids
}

/// Which vectors are nearest to each medoid.
fn assigned(vectors: &Array2<f64>, medoids: &[usize]) -> Vec<Vec<usize>> {
    let centers = vectors.select(Axis(0), medoids);
    let nearest = |vector: ArrayView1<'_, f64>| largest(&centers.dot(&vector).to_vec()).unwrap_or_default();
    let places: Vec<usize> = (0..vectors.nrows()).into_par_iter().map(|text| nearest(vectors.row(text))).collect();
    let mut members = vec![Vec::new(); medoids.len()];
    places.into_iter().enumerate().for_each(|(text, group)| members[group].push(text));
    members
}

/// The member that is nearest to all of a group together: vectors of length 1 are so to their sum.
fn middle(vectors: &Array2<f64>, members: &[usize]) -> Option<usize> {
    let sum = vectors.select(Axis(0), members).sum_axis(Axis(0));
    let cosines: Vec<f64> = members.iter().map(|member| vectors.row(*member).dot(&sum)).collect();
    largest(&cosines).map(|place| members[place])
}

/// The place of the largest number, the first of equals, or `None` without numbers.
#[must_use]
pub fn largest(numbers: &[f64]) -> Option<usize> {
    (0..numbers.len()).rev().max_by(|a, b| numbers[*a].total_cmp(&numbers[*b]))
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::ReleaseRng;

    use super::*;

    #[test]
    fn what_lies_together_is_one_group_and_its_middle_stands_for_it() {
        let angles = [0.0, 0.1, -0.1, 1.5, 1.6, 3.0, 3.1, 3.2, 3.3, 3.4_f64];
        let rows = angles.iter().flat_map(|angle| [angle.cos(), angle.sin()]).collect();
        let vectors = Array2::from_shape_vec((angles.len(), 2), rows).expect("two columns");
        // The others begin in places from which no exchange leads to the three groups.
        let mut seeds = 0;
        for seed in 0..20 {
            let found = groups(&vectors, 3, &mut ReleaseRng::from_seed([seed; 32]));
            let sizes: Vec<usize> = found.iter().map(|group| group.members.len()).collect();
            assert_eq!(sizes.iter().sum::<usize>(), angles.len());
            if sizes == [5, 3, 2] {
                assert_eq!((found[0].medoid, found[1].medoid), (7, 0));
                seeds += 1;
            }
        }
        assert!(seeds >= 10, "{seeds} of 20 seeds found the three groups");
    }
}
