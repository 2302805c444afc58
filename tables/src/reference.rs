//! The reference space: where words lie by meaning, before any reduction.
//!
//! A lone word is a poor input for a sentence encoder. A word's vector is therefore the mean direction of
//! three prompts that ask for its meaning, plus the direction of its WordNet glosses. The senses of a word
//! are weighted by how often they occur and by how well they agree with the prompts.

use std::collections::{BTreeMap, HashSet};

use indicatif::ProgressBar;
use ndarray::{Array2, ArrayViewMut1};

use super::encoder::{Encoder, WIDTH};
use super::rows::{center_rows, unit_rows};
use super::vocabulary::Word;
use super::wordnet::{Sense, WordNet};

/// What the encoder is asked about a word.
const PROMPTS: [&str; 3] = ["a word that means {}", "what is another word for {}?", "the meaning of the word \"{}\""];
/// Length of the gloss direction, next to a prompt direction of length 1.
const GLOSS_WEIGHT: f64 = 0.7;
/// The same for words that are also names: their glosses may speak of something else.
const GLOSS_WEIGHT_OF_NAMES: f64 = 0.35;
/// Added to the weight of a sense, so that every sense counts a little.
const SENSE_SMOOTHING: f64 = 0.3;
/// Temperature of the agreement between gloss and prompts, in units of cosine.
const AGREEMENT_TEMPERATURE: f64 = 0.1;

/// The texts to encode for a vocabulary.
pub(crate) struct Plan {
    prompts: Vec<String>,
    definitions: Vec<String>,
    /// For each word, its senses as positions in `definitions`, with their weights.
    senses: Vec<Vec<(usize, f64)>>,
    gloss_weights: Vec<f64>,
}

impl Plan {
    /// Prompts and glosses for `words`. `dictionary` is a spelling dictionary in which names are capitalized.
    pub(crate) fn new(words: &[Word], wordnet: &WordNet, dictionary: &str) -> Self {
        let names: HashSet<String> = dictionary
            .lines()
            .filter(|line| line.starts_with(char::is_uppercase) && !line.contains('\''))
            .map(str::to_lowercase)
            .collect();
        let mut positions: BTreeMap<Sense, usize> = BTreeMap::new();
        let mut definitions = Vec::new();
        let mut position_of = |sense| {
            *positions.entry(sense).or_insert_with(|| {
                definitions.push(wordnet.definition(sense).to_owned());
                definitions.len() - 1
            })
        };
        let senses = words
            .iter()
            .map(|word| {
                let senses = wordnet.senses(&word.text).into_iter();
                senses.map(|(sense, weight)| (position_of(sense), weight)).collect()
            })
            .collect();
        let prompts =
            PROMPTS.iter().flat_map(|prompt| words.iter().map(|word| prompt.replace("{}", &word.text))).collect();
        let gloss_weights = words
            .iter()
            .map(|word| if names.contains(&word.text) { GLOSS_WEIGHT_OF_NAMES } else { GLOSS_WEIGHT })
            .collect();
        Self { prompts, definitions, senses, gloss_weights }
    }

    /// Number of texts that [`Plan::encode`] will encode.
    pub(crate) fn len(&self) -> usize {
        self.prompts.len() + self.definitions.len()
    }

    /// The reference vectors: a row of length 1 for each word.
    pub(crate) fn encode(&self, encoder: &Encoder, progress: &ProgressBar) -> Array2<f64> {
        let words = self.senses.len();
        let answers = encoder.embed(&self.prompts, progress).mapv(f64::from);
        let mut prompts = Array2::zeros((words, WIDTH));
        for answer in answers.axis_chunks_iter(ndarray::Axis(0), words) {
            let mut answer = answer.to_owned();
            center_rows(&mut answer);
            unit_rows(&mut answer);
            prompts += &answer;
        }
        unit_rows(&mut prompts);

        let mut glosses = encoder.embed(&self.definitions, progress).mapv(f64::from);
        unit_rows(&mut glosses);
        center_rows(&mut glosses);
        unit_rows(&mut glosses);

        let mut reference = prompts;
        for ((row, senses), weight) in reference.rows_mut().into_iter().zip(&self.senses).zip(&self.gloss_weights) {
            add_glosses(row, senses, *weight, &glosses);
        }
        center_rows(&mut reference);
        unit_rows(&mut reference);
        reference
    }
}

/// Adds the direction of a word's glosses to its prompt direction.
fn add_glosses(mut word: ArrayViewMut1<'_, f64>, senses: &[(usize, f64)], length: f64, glosses: &Array2<f64>) {
    let agreement =
        |&(sense, _): &(usize, f64)| -> f64 { glosses.row(sense).iter().zip(&word).map(|(a, b)| a * b).sum() };
    let agreements: Vec<f64> = senses.iter().map(agreement).collect();
    let best = agreements.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut gloss = [0.0; WIDTH];
    for (&(sense, weight), agreement) in senses.iter().zip(&agreements) {
        let weight = (weight + SENSE_SMOOTHING).sqrt() * libm::exp((agreement - best) / AGREEMENT_TEMPERATURE);
        gloss.iter_mut().zip(glosses.row(sense)).for_each(|(sum, value)| *sum += weight * value);
    }
    let norm = gloss.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        word.iter_mut().zip(gloss).for_each(|(to, from)| *to += length / norm * from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gloss_that_agrees_with_the_prompts_decides_the_direction() {
        let mut glosses = Array2::zeros((2, WIDTH));
        glosses[[0, 0]] = 1.0;
        glosses[[1, 1]] = 1.0;
        let mut word = ndarray::Array1::zeros(WIDTH);
        word[0] = 1.0;
        add_glosses(word.view_mut(), &[(0, 1.0), (1, 1.0)], 0.5, &glosses);
        assert!(word[0] > 1.49 && word[1] < 1e-3);
    }
}
