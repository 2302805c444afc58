//! The cells of ours to which the numbers of the paper's tables belong. They compare in value for AG, whose topics are
//! the paper's, and in kind for blog.

use serde_json::{Value, json};

use super::bound::{best_accuracy, capacity, fewest};
use super::robust::DIMS as ELEMENTS;
use super::tolerance;
use crate::reproduce::printed::{Beside, Comparison, Number, Place, none_is_impossible, nowhere};

pub(crate) static TABLES: [Comparison; 10] = [
    Comparison {
        reason: "The table gives sizes of data sets and no result.",
        place: nowhere,
        experiment: "",
        ..table("Table 1", "", "")
    },
    table(
        "Table 2",
        "dpnr table-2",
        "Measured: noise of scale 1/eps on each element drowns what a frozen encoder says. The paper trains its encoder \
         through the noise. Blog's topics come of another run of LDA, and compare in kind. Trustpilot's texts (TP-US) \
         cannot be had.",
    ),
    Comparison {
        what: "encoder trained through the noise",
        place: |number, _| robust(number).map_or(Place::Nowhere, Place::Beside),
        is_impossible: exceeds_all_encoders,
        ..table(
            "Table 2",
            "dpnr table-2-robust",
            "Impossible: more than any encoder can reach through noise of that scale, whatever the shares of the classes but \
             the largest, which the paper prints. A small encoder is trained, and not BERT. Trustpilot's texts (TP-US) cannot \
             be had; blog's topics come of another run of LDA, and compare in kind.",
        )
    },
    table(
        "Table 3",
        "dpnr table-3",
        "As Table 2: at eps 1 a frozen encoder is drowned, so that leaving words out changes nothing. Trustpilot's texts \
         (TP-US) cannot be had.",
    ),
    table(
        "Table 4",
        "dpnr table-4",
        "Measured: our encoder in clear gives away more of the entities than the paper's (1 - X is .03, printed .23), and \
         under noise the task is lost with them. Trustpilot's texts (TP-US) cannot be had.",
    ),
    table(
        "Table 5",
        "dpnr table-4",
        "As Table 4. Shares of the entities agree. Under noise our attackers say the commonest answer, as the paper's do.",
    ),
    table(
        "Table 6",
        "dpnr fairness",
        "Blog's topics come of another run of LDA, and compare in kind. Trustpilot's texts (TP-US) cannot be had.",
    ),
    table(
        "Table 7",
        "dpnr fairness",
        "As Table 2: the task is lost under noise, so that both groups lose it. Shares of the entities agree.",
    ),
    table(
        "Figure 3",
        "dpnr figure-3",
        "The paper prints no numbers. `dpnr figure-3` has ours at the five eps of Table 2.",
    ),
    table(
        "Figure 4",
        "dpnr figure-4",
        "The paper prints no numbers. Our picture and the ages of neighbours in it are made again.",
    ),
];

const fn table(table: &'static str, experiment: &'static str, reason: &'static str) -> Comparison {
    Comparison { paper: "dpnr", table, what: "", experiment, place, is_impossible: none_is_impossible, reason }
}

/// The last digit of an accuracy that is printed in hundredths of a per cent.
const ROUNDING: f64 = 5e-5;
/// Texts of AG to test on.
const TESTED: f64 = 1457.0;
/// The last digit of a share that is printed in whole per cent.
const WHOLE: f64 = 0.005;

fn place(number: &Number, all: &[Number]) -> Place {
    find(number, all).map_or(Place::Nowhere, Place::Beside)
}

fn find(number: &Number, all: &[Number]) -> Option<Beside> {
    match number.table.as_str() {
        "Table 2" | "Table 3" => main_task(number),
        "Table 4" => attacks(number, all),
        "Table 5" if number.word("statistic") == "ratio" => {
            let place = ("AG: how often attackers are right on entities (Table 5)", "share present");
            Some(share(place, vec![("entity", entity(number)?)], number))
        }
        "Table 5" => Some(Beside {
            sheet: "AG: how often attackers are right on entities (Table 5)",
            row: vec![("entity", entity(number)?), ("defence", defence(number.word("method"))?)],
            column: if number.word("side") == "A" { "attacker right where absent" } else { "where present" },
            value: number.share(),
            tolerance: Some(tolerance(texts(number, all, number.word("side"))?)),
        }),
        "Table 6" | "Table 7" => by_group(number, all),
        _ => None,
    }
}

fn set(number: &Number) -> Option<&'static str> {
    match number.word("set") {
        "AG" => Some("AG"),
        "BLOG" => Some("blog"),
        _ => None,
    }
}

fn defence(method: &str) -> Option<Value> {
    Some(json!(match method {
        "majority" => "MAJORITY",
        "non-priv" => "none (NON-PRIV)",
        "adv" => "adversarial training (ADV)",
        "DPNR" => "noise at eps 0.05, published",
        _ => return None,
    }))
}

/// The third to the fifth of the entities.
fn entity(number: &Number) -> Option<Value> {
    let place = number.says("entity").as_u64()?.checked_sub(3)?;
    ["Arafat", "Blair", "Sharon"].get(place as usize).map(|name| json!(name))
}

/// How far an accuracy on AG may be off; blog compares in kind.
fn of_set(set: &str, tolerance: f64) -> Option<f64> {
    (set == "AG").then_some(tolerance)
}

fn main_task(number: &Number) -> Option<Beside> {
    let set = set(number)?;
    let mut row = vec![("set", json!(set))];
    if number.word("method") == "DPNR" {
        row.extend([("noise", json!("published")), ("trained on", json!("clear texts, noise anew"))]);
        let settings = [("eps claimed", "epsilon"), ("share left out", "mu")];
        row.extend(settings.into_iter().filter_map(|(ours, theirs)| Some((ours, json!(number.number(theirs)?)))));
    } else {
        row.push(("noise", json!("none")));
    }
    let tolerance = of_set(set, tolerance(TESTED as usize));
    Some(Beside { sheet: "Accuracy of the main task", row, column: "accuracy", value: number.share(), tolerance })
}

/// Whether no encoder can have it under the published noise, whatever the shares of the classes but the largest, which the
/// paper prints.
fn exceeds_all_encoders(number: &Number, all: &[Number]) -> bool {
    let is_majority = |other: &&Number| {
        other.table == "Table 4"
            && other.word("method") == "majority"
            && other.word("column") == "Main"
            && other.word("set") == number.word("set")
    };
    let majority = all.iter().find(is_majority).map(Number::share);
    let epsilon = number.number("epsilon").filter(|_| number.word("method") == "DPNR");
    epsilon.zip(majority).is_some_and(|(epsilon, majority)| {
        number.share() > best_accuracy(&fewest(majority), ELEMENTS as f64 * capacity(1.0 / epsilon)) + ROUNDING
    })
}

/// Table 2, for an encoder that is trained through the noise.
fn robust(number: &Number) -> Option<Beside> {
    let claimed = number.number("epsilon").map_or(json!("none"), |epsilon| json!(epsilon));
    let row = vec![("set", json!(set(number)?)), ("eps claimed", claimed)];
    Some(Beside { sheet: "Accuracy of an encoder trained through the noise", row, ..main_task(number)? })
}

/// The accuracy of Table 2 at an ε, or without noise.
pub(super) fn main_accuracy(name: &str, epsilon: Option<f64>, all: &[Number]) -> Option<f64> {
    let mut of_table = all.iter().filter(|number| number.table == "Table 2" && set(number) == Some(name));
    of_table.find(|number| number.number("epsilon") == epsilon).map(Number::share)
}

/// Two rows are printed as differences from that without noise.
fn attacks(number: &Number, all: &[Number]) -> Option<Beside> {
    let set = set(number)?;
    let is_base = |other: &&Number| {
        let is_same = |of| other.word(of) == number.word(of);
        other.table == number.table && other.word("method") == "non-priv" && is_same("set") && is_same("column")
    };
    let is_relative = number.says("relative_to").is_string();
    let base = if is_relative { all.iter().find(is_base)?.share() } else { 0.0 };
    Some(Beside {
        sheet: "Main task, and what attackers do not learn",
        row: vec![("set", json!(set)), ("defence", defence(number.word("method"))?)],
        column: if number.word("column") == "Main" { "main accuracy" } else { "empirical privacy" },
        value: base + number.share(),
        tolerance: of_set(set, tolerance(TESTED as usize)),
    })
}

fn share((sheet, column): (&'static str, &'static str), row: Vec<(&'static str, Value)>, number: &Number) -> Beside {
    let is_second =
        ["P", "male", "over"].iter().any(|second| [number.word("side"), number.word("group")].contains(second));
    let value = if is_second { number.share() } else { 1.0 - number.share() };
    Beside { sheet, row, column, value, tolerance: Some(WHOLE) }
}

/// Texts of AG to test on in which an entity is absent, or present.
fn texts(number: &Number, all: &[Number], side: &str) -> Option<usize> {
    let is_of = |other: &&Number| {
        let is_same = other.says("entity") == number.says("entity");
        other.word("statistic") == "ratio" && is_same && other.word("side") == side
    };
    Some((all.iter().find(is_of)?.share() * TESTED).round() as usize)
}

/// Tables 6 and 7: the second group is printed as a difference from the first.
fn by_group(number: &Number, all: &[Number]) -> Option<Beside> {
    const SHEET: &str = "Accuracy of the main task by group";
    let is_of_entities = number.table == "Table 7";
    let set = if is_of_entities { "AG" } else { set(number)? };
    let attribute = if is_of_entities { entity(number)? } else { number.says("attribute").clone() };
    let mut row = vec![("set", json!(set)), ("attribute", attribute)];
    if number.metric == "share" {
        return Some(Beside { tolerance: of_set(set, WHOLE), ..share((SHEET, "share of the second"), row, number) });
    }
    let method = if is_of_entities { number.word("method") } else { number.word("row") };
    row.push(("defence", defence(method)?));
    let is_second = number.says("relative_to").is_string();
    let tolerance = if is_of_entities {
        let [absent, present] = ["A", "P"].map(|side| Some(tolerance(texts(number, all, side)?)));
        Some(if is_second { absent?.hypot(present?) } else { absent? })
    } else {
        None
    };
    let column = if is_second { "the second's less it" } else { "accuracy, the first" };
    Some(Beside { sheet: SHEET, row, column, value: number.share(), tolerance })
}

/// What the second group is printed to have less or more than the first.
pub(super) fn gap(attribute: &str, method: &str, all: &[Number]) -> Option<f64> {
    let is_meant = |number: &&Number| {
        let beside = by_group(number, all);
        let row = beside.as_ref().map(|beside| (&beside.row, beside.column));
        row.is_some_and(|(row, column)| {
            let has = |key, value: &Value| row.iter().any(|(at, says)| *at == key && says == value);
            column == "the second's less it"
                && has("attribute", &json!(attribute))
                && defence(method).is_some_and(|defence| has("defence", &defence))
        })
    };
    let of_tables = all.iter().filter(|number| ["Table 6", "Table 7"].contains(&number.table.as_str()));
    of_tables.filter(|number| number.metric != "share").find(is_meant).map(Number::share)
}
