//! `textveil represent`: lines in, JSON lines out.

use std::process::Output;

use serde_json::Value;

use super::{Folder, text, textveil};

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
        let objects = objects(&output);
        assert_eq!(objects.len(), rows.len());
        for (object, rows) in objects.iter().zip(rows) {
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
fn a_short_guarantee_has_a_digest_in_the_place_of_its_english() {
    let output = represent(&["gaussian", "--epsilon", "1", "--delta", "1e-5", "--short-guarantee"], b"one two\n");
    let guarantee = &objects(&output)[0]["guarantee"];
    assert_eq!((&guarantee["statement"], &guarantee["words"]), (&Value::Null, &2.into()));
    assert_eq!(guarantee["digest"].as_str().expect("a digest").len(), 64);
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
        (&["privunit2", "--epsilon", "1e6"], "privunit2: epsilon must be at most 270."),
        (&["ome", "--epsilon", "1", "--lambda", "0.5"], "ome: lambda must be a number of at least 1"),
        (&["mahalanobis", "--eta", "1", "--lambda", "1"], "mahalanobis: lambda must be a number from 0 to 0.999"),
        (&["privunit2", "--epsilon", "8,5"], "write a decimal point instead of the comma"),
        (
            &["metric-laplace", "--eta", "2", "--dropout", "0.5"],
            "dropout is not offered with metric DP (metric-laplace), whose guarantee it would not strengthen",
        ),
    ] {
        let output = represent(arguments, b"secret\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let help = represent(&["laplace", "--help"], b"");
    assert!(text(&help.stdout).contains("dpnr") && !text(&help.stdout).contains("vickrey"));
}

#[test]
fn a_whole_line_gives_one_vector_under_one_guarantee_however_long_it_is() {
    let lines = b"\nThe battery is empty after an hour, and support never answers.\n\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82\n";
    let output = textveil(&["represent", "--epsilon", "8", "--unit", "whole-text"], lines);
    let objects = objects(&output);
    assert_eq!(objects.len(), 3);
    for object in &objects {
        let rows: Vec<_> =
            object["vectors"].as_array().expect("rows").iter().map(|row| row.as_array().map(Vec::len)).collect();
        assert_eq!(rows, [Some(16)]);
        let guarantee = &object["guarantee"];
        assert_eq!(guarantee, &objects[0]["guarantee"]);
        assert_eq!((&guarantee["unit"], &guarantee["clear"]), (&"whole-text".into(), &Value::Array(vec![])));
        assert_eq!((&guarantee["words"], &guarantee["epsilonText"]), (&1.into(), &guarantee["epsilonWord"]));
        let epsilon = guarantee["epsilonText"].as_f64().expect("a number");
        assert!((7.9..=8.0).contains(&epsilon), "{epsilon}");
    }
    let summary = text(&output.stderr);
    assert!(
        summary.contains("3 releases; privunit2: at most epsilon 8.00")
            && summary.contains("for any line, however long it is"),
        "{summary}"
    );
    let few = textveil(&["represent", "--epsilon", "8", "--unit", "whole-text", "--dims", "5"], b"one\n");
    assert!(few.status.success() && text(&few.stdout).matches(',').count() > 4);
}

#[test]
fn what_cannot_represent_a_whole_line_is_refused_with_a_reason() {
    for (arguments, message) in [
        (&["--dims", "0"][..], "--dims must be from 3 to 129"),
        (&["--dims", "130"], "--dims must be from 3 to 129"),
        (&["--dims", "2"], "privunit2 needs at least 3 dimensions, not 2"),
        (&["--mechanism", "dpnr"], "--unit whole-text is for privunit2, not for dpnr"),
        (&["--dropout", "0.5"], "--dropout is for words, not for --unit whole-text"),
        (&["--any-language"], "--any-language is for words, not for --unit whole-text"),
        (&["--encoder", "Cargo.toml"], "Cargo.toml"),
    ] {
        let arguments = [&["represent", "--epsilon", "8", "--unit", "whole-text"], arguments].concat();
        let output = textveil(&arguments, b"secret\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    let output = textveil(&["represent", "--unit", "whole-text"], b"secret\n");
    assert!(text(&output.stderr).contains("privunit2 needs --epsilon"), "{}", text(&output.stderr));
    let output = textveil(&["represent", "--epsilon", "8", "--dims", "16"], b"secret\n");
    assert!(text(&output.stderr).contains("--dims needs --unit whole-text"), "{}", text(&output.stderr));
}

#[test]
fn a_text_encoder_for_one_subject_has_few_dimensions_and_all_are_used() {
    let folder = Folder::new();
    let lines = "# Subjects\nThe app crashes.\nThe battery is empty.\nI love the colours.\nIt is too expensive.\n\n\
        Support never answers.\nI cannot log in.\nThe delivery was late.\n";
    let (list, out) = (folder.write("list.txt", lines), folder.path("few.tvt"));
    let made = textveil(&["table", "project", &list, "--dims", "4", "--out", &out], b"");
    assert!(text(&made.stdout).contains("26415 words, 5 dimensions"), "{}", text(&made.stderr));
    let arguments = ["represent", "--epsilon", "8", "--unit", "whole-text", "--encoder", &out];
    let object = &objects(&textveil(&arguments, b"it never starts\n"))[0];
    assert_eq!(object["vectors"][0].as_array().map(Vec::len), Some(5));
    let refused = textveil(&["table", "project", &list, "--dims", "7", "--out", &folder.path("many.tvt")], b"");
    let reason = text(&refused.stderr);
    assert!(!refused.status.success() && reason.contains("7 texts of known words do not differ in 7"), "{reason}");
}

#[test]
fn a_line_of_another_language_or_of_other_bytes_ends_it_with_a_way_on() {
    let german = "Das Paket kam nie an, und niemand antwortet mehr auf meine vielen Briefe, weil der Kundendienst \
                  geschlossen wurde.";
    let run = |input: &[u8]| textveil(&["represent", "--epsilon", "8"], input);
    let output = run(format!("{german}\n").as_bytes());
    let told = text(&output.stderr);
    assert!(!output.status.success() && told.contains("To take texts of any language, add --any-language"), "{told}");
    assert!(!told.contains("spend again"), "{told}");
    let output = run(format!("one line\n{german}\n").as_bytes());
    let told = text(&output.stderr);
    assert!(told.contains("line 2: the text is in another language") && told.contains("they spend again"), "{told}");
    let output = run(b"one line\ncaf\xe9\n");
    let told = text(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("line 2: not UTF-8"), "{told}");
    assert!(!told.contains("--any-language"), "{told}");
}

#[test]
fn a_table_is_not_read_as_lines() {
    let folder = Folder::new();
    let lines = folder.write("in.txt", "secret\n");
    for name in ["in.csv", "in.jsonl", "in.Parquet"] {
        let table = folder.write(name, "text\nsecret\n");
        let output = textveil(&["represent", "--epsilon", "8", &lines, &table], b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{name}");
        let message = text(&output.stderr);
        assert!(message.contains("not plain lines: write its texts to a file, one a line, or use"), "{message}");
    }
}
