//! `textveil represent`: lines in, JSON lines out.

use std::process::Output;

use serde_json::Value;

use super::{text, textveil};

fn represent(arguments: &[&str], input: &[u8]) -> Output {
    textveil(&[&["represent", "--mechanism"], arguments].concat(), input)
}

fn objects(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn a_line_gives_one_vector_or_one_for_each_word() {
    for (unit, rows) in [("text", [1, 1]), ("word", [2, 3])] {
        let output = represent(&["gaussian", "--epsilon", "1", "--delta", "1e-5", "--unit", unit], b"one two\na b c\n");
        for (object, rows) in objects(&output).iter().zip(rows) {
            let vectors = object["vectors"].as_array().expect("rows");
            assert_eq!(vectors.len(), rows);
            assert!(vectors.iter().flat_map(|row| row.as_array().expect("a row")).all(Value::is_f64));
            assert_eq!(
                (&object["guarantee"]["unit"], &object["guarantee"]["notion"]),
                (&unit.into(), &"approximate-dp".into())
            );
        }
    }
}

#[test]
fn bits_are_digits_and_a_published_code_is_marked() {
    let arguments = ["ome", "--epsilon", "1", "--lambda", "100", "--calibration", "published"];
    let output = represent(&arguments, b"one line\n");
    let objects = objects(&output);
    let bits = objects[0]["bits"][0].as_str().expect("digits");
    assert!(bits.len().is_multiple_of(10) && bits.chars().all(|digit| "01".contains(digit)));
    assert_eq!(objects[0]["guarantee"]["claim"]["holds"], Value::from(false));
    assert!(objects[0]["guarantee"]["epsilonText"].as_f64().expect("a number") > 1000.0);
    assert!(
        text(&output.stderr).contains("claims epsilon 1 for one representation, WHICH DOES NOT FOLLOW"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn dropout_strengthens_the_guarantee_and_the_summary_names_the_weakest() {
    let epsilon = |dropout: &[&str]| {
        let arguments = [&["laplace", "--epsilon", "2", "--unit", "word"], dropout].concat();
        objects(&represent(&arguments, b"one\none two\n"))[1]["guarantee"]["epsilonWord"].as_f64().expect("a number")
    };
    let [none, bernoulli, fixed] = [&[][..], &["--dropout", "0.5"], &["--dropout", "0.5", "--fixed-size"]].map(epsilon);
    assert!(bernoulli < fixed && fixed < none);
    let output = represent(&["laplace", "--epsilon", "2"], b"one\nthree words here\none\n");
    let summary = text(&output.stderr);
    let bound = "laplace: at most epsilon 2.00 for one word, epsilon 6.00 for any line";
    assert!(summary.contains(&format!("3 releases, 5 private words; {bound}")), "{summary}");
}

#[test]
fn without_a_mechanism_it_is_privunit2_at_an_epsilon_that_is_told() {
    let output = textveil(&["represent", "--epsilon", "8"], b"one line\n");
    assert_eq!(objects(&output)[0]["guarantee"]["mechanism"], Value::from("privunit2"));
    let output = textveil(&["represent"], b"secret\n");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(text(&output.stderr).contains("privunit2 needs --epsilon"), "{}", text(&output.stderr));
}

/// One word of many moves the mean of their vectors less.
#[test]
fn the_summary_of_an_encoding_names_the_line_that_loses_most_by_a_word() {
    let bound = |lines: &[u8]| {
        let output = represent(&["dpnr", "--epsilon", "5"], lines);
        text(&output.stderr).split_once("; ").expect("a count and a bound").1.to_owned()
    };
    let (short, long) = (bound(b"two words\n"), bound(b"a line of many more words than two\n"));
    assert!(short != long && [&short, &long].iter().all(|bound| bound.contains(", epsilon 5.00 for any line")));
    assert_eq!(bound(b"two words\na line of many more words than two\n"), short);
}

#[test]
fn what_cannot_be_represented_is_refused_with_a_reason() {
    for (arguments, message) in [
        (&["exponential", "--epsilon", "2"][..], "exponential puts out words alone: use `textveil privatize`"),
        (&["laplace"], "laplace needs --epsilon (it also takes --clip)"),
        (&["lattice-laplace"], "lattice-laplace needs --eta or --epsilon"),
        (&["laplace", "--epsilon", "2", "--dropout", "1"], "dropout must be at least 0 and below 1"),
        (&["laplace", "--epsilon", "2", "--fixed-size"], "--dropout <RATE>"),
        (
            &["metric-laplace", "--eta", "2", "--dropout", "0.5"],
            "dropout is not offered with metric DP (metric-laplace), whose guarantee it would not strengthen",
        ),
    ] {
        let output = represent(arguments, b"secret\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    let help = represent(&["laplace", "--help"], b"");
    assert!(text(&help.stdout).contains("dpnr") && !text(&help.stdout).contains("vickrey"));
}
