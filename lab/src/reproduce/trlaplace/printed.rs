//! The paper's table next to ours, and which of its numbers noise on each word, followed by the nearest word, cannot
//! have.
//!
//! Such a release has as many words as the text. Without noise the release is the text, and each score is the greatest
//! possible. Under noise no score is above that of the text itself, and no best reader of the release loses less than
//! one of the text. And if (ε, δ) is proved, at most a share of e^ε·p + δ of the words can stay. Here p is the share of
//! the commonest word. For each word comes out as itself hardly more often than another word comes out as it.

use serde_json::json;

use super::DELTA;
use crate::reproduce::printed::{Beside, Comparison, Number, Place, none_is_impossible, nowhere};
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;

pub(crate) static TABLES: [Comparison; 3] = [
    Comparison {
        paper: "trlaplace",
        table: "Privacy table",
        what: "beside the mechanism as published",
        experiment: "trlaplace reconstruction",
        place: |number, _| place(number, "published", 1.0),
        is_impossible: |number, all| limit(number, all).is_some(),
        reason: "Measured: the published mechanism leaves at most .003 of the words on GloVe (.013 on word2vec), and the norm C does not matter, because \
                 the noise grows with C as the vectors do. Computed: the numbers called impossible break one of three rules \
                 for noise on each word and then the nearest word. Without noise the text itself comes out. Noise tells no \
                 more than the text. The stated eps and delta allow no more words to stay. The last sheet of mechanisms \
                 lists them. Breaches of the second rule are small, and chance of the paper's decoder may explain them: then a \
                 decoder wrote the text. BLEU and BERTScore compare in kind, because BLEU has another scale and our score \
                 reads other vectors. The decoder and its loss are not made again.",
    },
    Comparison {
        paper: "trlaplace",
        table: "Privacy table",
        what: "over the row without noise, beside the authors' program",
        experiment: "trlaplace reconstruction",
        place: |number, all| match clear(number, all) {
            Some(clear) => place(number, "released program", clear.share()),
            None => Place::Nowhere,
        },
        is_impossible: none_is_impossible,
        reason: "Measured: over its own row without noise, the printed table follows the authors' program and not the \
                 published mechanism. Under TrLaplace the program changes no word, and its delta is 1. Guess: the rest is \
                 what the paper's decoder gets wrong, and other texts and vectors.",
    },
    Comparison {
        paper: "trlaplace",
        table: "Figures",
        what: "accuracy of classifiers, curves",
        experiment: "trlaplace downstream",
        place: nowhere,
        is_impossible: none_is_impossible,
        reason: "The paper prints no numbers.",
    },
];

/// How far a share of words may be off: texts and vectors are others.
const TOLERANCE: f64 = 0.05;
/// No word makes a greater share of a text: in English the commonest has about a twentieth.
const COMMONEST: f64 = 0.1;

/// The place of our number of a calibration, for the number printed over another.
fn place(number: &Number, calibration: &str, over: f64) -> Place {
    let law = match number.word("mechanism") {
        "Gaussian" => "gaussian",
        "Laplacian" => "laplace",
        "TrLaplacian" => "truncated-laplace",
        _ => return Place::Nowhere,
    };
    let (column, value, tolerance) = match number.metric.as_str() {
        "N_w" => ("N_w", number.share() / over, Some(TOLERANCE)),
        "Rouge1" => ("ROUGE-1", number.share() / over, Some(TOLERANCE)),
        "BLEU" => ("BLEU", number.value, None),
        "BERT-S" => ("greedy cosine F (for BERTScore)", number.value, None),
        _ => return Place::Nowhere,
    };
    let is_as_published = calibration == "published";
    let sheet = if is_as_published {
        "As published: delta 1e-5 is stated"
    } else {
        "As the released program has it: its radius is that of delta 4^-d"
    };
    let row = vec![
        ("set", json!(if number.word("set") == "Yelp" { "yelp_full5" } else { "yahoo_answers" })),
        ("vectors", json!("glove_50d")),
        ("noise", json!(format!("{law}, {calibration}"))),
        ("eps stated", number.says("epsilon").clone()),
    ];
    Place::Beside(Beside { sheet, row, column, value, tolerance })
}

/// The same without noise.
fn clear<'a>(number: &Number, all: &'a [Number]) -> Option<&'a Number> {
    all.iter().find(|other| {
        let is_same = other.metric == number.metric && other.word("set") == number.word("set");
        is_same && other.number("epsilon").is_none()
    })
}

/// What a printed number cannot pass, or has to be, and why; nothing if it keeps to it.
fn limit(number: &Number, all: &[Number]) -> Option<(f64, &'static str)> {
    let is_loss = number.metric == "Loss";
    let Some(epsilon) = number.number("epsilon") else {
        let greatest = match number.metric.as_str() {
            "Loss" => return None,
            "N_w" | "BERT-S" => 1.0,
            _ => 100.0,
        };
        return (number.value < greatest).then_some((greatest, "without noise the text comes out"));
    };
    let clear = clear(number, all)?.value;
    if number.metric == "N_w" {
        let most = epsilon.exp() * COMMONEST + DELTA;
        if number.value > most {
            return Some((most, "the stated eps and delta allow no more"));
        }
    }
    let is_better = if is_loss { number.value < clear } else { number.value > clear };
    is_better.then_some((clear, "noise tells no more than the text"))
}

/// The printed numbers that break a rule.
pub(crate) fn impossible(all: &[Number]) -> Sheet {
    let mut sheet =
        Sheet::new("TrLaplace: printed numbers that noise on each word, and then the nearest word, cannot have");
    for number in all {
        let Some((limit, why)) = limit(number, all) else { continue };
        sheet.row(cells![
            "set" => number.word("set"),
            "noise" => number.word("mechanism"),
            "eps" => number.number("epsilon").map_or_else(|| "".into(), textveil_toolkit::report::Cell::from),
            "what" => number.metric.as_str(),
            "printed" => number.value,
            "limit" => limit,
            "why" => why,
        ]);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::printed::numbers;

    #[test]
    fn what_breaks_a_rule_is_found_and_what_keeps_all_is_not() {
        let all = numbers("trlaplace").expect("numbers");
        let found = |set: &str, mechanism: &str, epsilon: Option<f64>, metric: &str| {
            let is_meant = |number: &&Number| {
                let is_at = number.number("epsilon") == epsilon && number.metric == metric;
                is_at && number.word("set") == set && number.word("mechanism") == mechanism
            };
            limit(all.iter().find(is_meant).expect("a number"), &all).map(|(limit, _)| limit)
        };
        assert_eq!(found("Yahoo", "none", None, "N_w"), Some(1.0));
        assert_eq!(found("Yahoo", "TrLaplacian", Some(0.05), "Loss"), Some(2.95));
        assert_eq!(found("Yahoo", "TrLaplacian", Some(0.5), "Loss"), None);
        let most = found("Yelp", "TrLaplacian", Some(0.5), "N_w").expect("a limit");
        assert!((most - (0.164_872 + 1e-5)).abs() < 1e-6, "{most}");
        assert_eq!(found("Yahoo", "Gaussian", Some(0.05), "N_w"), None, ".072 is below .105");
    }
}
