//! The cells of ours to which the numbers of the paper's tables belong.

use serde_json::{Value, json};

use crate::reproduce::printed::{Beside, Comparison, Number, Place, none_is_impossible, nowhere};

pub(crate) static TABLES: [Comparison; 5] = [
    table("Table 1", "", "", "The table gives sizes of data sets and no result. myPersonality cannot be had."),
    Comparison {
        place: neighbours,
        is_impossible: |number, _| number.value > 1.0,
        ..table(
            "Table 2",
            "",
            "dpugc table-2",
            "In kind: three words of eleven against word2vec, after 10,000 steps. A random table scores as a table of Algorithm \
             1-a does. A mean average precision above 1 is a misprint.",
        )
    },
    Comparison {
        place: |number, _| match number.says("epsilon") {
            Value::Null => Place::Elsewhere,
            _ => Place::Beside(Beside {
                sheet: "dpUGC, table 3, eps 0.125: delta of their accountant (the paper's)",
                row: vec![("steps", number.says("step").clone())],
                column: "delta",
                value: number.value,
                // The last digit that is printed.
                tolerance: Some(1e-4),
            }),
        },
        ..table(
            "Table 3",
            "delta of the accountant",
            "mechanisms",
            "All nine come out if the vocabulary's size stands for the number of records, which is unsound.",
        )
    },
    Comparison {
        place: errors,
        ..table(
            "Table 3",
            "error of the regression",
            "dpugc table-3",
            "In kind: ages of authors, since myPersonality cannot be had, by least squares, up to 10,000 steps. A random table \
             stands beside each. No table, not even the public one, errs less than the mean age alone (.89), so that this \
             measure tells no table from another. Support vectors are not made.",
        )
    },
    table("Figure 3", "", "", "The paper prints no numbers; `dpugc figure-3` has the curve in kind."),
];

const fn table(table: &'static str, what: &'static str, experiment: &'static str, reason: &'static str) -> Comparison {
    Comparison { paper: "dpugc", table, what, experiment, place: nowhere, is_impossible: none_is_impossible, reason }
}

fn neighbours(number: &Number, _: &[Number]) -> Place {
    let table = match number.word("model") {
        "DP-Embedding" => "Algorithm 1-a",
        "Non-DP Embedding" => "without noise",
        _ => return Place::Nowhere,
    };
    let column = match number.metric.as_str() {
        "MAP-Word" => "MAP-Word",
        "MAP-Char" => "MAP-Char",
        _ => return Place::Nowhere,
    };
    Place::Beside(Beside {
        sheet: "The 100 nearest words against word2vec's",
        row: vec![("table", json!(table)), ("query", number.says("query").clone())],
        column,
        value: number.value,
        tolerance: None,
    })
}

fn errors(number: &Number, _: &[Number]) -> Place {
    if !number.says("epsilon").is_null() {
        return Place::Elsewhere;
    }
    let column = match number.word("method") {
        "DP-LR" => "Algorithm 1-a",
        "NoneDP-LR" => "without noise",
        "Baseline-LR" => "public table",
        _ => return Place::Nowhere,
    };
    if number.number("step").is_none_or(|step| step > 10_000.0) {
        return Place::Nowhere;
    }
    Place::Beside(Beside {
        sheet: "Root mean squared error of an author's age, scaled to 1 to 5",
        row: vec![("steps", number.says("step").clone())],
        column,
        value: number.value,
        tolerance: None,
    })
}
