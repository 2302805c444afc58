//! A set as classifiers and attackers meet it: representations, topics, and what should stay private.

use anyhow::{Context, Result};
use ndarray::Array2;
use textveil::ReleaseRng;
use textveil::account::dropout::{FixedMask, Rounding};

use super::embedding::Embedder;
use crate::data::{Example, Set};
use crate::reproduce::run::Run;
use textveil_toolkit::sampling::below;

/// Texts of each part with `--quick`.
const QUICK: usize = 600;

/// A set whose texts have lost a share of their words.
pub(super) struct Corpus {
    /// The share of words that is left out of each text before it is represented.
    pub(super) dropout: f64,
    pub(super) classes: usize,
    pub(super) attributes: Vec<Attribute>,
    pub(super) train: Part,
    pub(super) dev: Part,
    pub(super) test: Part,
}

/// The examples to train on, to choose by, or to test on.
pub(super) struct Part {
    pub(super) texts: Vec<String>,
    /// The representation of each text, scaled to [0, 1] by its own least and greatest element.
    pub(super) rows: Array2<f32>,
    pub(super) labels: Vec<usize>,
    /// For each attribute of the set, the group that each example is of.
    pub(super) groups: Vec<Vec<usize>>,
    /// Whether the text, before words were left out, stands among those to train on.
    pub(super) is_trained_on: Vec<bool>,
}

/// Something about an author or a text that has two values.
pub(super) struct Attribute {
    pub(super) name: String,
    /// The first is the one that the paper counts from: absent, female, young.
    pub(super) groups: [String; 2],
    is_second: fn(&Example, &Attribute) -> bool,
}

/// The politicians in AG, by their numbers in the file.
const ENTITIES: [&str; 5] = ["Bush", "Kerry", "Arafat", "Blair", "Sharon"];

impl Corpus {
    /// Reads a set and represents what is left of its texts.
    ///
    /// # Errors
    /// Those of [`Run::set`] and [`Embedder::embed`].
    pub(super) fn read(run: &Run<'_>, embedder: &Embedder, name: &str, dropout: f64) -> Result<Self> {
        let set = run.set(name)?;
        let set = if run.is_quick() { set.limited(QUICK, run.seed(&format!("{name}/limited"))) } else { set };
        let attributes = attributes(&set);
        let dev = set.dev.as_ref().with_context(|| format!("{name} has no development set"))?;
        let part = |what: &str, examples: &[Example]| -> Result<Part> {
            let mut chance = run.rng(&format!("{name}/dropout={dropout}/{what}"));
            let left: Vec<String> =
                examples.iter().map(|example| without(&example.text, dropout, &mut chance)).collect();
            let mut rows = embedder.embed(&left)?;
            to_unit_range(&mut rows);
            let group = |attribute: &Attribute| {
                examples.iter().map(|example| usize::from((attribute.is_second)(example, attribute))).collect()
            };
            Ok(Part {
                rows,
                labels: examples.iter().map(|example| example.label).collect(),
                groups: attributes.iter().map(group).collect(),
                is_trained_on: set.seen_in_training(examples),
                texts: examples.iter().map(|example| example.text.clone()).collect(),
            })
        };
        let (train, dev, test) = (part("train", &set.train)?, part("dev", dev)?, part("test", &set.test)?);
        let classes = set.labels.len();
        Ok(Self { dropout, classes, attributes, train, dev, test })
    }

    /// Whether its attributes are who is named in a text, not who wrote it.
    pub(super) fn is_of_entities(&self) -> bool {
        self.attributes.iter().any(|attribute| ENTITIES.contains(&attribute.name.as_str()))
    }

    pub(super) fn parts(&self) -> [&Part; 3] {
        [&self.train, &self.dev, &self.test]
    }
}

impl Part {
    /// Whether each text counts: all do, or only those that do not stand among those to train on.
    pub(super) fn counts(&self, is_new_alone: bool) -> Vec<bool> {
        self.is_trained_on.iter().map(|is_trained_on| !(is_new_alone && *is_trained_on)).collect()
    }
}

fn attributes(set: &Set) -> Vec<Attribute> {
    let of = |name: &str, groups: [&str; 2], is_second| Attribute {
        name: name.to_owned(),
        groups: groups.map(str::to_owned),
        is_second,
    };
    if set.attribute("entities").is_ok() {
        let is_named = |example: &Example, attribute: &Attribute| {
            let number = ENTITIES.iter().position(|name| *name == attribute.name).map(|place| place.to_string());
            let mut entities = example.attributes.iter().flat_map(|list| list.split(','));
            entities.any(|entity| number.as_deref() == Some(entity))
        };
        return ENTITIES.iter().map(|name| of(name, ["absent", "present"], is_named)).collect();
    }
    let is_second = |example: &Example, attribute: &Attribute| example.attributes.contains(&attribute.groups[1]);
    vec![of("age", ["10s", "30s"], is_second), of("gender", ["female", "male"], is_second)]
}

/// What is left of a text when a share of its words, rounded up, is left out at random.
fn without(text: &str, share: f64, chance: &mut ReleaseRng) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mask = FixedMask::new(words.len() as u64, share, Rounding::Ceil);
    let zeros = mask.map_or(0, |mask| mask.zeros() as usize).min(words.len());
    let mut order: Vec<usize> = (0..words.len()).collect();
    for place in 0..zeros {
        order.swap(place, place + below(chance, words.len() - place));
    }
    let mut kept = order.split_off(zeros);
    kept.sort_unstable();
    kept.into_iter().map(|place| words[place]).collect::<Vec<_>>().join(" ")
}

/// Scales each row so that its least element becomes 0 and its greatest 1.
fn to_unit_range(rows: &mut Array2<f32>) {
    for mut row in rows.rows_mut() {
        let least = row.iter().copied().fold(f32::INFINITY, f32::min);
        let width = row.iter().copied().fold(f32::NEG_INFINITY, f32::max) - least;
        row.mapv_inplace(|x| if width > 0.0 { (x - least) / width } else { 0.0 });
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn a_share_of_the_words_is_left_out_rounded_up_and_the_rest_keeps_its_order() {
        let mut chance = ReleaseRng::seed_from_u64(1);
        assert_eq!(without("a  b\tc d e", 0.0, &mut chance), "a b c d e");
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let left = without("a b c d e", 0.5, &mut chance);
            assert_eq!(left.len(), 3, "two of five, since three are left out: {left}");
            assert!(left.split(' ').is_sorted());
            seen.insert(left);
        }
        assert_eq!(seen.len(), 10, "every pair of five");
        assert_eq!(without("alone", 0.1, &mut chance), "", "rounded down nothing would be left out");
    }

    #[test]
    fn a_row_spans_the_unit_range() {
        let mut rows = ndarray::array![[-3.0_f32, 1.0, 0.0], [2.0, 2.0, 2.0]];
        to_unit_range(&mut rows);
        assert_eq!(rows, ndarray::array![[0.0, 1.0, 0.75], [0.0, 0.0, 0.0]]);
    }
}
