//! BLEU (Papineni et al., ACL 2002) of corpora and sentences, with the numbers of sacrebleu 2.6.0: one
//! reference, mixed case, tokenizer 13a.

use std::iter::Sum;

use clap::ValueEnum;
use serde::Serialize;

use super::ngrams;

/// n-grams are counted up to this n.
const MAX_ORDER: usize = 4;

/// The treatment of a precision of zero, which would make the whole score zero.
#[derive(Clone, Copy, ValueEnum)]
pub enum Smoothing {
    /// The k-th zero counts as 2⁻ᵏ matches, as in NIST's mteval-v13a
    Exp,
    /// It stays zero
    None,
}

/// What is scored: it decides how short texts count.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    /// All of the four orders count.
    Corpus,
    /// Only orders that the hypothesis is long enough for do: sacrebleu's "effective order".
    Sentence,
}

/// What the score of a text follows from; the sum over sentences gives the score of their corpus.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    matches: [usize; MAX_ORDER],
    ngrams: [usize; MAX_ORDER],
    hypothesis: usize,
    reference: usize,
}

/// A score and its parts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bleu {
    /// From 0 to 100, up to rounding.
    pub score: f64,
    /// The precisions of 1-grams to 4-grams, in percent, smoothed.
    pub precisions: [f64; MAX_ORDER],
    /// What hypotheses shorter than their references are multiplied by.
    pub brevity_penalty: f64,
    /// Tokens of the texts that are scored.
    pub hypothesis_tokens: usize,
    /// Tokens of their references.
    pub reference_tokens: usize,
}

impl Counts {
    /// Of a line against its reference.
    pub fn of(hypothesis: &str, reference: &str) -> Self {
        let (hypothesis, reference) = (&tokens(hypothesis)[..], &tokens(reference)[..]);
        Self {
            matches: std::array::from_fn(|order| ngrams::matches(hypothesis, reference, order + 1)),
            ngrams: std::array::from_fn(|order| ngrams::count(hypothesis, order + 1)),
            hypothesis: hypothesis.len(),
            reference: reference.len(),
        }
    }

    /// The score that follows.
    pub fn bleu(&self, scope: Scope, smoothing: Smoothing) -> Bleu {
        let precisions = self.precisions(smoothing);
        let orders = match scope {
            Scope::Corpus => MAX_ORDER,
            Scope::Sentence => self.ngrams.iter().filter(|count| **count > 0).count().max(1),
        };
        let logarithms: f64 = precisions.iter().take(orders).map(|precision| libm::log(*precision)).sum();
        let brevity_penalty = self.brevity_penalty();
        Bleu {
            score: brevity_penalty * libm::exp(logarithms / orders as f64),
            precisions,
            brevity_penalty,
            hypothesis_tokens: self.hypothesis,
            reference_tokens: self.reference,
        }
    }

    /// In percent; all zero where nothing matches, smoothed or not.
    fn precisions(&self, smoothing: Smoothing) -> [f64; MAX_ORDER] {
        let mut precisions = [0.0; MAX_ORDER];
        if self.matches == [0; MAX_ORDER] {
            return precisions;
        }
        let mut smoothed = 1.0;
        for (precision, (matches, ngrams)) in precisions.iter_mut().zip(self.matches.into_iter().zip(self.ngrams)) {
            *precision = match (matches, ngrams, smoothing) {
                (_, 0, _) | (0, _, Smoothing::None) => 0.0,
                (0, _, Smoothing::Exp) => {
                    smoothed *= 2.0;
                    100.0 / (smoothed * ngrams as f64)
                }
                _ => 100.0 * matches as f64 / ngrams as f64,
            };
        }
        precisions
    }

    fn brevity_penalty(&self) -> f64 {
        match (self.hypothesis, self.reference) {
            (hypothesis, reference) if hypothesis >= reference => 1.0,
            (0, _) => 0.0,
            (hypothesis, reference) => libm::exp(1.0 - reference as f64 / hypothesis as f64),
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        let add = |a: [usize; MAX_ORDER], b: [usize; MAX_ORDER]| std::array::from_fn(|order| a[order] + b[order]);
        counts.fold(Self::default(), |a, b| Self {
            matches: add(a.matches, b.matches),
            ngrams: add(a.ngrams, b.ngrams),
            hypothesis: a.hypothesis + b.hypothesis,
            reference: a.reference + b.reference,
        })
    }
}

/// How a score came about, in the form of sacrebleu's signatures. The version is this program's.
pub fn signature(scope: Scope, smoothing: Smoothing) -> String {
    let effective_order = if scope == Scope::Sentence { "yes" } else { "no" };
    let smoothing = match smoothing {
        Smoothing::Exp => "exp",
        Smoothing::None => "none",
    };
    let version = concat!("textveil-", env!("CARGO_PKG_VERSION"));
    format!("nrefs:1|case:mixed|eff:{effective_order}|tok:13a|smooth:{smoothing}|version:{version}")
}

/// The tokens of mteval-v13a, of a line: symbols apart, periods and commas unless they stand between digits,
/// and hyphens after digits.
fn tokens(line: &str) -> Vec<String> {
    let mut text = line.replace("<skipped>", "");
    for (entity, character) in [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")] {
        text = text.replace(entity, character);
    }
    // A mark at either end has a neighbor as well.
    let mut apart = String::from(" ");
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '\'' | ',' | '-' | '.') {
            apart.extend([' ', c, ' ']);
        } else {
            apart.push(c);
        }
    }
    apart.push(' ');
    let is_mark = |c| matches!(c, '.' | ',');
    let is_digit = |c: char| c.is_ascii_digit();
    let apart = pairs_rewritten(&apart, |a, b| (!is_digit(a) && is_mark(b)).then_some([a, ' ', b, ' ']));
    let apart = pairs_rewritten(&apart, |a, b| (is_mark(a) && !is_digit(b)).then_some([' ', a, ' ', b]));
    let apart = pairs_rewritten(&apart, |a, b| (is_digit(a) && b == '-').then_some([a, ' ', b, ' ']));
    apart.split(is_space).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

/// Rewrites neighbors from left to right. No character is in two pairs, so that of marks in a row some stay
/// together, as the original's regular expressions have it.
fn pairs_rewritten(text: &str, rewrite: impl Fn(char, char) -> Option<[char; 4]>) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        match rest.peek().and_then(|second| rewrite(first, *second)) {
            Some(rewritten) => {
                out.extend(rewritten);
                rest.next();
            }
            None => out.push(first),
        }
    }
    out
}

/// White space as Python has it: four control characters that part records are space, too.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_mteval() {
        for (line, expected) in [
            ("The end.", "The end ."),
            (".5, 1,000.25 and 3-4", ". 5 , 1,000.25 and 3 - 4"),
            ("it's a dog-eat-dog", "it's a dog-eat-dog"),
            ("[a]{b}~`c^_\\d", "[ a ] { b } ~ ` c ^ _ \\ d"),
            ("&amp;lt;b&gt; <skipped>x", "< b > x"),
            ("wait... 5.,6", "wait . . . 5 . , 6"),
            ("a,.5", "a , .5"),
            ("a\u{1c}b\u{a0}c\u{200b}d", "a b c\u{200b}d"),
        ] {
            assert_eq!(tokens(line).join(" "), expected, "{line}");
        }
    }
}
