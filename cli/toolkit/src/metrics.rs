//! Metrics of texts and of rankings.
//!
//! [`bleu`] and [`rouge`] give the numbers of the programs that papers cite. [`mod@average_precision`] also
//! gives what the program of one paper computes under that name.

pub mod average_precision;
pub mod bleu;
mod ngrams;
pub mod rouge;

use rayon::prelude::*;

use bleu::{Counts, Scope, Smoothing};

/// The mean F of ROUGE-1 over pairs of a text and its reference, from 0 to 1, and their corpus BLEU, from 0 to
/// 100.
pub fn rouge_1_and_bleu(pairs: &[(&str, &str)]) -> [f64; 2] {
    let (counts, scores) = of_pairs(pairs);
    let corpus: Counts = counts.iter().copied().sum();
    [rouge::Scores::mean(&scores).rouge1.fmeasure, corpus.bleu(Scope::Corpus, Smoothing::Exp).score]
}

/// What BLEU counts in each pair of a text and its reference, and the pair's ROUGE.
pub fn of_pairs(pairs: &[(&str, &str)]) -> (Vec<Counts>, Vec<rouge::Scores>) {
    let of_line = |(hypothesis, reference): &(&str, &str)| {
        (Counts::of(hypothesis, reference), rouge::Scores::of(hypothesis, reference))
    };
    pairs.par_iter().map(of_line).unzip()
}
