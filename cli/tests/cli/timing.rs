//! `textveil audit timing`. What it measures of the product is not looked at: times on a busy machine prove
//! nothing. The control differs by more than any neighbour adds.

use super::{text, textveil};

const TIMING: [&str; 2] = ["audit", "timing"];

fn timing(arguments: &[&str]) -> std::process::Output {
    textveil(&[&TIMING, arguments].concat(), b"")
}

#[test]
fn every_pair_has_a_line_with_its_classes_and_a_number() {
    check_lines(&[], "certified");
}

#[test]
fn the_usual_mechanism_is_timed_by_its_name() {
    check_lines(&["--of", "nearest"], "nearest");
}

/// Whether every pair has its line, below one that begins with the mechanism.
fn check_lines(options: &[&str], mechanism: &str) {
    let output = timing(&[options, &["--samples", "400"]].concat());
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(output.stderr.is_empty() && lines[0].starts_with(mechanism), "{}{printed}", text(&output.stderr));
    let pairs = lines[2..].iter().map(|line| line.split_whitespace().next().expect("a name"));
    let names = "control null draw draw-frequent draw-unknown draw-kept text text-misspelt text-unknown";
    assert_eq!(pairs.collect::<Vec<_>>().join(" "), names);
    for line in &lines[2..] {
        let number = |from_the_right: &str| {
            let (before, _) = line.split_once(from_the_right)?;
            before.split_whitespace().next_back()?.parse::<f64>().ok()
        };
        let t = [" told", " not told", " TOLD", " NOT TOLD"].into_iter().find_map(number).expect("a number");
        // Printed are tenths.
        assert!((t - 4.5).abs() < 0.1 || line.to_lowercase().contains("not told") == (t < 4.5), "{line}");
    }
}

#[test]
fn a_search_that_stops_at_the_word_is_found_out() {
    let output = timing(&["--only", "control", "--samples", "20000"]);
    let printed = text(&output.stdout);
    assert!(output.status.success() && printed.trim_end().ends_with("  told"), "{printed}");
}

#[test]
fn in_steps_no_median_comes_before_the_step_and_the_control_comes_at_once() {
    let output = timing(&["--only", "control", "text-unknown", "--samples", "300", "--pace", "2000"]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].ends_with(", in steps of 2000 us"), "{}{printed}", text(&output.stderr));
    let medians = |line: &str| -> Vec<f64> {
        let numbers = line.split_whitespace().filter(|number| number.contains('.'));
        numbers.filter_map(|number| number.parse().ok()).take(2).collect()
    };
    assert!(medians(lines[2]).iter().all(|median| *median < 2000.0), "{printed}");
    assert!(medians(lines[3]).len() == 2 && medians(lines[3]).iter().all(|median| *median >= 2000.0), "{printed}");
    // Told and as it has to be are one thing now, for every pair.
    let is_as_expected = lines[2].ends_with("  told") && lines[3].ends_with("  not told");
    assert_eq!(output.status.success(), is_as_expected, "{printed}");
}

#[test]
fn what_cannot_be_timed_is_refused() {
    for (arguments, message) in [
        (&["--only", "everything"][..], "draw-kept"),
        (&["--samples", "99"], "--samples <N>"),
        (&["--pace", "0"], "at least 250 microseconds"),
        (&["--pace", "1ms"], "invalid digit"),
    ] {
        let output = timing(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    let both = textveil(&["audit", "--samples", "200", "timing"], b"");
    assert!(!both.status.success() && text(&both.stderr).contains("cannot be used with"), "{}", text(&both.stderr));
}
