//! `textveil-lab reproduce`.

use std::path::Path;

use serde_json::Value;

use super::{File, Folder, text, textveil};

#[test]
fn the_papers_numbers_come_out() {
    let output = textveil(&["reproduce", "mechanisms"], b"");
    let tables = text(&output.stdout);
    for number in ["3451", "2.506", "0.9973", "3.7e-8", "375.4", "12.75", "1.00200", "1.755", "5421", "4806", "21.06"] {
        assert!(tables.contains(number), "{number}");
    }
    assert!(tables.contains("9 of 9 numbers agree with the paper's in value"), "{tables}");
    for figure in [&["reproduce", "ome", "figure-3"][..], &["reproduce", "ome-figure-3"]] {
        let figure = textveil(figure, b"");
        let text = text(&figure.stdout);
        assert!(figure.status.success() && text.contains("0.009881"), "{text}");
        assert!(text.contains("yes  p1 rises with lambda"), "{text}");
    }
}

#[test]
fn the_flat_channel_needs_the_least_eta_and_noise_the_most() {
    let output = textveil(&["reproduce", "channels", "--words", "60"], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut rows = 0;
    for line in text(&output.stdout).lines() {
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|cell| cell.parse().ok()).collect();
        if let [kept, noise, half, tight, flat, ratio] = numbers[..] {
            assert!(noise > half && half > tight && tight > flat && flat > 0.0, "{line}");
            assert!((noise / flat / ratio - 1.0).abs() < 0.01 && (0.1..=0.9).contains(&kept), "{line}");
            rows += 1;
        }
    }
    assert_eq!(rows, 5);
}

#[test]
fn a_report_is_written_in_every_form() {
    let [json, csv, svg] = ["json", "csv", "svg"].map(|extension| File::of(b"", extension));
    let to = ["--json", json.path(), "--csv", csv.path(), "--svg", svg.path()];
    let output = textveil(&[&["reproduce", "mechanisms"], &to[..]].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let [json, csv, svg] = [json, csv, svg].map(|file| std::fs::read_to_string(file.path()).expect("written"));
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&report[0]["experiment"], &report[0]["inValue"]["of"]), (&"mechanisms".into(), &9.into()));
    let entries = report[0]["sheets"].as_array().expect("sheets").iter().map(|sheet| {
        let rows = sheet["rows"].as_array().expect("rows");
        rows.iter().map(|row| row.as_object().expect("a row").len()).sum::<usize>()
    });
    assert_eq!(csv.lines().count(), 1 + entries.sum::<usize>(), "a line for each entry");
    assert!(svg.trim_end().ends_with("</svg>"));
}

#[test]
fn what_there_is_is_listed_with_what_it_needs() {
    let output = textveil(&["reproduce", "list"], b"");
    let list = text(&output.stdout);
    for part in ["ome figure-3", "channels", "baseline kotzias", "10 runs, with --quick 3; reads imdb, amazon, yelp"] {
        assert!(list.contains(part), "{list}");
    }
}

#[test]
fn cells_are_kept_where_they_are_asked_for_and_nothing_is_mixed() {
    let folder = Folder::new();
    let out = folder.path("out");
    let run = |seed| textveil(&["reproduce", "ome", "figure-3", "--out", &out, "--seed", seed], b"");
    let (first, again, other) = (run("1"), run("1"), run("2"));
    assert!(Path::new(&out).join("ome-figure-3.jsonl").is_file());
    assert!(first.status.success() && again.status.success());
    assert!(!other.status.success() && text(&other.stderr).contains("computed with another seed"));
}

#[test]
fn what_cannot_be_computed_is_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["ome", "table-9"][..], "there is no experiment \"ome table-9\""),
        (&["baseline"], "baseline kotzias reads imdb, amazon, yelp: pass --data"),
        (&["baseline", "--data", "/no/such/folder"], "there is no folder"),
        (&["baseline", "--data", ".", "--runs", "paper"], "baseline kotzias states no number of runs"),
        (&["all", "--data", "."], "imdb_train.tsv is missing from ."),
        (&["mechanisms", "--words", "60"], "--words is not for mechanisms"),
        (&["all", "--data", ".", "--svg", "x.svg"], "--svg is for one"),
        (&["qu", "table-1", "--svg", "x.svg"], "there is no plot of qu table-1"),
        (&["mechanisms", "--runs", "0"], "--runs"),
    ] {
        let output = textveil(&[&["reproduce"], arguments].concat(), b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    }
}
