//! Token representations, and the attack on them: the word whose vector is nearest.
//!
//! The density of the noise falls with its length. So the nearest word is the most likely one if all words are equally
//! frequent. On average over the vocabulary no other answer is right more often.

use textveil::{ReleaseRng, Table, WordId, lattice_noise};

use textveil_tables::{lattice_rows, squared_distances};

/// Where coordinates of a point are cut off, in lattice steps: beyond every vector, and small enough for sums of 32
/// bits.
const FARTHEST: i64 = 2047;

/// A word's vector with multivariate Laplace noise, in lattice steps: what `metric-laplace` sends.
pub(super) fn noisy(table: &Table, word: WordId, eta: f64, rng: &mut ReleaseRng) -> Vec<i64> {
    let noise = lattice_noise(eta, table.dims(), table.scale(), rng).expect("an η above zero");
    table.vector(word).into_iter().zip(noise).map(|(exact, noise)| i64::from(exact) + noise).collect()
}

/// An attacker who knows the table.
pub(super) struct Attack<'a> {
    table: &'a Table,
    words: Vec<WordId>,
    rows: Vec<i16>,
}

impl<'a> Attack<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self { table, words: table.rows().collect(), rows: lattice_rows(table, |_| true) }
    }

    /// How many of these words he names, each seen once under noise.
    pub(super) fn hits(&self, words: &[WordId], eta: f64, rng: &mut ReleaseRng) -> usize {
        let mut distances = vec![0; self.words.len()];
        let is_named =
            |word: &&WordId| self.nearest(&noisy(self.table, **word, eta, rng), &mut distances) == Some(**word);
        words.iter().filter(is_named).count()
    }

    /// The nearest word to a point, the first of equals; `distances` is overwritten.
    fn nearest(&self, point: &[i64], distances: &mut [u32]) -> Option<WordId> {
        let point: Vec<i16> = point.iter().map(|x| (*x).clamp(-FARTHEST, FARTHEST) as i16).collect();
        squared_distances(&point, &self.rows, distances);
        self.words.iter().zip(distances.iter()).min_by_key(|(_, distance)| **distance).map(|(word, _)| *word)
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::super::setting::Setting;
    use super::*;

    #[test]
    fn the_attacker_names_the_word_that_text_to_text_puts_out() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let (attack, eta) = (Attack::new(&table), 0.05 / table.scale());
        let privatizer = Setting::noise(eta).privatizer(&table).expect("a privatizer");
        let rng = || ReleaseRng::seed_from_u64(5);
        let (mut of_attack, mut of_release) = (rng(), rng());
        let (mut distances, mut seen) = (vec![0; table.len()], [0; 2]);
        for word in table.rows() {
            let named = attack.nearest(&noisy(&table, word, eta, &mut of_attack), &mut distances).expect("a word");
            let released = privatizer.draw(word, &mut of_release);
            // A word that is never put out can be named all the same.
            assert!(named == released || !table.is_offered(named));
            seen[usize::from(named == word)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
    }
}
