//! Distances in a table against the length of noise: how many neighbours a word drowns among (Qu et al.,
//! CIKM 2021, figure 3).

use rayon::prelude::*;
use serde::Serialize;
use textveil::account::spherical::length_quantile;
use textveil::{Guarantee, Metric, Spread, Table, WordId};

use textveil_tables::{lattice_rows, squared_distances};

/// Which neighbours.
const NEIGHBOURS: [usize; 7] = [1, 5, 10, 50, 100, 500, 1000];

/// Lengths in units of the table.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Geometry {
    /// How many words were compared with all others.
    pub(super) words: usize,
    /// The distances to a word's k-th neighbour among the words that may come out.
    pub(super) neighbours: Vec<Neighbour>,
    /// The length of multivariate Laplace noise at the mechanism's η: the values at [`Spread::SHARES`].
    pub(super) noise: Option<[f64; 5]>,
    /// The expected distance of the output.
    pub(super) output: Option<Spread>,
}

/// How far words are from their k-th neighbour.
#[derive(Serialize)]
pub(super) struct Neighbour {
    pub(super) k: usize,
    pub(super) distance: Spread,
}

impl Geometry {
    /// Over these words of a table, with the noise that has the guarantee's η, and `output` the distances of
    /// what comes out.
    pub(super) fn of(table: &Table, words: &[WordId], guarantee: &Guarantee, output: Option<Spread>) -> Self {
        let noise = match (guarantee.eta, guarantee.metric) {
            (Some(eta), Some(Metric::Euclidean)) => {
                let quantile = |share| length_quantile(table.dims() as u64, eta, share).ok();
                Spread::SHARES.map(quantile).into_iter().collect::<Option<Vec<f64>>>()
            }
            _ => None,
        };
        Self {
            words: words.len(),
            neighbours: neighbours(table, words),
            noise: noise.and_then(|lengths| lengths.try_into().ok()),
            output,
        }
    }
}

fn neighbours(table: &Table, words: &[WordId]) -> Vec<Neighbour> {
    let offered: Vec<WordId> = table.rows().filter(|row| table.is_offered(*row)).collect();
    let rows = lattice_rows(table, |row| table.is_offered(row));
    let of_word = |word: &WordId| {
        let point: Vec<i16> = table.vector(*word).into_iter().map(i16::from).collect();
        let mut distances = vec![0; offered.len()];
        squared_distances(&point, &rows, &mut distances);
        if let Ok(itself) = offered.binary_search(word) {
            distances.swap_remove(itself);
        }
        distances.sort_unstable();
        NEIGHBOURS.map(|k| distances.get(k - 1).map(|squared| table.scale() * f64::from(*squared).sqrt()))
    };
    let by_word: Vec<[Option<f64>; NEIGHBOURS.len()]> = words.par_iter().map(of_word).collect();
    let spread = |(place, k): (usize, usize)| {
        let distances = by_word.iter().filter_map(|distances| distances[place]);
        Some(Neighbour { k, distance: Spread::of(distances.map(|distance| (distance, 1.0)))? })
    };
    NEIGHBOURS.into_iter().enumerate().filter_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_neighbour_is_another_word_that_may_come_out() {
        let table = Table::english().expect("the built-in table");
        let words: Vec<WordId> = table.rows().step_by(9000).collect();
        let found = neighbours(&table, &words);
        assert_eq!(found.iter().map(|neighbour| neighbour.k).collect::<Vec<_>>(), NEIGHBOURS);
        assert!(found.is_sorted_by(|a, b| a.distance.median() < b.distance.median()));
        let nearest = |word: &WordId| {
            let others = table.rows().filter(|row| row != word && table.is_offered(*row));
            others.map(|row| table.distance(*word, row)).fold(f64::INFINITY, f64::min)
        };
        let farthest = words.iter().map(nearest).fold(0.0, f64::max);
        assert!((found[0].distance.greatest - farthest).abs() < 1e-12);
    }
}
