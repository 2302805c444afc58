//! Vectors from scratch by one release. Each author gives a matrix of co-occurrences of norm 1, and the sum gets
//! Gaussian noise once. Its leading eigenvectors are the vectors.

use rayon::prelude::*;

use super::model::{DIMS, Normals, Vector};
use super::text::Text;

const WINDOW: usize = 5;
/// Eigenvectors that are sought; those beyond the vectors' only help them to converge.
const COLUMNS: usize = DIMS + 10;
const ROUNDS: usize = 8;

/// Entries of a symmetric matrix with a row for each of `words` words.
#[derive(Clone)]
pub(super) struct Cooccurrences {
    words: usize,
    entries: Vec<f32>,
}

/// What an author gives: entries above the diagonal by their place, of norm 1, rare words weighing more.
fn contribution(tokens: &[u16], words: usize) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    for (place, word) in tokens.iter().enumerate() {
        for (distance, other) in (1..=WINDOW).zip(&tokens[place + 1..]) {
            let [a, b] = [usize::from(*word.min(other)), usize::from(*word.max(other))];
            if a != b && b < words {
                // The square root of the product of their shares, by Zipf.
                found.push((a * words + b, ((a + 3) as f64 * (b + 3) as f64).sqrt() / distance as f64));
            }
        }
    }
    found.sort_by_key(|(place, _)| *place);
    let sum = |equal: &[(usize, f64)]| (equal[0].0, equal.iter().map(|(_, x)| x).sum::<f64>());
    let mut entries: Vec<(usize, f64)> = found.chunk_by(|(a, _), (b, _)| a == b).map(sum).collect();
    let norm = entries.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
    entries.iter_mut().for_each(|(_, x)| *x /= norm);
    entries
}

impl Cooccurrences {
    pub(super) fn of(text: &Text, authors: &[usize], words: usize) -> Self {
        let mut entries = vec![0.0_f64; words * words];
        for author in authors {
            for (place, x) in contribution(text.words(*author), words) {
                entries[place] += x;
            }
        }
        Self { words, entries: entries.into_iter().map(|x| x as f32).collect() }
    }

    /// With noise of this deviation on each entry above the diagonal, and those below it the same.
    pub(super) fn released(mut self, sigma: f64, normals: &mut Normals) -> Self {
        for a in 0..self.words {
            for b in a + 1..self.words {
                let entry = self.entries[a * self.words + b] + sigma as f32 * normals.draw();
                self.entries[a * self.words + b] = entry;
                self.entries[b * self.words + a] = entry;
            }
        }
        self
    }

    /// Vectors: eigenvectors times the roots of their eigenvalues. The first is left out, as it only tells frequent
    /// words.
    pub(super) fn vectors(&self, normals: &mut Normals) -> Vec<Vector> {
        let mut columns: Vec<Vec<f32>> =
            (0..COLUMNS).map(|_| (0..self.words).map(|_| normals.draw()).collect()).collect();
        orthonormalize(&mut columns);
        for _ in 0..ROUNDS {
            columns = columns.par_iter().map(|column| self.times(column)).collect();
            orthonormalize(&mut columns);
        }
        let value = |column: &Vec<f32>| product(column, &self.times(column)).max(0.0).sqrt();
        let scaled = columns.par_iter().skip(1).take(DIMS).map(|column| {
            let root = value(column) as f32;
            column.iter().map(|x| x * root).collect()
        });
        let scaled: Vec<Vec<f32>> = scaled.collect();
        (0..self.words).map(|word| std::array::from_fn(|place| scaled[place][word])).collect()
    }

    fn times(&self, column: &[f32]) -> Vec<f32> {
        self.entries.chunks_exact(self.words).map(|row| product(row, column) as f32).collect()
    }
}

/// In sixteen sums, which a processor forms at once.
fn product(a: &[f32], b: &[f32]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = [0.0_f32; 16];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    sums.iter().map(|x| f64::from(*x)).sum::<f64>() + rest
}

/// Gram and Schmidt's, twice.
fn orthonormalize(columns: &mut [Vec<f32>]) {
    for place in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(place);
        let column = &mut rest[0];
        for _ in 0..2 {
            for other in before.iter() {
                let along = product(other, column) as f32;
                column.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let length = product(column, column).sqrt().max(f64::MIN_POSITIVE) as f32;
            column.iter_mut().for_each(|x| *x /= length);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::ReleaseRng;

    use super::super::model::dot;
    use super::*;
    use crate::data::NO_WORD;

    #[test]
    fn an_author_gives_one_norm_and_both_orders_of_a_pair_are_one() {
        let text: Vec<u16> = (0..250).map(|i| (7 * i + i * i) % 90).collect();
        let norm: f64 = contribution(&text, 80).iter().map(|(_, x)| x * x).sum();
        assert!((norm - 1.0).abs() < 1e-12);
        assert_eq!(contribution(&[4, 9, 4], 80), [(4 * 80 + 9, 1.0)]);
        assert!(contribution(&[3, 3, NO_WORD, 85], 80).is_empty());
    }

    #[test]
    fn vectors_have_the_products_of_the_matrix_without_its_first_eigenvector() {
        const WORDS: usize = 80;
        let cosine = |k: usize, word: usize| {
            (2.0 / WORDS as f64).sqrt() * (std::f64::consts::PI * (word as f64 + 0.5) * k as f64 / WORDS as f64).cos()
        };
        let values = [16.0, 8.0, 4.0, 2.0];
        let entry = |from: usize, place: usize| -> f64 {
            let of = |k: usize| values[k] * cosine(k + 1, place / WORDS) * cosine(k + 1, place % WORDS);
            (from..values.len()).map(of).sum()
        };
        let entries = (0..WORDS * WORDS).map(|place| entry(0, place) as f32).collect();
        let mut normals = Normals::new(ReleaseRng::seed_from_u64(2));
        let vectors = Cooccurrences { words: WORDS, entries }.vectors(&mut normals);
        for place in 0..WORDS * WORDS {
            let found = f64::from(dot(&vectors[place / WORDS], &vectors[place % WORDS]));
            assert!((found - entry(1, place)).abs() < 0.005, "{place}: {found} {}", entry(1, place));
        }
    }

    #[test]
    fn noise_is_symmetric_and_as_wide_as_asked() {
        let text = Text::of(&[vec![0, 1]], vec![20]);
        let mut normals = Normals::new(ReleaseRng::seed_from_u64(6));
        let Cooccurrences { entries, .. } = Cooccurrences::of(&text, &[0], 200).released(3.0, &mut normals);
        let at = |a: usize, b: usize| f64::from(entries[a * 200 + b]);
        let above: Vec<f64> = (0..200).flat_map(|a| (a + 1..200).map(move |b| [a, b])).map(|[a, b]| at(a, b)).collect();
        let variance = above.iter().map(|x| x * x).sum::<f64>() / above.len() as f64;
        // Six standard errors.
        assert!((variance / 9.0 - 1.0).abs() < 6.0 * (2.0 / above.len() as f64).sqrt(), "{variance}");
        assert!((0..200).all(|a| at(a, a) == 0.0 && (0..a).all(|b| at(a, b) == at(b, a))));
    }
}
