//! `textveil-lab compare`: labelled texts in, mechanisms side by side out.

use std::process::Output;

use serde_json::Value;

use super::{File, text, textveil};

const TOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/toy.tvt");
const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");

/// Texts about animals and about places, in words of the toy table, and one that it has no word of.
fn texts() -> File {
    let pairs = ["1\tthe dog, the cat!", "0\tthe river", "1\tcat", "0\tthe bank: river tree", "1\tdog cat dog"];
    let rows: Vec<String> = (0..30).map(|i| pairs[i % 5].to_owned()).collect();
    File::of(format!("label\ttext\n{}\n0\tqueue\n", rows.join("\n")).as_bytes(), "tsv")
}

fn compare(data: &File, options: &[&str]) -> Output {
    textveil(&[&["compare", "--data", data.path(), "--runs", "2"], options].concat(), b"")
}

fn json(data: &File, options: &[&str]) -> Value {
    let output = compare(data, &[options, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn results(report: &Value) -> &[Value] {
    report["results"].as_array().expect("results")
}

/// All results, if there are as many as that.
fn all<const N: usize>(report: &Value) -> [&Value; N] {
    results(report).iter().collect::<Vec<_>>().try_into().expect("so many results")
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).expect(pointer)
}

#[test]
fn at_equal_eta_every_mechanism_proves_it_or_is_not_compared() {
    let report = json(&texts(), &["--table", TOY, "--eta", "0.5", "--mechanism", "exponential,mahalanobis,laplace"]);
    let [exponential, mahalanobis, laplace] = all(&report);
    for result in [exponential, mahalanobis] {
        assert!((number(result, "/euclideanEta") - 0.5).abs() < 1e-9, "{result}");
    }
    assert!(number(mahalanobis, "/guarantee/eta") < 0.5, "its own norm is longer");
    assert!(laplace["refused"].as_str().is_some_and(|reason| reason.contains("no eta")), "{laplace}");
}

#[test]
fn at_equal_epsilon_a_delta_stands_beside_it_and_is_never_left_out() {
    let options = ["--table", TOY, "--epsilon", "5", "--mechanism", "exponential,gaussian,metric-laplace"];
    let report = json(&texts(), &options);
    let deltas: Vec<f64> = results(&report).iter().map(|result| number(result, "/guarantee/deltaWord")).collect();
    assert!(deltas[0] == 0.0 && deltas[1] > 1e-7 && deltas[2] > 0.0, "{deltas:?}");
    assert!(results(&report).iter().all(|result| number(result, "/guarantee/epsilonWord") <= 5.0));
    let output = compare(&texts(), &["--table", TOY, "--epsilon", "40", "--mechanism", "metric-laplace"]);
    assert!(text(&output.stdout).contains("none: delta 1"), "{}", text(&output.stdout));
}

#[test]
fn a_mechanism_that_stays_in_a_class_is_marked() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/classes.tvt");
    let data = File::of(b"label,text\na,\"cat, dog\"\nb,lake\na,bear\nb,hill\na,cat\n", "csv");
    let output = compare(&data, &["--table", table, "--epsilon", "3", "--mechanism", "class-exponential"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("3.00, in a class"), "{}", text(&output.stdout));
}

#[test]
fn at_equal_shares_the_vocabulary_is_kept_and_inverted_as_asked() {
    let options = ["--table", TOY, "--mechanism", "exponential", "--retention", "0.6", "--inversion", "0.6"];
    let report = json(&texts(), &options);
    let [inverted, kept] = all(&report);
    assert!((number(inverted, "/vocabulary/success") - 0.6).abs() < 0.005, "{inverted}");
    assert!((number(kept, "/vocabulary/retention") - 0.6).abs() < 0.005, "{kept}");
    for share in ["/outcome/wordsKept", "/outcome/trainedPrivatized", "/outcome/trainedInClear"] {
        let [low, value, high] = ["low", "value", "high"].map(|end| number(kept, &format!("{share}/{end}")));
        assert!((0.0..=value).contains(&low) && (value..=1.0).contains(&high), "{kept}");
    }
}

#[test]
fn everything_follows_from_the_seed() {
    let (data, options) = (texts(), ["--table", TOY, "--mechanism", "vickrey,lattice-laplace", "--retention", "0.5"]);
    let run = |seed| compare(&data, &[&options[..], &["--seed", seed]].concat()).stdout;
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
}

#[test]
fn tables_are_compared_by_what_comes_out_and_drawn() {
    let plot = File::of(b"", "svg");
    let options = ["--tables", &format!("{TOY},{ODD}"), "--mechanism", "exponential", "--svg", plot.path()];
    let report = json(&texts(), &options);
    assert_eq!(results(&report).iter().filter(|result| result["table"] == "odd").count(), 4);
    assert!(results(&report).iter().all(|result| result["equal"] == "retention" || result["equal"] == "inversion"));
    let drawing = std::fs::read_to_string(plot.path()).expect("a plot");
    assert!(drawing.contains("retention 0.3: exponential") && drawing.ends_with("</svg>\n"));
}

#[test]
fn a_test_file_is_tested_and_not_trained_on() {
    let (train, test) = (texts(), File::of(b"text\tlabel\nthe cat\t1\nriver\t0\n", "tsv"));
    let options = ["--table", TOY, "--mechanism", "exponential", "--eta", "100", "--test", test.path()];
    let report = json(&train, &options);
    assert_eq!((number(&report, "/datasets/0/tested"), number(&report, "/datasets/0/splits")), (2.0, 1.0));
    assert_eq!(number(all::<1>(&report)[0], "/outcome/trainedInClear/value"), 1.0);
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_reason() {
    let data = texts();
    for (options, reason) in [
        (&["--mechanism", "dpnr"][..], "puts out no words"),
        (&["--text", "body"], "no column \"body\" among label, text"),
        (&["--retention", "1.5"], "between 0 and 1"),
        (&["--test", data.path(), data.path()], "a file for each of --data"),
        (&["--runs", "0"], "--runs"),
        (&["--vectors", TOY], "not a usable safetensors file"),
    ] {
        let output = textveil(&[&["compare", "--data", data.path(), "--table", TOY], options].concat(), b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{reason}");
        assert!(text(&output.stderr).contains(reason), "{reason}: {}", text(&output.stderr));
    }
}
