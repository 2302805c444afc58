//! Huang, Yang, Habernal, Hu and Wang, "Private Language Models via Truncated Laplacian Mechanism" (EMNLP 2024). It
//! adds noise that ends at a radius to a word's vector, and releases the word nearest to the result.
//!
//! The paper clips vectors to a norm C and claims (ε, δ) for a word. Its radius follows from the product of what
//! each coordinate gives away, where one coordinate is enough, so that δ is near 1. The program that its authors
//! released clips nothing. It adds noise of at most four times C to vectors a thousand times as long, with one draw for
//! all words that are encoded together. Supports are disjoint, and δ is 1.
//!
//! [`noise`] has both under their names, calibrations that keep the claim, and mechanisms of pure ε; [`corpus`]
//! makes words of texts. [`reconstruction`] asks what is left of a text, [`downstream`] what a classifier learns
//! from it.

mod corpus;
pub(super) mod downstream;
mod draws;
mod language_model;
mod noise;
pub(super) mod printed;
pub(super) mod reconstruction;
mod released;
mod similarity;

use super::experiment::Runs;
use super::run::Run;

const SETS: [&str; 2] = ["yelp_full5", "yahoo_answers"];
/// GloVe has 50 dimensions, word2vec 300.
const GLOVE: &str = "glove_50d";
const WORD2VEC: &str = "word2vec_300d";
const DATA: [&str; 4] = [SETS[0], SETS[1], GLOVE, WORD2VEC];
const RUNS: Runs = Runs { quick: 1, usual: 3, paper: None };

/// The paper's ε.
const EPSILONS: [f64; 4] = [0.05, 0.1, 0.2, 0.5];
/// The ε of a quick run.
const FEW_EPSILONS: [f64; 2] = [0.05, 0.5];
/// The paper's δ.
const DELTA: f64 = 1e-5;

const WHY: &str = "the paper's text comes out of an auto-encoder that is trained under the noise and reads the whole \
sentence; here the nearest word comes out, as its equation (2) has it. The released program takes the decoder's loss \
with the words before each given as they are, and its test of utility trains on texts in clear, with vectors that were \
trained under noise and carry none: neither measures what a device would send. Vectors are the first 2,445 of GloVe and \
8,000 of word2vec; words that have none are left out, and texts are cut after 64 words. Yelp's stars are two classes, \
one or two and four or five. Under the published noise vectors have length 1 and C is 1; under the released program's \
they are as they were trained and C is 0.005, as it has it; beside its rows stands the printed number over that without \
noise, because a decoder wrote the printed text and errs without noise, too.";

fn epsilons(run: &Run<'_>) -> &'static [f64] {
    if run.is_quick() { &FEW_EPSILONS } else { &EPSILONS }
}
