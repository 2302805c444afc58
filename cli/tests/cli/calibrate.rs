//! `textveil calibrate`: what it finds, chooses, writes and refuses.

use serde_json::Value;

use super::{Folder, text, textveil};

const TOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/toy.tvt");
const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");

fn calibrated(arguments: &[&str]) -> Value {
    let output = textveil(&[&["calibrate", "--json"], arguments].concat(), b"");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_target_chooses_the_last_level_that_is_within_it() {
    for (target, bound, measure) in [
        ("--average", "0.6", "mean"),
        ("--average-by-frequency", "0.9", "weightedMean"),
        ("--worst-case", "0.9", "greatest"),
    ] {
        let report = calibrated(&["--table", TOY, target, bound]);
        let levels = report["levels"].as_array().expect("levels");
        let most: f64 = bound.parse().expect("a number");
        let chosen = report["level"].as_u64().expect("a level") as usize;
        for (place, level) in levels.iter().enumerate().skip(chosen) {
            assert_eq!(number(&level["kept"][measure]) <= most, place == chosen, "{target}: {level}");
        }
        assert_eq!(report["vocabulary"]["kept"], levels[chosen]["kept"]);
        assert_eq!(report["guarantee"]["eta"], levels[chosen]["eta"]);
    }
}

#[test]
fn a_level_that_no_level_is_within_is_answered_with_the_lowest() {
    let output = textveil(&["calibrate", "--table", TOY, "--worst-case", "0.01"], b"");
    let message = text(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(
        message.contains("no level at which no word is kept with a probability above 0.01: the lowest"),
        "{message}"
    );
}

#[test]
fn where_nothing_is_proved_no_epsilon_is_printed() {
    for (table, line) in
        [(TOY, ": no bound for a word\n"), (ODD, ": at most epsilon 15.82, delta 9e-5 a word in the worst case\n")]
    {
        let of = ["--table", table, "--words", "cat", "--mechanism", "metric-laplace", "--eta", "3"];
        let output = textveil(&[&["calibrate"], &of[..]].concat(), b"");
        let shown = text(&output.stdout);
        assert!(output.status.success() && shown.contains(line), "{shown}{}", text(&output.stderr));
        assert_eq!(shown.contains("at most epsilon"), table == ODD, "{shown}");
    }
}

#[test]
fn an_attacker_who_knows_more_is_right_more_often() {
    for eta in ["0.5", "3", "9"] {
        let inversion =
            &calibrated(&["--table", ODD, "--mechanism", "exponential", "--eta", eta])["vocabulary"]["inversion"];
        for prior in ["uniform", "byFrequency"] {
            let success = |attacker: &str| number(&inversion[attacker][prior]);
            assert!(success("bayes") >= success("outputWord") - 1e-12 && success("bayes") >= success("blind") - 1e-12);
        }
    }
}

#[test]
fn words_alone_need_no_vocabulary_and_are_for_the_device_only() {
    let of = ["--table", ODD, "--words", "back,Balloon", "--mechanism", "certified", "--level", "0", "--tail", "0.5"];
    let report = calibrated(&of);
    assert!(report["vocabulary"].is_null() && report["levels"].is_null());
    let tokens = report["deviceOnly"]["tokens"].as_array().expect("tokens");
    assert_eq!(tokens.iter().map(|token| &token["input"]).collect::<Vec<_>>(), ["back", "balloon"]);
    for token in tokens {
        let found = &token["deniability"];
        assert!((0.1..0.4).contains(&number(&found["kept"])) && found["estimated"] == false, "{token}");
        assert!(number(&found["support"]) > 2.0 && number(&found["distinct"]) < 48.0, "{token}");
    }
    let output = textveil(&["calibrate", "--table", TOY, "--words", "cat,dog"], b"");
    assert!(text(&output.stdout).contains("2 tokens, of which 0."), "{}", text(&output.stdout));
}

/// As `tests/reference/certify.py --odds` computes them, in percent: kept, written by frequency, written if all are alike.
#[test]
fn a_reader_is_as_sure_of_a_word_as_an_independent_program_computes() {
    const LINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/line.tvt");
    for (table, mechanism, level, expected) in [
        (LINE, "nearest", "5", [("oak17", [27.17976, 91.07471, 9.18082]), ("gum27", [0.03323, 0.64733, 0.01018])]),
        (ODD, "certified", "1", [("back", [86.02452, 65.15864, 92.60544]), ("balloon", [88.69983, 3.58500, 93.20405])]),
    ] {
        let words = expected.map(|(word, _)| word).join(",");
        let report = calibrated(&["--table", table, "--mechanism", mechanism, "--level", level, "--words", &words]);
        let tokens = report["deviceOnly"]["tokens"].as_array().expect("tokens");
        assert_eq!(tokens.len(), expected.len());
        for (token, (word, shares)) in tokens.iter().zip(expected) {
            assert_eq!(token["input"], word);
            let found = [&token["deniability"]["kept"], &token["written"]["byFrequency"], &token["written"]["uniform"]];
            for (found, share) in found.map(number).into_iter().zip(shares) {
                assert!((100.0 * found - share).abs() < 6e-6, "{token} {share}");
            }
        }
    }
}

#[test]
fn on_average_a_word_that_stands_there_was_written_as_often_as_words_are_kept() {
    let report = calibrated(&["--table", ODD, "--mechanism", "certified", "--average", "0.9"]);
    for level in report["levels"].as_array().expect("levels").iter().chain([&report["vocabulary"]]) {
        // Over all that stands in releases: both are the share of words that come out as themselves.
        for (prior, mean) in [("uniform", "mean"), ("byFrequency", "weightedMean")] {
            let written = number(&level["written"][prior]["weightedMean"]);
            assert!((written - number(&level["kept"][mean])).abs() < 1e-12, "{prior}: {level}");
        }
    }
}

#[test]
#[ignore = "it goes through all pairs of English words: the nightly check `whole` runs it"]
fn examples_are_told_and_words_of_a_text_only_for_the_device() {
    let report = calibrated(&["--mechanism", "certified", "--level", "5", "--sample", "1"]);
    let odds = report["vocabulary"]["odds"].as_array().expect("odds");
    assert_eq!((odds.len(), &odds[0]["word"]), (10, &Value::from("cancer")));
    // `certify.py core/data/english.tvt --level 5 --odds cancer`.
    assert!((number(&odds[0]["written"]["byFrequency"]) - 0.70).abs() < 0.01, "{}", odds[0]);
    assert!(report["deviceOnly"].is_null());
}

#[test]
fn noise_is_estimated_with_a_seed_that_it_follows() {
    let ask = |seed| calibrated(&["--table", ODD, "--mechanism", "metric-laplace", "--eta", "6", "--seed", seed]);
    let report = ask("1");
    assert_eq!(report["vocabulary"]["estimated"], true);
    assert!(report["vocabulary"]["written"].is_null(), "nothing states how likely an output is");
    assert!(report["vocabulary"]["inversion"]["bayes"].is_null());
    let [kept, nearest] =
        ["outputWord", "nearest"].map(|attack| number(&report["vocabulary"]["inversion"][attack]["uniform"]));
    assert!(0.05 < kept && kept < 1.0 && nearest > kept - 0.03, "{kept} {nearest}");
    assert_eq!(report, ask("1"));
    assert_ne!(report["vocabulary"]["kept"], ask("2")["vocabulary"]["kept"]);
}

#[test]
fn a_page_stands_alone_and_shows_a_text_as_text() {
    let folder = Folder::new();
    let written = folder.write("text.txt", "the cat </main><script>alert(1)</script> & \"the\" dog");
    let page = folder.path("report.html");
    let output = textveil(&["calibrate", "--table", TOY, "--average", "0.6", "--html", &page, "--text", &written], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = folder.read("report.html");
    for (part, count) in [
        ("<main>", 1),
        ("</main>", 1),
        ("<script", 0),
        ("src=", 0),
        ("href", 0),
        ("http:", 0),
        ("https:", 0),
        ("url(", 0),
    ] {
        assert_eq!(page.matches(part).count(), count, "{part}");
    }
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(
        page.contains("prefers-color-scheme: dark")
            && page.contains("class=\"chosen\"")
            && page.contains("Not protected")
    );
    assert!(page.contains("&lt;") && page.contains(">cat</th>"));
}

#[test]
fn what_cannot_be_calibrated_is_refused_with_a_reason() {
    for (arguments, message) in [
        (&["--worst-case", "0.5", "--eta", "3"][..], "cannot be used with"),
        (&["--worst-case", "0.5", "--average", "0.5"], "cannot be used with"),
        (&["--worst-case", "1.5"], "a share is a number from 0 to 1"),
        (
            &["--average", "0.5", "--table", ODD, "--mechanism", "exponential"],
            "the table stores no level of exponential",
        ),
        (&["--average", "0.5", "--mechanism", "vickrey"], "vickrey takes no --level"),
        (&["--worst-case", "0.5", "--mechanism", "metric-laplace"], "does not state its probabilities"),
        (&["--mechanism", "sue", "--epsilon", "1"], "sue puts out no words"),
        (&["--level", "99"], "nearest has 12 levels, 0 to 11"),
        (&["--words", "doctor", "--tail", "1"], "--tail must be at least 0 and below 1"),
        (&["--words", "doctor", "--draws", "0"], "--draws must be from 1 to 1048576"),
        (&["--html", "/no/such/folder/report.html"], "/no/such/folder"),
        (&["--text", "/no/such/file"], "cannot read /no/such/file"),
    ] {
        let output = textveil(&[&["calibrate"], arguments].concat(), b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}
