//! Vectors from scratch by one release: each author gives a matrix of co-occurrences of norm 1, the sum gets Gaussian
//! noise once, and its leading eigenvectors are the vectors.

use rayon::prelude::*;

use super::model::{DIMS, Normals, Vector};
use super::text::Text;

const WINDOW: usize = 5;
/// Eigenvectors that are sought; those beyond the vectors' only help them to converge.
const COLUMNS: usize = DIMS + 10;
const ROUNDS: usize = 8;

/// Entries of a symmetric matrix with rows of so many words.
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

    /// Vectors: eigenvectors by the roots of their eigenvalues, but for the first, which tells frequent words.
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
    fn an_author_gives_one_norm_and_words_of_like_contexts_come_near() {
        let texts: Vec<Vec<u16>> = (0..200_u16)
            .map(|i| {
                (0..12)
                    .flat_map(|j| [(i % 2) * 40 + (7 * i + 11 * j) % 40, NO_WORD - 1, (i % 2) * 40 + (3 * j) % 40])
                    .collect()
            })
            .collect();
        for text in &texts {
            let norm: f64 = contribution(text, 80).iter().map(|(_, x)| x * x).sum();
            assert!((norm - 1.0).abs() < 1e-12);
        }
        assert!(contribution(&[3, 3, NO_WORD], 80).is_empty());
        let text = Text::of(&texts, vec![20; 200]);
        let authors: Vec<usize> = (0..200).collect();
        let mut normals = Normals::new(ReleaseRng::seed_from_u64(2));
        let vectors = Cooccurrences::of(&text, &authors, 80).released(0.0, &mut normals).vectors(&mut normals);
        let across: f32 = (0..40).map(|word| dot(&vectors[word], &vectors[word + 40]).abs()).sum();
        let within: f32 = (0..40).map(|word| dot(&vectors[word], &vectors[word])).sum();
        assert!(within > 5.0 * across, "{within} {across}");
    }
}
