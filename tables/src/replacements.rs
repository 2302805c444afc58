//! How near in meaning to a word is what comes out instead of it, when mechanisms keep the same share of all
//! words.

use anyhow::Result;
use ndarray::Array2;
use rayon::prelude::*;
use serde::Serialize;
use textveil::{EXPONENT_LIMIT, MechanismKind, Table, WordId};

use super::lattice::{lattice_rows, squared_distances};
use super::levels::{exponential_that_keeps, noise_that_keeps, outputs_under_noise, spread};

/// Shares of words kept at which replacements are compared.
const KEPT: [f64; 2] = [0.3, 0.5];
/// Words whose replacements stand for those of all.
const SAMPLED_WORDS: usize = 2048;
/// Releases of each of them under noise.
const DRAWS: u64 = 4;

/// One mechanism at one share of words kept.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacements {
    /// Its name.
    pub mechanism: &'static str,
    /// Share of words kept.
    pub kept: f64,
    /// The η that does it, per unit of the table's distance.
    pub eta: f64,
    /// Mean cosine of a word and what comes out instead of it, in the reference space.
    pub similarity: f64,
}

/// Compares the exponential mechanism and noise with the nearest word; `reference` has a row of length 1 for
/// each word.
///
/// # Errors
/// No η keeps the shares compared.
pub fn measure(table: &Table, reference: &Array2<f64>) -> Result<Vec<Replacements>> {
    let sample = spread(table, table.len().min(SAMPLED_WORDS));
    let mut measured = Vec::new();
    for kept in KEPT {
        let eta = exponential_that_keeps(table, kept)?;
        let similarity = under_exponential(table, reference, &sample, eta);
        measured.push(Replacements { mechanism: MechanismKind::Exponential.name(), kept, eta, similarity });
    }
    for kept in KEPT {
        let eta = noise_that_keeps(table, &sample, kept)?;
        let similarity = under_noise(table, reference, &sample, eta)?;
        measured.push(Replacements { mechanism: MechanismKind::MetricLaplace.name(), kept, eta, similarity });
    }
    Ok(measured)
}

fn under_exponential(table: &Table, reference: &Array2<f64>, sample: &[WordId], eta: f64) -> f64 {
    let offered: Vec<WordId> = table.words().map(|(id, _)| id).filter(|id| table.is_offered(*id)).collect();
    let rows = lattice_rows(table, |word| table.is_offered(word));
    // The cosines of all replacements, and their number, each in expectation.
    let sums: Vec<(f64, f64)> = sample
        .par_iter()
        .map(|&word| {
            let mut distances = vec![0; offered.len()];
            let point: Vec<i16> = table.vector(word).into_iter().map(i16::from).collect();
            squared_distances(&point, &rows, &mut distances);
            let (mut similarity, mut replaced, mut total) = (0.0, 0.0, 0.0);
            for (&other, &squared) in offered.iter().zip(&distances) {
                let exponent = 0.5 * eta * table.scale() * f64::from(squared).sqrt();
                let weight = libm::exp(-exponent.min(EXPONENT_LIMIT));
                total += weight;
                if other != word {
                    replaced += weight;
                    similarity += weight * cosine(reference, word, other);
                }
            }
            (similarity / total, replaced / total)
        })
        .collect();
    mean(&sums)
}

fn under_noise(table: &Table, reference: &Array2<f64>, sample: &[WordId], eta: f64) -> Result<f64> {
    let releases: Vec<Vec<WordId>> =
        (0..DRAWS).into_par_iter().map(|seed| outputs_under_noise(table, sample, eta, seed)).collect::<Result<_>>()?;
    let pairs = releases.iter().flat_map(|outputs| sample.iter().zip(outputs)).filter(|(word, output)| word != output);
    let sums: Vec<(f64, f64)> = pairs.map(|(word, output)| (cosine(reference, *word, *output), 1.0)).collect();
    Ok(mean(&sums))
}

/// The cosine of two words of the reference, whose rows have length 1.
fn cosine(reference: &Array2<f64>, a: WordId, b: WordId) -> f64 {
    reference.row(a.row()).iter().zip(reference.row(b.row())).map(|(a, b)| a * b).sum()
}

/// The sum of the first values over that of the second; 0 where nothing was replaced.
fn mean(sums: &[(f64, f64)]) -> f64 {
    let (total, count) = sums.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    if count > 0.0 { total / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::rows::unit_rows;
    use super::super::toy::draft as example;
    use super::*;

    #[test]
    fn replacements_are_like_the_word_where_the_table_and_the_reference_agree() {
        let draft = example(200, 8).expect("finite vectors");
        let table = draft.encode().expect("a good draft").1;
        let mut alike = draft.lattice.rows.mapv(f64::from);
        unit_rows(&mut alike);
        // Every word has the vector of another: no nearness is left.
        let shuffled = Array2::from_shape_fn(alike.dim(), |(i, j)| alike[[(i * 77 + 13) % 200, j]]);
        let [near, far] = [alike, shuffled].map(|reference| measure(&table, &reference).expect("levels in reach"));
        assert_eq!(near.len(), 4);
        for (near, far) in near.iter().zip(&far) {
            assert_eq!(near.eta, far.eta);
            assert!(near.similarity > far.similarity + 0.1, "{} {}", near.similarity, far.similarity);
        }
    }
}
