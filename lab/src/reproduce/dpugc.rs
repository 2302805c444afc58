//! Vu, Tran and Jiang, "dpUGC: Learn Differentially Private Representation for User Generated Contents" (CICLing 2019).
//! It learns vectors of words from users' texts, by skip-gram with negative sampling and noisy steps.
//!
//! [`published`] is the paper's Algorithm 1-a, which protects one pair of words and no user. [`neighbours`] and
//! [`regression`] are its tables and its figure in kind. [`user_level`] asks a question that the paper leaves out: how
//! much is learned if each user as a whole is protected? It takes the same steps, or one noisy sum of co-occurrences
//! ([`cooccurrences`]). The paper's Algorithm 1-b is refuted by `textveil audit`.

mod cooccurrences;
mod judge;
mod model;
pub(super) mod neighbours;
pub(super) mod printed;
mod published;
pub(super) mod regression;
mod text;
pub(super) mod user_level;

use super::experiment::Runs;

const AUTHORS: &str = "blog_users";
const WIKIPEDIA: &str = "text8_like";
const PUBLIC: &str = "wiki_50d";
const SIMILARITY: &str = "word_similarity";
const TOPICS: &str = "blog";
const RUNS: Runs = Runs { quick: 1, usual: 3, paper: None };

/// What holds of all that is published.
const WHY: &str = "the paper states no dimensions, clip, lot, rate or vocabulary. Here: 50 dimensions, the 10,000 words \
that are most frequent in Wikipedia, window 5, 5 negatives, lots of 128 pairs in the mean, sigma 5 (as its accountant \
has it), clip 1, learning rate 1. Its accountant takes the vocabulary's 50,000 words for the number of records. Ours \
takes the pairs, as the sampling does, and says what an author with the most pairs is promised. Noise on rows that no \
pair of a lot has touched is drawn later, in one draw for all steps that have passed: the same law.";
