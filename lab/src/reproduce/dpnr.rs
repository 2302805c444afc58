//! Lyu, He and Li (Findings of EMNLP 2020), "DPNR": the representation of a text with Laplace noise, classified
//! by a model that was trained under the same noise.
//!
//! The paper scales a representation to [0, 1] by its own least and greatest element. It adds noise of scale 1/ε to
//! each of its k elements and claims ε, but k·ε holds. The code that its authors released draws **one** number and adds
//! it to all elements. That hides no difference between two elements, so ε is infinite. Both mechanisms are here under
//! their names ([`noise`]), with the true ε next to the claimed one. Noise that keeps the claim joins them.
//!
//! The representation is a sentence encoder's, which is not trained here ([`corpus`]). Classifiers see noise that is
//! drawn in one of two ways ([`training`]). A server with clear texts draws it anew in each epoch. A collector of
//! releases sees one draw for each text. One table has an encoder trained through the noise ([`robust`]), next to a
//! bound that no encoder can exceed ([`bound`]).

mod bound;
mod corpus;
mod defence;
pub(super) mod embedding;
pub(super) mod fairness;
pub(super) mod figure_3;
pub(super) mod figure_4;
mod noise;
pub(super) mod printed;
pub(super) mod robust;
pub(super) mod sweep;
pub(super) mod table_4;
mod training;
mod tsne;

use super::experiment::Runs;

/// The sets of the paper that can be had; the third is of Trustpilot.
const SETS: [(&str, &str); 2] = [("ag_dpnr", "AG"), ("blog", "blog")];
const DATA: [&str; 2] = [SETS[0].0, SETS[1].0];
const TAKES: [&str; 2] = ["table", "encoder"];
const RUNS: Runs = Runs { quick: 2, usual: 5, paper: Some(5) };

/// How far an accuracy on this number of texts may differ from the paper's: two standard errors of an accuracy of four
/// fifths. (The paper states no standard error.)
fn tolerance(texts: usize) -> f64 {
    2.0 * (0.8 * 0.2 / texts as f64).sqrt()
}

/// What holds of all tables.
const WHY: &str = "the representation is that of a small sentence encoder as it is (or, without --encoder, the mean \
vector of a text's words in the table), where the paper trains BERT for the task under the noise; blog's topics are \
those of another run of LDA, so that its numbers compare in kind only; of AG's test texts 31 % stand in train, in the \
authors' file too. The paper's accuracies do not depend on eps, although noise of scale 1/eps on each element drowns \
a representation in [0, 1] at eps below 1. The authors' released code adds one number to all elements: whether the \
printed numbers came from it is not known; it leaves eps infinite. Whoever takes each release's mean off has the \
representation as it was, so that rows with the mean taken off are those without noise, and nothing is claimed of them. \
Which words are left out of a text is drawn once for all runs.";

#[cfg(test)]
mod tests {
    use crate::data::toy::{Split, Toy};

    /// Both sets, of texts on food and on rain, whose first attribute follows the topic; train, dev and test end at these numbers.
    pub(super) fn two_topics([train, dev, test]: [usize; 3]) -> Toy {
        let mut toy = Toy::new();
        let (food, rain) = (["soup", "bread", "cheese", "salad"], ["rain", "storm", "snow", "wind"]);
        let row = |i: usize, attributes: [&str; 2]| {
            let (label, words) = if i.is_multiple_of(2) { ("y", food) } else { ("n", rain) };
            let [first, second] = [words[i / 2 % 4], words[i / 8 % 4]];
            format!("{label}\tthe {first} and the {second} of day {i}\t{}\n", attributes[i % 2])
        };
        let (entities, people) = (["0", "1"], ["10s\tmale", "30s\tmale"]);
        for (set, head, attributes) in [("ag_dpnr", "entities", entities), ("blog", "age\tgender", people)] {
            let file = |range: std::ops::Range<usize>| {
                format!("label\ttext\t{head}\n") + &range.map(|i| row(i, attributes)).collect::<String>()
            };
            let files =
                [(Split::Train, file(0..train)), (Split::Dev, file(train..dev)), (Split::Test, file(dev..test))];
            let names: Vec<&str> = head.split('\t').collect();
            toy.set(set, &["text"], &names, &files.each_ref().map(|(split, file)| (*split, file.as_str())));
        }
        toy
    }
}
