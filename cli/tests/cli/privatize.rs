//! `textveil privatize` as a person runs it: lines in, lines out.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{Folder, text, textveil};

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn privatize(arguments: &[&str], input: &[u8]) -> Output {
    textveil(&[&["privatize"], arguments].concat(), input)
}

#[test]
fn every_line_gives_a_line_and_keeps_its_layout() {
    let output = privatize(
        &["--mechanism", "certified", "--eta", "9"],
        b"My sister (Anna) was ill, badly!\n\r\n\nno break at the end",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<&str> = text(&output.stdout).split('\n').collect();
    assert_eq!(lines.len(), 4);
    let layout: String = lines[0].chars().filter(|c| " (),!".contains(*c)).collect();
    assert_eq!(layout, "  ()  , !");
    assert_eq!((lines[1], lines[2]), ("", ""));
    assert!(text(&output.stderr).contains("4 releases, 11 private words"));
}

#[test]
fn a_line_that_holds_other_breaks_stays_a_line() {
    let output = privatize(
        &["--preset", "readable"],
        "first\rline\nsecond\u{2028}line\u{85}of\u{b}some\u{c}length\nthird line".as_bytes(),
    );
    let lines: Vec<usize> = text(&output.stdout).split('\n').map(|line| line.split_whitespace().count()).collect();
    assert_eq!(lines, [2, 5, 2]);
}

#[test]
fn the_summary_counts_in_words_and_never_understates_epsilon() {
    let output = privatize(&["--mechanism", "exponential", "--epsilon", "7.0001"], b"word");
    let summary = text(&output.stderr);
    assert!(summary.contains("1 release, 1 private word; exponential, eta "), "{summary}");
    assert!(summary.contains("at most epsilon 7.01 a word"), "{summary}");
    let output = privatize(&["--mechanism", "exponential", "--epsilon", "0.0001"], b"word");
    assert!(text(&output.stderr).contains("at most epsilon 0.0001 a word"), "{}", text(&output.stderr));
}

#[test]
fn a_table_with_certificates_is_used_with_them() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");
    let output = privatize(&["--table", table, "--eta", "3"], b"hello john\n");
    assert!(text(&output.stderr).contains("2 private words; certified, eta 2.983"), "{}", text(&output.stderr));
    let output = privatize(&["--table", table, "--epsilon", "1"], b"secret\n");
    assert!(
        text(&output.stderr)
            .contains("no level of certified spends so little: the first of 3 has eta 1.7259 and epsilon 5.91"),
        "{}",
        text(&output.stderr)
    );
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/one.tvt");
    let output = privatize(&["--table", table, "--mechanism", "certified"], b"secret\n");
    assert!(text(&output.stderr).contains("the table has no certificates"), "{}", text(&output.stderr));
}

#[test]
fn a_level_that_is_not_there_is_answered_with_those_that_are() {
    let output = privatize(&["--level", "99"], b"secret\n");
    assert!(text(&output.stderr).contains("nearest has 12 levels, 0 to 11"), "{}", text(&output.stderr));
    assert_eq!(privatize(&["--level", "1.5"], b"secret\n").stderr, output.stderr);
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/one.tvt");
    let output = privatize(&["--table", table], b"secret\n");
    assert!(
        text(&output.stderr).contains("stores no level of exponential: pass --eta or --epsilon"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_preset_is_a_level_by_its_name() {
    let output = privatize(&["--preset", "statistics"], b"word\n");
    assert!(text(&output.stderr).contains("nearest: at most epsilon 8.00 a word"), "{}", text(&output.stderr));
    for (arguments, message) in [
        (&["--preset", "hidden"][..], "statistics, balanced, readable"),
        (&["--preset", "balanced", "--epsilon", "9"], "cannot be used with"),
        (&["--preset", "balanced", "--mechanism", "certified"], "certified has no presets"),
    ] {
        let output = privatize(arguments, b"word\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_reader_that_has_enough_ends_the_work_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(["table", "inspect"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn a_seed_fixes_each_line_and_says_that_it_is_insecure() {
    let first = privatize(&["--seed", SEED, "--epsilon", "9"], b"one line of words\none line of words\n");
    let again = privatize(&["--seed", SEED, "--epsilon", "9"], b"one line of words\none line of words\n");
    assert_eq!(first.stdout, again.stdout);
    let (one, two) = text(&first.stdout).split_once('\n').expect("two lines");
    assert_ne!(one, two.trim_end(), "equal lines are releases of their own");
    assert!(text(&first.stderr).contains("warning"));
    let line = "one line of words, so long that it is drawn in another way in the next run and in each one after it\n";
    let unseeded = || privatize(&["--epsilon", "9"], line.as_bytes()).stdout;
    assert_ne!(unseeded(), unseeded());
}

#[test]
fn json_holds_the_guarantee_and_keeps_the_account_apart() {
    let output =
        privatize(&["--json", "--mechanism", "metric-laplace", "--epsilon", "20"], b"Write to jane@example.com.\n");
    let line: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let guarantee = &line["guarantee"];
    assert!(guarantee["epsilonWord"].as_f64().expect("a number") <= 20.0);
    assert_eq!((&guarantee["words"], &guarantee["exactSampler"]), (&Value::from(2), &Value::from(false)));
    assert!(line["text"].as_str().expect("text").ends_with(" [email]."));
    let account = line["deviceOnly"]["account"].as_array().expect("a list");
    assert_eq!(
        account.iter().map(|entry| entry["token"].as_str().expect("text")).collect::<Vec<_>>(),
        ["Write", "to", "jane@example.com"]
    );
    let [write, to] = [0, 1].map(|place| account[place]["written"].as_str().expect("a word"));
    let released = line["text"].as_str().expect("text").to_lowercase();
    assert_eq!(released, format!("{write} {to} [email].").to_lowercase());
    assert_eq!(account[2].get("written"), Some(&Value::Null), "a placeholder is no word of the table");
}

#[test]
fn an_output_that_holds_typed_words_is_warned_of() {
    let folder = Folder::new();
    let input = folder.write("in.txt", "good film\n");
    let output = privatize(&["--json", "-o", &folder.path("out.jsonl"), &input], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("out.jsonl holds the words that were typed"), "{}", text(&output.stderr));
    assert!(folder.read("out.jsonl").contains("\"deviceOnly\""));
    let (printed, plain) = (privatize(&["--json", &input], b""), privatize(&[&input], b""));
    assert!(text(&printed.stderr).contains("the output holds the words that were typed"));
    assert!(!text(&plain.stderr).contains("typed"));
    let refused = privatize(&["-o", &folder.path("other.jsonl"), &input], b"");
    assert!(text(&refused.stderr).contains("other.jsonl would hold lines"), "{}", text(&refused.stderr));
}

#[test]
fn bad_parameters_and_lines_release_nothing() {
    for arguments in [
        &["--eta", "0"][..],
        &["--eta", "NaN"],
        &["--epsilon", "-1"],
        &["--epsilon", "inf"],
        &["--epsilon", "20.1"],
        &["--level", "99"],
        &["--level", "-1"],
        &["--mass", "1"],
        &["--mass", "1e-9"],
        &["--frequency-power", "1.1"],
        &["--frequency-power", "NaN"],
        &["--preset", "balanced", "--level", "5"],
        &["--mechanism", "none"],
        &["--table", "/dev/null"],
    ] {
        let output = privatize(arguments, b"secret\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(!text(&output.stderr).contains("secret"));
    }
    assert!(!privatize(&["--eta", "3", "--epsilon", "3"], b"").status.success());
    assert!(!privatize(&["--seed", "12"], b"").status.success());
    let output = privatize(&["/no/such/file"], b"");
    assert!(text(&output.stderr).starts_with("textveil: cannot read /no/such/file"), "and nothing is summed up");
}

#[test]
fn a_text_instead_of_a_file_is_answered_with_how_texts_come() {
    let long = "The food was wonderful. ".repeat(20);
    for command in ["privatize", "represent"] {
        for given in ["The food was wonderful.", &long] {
            let arguments = [command, "--epsilon", "8", given];
            let output = textveil(&arguments, b"");
            let hint = format!("Texts come from a file or from standard input: echo TEXT | textveil {command}");
            assert!(text(&output.stderr).contains(&hint), "{}", text(&output.stderr));
        }
    }
    let folder = privatize(&[env!("CARGO_MANIFEST_DIR")], b"");
    assert!(!text(&folder.stderr).contains("echo TEXT"), "{}", text(&folder.stderr));
}

/// `script` gives a program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_is_told_that_the_command_waits_for_texts() {
    let waits = "reads from this terminal. Press Ctrl-D";
    let command = concat!(env!("CARGO_BIN_EXE_textveil"), " privatize");
    let output = textveil_tests::run("script", &["-qec", command, "/dev/null"], b"happy\n");
    assert!(text(&output.stdout).contains(waits), "{output:?}");
    assert!(text(&output.stdout).contains("1 release"), "{output:?}");
    let output = privatize(&[], b"happy\n");
    assert!(!text(&output.stderr).contains(waits), "{}", text(&output.stderr));
}

#[test]
fn a_line_that_is_too_long_is_named_and_not_released() {
    let mut input = b"short\n".to_vec();
    input.extend(vec![b'a'; 10 << 20]);
    let output = privatize(&[], &input);
    assert!(!output.status.success());
    let message = text(&output.stderr);
    assert!(message.contains("standard input, line 2: the text is longer"), "{message}");
    assert!(message.contains("add --skip-bad: the rows above are then drawn again, and spend again"), "{message}");
    assert!(text(&output.stdout).len() < 100);
    assert!(text(&output.stderr).contains("1 release, 1 private word;"), "what was released before is counted");
}

#[test]
fn every_mechanism_that_puts_out_words_takes_its_own_options() {
    for arguments in [
        &["exponential", "--level", "3"][..],
        &["truncated-exponential", "--epsilon", "8", "--gamma", "0.5"],
        &["metric-laplace", "--eta", "10"],
        &["vickrey", "--epsilon", "20", "--t", "0.5"],
        &["mahalanobis", "--epsilon", "20", "--lambda", "0.5"],
        &["laplace", "--epsilon", "20", "--clip", "1"],
        &["truncated-laplace", "--epsilon", "2", "--delta", "1e-5"],
        &["gaussian", "--epsilon", "2", "--delta", "1e-5"],
        &["discrete-gaussian", "--epsilon", "2", "--delta", "1e-5"],
    ] {
        let output = privatize(&[&["--mechanism"], arguments].concat(), b"two words\n");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout).split_whitespace().count(), 2, "{arguments:?}");
    }
    let output = privatize(&["--mechanism", "laplace", "--epsilon", "20", "--lambda", "2"], b"secret\n");
    let message = text(&output.stderr);
    assert!(message.contains("laplace takes no --lambda; it takes --epsilon and --clip"), "{message}");
}

#[test]
fn a_refusal_names_the_option_that_is_missing_or_the_command_that_would_serve() {
    let odd = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");
    for (arguments, message) in [
        (&["laplace"][..], "laplace needs --epsilon (it also takes --clip)"),
        (&["vickrey", "--eta", "20"], "vickrey needs --t"),
        (&["nearest", "--epsilon", "50"], "nearest: epsilon must be a number above zero and at most 20"),
        (&["gaussian", "--epsilon", "-1", "--delta", "1e-5"], "gaussian: epsilon must be a number above zero"),
        (&["exponential", "--eta", "3", "--epsilon", "3"], "'--eta <NUMBER>' cannot be used with '--epsilon <NUMBER>'"),
        (&["exponential", "--calibration", "published"], "exponential has no published calibration of its own"),
        (&["dpnr", "--epsilon", "1"], "dpnr puts out no words: use `textveil represent`"),
        (&["class-exponential", "--epsilon", "1", "--table", odd], "needs a table with classes of words"),
    ] {
        let output = privatize(&[&["--mechanism"], arguments].concat(), b"secret\n");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    let help = privatize(&["--help"], b"");
    assert!(text(&help.stdout).contains("vickrey") && !text(&help.stdout).contains("dpnr"));
}

#[test]
fn a_published_calibration_is_marked_with_what_it_claims() {
    let arguments =
        ["--mechanism", "truncated-laplace", "--epsilon", "0.5", "--delta", "1e-5", "--calibration", "published"];
    let output = privatize(&arguments, b"two words\n");
    let summary = text(&output.stderr);
    assert!(
        summary.contains("PUBLISHED calibration (claims epsilon 0.5, delta 1e-5 for one word, WHICH DOES NOT FOLLOW)"),
        "{summary}"
    );
    assert!(summary.contains("WHICH DOES NOT FOLLOW): no bound for a word"), "{summary}");
    let none = privatize(&["--mechanism", "exponential", "--calibration", "published"], b"secret\n");
    assert!(!none.status.success() && none.stdout.is_empty());
}

#[test]
fn a_line_that_is_not_utf_8_is_a_bad_row() {
    let input = b"coffee\ncaf\xe9 \xff\n\xff\ntea\n";
    let output = privatize(&[], input);
    let told = text(&output.stderr);
    assert!(!output.status.success() && text(&output.stdout).lines().count() == 1, "{told}");
    assert!(told.contains("standard input, line 2: not UTF-8. Convert the file to UTF-8, as \"iconv"), "{told}");
    let output = privatize(&["--skip-bad"], input);
    let told = text(&output.stderr);
    assert!(output.status.success() && text(&output.stdout).lines().count() == 2, "{told}");
    assert!(told.contains("left out: standard input, line 3: not UTF-8\n2 releases, 2 rows left out, "), "{told}");
    // UTF-16 without a mark.
    let output = privatize(&["--skip-bad"], b"t\0e\0a\0\n\0");
    let told = text(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty() && told.contains("not a text file"), "{told}");
}

/// Memory does not grow with the input: fifty megabytes more of lines, not five of memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_the_same_however_many_lines_come() {
    let peak = |lines: usize| {
        let input = format!("line{}\n", " .".repeat(1500)).repeat(lines);
        super::peak_memory(&["privatize"], |pipe| pipe.write_all(input.as_bytes()))
    };
    let (few, many) = (peak(2_000), peak(20_000));
    assert!(many < few + 5 * 1024, "{few} kB, then {many} kB");
}

#[test]
fn what_the_options_alone_decide_ends_with_2_and_anything_else_with_1() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
    for (arguments, code) in [
        (&["--epsilon", "0"][..], 2),
        (&["--epsilon", "8,5"], 2),
        (&["--level", "99"], 2),
        (&["--mechanism", "certified", "--preset", "readable"], 2),
        (&["--statements", list, "--preset", "readable"], 2),
        (&["--statements", list, "--keep-function-words"], 2),
        (&["--statements", list, "--epsilon", "21"], 2),
        (&["--column", "text"], 2),
        (&["--guarantee", "-"], 2),
        (&["absent.txt"], 1),
        (&["--statements", "absent.tvs"], 1),
        (&["--output", "no/such/folder/out.txt"], 1),
    ] {
        let output = privatize(arguments, b"secret\n");
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(code) && output.stdout.is_empty(), "{arguments:?}: {told}");
        assert!(told.starts_with(if arguments.contains(&"8,5") { "error: " } else { "textveil: " }), "{told}");
    }
    let told = privatize(&["--epsilon", "8,5"], b"");
    assert!(text(&told.stderr).contains("write a decimal point instead of the comma"), "{}", text(&told.stderr));
    assert!(text(&textveil(&["--help"], b"").stdout).contains("Exit status: "));
}

#[test]
fn the_summary_says_what_the_longest_row_loses() {
    let summary = |arguments: &[&str], input: &[u8]| text(&privatize(arguments, input).stderr).to_owned();
    let told = summary(&["--epsilon", "9"], b"word\nthree more words\ntwo words\n");
    let longest = "at most epsilon 9.00 a word in the worst case, epsilon 27.00 for the longest line, of 3 words\n";
    assert!(told.contains(longest), "{told}");
    let told = summary(&["--epsilon", "9"], b"word\n");
    assert!(told.contains("at most epsilon 9.00 a word in the worst case\n"), "{told}");
}

#[test]
fn what_is_no_real_promise_is_warned_of() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
    for (arguments, warning) in [
        (&["--epsilon", "9"][..], None),
        (&["--preset", "readable"], Some("warning: epsilon 10.50 for a word is no real promise")),
        (
            &["--mechanism", "vickrey", "--eta", "30", "--t", "0.5"],
            Some("without a bound for a word there is no real promise"),
        ),
        (&["--statements", list], None),
        (&["--statements", list, "--epsilon", "12"], Some("epsilon 12.00 for a statement is no real promise")),
        (&["--preset", "readable", "--seed", SEED], None),
    ] {
        let output = privatize(arguments, b"The app crashes.\n");
        let told = text(&output.stderr);
        assert!(output.status.success() && told.contains("no real promise") == warning.is_some(), "{told}");
        assert!(told.contains(warning.unwrap_or_default()), "{told}");
    }
}

#[test]
fn releases_on_standard_output_without_a_guarantee_are_told_of() {
    let folder = Folder::new();
    let (input, guarantee) = (folder.write("in.csv", "text\ngood film\n"), folder.path("guarantee.json"));
    let column = ["--column", "text", &input];
    for (more, is_told) in [(&[][..], true), (&["--guarantee", &*guarantee], false)] {
        let output = privatize(&[&column[..], more].concat(), b"");
        assert!(output.status.success());
        assert_eq!(text(&output.stderr).contains("no guarantee was written"), is_told, "{}", text(&output.stderr));
    }
    for (arguments, is_told) in [(&[][..], true), (&["--json"], false), (&["-o", &folder.path("out.txt")], false)] {
        let output = privatize(arguments, b"good film\n");
        assert_eq!(text(&output.stderr).contains("no guarantee was written"), is_told, "{arguments:?}");
    }
    let output = privatize(&["--guarantee", "-"], b"secret\n");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(text(&output.stderr).contains("--guarantee needs the name of a file"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn what_a_reader_left_unread_has_its_guarantee() {
    let folder = Folder::new();
    let input = folder.write("in.txt", "the doctor was kind\n".repeat(20_000));
    let guarantee = folder.path("guarantee.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(["privatize", &input, "--guarantee", &guarantee])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let statement: Value = serde_json::from_str(&folder.read("guarantee.json")).expect("JSON");
    assert_eq!(statement["guarantee"]["words"], 4);
    assert!((1..20_000).contains(&statement["rows"].as_u64().expect("a number")), "{statement}");
}
